"""Rounding to multiples of a decimal, each the double next to it, and placing between bounds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import cut, frozen, kernel, spread, thread_count

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

GRAIN = 65_536  # numbers that are worth a thread
EXACT = 2**51  # from so many denominators on, the middles between multiples may have no double


def to_multiples(
    values: Floats, numerator: int, denominator: int, *, threads: int | None = None
) -> Floats | None:
    """Return the nearest multiple of a fraction for every number; halves go up, NaN stays.

    A multiple, and the middle between two, is the double next to it: the quotient of two whole
    numbers that doubles hold, which division rounds correctly. There is no result if some number is
    EXACT / denominator or more in absolute value.

    >>> to_multiples(np.array([0.15, -0.15, 2.5]), 1, 10)
    array([ 0.2, -0.1,  2.5])

    Args:
        values: the numbers.
        numerator: of the fraction, 1 to 2^50.
        denominator: of the fraction, 1 to 2^51.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    numbers, rounded = frozen(values, np.float64), np.empty(len(values))
    workers = thread_count(threads, len(values), GRAIN)

    def run(part: slice) -> int:
        return _round(numbers[part], float(numerator), float(denominator), rounded[part])

    too_large = spread(run, cut(len(values), workers), workers)
    return None if any(too_large) else rounded


def places_between(
    values: Floats, bounds: Floats, *, even: bool = False, threads: int | None = None
) -> Ints:
    """Return how many of some bounds every number has reached; NaN has reached them all.

    This is `np.searchsorted(bounds, values, side="right")`, without its branches or its search.

    >>> places_between(np.array([1.0, 2.0, np.nan]), np.array([2.0, 5.0]))
    array([0, 1, 2])

    Args:
        values: the numbers.
        bounds: ascending.
        even: whether they are as far from each other, up to rounding.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    numbers, ascending = frozen(values, np.float64), frozen(bounds, np.float64)
    places = np.zeros(len(values), np.int64)
    workers = thread_count(threads, len(values), GRAIN)
    place = _place_evenly if even else _place

    def run(part: slice) -> None:
        place(numbers[part], ascending, places[part])

    if len(bounds):
        spread(run, cut(len(values), workers), workers)
    return places


def warm_up() -> None:
    """Compile the kernels of this module."""
    to_multiples(np.zeros(1), 1, 1)
    for even in (False, True):
        places_between(np.zeros(1), np.zeros(1), even=even)


@kernel
def _round(values: Floats, numerator: float, denominator: float, rounded: Floats) -> int:
    per_unit, twice, limit = denominator / numerator, 2 * denominator, EXACT / denominator
    too_large = 0
    for i in range(values.size):
        value = values[i]
        step = np.floor(value * per_unit + 0.5)
        # The product may land on the wrong side of a middle; the middles themselves decide.
        above = value >= (2 * step + 1) * numerator / twice
        below = value < (2 * step - 1) * numerator / twice
        rounded[i] = (step + above - below) * numerator / denominator
        too_large += abs(value) >= limit
    return too_large


@kernel
def _place(values: Floats, bounds: Floats, places: Ints) -> None:
    """Halve the bounds that are in question, as often for every number."""
    for i in range(values.size):
        value, place, size = values[i], 0, bounds.size
        while size > 1:
            half = size // 2
            place += 0 if value < bounds[place + half - 1] else half
            size -= half
        places[i] = place + (0 if value < bounds[place] else 1)


@kernel
def _place_evenly(values: Floats, bounds: Floats, places: Ints) -> None:
    """Count the gaps up to a number; rounding may miss the place by one."""
    first, last = bounds[0], bounds.size
    per_unit = (last - 1) / (bounds[last - 1] - first) if last > 1 else 0.0
    for i in range(values.size):
        value = values[i]
        if np.isnan(value):
            places[i] = last
            continue
        place = int(min(max((value - first) * per_unit + 1.0, 0.0), float(last)))
        if place < last and value >= bounds[place]:
            place += 1
        elif place > 0 and value < bounds[place - 1]:
            place -= 1
        places[i] = place
