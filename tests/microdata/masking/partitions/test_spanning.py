from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacita.kernels.mdav import Lattice
from tacita.microdata.masking.partitions.improving import squares_within
from tacita.microdata.masking.partitions.spanning import (
    laid_out,
    minimum_spanning_tree,
    mu_approx,
)

pytestmark = pytest.mark.numeric

ALGORITHMS = [minimum_spanning_tree, mu_approx]
small = arrays(
    np.int64, st.tuples(st.integers(4, 8), st.integers(1, 3)), elements=st.integers(-9, 9)
)


def least_squares(points: np.ndarray, k: int) -> Fraction:
    """Try every partition into groups of k and more, exactly."""

    def of(group):
        rows = points[list(group)].astype(object)
        total = rows.sum(axis=0)
        return Fraction(int((rows**2).sum())) - Fraction(int((total**2).sum()), len(rows))

    def best(left):
        if not left:
            return Fraction(0)
        first, others = left[0], left[1:]
        found = [
            of((first, *some)) + best(tuple(sorted(set(others) - set(some))))
            for size in range(k - 1, len(others) + 1)
            if len(others) - size == 0 or len(others) - size >= k
            for some in combinations(others, size)
        ]
        return min(found)

    return best(tuple(range(len(points))))


@given(small, st.sampled_from(ALGORITHMS), st.integers(2, 4))
def test_squares_are_within_the_bound_of_the_optimum(points, algorithm, k):
    found = squares_within(points.astype(float), algorithm(points.astype(float), k))
    least = least_squares(points, k)
    assert found >= least - Fraction(1, 10**9)
    if algorithm is mu_approx:
        assert found <= Fraction(9, 2) * k * (k - 1) ** 2 * least + Fraction(1, 10**9)


@given(
    arrays(np.float64, st.tuples(st.integers(2, 90), st.integers(1, 3)), elements=st.floats(-9, 9)),
    st.sampled_from(ALGORITHMS),
    st.integers(2, 7),
)
def test_groups_have_k_to_2k_less_one_records(points, algorithm, k):
    if len(points) < k:
        points = np.repeat(points, k, axis=0)
    labels = algorithm(points, k)
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() < 2 * k


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_equal_records_are_grouped_together(algorithm, k):
    points = np.repeat(np.arange(6.0), 4 * k)[:, None]
    assert squares_within(points, algorithm(points, k)) == 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_clusters_that_lie_apart_are_found(algorithm):
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [50, 0], [0, 50], [50, 50]])
    true = np.repeat(np.arange(4), 3)
    labels = algorithm(centres[true] + rng.normal(size=(12, 2)), 3)
    assert len(set(zip(labels.tolist(), true.tolist(), strict=True))) == 4


def test_a_long_chain_and_a_star_are_taken_apart():
    chain = np.cumsum(np.arange(1.0, 400.0))[:, None]  # everybody's nearest is the one before
    star = np.vstack([np.zeros((1, 30)), np.eye(30)])  # everybody's nearest is the middle
    for points in (chain, star):
        sizes = np.bincount(mu_approx(points, 4))
        assert sizes.min() >= 4
        assert sizes.max() <= 7


def test_points_are_laid_out_as_their_weights_say():
    points = laid_out(Lattice(np.array([[3, 0], [0, 5]]), (1, 4)))
    np.testing.assert_array_equal(points, [[1.5, 0], [0, 5]])
