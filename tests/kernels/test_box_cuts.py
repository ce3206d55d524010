from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels import box_cuts
from tacita.kernels.box_cuts import NOWHERE, Rule, arranged, cut_down, cut_once, on_rulers, widths

pytestmark = pytest.mark.numeric

# Two pairs of leaves below a root: nodes 0 and 1 on level 1, node 0 on level 2.
TREE = on_rulers([np.zeros(0)])._replace(
    sizes=np.array([4]),
    heights=np.array([2]),
    above=np.array([0, 0, 1, 1, 0, 0, 0, 0], np.int32),
    costs=np.array([1 / 3, 1 / 3, 1 / 3, 1 / 3, 1, 1, 1, 1]),
)


def boxes_of(codes, rulers, rule, targets=None, threads=1):
    """Return the boxes as sets of rows."""
    rows = arranged(codes, np.arange(len(codes)), targets)
    edges = cut_down(rows, rulers, rule, np.array([0, len(codes)]), threads)
    return {frozenset(rows.ids[a:b].tolist()) for a, b in itertools.pairwise(edges)}


def test_widths_on_a_ruler_in_a_tree_and_beside_blanks():
    ruler = on_rulers([np.array([0.0, 0.25, 1.0])])._replace(blanks=np.array([3]))
    low, high = np.array([0, 1, 0, 3]), np.array([0, 2, 3, 3])
    assert widths(ruler, 0, low, high).tolist() == [0, 0.75, 1, 0]
    low, high = np.array([0, 0, 1, 2]), np.array([0, 1, 2, 3])
    assert widths(TREE, 0, low, high).tolist() == pytest.approx([0, 1 / 3, 1, 1 / 3])


def test_a_tree_is_cut_between_the_children_of_a_node():
    codes = np.array([[0], [0], [0], [1], [2], [3]], np.int32)
    # The middle would be between the first three rows and the rest, within a child.
    assert boxes_of(codes, TREE, Rule(2)) == {frozenset({0, 1, 2, 3}), frozenset({4, 5})}


def test_blanks_are_cut_off_first():
    ruler = on_rulers([np.linspace(0, 1, 4)])._replace(blanks=np.array([4]))
    codes = np.array([[0], [1], [2], [3], [4], [4]], np.int32)
    rows = arranged(codes, np.arange(6))
    assert cut_once(rows, ruler, Rule(2), np.array([[0, 6]]), np.zeros(1, np.int64)).tolist() == [4]


def test_strict_cuts_keep_ties_together_and_relaxed_ones_share_them_out():
    codes = np.array([[0], [1], [1], [1], [1], [2]], np.int32)
    ruler = on_rulers([np.linspace(0, 1, 3)])
    assert len(boxes_of(codes, ruler, Rule(2))) == 1
    assert boxes_of(codes, ruler, Rule(2, shares_ties=True)) == {
        frozenset({0, 1, 2}),
        frozenset({3, 4, 5}),
    }


def test_the_most_telling_column_is_cut():
    codes = np.array([[0, 0], [9, 0], [0, 1], [9, 1]], np.int32)
    rulers = on_rulers([np.linspace(0, 1, 10), np.linspace(0, 0.5, 2)])
    targets = np.array([0, 0, 1, 1], np.int32)
    assert boxes_of(codes, rulers, Rule(2)) == {frozenset({0, 2}), frozenset({1, 3})}
    told = boxes_of(codes, rulers, Rule(2, targets=2), targets)
    assert told == {frozenset({0, 1}), frozenset({2, 3})}


def test_skipped_columns_are_not_cut():
    codes = np.array([[0, 0], [9, 0], [0, 1], [9, 1]], np.int32)
    rulers = on_rulers([np.linspace(0, 1, 10), np.linspace(0, 0.5, 2)])
    rows = arranged(codes, np.arange(4))
    found = [
        cut_once(rows, rulers, Rule(2), np.array([[0, 4]]), np.array([skipped]))[0]
        for skipped in (0, 1, 2)
    ]
    assert found == [2, 2, NOWHERE]


def slow(codes, places, k):
    """Cut strictly at medians with plain sorting."""
    if len(codes) < 2 * k:
        return [codes]
    spans = [
        places[j][codes[:, j].max()] - places[j][codes[:, j].min()] for j in range(len(places))
    ]
    for j in sorted(range(len(places)), key=lambda j: -spans[j]):
        ordered = codes[np.argsort(codes[:, j], kind="stable")]
        cuts = [c for c in range(k, len(codes) - k + 1) if ordered[c - 1, j] < ordered[c, j]]
        if cuts:
            cut = min(cuts, key=lambda c: abs(2 * c - len(codes)))
            return slow(ordered[:cut], places, k) + slow(ordered[cut:], places, k)
    return [codes]


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 6), st.integers(1, 12))
def test_equals_the_slow_way(seed, rows, k, top):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, top, (rows, 3)).astype(np.int32)
    places = [np.sort(rng.random(top)) for _ in range(3)]
    numbered = np.column_stack([codes, np.arange(rows)])
    wanted = {frozenset(box[:, 3].tolist()) for box in slow(numbered, places, k)}
    assert boxes_of(codes, on_rulers(places), Rule(k)) == wanted


def test_threads_do_not_show(monkeypatch):
    monkeypatch.setattr(box_cuts, "GRAIN", 50)
    codes = np.random.default_rng(0).integers(0, 30, (1000, 3)).astype(np.int32)
    rulers = on_rulers([np.linspace(0, 1, 30)] * 3)
    assert boxes_of(codes, rulers, Rule(3), threads=1) == boxes_of(
        codes, rulers, Rule(3), threads=4
    )
