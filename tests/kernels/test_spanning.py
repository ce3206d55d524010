from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from tacita.kernels.spanning import pruned, spanning_tree

pytestmark = pytest.mark.numeric

clouds = arrays(
    np.float64, st.tuples(st.integers(1, 25), st.integers(1, 3)), elements=st.integers(-9, 9)
)


def pieces_of(parents, cut):
    """Number the pieces that are left of a tree, by following every record upwards."""

    def top(place):
        while parents[place] >= 0 and place not in cut:
            place = parents[place]
        return place

    return [top(place) for place in range(len(parents))]


@pytest.mark.parametrize("seed", range(5))
def test_no_tree_is_shorter(seed):
    points = np.random.default_rng(seed).normal(size=(60, 3))
    lengths = np.sqrt(spanning_tree(points)[1])
    expected = minimum_spanning_tree(squareform(pdist(points))).sum()
    assert lengths.sum() == pytest.approx(expected, rel=1e-12)


@given(clouds)
def test_it_is_a_tree_in_the_order_told(points):
    parents, squares, order = spanning_tree(points)
    assert sorted(order.tolist()) == list(range(len(points)))
    place = np.argsort(order)
    assert parents[0] == -1
    assert squares[0] == 0
    for child in range(1, len(points)):
        assert place[parents[child]] < place[child]
        assert squares[child] == np.square(points[child] - points[parents[child]]).sum()


@given(clouds, st.integers(1, 5))
def test_the_longest_edges_are_cut_where_both_pieces_are_large_enough(points, k):
    tree = spanning_tree(points)
    parents, squares, _ = tree
    cut: set[int] = set()
    for child in sorted(range(1, len(points)), key=lambda child: (-squares[child], child)):
        tops = pieces_of(parents, cut | {child})
        if min(tops.count(child), tops.count(pieces_of(parents, cut)[child])) >= k:
            cut.add(child)
    labels, expected = pruned(*tree, k), pieces_of(parents, cut)
    np.testing.assert_array_equal(
        labels[:, None] == labels, np.array(expected)[:, None] == np.array(expected)
    )
