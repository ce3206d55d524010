"""Prefixes of codes and calendar units, by hand."""

from __future__ import annotations

import datetime as dt

import pytest

from tacita.api.hierarchies import hierarchy_from
from tacita.data.hierarchies.dates import Dates
from tacita.data.hierarchies.intervals import Intervals
from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree

DAY = dt.timedelta(days=1)


def test_codes_of_one_length_are_a_prefix():
    assert hierarchy_from(["94138", "94141"], by="prefixes") == Prefix(5)
    assert hierarchy_from([94138, 94141], by="prefixes") == Prefix(5)


def test_codes_of_several_lengths_are_cut_to_the_same_one():
    codes = ["1203", "12", "1204", "2", "21", "2203"]
    assert hierarchy_from(codes, by="prefixes") == Tree(
        (
            ("1203", "120*", "12*", "1*", "*"),
            ("12", "12", "12*", "1*", "*"),
            ("1204", "120*", "12*", "1*", "*"),
            ("2", "2", "2", "2*", "*"),
            ("21", "21", "21*", "2*", "*"),
            ("2203", "220*", "22*", "2*", "*"),
        )
    )
    one = hierarchy_from(codes, by="prefixes", levels=1)
    assert set(one.level(1)) == {"12*", "2", "21*", "22*"}


@pytest.mark.parametrize(
    ("days", "levels", "units"),
    [
        ([dt.date(2020, 1, 1), dt.date(2020, 1, 2)], None, ("month",)),
        ([dt.date(2020, 1, 1) + 9 * n * DAY for n in range(30)], None, ("month", "quarter")),
        ([dt.date(1950, 1, 1) + 9 * n * DAY for n in range(999)], 2, ("month", "decade")),
        ([dt.date(1950, 1, 1) + 9 * n * DAY for n in range(999)], 1, ("year",)),
        ([dt.date(1905, 1, 1), dt.date(2005, 1, 1)], None, ("decade",)),
    ],
)
def test_units_follow_from_the_range(days, levels, units):
    assert hierarchy_from(days, by="dates", levels=levels) == Dates(units)


@pytest.mark.parametrize(
    ("values", "options", "made"),
    [
        (range(100), {}, Intervals((5, 10, 20))),
        (range(100), {"levels": 4}, Intervals((5, 10, 20))),
        (range(90), {"width": 7, "levels": 2}, Intervals((7, 14))),
        ([0.1, 0.25, 0.4, 0.7, 1.0], {"levels": 1}, Intervals((1.0,))),
        ([-1, 1], {}, Intervals((5,))),
        ([10**9 + n for n in range(50)], {"levels": 2}, Intervals((2, 10), start=10**9)),
    ],
)
def test_widths_are_round(values, options, made):
    assert hierarchy_from(list(values), by="intervals", **options) == made
