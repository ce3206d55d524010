from __future__ import annotations

import datetime as dt
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import HierarchyError, ParameterError
from tacita.microdata.anonymize.partitioning.scales import Scale, rulers

JOBS = {"tree": {"any": {"care": ["nurse", "doctor"], "law": ["judge", "clerk"]}}}


def scale_of(values, released="ranges", **said):
    options = {name: {"x": what} for name, what in said.items()}
    data = ta.read(pa.table({"x": values}), roles={"x": "key"}, **options)
    return Scale.of(data, "x", released)


def text_of(scale, low, high):
    """Return what is released of a run between two values."""
    words = [*scale.words.to_pylist(), None]
    ends = sorted((words.index(low), words.index(high)))
    return scale.released(*(np.array([end]) for end in ends))[0].as_py()


def width_of(scale, low, high):
    from tacita.kernels.box_cuts import widths

    words = [*scale.words.to_pylist(), None]
    ends = sorted((words.index(low), words.index(high)))
    return widths(rulers([scale], np.ones(1)), 0, *(np.array([end]) for end in ends))[0]


def test_numbers_are_released_as_ranges():
    scale = scale_of([10, 30, 20, None])
    assert scale.codes.tolist() == [0, 2, 1, 3]
    assert text_of(scale, "10", "20") == "[10;20]"
    assert text_of(scale, "20", "20") == "20"
    assert text_of(scale, None, None) is text_of(scale, "30", None) is None
    assert width_of(scale, "10", "20") == 0.5
    assert width_of(scale, "30", None) == 1


def test_numbers_beside_a_tree_count_its_leaves():
    tree = {"tree": {"all": {"low": ["1", "2", "3"], "high": ["10", "11"]}}}
    scale = scale_of([1, 3, 10], kinds="continuous", hierarchies=tree)
    assert scale.base == 1 / 5
    assert width_of(scale, "1", "3") == 2 / 4
    assert text_of(scale, "1", "3") == "[1;3]"
    labelled = scale_of([1, 3, 10], "hierarchy", kinds="continuous", hierarchies=tree)
    assert text_of(labelled, "1", "3") == "low"


def test_a_tree_whose_labels_are_no_runs_of_numbers_is_kept_to():
    tree = {"tree": {"all": {"odd": ["1", "3"], "even": ["2", "4"]}}}
    scale = scale_of([1, 2, 3, 4], kinds="continuous", hierarchies=tree)
    assert text_of(scale, "1", "3") == "odd"


def test_categories_show_the_lowest_common_node():
    scale = scale_of(["judge", "nurse", "doctor"], hierarchies=JOBS)
    assert text_of(scale, "nurse", "doctor") == "care"
    assert text_of(scale, "judge", "doctor") == "any"
    assert width_of(scale, "nurse", "doctor") == pytest.approx(1 / 3)


def test_a_label_with_two_meanings_is_spelled_out():
    tree = {"tree": {"7": {"7": ["a", "b"], "8": ["c", "d"]}}}
    scale = scale_of(["a", "b", "c"], hierarchies=tree)
    assert text_of(scale, "a", "b") == "{a, b}"
    assert text_of(scale, "a", "c") == "7"


def test_a_label_that_is_a_value_is_spelled_out():
    tree = {"tree": {"any": {"a": ["a", "b"], "c": ["c", "d"]}}}
    assert text_of(scale_of(["a", "b"], hierarchies=tree), "a", "b") == "{a, b}"


def test_few_categories_are_listed_and_many_are_not():
    scale = scale_of(["b", "a", "c", "c"])
    assert scale.words.to_pylist() == ["c", "a", "b"]
    assert text_of(scale, "c", "a") == "{c, a}"
    many = scale_of([f"v{place}" for place in range(31)])
    assert text_of(many, "v0", "v1") == "*"
    commas = scale_of(["a,b", "c", "d"])
    assert text_of(commas, "c", "d") == "*"


def test_ordinal_categories_are_listed_in_their_order():
    scale = scale_of(["low", "high", "mid"], kinds="ordinal", orders=["low", "mid", "high"])
    assert text_of(scale, "low", "high") == "{low, mid, high}"


def test_dates_are_released_as_ranges_of_days():
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 3), dt.date(2020, 1, 5)]
    scale = scale_of(days)
    assert text_of(scale, "2020-01-01", "2020-01-03") == "[2020-01-01;2020-01-03]"
    assert width_of(scale, "2020-01-01", "2020-01-03") == 0.5
    times = scale_of([dt.datetime(2020, 1, 1, 12), dt.datetime(2020, 1, 2, 6)])
    words = times.words.to_pylist()
    assert text_of(times, *words) == "[2020-01-01;2020-01-02]"


def test_whole_numbers_that_doubles_confuse_lie_at_their_rank():
    numbers = [2**53 + step for step in range(4)]
    scale = scale_of(numbers)
    for one, other in pairwise(numbers):
        assert width_of(scale, str(one), str(other)) == pytest.approx(1 / 3)
    assert text_of(scale, str(2**53), str(2**53 + 1)) == "[9007199254740992;9007199254740993]"


def test_values_that_a_hierarchy_lacks_are_named():
    with pytest.raises(HierarchyError, match=r"Attribute `x`.*'pilot'"):
        scale_of(["judge", "pilot"], hierarchies=JOBS)


def test_sets_are_refused():
    with pytest.raises(ParameterError, match="`x` is set-valued"):
        scale_of([["a"], ["a", "b"]], kinds="set_valued")
