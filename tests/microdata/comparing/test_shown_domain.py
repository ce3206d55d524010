from __future__ import annotations

from datetime import date

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.hierarchies.tree import Tree
from tacita.microdata.comparing.coverage import coverage
from tacita.microdata.comparing.shown_domain import shown_domain


def runs(values, **said):
    """Return the runs that each value stands for."""
    data = ta.read(pa.table({"a": pa.array(values, pa.string())}), kinds={"a": "nominal"}, **said)
    found = coverage(shown_domain(data, ["a"]), data, "a")
    places = [np.flatnonzero(found.value == value) for value in found.of_record]
    return [[(found.start[p], found.stop[p]) for p in place] for place in places]


def overlap(values, **said):
    """Tell which values may stand for the same thing."""
    shown = runs(values, **said)
    return [
        [any(a < d and c < b for a, b in one for c, d in other) for other in shown] for one in shown
    ]


def test_whole_numbers_and_their_ranges():
    # What has no end reaches beyond all that is shown, by one number.
    assert runs(["26", "[24-28]", "[20,24)", "30+", None]) == [
        [(26, 27)],
        [(24, 29)],
        [(20, 24)],
        [(30, 32)],
        [(19, 32)],
    ]


def test_ends_that_are_no_whole_numbers_show_that_there_are_others():
    (one,), (other,) = runs(["[1.5;2.5]", "[2;3]"])
    assert one[0] == 1.5
    assert 2.5 < one[1] < 2.6
    assert other[0] == 2


def test_masked_codes():
    assert overlap(["937**", "93712", "94***", "*****"]) == [
        [True, True, False, True],
        [True, True, False, True],
        [False, False, True, True],
        [True, True, True, True],
    ]


def test_codes_of_different_lengths_are_no_numbers():
    assert overlap(["07", "7"]) == [[True, False], [False, True]]
    assert overlap(["07", "0*"]) == [[True, True], [True, True]]


def test_numbers_that_doubles_do_not_tell_apart_are_categories():
    assert overlap(["9007199254740992", "9007199254740993"]) == [[True, False], [False, True]]


def test_days_and_units_of_the_calendar():
    assert overlap(["1964-05", "1964-05-31", "1964-Q2", "1965", None]) == [
        [True, True, True, False, True],
        [True, True, True, False, True],
        [True, True, True, False, True],
        [False, False, False, True, True],
        [True, True, True, True, True],
    ]


def test_lists_name_their_categories_and_labels_only_themselves():
    assert overlap(["{nurse, judge}", "judge", "care", "[a;c]", "b", None]) == [
        [True, True, False, False, False, True],
        [True, True, False, False, False, True],
        [False, False, True, False, False, True],
        [False, False, False, True, False, True],
        [False, False, False, False, True, True],
        [True] * 6,
    ]


def test_a_hierarchy_explains_its_labels():
    tree = Tree.from_nested({"any": {"care": ["nurse", "doctor"], "law": ["judge"]}})
    data = ta.read(pa.table({"a": ["nurse", "doctor", "judge"]}), hierarchies={"a": tree})
    column = pa.array(["care", "nurse", "any"])
    data = data.with_column(data.attribute("a"), column)
    found = coverage(shown_domain(data, ["a"]), data, "a")
    assert found.leaves.tolist() == [2, 1, 3]


def test_a_list_of_unknown_things_does_not_stand_for_everything():
    tree = Tree.from_nested({"any": {"care": ["nurse", "doctor"], "law": ["judge"]}})
    data = ta.read(pa.table({"a": ["nurse", "doctor", "judge"]}), hierarchies={"a": tree})
    column = pa.array(["{nurse, poet}", "{care, judge}", "judge"])
    data = data.with_column(data.attribute("a"), column)
    found = coverage(shown_domain(data, ["a"]), data, "a")
    assert found.leaves.tolist() == [1, 3, 1]
    assert overlap(["{a, }", "a", "{b}"]) == np.eye(3, dtype=bool).tolist()


@pytest.mark.parametrize("values", [["*", "**"], [" ", "x"], ["{a}", "{ }"], ["x"], ["1"]])
def test_odd_values_are_survived(values):
    assert len(runs(values)) == len(values)


def test_other_types_explain_themselves(toy):
    shown = shown_domain(toy, toy.keys)
    for name in ("age", "born", "education"):
        assert shown.column(name).equals(toy.column(name))
        there = np.asarray(toy.column(name).is_valid())
        assert (coverage(shown, toy, name).leaves[there] == 1).all()


def test_blanks_reach_beyond_what_is_shown():
    days = pa.array([date(2000, 1, 1), None])
    columns = {"n": pa.array([3, None]), "d": days, "b": pa.array([True, None])}
    data = ta.read(pa.table(columns))
    for name in columns:
        found = coverage(shown_domain(data, [name]), data, name)
        assert found.leaves[0] == 1
        assert found.leaves[1] > 1


def test_an_order_says_all_categories():
    data = ta.read(
        pa.table({"a": pa.array(["low", None])}),
        kinds={"a": "ordinal"},
        orders={"a": ["low", "middle", "high"]},
    )
    assert coverage(shown_domain(data, ["a"]), data, "a").leaves.tolist() == [1, 3]
