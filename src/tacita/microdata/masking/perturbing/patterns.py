"""Records that are blank in the same attributes, and moments where blanks depend on values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacita.arithmetic import eigh, product
from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import ProtectionError
from tacita.microdata.masking.perturbing.numbers import (
    NEGLIGIBLE,
    means_and_covariance,
    refuse_overflow,
    units_of,
)

FREE = 3  # records above the number of attributes: moments fix at most half of the values then
PAIR = 2  # records that a covariance needs
FOR_RANKS = 30  # values that are exchanged by their ranks: of fewer, a small noise moves none
LEAST_SPREAD = (
    1e-4  # share of a variance: less is as if the values were all the same, without noise
)


class Part(NamedTuple):
    """Records that are masked together.

    Args:
        rows: the records.
        columns: the attributes of which some of them have a value.
        is_pattern: whether all of them are known in all of these attributes.
    """

    rows: Ints
    columns: Ints
    is_pattern: bool


def mean_of_known(column: Floats, weights: Floats | None = None) -> float:
    """Return the mean of the known values of one attribute."""
    from tacita.kernels.moments import moments

    known = ~np.isnan(column)
    if not known.all():
        column, weights = column[known], None if weights is None else weights[known]
    return float(moments([column], weights).means[0])


def variance_of_known(column: Floats, weights: Floats | None = None) -> float:
    """Return the variance (dividing by n) of the known values of one attribute.

    Raises:
        ProtectionError: there is one such value only.
        InputError: the numbers are so large that their squares have no double.
    """
    known = ~np.isnan(column)
    if not known.all():
        column, weights = column[known], None if weights is None else weights[known]
    if not len(column):
        return 0.0
    if len(column) == 1:
        raise ProtectionError("A variance needs at least two records with a value; found 1.")
    with np.errstate(all="ignore"):
        away = column - np.average(column, weights=weights)
        spread = np.average(np.square(away, out=away), weights=weights)
    return float(refuse_overflow(spread))


def covariance_of_known(values: Floats, weights: Floats | None = None, *, less: int = 1) -> Floats:
    """Return the covariances of every two attributes over the records that have both.

    So the variances are those of all known values, wherever others are blank. Where no numbers
    have such covariances together, those between attributes that are not blank in the same records
    are multiplied by the largest factor with which there are some.

    >>> covariance_of_known(np.array([[1.0, np.nan], [3.0, 1.0], [5.0, 2.0]]), less=0)
    array([[2.66666667, 0.5       ],
           [0.5       , 0.25      ]])

    Args:
        values: records by attributes; a blank is NaN.
        weights: how often each record counts.
        less: by how much less than the number of records to divide, 0 or 1.

    Raises:
        ProtectionError: an attribute has one value only.
    """
    alike = _blank_alike(values)
    inside: Floats = np.zeros((values.shape[1], values.shape[1]))
    between = np.zeros_like(inside)
    for place, (ones, known) in enumerate(alike):
        if np.count_nonzero(known) < PAIR:
            raise ProtectionError("A variance needs at least two records with a value; found 1.")
        inside[np.ix_(ones, ones)] = _covariance_over(values[:, ones], known, weights, less)
        for others, also in alike[place + 1 :]:
            both = known & also
            if np.count_nonzero(both) >= PAIR:
                found = _covariance_over(values[:, ones + others], both, weights, less)
                between[np.ix_(ones, others)] = found[: len(ones), len(ones) :]
                between[np.ix_(others, ones)] = found[len(ones) :, : len(ones)]
    return inside + _possible_share(inside, between) * between


def _blank_alike(values: Floats) -> list[tuple[list[int], Mask]]:
    """Gather the attributes that are known in the same records, without those never known."""
    found: dict[bytes, tuple[list[int], Mask]] = {}
    for place, column in enumerate(values.T):
        known = ~np.isnan(column)
        found.setdefault(known.tobytes(), ([], known))[0].append(place)
    return [pair for pair in found.values() if pair[1].any()]


def _covariance_over(values: Floats, rows: Mask, weights: Floats | None, less: int) -> Floats:
    """Return the covariances over some records, none of which has a blank."""
    count, counted = np.count_nonzero(rows), None if weights is None else weights[rows]
    found = means_and_covariance(values if rows.all() else values[rows], counted)[1]
    return found if less else np.asarray((1 - 1 / count) * found)


def _possible_share(inside: Floats, between: Floats) -> float:
    """Return the largest share, up to 1, of some covariances that others leave possible."""
    if not between.any():
        return 1.0
    units = units_of(inside)
    scale = np.outer(units, units)
    values, vectors = eigh(inside / scale)
    there = values > NEGLIGIBLE
    whitening = (vectors[:, there] / np.sqrt(values[there])).T
    lowest = eigh(product(whitening, between / scale, whitening.T))[0].min()
    return min(1.0, -1 / lowest) if lowest < 0 else 1.0


def parts(values: Floats, weights: Floats | None = None, *, least: int = 0) -> list[Part]:
    """Gather the records by the attributes in which they are blank, those without a value left out.

    A pattern of blanks is a part of its own where it has records enough and every attribute varies
    in it, unless it varies nowhere. The records of the other patterns are one part; it takes in the
    smallest patterns until the same holds for its attributes.

    Args:
        values: records by attributes; a blank is NaN.
        weights: how often each record counts.
        least: the values of an attribute that are enough; at least three, and for a pattern three
            more than it has attributes, whatever it says.
    """
    from tacita.kernels.grouping import group

    known = ~np.isnan(values)
    pattern = group(list(known.T), records=len(values))
    order = np.argsort(pattern.ids, kind="stable")
    rows = np.split(order, np.cumsum(pattern.counts)[:-1])
    found = [
        Part(own, np.flatnonzero(known[own[0]]), is_pattern=True)
        for own in sorted(rows, key=len)
        if len(own) and known[own[0]].any()
    ]
    if len(found) < PAIR:
        return found
    rare = [bool(_too_few(values, part, weights, least)) for part in found]
    alone = [part for part, is_rare in zip(found, rare, strict=True) if not is_rare]
    others = [part for part, is_rare in zip(found, rare, strict=True) if is_rare]
    while others:
        lacking = _too_few(values, pooled := _pooled(others), weights, least)
        helping = (i for i, part in enumerate(alone) if lacking & {*part.columns.tolist()})
        smallest = next(helping, None)
        if smallest is None:
            return [*alone, pooled]
        others.append(alone.pop(smallest))
    return alone


def _pooled(some: list[Part]) -> Part:
    rows = np.sort(np.concatenate([part.rows for part in some]))
    columns = np.unique(np.concatenate([part.columns for part in some]))
    return Part(rows, columns, is_pattern=False)


def _too_few(values: Floats, part: Part, weights: Floats | None, least: int) -> set[int]:
    """Return the attributes of which some records have too few values, or too much alike."""
    own = None if weights is None else weights[part.rows]
    least = max(least, FREE + (len(part.columns) if part.is_pattern else 0))
    lacking = set()
    for place in part.columns.tolist():
        column = values[part.rows, place]
        counts = ~np.isnan(column) if own is None else ~np.isnan(column) & (own > 0)
        if np.count_nonzero(counts) < least or variance_of_known(
            column, own
        ) < LEAST_SPREAD * variance_of_known(values[:, place], weights):
            lacking.add(place)
    return lacking
