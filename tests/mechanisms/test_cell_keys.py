"""Cell keys: the exact laws of perturbation tables, and keys that belong to records."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tacita.errors import ParameterError
from tacita.mechanisms.cell_keys import (
    as_share,
    as_shares,
    perturbation_table,
    record_keys,
    uniform,
)

KEY = b"k" * 32


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.integers(0, 4), st.floats(0.05, 0.95))
def test_every_row_has_mean_0_and_the_variance(largest, smallest, place):
    lowest = max((one * (smallest + 1 - one) for one in range(1, smallest + 1)), default=0)
    assume(lowest + 0.1 < largest and largest > smallest)
    variance = lowest + place * (largest - lowest)
    try:
        table = perturbation_table(largest, variance, smallest)
    except ParameterError:
        assume(False)
    noise, chances = np.arange(-largest, largest + 1), table.chances
    assert np.abs(chances.sum(axis=1) - 1).max() < 1e-9
    assert np.abs(chances @ noise).max() < 1e-9
    assert np.abs(chances[1:] @ noise**2 - variance).max() < 1e-9
    assert chances.min() >= 0
    assert chances[0, largest] == 1
    for number, row in enumerate(chances):
        after = number + noise[row > 0]
        assert (after >= 0).all()
        assert not ((after > 0) & (after <= smallest)).any()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 8), st.sampled_from([2, 4, 10]), st.floats(0.05, 0.95))
def test_steps_of_less_than_a_unit_have_the_same_moments(largest, parts, place):
    variance = place * largest
    table = perturbation_table(largest, variance, parts=parts)
    assert table.values.tolist() == [
        v / parts for v in range(-largest * parts, largest * parts + 1)
    ]
    assert np.abs(table.chances.sum(axis=1) - 1).max() < 1e-9
    assert np.abs(table.chances @ table.values).max() < 1e-9
    assert np.abs(table.variances[1:] - variance).max() < 1e-9
    assert table.largest == largest
    for number, row in zip(table.numbers, table.chances, strict=True):
        assert (number + table.values[row > 0] >= 0).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(0, 2))
def test_many_counts_have_the_noise_that_each_has(seed, largest, smallest):
    largest += smallest
    try:
        table = perturbation_table(largest, 0.8 * largest, smallest)
    except ParameterError:
        assume(False)
    rng = np.random.default_rng(seed)
    counts, keys = rng.integers(0, 30, 100), rng.random(100)
    keys[:3] = 0.0, np.nextafter(1.0, 0.0), table.cumulated[-1, 1]
    one_by_one = [table.noise(int(n), key) for n, key in zip(counts, keys, strict=True)]
    assert table.drawn(counts.astype(float), keys).tolist() == one_by_one


def test_noise_between_two_rows_is_mixed_and_beyond_the_last_it_is_that_of_the_last():
    table = perturbation_table(3, 1.0, parts=2)
    keys = np.full(4, 0.95)
    at = table.drawn(np.arange(10.0), np.full(10, 0.95))
    found = table.interpolated(np.array([1.25, 2.0, 1e9, np.inf]), keys)
    expected = [0.75 * at[1] + 0.25 * at[2], at[2], at[9], at[9]]
    assert found.tolist() == pytest.approx(expected)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1))
def test_many_keys_are_the_shares_that_each_is(keys):
    assert as_shares(np.array(keys, np.uint64)).tolist() == [as_share(key) for key in keys]


def test_no_other_distribution_has_more_entropy():
    """Against a general optimizer with the three constraints."""
    row = perturbation_table(3, 2.0).chances[2]
    noise = np.arange(-2, 4)  # a count of 2 loses 2 at most
    constraints = [
        {"type": "eq", "fun": lambda p: p.sum() - 1},
        {"type": "eq", "fun": lambda p: p @ noise},
        {"type": "eq", "fun": lambda p: p @ noise**2 - 2.0},
    ]
    found = minimize(
        lambda p: p @ np.log(p),
        np.full(6, 1 / 6),
        bounds=[(1e-9, 1)] * 6,
        constraints=constraints,
        options={"ftol": 1e-14},
    )
    assert np.allclose(row[1:], found.x, atol=1e-5)


def test_a_noise_has_the_share_of_keys_that_the_table_says():
    table = perturbation_table(4, 2.5, 1)
    keys = (np.arange(20_000) + 0.5) / 20_000
    for number in (0, 1, 3, 6, 400):
        drawn = np.bincount([table.noise(number, key) + 4 for key in keys], minlength=9)
        expected = table.chances[min(number, len(table.chances) - 1)]
        assert np.abs(drawn / 20_000 - expected).max() < 2 / 20_000


@pytest.mark.parametrize("key", [0, 1, 2**63, 2**64 - 1])
def test_extreme_keys_are_within_the_table(key):
    assert abs(perturbation_table(2, 1.0).noise(50, as_share(key))) <= 2


@pytest.mark.parametrize(
    ("largest", "variance", "smallest"), [(5, 5.0, 0), (5, 2.0, 2), (2, 1.0, 3), (1, 1.5, 0)]
)
def test_impossible_variances_are_refused_with_what_is_possible(largest, variance, smallest):
    with pytest.raises(ParameterError, match=r"variance must be above|largest noise be larger"):
        perturbation_table(largest, variance, smallest)


def test_keys_belong_to_values_not_to_places():
    columns = [pa.array(["a", "b", None, "a"]), pa.array([1.5, None, 2.0, 1.5])]
    keys = record_keys(columns, 4, KEY)
    assert len(set(keys.tolist())) == 4
    turned = record_keys([column.take(pa.array([2, 0, 3, 1])) for column in columns], 4, KEY)
    assert sorted(turned) == sorted(keys)
    assert turned[[0, 3]].tolist() == keys[[2, 1]].tolist()
    fewer = record_keys([column[1:3] for column in columns], 2, KEY)
    assert fewer.tolist() == keys[1:3].tolist()
    assert not set(keys) & set(record_keys(columns, 4, b"o" * 32))


def test_whole_numbers_have_one_key_in_every_type():
    whole = record_keys([pa.array([1, 2], pa.int32())], 2, KEY)
    assert whole.tolist() == record_keys([pa.array([1.0, 2.0])], 2, KEY).tolist()


def test_sets_and_dates_have_keys():
    sets = pa.array([["a", "b"], ["b", "a"], None])
    keys = record_keys([sets, pa.array([1, 2, 3], pa.date32())], 3, KEY)
    assert len(set(keys.tolist())) == 3
    assert len(record_keys([], 2, KEY)) == 2


def test_numbers_by_a_key_are_uniform():
    drawn = np.array([uniform(KEY, str(one).encode()) for one in range(5000)])
    expected = 500
    counts = np.histogram(drawn, 10, (0, 1))[0]
    assert ((counts - expected) ** 2 / expected).sum() < 27.9  # the 99.9 % point of chi2(9)
