"""Dense ranks of whole numbers from a narrow range, through a table instead of a sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Whole = npt.NDArray[np.integer[Any]]

SPREAD = 4  # places of the table for each number, at most; a sort is the better way beyond


def dense_ranks(numbers: Whole) -> tuple[Places, Ints] | None:
    """Return the rank of each number among the distinct ones, and those in their order.

    None where they lie too far apart.

    >>> ranks, distinct = dense_ranks(np.array([7, 5, 7]))
    >>> ranks.tolist(), distinct
    ([1, 0, 1], array([5, 7]))
    >>> dense_ranks(np.array([0, 100]))
    """
    if not numbers.size or numbers.dtype == np.uint64:  # whose largest fit no other type
        return None
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= SPREAD * numbers.size:
        return None
    held = frozen(numbers, np.int64)
    there = np.zeros(high - low + 1, np.bool_)
    _mark(held, low, there)
    table = np.cumsum(there, dtype=np.int32)
    ranks = np.empty(held.size, np.int32)
    _look_up(held, low, table, ranks)
    return ranks, np.flatnonzero(there) + low


def warm_up() -> None:
    """Compile the kernels of this module."""
    dense_ranks(np.zeros(1, np.int64))


@kernel
def _mark(numbers: Ints, low: int, there: npt.NDArray[np.bool_]) -> None:
    """Mark the numbers that occur."""
    for number in numbers:
        there[number - low] = True


@kernel
def _look_up(numbers: Ints, low: int, table: Places, ranks: Places) -> None:
    """Write the rank of each number; the table counts from 1."""
    for i in range(numbers.size):
        ranks[i] = table[numbers[i] - low] - 1
