"""Numbers as the decimals that were written, so that sums can be checked exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacita.data.classes import Floats, Ints

MOST_DECIMALS = 9
FEW = 100
WHOLE = 2**50  # up to here a double tells its last digit, whatever rounding did to it


def decimals_of(values: Floats) -> int | None:
    """Return how many digits after the point all values have, or None if they are no decimals.

    Values that are not known (NaN) or not bounded are passed over.

    >>> decimals_of(np.array([12.5, 3.0, np.nan])), decimals_of(np.array([1 / 3]))
    (1, None)
    """
    known = values[np.isfinite(values)]
    for decimals in range(MOST_DECIMALS + 1):
        if known.size and np.abs(known).max() >= WHOLE / 10.0**decimals:
            return None
        if np.array_equal(np.round(known, decimals), known):
            return decimals
    return None


def whole_numbers(values: Floats, largest: int) -> tuple[Ints, Fraction]:
    """Return finite values as whole numbers of a unit from their middle on, and the unit.

    The unit is the last digit of decimals. Where there is none, or where so many digits do not fit,
    it is a power of two in which the range of the values just fits, and they are rounded to it.

    >>> whole_numbers(np.array([0.5, 12.25, 0.75]), 2**47)
    (array([-587,  588, -562]), Fraction(1, 100))

    Args:
        values: the values.
        largest: what no whole number exceeds in absolute value: a power of two, up to 2^53.
    """
    few = decimals_of(values[:FEW])  # most numbers that are no decimals show it soon
    decimals = None if few is None else decimals_of(values)
    if decimals is not None:
        units = in_units(values, decimals)
        units -= (units.min(initial=WHOLE) + units.max(initial=-WHOLE)) // 2
        if units.max(initial=0) < largest:
            return units, Fraction(1, 10**decimals)
    shifted = values - (values.min() / 2 + values.max() / 2)
    power = largest.bit_length() - 2 - int(np.frexp(np.abs(shifted).max())[1])
    whole: Ints = np.rint(np.ldexp(shifted, power)).astype(np.int64)
    return whole, Fraction(2) ** -power


def in_units(values: Floats, decimals: int) -> Ints:
    """Return decimals as whole numbers of their last digit.

    >>> in_units(np.array([0.1, 0.2, 0.3]), 1)
    array([1, 2, 3])
    """
    units: Ints = np.round(values * 10**decimals).astype(np.int64)
    return units
