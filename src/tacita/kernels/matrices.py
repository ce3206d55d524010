"""Products and factorizations of dense matrices, each sum in one order that is written down here.

A library of linear algebra chooses its loops by the processor and the number of threads, so that
its last digits differ from machine to machine. These loops are for matrices with few columns; the
compiler may not reorder a sum and does not fuse a product with it.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import kernel

Floats = npt.NDArray[np.float64]

BLOCK = 2**8  # products added to a sum of their own, so that errors grow slowly
NEAR = 2.0**-54  # of the lengths of two columns, a product below which they are orthogonal
NOTHING = 2.0**-200  # of the largest number, below which one is 0
SWEEPS = 60  # over all pairs; ten are many


@kernel
def product(a: Floats, b: Floats, found: Floats) -> None:
    """Write the product of two matrices."""
    part = np.empty(b.shape[1])
    for i in range(a.shape[0]):
        found[i] = 0.0
        for start in range(0, a.shape[1], BLOCK):
            part[:] = 0.0
            for p in range(start, min(start + BLOCK, a.shape[1])):
                factor = a[i, p]
                for j in range(b.shape[1]):
                    part[j] += factor * b[p, j]
            for j in range(b.shape[1]):
                found[i, j] += part[j]


@kernel
def product_with(a: Floats, vector: Floats, found: Floats) -> None:
    """Write the product of a matrix and a vector; the sums are those of `product`."""
    for i in range(a.shape[0]):
        total = 0.0
        for start in range(0, a.shape[1], BLOCK):
            part = 0.0
            for p in range(start, min(start + BLOCK, a.shape[1])):
                part += a[i, p] * vector[p]
            total += part
        found[i] = total


@kernel
def product_across(a: Floats, b: Floats, found: Floats) -> None:
    """Write the product of a transposed matrix and another, both read row by row.

    The sums are those of `product`, to the last digit.
    """
    part = np.empty(found.shape)
    found[:] = 0.0
    for start in range(0, a.shape[0], BLOCK):
        part[:] = 0.0
        for p in range(start, min(start + BLOCK, a.shape[0])):
            for i in range(a.shape[1]):
                factor = a[p, i]
                for j in range(b.shape[1]):
                    part[i, j] += factor * b[p, j]
        for i in range(a.shape[1]):
            for j in range(b.shape[1]):
                found[i, j] += part[i, j]


@kernel
def eigen(a: Floats, vectors: Floats) -> None:
    """Turn a symmetric matrix into a diagonal one, by Jacobi's rotations, and `vectors` with it.

    The rows of `vectors` are the identity before and eigenvectors afterwards.
    """
    n = len(a)
    largest = 0.0
    for i in range(n):
        for j in range(n):
            largest = max(largest, abs(a[i, j]))
    for _ in range(SWEEPS):
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                far = abs(a[p, q])
                if far > NOTHING * largest and far > NEAR * math.sqrt(abs(a[p, p] * a[q, q])):
                    turned = True
                    _rotate(a, vectors, p, q)
        if not turned:
            return


@kernel
def _rotate(a: Floats, vectors: Floats, p: int, q: int) -> None:
    """Turn two axes so that nothing is left of their product."""
    sine, cosine = _angle(a[p, p], a[q, q], a[p, q])
    _turn(a, p, q, sine, cosine)
    for i in range(len(a)):
        one, other = a[i, p], a[i, q]
        a[i, p] = cosine * one - sine * other
        a[i, q] = sine * one + cosine * other
    a[p, q] = a[q, p] = 0.0
    _turn(vectors, p, q, sine, cosine)


@kernel
def _angle(one: float, other: float, between: float) -> tuple[float, float]:
    """Return the sine and the cosine of the smaller angle that makes two axes orthogonal."""
    ratio = (other - one) / (2.0 * between)
    tangent = 1.0 / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
    if ratio < 0.0:
        tangent = -tangent
    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
    return tangent * cosine, cosine


@kernel
def _turn(rows: Floats, p: int, q: int, sine: float, cosine: float) -> None:
    """Turn two rows by an angle."""
    for i in range(rows.shape[1]):
        one, other = rows[p, i], rows[q, i]
        rows[p, i] = cosine * one - sine * other
        rows[q, i] = sine * one + cosine * other


@kernel
def singular(rows: Floats, turned: Floats) -> None:
    """Make the rows of matrices orthogonal, by one-sided rotations, and turn `turned` with them.

    Both are lists of matrices. Afterwards the lengths of the rows are the singular values.
    """
    for matrix in range(len(rows)):
        _orthogonal(rows[matrix], turned[matrix])


@kernel
def _orthogonal(rows: Floats, turned: Floats) -> None:
    n = len(rows)
    squares = np.empty(n)
    for _ in range(SWEEPS):
        moved = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                squares[p], squares[q] = _dot(rows[p], rows[p]), _dot(rows[q], rows[q])
                between = _dot(rows[p], rows[q])
                if abs(between) > NEAR * math.sqrt(squares[p]) * math.sqrt(squares[q]):
                    moved = True
                    sine, cosine = _angle(squares[p], squares[q], between)
                    _turn(rows, p, q, sine, cosine)
                    _turn(turned, p, q, sine, cosine)
        if not moved:
            return


@kernel
def _dot(one: Floats, other: Floats) -> float:
    total = 0.0
    for i in range(one.size):
        total += one[i] * other[i]
    return total


@kernel
def reflect(columns: Floats, upper: Floats) -> None:
    """Factorize matrices into orthonormal columns and a triangle (Householder's reflections).

    Args:
        columns: matrices, not wider than high, which become their orthonormal columns.
        upper: where the triangles go; their diagonals are not negative.
    """
    for matrix in range(len(columns)):
        _reflect(columns[matrix], upper[matrix])


@kernel
def _reflect(a: Floats, upper: Floats) -> None:
    width = a.shape[1]
    columns = a.T.copy()
    normals = np.zeros(columns.shape)
    for k in range(width):
        _mirror(columns, k, normals[k])
    for i in range(width):
        for j in range(width):
            upper[i, j] = columns[j, i] if j >= i else 0.0
    columns[:] = 0.0
    for k in range(width):
        columns[k, k] = 1.0
    for k in range(width - 1, -1, -1):
        _reflect_columns(columns, normals[k], k)
    for i in range(width):
        if upper[i, i] < 0.0:
            upper[i] = -upper[i]
            columns[i] = -columns[i]
    a[:] = columns.T


@kernel
def _mirror(columns: Floats, k: int, normal: Floats) -> None:
    """Reflect the columns from one on so that nothing of it is left below the diagonal."""
    normal[k:] = columns[k, k:]
    length = math.sqrt(_dot(normal, normal))
    if length > 0.0:
        normal[k] += length if normal[k] >= 0.0 else -length
        normal /= math.sqrt(_dot(normal, normal))
    _reflect_columns(columns, normal, k)


@kernel
def _reflect_columns(columns: Floats, normal: Floats, k: int) -> None:
    for j in range(k, len(columns)):
        along = 2.0 * _dot(normal[k:], columns[j, k:])
        for i in range(k, normal.size):
            columns[j, i] -= along * normal[i]


@kernel
def eliminate(a: Floats, b: Floats) -> bool:
    """Solve linear equations in place, with the largest pivots; return whether there is one answer.

    `a` is destroyed, and `b` becomes the answer.
    """
    n = len(a)
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if not abs(a[best, k]) > 0.0:
            return False
        _exchange(a, k, best)
        _exchange(b, k, best)
        for i in range(k + 1, n):
            _subtract(a, b, i, k)
    for k in range(n - 1, -1, -1):
        for i in range(k + 1, n):
            for j in range(b.shape[1]):
                b[k, j] -= a[k, i] * b[i, j]
        for j in range(b.shape[1]):
            b[k, j] /= a[k, k]
    return True


@kernel
def _exchange(rows: Floats, one: int, other: int) -> None:
    for j in range(rows.shape[1]):
        rows[one, j], rows[other, j] = rows[other, j], rows[one, j]


@kernel
def _subtract(a: Floats, b: Floats, i: int, k: int) -> None:
    """Subtract a row so often from another that nothing is left of its first number."""
    factor = a[i, k] / a[k, k]
    for j in range(k, a.shape[1]):
        a[i, j] -= factor * a[k, j]
    for j in range(b.shape[1]):
        b[i, j] -= factor * b[k, j]


@kernel
def triangle(a: Floats, found: Floats) -> bool:
    """Write the Cholesky factor of a matrix; return whether the matrix is positive definite."""
    found[:] = 0.0
    for j in range(len(a)):
        left = a[j, j] - _dot(found[j, :j], found[j, :j])
        if not left > 0.0:
            return False
        found[j, j] = math.sqrt(left)
        for i in range(j + 1, len(a)):
            found[i, j] = (a[i, j] - _dot(found[i, :j], found[j, :j])) / found[j, j]
    return True


def warm_up() -> None:
    """Compile the kernels of this module."""
    one, several = np.ones((1, 1)), np.ones((1, 1, 1))
    product(one, one, np.ones((1, 1)))
    product_with(one, np.ones(1), np.ones(1))
    product_across(one, one, np.ones((1, 1)))
    eigen(np.ones((1, 1)), np.ones((1, 1)))
    singular(several.copy(), several.copy())
    reflect(several.copy(), several.copy())
    eliminate(np.ones((1, 1)), np.ones((1, 1)))
    triangle(one, np.ones((1, 1)))
