"""Scaling: attributes brought to one unit, so that a distance does not depend on theirs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.data.decimals import whole_numbers

if TYPE_CHECKING:
    from tacita.kernels.mdav import Lattice

Scale = Literal["standardize", "range", "none"]


def scaled(columns: Sequence[Floats], scale: Scale) -> Floats:
    """Return records by attributes in one unit; blanks stay NaN.

    Attributes are divided by their standard deviation about their mean (`standardize`), by their
    range (`range`), or all by the same power of two (`none`), which changes no comparison.
    A constant attribute becomes 0.

    >>> scaled([np.array([1.0, 3.0]), np.array([5.0, 5.0])], "range")
    array([[-0.5,  0. ],
           [ 0.5,  0. ]])
    """
    exponents = [_exponent(column) for column in columns]
    if scale == "none":
        return np.column_stack([np.ldexp(column, -max(exponents)) for column in columns])
    # Squares of the largest numbers have no double; a power of two costs no digit.
    parts = zip(columns, exponents, strict=True)
    return np.column_stack([_in_one_unit(np.ldexp(x, -power), scale) for x, power in parts])


def _exponent(column: Floats) -> int:
    """Return the power of two above all absolute values."""
    largest = float(np.max(np.abs(column), where=~np.isnan(column), initial=0.0))
    return int(np.frexp(largest)[1])


def _in_one_unit(column: Floats, scale: Scale) -> Floats:
    from tacita.kernels.moments import moments

    known = column[~np.isnan(column)]
    if not len(known) or known.min() == known.max():
        return np.where(np.isnan(column), np.nan, 0.0)
    found = moments([known])
    spread = np.sqrt(found.covariance[0, 0]) if scale == "standardize" else np.ptp(known)
    return np.asarray((column - found.means[0]) / spread)


def on_lattice(columns: Sequence[Floats], scale: Scale) -> Lattice:
    """Return records by attributes in whole numbers, with weights that bring them to one unit.

    They stand for the same distances as the numbers that are scaled, but exactly: decimals are
    those that were written, and a weight is 1 over a variance or over a squared range. Blanks
    are 0.

    >>> on_lattice([np.array([1.0, 3.0]), np.array([0.5, 0.6])], "range")
    Lattice(whole=array([[-1,  0],
           [ 1,  1]]), weights=(1, 4))
    """
    from tacita.kernels.mdav import LARGEST, Lattice

    whole, weights = np.zeros((len(columns[0]), len(columns)), np.int64), []
    for place, column in enumerate(columns):
        there = ~np.isnan(column)
        known, unit = whole_numbers(column[there], LARGEST // 2)
        whole[there, place] = known
        weights.append(unit**2 if scale == "none" else _weight(known, scale))
    common = math.lcm(*(weight.denominator for weight in weights))
    counts = [int(weight * common) for weight in weights]
    divisor = math.gcd(*counts) or 1
    return Lattice(whole, tuple(count // divisor for count in counts))


def _weight(whole: Ints, scale: Scale) -> Fraction:
    """Return 1 over the variance or over the squared range of whole numbers; 0 for a constant."""
    if not len(whole) or whole.min() == whole.max():
        return Fraction(0)
    if scale == "range":
        return Fraction(1, (int(whole.max()) - int(whole.min())) ** 2)
    size, total = len(whole), sum(int(part.sum()) << 16 * at for at, part in _digits(whole))
    squares = sum(
        int(one @ other) << 16 * (at + place)
        for at, one in _digits(whole)
        for place, other in _digits(whole)
    )
    return Fraction(size * (size - 1), size * squares - total**2)


def _digits(whole: Ints) -> list[tuple[int, Ints]]:
    """Return whole numbers in digits of 16 bits: sums of their products fit in 64 bits."""
    return list(enumerate((whole & 0xFFFF, whole >> 16 & 0xFFFF, whole >> 32)))
