"""Numbers as the decimals that were written, so that sums can be checked exactly."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Ints

MOST_DECIMALS = 9
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


def in_units(values: Floats, decimals: int) -> Ints:
    """Return decimals as whole numbers of their last digit.

    >>> in_units(np.array([0.1, 0.2, 0.3]), 1)
    array([1, 2, 3])
    """
    units: Ints = np.round(values * 10**decimals).astype(np.int64)
    return units
