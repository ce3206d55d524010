"""The largest numbers of every group, kept while groups are joined into larger ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

ONCE: Ints = frozen(np.empty(0, np.int64))


def largest_by_group(
    ids: Ints, candidates: Floats, g: int, m: int, times: Ints | None = None
) -> Floats:
    """Return the ``m`` largest numbers above 0 of each group below ``g``, in descending order.

    Where a group has fewer, the rest is 0. What is not a number is passed over.

    >>> largest_by_group(np.array([0, 1, 0]), np.array([[5.0], [2.0], [7.0]]), g=2, m=2)
    array([[7., 5.],
           [2., 0.]])

    Args:
        ids: the group of each row.
        candidates: one row of numbers each, in descending order.
        g: the number of groups.
        m: how many numbers are kept.
        times: how often the numbers of a row count, 1 or more; once when left out.
    """
    ids, candidates = frozen(ids, np.int64), frozen(candidates, np.float64)
    often = ONCE if times is None else frozen(times, np.int64)
    if candidates.shape[:1] != ids.shape or often.size not in (0, ids.size):
        raise ValueError(
            f"groups, numbers and times differ in length: {ids.size}, {len(candidates)}, "
            f"{often.size}"
        )
    if ids.size and not (ids.min() >= 0 and ids.max() < g):
        raise ValueError(f"groups must lie in 0..{g - 1}; got {ids.min()}..{ids.max()}")
    largest = np.zeros((g, m))
    if m:
        _keep_largest(ids, candidates, often, largest)
    return largest


def warm_up() -> None:
    """Compile the kernels of this module."""
    largest_by_group(np.array([0, 0]), np.ones((2, 1)), 1, 1)


@kernel
def _keep_largest(ids: Ints, candidates: Floats, times: Ints, largest: Floats) -> None:
    last = largest.shape[1] - 1
    for i in range(ids.size):
        kept = largest[ids[i]]
        left = 1 if times.size == 0 else times[i]
        for j in range(candidates.shape[1]):
            number = candidates[i, j]
            if not number > kept[last]:
                break
            for _ in range(min(left, last + 1)):
                _insert(kept, number)


@kernel
def _insert(kept: Floats, number: float) -> None:
    """Put a number into its place among those kept, unless all of them are as large."""
    place = kept.size - 1
    if kept[place] >= number:
        return
    while place > 0 and kept[place - 1] < number:
        kept[place] = kept[place - 1]
        place -= 1
    kept[place] = number
