"""Rounding to multiples of a base, to the nearest one or at random without bias."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import NamedTuple

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.data.decimals import in_units
from tacita.errors import ParameterError, shown

FITTING = 2**62  # up to here whole numbers are computed with in 64 bits
TOLD = 2.0**50  # bases in a value, up to which a double tells the rest
FINE = 2**30  # units of a base in which the rest of values that are no decimals is counted


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


class Parted(NamedTuple):
    """Values as multiples of a base and what is left, all in whole numbers.

    Args:
        below: how many times the base is in each value.
        rest: what is left of it, 0 or more and fewer than `units`.
        units: how many units the base has.
    """

    below: Ints
    rest: Ints
    units: int

    @property
    def above(self) -> Ints:
        """The next multiple that is not below the value; multiples stay."""
        return self.below + (self.rest > 0)

    @property
    def nearest(self) -> Ints:
        """The nearest multiple; of two that are equally near the larger one."""
        return self.below + (self.rest >= self.units - self.rest)

    def at_random(self, rng: np.random.Generator) -> Ints:
        """Draw one of the two multiples around each value, so that the mean is the value."""
        return self.below + (rng.integers(0, self.units, len(self.rest)) < self.rest)


def parted(values: Floats, base: float, decimals: int | None) -> Parted:
    """Part values into multiples of a base and a rest.

    Values with decimals are parted exactly. Others, and those whose digits do not fit in 64 bits,
    are the shortest decimals that their doubles stand for; the rest of each is rounded to 2^-30
    bases: what is as near as that to a multiple is one.

    >>> parted(np.array([7.5, -2.0, 10.0]), 5, 1)
    Parted(below=array([ 1, -1,  2]), rest=array([25, 30,  0]), units=50)

    Args:
        values: what is parted.
        base: the base (more than 0).
        decimals: how many digits after the point the values have, or None if they are no decimals.

    Raises:
        ParameterError: the base is so small that doubles do not tell the rest.
    """
    if decimals is None:
        return _nearly_parted(values, base)
    units = Fraction(str(base)) * 10**decimals
    whole = in_units(values, decimals)
    largest = int(np.abs(whole).max(initial=0))
    if max(largest * units.denominator, units.numerator) >= FITTING:
        return _nearly_parted(values, base)
    below, rest = np.divmod(whole * units.denominator, units.numerator)
    return Parted(below, rest, units.numerator)


def _nearly_parted(values: Floats, base: float) -> Parted:
    largest = float(np.abs(values).max(initial=0.0)) / base
    if largest >= TOLD:
        raise ParameterError(
            f"`base` {shown(base)} is too small for values that are {largest:.1e} times as large; "
            "choose a larger one."
        )
    step = Fraction(str(base))
    # A quotient of doubles may be off by more than 2^-30, and would miss multiples by that.
    both = [_with_rest(value, step) for value in values.tolist()]
    below, rest = np.array(both, np.int64).reshape(-1, 2).T
    return Parted(below, rest, FINE)


def _with_rest(value: float, step: Fraction) -> tuple[int, int]:
    """Return how many times a step is in a value, and what is left in 1 / FINE of it."""
    numerator, denominator = Decimal(str(value)).as_integer_ratio()
    one = denominator * step.numerator
    return divmod((2 * numerator * step.denominator * FINE + one) // (2 * one), FINE)


def multiples(times: Ints, base: float) -> Floats:
    """Return multiples of a base, each the double next to it.

    >>> multiples(np.array([3, -7]), 0.1)
    array([ 0.3, -0.7])
    """
    exact = Fraction(str(base))
    found: Floats = times.astype(np.float64) * exact.numerator / exact.denominator
    return found
