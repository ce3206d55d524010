from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.attribute import Kind
from tacita.microdata.comparing.representation import (
    alike,
    common_codes,
    mostly_recoded,
    recoded,
    spelled,
)

DAY = dt.date(1964, 9, 27)
NOON = dt.datetime(1964, 9, 27, 12)
MIDNIGHT = dt.datetime(1964, 9, 27)


@pytest.mark.parametrize(
    ("known", "released"),
    [
        pytest.param(7, "7", id="number as text"),
        pytest.param(7, " 007 ", id="leading zeros"),
        pytest.param("01001", 1001, id="postal code read as a number"),
        pytest.param("01001", "1001", id="postal code that lost its zero"),
        pytest.param(7, "7.00", id="decimals of text"),
        pytest.param(7.5, "+7.50", id="sign of text"),
        pytest.param(1200.0, "1.2e3", id="exponent"),
        pytest.param(0.5, ".5", id="no zero before the point"),
        pytest.param(7, 7.0, id="whole number and double"),
        pytest.param(Decimal("7.00"), 7, id="decimal"),
        pytest.param(Decimal("7.50"), "7.5", id="decimal and text"),
        pytest.param(-7.0, "-07", id="zeros after a sign"),
        pytest.param(1e10, "10000000000", id="whole double as text"),
        pytest.param(2**53 + 1, str(2**53 + 1), id="long number as text"),
        pytest.param(True, "Yes", id="yes"),
        pytest.param(False, "F", id="no"),
        pytest.param(True, 1, id="yes as a number"),
        pytest.param(True, 1.0, id="yes as a double"),
        pytest.param("Ana  María", "ANA MARIA", id="capitals, spaces, accents"),
        pytest.param("Ångström", "A\u030angstro\u0308m", id="composed and not"),
        pytest.param("Nº 5", "No 5", id="compatible characters"),
        pytest.param("\u0386\u039d", "\u03b1\u03bd", id="Greek"),
        pytest.param(DAY, "1964-09-27", id="date as text"),
        pytest.param(DAY, "1964/9/27", id="date as text in another spelling"),
        pytest.param(DAY, "1964-09-27T00:00:00", id="date as text with a time"),
        pytest.param(MIDNIGHT, "1964-09-27", id="moment as text"),
        pytest.param(NOON, "1964-09-27 12:00:00.000000", id="moment with its time"),
        pytest.param(NOON, DAY, id="by the day unless both tell the time"),
        pytest.param(["b", "a"], ["a", "b"], id="sets"),
    ],
)
def test_one_value_in_two_representations_is_one_value(known, released):
    for one, other in ((known, released), (released, known)):
        ours, theirs = common_codes(pa.array([one, None]), pa.array([other, None]))
        assert ours.tolist() == theirs.tolist() == [0, -1]


@pytest.mark.parametrize(
    ("known", "released"),
    [
        (7, "70"),
        (7, "7.1"),
        ("a07", "a7"),
        ("0", "00x"),
        (2**53 + 1, str(2**53)),
        (DAY, "27/09/1964x"),
        (DAY, "1964-09-28"),
        (True, "no"),
        (NOON, "1964-09-27"),
        ("Ana", "Anna"),
        (["a"], "b"),
        (["a"], 1),
    ],
)
def test_other_values_stay_apart(known, released):
    for one, other in ((known, released), (released, known)):
        ours, theirs = common_codes(pa.array([one]), pa.array([other]))
        assert ours[0] != theirs[0]


def test_moments_are_told_apart_by_their_time_where_both_tell_it():
    exact = pa.array([NOON], pa.timestamp("ms"))
    ours, theirs = common_codes(exact, pa.array([MIDNIGHT], pa.timestamp("us")))
    assert ours[0] != theirs[0]
    ours, theirs = common_codes(exact, pa.array([NOON], pa.timestamp("ns")))
    assert ours[0] == theirs[0]


@pytest.mark.parametrize("other", [[1, 2], ["a", "b"], [["a"], ["b"]], [DAY, DAY], [True, False]])
def test_a_column_without_values_can_be_compared_with_any(other):
    ours, theirs = common_codes(pa.nulls(2), pa.array(other))
    assert ours.tolist() == [-1, -1]
    assert (theirs >= 0).all()


