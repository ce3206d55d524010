"""Intervals of equal, round widths."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from math import floor, log10
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Kind
from tacita.data.hierarchies.building.values import Values
from tacita.data.hierarchies.intervals import Intervals
from tacita.errors import HierarchyError, shown

LEVELS = 3
FINE = 20  # intervals of the first level, about
FAR = 1e6  # widths from which on intervals start near the values and not at 0
MOST = 1e300  # numbers and quotients up to which a few more steps stay within doubles
STEPS = {1: (5, 2), 2: (5, 2), 5: (2, 2, 5)}  # from width to width, by the first digit


def intervals(values: Values, levels: int = LEVELS, width: float | None = None) -> Intervals:
    """Make intervals of equal width, of growing, round widths: 5, 10, 20 for ages.

    Args:
        values: numbers.
        levels: how many widths there are at most.
        width: the first width, of which others are multiples by two; a round one that cuts the
            range into about 20 when left out.
    """
    values.refuse_other_than("intervals", (Kind.CONTINUOUS,), "numbers")
    numbers = values.numbers
    low, high = float(numbers[0]), float(numbers[-1])
    largest = max(-low, high)
    if largest > MOST:
        raise HierarchyError(f"`intervals` needs numbers up to {MOST:g}; found {largest:g}.")
    whole = bool(pa.types.is_integer(values.values.type))
    chosen: list[int | float] = []
    classes = len(numbers)
    for wide in round_widths(low, high, whole) if width is None else _doubled(width, largest):
        found = len(np.unique(np.floor((numbers - start_of(low, wide, wide)) / wide)))
        spans = wide > high - low
        if 1 < found < classes or (spans and not chosen):
            chosen, classes = [*chosen, wide], found
        if spans or len(chosen) == levels:
            break
    return Intervals(widths=chosen, start=start_of(low, chosen[0], chosen[-1]))


def round_widths(low: float, high: float, whole: bool) -> Iterator[int | float]:
    """Yield ever larger round widths, each a multiple of the one before, for numbers in a range.

    >>> from itertools import islice
    >>> list(islice(round_widths(0, 99, True), 4)), list(islice(round_widths(0, 0.9, False), 3))
    ([5, 10, 20, 100], [0.05, 0.1, 0.2])
    """
    digit, power = _round_width(max((high - low) / FINE, 1.0 if whole else 0.0) or 1.0)
    times = digit
    for step in cycle(STEPS[digit]):
        yield times * 10**power if power >= 0 else float(f"{times}e{power}")
        times *= step


def _round_width(wanted: float) -> tuple[int, int]:
    """Return the digit 1, 2 or 5 and the power of ten next to a width.

    >>> _round_width(4.9), _round_width(0.017)
    ((5, 0), (2, -2))
    """
    power = floor(log10(wanted))
    ratio = wanted / 10.0**power
    rounds = ((1, power), (2, power), (5, power), (1, power + 1))
    return min(rounds, key=lambda one: abs(one[0] * 10.0 ** (one[1] - power) - ratio))


def _doubled(width: Any, largest: float) -> Iterator[int | float]:
    number = isinstance(width, int | float) and not isinstance(width, bool)
    if not number or not 0 < width <= MOST or largest / width > MOST:
        raise HierarchyError(
            f"`width` of `intervals` is a number above 0, about as large as the values; found "
            f"{shown(width)}."
        )
    while True:
        yield width
        width *= 2


def start_of(low: float, first: float, last: float) -> int | float:
    """Return where an interval begins: at 0, or next to numbers that are many widths away.

    Args:
        low: the least number.
        first: the least width.
        last: the largest width.
    """
    return floor(low / last) * last if abs(low) > FAR * first else 0
