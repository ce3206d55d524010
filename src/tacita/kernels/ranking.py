"""Dense ranks of whole numbers from a narrow range, through a table instead of a sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.integer[Any]]

SPREAD = 4  # places of the table for each number, at most; a sort is the better way beyond
ONE, TWO, FOUR, SIX, LAST, TOP = (np.uint64(number) for number in (1, 2, 4, 6, 63, 56))
PAIRS, FOURS, BYTES, EACH = (np.uint64((2**64 - 1) // part) for part in (3, 5, 17, 255))


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
    there = np.zeros((high - low) // 64 + 1, np.uint64)
    _mark(held, low, there)
    before = np.cumsum(np.bitwise_count(there), dtype=np.int32)
    distinct = np.empty(int(before[-1]), np.int64)
    before[1:], before[0] = before[:-1].copy(), 0
    _list(there, low, distinct)
    ranks = np.empty(held.size, np.int32)
    _look_up(held, low, there, before, ranks)
    return ranks, distinct


def warm_up() -> None:
    """Compile the kernels of this module."""
    dense_ranks(np.zeros(1, np.int64))


@kernel
def _mark(numbers: Ints, low: int, there: Words) -> None:
    """Set the bits of the numbers that occur: a bit each, so that the table stays in the cache."""
    for number in numbers:
        place = np.uint64(number - low)
        there[place >> SIX] |= ONE << (place & LAST)


@kernel
def _list(there: Words, low: int, distinct: Ints) -> None:
    """Write the numbers that occur, in their order."""
    found = 0
    for word in range(there.size):
        left = there[word]
        while left:
            lowest = left & (~left + ONE)
            distinct[found] = low + 64 * word + _ones(lowest - ONE)
            left, found = left ^ lowest, found + 1


@kernel
def _look_up(numbers: Ints, low: int, there: Words, before: Places, ranks: Places) -> None:
    """Write the rank of each number: the bits set in the words before its own, and below it."""
    for i in range(numbers.size):
        place = np.uint64(numbers[i] - low)
        below = (ONE << (place & LAST)) - ONE
        ranks[i] = before[place >> SIX] + _ones(there[place >> SIX] & below)


@kernel
def _ones(word: np.uint64) -> int:
    """Count the bits that are set: in pairs, in fours, in bytes, and the bytes by a product."""
    word -= (word >> ONE) & PAIRS
    word = (word & FOURS) + ((word >> TWO) & FOURS)
    word = (word + (word >> FOUR)) & BYTES
    return int((word * EACH) >> TOP)
