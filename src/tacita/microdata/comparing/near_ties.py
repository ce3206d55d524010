"""Levels against bounds: doubles decide where they can, whole numbers where it is too close."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from tacita.data.classes import Floats, Ints, Mask

MARGIN = 1e-9  # far above what rounding adds to a level
DIGITS = 40  # to begin with, where a bound is irrational


def above(levels: Floats, bound: Fraction, is_above: Callable[[Ints], Mask]) -> Mask:
    """Tell which levels are above a bound.

    Args:
        levels: the levels as doubles.
        bound: the bound.
        is_above: decides exactly for the levels at some places that are too near for doubles.
    """
    limit = float(bound)
    margin = MARGIN * max(limit, 1.0)
    found: Mask = levels > limit
    near = np.flatnonzero((levels >= limit - margin) & (levels <= limit + margin))
    if near.size:
        found[near] = is_above(near)
    return found


def quotients_above(numerators: Ints, denominators: Ints, bound: Fraction) -> Mask:
    """Tell which quotients of whole numbers are above a bound, exactly.

    >>> quotients_above(np.array([1, 2]), np.array([5, 10]), Fraction(1, 5)).tolist()
    [False, False]
    """

    def is_above(places: Ints) -> Mask:
        tops, bottoms = numerators[places].astype(object), denominators[places].astype(object)
        return (tops * bound.denominator > bottoms * bound.numerator).astype(np.bool_)

    return above(numerators / denominators, bound, is_above)


def exceeds(ratio: Fraction, irrational: Callable[[], Decimal]) -> bool:
    """Tell whether a ratio is above an irrational number, computed with ever more digits.

    >>> exceeds(Fraction(7, 5), lambda: Decimal(2).sqrt())
    False

    Args:
        ratio: the ratio.
        irrational: computes the number in the current context of `decimal`.
    """
    digits = DIGITS
    while True:
        with localcontext(prec=digits):
            bound = irrational()
            gap = decimal(ratio) - bound
            if abs(gap) > abs(bound).scaleb(8 - digits):  # far above what rounding adds
                return gap > 0
        digits *= 2


def decimal(number: Fraction) -> Decimal:
    """Return a fraction with the digits of the current context."""
    return Decimal(number.numerator) / Decimal(number.denominator)
