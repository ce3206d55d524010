"""Hierarchies of numbers: intervals between bounds that are said one by one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from sys import float_info
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.hierarchies.intervals import EXACT, ROOT, number, numbers_of
from tacita.errors import HierarchyError, shown

Bound = int | float
Bounds = tuple[Bound, ...]


@dataclass(frozen=True)
class Cuts:
    """Generalize numbers to intervals between bounds, of which ever fewer are left, then to `*`.

    The bounds b1 < ... < bm of a level give the m + 1 intervals `<b1`, `[b1,b2)`, ..., `>=bm`, so
    that every number lies in one.

    Args:
        levels: the bounds of every level, ascending; those of a level are among those of the level
            before, so that every interval lies inside one of the next level.

    >>> Cuts([[20, 30, 65], [30]]).labels(pa.array([3, 29, 70]), 1).to_pylist()
    ['<20', '[20,30)', '>=65']
    """

    levels: Sequence[Sequence[Bound]]

    def __post_init__(self) -> None:
        try:
            levels = tuple(tuple(bounds) for bounds in self.levels)
        except TypeError:
            levels = ((),)
        if not all(map(_ascend, levels)) or any(set(b) - set(a) for a, b in pairwise(levels)):
            raise HierarchyError(
                "`cuts` takes the bounds of every level, ascending numbers of which each level "
                f"keeps some; found {shown(self.levels)}."
            )
        object.__setattr__(self, "levels", levels)

    @property
    def height(self) -> int:
        """One level for every list of bounds, and the root."""
        return len(self.levels) + 1

    def labels(self, values: pa.Array, level: int) -> pa.Array:
        """Return the interval of each value, or the root at the last level."""
        numbers = numbers_of(values)
        if level == self.height:
            return pa.array([ROOT] * len(values), pa.string())
        bounds = tuple(self.levels[level - 1])
        place = np.searchsorted(np.array(bounds, np.float64), numbers, side="right")
        far = np.abs(numbers) >= EXACT  # doubles skip whole numbers there
        place[far] = [bisect_right(bounds, value) for value in values.filter(far).to_pylist()]
        return pa.array(_names(bounds), pa.string()).take(pa.array(place))

    def specification(self) -> dict[str, Any]:
        """Return `{cuts: [[bounds], ...]}`."""
        return {"cuts": [list(bounds) for bounds in self.levels]}


def _ascend(bounds: Bounds) -> bool:
    numbers = all(isinstance(b, int | float) and not isinstance(b, bool) for b in bounds)
    finite = numbers and all(abs(b) <= float_info.max for b in bounds)
    return bool(bounds) and finite and _strictly(bounds)


def _strictly(bounds: Bounds) -> bool:
    return all(a < b for a, b in pairwise(bounds))


def _names(bounds: Bounds) -> list[str]:
    told = [number(Fraction(str(bound))) for bound in bounds]
    inner = [f"[{low},{high})" for low, high in pairwise(told)]
    return [f"<{told[0]}", *inner, f">={told[-1]}"]
