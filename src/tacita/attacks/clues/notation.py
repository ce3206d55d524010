"""Recoded or generalized: values are written as intervals, with stars or as calendar units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from tacita.attacks.clues.guess import Guess
from tacita.attacks.clues.values import worded
from tacita.data.dataset import Dataset
from tacita.microdata.comparing.intervals import DAY, NUMBER, Span, calendar, interval
from tacita.results import counted, listed

STARRED = re.compile(r"([^*]*)(\*+)")
UNITS = {
    "decade": re.compile(r"\d{4}s"),
    "year": re.compile(r"(?:19|20)\d\d"),
    "quarter": re.compile(r"\d{4}-Q[1-4]"),
    "month": re.compile(r"\d{4}-\d\d"),
}
LIST = re.compile(r"\{.+[,;|].+\}|\[.+;.+\]")
MARKED = re.compile(r"[\[\](<>≥≤].*|.*\+")  # by more than a dash, which codes have too
CODE = 3  # the characters that a code has at least
ENDS = {"above": "top_code", "below": "bottom_code"}
BOXES = ("local_recoding", "sorted_clusters", "close_clusters")


def look(data: Dataset) -> Iterator[Guess]:
    """Find attributes whose words say what they stand for; that is a deduction."""
    for name in worded(data):
        words = [word for word in data.column(name).unique().to_pylist() if word]
        for read in (_of_intervals, _of_stars, _of_dates, _of_lists):
            guess = read(name, words)
            if guess is not None:
                yield guess
                break


def _of_intervals(name: str, words: Sequence[str]) -> Guess | None:
    spans = {word: span for word in words if (span := _span(word)) is not None}
    wide = {word: span for word, span in spans.items() if span.low < span.high}
    starred = any(STARRED.fullmatch(word) for word in wide)
    if not wide or starred or len(spans) < len(words):
        return None
    if len(wide) < len(spans) and not any(map(_is_bounded, wide.values())):
        return _coded(name, wide)
    order = sorted(set(spans.values()), key=lambda span: (span.low, span.high))
    marked = any(MARKED.fullmatch(word) for word in wide)
    if any(_overlap(*pair) for pair in pairwise(order)):
        told = f"{counted(len(wide), 'interval')} of different records overlap"
        return _boxes(name, told) if marked else None
    return _cut(name, order) if marked or _touch(order) else None


def _span(word: str) -> Span | None:
    if re.fullmatch(NUMBER, word):
        return Span(float(word), float(word))
    return interval(word.strip())


def _is_bounded(span: Span) -> bool:
    return isfinite(span.low) and isfinite(span.high)


def _overlap(one: Span, other: Span) -> bool:
    """Tell whether an interval reaches into one that begins no earlier."""
    if other.low == one.high:
        return not (one.without_high or other.without_low)
    return other.low < one.high


def _touch(order: Sequence[Span]) -> bool:
    """Tell whether most intervals begin where the one before ends; `12-34` may be a code."""
    gaps = [other.low - one.high for one, other in pairwise(order)]
    return bool(gaps) and sum(0 <= gap <= 1 for gap in gaps) > len(gaps) / 2


def _coded(name: str, wide: Mapping[str, Span]) -> Guess:
    """Guess from words such as `>85` among numbers."""
    limits: dict[str, Any] = {}
    for word, span in wide.items():
        side, end = ("above", span.low) if isfinite(span.low) else ("below", span.high)
        limits[side] = int(end) if end == int(end) else end
        limits["label"] = word
    method = "top_bottom_code" if len(wide) > 1 else ENDS[next(iter(limits))]
    if len(wide) > 1:
        limits.pop("label")
    told = f"{listed(list(wide))} is written among numbers"
    return Guess(method, (name,), limits, told, 0, narrows="the other values are exact")


def _cut(name: str, order: Sequence[Span]) -> Guess:
    """Guess from intervals of which no two overlap."""
    bounded = [span for span in order if _is_bounded(span)]
    widths = _widths(bounded)
    told = f"the values are {counted(len(order), 'interval')} that do not overlap"
    narrows = "" if not widths else f"each value is known up to {max(widths):g}"
    whole = len(bounded) == len(order)
    if len(set(widths)) == 1 and whole:
        start = bounded[0].low % widths[0]
        said = {"width": _plain(widths[0]), **({"start": _plain(start)} if start else {})}
        return Guess("recode", (name,), said, f"{told}, all {widths[0]:g} wide", 0, narrows)
    if whole and len(widths) > 1 and max(widths) - min(widths) <= 1:
        said = {"resolution": len(order)}
        return Guess("coarsen", (name,), said, f"{told}, nearly as wide as each other", 0, narrows)
    breaks = [_plain(span.low) for span in order if isfinite(span.low)]
    cuts = {"breaks": breaks[1:] if whole else breaks}
    return Guess("recode", (name,), cuts, told, 0, narrows)


def _widths(spans: Sequence[Span]) -> list[float]:
    """Return how wide intervals are; `[0;9]` beside `[10;19]` is 10 wide, being of whole numbers.

    >>> _widths([Span(0, 9), Span(10, 19)]), _widths([Span(0, 10), Span(10, 20)])
    ([10.0, 10.0], [10.0, 10.0])
    """
    steps = {other.low - one.high for one, other in pairwise(spans)}
    beside = 1.0 if steps == {1.0} else 0.0
    return [float(f"{span.high - span.low + beside:.12g}") for span in spans]


def _of_stars(name: str, words: Sequence[str]) -> Guess | None:
    found = [STARRED.fullmatch(word) for word in words]
    stars = np.array([len(one[2]) if one else 0 for one in found])
    if not stars.any():
        return None
    partly = np.array([bool(one and one[1]) for one in found])
    levels = sorted(set(stars[partly | (stars == 0)].tolist()))
    told = f"{np.count_nonzero(stars):,} of {counted(len(words), 'value')} hide digits by stars"
    if len(levels) > 1:
        return _boxes(name, f"{told}, some more than others ({listed(list(map(str, levels)))})")
    if not levels:  # nothing but *
        return Guess("generalize", (name,), {}, "all values are hidden", 0)
    if levels == [0]:
        return Guess("local_suppression", (name,), {}, told, None)
    digits = counted(levels[0], "digit")
    narrows = f"each code is known up to its last {digits}"
    chance = 0 if max(map(len, words)) >= CODE else None  # a hotel may have 3*
    return Guess("generalize", (name,), {"level": levels[0]}, told, chance, narrows)


def _of_dates(name: str, words: Sequence[str]) -> Guess | None:
    read = calendar(DAY)
    if not all(read(word.strip()) for word in words):
        return None
    units = {unit for unit, form in UNITS.items() for word in words if form.fullmatch(word)}
    if not units:
        return None
    if len(units) > 1:
        return _boxes(name, f"dates are written as {listed(sorted(units))}")
    unit = units.pop()
    narrows = f"each date is known up to its {unit}"
    chance = None if unit == "year" else 0  # a code of four digits may be no year
    told = f"dates are written as {unit}s"
    return Guess("recode", (name,), {"unit": unit}, told, chance, narrows)


def _of_lists(name: str, words: Sequence[str]) -> Guess | None:
    lists = [word for word in words if LIST.fullmatch(word)]
    if not lists:
        return None
    return _boxes(name, f"{len(lists)} of {counted(len(words), 'value')} list categories")


def _boxes(name: str, told: str) -> Guess:
    return Guess("mondrian", (name,), {}, told, 0, alternatives=BOXES)


def _plain(number: float) -> int | float:
    tidy = float(f"{number:.12g}")
    return int(tidy) if tidy == int(tidy) else tidy
