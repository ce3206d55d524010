"""Numbers drawn anew in small groups, each of which keeps its means and covariances."""

from __future__ import annotations

import numpy as np

from tacita.arithmetic import orthonormal, singular
from tacita.data.classes import Floats, Ints
from tacita.microdata.masking.perturbing.numbers import refuse_overflow
from tacita.microdata.synthesis.matching_moments.drawing import drawn_with, moments_of

LARGE = 1000  # records from which on a group is drawn by itself


def redrawn(
    values: Floats, labels: Ints, rng: np.random.Generator, weights: Floats | None = None
) -> Floats:
    """Draw the records of every group anew, with exactly the group's means and covariances.

    >>> values = np.array([[1.0], [2.0], [6.0], [7.0], [7.0], [7.0]])
    >>> drawn = redrawn(values, np.array([0, 0, 0, 1, 1, 1]), np.random.default_rng(0))
    >>> drawn[:3].mean().round(9), drawn[:3].var().round(9), drawn[3:, 0].tolist()
    (np.float64(3.0), np.float64(4.666666667), [7.0, 7.0, 7.0])

    Args:
        values: records by attributes, without blanks.
        labels: the group of every record, from 0; none has less than two records.
        rng: where chance comes from.
        weights: what each record counts in means and covariances; once by default.
    """
    order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
    starts = np.cumsum(sizes) - sizes
    found = np.empty_like(values)
    for size in np.unique(sizes):
        # All groups of one size are drawn together: there are many, and they are small.
        rows = order[starts[sizes == size][:, None] + np.arange(size)]
        counts = None if weights is None else weights[rows]
        found[rows] = (_large if size >= LARGE else _small)(values[rows], rng, counts)
    return found


def _large(groups: Floats, rng: np.random.Generator, weights: Floats | None) -> Floats:
    parts = []
    for place, group in enumerate(groups):
        counts = None if weights is None else weights[place]
        wanted = moments_of([*np.ascontiguousarray(group.T)], counts)
        parts.append(drawn_with(wanted, len(group), rng, counts).T)
    return np.stack(parts)


def _small(groups: Floats, rng: np.random.Generator, weights: Floats | None) -> Floats:
    """Turn the orthonormal columns that groups are made of into random ones.

    A group X - m = U D V', in units of its attributes, becomes Q D V' with random orthonormal
    columns Q that are orthogonal to the mean; weights w count by their root.
    """
    counts = np.ones(groups.shape[:2]) if weights is None else weights
    shares = (counts / counts.sum(axis=1, keepdims=True))[:, :, None]
    roots = np.sqrt(shares)
    # About the first record, so that a constant attribute stays so to the last digit.
    first = groups[:, :1]
    means = first + (shares * (groups - first)).sum(axis=1, keepdims=True)
    about = roots * (groups - means)
    with np.errstate(over="ignore"):
        units = refuse_overflow(np.sqrt((about**2).sum(axis=1, keepdims=True)))
    units[units == 0] = 1.0
    sizes, axes = singular(about / units)[1:]
    rank = min(groups.shape[1] - 1, groups.shape[2])
    noise = rng.standard_normal((*groups.shape[:2], rank))
    noise -= roots * (roots * noise).sum(axis=1, keepdims=True)
    turned = orthonormal(noise)[0]
    made: Floats = _each_product(turned, sizes[:, :rank, None] * axes[:, :rank])
    return np.asarray(means + units * made / roots)


def _each_product(one: Floats, other: Floats) -> Floats:
    """Return the products of pairs of matrices, whose sums are short."""
    found = np.zeros((*one.shape[:2], other.shape[2]))
    for place in range(one.shape[2]):
        found += one[:, :, place, None] * other[:, place, None, :]
    return found
