"""Functions of numbers and linear algebra that come out the same on every processor.

NumPy's own choose their loops by the processor and the number of threads, so that last digits
differ from machine to machine, and with them, now and then, a rank, a choice or a released value.
What reaches released data, a verdict or a printed measure is computed here. The kernels are loaded
at the first call.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

ROUNDING = float(np.finfo(np.float64).eps)


def exp(numbers: npt.ArrayLike) -> Any:
    """Return e to the power of numbers."""
    from tacita.kernels.elementary import EXP, of_each

    return of_each(EXP, numbers)[()]


def expm1(numbers: npt.ArrayLike) -> Any:
    """Return e to the power of numbers, less 1."""
    from tacita.kernels.elementary import EXPM1, of_each

    return of_each(EXPM1, numbers)[()]


def log(numbers: npt.ArrayLike) -> Any:
    """Return natural logarithms; that of 0 is minus infinity."""
    from tacita.kernels.elementary import LOG, of_each

    return of_each(LOG, numbers)[()]


def log2(numbers: npt.ArrayLike) -> Any:
    """Return logarithms to base 2; those of powers of two are whole."""
    from tacita.kernels.elementary import LOG2, of_each

    return of_each(LOG2, numbers)[()]


def log1p(numbers: npt.ArrayLike) -> Any:
    """Return the natural logarithms of 1 + numbers."""
    from tacita.kernels.elementary import LOG1P, of_each

    return of_each(LOG1P, numbers)[()]


def log_sum(one: npt.ArrayLike, other: npt.ArrayLike) -> Any:
    """Return log(e^a + e^b).

    >>> float(log_sum(-np.inf, 2.0)), round(float(log_sum(0.0, 0.0)), 6)
    (2.0, 0.693147)
    """
    most, least = np.maximum(one, other), np.minimum(one, other)
    with np.errstate(invalid="ignore"):
        return most + log1p(exp(np.where(most == least, 0.0, least - most)))


def share_of(log_odds: npt.ArrayLike) -> Any:
    """Return the shares with some log odds.

    >>> float(share_of(0.0)), float(share_of(-np.inf))
    (0.5, 0.0)
    """
    return 1 / (1 + exp(-np.asarray(log_odds)))


def power(numbers: npt.ArrayLike, exponents: npt.ArrayLike) -> Any:
    """Return powers of numbers; those with broken exponents of positive numbers only."""
    from tacita.kernels.elementary import powers

    return powers(numbers, exponents)[()]


def sin(angles: npt.ArrayLike) -> Any:
    """Return the sines of angles."""
    from tacita.kernels.elementary import SIN, of_each

    return of_each(SIN, angles)[()]


def cos(angles: npt.ArrayLike) -> Any:
    """Return the cosines of angles."""
    from tacita.kernels.elementary import COS, of_each

    return of_each(COS, angles)[()]


def arctan(tangents: npt.ArrayLike) -> Any:
    """Return the angles of tangents."""
    from tacita.kernels.elementary import ARCTAN, of_each

    return of_each(ARCTAN, tangents)[()]


def arctan2(ups: Floats, rights: Floats) -> Floats:
    """Return the angles of points, between -pi and pi."""
    from tacita.kernels.elementary import angles

    return angles(ups, rights)


def product(*factors: npt.ArrayLike) -> Any:
    """Return the product of matrices and vectors, from the left; of two vectors a number.

    >>> product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0])).tolist()
    [3.0, 7.0]
    >>> float(product([1.0, 2.0], [3.0, 4.0]))
    11.0
    """
    found = np.asarray(factors[0], np.float64)
    for factor in factors[1:]:
        found = _product(found, np.asarray(factor, np.float64))
    return found[()]


def _product(one: Floats, other: Floats) -> Floats:
    from tacita.kernels import matrices

    left, right = np.atleast_2d(one), np.ascontiguousarray(other)
    if left.shape[1] != len(right):
        raise ValueError(f"{one.shape} and {other.shape} are no shapes of factors")
    found = np.empty((len(left), *right.shape[1:]))
    if not left.flags.c_contiguous:
        across = right.reshape(len(right), -1), found.reshape(len(found), -1)
        matrices.product_across(np.ascontiguousarray(left.T), *across)
    elif right.ndim == 1:
        matrices.product_with(left, right, found)
    else:
        matrices.product(left, right, found)
    return found.reshape(one.shape[:-1] + other.shape[1:])


def length(vector: Floats) -> float:
    """Return the Euclidean length of a vector."""
    return float(np.sqrt(product(vector, vector)))


def eigh(matrix: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return the eigenvalues of a symmetric matrix, ascending, and eigenvectors in columns.

    Of each vector the largest number, the first of several, is positive.

    >>> values, vectors = eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.tolist(), vectors.tolist()
    ([1.0, 2.0], [[0.0, 1.0], [1.0, 0.0]])
    """
    from tacita.kernels.matrices import eigen

    turned = np.array(matrix, np.float64)
    rows = np.eye(len(turned))
    eigen(turned, rows)
    values = turned.diagonal()
    order = np.argsort(values, kind="stable")
    rows = rows[order]
    largest = np.abs(rows).argmax(axis=1) if rows.size else np.zeros(0, np.int64)
    signs = np.where(rows[np.arange(len(rows)), largest] < 0, -1.0, 1.0)
    return values[order], np.asarray((rows * signs[:, None]).T)


