"""Which rows follow from others where no column has more than two entries, each 1 or -1.

Rows follow from each other if some multiples of them add up to nothing. A column with two entries
says that the multipliers of their rows are the same or opposite; a column with a single entry says
that the multiplier of its row is 0. So the rows that columns hang together have one multiplier but
for signs, and one of them can be left out unless the columns contradict each other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

NONE = -1
PAIR = 2


def rows_to_keep(indptr: Ints, indices: Ints, data: Ints, columns: int) -> Mask | None:
    """Tell which rows can be kept so that all others follow; None if columns are not so simple.

    >>> indptr, indices = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 2])
    >>> rows_to_keep(indptr, indices, np.array([1, -1, -1, 1, 1]), 3)
    array([ True, False,  True])

    Args:
        indptr: where the entries of each row start.
        indices: the columns of the entries, each at most once in a row.
        data: the coefficients.
        columns: how many columns there are.
    """
    if (np.abs(data) != 1).any():
        return None
    matrix = [frozen(part, np.int64) for part in (indptr, indices, data)]
    fits, kept = _kept(matrix[0], matrix[1], matrix[2], columns)
    return kept if fits else None


@kernel
def _kept(indptr: Ints, indices: Ints, data: Ints, columns: int) -> tuple[bool, Mask]:
    size = len(indptr) - 1
    above, sign = np.arange(size), np.ones(size, np.int64)
    is_zero = np.zeros(size, np.bool_)  # at the top of each group: its multiplier is 0
    owner = np.full(columns, NONE)
    seen, value = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    kept = np.ones(size, np.bool_)
    for row in range(size):
        for place in range(indptr[row], indptr[row + 1]):
            column = indices[place]
            seen[column] += 1
            if seen[column] == 1:
                owner[column], value[column] = row, data[place]
            elif seen[column] > PAIR:
                return False, kept
            else:
                _join(above, sign, is_zero, owner[column], row, -value[column] * data[place])
    for column in range(columns):
        if seen[column] == 1:
            is_zero[_top(above, sign, owner[column])] = True
    for row in range(size - 1, -1, -1):
        top = _top(above, sign, row)
        if not is_zero[top]:
            kept[row] = False
            is_zero[top] = True  # without this row, nothing adds up to nothing any more
    return True, kept


@kernel
def _join(above: Ints, sign: Ints, is_zero: Mask, one: int, other: int, ratio: int) -> None:
    """Note that the multiplier of a row is that of another one times a ratio, 1 or -1."""
    first, second = _top(above, sign, one), _top(above, sign, other)
    between = sign[one] * ratio * sign[other]
    if first != second:
        above[second], sign[second] = first, between
        is_zero[first] |= is_zero[second]
    elif between < 0:
        is_zero[first] = True  # it is its own opposite


@kernel
def _top(above: Ints, sign: Ints, row: int) -> int:
    """Return the row that stands for the group of a row, and let the row hang right below it."""
    top, together = row, 1
    while above[top] != top:
        together *= sign[top]
        top = above[top]
    while above[row] != row:
        higher, own = above[row], sign[row]
        above[row], sign[row] = top, together
        together *= own
        row = higher
    return top


def warm_up() -> None:
    """Compile the kernels of this module."""
    rows_to_keep(np.array([0, 1]), np.array([0]), np.array([1]), 1)
