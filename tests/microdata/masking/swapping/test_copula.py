from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from tacita.microdata.masking.swapping.copula import (
    column_ranks,
    copula_correlations,
    drawn_given,
    normal_scores,
    rank_correlations,
    ranks,
)

VALUES = st.one_of(st.integers(-5, 5).map(float), st.just(np.nan))


@given(arrays(np.float64, st.integers(0, 40), elements=VALUES))
def test_ranks_are_the_middle_ranks(values):
    expected = np.full(len(values), np.nan)
    known = ~np.isnan(values)
    expected[known] = stats.rankdata(values[known])
    np.testing.assert_array_equal(ranks(values), expected)


@given(arrays(np.float64, st.tuples(st.integers(2, 40), st.just(3)), elements=st.integers(-5, 5)))
def test_correlations_are_spearmans(values):
    ranked = column_ranks(values)
    found = rank_correlations(ranked)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        one, other = values[:, i], values[:, j]
        constant = np.ptp(one) == 0 or np.ptp(other) == 0
        expected = 0.0 if constant else stats.spearmanr(one, other).statistic
        assert found[i, j] == found[j, i] == pytest.approx(expected, abs=1e-9)
    assert np.diag(found).tolist() == [1.0] * 3


def test_with_blanks_each_pair_counts_where_both_are_known():
    ranked = np.array([[1, 2], [2, np.nan], [3, 1], [np.nan, 3], [4, np.nan]], float)
    # About the middles 2.5 and 2: (-1.5)(0) + (0.5)(-1) over the root of (2.25 + 0.25)(0 + 1).
    assert rank_correlations(ranked)[0, 1] == pytest.approx(-0.5 / np.sqrt(2.5))


@given(arrays(np.float64, st.tuples(st.integers(2, 30), st.just(4)), elements=VALUES))
def test_copula_correlations_are_those_of_some_variables(values):
    found = copula_correlations(column_ranks(values))
    assert np.linalg.eigvalsh(found).min() > -1e-9
    np.testing.assert_allclose(np.diag(found), 1.0)
    np.testing.assert_allclose(found, found.T)


def test_normal_scores_are_quantiles():
    scores = normal_scores(np.array([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_allclose(scores, stats.norm.ppf([0.125, 0.375, 0.625, 0.875]))


def test_draws_have_the_conditional_moments():
    """Regressed on what is given, draws have its slopes, and its covariance is left over."""
    rng = np.random.default_rng(0)
    n = 40_000
    rho = np.array(
        [[1, 0.3, 0.6, 0.2], [0.3, 1, -0.4, 0.5], [0.6, -0.4, 1, 0.1], [0.2, 0.5, 0.1, 1]]
    )
    values = rng.multivariate_normal(np.zeros(4), rho, n)
    ranked = column_ranks(values)
    drawn = drawn_given(values[:, :2], values[:, 2:], rng)
    scores = np.column_stack([normal_scores(column) for column in ranked[:, 2:].T])
    slopes = np.linalg.lstsq(scores, drawn, rcond=None)[0].T
    expected = rho[:2, 2:] @ np.linalg.inv(rho[2:, 2:])
    np.testing.assert_allclose(slopes, expected, atol=0.02)
    left = np.cov((drawn - scores @ slopes.T).T)
    np.testing.assert_allclose(left, rho[:2, :2] - expected @ rho[2:, :2], atol=0.02)
    noise = np.corrcoef((drawn - scores @ slopes.T)[:, 0], values[:, 0])[0, 1]
    assert abs(noise) < 3 / np.sqrt(n)
