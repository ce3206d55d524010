"""Products of columns and linear maps of columns, block by block in the cache.

The sums of products are about an origin that the caller chooses and are not corrected for rounding:
a third of the time of `moments`, at the cost of some digits where the origin is far off.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import kernel, spread, thread_count

Floats = npt.NDArray[np.float64]

BLOCK = 2**14  # records at a time: few enough for the cache, so many that threads seldom meet
CHUNK = 2**2 * BLOCK  # records of one thread at a time; fixed, so that threads change no rounding
NEAR = 2**8  # records at a time whose products are added: few enough for the nearest cache
LANES = 4  # partial sums of a product, which the processor adds side by side


def products(columns: Sequence[Floats], origin: Floats, *, threads: int | None = None) -> Floats:
    """Sum the products of pairs of columns about an origin, a column of ones before them.

    >>> products([np.array([1.0, 3.0]), np.array([5.0, 5.0])], np.array([1.0, 0.0]))
    array([[ 2.,  2., 10.],
           [ 2.,  4., 10.],
           [10., 10., 50.]])

    Args:
        columns: columns of one length, without blanks.
        origin: a number for each, which is subtracted first.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    size = len(columns[0])
    workers = thread_count(threads, size, CHUNK)

    def of_chunk(start: int) -> Floats:
        rows = np.zeros((len(columns) + 1, BLOCK))
        total = np.zeros((len(rows), len(rows)))
        for at in range(start, min(start + CHUNK, size), BLOCK):
            count = min(BLOCK, size - at)
            rows[0, :count], rows[:, count:] = 1.0, 0.0
            _gather(columns, at, count, origin, rows[1:])
            _add_products(rows, total)
        return total

    total = np.sum(spread(of_chunk, range(0, size, CHUNK), workers), axis=0, initial=0.0)
    return np.asarray(np.triu(total) + np.triu(total, 1).T)


def mapped(
    matrix: Floats,
    columns: Sequence[Floats],
    origin: Floats,
    offset: Floats,
    *,
    out: Floats | None = None,
    threads: int | None = None,
) -> Floats:
    """Return `offset + matrix (columns - origin)`, one row for every row of the matrix.

    >>> columns = [np.array([1.0, 3.0]), np.array([5.0, 6.0])]
    >>> mapped(np.array([[1.0, 2.0]]), columns, np.array([1.0, 5.0]), np.array([7.0]))
    array([[ 7., 11.]])

    Args:
        matrix: what each column counts in each row of the result.
        columns: columns of one length.
        origin: a number for each, which is subtracted first.
        offset: a number for each row of the result, which is added last.
        out: where the result goes; it may hold the columns themselves.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    size = len(columns[0])
    found = np.empty((len(matrix), size)) if out is None else out

    def map_chunk(start: int) -> None:
        rows, after = np.empty((len(columns), BLOCK)), np.empty((len(matrix), BLOCK))
        for at in range(start, min(start + CHUNK, size), BLOCK):
            count = min(BLOCK, size - at)
            _gather(columns, at, count, origin, rows)
            _map(np.ascontiguousarray(matrix), rows, offset, count, after)
            found[:, at : at + count] = after[:, :count]

    spread(map_chunk, range(0, size, CHUNK), thread_count(threads, size, CHUNK))
    return found


def warm_up() -> None:
    """Compile the kernels of this module."""
    one = [np.ones(1)]
    products(one, np.zeros(1))
    mapped(np.ones((1, 1)), one, np.zeros(1), np.zeros(1))


def _gather(
    columns: Sequence[Floats], start: int, count: int, origin: Floats, rows: Floats
) -> None:
    """Write some records of columns, less the origin, into rows."""
    for row, column in enumerate(columns):
        np.subtract(column[start : start + count], origin[row], out=rows[row, :count])


@kernel
def _add_products(rows: Floats, total: Floats) -> None:
    """Add the products of rows, on and above the diagonal; two rows are read at a time."""
    last = len(rows) - 1
    for start in range(0, rows.shape[1], NEAR):
        for i in range(len(rows)):
            for j in range(i, last, 2):
                first, second = _two_dots(rows, i, j, j + 1, start)
                total[i, j] += first
                total[i, j + 1] += second
            if (last - i) % 2 == 0:
                total[i, last] += _two_dots(rows, i, last, last, start)[0]


@kernel
def _two_dots(rows: Floats, i: int, j: int, k: int, start: int) -> tuple[float, float]:
    """Multiply a row with two others; the lanes are written out, as sums may not be reordered."""
    a, b, c = rows[i], rows[j], rows[k]
    b0 = b1 = b2 = b3 = c0 = c1 = c2 = c3 = 0.0
    for t in range(start, start + NEAR, LANES):
        b0 += a[t] * b[t]
        b1 += a[t + 1] * b[t + 1]
        b2 += a[t + 2] * b[t + 2]
        b3 += a[t + 3] * b[t + 3]
        c0 += a[t] * c[t]
        c1 += a[t + 1] * c[t + 1]
        c2 += a[t + 2] * c[t + 2]
        c3 += a[t + 3] * c[t + 3]
    return (b0 + b2) + (b1 + b3), (c0 + c2) + (c1 + c3)


@kernel
def _map(matrix: Floats, rows: Floats, offset: Floats, count: int, after: Floats) -> None:
    """Combine the first numbers of rows linearly."""
    for j in range(matrix.shape[0]):
        result = after[j]
        result[:count] = offset[j]
        for i in range(matrix.shape[1]):
            factor = matrix[j, i]
            if factor != 0.0:
                row = rows[i]
                for k in range(count):
                    result[k] += factor * row[k]
