from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ProtectionError


def read(values):
    return ta.read(pa.table({f"x{j}": column for j, column in enumerate(values.T)}))


def mask(data, seed=0, **options):
    masked = ta.NoiseOutliers(data.names, **options).mask(data, np.random.default_rng(seed))
    return np.column_stack([masked.numbers(name) for name in masked.names]), masked.notes


def with_a_far_cloud(seed=0):
    rng = np.random.default_rng(seed)
    scatter = [[1.0, 0.9], [0.9, 1.0]]
    bulk = rng.multivariate_normal([0, 0], scatter, 400)
    # Far only across the bulk: neither value alone is unusual.
    return np.concatenate([bulk, rng.normal([2, -2], 0.1, (60, 2))])


def test_outliers_by_distance_are_moved_and_all_others_are_what_they_were():
    values = with_a_far_cloud()
    masked, notes = mask(read(values), alpha=0.5)
    moved = (masked != values).any(axis=1)
    assert moved[400:].all()
    assert moved[:400].mean() < 0.06  # a normal bulk has 2.5 % of them
    assert np.array_equal(masked[~moved], values[~moved])
    assert notes["outliers"] == np.count_nonzero(moved)
    assert (masked != values)[moved].all()


def test_ordinary_covariances_would_not_have_found_them():
    values = with_a_far_cloud()
    offsets = values - values.mean(0)
    squared = np.einsum("ij,jk,ik->i", offsets, np.linalg.inv(np.cov(values.T)), offsets)
    assert (squared > 7.378)[400:].mean() < 0.9  # the 97.5 % quantile with two degrees of freedom


def test_of_normal_records_the_share_is_the_one_asked_for():
    n = 1500
    values = np.random.default_rng(1).normal(size=(n, 3)) @ np.triu(np.ones((3, 3)))
    found = mask(read(values), alpha=0.5, share=0.1)[1]["outliers"] / n
    assert found == pytest.approx(0.1, abs=0.03)


def test_the_noise_of_outliers_has_the_covariances_of_all():
    values = np.random.default_rng(1).standard_t(3, size=(1500, 2)) @ np.array([[2, 1], [0, 1.0]])
    masked, notes = mask(read(values), alpha=0.5, share=0.1)
    noise = (masked - values)[(masked != values).any(axis=1)]
    wanted = 0.5 * np.cov(values.T, bias=True)
    sizes = np.outer(np.diag(wanted), np.diag(wanted))
    assert np.all(np.abs(np.cov(noise.T) - wanted) < 3 * np.sqrt((sizes + wanted**2) / len(noise)))
    assert list(notes["variance"].values()) == pytest.approx(np.diag(wanted).tolist(), rel=0.005)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 60), st.floats(0.01, 0.9))
def test_by_quantile_only_the_values_at_the_ends_move(seed, records, share):
    values = np.random.default_rng(seed).integers(0, 30, (records, 2)).astype(float)
    masked, _ = mask(read(values), seed, alpha=1, by="quantile", share=share)
    low, high = np.quantile(values, [share / 2, 1 - share / 2], axis=0)
    outside = (values < low) | (values > high)
    assert np.array_equal(masked != values, outside & (values.var(0) > 0))


def test_blanks_stay_and_do_not_make_an_outlier():
    values = with_a_far_cloud()
    values[:3, 0], values[3] = np.nan, np.nan
    data = read(values)
    for name, column in zip(data.names, values.T, strict=True):
        data = data.with_column(data.attribute(name), pa.array(column, from_pandas=True))
    for by in ("distance", "quantile"):
        masked, _ = mask(data, alpha=0.5, by=by)
        assert np.array_equal(np.isnan(masked), np.isnan(values))
        assert np.array_equal(masked[3], values[3], equal_nan=True)


def test_by_quantile_every_attribute_counts_the_values_it_has():
    columns = {"x": [1.0, 2.0, 9.0, None, None], "y": [None, None, 3.0, 3.5, 80.0]}
    data = ta.read(pa.table(columns))
    masked, notes = mask(data, alpha=1, by="quantile", share=0.5)
    before = np.column_stack([data.numbers("x"), data.numbers("y")])
    assert (masked != before)[~np.isnan(before)].tolist() == [True, False, True, True, False, True]
    assert notes["variance"]["x"] == pytest.approx(np.var([1, 2, 9]), rel=0.005)


def test_constants_are_no_outliers_and_one_record_is_refused():
    values = np.column_stack([np.full(30, 4.0), np.full(30, 2.0)])
    assert np.array_equal(mask(read(values), alpha=1)[0], values)
    with pytest.raises(ProtectionError, match="at least two records"):
        mask(read(values[:1]), alpha=1)


@pytest.mark.parametrize("attributes", [1, 2])
def test_where_most_have_one_value_the_others_are_looked_at_too(attributes):
    """Of an income from capital, say, which two of three do not have."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, attributes))
    values[:200, 0] = 0.0
    values[299, 0] = 50.0
    masked, _ = mask(read(values), alpha=0.5)
    moved = (masked != values).any(axis=1)
    assert moved[299]
    assert np.count_nonzero(moved) < 30


def test_whole_numbers_that_would_change_are_refused():
    with pytest.raises(InputError, match="`x0` holds whole numbers beyond 2\\^53"):
        mask(read(np.array([[2**53 + 1], [0], [5]])), alpha=0.5, by="quantile")
