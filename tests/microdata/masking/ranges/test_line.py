from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.comparing.coverage import coverage
from tacita.microdata.masking.ranges.line import Line


def line_of(values, **said):
    said = {part: {"x": value} for part, value in said.items()}
    return Line.of(ta.read(pa.table({"x": values}), roles={"x": "key"}, **said), "x")


def test_numbers_lie_at_their_value():
    line = line_of(pa.array([30, 7, None, 30, -2]))
    assert line.at.tolist() == [-2, 7, 30]
    assert line.values.to_pylist() == ["-2", "7", "30"]
    assert line.place.tolist() == [2, 1, -1, 2, 0]
    assert line.counts.tolist() == [1, 1, 2]
    assert line.ends == (-2, 30)


def test_whole_numbers_kept_as_fractions_are_whole_numbers():
    assert line_of(pa.array([3.0, 1.0])).values.to_pylist() == ["1", "3"]
    assert line_of(pa.array([3.5, 1.0])).said is None


def test_codes_of_as_many_digits_are_numbers_and_keep_their_zeros():
    line = line_of(pa.array(["01002", "94138"]))
    assert line.at.tolist() == [1002, 94138]
    assert line.said(np.array([1003])).to_pylist() == ["01003"]


def test_codes_of_different_lengths_are_categories():
    assert line_of(pa.array(["10", "9", "10"])).place.tolist() == [0, 1, 0]


def test_nominal_numbers_are_numbers_unless_their_order_is_another():
    assert line_of(pa.array([3, 1]), kinds="nominal").at.tolist() == [1, 3]
    line = line_of(pa.array([3, 1]), kinds="ordinal", orders=[3, 1])
    assert line.values.to_pylist() == ["3", "1"]
    assert line.at.tolist() == [0, 1]


def test_ordinal_categories_lie_in_their_order():
    line = line_of(pa.array(["high", "low"]), kinds="ordinal", orders=["low", "mid", "high"])
    assert line.place.tolist() == [1, 0]
    assert line.values.to_pylist() == ["low", "high"]


def test_nominal_categories_lie_along_their_tree():
    tree = {"tree": {"all": {"east": ["b"], "west": ["a", "c"]}}}
    line = line_of(pa.array(["a", "b", "c"]), hierarchies=tree)
    assert line.values.to_pylist() == ["b", "a", "c"]


def test_dates_and_times_lie_at_their_day():
    day = dt.datetime(2020, 3, 1)
    line = line_of(pa.array([day, day + dt.timedelta(hours=5), day + dt.timedelta(days=1)]))
    assert line.values.to_pylist() == ["2020-03-01", "2020-03-02"]
    assert line.place.tolist() == [0, 0, 1]
    assert not line.is_exact


def test_ranges_say_both_ends_and_single_values_themselves():
    line = line_of(pa.array([1, 2, 5]))
    assert line.ranges(np.array([0, 1]), np.array([2, 1])).to_pylist() == ["[1;5]", "2"]


def test_a_line_of_blanks_has_no_ends():
    data = ta.read(pa.table({"x": pa.array([None, None], pa.int64()), "y": [1, 2]}))
    line = Line.of(data, "x")
    assert line.ends is None
    assert line.place.tolist() == [-1, -1]


def test_measures_understand_ranges_of_nominal_numbers_as_ranges():
    said = {"roles": {"x": "key"}, "kinds": {"x": "nominal"}}
    tree = {"x": {"tree": {"all": {"rest": [2, 3], "one": [1]}}}}
    data = ta.read(pa.table({"x": [1, 2, 3]}), hierarchies=tree, **said)
    ranges = ta.read(pa.table({"x": ["[1;2]", "[1;2]", "3"]}), **said)
    found = coverage(*ta.pair(data, ranges, "position"), "x")
    assert found.lower[found.of_record].tolist() == [1, 1, 3]
    assert found.upper[found.of_record].tolist() == [2, 2, 3]


def test_measures_understand_a_run_of_categories_with_those_in_between():
    order = ["low", "mid", "high", "top"]
    said = {"roles": {"x": "key"}}
    data = ta.read(pa.table({"x": order}), kinds={"x": "ordinal"}, orders={"x": order}, **said)
    ranges = ta.read(pa.table({"x": ["[low;high]"] * 3 + ["top"]}), **said)
    found = coverage(*ta.pair(data, ranges, "position"), "x")
    assert found.leaves.tolist() == [3, 3, 3, 1]
    assert found.holds.all()


def test_numbers_beyond_those_with_a_sign_are_said_exactly():
    line = line_of(pa.array([2**64 - 1, 5, 2**63], pa.uint64()))
    assert line.values.to_pylist() == ["5", str(2**63), str(2**64 - 1)]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([2**63, 2**63 + 1], pa.uint64()),
        pa.array([Decimal("12345678901234567890.12"), Decimal("12345678901234567891.13")]),
    ],
)
def test_numbers_that_doubles_cannot_tell_apart_have_no_ranges(values):
    with pytest.raises(InputError, match="more digits than doubles"):
        line_of(values)


def test_ranges_of_ranges_are_refused_and_single_ones_stay():
    line = line_of(pa.array(["[0;1]", "[12;13]", "a;b", "c"]))
    assert line.ranges(np.array([0, 2, 3]), np.array([0, 2, 3])).to_pylist() == [
        "[0;1]",
        "a;b",
        "c",
    ]
    with pytest.raises(InputError, match=r"ranges already; found '\[\[0;1\];\[12;13\]\]'"):
        line.ranges(np.array([3, 0]), np.array([3, 1]))