@given(st.lists(st.text() | st.none()))
def test_spelling_twice_changes_nothing(words):
    once = spelled(pa.array(words, pa.string()))
    assert spelled(once).to_pylist() == once.to_pylist()
    assert once.null_count == sum(word is None for word in words)


@given(st.lists(st.integers(-(2**40), 2**40)))
def test_numbers_as_text_are_the_same_numbers(numbers):
    ours, theirs = common_codes(
        pa.array(numbers, pa.int64()), pa.array(map(str, numbers), "string")
    )
    assert ours.tolist() == theirs.tolist()


def test_alike_keeps_the_records_in_place():
    one, other = alike(pa.array([3, None, 1]), pa.array(["1", None, "3"]))
    assert one.to_pylist() == ["3", None, "1"]
    assert other.to_pylist() == ["1", None, "3"]


def coded(known, released, kind=Kind.NOMINAL, own=None):
    rows = np.arange(len(released)) if own is None else np.array(own)
    return recoded(pa.array(known), rows, pa.array(released), kind).to_pylist()


def test_intervals_rounding_and_top_codes_show():
    assert coded([1, 4, 11], ["0-9", "0-9", "10-19"], Kind.CONTINUOUS) == ["0-9", "0-9", "10-19"]
    assert coded([12, 14, 33], [10, 10, 30], Kind.CONTINUOUS) == [10, 10, 30]
    assert coded([12, 94, 99], [12, 90, 90], Kind.CONTINUOUS) == [12, 90, 90]
    days = [dt.date(1964, 1, 1), dt.date(1964, 5, 1), dt.date(1965, 1, 1)]
    assert coded(days, ["1964", "1964", "1965"], Kind.DATE) == ["1964", "1964", "1965"]


def test_noise_and_swapping_do_not():
    assert coded([1.0, 2.0, 3.0], [1.1, 1.9, 3.2], Kind.CONTINUOUS) == [1.0, 2.0, 3.0]
    assert coded([1.0, 2.0, 3.0], [2, 1, 2], Kind.CONTINUOUS) == [1.0, 2.0, 3.0]
    assert coded(["a", "a", "b"], ["a", "b", "b"]) == ["a", "a", "b"]


def test_names_that_all_differ_show_no_coding():
    assert coded(["ana", "eva"], ["anna", "eve"]) == ["ana", "eva"]
    assert coded(["m", "f", "m"], ["1", "2", "1"]) == ["1", "2", "1"]


def test_records_that_were_left_out_are_coded_as_far_as_the_release_shows():
    known, released = ["a", "b", "a", "c"], ["x", "x"]
    assert coded(known, released, own=[0, 2]) == ["x", None, "x", None]


def test_blanks_are_no_evidence():
    assert coded(["a", "a", None, "a"], ["x", None, "x", "x"]) == ["x", "x", None, "x"]
    assert coded(["a", "a"], pa.nulls(2, pa.string())) == ["a", "a"]
    assert coded(pa.nulls(2, pa.int64()), [1, 1], Kind.CONTINUOUS) == [None, None]


def mostly(known, released):
    rows = np.arange(len(released))
    return mostly_recoded(pa.array(known), rows, pa.array(released)).to_pylist()


def test_a_few_values_that_do_not_fit_do_not_hide_a_coding():
    known = ["a", "a", "a", "b", "b", "c"]
    assert mostly(known, list("xxyxxx")) == list("xxxxxx")
    assert mostly(known, ["x", "x", "x", "x", "x", None]) == ["x", "x", "x", "x", "x", None]
    # Nobody else shows that c became y.
    assert mostly(known, list("xxxxxy")) == ["x", "x", "x", "x", "x", None]


def test_what_was_swapped_or_disturbed_is_no_coding():
    for known, released in (
        ("aaabbc", "aaabca"),
        ("aabbcc", "abbcca"),
        ("abcdef", "uvwxyz"),
        ("aaaabbcc", "aaaaccab"),
    ):
        assert mostly(list(known), list(released)) == list(known)
    assert mostly([], []) == []
