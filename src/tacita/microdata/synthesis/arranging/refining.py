"""Values put together so that their ranks correlate as they should."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.arithmetic import eigh, product, sin
from tacita.data.classes import Floats, Ints
from tacita.microdata.masking.perturbing.numbers import units_of
from tacita.microdata.synthesis.matching_moments.drawing import moments_of, white_noise, whitened

NEAR_ENOUGH = 1e-4  # of the rank correlations, at which nothing more is refined


def midranks(values: Floats, weights: Floats | None = None) -> Floats:
    """Return the ranks of numbers; equal ones share their middle rank, weights count as records.

    >>> midranks(np.array([7.0, 5.0, 7.0])).tolist()
    [2.0, 0.5, 2.0]
    """
    place = np.unique(values, return_inverse=True)[1]
    mass = np.bincount(place, weights).astype(np.float64)
    return np.asarray((np.cumsum(mass) - mass / 2)[place])


def correlations(ranks: Sequence[Floats], weights: Floats | None = None) -> Floats:
    """Return the correlations of columns; a constant one correlates with nothing."""
    covariance = moments_of(ranks, weights).covariance
    units = units_of(covariance)
    found = covariance / np.outer(units, units)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def arranged(
    ascending: Sequence[Floats], target: Floats, refinements: int, rng: np.random.Generator
) -> tuple[list[Floats], float]:
    """Put columns of ascending values together so that their rank correlations are the target.

    Each value goes to the record whose normal score has its rank. The correlations of the scores,
    2 sin(pi r / 6) at first, are refined by what those of the ranks still lack, and the best
    arrangement of all is kept.

    Returns:
        The columns, and the largest difference of a rank correlation from the target.
    """
    from tacita.kernels.linear_maps import mapped

    noise = white_noise(len(ascending), len(ascending[0]), rng)
    noise = whitened(noise) if noise.shape[1] > 2 * len(noise) else noise
    ranks = [midranks(column) for column in ascending]
    nothing = np.zeros(len(noise))
    wanted, best = 2 * sin(np.pi / 6 * target), np.inf
    orders: list[Ints] = []
    for _ in range(refinements):
        scores = mapped(_root(wanted), [*noise], nothing, nothing)
        tried = [np.argsort(score, kind="stable") for score in scores]
        lacking = np.subtract(target, correlations(_put(ranks, tried)))
        if (error := float(np.abs(lacking).max())) < best:
            best, orders = error, tried
        if best <= NEAR_ENOUGH:
            break
        wanted = wanted + lacking
    return _put(ascending, orders), best


def _put(columns: Sequence[Floats], orders: Sequence[Ints]) -> list[Floats]:
    found = [np.empty_like(column) for column in columns]
    for column, order, ascending in zip(found, orders, columns, strict=True):
        column[order] = ascending
    return found


def _root(wanted: Floats) -> Floats:
    """Return the symmetric root of correlations, less negative eigenvalues: none can have those.

    It hardly changes where the correlations hardly do, so that the refinements lead somewhere.
    """
    values, vectors = eigh(wanted)
    return np.asarray(product(vectors * np.sqrt(np.maximum(values, 0.0)), vectors.T))
