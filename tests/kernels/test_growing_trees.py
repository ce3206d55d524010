"""Trees against a search through all divisions, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels.growing_trees import LEAF, Limits, Target, grown, leaf_of

pytestmark = pytest.mark.numeric


def impurity(classes, weights, number, is_ordered):
    """The weighted impurity of some records, from its definition."""
    shares = np.bincount(classes, weights, number) / weights.sum()
    if is_ordered:
        shares = np.cumsum(shares)
        return weights.sum() * (shares * (1 - shares)).sum()
    return weights.sum() * (1 - (shares**2).sum())


def best_division(bins, target, leaf):
    """Try every feature and every bin; return what is taken away most, and by which."""
    whole = impurity(*target)
    found = (0.0, LEAF, 0)
    for feature, row in enumerate(bins):
        for edge in np.unique(row)[:-1]:
            left = row <= edge
            if min(left.sum(), (~left).sum()) < leaf:
                continue
            parts = [
                impurity(target.classes[side], target.weights[side], *target[2:])
                for side in (left, ~left)
            ]
            if whole - sum(parts) > found[0] + 1e-9:
                found = (whole - sum(parts), feature, int(edge))
    return found


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.integers(1, 4))
def test_divides_the_root_as_a_search_through_all_divisions_does(seed, is_ordered, leaf):
    rng = np.random.default_rng(seed)
    bins = rng.integers(0, 5, (3, 25)).astype(np.int16)
    target = Target(rng.integers(0, 4, 25), rng.uniform(0.5, 2, 25), 4, is_ordered)
    tree, _ = grown(bins, target, Limits(leaf, 0.0, 0.0))
    gain, feature, edge = best_division(bins, target, leaf)
    if gain > 1e-6:
        assert (tree.feature[0], tree.bin[0]) == (feature, edge)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_leaves_are_large_enough_and_found_again(seed, leaf):
    rng = np.random.default_rng(seed)
    bins = rng.integers(0, 9, (2, 60)).astype(np.int16)
    target = Target(rng.integers(0, 3, 60), np.ones(60), 3, False)
    tree, leaves = grown(bins, target, Limits(leaf, 0.0, 0.0))
    assert np.bincount(leaves)[np.unique(leaves)].min() >= leaf
    assert leaf_of(tree, bins).tolist() == leaves.tolist()
    assert (tree.feature[np.unique(leaves)] == LEAF).all()


def test_of_equal_features_the_first_divides():
    row = np.array([0, 0, 1, 1], np.int16)
    tree, _ = grown(
        np.stack([row, row]),
        Target(row.astype(np.int64), np.ones(4), 2, False),
        Limits(1, 0.0, 0.0),
    )
    assert tree.feature.tolist() == [0, LEAF, LEAF]


@pytest.mark.parametrize(("chance", "divided"), [(0.0, True), (4.0, False)])
def test_what_tells_no_more_than_chance_does_not_divide(chance, divided):
    """Ten records of two classes: the impurity 5 falls by 0.2, and chance takes 5 / 10."""
    classes = np.array([0, 1] * 5)
    bins = np.array([[0, 0, 0, 0, 0, 1, 1, 1, 1, 1]], np.int16)
    tree, _ = grown(bins, Target(classes, np.ones(10), 2, False), Limits(1, 0.0, chance))
    assert bool(tree.feature[0] == 0) is divided


def test_pure_records_are_a_leaf():
    bins = np.arange(8, dtype=np.int16)[None]
    tree, _ = grown(bins, Target(np.zeros(8, np.int64), np.ones(8), 2, False), Limits(1, 0.0, 0.0))
    assert tree.feature.tolist() == [LEAF]
