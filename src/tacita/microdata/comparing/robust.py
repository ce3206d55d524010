"""A robust scatter: the centre and covariances of the bulk of the records, whatever lies far out.

The minimum covariance determinant (Rousseeuw & Van Driessen 1999), reweighted once and consistent
for normal data. Which records are the bulk is found by scikit-learn, whose last digits depend on
the processor: where two halves lie equally close together, another processor may choose the other
one. The moments of the chosen records do not depend on it.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from tacita.arithmetic import ROUNDING, eigh, product, pseudo_inverse
from tacita.data.classes import Floats, Mask
from tacita.errors import load_extra

CUT = 0.975  # of the chi-square distribution: records beyond it do not count for the scatter


class Scatter(NamedTuple):
    """Where the bulk of the records lies, and how it is spread."""

    centre: Floats
    covariance: Floats


def robust_scatter(points: Floats, seed: int) -> Scatter:
    """Return the reweighted moments of the half of the records that lies closest together.

    Of at most twice as many records as attributes they are the ordinary ones; so they are where
    that half varies in fewer directions than all do (more than half have one value, for instance):
    it would see nothing of who differs in the others.
    """
    records, attributes = points.shape
    ordinary = _scatter(points, np.ones(records, np.bool_))
    if records <= 2 * attributes or not attributes:
        return ordinary
    found = _of_the_bulk(points, seed)
    return found if found is not None and _rank(found) == _rank(ordinary) else ordinary


def _of_the_bulk(points: Floats, seed: int) -> Scatter | None:
    """Return the reweighted moments of the closest half; None if it lies in one point."""
    points = points[np.lexsort(points.T)]  # subsets are drawn by place, wherever a record stood
    covariance = load_extra("sklearn.covariance", "learning")
    with warnings.catch_warnings():
        # A scatter without full rank is met by the pseudo-inverse.
        warnings.simplefilter("ignore")
        try:
            half = covariance.MinCovDet(random_state=seed % 2**32).fit(points).raw_support_
        except ValueError:
            return None
    squared = squared_distances(points, _consistent(points, half))
    return _consistent(points, squared < chi_square_quantile(CUT, points.shape[1]))


def _rank(scatter: Scatter) -> int:
    """Return the number of directions in which records are spread."""
    sizes = np.abs(eigh(scatter.covariance)[0])
    return int(np.count_nonzero(sizes > sizes.max(initial=0.0) * len(sizes) * ROUNDING))


def squared_distances(points: Floats, scatter: Scatter) -> Floats:
    """Return the squared Mahalanobis distances of records from the centre of a scatter.

    >>> squared_distances(np.array([[3.0, 4.0]]), Scatter(np.zeros(2), np.eye(2)))
    array([25.])
    """
    inverse = pseudo_inverse(scatter.covariance)
    offsets = points - scatter.centre
    return np.asarray(np.maximum((product(offsets, inverse) * offsets).sum(axis=1), 0.0))


def chi_square_quantile(share: float, freedom: int) -> float:
    """Return the value below which a share of a chi-square distribution lies."""
    from scipy.special import gammaincinv

    return float(2 * gammaincinv(freedom / 2, share))


def _consistent(points: Floats, chosen: Mask) -> Scatter:
    """Return the scatter of the innermost records, enlarged to that of all normal records.

    The factor is share / P(chi-square with p + 2 degrees of freedom <= its quantile for p), Croux &
    Haesbroeck 1999.
    """
    from scipy.special import gammainc

    share, attributes = float(chosen.mean()), points.shape[1]
    found = _scatter(points, chosen)
    if not 0 < share < 1:
        return found
    inner = gammainc(attributes / 2 + 1, chi_square_quantile(share, attributes) / 2)
    return Scatter(found.centre, np.asarray(found.covariance * (share / inner)))


def _scatter(points: Floats, chosen: Mask) -> Scatter:
    inside = points[chosen]
    centre = inside.sum(axis=0) / max(len(inside), 1)
    centred = inside - centre
    return Scatter(centre, np.asarray(product(centred.T, centred) / max(len(inside) - 1, 1)))
