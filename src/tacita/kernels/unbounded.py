"""Exact elimination with Python's unbounded integers, for numbers that outgrow 64 bits."""

from __future__ import annotations

from math import gcd

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
NONE = -1


def eliminated_slowly(
    indptr: Ints, indices: Ints, data: Ints, columns: int
) -> tuple[dict[int, dict[int, int]], list[int]]:
    """Return the reduced row of every pivot, as a mapping, and the rows that are independent."""
    solved: dict[int, dict[int, int]] = {}
    kept = []
    for number in range(len(indptr) - 1):
        entries = slice(indptr[number], indptr[number + 1])
        row = dict(zip(indices[entries].tolist(), data[entries].tolist(), strict=True))
        for pivot in [column for column in row if column in solved]:
            row = _without(row, solved[pivot], pivot)
        pivot = min((c for c, value in row.items() if c < columns and value), default=NONE)
        if pivot == NONE:
            continue
        for other, above in solved.items():
            solved[other] = _without(above, row, pivot)
        solved[pivot] = _without(row, {}, NONE)
        kept.append(number)
    return solved, kept


def determined_slowly(
    indptr: Ints, indices: Ints, data: Ints, columns: int
) -> npt.NDArray[np.bool_]:
    """Tell which unknowns every solution agrees on; of few equations faster than compiling.

    >>> determined_slowly(np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([1, 1, 1]), 2)
    array([ True,  True])
    """
    found = np.zeros(columns, bool)
    for pivot, row in eliminated_slowly(indptr, indices, data, columns)[0].items():
        found[pivot] = all(column == pivot or column >= columns for column in row)
    return found


def _without(row: dict[int, int], other: dict[int, int], pivot: int) -> dict[int, int]:
    """Subtract from a row as much of another as rids it of the pivot, and make it primitive."""
    value, lead = row.get(pivot, 0), other.get(pivot, 1)
    mixed = {
        column: lead * row.get(column, 0) - value * other.get(column, 0)
        for column in (row | other if value else row)
    }
    common = gcd(*mixed.values())
    return {column: entry // common for column, entry in mixed.items() if entry}
