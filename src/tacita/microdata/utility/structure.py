"""The structure of continuous attributes: their means, covariances, correlations and factors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from tacita.arithmetic import eigh, product
from tacita.data.attribute import Kind, Role
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset, of_kind
from tacita.errors import InputError
from tacita.method import AttributeNames

CONTINUOUS = frozenset({Kind.CONTINUOUS})
PAPER = "Domingo-Ferrer & Torra, in Confidentiality, Disclosure and Data Access, 2001, pp. 111-134"
MOST_PAIRED = 200  # attributes; their pairs grow with the square
ROUNDING = 1e-12  # of a number between -1 and 1: nothing but rounding is left of it
LARGEST = 1e75  # its fourth power is still a double
TIE, TIE_DIGITS = 1e-10, 9  # inner products of axes that differ less are equal
UNSURE = 0.01  # of its square, what is left of a column when the mean is taken off it
ALIKE = 1e-6  # of its variance: the records of a pair may all be at the mean, but for rounding
NOT_RESPONDENTS = (Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD)
MISSING = "Each statistic uses the records in which its attributes are not blank."
Attributes = Annotated[
    AttributeNames | None,
    Field(
        description="The attributes to compare; by default all continuous ones but identifiers, "
        "weights and households."
    ),
]


class Structure(NamedTuple):
    """Second moments of some attributes; NaN where they cannot be computed."""

    covariance: Floats
    correlation: Floats


class Factors(NamedTuple):
    """The principal components of a correlation matrix, one a column."""

    axes: Floats  # of length 1
    loadings: Floats  # correlations of attributes and factors
    coefficients: Floats  # by which standardized attributes give standardized factors
    shares: Floats  # of the variance


def compared(original: Dataset, asked: Sequence[str] | None) -> list[str]:
    """Return the continuous attributes to compare."""
    if asked is not None:
        return list(asked)
    gone = {name for role in NOT_RESPONDENTS for name in original.with_role(role)}
    return [name for name in of_kind(original, CONTINUOUS) if name not in gone]


def compared_in_pairs(
    original: Dataset, asked: Sequence[str] | None, most: int = MOST_PAIRED
) -> tuple[list[str], str]:
    """Return the attributes to compare in pairs, at most 200 unless asked for, and say so."""
    names = compared(original, asked)
    if asked is not None or len(names) <= most:
        return names, ""
    return names[:most], f" (the first {most} of {len(names):,} attributes)"


def lost_in(protected: Dataset, names: Sequence[str]) -> list[str]:
    """Return the attributes that were left out or are no longer numbers."""
    kept = set(of_kind(protected, CONTINUOUS))
    return [name for name in names if name not in kept]


def numbers_of(data: Dataset, names: Sequence[str]) -> list[Floats]:
    """Return the values of attributes; an attribute that is no number there is blank throughout."""
    gone = set(lost_in(data, names))
    blank = np.full(len(data) if gone else 0, np.nan)
    return [blank if name in gone else _measurable(name, data.numbers(name)) for name in names]


def _measurable(name: str, numbers: Floats) -> Floats:
    """Refuse numbers whose squares, or the products of those, doubles cannot hold."""
    largest = float(np.fmax.reduce(np.abs(numbers), initial=0.0))
    if largest and not 1 / LARGEST <= largest <= LARGEST:
        raise InputError(
            f"Numbers are compared if the largest lies between {1 / LARGEST:g} and {LARGEST:g}; "
            f"that of `{name}` is {largest:g}. Measure it in another unit."
        ).about(name)
    return numbers


def means_and_variances(data: Dataset, names: Sequence[str]) -> tuple[Floats, Floats]:
    """Return mean and variance of every attribute over the records in which it is not blank."""
    found = [moments_of([column], data.weight) for column in numbers_of(data, names)]
    variances = np.array([covariance[0, 0] for _, covariance in found], np.float64)
    return np.array([mean[0] for mean, _ in found], np.float64), variances


def structure(data: Dataset, names: Sequence[str]) -> Structure:
    """Return covariances and correlations, each over the records in which both are not blank."""
    return structure_of(numbers_of(data, names), data.weight)


def structure_of(columns: Sequence[Floats], weights: Floats | None) -> Structure:
    """Return covariances and correlations of columns, as `structure` does of attributes."""
    *holed, whole = blocks(columns)
    found = Structure(*np.full((2, len(columns), len(columns)), np.nan))
    if holed:
        found, unsure = _all_pairs(columns, weights)
        for one, other in unsure:
            pair = _structure([columns[one], columns[other]], weights)
            for matrix, part in zip(found, pair, strict=True):
                matrix[one, other] = matrix[other, one] = part[0, 1]
    # To the last digit what it would be if no other column had blanks.
    for matrix, part in zip(found, _structure([columns[at] for at in whole], weights), strict=True):
        matrix[np.ix_(whole, whole)] = part
    return found


def _all_pairs(
    columns: Sequence[Floats], weights: Floats | None
) -> tuple[Structure, list[tuple[int, int]]]:
    """Return covariances and correlations of pairs, and the pairs of which they are not sure.

    They are differences of sums, which are right to the last digits unless the records of a pair
    are much more alike than all records.
    """
    z, spread = standardized_columns(columns, weights)
    sums = power_sums(z, None if weights is None else rescaled(weights), 2)
    records = records_in_pairs(columns)
    weight, firsts, squares = np.where(records > 0, sums[0, 0], 1.0), sums[1, 0], sums[2, 0]
    own = squares - firsts**2 / weight
    scatter = sums[1, 1] - firsts * firsts.T / weight
    varies, known = np.outer(spread, spread) > 0, records > 1
    settled = (own > UNSURE * np.maximum(squares, ALIKE * weight)) | ~varies | ~known
    scale = np.sqrt(np.maximum(own * own.T, 0.0))
    correlation = np.full_like(scatter, np.nan)
    np.divide(scatter, scale, out=correlation, where=known & varies & (scale > 0))
    divisor = np.where(known, weight * (records - 1), 1.0)
    covariance = np.where(known, scatter * records / divisor * np.outer(spread, spread), np.nan)
    unsure = np.argwhere(np.triu(~(settled & settled.T), 1))
    return _without_rounding(covariance, correlation), [(int(i), int(j)) for i, j in unsure]


def standardized_columns(
    columns: Sequence[Floats], weights: Floats | None
) -> tuple[list[Floats], Floats]:
    """Return columns with mean 0 and variance 1 (0 if constant), and their standard deviations."""
    found = [moments_of([column], weights) for column in columns]
    spread = np.nan_to_num(np.sqrt([covariance[0, 0] for _, covariance in found]))
    parts = zip(columns, found, spread, strict=True)
    return [
        (column - mean[0]) / (deviation or 1.0) for column, (mean, _), deviation in parts
    ], spread


def power_sums(columns: Sequence[Floats], weights: Floats | None, most: int) -> Floats:
    """Return the sums of x_i^k x_j^l over the records in which neither is blank, at [k, l, i, j].

    One matrix product finds them for all pairs, where a look at each would take p^2 / 2 looks at
    the data.
    """
    from tacita.kernels.moments import moments

    there = [~np.isnan(column) for column in columns]
    filled = [np.where(known, x, 0.0) for x, known in zip(columns, there, strict=True)]
    powers = [known.astype(np.float64) for known in there]
    every = powers + [x**power for power in range(1, most + 1) for x in filled]
    weight, centre, covariance = moments(every, weights)
    # The covariances of a weight of 1 or less are none; there is no pair of records then.
    totals = np.nan_to_num(covariance * (weight - 1)) + weight * np.outer(centre, centre)
    sides = (most + 1, len(columns))
    return totals.reshape(*sides, *sides).transpose(0, 2, 1, 3)


def records_in_pairs(columns: Sequence[Floats]) -> Floats:
    """Count the records in which both columns of each pair are not blank."""
    there = np.array([~np.isnan(column) for column in columns], np.float64)
    # Sums of ones are exact, in whatever order a matrix product takes them.
    return there @ there.T if len(columns) else np.zeros((0, 0))


def blocks(columns: Sequence[Floats]) -> list[list[int]]:
    """Return the columns to look at together, so that each pair loses only its own blanks.

    Columns without blanks come together and last, before them single ones and before those pairs:
    who writes a matrix block by block in this order ends with the right numbers on its diagonal.

    >>> blocks([np.array([1.0]), np.array([np.nan]), np.array([2.0])])
    [[0, 1], [1, 2], [1], [0, 2]]
    """
    whole = [place for place, column in enumerate(columns) if not np.isnan(column).any()]
    holed = [[place] for place in range(len(columns)) if place not in whole]
    pairs = [list(pair) for pair in combinations(range(len(columns)), 2)]
    return [*(pair for pair in pairs if not set(pair) <= set(whole)), *holed, whole]


def without_blanks(
    columns: Sequence[Floats], weights: Floats | None
) -> tuple[list[Floats], Floats | None]:
    """Return columns and weights of the records in which no column is blank."""
    blank = np.zeros(len(columns[0]) if columns else 0, np.bool_)
    for column in columns:
        blank |= np.isnan(column)
    if not blank.any():
        return list(columns), weights
    return [column[~blank] for column in columns], None if weights is None else weights[~blank]


def _structure(columns: list[Floats], weights: Floats | None) -> Structure:
    """Return covariances and correlations over the records in which no column is blank."""
    covariance = moments_of(columns, weights)[1]
    spread = np.sqrt(covariance.diagonal())
    scale = np.outer(spread, spread)
    correlation = np.divide(covariance, scale, out=np.full_like(scale, np.nan), where=scale > 0)
    return _without_rounding(covariance, correlation)


def _without_rounding(covariance: Floats, correlation: Floats) -> Structure:
    """Take what rounding leaves of a covariance of 0 for 0, as nothing may be divided by it."""
    nothing = np.abs(correlation) < ROUNDING
    return Structure(np.where(nothing, 0.0, covariance), np.where(nothing, 0.0, correlation))


def moments_of(columns: Sequence[Floats], weights: Floats | None) -> tuple[Floats, Floats]:
    """Return means and covariances over the records in which no column is blank."""
    from tacita.kernels.moments import moments

    known, weights = without_blanks(columns, weights)
    _, means, covariance = moments(known, None if weights is None else rescaled(weights))
    return _exact_constants(known, means, covariance)


def _exact_constants(
    columns: list[Floats], means: Floats, covariance: Floats
) -> tuple[Floats, Floats]:
    """Let constant columns vary by nothing at all, whatever rounding left."""
    for place, column in enumerate(columns):
        if len(column) and column.min() == column.max() and not np.isnan(means[place]):
            means[place] = column[0]
            known = ~np.isnan(covariance[place])
            covariance[place, known] = covariance[known, place] = 0.0
    return means, covariance


def rescaled(weights: Floats) -> Floats:
    """Let weights sum to the number of records, so that their scale does not matter."""
    return weights * (len(weights) / weights.sum()) if len(weights) else weights


def quantiles(values: Floats, weights: Floats | None, shares: Floats) -> Floats:
    """Return the least values below or at which some shares of the records lie (by weight).

    Blanks do not count. NaN when there are no values.

    >>> quantiles(np.array([4.0, 1.0, np.nan, 3.0, 2.0]), None, np.array([0.25, 0.5, 0.9]))
    array([1., 2., 4.])
    """
    there = ~np.isnan(values)
    known, wanted = values[there], np.clip(shares, 0.0, 1.0) - ROUNDING
    if not len(known):
        return np.full(len(shares), np.nan)
    # A share that is a whole number of records must not be missed by rounding.
    if weights is None:
        at = np.maximum(np.ceil(wanted * len(known)).astype(np.int64) - 1, 0)
        return np.asarray(np.partition(known, np.unique(at))[at])
    order = np.argsort(known, kind="stable")
    reached = np.cumsum(weights[there][order])
    at = np.searchsorted(reached, wanted * reached[-1])
    return np.asarray(known[order[np.minimum(at, len(order) - 1)]])


def factors_of(correlation: Floats) -> Factors:
    """Return the principal components of a correlation matrix, largest first.

    An attribute without correlations (constant, left out, no number any more) is in no factor that
    explains anything. Of factors that explain nothing the coefficients are 0.
    """
    whole = np.where(np.isnan(correlation), 0.0, correlation)
    values, axes = eigh(whole)
    values, axes = np.maximum(values[::-1], 0.0), _settled(axes[:, ::-1])
    values = np.where(values < ROUNDING * max(len(values), 1), 0.0, values)
    roots = np.sqrt(values)
    inverse = np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)
    return Factors(axes, axes * roots, axes * inverse, values / (values.sum() or 1.0))


def _settled(axes: Floats) -> Floats:
    """Take what rounding leaves of 0 for 0, as nothing may be divided by it."""
    return np.where(np.abs(axes) < ROUNDING, 0.0, axes)


def aligned(factors: Factors, like: Factors) -> Factors:
    """Return factors in the order and with the signs that fit others best.

    Axes are paired so that the sum of the absolute inner products is largest; of several such
    pairings the one that keeps the order best is taken. Others that explain nothing have no axes of
    their own (any rotation of them is as good) and get what is left.
    """
    from scipy.optimize import linear_sum_assignment

    products = product(like.axes.T, factors.axes) * (like.shares > 0)[:, None]
    # Where pairings fit equally well, what they explain decides, and not rounding.
    places = np.arange(len(products))
    apart = TIE * np.abs(places[:, None] - places) / max(len(places), 1) ** 2
    order: Ints = linear_sum_assignment(apart - np.round(np.abs(products), TIE_DIGITS))[1]
    signs = np.where(products[np.arange(len(order)), order] < 0, -1.0, 1.0)
    axes, loadings, coefficients = (part[:, order] * signs for part in factors[:3])
    return Factors(axes, loadings, coefficients, factors.shares[order])
