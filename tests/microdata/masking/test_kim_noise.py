from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ProtectionError


def read(values, **columns):
    frame = {f"x{j}": column for j, column in enumerate(values.T)} | columns
    return ta.read(pa.table(frame), kinds=dict.fromkeys(frame, "continuous"))


def mask(data, seed=0, **options):
    names = [name for name in data.names if name != "weight"]
    masked = ta.KimNoise(names, **options).mask(data, np.random.default_rng(seed))
    return np.column_stack([masked.numbers(name) for name in names])


def mixture(seed, records, attributes):
    rng = np.random.default_rng(seed)
    return rng.lognormal(size=(records, attributes)) @ rng.normal(size=(attributes, attributes))


def same_moments(masked, values, **weights):
    units = np.outer(values.std(0), values.std(0)) + 1e-300
    moved = (np.average(masked, 0, **weights) - np.average(values, 0, **weights)) / values.std(0)
    given = {} if not weights else {"aweights": weights["weights"]}
    off = (np.cov(masked.T, **given) - np.cov(values.T, **given)) / units
    return max(np.abs(moved).max(), np.abs(off).max())


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32), st.integers(12, 60), st.integers(2, 5), st.floats(0.001, 50))
def test_means_and_covariances_are_kept(seed, records, attributes, alpha):
    values = mixture(seed, records, attributes)
    masked = mask(read(values), seed, alpha=alpha)
    assert same_moments(masked, values) < 1e-9
    assert np.all(masked != values)


def test_of_one_attribute_mean_and_variance_are_kept():
    values = mixture(3, 40, 1)
    masked = mask(read(values), alpha=0.5)
    assert masked.mean() == pytest.approx(values.mean(), rel=1e-9)
    assert masked.var() == pytest.approx(values.var(), rel=1e-9)


def test_kims_own_transformation_keeps_them_in_expectation():
    values, alpha = mixture(1, 200, 2), 0.5
    data = read(values)
    runs = [mask(data, seed, alpha=alpha, exact=False) for seed in range(400)]
    for statistic in (lambda x: x.mean(0), lambda x: np.cov(x.T)):
        found = np.array([statistic(run) for run in runs])
        error = found.std(0) / np.sqrt(len(runs))
        assert np.all(np.abs(found.mean(0) - statistic(values)) < 3 * error)
        assert np.all(error > 0)


def test_values_move_as_far_as_alpha_says():
    values, alpha = mixture(2, 20_000, 2), 0.25
    masked = mask(read(values), alpha=alpha)
    for before, after in zip(values.T, masked.T, strict=True):
        assert np.corrcoef(before, after)[0, 1] == pytest.approx(1 / np.sqrt(1 + alpha), abs=0.02)


def test_singular_covariances_and_constants_are_kept():
    x, y = mixture(4, 30, 2).T
    values = np.column_stack([x, y, x - 2 * y, np.full(30, 5.0)])
    masked = mask(read(values), alpha=1)
    assert same_moments(masked[:, :3], values[:, :3]) < 1e-9
    assert np.allclose(masked[:, 0] - 2 * masked[:, 1], masked[:, 2], atol=1e-9)
    assert np.allclose(masked[:, 3], 5.0)


def test_units_do_not_matter():
    values = mixture(5, 50, 3)
    units = np.array([1e-9, 1.0, 1e9])
    assert same_moments(mask(read(values * units), alpha=0.2), values * units) < 1e-9


def test_weighted_moments_are_kept():
    values = mixture(6, 80, 3)
    weights = np.random.default_rng(0).uniform(0.1, 9, 80)
    data = ta.read(
        pa.table({"x0": values[:, 0], "x1": values[:, 1], "x2": values[:, 2], "weight": weights}),
        roles={"weight": "weight"},
    )
    assert same_moments(mask(data, alpha=0.5, weighted=True), values, weights=weights) < 1e-9
    assert same_moments(mask(data, alpha=0.5), values, weights=weights) > 1e-3


