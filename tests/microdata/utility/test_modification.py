from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta


def frame(**columns):
    return ta.read(pa.table(columns))


def test_counts_records_and_values():
    data = frame(a=[1, 2, 3, None], b=["x", "y", "z", "w"])
    masked = frame(a=[1, 9, None, None], b=["x", "Y ", "q", "w"])
    found = ta.Modification().measure(*ta.pair(data, masked, "position"))
    assert found.value == Fraction(2, 4)
    assert found.figures == {"modified_records": 2, "modified_cells": 3}
    assert found.parts == {"a": 0.5, "b": 0.25}
    assert found.per_record.tolist() == [0, 1, 2, 0]


def test_another_type_is_no_change_and_a_recoding_is_one():
    data = frame(a=[1, 2])
    assert ta.Modification().measure(*ta.pair(data, frame(a=[1.0, 2.0]), "position")).value == 0
    assert ta.Modification().measure(*ta.pair(data, frame(a=["1", "2"]), "position")).value == 0
    assert ta.Modification().measure(
        *ta.pair(data, frame(a=["1", "[2,4)"]), "position")
    ).value == Fraction(1, 2)


def test_sets_are_compared_whatever_their_order():
    data = frame(a=[["x", "y"], ["z"]])
    assert (
        ta.Modification().measure(*ta.pair(data, frame(a=[["y", "x"], ["z"]]), "position")).value
        == 0
    )
    assert ta.Modification().measure(
        *ta.pair(data, frame(a=["x", "z"]), "position")
    ).value == Fraction(1, 2)


def test_an_attribute_left_out_changes_every_record():
    data = frame(a=[1, 2], b=[1, 2])
    assert ta.Modification().measure(data, data.without(["a"])).value == 1


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1))
def test_is_the_share_of_unequal_pairs(pairs):
    before, after = zip(*pairs, strict=True)
    found = ta.Modification().measure(
        *ta.pair(frame(a=list(before)), frame(a=list(after)), "position")
    )
    assert found.value == Fraction(sum(a != b for a, b in pairs), len(pairs))


def test_a_day_is_another_value_than_a_time_of_it():
    times = pa.array([dt.datetime(2020, 1, 1, 10), dt.datetime(2020, 1, 2)], pa.timestamp("us"))
    found = ta.Modification().measure(
        *ta.pair(frame(a=times), frame(a=times.cast(pa.date32(), safe=False)), "position")
    )
    assert found.value == Fraction(1, 2)


def test_categories_that_differ_in_spelling_only_cannot_be_merged_unseen():
    data = frame(a=["a", "A", "01", "1"])
    assert ta.Modification().measure(
        *ta.pair(data, frame(a=["a", "a", "1", "1"]), "position")
    ).value == Fraction(1, 2)
