from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.microdata.comparing.coverage import coverage


def covered(original, released, kind="continuous", hierarchy=None):
    """Return what one column may stand for, record by record, as start, stop pairs."""
    data = ta.read(
        pa.table({"x": original}),
        roles={"x": "key"},
        kinds={"x": kind},
        hierarchies={"x": hierarchy} if hierarchy else {},
    )
    masked = ta.read(pa.table({"x": released}), roles={"x": "key"}, kinds={"x": "nominal"})
    found = coverage(*ta.pair(data, masked, "position"), "x")
    whose, runs = found.runs_of(np.arange(len(masked)))
    pairs = list(zip(found.start[runs], found.stop[runs], strict=True))
    return found, [
        [p for w, p in zip(whose, pairs, strict=True) if w == n] for n in range(len(masked))
    ]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("26", (26, 27)),
        ("[20,30)", (20, 30)),
        ("(20,30]", (21, 31)),
        ("[20-30]", (20, 31)),
        ("[20;30]", (20, 31)),
        ("20-30", (20, 31)),
        ("20 to 30", (20, 31)),
        ("[19.5,30.5)", (20, 31)),
        ("<20", (0, 20)),
        ("<=20", (0, 21)),
        (">=85", (85, 91)),
        (">85", (86, 91)),
        ("85+", (85, 91)),
        ("[80-85+]", (80, 91)),
        ("2*", (20, 30)),
        ("*", (0, 91)),
        (None, (0, 91)),
    ],
)
def test_intervals_of_whole_numbers(word, expected):
    original = [0, 90, 26]
    found, runs = covered(original, pa.array(["0", "90", word], pa.string()))
    assert runs[2] == [expected]
    assert found.is_number
    assert found.size == 3


def test_an_interval_of_any_numbers_leaves_its_open_end_out():
    found, runs = covered([0.5, 30.0, 20.0], ["0.5", "30", "[20,30)"])
    assert runs[2] == [(20.0, 30.0)]
    assert runs[1] == [(30.0, np.nextafter(30.0, np.inf))]
    assert found.upper[found.of_record[2]] == 30
    assert found.leaves.tolist() == [1, 1, 1]


def test_masked_codes_are_ranges_of_codes():
    found, runs = covered(["93701", "93722", "94100"], ["937**", "93722", "94100"], "nominal")
    assert runs[0] == [(93700, 93800)]
    assert found.leaves.tolist() == [2, 1, 1]
    letters, runs = covered(["AB1", "AB2", "AC1"], ["AB*", "AB2", "AC1"], "nominal")
    assert runs[0] == [(0, 2)]
    assert not letters.is_number


@pytest.mark.parametrize(
    ("word", "first", "last"),
    [
        ("1964-09", "1964-09-01", "1964-09-30"),
        ("1964-Q3", "1964-07-01", "1964-09-30"),
        ("1964", "1964-01-01", "1964-12-31"),
        ("1960s", "1960-01-01", "1969-12-31"),
        ("[1964-02-01, 1964-03-01]", "1964-02-01", "1964-03-01"),
        ("*", "1900-01-01", "2000-12-31"),
    ],
)
def test_calendar_units(word, first, last):
    days = [dt.date(1900, 1, 1), dt.date(2000, 12, 31), dt.date(1964, 9, 27)]
    found, _ = covered(days, ["1900-01-01", "2000-12-31", word], "date")
    epoch = dt.date(1970, 1, 1)
    expected = [(dt.date.fromisoformat(day) - epoch).days for day in (first, last)]
    place = found.of_record[2]
    assert [found.lower[place], found.upper[place]] == expected


def test_labels_of_a_tree_cover_their_leaves():
    tree = {"tree": {"any": {"z": ["a", "d"], "y": ["b", "c"]}}}
    found, runs = covered(["a", "b"], ["z", "any"], "nominal", tree)
    assert found.size == 4
    assert runs == [[(2, 4)], [(0, 4)]]
    assert found.leaves.tolist() == [2, 4]
    assert found.counts.tolist() == [1, 0, 1, 0]


