"""The second half of exact elimination: solving a triangle of equations for their pivots."""

from __future__ import annotations

from math import gcd
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import kernel

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

LIMIT = 2**31  # two products of smaller numbers, and their difference, fit into 64 bits
PRIME = 2**31 - 1


class Reduced(NamedTuple):
    """Equations solved for their pivots: leads[i] * x[pivots[i]] + (row i) @ x = 0.

    Rows name free columns and passengers only. Coefficients too large for 64 bits make the arrays
    of numbers hold Python integers.
    """

    pivots: Ints
    leads: npt.NDArray[Any]
    indptr: Ints
    indices: Ints
    data: npt.NDArray[Any]


@kernel
def null_vector(triangle: Reduced, vector: Ints) -> Ints:
    """Complete the free part of a vector to one that solves all equations, modulo the prime."""
    for place in range(len(triangle.pivots) - 1, -1, -1):
        total = 0
        for at in range(triangle.indptr[place], triangle.indptr[place + 1]):
            column = triangle.indices[at]
            if column < len(vector):
                total = (total + triangle.data[at] % PRIME * vector[column]) % PRIME
        vector[triangle.pivots[place]] = -total * _inverse(triangle.leads[place]) % PRIME
    return vector


@kernel
def _inverse(value: int) -> int:
    """Return the inverse modulo the prime, by Fermat's little theorem."""
    power, result, left = value % PRIME, 1, PRIME - 2
    while left:
        if left & 1:
            result = result * power % PRIME
        power = power * power % PRIME
        left >>= 1
    return result


@kernel
def substituted(triangle: Reduced, wanted: Mask, width: int) -> Any:
    """Rid the rows of wanted pivots of all other pivots."""
    row, listed = np.zeros(width, np.int64), np.zeros(width, np.bool_)
    pivots, leads, ends = [0 for _ in range(0)], [0 for _ in range(0)], [0]
    indices, data = [0 for _ in range(0)], [0 for _ in range(0)]
    fits = True
    for place in range(len(triangle.pivots)):
        if not fits or not wanted[triangle.pivots[place]]:
            continue
        columns = [0 for _ in range(0)]
        fits = _one_substituted(triangle, place, row, listed, columns)
        pivots.append(triangle.pivots[place])
        leads.append(row[triangle.pivots[place]])
        for column in columns:
            if row[column] and column != triangle.pivots[place]:
                indices.append(column)
                data.append(row[column])
            row[column], listed[column] = 0, False
        ends.append(len(indices))
    return (
        fits,
        np.array(pivots, np.int64),
        np.array(leads, np.int64),
        np.array(ends, np.int64),
        np.array(indices, np.int64),
        np.array(data, np.int64),
    )


@kernel
def _one_substituted(
    triangle: Reduced, place: int, row: Ints, listed: Mask, columns: list[int]
) -> bool:
    """Put a row into a dense one and subtract from it the rows of later pivots."""
    row[triangle.pivots[place]] = triangle.leads[place]
    listed[triangle.pivots[place]] = True
    columns.append(triangle.pivots[place])
    _add(triangle, place, 1, row, listed, columns)
    for later in range(place + 1, len(triangle.pivots)):
        value = row[triangle.pivots[later]]
        if not value:
            continue
        common = gcd(value, triangle.leads[later])
        own = triangle.leads[later] // common
        if own != 1:
            for column in columns:
                row[column] *= own
        row[triangle.pivots[later]] = 0
        _add(triangle, later, -(value // common), row, listed, columns)
        if not _made_primitive(row, columns):
            return False
    return True


@kernel
def _add(
    triangle: Reduced, place: int, factor: int, row: Ints, listed: Mask, columns: list[int]
) -> None:
    for at in range(triangle.indptr[place], triangle.indptr[place + 1]):
        column = triangle.indices[at]
        row[column] += factor * triangle.data[at]
        if not listed[column]:
            listed[column] = True
            columns.append(column)


@kernel
def _made_primitive(row: Ints, columns: list[int]) -> bool:
    """Divide a row by what its entries share; tell whether they are small enough to go on."""
    common, largest = 0, 0
    for column in columns:
        largest = max(largest, abs(row[column]))
        if common != 1:
            common = gcd(common, row[column])
    if common > 1:
        for column in columns:
            row[column] //= common
    return largest // max(common, 1) < LIMIT
