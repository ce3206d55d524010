"""What released text says of a value."""

from __future__ import annotations

from math import inf

import pytest

from tacita.microdata.comparing.intervals import DAY, Span, calendar, interval


@pytest.mark.parametrize(
    ("word", "span"),
    [
        ("[20,30)", Span(20, 30, without_high=True)),
        ("(20,30]", Span(20, 30, without_low=True)),
        ("20-30", Span(20, 30)),
        ("[80-85+]", Span(80, inf)),
        ("85+", Span(85, inf)),
        ("<5", Span(-inf, 5, without_high=True)),
        (">=85", Span(85, inf)),
        ("937**", Span(93700, 93800, without_high=True)),
        ("-5 to 5", Span(-5, 5)),
    ],
)
def test_intervals_are_read(word, span):
    assert interval(word) == span


@pytest.mark.parametrize("word", ["", "high", "30-20", "a**", "[20", "20-30-40"])
def test_other_text_is_no_interval(word):
    assert interval(word) is None


def test_units_of_the_calendar_are_read_in_days():
    read = calendar(DAY)
    assert read("1970") == Span(0, 365, without_high=True)
    assert read("1970-02") == Span(31, 59, without_high=True)
    assert read("1970-Q2") == Span(90, 181, without_high=True)
    assert read("1970-01-03") == Span(2, 3, without_high=True)
    assert read("1970-13") is None
    assert read("soon") is None
