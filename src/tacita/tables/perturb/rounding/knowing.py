"""What a reader knows of the true values behind rounded ones, before any relation is used."""

from __future__ import annotations

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
    half = base / 2 if way == "nearest" else np.inf if reach is None else reach * base
    lower, upper = published - half, published + half
    if decimals is not None and np.isfinite(half):
        unit = 10.0**-decimals
        bottom, top = parted(lower, unit, None), parted(upper, unit, None)
        # Halves are rounded up: the lower end belongs to the nearest multiple.
        least = bottom.above if way == "nearest" else bottom.below + 1
        lower, upper = multiples(least, unit), multiples(top.above - 1, unit)
    return Known(np.maximum(lower, lower_bound), np.minimum(upper, upper_bound))
