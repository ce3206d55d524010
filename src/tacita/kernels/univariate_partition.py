"""The best cut of ordered numbers into runs: a shortest path (Hansen & Mukherjee 2003)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def best_runs(values: Floats, k: int) -> Ints:
    """Cut ascending numbers into runs of at least ``k`` with the least sum of squares within them.

    No run needs more than 2k - 1 numbers, since a longer one is never worse cut in two. The sums
    of squares of the runs that may end at a number are found by going back from it (Welford 1962)
    over the differences to it, so that an offset costs no digit: O(kn) time and O(n) memory. Of
    equally good cuts the one with the shorter last run is taken. Fewer than ``k`` are one run.

    >>> best_runs(np.array([1.0, 2.0, 3.0, 11.0, 12.0, 13.0, 14.0]), k=3)
    array([0, 0, 0, 1, 1, 1, 1])
    """
    lengths = np.zeros(values.size + 1, np.int64)
    _shortest_path(frozen(values, np.float64), k, np.full(values.size + 1, np.inf), lengths)
    runs = np.zeros(values.size, np.int64)
    end = values.size if values.size >= k else 0
    while end:
        end -= lengths[end]
        runs[end] = end > 0
    return np.cumsum(runs)


def warm_up() -> None:
    """Compile the kernels of this module."""
    best_runs(np.arange(4.0), 2)


@kernel
def _shortest_path(values: Floats, k: int, costs: Floats, lengths: Ints) -> None:
    """Find for every number of leading values their least cost and the length of the last run."""
    costs[0] = 0.0
    for end in range(k, values.size + 1):
        mean = squares = 0.0
        for length in range(1, min(2 * k - 1, end) + 1):
            value = values[end - length] - values[end - 1]
            step = value - mean
            mean += step / length
            squares += step * (value - mean)
            if length >= k and costs[end - length] + squares < costs[end]:
                costs[end] = costs[end - length] + squares
                lengths[end] = length
