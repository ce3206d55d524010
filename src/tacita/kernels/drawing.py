"""Drawing from many distributions at once, by numbers between 0 and 1 that are given."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import cut, frozen, kernel, spread, thread_count

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

GRAIN = 65_536  # numbers that are worth a thread


def drawn_by_row(
    values: Floats, cumulated: Floats, rows: Ints, shares: Floats, *, threads: int | None = None
) -> Floats:
    """Return, for every share, the first value whose cumulated chance in its row is above it.

    A share that no chance is above, or that is not a number, gets the last value.

    >>> chances = np.array([[1.0, 1.0], [0.5, 1.0]])
    >>> drawn_by_row(np.array([-3.0, 3.0]), chances, np.array([0, 1, 1]), np.array([0.9, 0.4, 0.5]))
    array([-3., -3.,  3.])

    Args:
        values: one for each column.
        cumulated: one row a distribution, ascending.
        rows: the row of each share.
        shares: from 0 on and below 1.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    values, cumulated = frozen(values, np.float64), frozen(cumulated, np.float64)
    rows, shares = frozen(rows, np.int64), frozen(shares, np.float64)
    if rows.shape != shares.shape or cumulated.shape[1:] != values.shape:
        raise ValueError(
            f"rows and shares, or columns and values, differ in number: {rows.size}, "
            f"{shares.size}, {cumulated.shape[1:]}, {values.size}"
        )
    if rows.size and not (rows.min() >= 0 and rows.max() < len(cumulated)):
        raise ValueError(f"rows must lie in 0..{len(cumulated) - 1}")
    drawn = np.empty(len(shares))
    workers = thread_count(threads, len(shares), GRAIN)

    def run(part: slice) -> None:
        _draw(values, cumulated, rows[part], shares[part], drawn[part])

    spread(run, cut(len(shares), workers), workers)
    return drawn


def warm_up() -> None:
    """Compile the kernels of this module."""
    drawn_by_row(np.zeros(1), np.ones((1, 1)), np.zeros(1, np.int64), np.zeros(1))


@kernel
def _draw(values: Floats, cumulated: Floats, rows: Ints, shares: Floats, drawn: Floats) -> None:
    last = values.size - 1
    for i in range(rows.size):
        chances, share = cumulated[rows[i]], shares[i]
        low, high = 0, last
        while low < high:
            middle = (low + high) // 2
            if chances[middle] > share:
                high = middle
            else:
                low = middle + 1
        drawn[i] = values[low]
