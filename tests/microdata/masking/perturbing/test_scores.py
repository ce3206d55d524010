from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, norm

from tacita.microdata.masking.perturbing.scores import normal_scores


def scores_of(*columns, seed=0):
    return normal_scores(np.column_stack(columns).astype(float), np.random.default_rng(seed))


def test_scores_of_different_values_are_those_of_their_ranks():
    found = scores_of([30, 10, np.nan, 20], seed=1)[:, 0]
    assert np.allclose(found, norm.ppf([5 / 6, 1 / 6, np.nan, 1 / 2]), equal_nan=True)


def test_many_blanks_do_not_make_ties():
    values = np.full(20, np.nan)
    values[[3, 8, 11]] = 5, 1, 3
    found = scores_of(values)[[3, 8, 11], 0]
    assert np.allclose(found, norm.ppf([5 / 6, 1 / 6, 1 / 2]))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=3, max_size=40),
    st.integers(0, 2**32),
)
def test_scores_ascend_with_the_values_and_lie_in_the_interval_of_their_ranks(rows, seed):
    values = np.array(rows)
    found = scores_of(*values.T, seed=seed)
    assert np.isfinite(found).all()
    for column, scores in zip(values.T, found.T, strict=True):
        below = (column[:, None] > column).mean(1)
        up_to = (column[:, None] >= column).mean(1)
        assert np.all(scores >= norm.ppf(below) - 1e-9)
        assert np.all(scores <= norm.ppf(up_to) + 1e-9)


def test_scores_of_ties_are_normal_and_as_correlated_as_what_lies_behind():
    n = 20_000
    rng = np.random.default_rng(3)
    x, y = rng.multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], n).T
    found = scores_of(np.digitize(x, [-0.5, 0.8]), y > 0.3)
    for column in found.T:
        assert kstest(column, norm.cdf).statistic < 0.03
    # Of the two cut attributes the correlation is 0.52, and random scores have 0.33.
    assert abs(np.corrcoef(found.T)[0, 1] - 0.7) < 0.03


def test_attributes_that_say_the_same_get_the_same_scores():
    x = np.random.default_rng(0).integers(0, 3, 300)
    found = scores_of(x, x, np.zeros(300))
    assert np.corrcoef(found[:, 0], found[:, 1])[0, 1] > 0.99
