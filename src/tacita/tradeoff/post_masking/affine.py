"""The affine map that gives records the means and covariances of others and moves them least."""

from __future__ import annotations

import numpy as np

from tacita.arithmetic import eigh, least_squares, power, product
from tacita.data.classes import Floats, Ints, Mask

NEWTON = 8  # steps towards moments of third and fourth order
FLAT = 1e-12  # of the largest variance: what is smaller is rounding


def matched(original: Floats, values: Floats, free: Mask, order: int) -> Floats:
    """Move the free records so that the moments of all records are those of the original."""
    unit = np.where(original.std(axis=0) > 0, original.std(axis=0), 1.0)
    centre = original.mean(axis=0)
    wanted, given = (original - centre) / unit, (values - centre) / unit
    records, moving = len(given), np.count_nonzero(free)
    share = records / len(wanted)  # of synthetic records there may be more or fewer
    first = (share * wanted.sum(axis=0) - given[~free].sum(axis=0)) / moving
    second = (share * _products(wanted) - _products(given[~free])) / moving
    moved = affine(given[free], first, second - np.outer(first, first))
    if order > 2 and moving == records:  # noqa: PLR2004 - third and fourth moments
        moved = affine(bent(moved, wanted, order), first, second - np.outer(first, first))
    return np.asarray(moved * unit + centre)


def affine(values: Floats, mean: Floats, covariance: Floats) -> Floats:
    """Return values with a mean and covariances, moved as little as possible.

    With V' the covariances of the values and V those wanted, y -> m + A (y - m') where
    A = V'^(-1/2) (V'^(1/2) V V'^(1/2))^(1/2) V'^(-1/2).
    """
    own_mean = values.mean(axis=0)
    root, inverse = _roots(_products(values - own_mean) / len(values))
    middle, _ = _roots(product(root, covariance, root))
    turned = product(values - own_mean, product(inverse, middle, inverse))
    return np.asarray(turned + mean)


def _products(values: Floats) -> Floats:
    """Add up the products of every two columns, in the same order whatever the threads."""
    return np.asarray(product(values.T, values))


def _roots(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the square root of a symmetric matrix and its inverse; what is flat stays flat."""
    sizes, axes = eigh((matrix + matrix.T) / 2)
    there = sizes > FLAT * max(sizes.max(initial=0.0), 0.0)
    roots = np.sqrt(np.where(there, sizes, 0.0))
    inverse = np.where(there, 1 / np.where(there, roots, 1.0), 0.0)
    return product(axes * roots, axes.T), product(axes * inverse, axes.T)


def bent(values: Floats, wanted: Floats, order: int) -> Floats:
    """Approach the third (and fourth) moments of each attribute by Newton's method."""
    powers = np.arange(3, order + 1)
    moved = values.copy()
    for place in range(values.shape[1]):
        target = np.array([power(wanted[:, place], times).mean() for times in powers])
        column = moved[:, place]
        for _ in range(NEWTON):
            column = _newton(column, target, powers)
        moved[:, place] = column
    return moved


def _newton(column: Floats, target: Floats, powers: Ints) -> Floats:
    """Take a step towards some moments, if it comes nearer to them."""
    moments = np.array([power(column, times).mean() for times in powers])
    slopes = power(column[:, None], powers - 1)
    matrix = powers[:, None] * product(slopes.T, slopes) / len(column)
    change = least_squares(matrix, target - moments)
    for share in (1.0, 0.5, 0.25, 0.1):
        moved = column + share * product(slopes, change)
        spread = moved.std()
        moved = (moved - moved.mean()) * (column.std() / spread if spread > 0 else 1.0)
        moved = moved + column.mean()
        now = np.array([power(moved, times).mean() for times in powers])
        if np.abs(now - target).sum() < np.abs(moments - target).sum():
            return np.asarray(moved)
    return column
