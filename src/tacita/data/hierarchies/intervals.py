"""Hierarchies of numbers: intervals inside ever wider intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.hierarchies import not_covered
from tacita.errors import HierarchyError, shown

ROOT = "*"
EXACT = 2**53  # from here on, doubles skip whole numbers
FAR = 2**50  # widths from the start, from which on quotients of floats may miss a whole width
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Intervals:
    """Generalize numbers to half-open intervals `[a,b)` of growing width, then to `*`.

    Args:
        widths: the widths in ascending order, each a multiple of the one before, so that every
            interval lies inside one of the next level (units of the attribute, above 0).
        start: where an interval begins; the others follow to both sides.

    >>> Intervals(widths=[5, 10]).labels(pa.array([3, 7, 12]), 2).to_pylist()
    ['[0,10)', '[0,10)', '[10,20)']
    """

    widths: Sequence[float]
    start: float = 0

    def __post_init__(self) -> None:
        try:
            widths = tuple(self.widths)
            ratios = [Fraction(str(b)) / Fraction(str(a)) for a, b in pairwise(widths)]
            positive = all(0 < width < float("inf") for width in widths)
        except (TypeError, ValueError, ZeroDivisionError):
            widths, ratios, positive = (), [], False
        if not widths or not positive or any(r.denominator != 1 or r <= 1 for r in ratios):
            raise HierarchyError(
                "`intervals` needs `widths` above 0, each a multiple of the one before; "
                f"found {shown(self.widths)}."
            )
        is_number = isinstance(self.start, int | float) and not isinstance(self.start, bool)
        if not is_number or not isfinite(self.start):
            raise HierarchyError(
                f"`start` of `intervals` must be a finite number; found {shown(self.start)}."
            )
        object.__setattr__(self, "widths", widths)

    @classmethod
    def from_plan(cls, said: Mapping[str, Any]) -> Intervals:
        """Make the hierarchy from `{widths: [...], start: 0}`."""
        if not isinstance(said, Mapping) or "widths" not in said or set(said) - {"widths", "start"}:
            raise HierarchyError(
                f"`intervals` takes `widths` and perhaps `start`; found {shown(said)}."
            )
        return cls(**said)

    @property
    def height(self) -> int:
        """One level a width, and the root."""
        return len(self.widths) + 1

    def labels(self, values: pa.Array, level: int) -> pa.Array:
        """Return the interval of each value, or the root at the last level."""
        numbers = numbers_of(values)
        if level == self.height:
            return pa.array([ROOT] * len(values), pa.string())
        far = self._is_far(numbers)
        names = np.empty(len(numbers), object)
        names[~far] = self._near(numbers[~far], level)
        names[far] = [self._far(value, level) for value in values.filter(far).to_pylist()]
        return pa.array(names, pa.string())

    def _is_far(self, numbers: Floats) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Tell the numbers that doubles are too coarse for; they are placed one by one, exactly."""
        with np.errstate(over="ignore"):
            away = (np.abs(numbers) + abs(self.start)) / self.widths[0] >= FAR
        return away | (np.abs(numbers) >= EXACT)

    def _near(self, numbers: Floats, level: int) -> np.ndarray[Any, np.dtype[np.object_]]:
        steps, place = np.unique(self._steps(numbers, level), return_inverse=True)
        return np.array([self._label(int(step), level) for step in steps], object)[place]

    def _far(self, value: Any, level: int) -> str:
        width = Fraction(str(self.widths[level - 1]))
        return self._label((Fraction(value) - Fraction(str(self.start))) // width, level)

    def _bound(self, step: int, level: int) -> Fraction:
        return Fraction(str(self.start)) + step * Fraction(str(self.widths[level - 1]))

    def _steps(self, numbers: Floats, level: int) -> Floats:
        """Count the widths from the start to each number.

        The quotient of two floats may land on the wrong side of a bound (0.3 / 0.1 < 3), so the
        neighbouring bounds, taken exactly, decide.
        """
        guess, place = np.unique(
            np.floor((numbers - self.start) / self.widths[level - 1]), return_inverse=True
        )
        low = np.array([float(self._bound(int(step), level)) for step in guess])
        high = np.array([float(self._bound(int(step) + 1, level)) for step in guess])
        shift = (numbers >= high[place]).astype(float) - (numbers < low[place])
        return guess[place] + shift if len(numbers) else numbers

    def _label(self, step: int, level: int) -> str:
        return f"[{number(self._bound(step, level))},{number(self._bound(step + 1, level))})"

    def specification(self) -> dict[str, Any]:
        """Return `{intervals: {start, widths}}`."""
        return {"intervals": {"start": self.start, "widths": list(self.widths)}}


def number(value: Fraction) -> str:
    """Return a decimal number as text, exactly.

    >>> number(Fraction("12.50")), number(Fraction(-3))
    ('12.5', '-3')
    """
    digits = len(str(value.numerator)) + value.denominator.bit_length()
    with localcontext(prec=digits):
        return f"{Decimal(value.numerator) / Decimal(value.denominator):f}"


def numbers_of(values: pa.Array) -> Floats:
    """Return values as doubles.

    Raises:
        HierarchyError: some are not finite numbers; the message names them.
    """
    try:
        numbers = np.asarray(pc.cast(values, pa.float64(), safe=False))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise not_covered(values, "intervals need numbers") from error
    if not np.isfinite(numbers).all():
        raise not_covered(values.filter(~np.isfinite(numbers)), "intervals need finite numbers")
    return numbers