def singular(matrices: Floats) -> tuple[Floats, Floats, Floats]:
    """Return U, D and V' of matrices U D V', the largest singular values first.

    Args:
        matrices: one matrix, or several of one shape.
    """
    from tacita.kernels.matrices import singular as turn

    if matrices.shape[-2] < matrices.shape[-1]:
        left, sizes, right = singular(np.swapaxes(matrices, -2, -1))
        return np.swapaxes(right, -2, -1), sizes, np.swapaxes(left, -2, -1)
    size = matrices.shape[-1]
    rows = np.array(np.swapaxes(matrices, -2, -1), np.float64, order="C")
    axes = np.array(np.broadcast_to(np.eye(size), (*matrices.shape[:-2], size, size)))
    turn(_listed(rows), _listed(axes))
    sizes = np.sqrt((rows**2).sum(axis=-1))
    order = np.argsort(-sizes, axis=-1, kind="stable")
    sizes = np.take_along_axis(sizes, order, -1)
    rows, axes = (np.take_along_axis(part, order[..., None], -2) for part in (rows, axes))
    lengths = np.where(sizes > 0, sizes, 1.0)[..., None]
    return np.swapaxes(rows / lengths, -2, -1), sizes, axes


def orthonormal(matrices: Floats) -> tuple[Floats, Floats]:
    """Return Q and R of matrices Q R, with orthonormal columns in Q and a triangle R.

    The diagonal of R is not negative. A wide matrix has a wide R.

    Args:
        matrices: one matrix, or several of one shape.
    """
    from tacita.kernels.matrices import reflect

    rows, width = matrices.shape[-2:]
    square = min(rows, width)
    columns = np.array(matrices[..., :square], np.float64, order="C")
    upper = np.empty((*matrices.shape[:-2], square, square))
    reflect(_listed(columns), _listed(upper))
    if width > square:
        rest = product(columns.T, matrices[:, square:])
        upper = np.hstack([upper, rest])
    return columns, upper


def _listed(matrices: Floats) -> Floats:
    """See one matrix, or several, as a list of matrices."""
    return matrices.reshape(math.prod(matrices.shape[:-2]), *matrices.shape[-2:])


def solved(matrix: npt.ArrayLike, sides: npt.ArrayLike) -> Floats:
    """Solve linear equations that have one solution.

    Raises:
        numpy.linalg.LinAlgError: they have not.
    """
    from tacita.kernels.matrices import eliminate

    found = np.array(sides, np.float64)
    columns = found[:, None] if found.ndim == 1 else found
    if not eliminate(np.array(matrix, np.float64), columns):
        raise np.linalg.LinAlgError("the equations have not one solution")
    return found


def inverted(matrix: npt.ArrayLike) -> Floats:
    """Return the inverse of a matrix; see `solved`."""
    return solved(matrix, np.eye(len(np.asarray(matrix))))


def cholesky(matrix: npt.ArrayLike) -> Floats:
    """Return the lower triangle L of a positive definite matrix L L'.

    Raises:
        numpy.linalg.LinAlgError: it is not positive definite.
    """
    from tacita.kernels.matrices import triangle

    given = np.ascontiguousarray(matrix, np.float64)
    found = np.empty(given.shape)
    if not triangle(given, found):
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    return found


def pseudo_inverse(matrix: npt.ArrayLike, negligible: float = 1e-15) -> Floats:
    """Return the inverse of a symmetric matrix in the directions that it has.

    Args:
        matrix: the matrix.
        negligible: the share of the largest eigenvalue up to which one is 0.
    """
    values, vectors = eigh(matrix)
    sizes = np.abs(values)
    kept = sizes > negligible * sizes.max(initial=0.0)
    return np.asarray(product(vectors[:, kept] / values[kept], vectors[:, kept].T))


def least_squares(matrix: Floats, sides: Floats) -> Floats:
    """Return the solution of least length among those with the least squares of residuals."""
    if matrix.shape[0] >= matrix.shape[1]:
        columns, upper = orthonormal(matrix)
        matrix, sides = upper, product(columns.T, sides)
    left, sizes, right = singular(matrix)
    kept = sizes > ROUNDING * max(matrix.shape) * sizes.max(initial=0.0)
    scaled = (product(left[:, kept].T, sides).T / sizes[kept]).T
    return np.asarray(product(right[kept].T, scaled))
