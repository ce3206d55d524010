from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.masking.resample import resampled

NUMBERS = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=40)


def read(values):
    return ta.read(pa.table({"x": pa.array(values)}), kinds={"x": "continuous"})


def test_the_printed_example_value_by_value():
    """Seed 001, Fig. 8, with the last value of S2 as the printed averages require."""
    printed = ta.example("cholesterol_samples")
    samples = [printed.numbers(name) for name in ("S1", "S2", "S3", "S4")]
    assert resampled(samples[0], samples).tolist() == printed.numbers("Released").tolist()


@given(NUMBERS, st.integers(2, 6), st.booleans(), st.integers(0, 5))
def test_ranks_stay_and_ties_go_by_record_number(values, samples, original, seed):
    method = ta.Resample("x", samples=samples, original=original)
    released = read(values).apply(method, seed=seed).numbers("x")
    order = np.argsort(values, kind="stable")
    assert (np.diff(released[order]) >= 0).all()
    assert released.min() >= min(values) - 1e-9
    assert released.max() <= max(values) + 1e-9


@given(NUMBERS, st.integers(2, 5), st.integers(0, 5))
def test_it_averages_sorted_bootstrap_samples(values, samples, seed):
    data = read(values)
    released = ta.Resample("x", samples=samples).mask(data, np.random.default_rng(seed))
    rng, size = np.random.default_rng(seed), len(values)
    drawn = [np.array(values)] + [
        np.array(values)[rng.choice(size, size)] for _ in range(samples - 1)
    ]
    means = np.mean([np.sort(sample) for sample in drawn], axis=0)
    ranks = np.argsort(np.argsort(values, kind="stable"))
    np.testing.assert_allclose(released.numbers("x"), means[ranks], atol=1e-12)


def test_the_mean_is_expected_to_stay():
    data = read(np.random.default_rng(0).lognormal(size=300))
    method, rng = ta.Resample("x", samples=2, original=False), np.random.default_rng(1)
    means = np.array([method.mask(data, rng).numbers("x").mean() for _ in range(300)])
    error = means.std(ddof=1) / np.sqrt(len(means))
    assert abs(means.mean() - data.numbers("x").mean()) < 3 * error


def test_weights_are_chances():
    """The heavy value is drawn in nine of ten cases, within 3 standard errors."""
    table = pa.table({"x": [0.0] * 500 + [1.0] * 500, "w": [1.0] * 500 + [9.0] * 500})
    data = ta.read(table, roles={"w": "weight"})
    method = ta.Resample("x", samples=1, original=False, weighted=True)
    drawn = data.apply(method, seed=1).numbers("x")
    assert abs(drawn.mean() - 0.9) < 3 * np.sqrt(0.09 / 1000)


def test_samples_may_come_from_the_population():
    data = read([1.0, 2.0, 3.0]).with_external(population=read([100.0]))
    method = ta.Resample("x", samples=1, original=False, source="population")
    assert data.apply(method, seed=1).numbers("x").tolist() == [100.0] * 3
    both = data.apply(ta.Resample("x", samples=2, source="population"), seed=1)
    assert both.numbers("x").tolist() == [50.5, 51.0, 51.5]
    with pytest.raises(InputError, match="the data have none beside them"):
        read([1.0]).apply(method)
    nobody = ta.read(pa.table({"x": pa.array([None], pa.float64())}))
    with pytest.raises(InputError, match="The population has no value of `x`"):
        read([1.0]).with_external(population=nobody).apply(method)


def test_blanks_stay_and_do_not_count():
    released = read([None, 4.0, None, 4.0]).apply(ta.Resample("x"), seed=1).column("x")
    assert released.to_pylist() == [None, 4.0, None, 4.0]


def test_what_changes_nothing_is_refused():
    with pytest.raises(ParameterError, match="must be 2 or more"):
        ta.Resample("x", samples=1)
    with pytest.raises(ParameterError, match="needs sampling weights"):
        read([1.0]).apply(ta.Resample("x", weighted=True))


def test_sums_that_have_no_double_are_refused():
    with pytest.raises(InputError, match="squares or sums have no double"):
        read([1.7e308, 1.0]).apply(ta.Resample("x"), seed=0)
