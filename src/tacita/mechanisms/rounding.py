"""Rounding to multiples of a base, to the nearest one or at random without bias."""

from __future__ import annotations

from fractions import Fraction
from math import floor


def nearest(value: float, base: float) -> float | int:
    """Return the nearest multiple of a base; of two that are equally near the larger one.

    >>> nearest(7, 5), nearest(12.5, 5), nearest(-2.5, 5), nearest(0.34, 0.1)
    (5, 15, 0, 0.3)
    """
    exact, step = Fraction(str(value)), Fraction(str(base))
    return _multiple(floor(exact / step + Fraction(1, 2)), step)


def at_random(value: float, base: float, chance: float) -> float | int:
    """Return one of the two multiples around a value, so that the mean is the value.

    Args:
        value: what is rounded.
        base: the base.
        chance: a random number between 0 and 1; up if it is below the rest over the base.

    >>> at_random(7, 5, 0.39), at_random(7, 5, 0.41), at_random(10, 5, 0.0001)
    (10, 5, 10)
    """
    exact, step = Fraction(str(value)), Fraction(str(base))
    below = floor(exact / step)
    return _multiple(below + (chance < exact / step - below), step)


def _multiple(times: int, step: Fraction) -> float | int:
    rounded = times * step
    return int(rounded) if rounded.denominator == 1 else float(rounded)
