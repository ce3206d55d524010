from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.hierarchies import build
from tacita.data.hierarchies.dates import Dates
from tacita.data.hierarchies.intervals import Intervals
from tacita.data.hierarchies.outline import without_repeats
from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, InputError

MIXED = {"any": ["none", {"care": ["nurse", {"hospital": ["doctor"]}], "law": ["judge"]}]}


@st.composite
def levelled_trees(draw):
    """Draw a tree of any shape whose few labels may repeat on a path."""
    leaves = draw(st.lists(st.sampled_from("abcdef"), min_size=1, unique=True))
    levels = [leaves]
    for _ in range(draw(st.integers(0, 3))):
        parents = {label: draw(st.sampled_from("abcxyz")) for label in dict.fromkeys(levels[-1])}
        levels.append([parents[label] for label in levels[-1]])
    return Tree(tuple(zip(*levels, ["*"] * len(leaves), strict=True)))


@given(levelled_trees())
def test_a_tree_is_built_again_from_what_it_says(tree):
    assert build(tree.specification()) == tree


@given(levelled_trees())
def test_the_order_of_the_paths_means_nothing(tree):
    other = Tree(tree.paths[::-1])
    assert other == tree
    assert hash(other) == hash(tree)


def test_trees_with_other_paths_differ():
    one = Tree((("a", "x", "*"), ("b", "y", "*")))
    assert one != Tree((("a", "x", "*"), ("b", "x", "*")))
    assert one != Tree((("a", "x", "*"),))
    assert one != one.specification()


def test_a_leaf_that_lies_higher_repeats_itself():
    assert set(Tree.from_nested(MIXED).paths) == {
        ("none", "none", "none", "any"),
        ("nurse", "nurse", "care", "any"),
        ("doctor", "hospital", "care", "any"),
        ("judge", "judge", "law", "any"),
    }


def test_a_repeat_that_covers_another_leaf_or_tells_the_depth_stays():
    shared = [("a", "a", "*"), ("b", "a", "*"), ("c", "x", "*")]
    assert without_repeats(shared) == shared
    alone = [("a", "a", "*"), ("b", "b", "*")]
    assert without_repeats(alone) == alone
    assert without_repeats([*alone, ("c", "x", "*")]) == [("a", "*"), ("b", "*"), ("c", "x", "*")]


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ((), "at least one value below a root"),
        ((("a",),), "at least one value below a root"),
        ((("a", "*"), ("b", "x", "*")), "'b' has 2 generalizations and 'a' has 1"),
        ((("a", "*"), ("a", "*")), "'a' stands twice"),
        ((("a", " ", "*"),), "no blank labels"),
        ((("a", "x"), ("b", "y"), ("c", "z")), "one root; found 'x', 'y', 'z'"),
        ((("a", "m", "p", "*"), ("b", "m", "q", "*")), r"'m' \(level 1\) .* 'p' and 'q'"),
    ],
)
def test_paths_that_make_no_tree_are_refused(paths, message):
    with pytest.raises(HierarchyError, match=message):
        Tree(paths)


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ({"any": {"care": []}}, "'care' of the category tree has no leaves"),
        ({"any": {"care": None}}, "'care' of the category tree has no leaves"),
        ({"any": ["a", None]}, "'any' of the category tree holds a blank"),
        ({"any": ["a", ["b"]]}, "'any' of the category tree holds a list"),
        (["a"], "one root"),
    ],
)
def test_nested_labels_that_make_no_tree_are_refused(nested, message):
    with pytest.raises(HierarchyError, match=message):
        Tree.from_nested(nested)


def test_a_deep_tree_is_built_again():
    deep = Tree((("leaf", *(f"n{depth}" for depth in range(10_000)), "*"),))
    assert build(deep.specification()) == deep


@pytest.mark.parametrize(
    ("hierarchy", "values"),
    [
        (Intervals(widths=[0.5, 5]), pa.array([3.5, None, 3.5, -7.25])),
        (Prefix(3), pa.chunked_array([["941", "9*1"], ["941", None]])),
        (Dates(("month", "year")), [dt.date(1964, 9, 27), dt.date(2024, 2, 29), None]),
        (Tree.from_nested(MIXED), ["judge", "doctor", "none"]),
    ],
    ids=lambda h: type(h).__name__,
)
def test_a_tree_over_values_says_of_them_what_the_hierarchy_says(hierarchy, values):
    tree = Tree.over(hierarchy, values)
    column = pa.array(values).drop_null()
    assert tree.height == hierarchy.height
    for level in range(1, hierarchy.height + 1):
        assert tree.labels(column, level).equals(hierarchy.labels(column, level))


@pytest.mark.parametrize("values", [[1, "a"], 5, [[1], [2]]])
def test_a_tree_lies_over_values_of_one_type(values):
    with pytest.raises(InputError, match="values of one type"):
        Tree.over(Prefix(1), values)
