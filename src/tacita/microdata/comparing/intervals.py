"""Intervals: what released text such as `[20,30)`, `85+`, `937**` or `1964-Q3` says of a value."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from math import inf
from typing import NamedTuple

DAY = 86_400_000_000  # in microseconds
NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
ISO_DATE = r"\d{4}-\d\d-\d\d"
BETWEEN = re.compile(
    rf"([\[(\]])\s*({NUMBER})\s*(?:,|;|\.\.|-|\u2013|\bto\b)\s*({NUMBER})(\+?)\s*([\])\[])"
)
BARE = re.compile(rf"()({NUMBER})\s*(?:-|\u2013|\.\.|\bto\b)\s*({NUMBER})(\+?)()")
DATES = re.compile(rf"([\[(]?)\s*({ISO_DATE})\s*(?:,|;|\.\.|/|\bto\b)\s*({ISO_DATE})\s*([\])]?)")
DAY_ITSELF = re.compile(rf"()(?=({ISO_DATE}))({ISO_DATE})")
BEYOND = re.compile(rf"(>=?|≥|<=?|≤)\s*({NUMBER})")
AND_MORE = re.compile(rf"({NUMBER})\s*\+")
MASKED = re.compile(r"([^*]+)(\*+)")
CALENDAR = re.compile(r"(\d{4})(?:-(\d\d)|-Q([1-4])|(s))?")


class Span(NamedTuple):
    """An interval, by default of everything, and which of its ends do not belong to it."""

    low: float = -inf
    high: float = inf
    without_low: bool = False
    without_high: bool = False


def interval(word: str) -> Span | None:
    """Read an interval of numbers.

    >>> interval("[20,30)"), interval(">=85").high, interval("937**").low
    (Span(low=20.0, high=30.0, without_low=False, without_high=True), inf, 93700.0)
    """
    if found := BETWEEN.fullmatch(word) or BARE.fullmatch(word):
        left, low, high, more, right = found.groups()
        end = inf if more else float(high)
        span = Span(float(low), end, left in ("(", "]"), right in (")", "["))
        return span if span.low <= span.high else None
    if found := AND_MORE.fullmatch(word):
        return Span(float(found[1]), inf)
    if found := BEYOND.fullmatch(word):
        end, without = float(found[2]), "=" not in found[1] and found[1] not in "≥≤"
        above = found[1][0] in ">≥"
        return Span(end, inf, without_low=without) if above else Span(-inf, end, False, without)
    return _of_masked_code(word)


def _of_masked_code(word: str) -> Span | None:
    found = MASKED.fullmatch(word)
    if not found or not found[1].isdecimal():
        return None
    hidden = f"e{len(found[2])}"
    # Read as doubles: whole numbers of many digits have no end in them but infinity.
    low, high = (float(f"{first}{hidden}") for first in (int(found[1]), int(found[1]) + 1))
    return Span(low, high, without_high=True) if high < inf else None


def calendar(unit: int) -> Callable[[str], Span | None]:
    """Return what reads a month, quarter, year, decade or interval of dates."""

    def at(year: int, month: int = 1, day: int = 1) -> float:
        return (date(year, month, day).toordinal() - date(1970, 1, 1).toordinal()) * DAY / unit

    def read(word: str) -> Span | None:
        try:
            if found := DATES.fullmatch(word) or DAY_ITSELF.fullmatch(word):
                ends = [date.fromisoformat(found[place]) for place in (2, 3)]
                low, high = (at(end.year, end.month, end.day) for end in ends)
                return Span(low, high + DAY / unit, found[1] == "(", without_high=True)
            return _unit_of_time(word, at)
        except ValueError:
            return None

    return read


def _unit_of_time(word: str, at: Callable[[int, int], float]) -> Span | None:
    found = CALENDAR.fullmatch(word)
    if not found:
        return None
    year, month, quarter, decade = found.groups()
    first, months = int(month or 1), 1 if month else 12
    if quarter:
        first, months = 3 * int(quarter) - 2, 3
    if decade:
        months = 120
    end = int(year) * 12 + first - 1 + months
    return Span(at(int(year), first), at(end // 12, end % 12 + 1), without_high=True)