def test_moments_are_those_of_records_without_blanks_and_the_others_are_masked_too():
    values = mixture(7, 60, 2)
    values[:5, 0], values[5:9, 1], values[9] = np.nan, np.nan, np.nan
    data = read(np.where(np.isnan(values), 0, values))
    for name, column in zip(["x0", "x1"], values.T, strict=True):
        data = data.with_column(data.attribute(name), pa.array(column, from_pandas=True))
    masked = mask(data, alpha=0.5)
    assert np.array_equal(np.isnan(masked), np.isnan(values))
    assert same_moments(masked[10:], values[10:]) < 1e-9
    known = ~np.isnan(values)
    assert np.all(masked[known] != values[known])


def test_two_records_with_the_same_moments_would_be_the_same_records():
    with pytest.raises(ProtectionError, match="at least 3 records without blanks are needed"):
        mask(read(np.array([[1.0], [2.0]])), alpha=1)


def blank_where(values, blank):
    values = np.where(blank, np.nan, values)
    columns = {f"x{j}": pa.array(column, from_pandas=True) for j, column in enumerate(values.T)}
    return values, ta.read(pa.table(columns), kinds=dict.fromkeys(columns, "continuous"))


def known_moments(values):
    """Return means and variances of the known values, and covariances of every pair's."""
    size = values.shape[1]
    found = np.empty((size + 1, size))
    found[0] = np.nanmean(values, 0)
    for i, j in np.ndindex(size, size):
        both = ~np.isnan(values[:, [i, j]]).any(axis=1)
        found[i + 1, j] = np.cov(values[both, i], values[both, j])[0, 1]
    return found


@pytest.mark.parametrize("method", [ta.KimNoise, ta.Romm])
def test_moments_are_kept_where_blanks_depend_on_values(method):
    values = mixture(8, 4000, 3)
    high = values[:, 0] > np.quantile(values[:, 0], 0.7)
    blank = np.column_stack([np.zeros(4000, bool), high, high & (values[:, 2] < 0)])
    values, data = blank_where(values, blank)
    amount = {"alpha": 0.5} if method is ta.KimNoise else {"strength": 0.6}
    changed = method(data.names, **amount).mask(data, np.random.default_rng(0))
    masked = np.column_stack([changed.numbers(name) for name in changed.names])
    assert changed.notes == {"pooled": 0}
    assert np.allclose(known_moments(masked), known_moments(values), rtol=1e-9)
    assert np.corrcoef(masked[:, 0], values[:, 0])[0, 1] < 0.98


def test_with_many_patterns_means_and_variances_stay_and_covariances_in_expectation():
    rng = np.random.default_rng(2)
    values = mixture(9, 120, 4)
    shares = 0.2 + 0.4 * (values > np.median(values, 0))
    values, data = blank_where(values, rng.random((120, 4)) < shares)
    wanted = known_moments(values)
    units = np.sqrt(np.diag(wanted[1:]))
    masked = mask(data, alpha=0.5)
    assert ta.KimNoise(data.names, alpha=0.5).mask(data, rng).notes["pooled"] > 0
    found = known_moments(masked)
    assert np.allclose(found[0], wanted[0], atol=1e-9 * units.max())
    assert np.allclose(np.diag(found[1:]), np.diag(wanted[1:]), rtol=1e-9)
    runs = np.array([known_moments(mask(data, s, alpha=0.5, exact=False)) for s in range(400)])
    error = runs.std(0) / np.sqrt(len(runs))
    assert np.all(np.abs(runs.mean(0) - wanted) < 6 * error)


def test_no_rare_pattern_goes_unmasked():
    """A record alone in its pattern, and a pattern in which an attribute is constant."""
    values = mixture(10, 300, 2)
    values[:40, 0] = 0.0
    blank = np.zeros((300, 2), bool)
    blank[:40, 1], blank[299, 0] = True, True
    values, data = blank_where(values, blank)
    masked = mask(data, alpha=0.5)
    known = ~np.isnan(values)
    assert np.array_equal(np.isnan(masked), ~known)
    assert np.all(masked[known] != values[known])
    assert np.abs(masked[:40, 0]).std() > 0.1 * np.nanstd(values[:, 0])
