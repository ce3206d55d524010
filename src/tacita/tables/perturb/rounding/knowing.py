"""What a reader knows of the true values behind rounded ones, before any relation is used."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np

from tacita.data.classes import Floats
from tacita.mechanisms.rounding import multiples, parted

Way = Literal["nearest", "around"]


class Known(NamedTuple):
    """The least and the largest true value that each published one can stand for."""

    lower: Floats
    upper: Floats


def known_values(
    published: Floats,
    base: float,
    *,
    reach: int | None = 1,
    way: Way = "around",
    decimals: int | None = None,
    lower_bound: Floats | float = -np.inf,
    upper_bound: Floats | float = np.inf,
) -> Known:
    """Return what a reader knows who is told how values were rounded.

    Rounded to one of the multiples around it, a value v with the published a fulfils |v - a| < b;
    with jumps, |v - a| < r b; rounded to the nearest, a - b/2 <= v < a + b/2. Where values have no
    more than some decimals, ends that are left out move in to the next such value.

    >>> known_values(np.array([0.0, 10.0]), 5, decimals=0, lower_bound=0.0)
    Known(lower=array([0., 6.]), upper=array([ 4., 14.]))
    >>> known_values(np.array([10.0]), 5, decimals=0, way="nearest")
    Known(lower=array([8.]), upper=array([12.]))

    Args:
        published: the rounded values.
        base: the base (more than 0).
        reach: how many bases away a value may be from the published one; None for any number.
        way: rounded to one of the two multiples around, or to the nearest.
        decimals: how many digits after the point the true values have; None for any.
        lower_bound: what everybody knows beforehand that each value is at least.
        upper_bound: what it is at most.
    """
    halves = 1 if way == "nearest" else np.inf if reach is None else 2 * reach
    if decimals is None or np.isinf(halves):
        known = Known(published - halves * base / 2, published + halves * base / 2)
    else:
        known = _decimals_inside(published, base, int(halves), decimals, way)
    return Known(np.maximum(known.lower, lower_bound), np.minimum(known.upper, upper_bound))


def _decimals_inside(published: Floats, base: float, halves: int, decimals: int, way: Way) -> Known:
    """Return the least and the largest decimal so many halves of a base around each multiple."""
    half = Fraction(str(base)) * 10**decimals / 2
    # Whole numbers of any size: a difference of doubles may lie beside the decimal that is meant.
    times = 2 * parted(published, base, None).nearest.astype(object)
    bottom, top = (times - halves) * half.numerator, (times + halves) * half.numerator
    # Halves are rounded up: the lower end belongs to the nearest multiple.
    least = -(-bottom // half.denominator) if way == "nearest" else bottom // half.denominator + 1
    most = -(-top // half.denominator) - 1
    unit = 10.0**-decimals
    return Known(*(multiples(end.astype(np.int64), unit) for end in (least, most)))
