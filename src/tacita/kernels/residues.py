"""Rows of residues modulo a prime below 2^31: adding, comparing, clearing and copying them.

A matrix holds rows in unsigned 32-bit numbers. It may have room for more rows and columns than it
has; `height` and `width` say how much of it counts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import kernel

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Residues = npt.NDArray[np.uint32]
Wide = npt.NDArray[np.uint64]

HALF = 32  # bits of a residue's word


def left_over(matrix: Residues, rows: Ints, vector: Mask, prime: int) -> Wide:
    """Return a vector of zeros and ones less the sum of some rows.

    >>> matrix = np.array([[1, 2, 0], [0, 6, 0]], np.uint32)
    >>> left_over(matrix, np.array([0, 1]), np.array([True, False]), 7).tolist()
    [0, 6]
    """
    total = _added(matrix, rows, len(vector))
    left: Wide = (vector + (prime - total % np.uint64(prime))) % np.uint64(prime)
    return left


def multiples(matrix: Residues, height: int, vector: Wide, prime: int) -> Mask:
    """Tell which rows are the vector times something other than 0.

    >>> matrix = np.array([[1, 2], [3, 6], [3, 5], [0, 0]], np.uint32)
    >>> multiples(matrix, 4, np.array([2, 4], np.uint64), 7).tolist()
    [True, True, False, False]
    """
    return _multiples(matrix, height, vector, np.uint64(prime))


def clear_column(matrix: Residues, height: int, vector: Wide, column: int, prime: int) -> None:
    """Take the vector out of every row, as often as makes a column 0; the vector has a 1 there.

    >>> matrix = np.array([[3, 2], [0, 5]], np.uint32)
    >>> clear_column(matrix, 2, np.array([1, 4], np.uint64), 0, 7)
    >>> matrix.tolist()
    [[0, 4], [0, 5]]
    """
    # Shoup's way: with each entry's share of the prime at hand, no division is left in the loop.
    shares = (vector << np.uint64(HALF)) // np.uint64(prime)
    _clear(
        matrix, height, vector.astype(np.uint32), shares.astype(np.uint32), column, np.uint32(prime)
    )


def copy_columns(matrix: Residues, height: int, width: int, sources: Ints) -> None:
    """Write columns after the first `width`: copies of earlier ones, or zeros where -1 is said.

    >>> matrix = np.array([[3, 2, 9, 9]], np.uint32)
    >>> copy_columns(matrix, 1, 2, np.array([1, -1]))
    >>> matrix.tolist()
    [[3, 2, 2, 0]]
    """
    _copy(matrix, height, width, sources)


def warm_up() -> None:
    """Compile the kernels of this module."""
    matrix, vector = np.ones((1, 2), np.uint32), np.ones(1, np.uint64)
    left_over(matrix, np.zeros(1, np.int64), np.ones(1, bool), 7)
    multiples(matrix, 1, vector, 7)
    clear_column(matrix, 1, vector, 0, 7)
    copy_columns(matrix, 1, 1, np.zeros(1, np.int64))


@kernel
def _added(matrix: Residues, rows: Ints, width: int) -> Wide:
    """Add up rows; sums of 2^32 residues still fit."""
    total = np.zeros(width, np.uint64)
    for row in rows:
        for column in range(width):
            total[column] += matrix[row, column]
    return total


@kernel
def _multiples(matrix: Residues, height: int, vector: Wide, prime: np.uint64) -> Mask:
    found = np.zeros(height, np.bool_)
    filled = np.flatnonzero(vector)
    if not len(filled):
        return found
    lead = filled[0]
    for row in range(height):
        times = np.uint64(matrix[row, lead])
        same = times != 0
        for column in range(len(vector)):
            entry = np.uint64(matrix[row, column])
            if not same or entry * vector[lead] % prime != times * vector[column] % prime:
                same = False
                break
        found[row] = same
    return found


@kernel
def _clear(
    matrix: Residues, height: int, vector: Residues, shares: Residues, column: int, prime: np.uint32
) -> None:
    for row in range(height):
        times = matrix[row, column]
        if times == 0:
            continue
        factor = np.uint64(prime - times)
        entries = matrix[row]
        for place in range(len(vector)):
            whole = np.uint32((np.uint64(shares[place]) * factor) >> np.uint64(HALF))
            # Below twice the prime, so it is right although its parts run over 32 bits.
            added = np.uint32(vector[place] * factor - np.uint64(whole) * prime)
            added = min(added, np.uint32(added - prime))
            entry = np.uint32(entries[place] + added)
            entries[place] = min(entry, np.uint32(entry - prime))


@kernel
def _copy(matrix: Residues, height: int, width: int, sources: Ints) -> None:
    for row in range(height):
        for place in range(len(sources)):
            source = sources[place]
            matrix[row, width + place] = matrix[row, source] if source >= 0 else 0
