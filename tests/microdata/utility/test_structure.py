from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacita.microdata.utility.structure import factors_of, quantiles, structure, structure_of

SHARES = np.array([0.0, 0.05, 0.25, 0.5, 0.75, 0.9, 1.0])


def slow_quantile(values: list[int], weights: list[int], share: float) -> float:
    """The least value below or at which a share of the weight lies, in whole numbers."""
    for value in sorted(values):
        below = sum(w for v, w in zip(values, weights, strict=True) if v <= value)
        if 100 * below >= round(100 * share) * sum(weights):
            return value
    raise AssertionError("the largest value has all the weight below it")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=40))
def test_quantiles_are_the_least_values_that_reach_their_share(records):
    values, weights = map(list, zip(*records, strict=True))
    x = np.array(values, float)
    weighted = [slow_quantile(values, weights, share) for share in SHARES]
    assert quantiles(x, np.array(weights, float), SHARES).tolist() == weighted
    plain = [slow_quantile(values, [1] * len(values), share) for share in SHARES]
    assert quantiles(x, None, SHARES).tolist() == plain


def test_each_pair_loses_only_its_own_blanks(data):
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, (60, 4)) @ np.triu(np.ones((4, 4)))
    x[::3, 0] = np.nan
    x[::4, 2] = np.nan
    found = structure(data(x), list("abcd"))
    for i in range(4):
        for j in range(4):
            whole = ~np.isnan(x[:, i] + x[:, j])
            pair = np.cov(x[whole, i], x[whole, j])
            assert found.covariance[i, j] == pytest.approx(pair[0, 1])
            r = pair[0, 1] / np.sqrt(pair[0, 0] * pair[1, 1])
            assert found.correlation[i, j] == pytest.approx(r)


def test_factors_of_nothing_explain_nothing():
    factors = factors_of(np.full((3, 3), np.nan))
    assert not factors.shares.any()
    assert not factors.loadings.any()
    assert not factors.coefficients.any()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 0.5, 0.9]), st.booleans())
@example(seed=100653, blank=0.5, weighted=False)  # all records of a pair are at the mean
def test_pairs_with_blanks_are_as_they_are_one_by_one(seed, blank, weighted):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(0, 30)), int(rng.integers(1, 6))
    x = np.round(rng.normal(0, 2, (p, n))) * 10.0 ** rng.integers(-3, 4, (p, 1)) + 1e4
    x[rng.random((p, n)) < blank] = np.nan
    x[0] = np.where(rng.random(n) < blank, np.nan, 3.3)
    weights = rng.uniform(0.1, 5, n) if weighted else None
    found = structure_of(list(x), weights)
    for i in range(p):
        for j in range(p):
            covariance, correlation = slow_pair(x[i], x[j], weights)
            size = np.sqrt(np.nanvar(x[i]) * np.nanvar(x[j])) if not np.isnan(covariance) else 1
            assert found.covariance[i, j] == pytest.approx(
                covariance, abs=1e-10 * size, nan_ok=True
            )
            assert found.correlation[i, j] == pytest.approx(correlation, abs=1e-10, nan_ok=True)


def slow_pair(x, y, weights):
    """Covariance and correlation over the records in which neither is blank."""
    whole = ~np.isnan(x + y)
    x, y, n = x[whole], y[whole], int(whole.sum())
    if n <= 1:
        return np.nan, np.nan
    w = np.ones(n) if weights is None else weights[whole] * n / weights[whole].sum()
    x, y = (one - (w * one).sum() / n if np.ptp(one) else 0 * one for one in (x, y))
    xy, xx, yy = ((w * one * other).sum() / (n - 1) for one, other in ((x, y), (x, x), (y, y)))
    return xy, xy / np.sqrt(xx * yy) if xx * yy else np.nan


def test_records_of_a_pair_may_be_much_more_alike_than_all():
    """Far from the mean of all records, differences of sums lose their digits."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(0, 1, (2, 40))
    x[20:] += 1e9
    y[:20] = np.nan
    found = structure_of([x, y], None)
    assert found.correlation[0, 1] == pytest.approx(np.corrcoef(x[20:], y[20:])[0, 1], abs=1e-12)


def test_pairs_without_blanks_do_not_notice_others():
    rng = np.random.default_rng(0)
    x = list(rng.normal(0, 1, (3, 50)))
    whole = structure_of(x[:2], None)
    x[2][::3] = np.nan
    assert np.array_equal(structure_of(x, None).covariance[:2, :2], whole.covariance)