def test_a_tree_of_numbers_counts_its_leaves():
    tree = {"tree": {"*": {"1-2": ["1", "2"], "3-4": ["3", "4"]}}}
    found, runs = covered([1, 3], ["1-2", "*"], "continuous", tree)
    assert found.size == 4
    assert found.leaves.tolist() == [2, 4]
    assert runs == [[(1, 3)], [(1, 5)]]


def test_lists_and_labels_nobody_explains():
    words = ["a", "b", "c", "d"]
    _, runs = covered(words, ["{a, c}", "{a, c}", "[a; c]", "d"], "nominal")
    assert runs[0] == runs[2] == [(0, 1), (2, 3)]
    _, runs = covered(words, ["hf", "hf", "c", "hf"], "nominal")
    assert runs[0] == [(0, 2), (3, 4)]
    found, runs = covered([1, 5, 9], ["low", "low", "9"])
    assert runs[0] == [(1, 6)]
    assert found.leaves.tolist() == [2, 2, 1]


@pytest.mark.parametrize("name", ["age", "zip", "education", "region", "born", "disease"])
@pytest.mark.parametrize("level", [1, 2])
def test_every_generalization_holds_its_original_value(toy, name, level):
    """And it stands for as many leaves as the hierarchy says, counted one by one."""
    masked = toy.apply(ta.Generalize(name, level))
    found = coverage(toy, masked, name)
    before, after = toy.column(name).to_pylist(), masked.column(name).to_pylist()
    for place, label in enumerate(after):
        if label is None:
            assert found.leaves[place] == found.size
            continue
        leaves = {b for b, a in zip(before, after, strict=True) if a == label}
        assert found.leaves[place] == len(leaves)
        assert found.frequency[place] == after.count(label)
        assert found.holds[place]


@given(st.lists(st.floats(-50, 50), min_size=1), st.floats(0.1, 30))
def test_exact_numbers_cover_themselves_and_intervals_what_lies_in_them(numbers, width):
    lows = np.floor(np.array(numbers)).tolist()
    words = [f"[{low:.0f},{low + width!r})" for low in lows]
    found, _ = covered(numbers, words)
    expected = [max(1, len({x for x in numbers if low <= x < low + width})) for low in lows]
    assert found.leaves.tolist() == expected
    exact, _ = covered(numbers, numbers)
    assert (exact.leaves == 1).all()
    assert exact.holds.all()


def test_records_left_out_leave_the_domain_as_it_was(toy):
    found = coverage(toy, toy.take(np.array([5, 3])), "age")
    assert found.own.tolist() == [toy.column("age")[5].as_py(), toy.column("age")[3].as_py()]
    assert found.size == len(toy.column("age").unique())


def test_a_day_stands_for_its_hours():
    """Leaving out the time of day loses it, in whatever type the day is released."""
    times = [dt.datetime(2020, 1, 1, 10), dt.datetime(2020, 1, 1, 12), dt.datetime(2020, 1, 5, 9)]
    data = ta.read(pa.table({"x": times}), roles={"x": "key"})
    days = pa.array(times).cast(pa.date32(), safe=False)
    for released in (days, days.cast(pa.string())):
        found = coverage(*ta.pair(data, ta.read(pa.table({"x": released})), "position"), "x")
        assert found.leaves.tolist() == [2, 2, 1]
        assert (found.upper - found.lower > 0).any()
    midnights = days.cast(pa.timestamp("us"))
    found = coverage(
        *ta.pair(ta.read(pa.table({"x": midnights})), ta.read(pa.table({"x": days})), "position"),
        "x",
    )
    assert (found.upper == found.lower).all(), "data without times lose nothing"


def test_stars_stand_for_every_value():
    assert covered(["12345", "99999", "ab"], ["*****", "99999", "ab"], "nominal")[0].leaves[0] == 3
    assert covered([10, 20, 30], ["**", "20", "30"])[0].leaves[0] == 3


def test_masked_codes_of_many_digits_do_not_matter():
    found, _ = covered([1.0, 2.0], ["9" * 400 + "*", "2"])
    assert found.leaves.tolist() == [1, 1]
