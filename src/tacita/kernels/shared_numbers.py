"""How many numbers two ascending lists have in common, for many pairs of lists."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]


def count_shared(starts: Ints, numbers: Ints, ones: Ints, others: Ints) -> Ints:
    """Return for pairs of lists how many numbers both hold.

    >>> starts, numbers = np.array([0, 2, 5]), np.array([1, 4, 1, 2, 4])
    >>> count_shared(starts, numbers, np.array([0, 1]), np.array([1, 1]))
    array([2, 3])

    Args:
        starts: where each list begins among the numbers, and behind them where the last one ends.
        numbers: the lists one after another, each ascending and without repeats.
        ones: the first list of each pair.
        others: the second.
    """
    counts = np.zeros(len(ones), np.int64)
    _count(
        frozen(starts), frozen(numbers), frozen(ones, np.int64), frozen(others, np.int64), counts
    )
    return counts


def warm_up() -> None:
    """Compile the kernels of this module."""
    nothing = np.zeros(0, np.int64)
    count_shared(np.zeros(1, np.int64), nothing, nothing, nothing)


@kernel
def _count(starts: Ints, numbers: Ints, ones: Ints, others: Ints, counts: Ints) -> None:
    for pair in range(ones.size):
        here, there = starts[ones[pair]], starts[others[pair]]
        end, stop = starts[ones[pair] + 1], starts[others[pair] + 1]
        while here < end and there < stop:
            gap = numbers[here] - numbers[there]
            counts[pair] += gap == 0
            here += gap <= 0
            there += gap >= 0
