"""How far apart sets are, given how far apart their members are, for many pairs of sets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def set_distances(starts: Ints, members: Ints, apart: Floats, ones: Ints, others: Ints) -> Floats:
    """Return for pairs of sets how far members are, on average, from the nearest of the other set.

    A member is 1 away from the nearest of no members; two empty sets are 0 apart.

    >>> starts, members = np.array([0, 2, 3, 3]), np.array([0, 1, 1])
    >>> apart = np.array([[0.0, 0.5], [0.5, 0.0]])
    >>> set_distances(starts, members, apart, np.array([0, 0, 2]), np.array([1, 2, 2])).round(3)
    array([0.167, 1.   , 0.   ])

    Args:
        starts: where each set begins among the members, and behind them where the last one ends.
        members: the sets one after another, each without repeats.
        apart: the distance of every member to every other.
        ones: the first set of each pair.
        others: the second.
    """
    found = np.zeros(len(ones))
    _measure(
        frozen(starts),
        frozen(members),
        frozen(apart),
        frozen(ones, np.int64),
        frozen(others, np.int64),
        found,
    )
    return found


def warm_up() -> None:
    """Compile the kernels of this module."""
    nothing = np.zeros(0, np.int64)
    set_distances(np.zeros(1, np.int64), nothing, np.zeros((0, 0)), nothing, nothing)


@kernel
def _measure(
    starts: Ints, members: Ints, apart: Floats, ones: Ints, others: Ints, found: Floats
) -> None:
    for pair in range(ones.size):
        here, end = starts[ones[pair]], starts[ones[pair] + 1]
        there, stop = starts[others[pair]], starts[others[pair] + 1]
        size = end - here + stop - there
        if size:
            total = _nearest(members, apart, here, end, there, stop)
            total += _nearest(members, apart, there, stop, here, end)
            found[pair] = total / size


@kernel
def _nearest(members: Ints, apart: Floats, here: int, end: int, there: int, stop: int) -> float:
    """Sum the distances of the members of one set from the nearest of another."""
    total = 0.0
    for one in range(here, end):
        nearest = 1.0
        for other in range(there, stop):
            nearest = min(nearest, apart[members[one], members[other]])
        total += nearest
    return total
