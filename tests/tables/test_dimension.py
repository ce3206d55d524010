from __future__ import annotations

import numpy as np
import pytest

from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, InputError
from tacita.tables.dimension import Dimension, Sum


def sums(dimension: Dimension) -> list[tuple[str, list[str]]]:
    return [
        (dimension.codes[one.whole], [dimension.codes[part] for part in one.parts])
        for one in dimension.sums
    ]


def test_flat():
    sex = Dimension.flat("sex", ["m", "f", "m"])
    assert sex.codes == ("Total", "m", "f")
    assert sex.sums == (Sum(0, (1, 2)),)
    assert sex.leaves.tolist() == [1, 2]


def test_two_hierarchies_that_do_not_nest_share_leaves_and_the_total():
    region = Dimension.from_nested(
        "region",
        {"Total": {"north": ["a", "b"], "south": ["c", "d"]}},
        {"All": {"urban": ["a", "c"], "rural": ["b", "d"]}},
    )
    assert region.codes == ("Total", "north", "a", "b", "south", "c", "d", "urban", "rural")
    assert sums(region) == [
        ("Total", ["north", "south"]),
        ("north", ["a", "b"]),
        ("south", ["c", "d"]),
        ("Total", ["urban", "rural"]),
        ("urban", ["a", "c"]),
        ("rural", ["b", "d"]),
    ]
    assert [region.codes[leaf] for leaf in region.leaves] == ["a", "b", "c", "d"]


def test_hierarchies_that_share_branches_say_each_sum_once():
    region = Dimension.from_nested(
        "region",
        {"Total": {"north": ["a", "b"], "south": ["c", "d"]}},
        {"Total": {"north": ["a", "b"], "coast": ["c"], "inland": ["d"]}},
    )
    assert [one for one in sums(region) if one[0] == "north"] == [("north", ["a", "b"])]
    assert ("Total", ["north", "coast", "inland"]) in sums(region)


def test_a_leaf_that_lies_higher_than_others_is_one_code():
    job = Dimension.from_trees("job", [Tree.from_nested({"any": ["none", {"care": ["nurse"]}]})])
    assert job.codes == ("any", "none", "care", "nurse")
    assert sums(job) == [("any", ["none", "care"]), ("care", ["nurse"])]
    assert [job.depth(place) for place in range(4)] == [0, 1, 1, 2]


def test_missing_codes_lie_right_below_the_total():
    tree = Tree.from_nested({"Total": {"north": ["a"]}})
    region = Dimension.from_trees("region", [tree], leaves=["a", "99"], missing=["99"])
    assert sums(region) == [("Total", ["north", "99"]), ("north", ["a"])]
    assert region.missing == {"99"}


def test_a_hierarchy_must_cover_the_data():
    tree = Tree.from_nested({"Total": {"north": ["a"]}})
    with pytest.raises(HierarchyError, match=r"`region` does not cover 'x'.*Add these values"):
        Dimension.from_trees("region", [tree], leaves=["a", "x"])


def test_a_code_must_mean_the_same_in_two_hierarchies():
    with pytest.raises(HierarchyError, match=r"'north' of `region` stands for different values"):
        Dimension.from_nested(
            "region",
            {"Total": {"north": ["a", "b"], "south": ["c"]}},
            {"Total": {"north": ["a"], "rest": ["b", "c"]}},
        )


def test_a_code_lies_in_one_place():
    with pytest.raises(HierarchyError, match="lies below 'x' and below 'y'"):
        Dimension.of_trees("region", [[("a", "x", "Total"), ("a", "y", "Total")]])


def test_unknown_codes_are_named_with_the_nearest():
    sex = Dimension.flat("sex", ["male", "female"])
    with pytest.raises(InputError, match=r"`sex` has no code 'femal'. Did you mean `female`"):
        sex.place("femal")


def test_labels():
    sex = Dimension("sex", ("T", "m"), (np.array([-1, 0], np.int32),), {"m": "men"})
    assert [sex.label(0), sex.label(1)] == ["T", "men"]


@pytest.mark.parametrize(
    "paths",
    [
        (("10", "10", "any"), ("9", "10", "any"), ("1", "0", "any")),
        (("any", "any"), ("a", "any")),
    ],
)
def test_a_value_is_not_the_total_of_others(paths):
    with pytest.raises(HierarchyError, match="is a value and the total of values"):
        Dimension.from_trees("age", [Tree(paths)])


def test_the_total_is_not_among_the_values():
    with pytest.raises(HierarchyError, match="'Total' of `sex` is a value and the total"):
        Dimension.flat("sex", ["Total", "f", "m"])


@pytest.mark.parametrize(
    "other", [{"All": {"T": ["a"], "o": ["b"]}}, {"All": {"p": {"T": ["a"]}, "o": {"q": ["b"]}}}]
)
def test_the_total_is_no_part_of_another_hierarchy(other):
    with pytest.raises(HierarchyError, match="'T' is the total of `x` and part of it"):
        Dimension.from_nested("x", {"T": ["a", "b"]}, other)


def test_a_root_that_repeats_itself_is_one_code():
    job = Dimension.from_trees("job", [Tree((("nurse", "care", "any"), ("none", "any", "any")))])
    assert sums(job) == [("any", ["care", "none"]), ("care", ["nurse"])]


def test_the_root_of_a_second_tree_may_be_called_like_a_value():
    area = Dimension.from_nested("x", {"T": ["a", "All"]}, {"All": {"o": ["a"], "p": ["All"]}})
    assert area.codes == ("T", "a", "All", "o", "p")


def test_a_total_alone():
    assert Dimension.flat("x", [], "All").codes == ("All",)
