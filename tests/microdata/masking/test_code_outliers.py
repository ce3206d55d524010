from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError


def coded(values, **how):
    names = [f"x{j}" for j in range(values.shape[1])]
    data = ta.read(pa.table(dict(zip(names, values.T, strict=True))))
    masked = data.apply(ta.CodeOutliers(names, **how))
    return np.column_stack([masked.numbers(name) for name in names])


def distances(values, original):
    """Measure Mahalanobis distances through the inverse of the covariances."""
    inverse = np.linalg.inv(np.atleast_2d(np.cov(original, rowvar=False)))
    away = values - original.mean(axis=0)
    return np.sqrt(np.array([row @ inverse @ row for row in away]))


def some_records(seed, size=200):
    rng = np.random.default_rng(seed)
    mixing = np.array([[3.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, -40.0, 100.0]])
    return rng.standard_t(4, (size, 3)) @ mixing.T + np.array([0.0, 10.0, 1e4])


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.floats(0.5, 4.0))
def test_what_lies_beyond_comes_to_the_edge_in_its_own_direction(seed, limit):
    before = some_records(seed)
    after, away = coded(before, distance=limit), distances(before, before)
    far = away > limit
    assert np.array_equal(after[~far], before[~far])
    assert distances(after[far], before) == pytest.approx(limit, rel=1e-9)
    middle = before.mean(axis=0)
    pulled = middle + (before[far] - middle) * (limit / away[far])[:, None]
    np.testing.assert_allclose(after[far], pulled, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.333])
def test_a_share_moves_as_many_records_as_it_says(share):
    before = some_records(3)
    after = coded(before, share=share)
    moved = (after != before).any(axis=1)
    assert moved.sum() == int(share * len(before))
    assert distances(before[moved], before).min() > distances(before[~moved], before).max()
    kept = distances(before[~moved], before).max()
    assert distances(after[moved], before) == pytest.approx(kept, rel=1e-9)


def test_one_attribute_is_clipped_at_both_ends():
    values = np.array([[-100.0], [1.0], [2.0], [3.0], [4.0], [90.0]])
    middle, spread = values.mean(), values.std(ddof=1)
    wanted = np.clip(values, middle - 1.2 * spread, middle + 1.2 * spread)
    np.testing.assert_allclose(coded(values, distance=1.2), wanted, rtol=1e-12)


def test_records_that_stand_out_together_are_found_though_each_value_is_ordinary():
    line = np.linspace(-1, 1, 101)
    values = np.vstack([np.column_stack([line, line]), [[0.9, -0.9]]])
    after = coded(values, share=0.01)
    assert np.flatnonzero((after != values).any(axis=1)).tolist() == [101]
    assert np.abs(after[101]).max() < 0.9


def test_directions_without_variance_do_not_count():
    rng = np.random.default_rng(4)
    one = rng.normal(0, 1, 100)
    doubled = np.column_stack([one, 2 * one, np.full(100, 7.0)])
    after = coded(doubled, distance=1.5)
    alone = coded(one[:, None], distance=1.5)
    np.testing.assert_allclose(after[:, 0], alone[:, 0], rtol=1e-6)
    np.testing.assert_allclose(after[:, 1], 2 * after[:, 0], rtol=1e-9)
    assert (after[:, 2] == 7).all()
    assert np.array_equal(coded(np.full((5, 2), 3.0), distance=1.0), np.full((5, 2), 3.0))


def test_units_do_not_matter():
    before = some_records(6)
    units = np.array([1e-9, 1.0, 1e9])
    after = coded(before, share=0.05)
    np.testing.assert_allclose(coded(before * units, share=0.05), after * units, rtol=1e-9)


def test_incomplete_records_stay_and_do_not_count():
    before = some_records(8)
    whole = coded(before[1:], distance=2)
    names = ["x0", "x1", "x2"]
    columns = {name: before[:, j].copy() for j, name in enumerate(names)}
    columns["x1"][0], columns["x0"][0] = np.nan, 1e9
    masked = ta.read(pa.table(columns)).apply(ta.CodeOutliers(names, distance=2))
    found = np.column_stack([masked.numbers(name) for name in names])
    np.testing.assert_array_equal(found[1:], whole)
    assert found[0, 0] == 1e9
    assert masked.column("x1").null_count == 1


def test_one_limit_is_needed():
    with pytest.raises(ParameterError, match="one of `distance` and `share`; found none"):
        ta.CodeOutliers(["a"])
    with pytest.raises(ParameterError, match="found both"):
        ta.CodeOutliers(["a"], distance=1, share=0.1)


def test_numbers_too_large_for_a_mean_are_refused():
    with pytest.raises(InputError, match="squares or sums have no double"):
        coded(np.array([[1.7e308], [1.6e308], [0.0]]), distance=1)


def test_whole_numbers_that_would_change_are_refused():
    with pytest.raises(InputError, match="`x0` holds whole numbers beyond 2\\^53"):
        coded(np.array([[2**53 + 1], [0], [5]]), distance=1)
