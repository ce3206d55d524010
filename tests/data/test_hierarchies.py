from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.hierarchies import build, generalize
from tacita.data.hierarchies.dates import Dates
from tacita.data.hierarchies.intervals import Intervals
from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError

JOBS = {"any": {"care": ["nurse", "doctor"], "law": ["judge"]}}


def levels_nest(hierarchy, values: pa.Array) -> bool:
    """Tell whether values that agree at a level agree at every level above."""
    for level in range(hierarchy.height):
        fine = generalize(values, hierarchy, level).to_pylist()
        coarse = generalize(values, hierarchy, level + 1).to_pylist()
        above: dict[object, object] = {}
        if any(above.setdefault(a, b) != b for a, b in zip(fine, coarse, strict=True)):
            return False
    return True


@given(
    st.lists(st.integers(-10_000, 10_000), min_size=1),
    st.integers(-50, 50),
    st.sampled_from([(5, 10, 20), (3,), (2, 6, 12, 60)]),
)
def test_intervals_nest_and_end_in_one_root(numbers, start, widths):
    hierarchy = Intervals(widths=widths, start=start)
    values = pa.array(numbers)
    assert levels_nest(hierarchy, values)
    assert set(generalize(values, hierarchy, hierarchy.height).to_pylist()) == {"*"}


@given(st.integers(-1000, 1000))
def test_a_number_lies_in_its_interval_though_decimals_are_not_exact(tenths):
    value = tenths / 10
    (label,) = Intervals(widths=[0.1]).labels(pa.array([value]), 1).to_pylist()
    low, high = (float(bound) for bound in label.strip("[)").split(","))
    assert low <= value < high


@given(st.lists(st.text("0123456789", min_size=5, max_size=5), min_size=1))
def test_prefixes_nest(codes):
    assert levels_nest(Prefix(5), pa.array(codes))


@given(st.lists(st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)), min_size=1))
def test_dates_nest(days):
    hierarchy = Dates(("day", "month", "quarter", "year", "decade"))
    assert levels_nest(hierarchy, pa.array(days))


def test_a_tree_generalizes_and_blanks_stay_blank():
    tree = Tree.from_nested(JOBS)
    assert generalize(pa.array(["judge", None]), tree, 1).to_pylist() == ["law", None]
    assert generalize(pa.array(["judge", None]), tree, 2).to_pylist() == ["any", None]


@pytest.mark.parametrize(
    "hierarchy",
    [Intervals(widths=(5.0, 10.0)), Prefix(3), Dates(("month", "year")), Tree.from_nested(JOBS)],
    ids=lambda h: type(h).__name__,
)
def test_a_hierarchy_is_built_again_from_what_it_says(hierarchy):
    assert build(hierarchy.specification()) == hierarchy


def test_a_file_lists_one_path_a_leaf(tmp_path):
    file = tmp_path / "jobs.csv"
    file.write_text("nurse;care;*\ndoctor;care;*\njudge;law;*\n")
    tree = build({"file": "jobs.csv"}, tmp_path)
    assert tree.labels(pa.array(["doctor"]), 1).to_pylist() == ["care"]


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ({"tree": {"a": ["x"], "b": ["y"]}}, "one root"),
        ({"tree": {"a": {"b": ["x"], "c": ["x"]}}}, "twice"),
        ({"tree": {"a": {"b": {"d": ["x"]}, "c": ["y"]}}}, "equally deep"),
        ({"tree": {}}, "one root"),
        ({"intervals": {"widths": [5, 12]}}, "multiple"),
        ({"intervals": {"widths": [0, 5]}}, "above 0"),
        ({"intervals": {"wide": [5]}}, "wide"),
        ({"prefix": 0}, "1 or more"),
        ({"dates": ["year", "month"]}, "fine to coarse"),
        ({"dates": ["week"]}, "fine to coarse"),
        ({"prefixes": 5}, "Did you mean `prefix`"),
        ({"prefix": 5, "tree": {}}, "one way"),
        ({"file": "nowhere.csv"}, "nowhere.csv"),
    ],
)
def test_what_is_no_hierarchy_is_refused(specification, message):
    with pytest.raises(HierarchyError, match=message):
        build(specification)


def test_a_label_with_two_parents_is_refused(tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text("a;m;p;*\nb;m;q;*\n")
    with pytest.raises(HierarchyError, match=r"'m' \(level 1\) lies below both 'p' and 'q'"):
        build({"file": str(file)})


@pytest.mark.parametrize(
    ("hierarchy", "values", "named"),
    [
        (Tree.from_nested(JOBS), pa.array(["judge", "clown"]), "'clown'"),
        (Prefix(5), pa.array(["9413", "94138"]), "'9413'"),
        (Intervals(widths=[5]), pa.array(["x"]), "'x'"),
        (Dates(("year",)), pa.array(["x"]), "'x'"),
    ],
)
def test_values_that_are_not_covered_are_named(hierarchy, values, named):
    with pytest.raises(HierarchyError, match=f"does not cover {named}"):
        generalize(values, hierarchy, 1)


def test_a_level_beyond_the_root_is_refused():
    with pytest.raises(HierarchyError, match="levels 0 to 5"):
        generalize(pa.array(["94138"]), Prefix(5), 6)
