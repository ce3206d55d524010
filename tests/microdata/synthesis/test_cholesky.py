import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.attribute import Kind
from tacita.errors import ParameterError, ProtectionError
from tacita.microdata.synthesis.cholesky import Cholesky


def made_of(values, records=None, weights=None, **options):
    columns = {f"x{place}": column for place, column in enumerate(np.asarray(values).T)}
    roles = {}
    if weights is not None:
        columns["w"], roles = weights, {"w": "weight"}
    data = ta.read(pa.table(columns), roles=roles)
    made = data.apply(Cholesky(records=records, **options), seed=1)
    return np.column_stack([made.numbers(name) for name in columns if name != "w"])


def alike(made, original, tolerance=1e-9):
    """Tell whether means and covariances agree, in units of the standard deviations."""
    units = original.std(axis=0, ddof=1)
    units[units == 0] = 1.0
    # About a value near the means, as sums of large numbers lose digits of their own.
    made, original = made - original[0], original - original[0]
    means = np.abs(made.mean(axis=0) - original.mean(axis=0)) / units
    unlike = np.cov(made, rowvar=False) - np.cov(original, rowvar=False)
    return max(means.max(), np.abs(unlike / np.outer(units, units)).max()) < tolerance


@given(st.integers(3, 60), st.integers(1, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_means_variances_and_covariances_are_exact(records, size, seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(records, size)) @ rng.normal(size=(size, size))
    values *= 10.0 ** rng.integers(-3, 6, size) / values.std(axis=0)
    values += rng.integers(-50, 50, size)
    made = made_of(values, records=max(records, size + 1))
    assert alike(made, values)
    assert np.isin(made, values).sum() < 3  # two doubles are alike now and then


@pytest.mark.parametrize("records", [6, 77, 5000])
def test_any_number_of_records_has_the_moments(records):
    values = np.random.default_rng(0).gamma(2.0, size=(300, 4)) + np.array([1e6, 0, 0, 0])
    made = made_of(values, records=records)
    assert len(made) == records
    assert alike(made, values, 1e-7 if records < 10 else 1e-9)


def test_relations_that_are_exact_stay_exact():
    parts = np.random.default_rng(0).gamma(2.0, size=(100, 2))
    made = made_of(np.column_stack([parts, parts.sum(axis=1), np.full(100, 0.1)]))
    np.testing.assert_allclose(made[:, 0] + made[:, 1], made[:, 2])
    assert (made[:, 3] == 0.1).all()


def test_weighted_moments_become_those_of_records_that_count_alike():
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=(50, 2)), rng.integers(1, 4, 50)
    made = made_of(values, weights=weights.astype(float), weighted=True)
    repeated = np.repeat(values, weights, axis=0)
    np.testing.assert_allclose(made.mean(axis=0), repeated.mean(axis=0))
    scaled = np.cov(repeated, rowvar=False, ddof=0) * 50 / 49
    np.testing.assert_allclose(np.cov(made, rowvar=False), scaled)


def test_records_with_blanks_do_not_count():
    whole = np.random.default_rng(0).normal(size=(40, 2))
    holed = np.vstack([whole, [[100.0, np.nan]]])
    columns = {n: pa.array(c, from_pandas=True) for n, c in zip("ab", holed.T, strict=True)}
    made = ta.read(pa.table(columns)).apply(Cholesky(), seed=1)
    assert len(made) == 41
    assert alike(np.column_stack([made.numbers("a"), made.numbers("b")]), whole)


def test_records_come_from_nobody():
    toy = ta.example("toy", 50)
    made = toy.apply(Cholesky(["age"]), seed=0)
    assert made.names == ["age", "weight"]
    assert made.is_synthetic


def test_applies_to_what_figure_12_says():
    assert Cholesky.applies_to == {Kind.CONTINUOUS}


def test_says_what_cannot_be_and_what_to_use_instead():
    toy = ta.example("toy", 50)
    with pytest.raises(ParameterError, match=r"`zip` is nominal\. Use `gaussian_copula`"):
        toy.apply(Cholesky(["zip"]), seed=0)
    with pytest.raises(ParameterError, match="cannot keep rules"):
        toy.apply(Cholesky(["age"], rules=["age >= 0"]), seed=0)
    with pytest.raises(ProtectionError, match="more than 2 synthetic records; found 2"):
        made_of(np.random.default_rng(0).normal(size=(9, 2)), records=2)
    with pytest.raises(ProtectionError, match="at least 3 records"):
        made_of([[1.0], [2.0]])
