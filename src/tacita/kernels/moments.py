"""Means and covariances of columns, right to the last digits whatever the offset of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import kernel, spread, thread_count

Floats = npt.NDArray[np.float64]

BLOCK = (
    2**11
)  # records multiplied at a time: a dozen columns of them stay in the second-level cache
CHUNK = (
    2**5 * BLOCK
)  # records summed by one thread; fixed, so that threads do not change the rounding
LANES = 8  # partial sums of a block, which the processor adds side by side


class Moments(NamedTuple):
    """The first two moments of some columns."""

    weight: float  # number of records or sum of their weights
    means: Floats
    covariance: Floats


class Table(NamedTuple):
    """Columns of one length, and how often each record counts."""

    columns: list[Floats]
    weights: Floats | None
    size: int


def moments(
    x: Floats | Sequence[Floats], w: Floats | None = None, *, threads: int | None = None
) -> Moments:
    """Find the means and the covariance matrix of columns; the divisor is the weight less one.

    The means are NaN when there is no weight, the covariance when the weight is not above one.

    >>> moments(np.array([[1.0, 0.0], [3.0, 4.0]]))
    Moments(weight=2.0, means=array([2., 2.]), covariance=array([[2., 4.],
           [4., 8.]]))

    Args:
        x: records by columns, or a list of columns; no value may be missing.
        w: how often each record counts; once if None.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    table = _table(x, w)
    workers = thread_count(threads, table.size, CHUNK)
    # The first pass puts the origin near the means; the second removes what is left of them.
    sums = _products(table, np.zeros(len(table.columns)), 1, workers)[0]
    origin = _quotients(sums)
    products = _products(table, origin, sums.size, workers)
    return _about_means(products, origin)


def warm_up() -> None:
    """Compile the kernels of this module."""
    moments(np.ones((2, 1)))


def _table(x: Floats | Sequence[Floats], w: Floats | None) -> Table:
    """See the data as columns, all of one length."""
    rows = x.T if isinstance(x, np.ndarray) else x
    columns = [np.asarray(column, dtype=np.float64) for column in rows]
    weights = None if w is None else np.asarray(w, dtype=np.float64)
    sizes = {len(part) for part in [*columns, weights] if part is not None}
    sizes |= {len(x)} if isinstance(x, np.ndarray) else set()
    if len(sizes) > 1:
        raise ValueError(f"columns and weights must have one length; got {sorted(sizes)}")
    return Table(columns, weights, sizes.pop() if sizes else 0)


def _products(table: Table, origin: Floats, rows: int, workers: int) -> Floats:
    """Sum the weighted products of pairs of columns, a column of ones before them.

    Row 0 thus holds the total weight and the weighted sums. Only the leading rows are computed, of
    them only what lies on and above the diagonal.
    """
    totals, errors = np.zeros((2, rows, origin.size + 1))
    starts = range(0, table.size, CHUNK)
    chunks = spread(lambda at: _products_of_chunk(table, at, origin, rows), starts, workers)
    for total, error in chunks:
        _add(totals, errors, total)
        errors += error
    return totals + errors


def _products_of_chunk(
    table: Table, start: int, origin: Floats, rows: int
) -> tuple[Floats, Floats]:
    """Sum the products of one chunk block by block: the totals and what they lost in rounding."""
    left = np.empty((origin.size + 1, BLOCK))
    right = left if table.weights is None else np.empty_like(left)
    totals, errors = np.zeros((2, rows, origin.size + 1))
    for at in range(start, min(start + CHUNK, table.size), BLOCK):
        block = slice(at, at + BLOCK)
        _centre(table.columns, block, origin, left[:, : table.size - at])
        left[:, table.size - at :] = 0.0
        if table.weights is not None:
            weights = table.weights[block]
            np.multiply(left[:, : weights.size], weights, out=right[:, : weights.size])
            right[:, weights.size :] = 0.0
        _add_products(left, right, totals, errors)
    return totals, errors


def _centre(columns: list[Floats], block: slice, origin: Floats, out: Floats) -> None:
    """Write a row of ones and the columns' distances from the origin."""
    out[0] = 1.0
    for row, column in enumerate(columns):
        np.subtract(column[block], origin[row], out=out[row + 1])


@kernel
def _dot(a: Floats, b: Floats) -> float:
    """Multiply and sum in eight lanes: quicker than one sum, and its error grows an eighth as fast.

    The lanes are written out because the compiler may not reorder a sum, and must not: the result
    would then depend on the machine.
    """
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    for i in range(0, a.size, LANES):
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
        s4 += a[i + 4] * b[i + 4]
        s5 += a[i + 5] * b[i + 5]
        s6 += a[i + 6] * b[i + 6]
        s7 += a[i + 7] * b[i + 7]
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))


@kernel
def _add_products(left: Floats, right: Floats, totals: Floats, errors: Floats) -> None:
    """Add a block's products to the totals."""
    for i in range(totals.shape[0]):
        for j in range(i, totals.shape[1]):
            _add_one(totals, errors, i, j, _dot(left[i], right[j]))


@kernel
def _add_one(totals: Floats, errors: Floats, i: int, j: int, value: float) -> None:
    """Add a value to a total and what rounding loses to its error (Neumaier 1974)."""
    before, total = totals[i, j], totals[i, j] + value
    larger, smaller = (before, value) if abs(before) >= abs(value) else (value, before)
    errors[i, j] += (larger - total) + smaller
    totals[i, j] = total


@kernel
def _add(totals: Floats, errors: Floats, values: Floats) -> None:
    """Add values to totals of the same shape."""
    for i in range(totals.shape[0]):
        for j in range(totals.shape[1]):
            _add_one(totals, errors, i, j, values[i, j])


def _quotients(sums: Floats) -> Floats:
    """Divide weighted sums by the total weight that stands before them."""
    return sums[1:] / sums[0] if sums[0] > 0 else np.full(sums.size - 1, np.nan)


def _about_means(products: Floats, origin: Floats) -> Moments:
    """Turn sums about an origin into moments about the means."""
    weight, rest = float(products[0, 0]), _quotients(products[0])
    covariance = np.full((origin.size, origin.size), np.nan)
    if weight > 1:
        upper = np.triu(products[1:, 1:] - weight * np.outer(rest, rest)) / (weight - 1)
        covariance = upper + np.triu(upper, 1).T
    return Moments(weight, origin + rest, covariance)
