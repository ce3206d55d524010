"""Normal numbers with exactly the means and covariances that are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tacita.arithmetic import cholesky, inverted, orthonormal, product
from tacita.data.classes import Floats
from tacita.errors import ProtectionError
from tacita.microdata.masking.perturbing.numbers import refuse_overflow, square_root

SEEN = 2**11  # records that say where the middle of a column is
FEW = 100  # records for each column, below which noise is made white twice


class Moments(NamedTuple):
    """Means and covariances (dividing by the number of records less one) of columns."""

    means: Floats
    covariance: Floats


def moments_of(columns: Sequence[Floats], weights: Floats | None = None) -> Moments:
    """Return the means and covariances of columns without blanks.

    Raises:
        ProtectionError: there are fewer than two records.
        InputError: the numbers are so large that their squares have no double.
    """
    from tacita.kernels.linear_maps import products
    from tacita.kernels.moments import moments

    records = len(columns[0])
    if records < 2:  # noqa: PLR2004 - a variance needs two
        raise ProtectionError(
            f"A covariance needs at least two records without blanks; found {records}."
        )
    with np.errstate(all="ignore"):
        if weights is not None:
            found = moments(columns, weights * (records / weights.sum()))
            return Moments(refuse_overflow(found.means), refuse_overflow(found.covariance))
        origin = np.array([_middle(column) for column in columns])
        sums = products(columns, origin)
        rest = sums[0, 1:] / records
        scatter = sums[1:, 1:] - records * np.outer(rest, rest)
    return Moments(refuse_overflow(origin + rest), refuse_overflow(scatter / (records - 1)))


def _middle(column: Floats) -> float:
    """Return a value of the column near its mean: about it, products keep their digits.

    It is one of the values, so that a constant column has exactly no variance.
    """
    seen = column[:: max(len(column) // SEEN, 1)]
    return float(seen[np.argmin(np.abs(seen - seen.mean()))])


def white_noise(size: int, records: int, rng: np.random.Generator) -> Floats:
    """Draw rows of independent standard normal numbers, whatever the number of threads the same."""
    from tacita.kernels.normal_noise import PIECE, normal_noise

    numbers = size * records
    seeds = rng.integers(0, 2**63, (-(-numbers // PIECE), 2))
    return normal_noise(numbers, seeds.tolist()).reshape(size, records)


def triangular_root(matrix: Floats) -> Floats:
    """Return the Cholesky factor L of a covariance matrix, L L' = the matrix, with rank columns.

    The matrix may be singular, unlike with LAPACK's; its eigenvalues tell the rank.

    >>> triangular_root(np.array([[4.0, 2.0], [2.0, 1.0]]))
    array([[2.],
           [1.]])
    """
    root = square_root(matrix)
    root = root[:, root.any(axis=0)]
    if not root.size:
        return root
    return orthonormal(root.T)[1].T


def drawn_with(
    wanted: Moments, records: int, rng: np.random.Generator, weights: Floats | None = None
) -> Floats:
    """Draw rows of normal numbers that have exactly the wanted means and covariances.

    White noise R is brought to mean 0 and covariance S = K K' exactly the identity, and then to the
    covariance L L': x = m + L inverse(K) (r - mean of r), in one step.

    Raises:
        ProtectionError: there are too few records for so many linearly independent attributes.
    """
    from tacita.kernels.linear_maps import mapped

    root = triangular_root(wanted.covariance)
    rank = root.shape[1]
    if records <= rank:
        raise ProtectionError(
            f"Exact covariances of {rank:,} independent attributes need more than {rank:,} "
            f"synthetic records; found {records:,}."
        )
    if not rank:
        return np.repeat(wanted.means[:, None], records, axis=1)
    noise = white_noise(rank, records, rng)
    if records < FEW * rank:
        noise = whitened(noise, weights)
    found = moments_of([*noise], weights)
    matrix = product(root, inverse_root(found.covariance))
    place = noise if rank == len(root) else None
    return mapped(matrix, list(noise), found.means, wanted.means, out=place)


def whitened(noise: Floats, weights: Floats | None = None) -> Floats:
    """Return rows of noise turned so that their means are 0 and their covariances the identity."""
    from tacita.kernels.linear_maps import mapped

    found = moments_of([*noise], weights)
    matrix = inverse_root(found.covariance)
    return mapped(matrix, list(noise), found.means, np.zeros(len(noise)), out=noise)


def inverse_root(matrix: Floats) -> Floats:
    """Return the inverse of the Cholesky factor of a covariance matrix of full rank."""
    return np.tril(inverted(cholesky(matrix)))
