"""Groups of records that follow each other in some order."""

from __future__ import annotations

import numpy as np

from tacita.arithmetic import eigh
from tacita.data.classes import Floats, Ints


def fixed_runs(axis: Floats, k: int) -> Ints:
    """Group records by k in ascending order of a number; the last group has up to 2k - 1.

    Records with equal numbers keep their order.

    >>> fixed_runs(np.array([5.0, 1.0, 4.0, 2.0, 3.0]), k=2)
    array([1, 0, 1, 0, 1])
    """
    order = np.argsort(axis, kind="stable")
    labels = np.empty(len(axis), np.int64)
    labels[order] = np.minimum(np.arange(len(axis)) // k, max(len(axis) // k - 1, 0))
    return labels


def optimal_runs(axis: Floats, k: int) -> Ints:
    """Group records so that the squares within groups of one attribute are the least possible.

    >>> optimal_runs(np.array([9.0, 1.0, 8.0, 2.0, 10.0]), k=2)
    array([1, 0, 1, 0, 1])
    """
    from tacita.kernels.univariate_partition import best_runs

    order = np.argsort(axis, kind="stable")
    labels = np.empty(len(axis), np.int64)
    labels[order] = best_runs(axis[order], k)
    return labels


def first_component(points: Floats) -> Floats:
    """Return the scores of records on the first principal component of their attributes.

    Its direction is such that the attribute that weighs most weighs positively. Attributes that
    are all constant give scores of 0.

    >>> first_component(np.array([[-1.0, 1.0], [0.0, 0.0], [1.0, -1.0]])).round(3).tolist()
    [-1.414, 0.0, 1.414]
    """
    from tacita.kernels.moments import moments

    covariance = moments(points).covariance
    if not np.any(np.nan_to_num(covariance)):
        return np.zeros(len(points))
    loadings = eigh(covariance)[1][:, -1]
    heaviest = np.argmax(np.abs(loadings) > np.abs(loadings).max() - 1e-9)  # rounding aside
    loadings = loadings * np.sign(loadings[heaviest])
    scores = np.zeros(len(points))
    for column, loading in zip(points.T, loadings, strict=True):
        scores += loading * column  # in one order, which a matrix product does not promise
    return scores
