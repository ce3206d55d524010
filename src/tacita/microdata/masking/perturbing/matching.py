"""Moments put back: masked records moved linearly until they have the original moments."""

from __future__ import annotations

import numpy as np

from tacita.arithmetic import eigh, product
from tacita.data.classes import Floats
from tacita.errors import ProtectionError
from tacita.microdata.masking.perturbing.noise import drawn_noise, mixed
from tacita.microdata.masking.perturbing.numbers import (
    NEGLIGIBLE,
    complete,
    means_and_covariance,
    units_of,
)
from tacita.microdata.masking.perturbing.patterns import (
    covariance_of_known,
    mean_of_known,
    parts,
)

FEWEST = 3  # records: two with the same mean and variance are the two original ones


def masked_by_pattern(
    values: Floats,
    share: float,
    rng: np.random.Generator,
    weights: Floats | None = None,
    *,
    exact: bool = True,
) -> tuple[Floats, int]:
    """Blend records with noise, those that are blank in the same attributes by themselves.

    Blanks may depend on values: records with a blank then have other moments than those without,
    and what keeps the moments of one part changes those of another. See `parts` for those of rare
    patterns, which are blended together; of them each attribute is matched by itself.

    Returns:
        The masked records, and how many of them are of a rare pattern.

    Raises:
        ProtectionError: an attribute has fewer than three values, or with `exact` a record's.
    """
    masked, pooled = np.full_like(values, np.nan), 0
    for part in parts(values, weights):
        at, own = np.ix_(part.rows, part.columns), None if weights is None else weights[part.rows]
        original = values[at]
        noisy = blended(original, share, rng, own)
        if exact and part.is_pattern:
            matched(noisy, original, own)
        elif exact:
            for place in range(len(part.columns)):
                one = slice(place, place + 1)
                matched(noisy[:, one], original[:, one], own)
        masked[at] = noisy
        pooled += 0 if part.is_pattern else len(part.rows)
    return masked, pooled


def blended(
    values: Floats, share: float, rng: np.random.Generator, weights: Floats | None = None
) -> Floats:
    """Replace a share of the variance of records by noise of the same means and covariances.

    z = m + sqrt(1 - share) (x - m) + sqrt(share) e with normal e of the covariances of x: means and
    covariances of known values are kept in expectation.
    """
    noisy = drawn_noise(len(values), share * covariance_of_known(values, weights), rng)
    for column, own in zip(noisy.T, values.T, strict=True):
        mean = mean_of_known(own, weights)
        kept = own - mean  # of one attribute at a time, as all of them are as large as the data
        kept *= np.sqrt(1 - share)
        kept += mean
        np.add(column, kept, out=column)
    return noisy


def matched(masked: Floats, original: Floats, weights: Floats | None = None) -> Floats:
    """Give masked records, in their place, exactly the means and covariances of the original ones.

    y = m + A (z - m_z), with A nearest to leaving things as they are: in units in which the
    original covariances are the identity, A is the symmetric root of the inverse covariances of z.
    Only records without a blank count and move. The masked ones must lie where the original ones
    do: what is linearly related there must be so here.

    Raises:
        ProtectionError: fewer than three records are without a blank.
    """
    known = complete(original)
    if np.count_nonzero(known) < FEWEST:
        raise ProtectionError(
            f"To keep means and covariances, at least {FEWEST} records without blanks are needed; "
            f"found {np.count_nonzero(known)}."
        )
    means, before = means_and_covariance(original, weights)
    moved = masked if known.all() else masked[known]
    found, after = means_and_covariance(moved, None if weights is None else weights[known])
    moved -= found
    mixed(_restoring(before, after), moved.T)
    moved += means
    if moved is not masked:
        masked[known] = moved
    return masked


def _restoring(before: Floats, after: Floats) -> Floats:
    """Return the matrix that turns one covariance matrix into another of the same range."""
    units = units_of(before)
    scale = np.outer(units, units)
    values, vectors = eigh(before / scale)
    axes, spread = vectors[:, values > NEGLIGIBLE], np.sqrt(values[values > NEGLIGIBLE])
    whitening = (axes / spread).T
    inner, turned = eigh(product(whitening, after / scale, whitening.T))
    unwound = product(turned / np.sqrt(np.maximum(inner, NEGLIGIBLE)), turned.T)
    restoring: Floats = units[:, None] * product(axes * spread, unwound, whitening) / units
    return restoring
