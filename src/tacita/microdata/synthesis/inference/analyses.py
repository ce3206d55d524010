"""Analyses of a data set: estimates of means, shares and regression coefficients, with variances.

Blanks are left out. Sampling weights count, and variances are then by linearization.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.arithmetic import eigh, inverted, product
from tacita.data.attribute import Kind
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.microdata.comparing.representation import as_text

DEPENDENT = 1e-10  # share of the largest eigenvalue below which a direction is none


class Estimates(NamedTuple):
    """Quantities that were estimated from one data set."""

    names: tuple[str, ...]
    values: Floats
    variances: Floats


def mean(data: Dataset, attribute: str) -> Estimates:
    """Estimate the mean of a continuous attribute.

    >>> import tacita as ta
    >>> found = mean(ta.read(pa.table({"x": [1.0, 2.0, 6.0]})), "x")
    >>> found.values.tolist(), found.variances.round(4).tolist()
    ([3.0], [2.3333])
    """
    return _mean(attribute, _numbers(data, attribute), data.weight)


def share(data: Dataset, attribute: str, value: str) -> Estimates:
    """Estimate the share of the records that have a value of an attribute."""
    words = as_text(data.column(attribute))
    held = pc.equal(words, value).cast(pa.float64()).to_numpy(zero_copy_only=False)
    return _mean(f"{attribute} = {value}", np.asarray(held), data.weight)


def regressions(datasets: Sequence[Dataset], target: str, given: Sequence[str]) -> list[Estimates]:
    """Estimate, for each of some copies, a linear regression by least squares.

    Categories are 0/1 columns, but for the first one in the alphabet of all copies.

    Args:
        datasets: the copies.
        target: the attribute that is predicted, a number.
        given: the attributes that predict it.

    Raises:
        InputError: predictors depend on each other, or there are too few records.
    """
    levels = {name: _levels(datasets, name) for name in given}
    return [_regression(data, target, levels) for data in datasets]


def _mean(name: str, values: Floats, weights: Floats | None) -> Estimates:
    there = ~np.isnan(values)
    if np.count_nonzero(there) < 2:  # noqa: PLR2004 - a variance needs two
        raise InputError(f"A mean with its variance needs two records with a value of {name}.")
    known = values[there]
    counted = np.ones(len(known)) if weights is None else weights[there]
    total = fsum(counted)
    found = fsum(counted * known) / total
    variance = len(known) / (len(known) - 1) * fsum((counted / total * (known - found)) ** 2)
    return Estimates((name,), np.array([found]), np.array([variance]))


def _numbers(data: Dataset, name: str) -> Floats:
    kind = data.attribute(name).kind
    if kind is not Kind.CONTINUOUS:
        raise InputError(f"`{name}` is {kind.value}; a mean or a target is of numbers.").about(name)
    return data.numbers(name)


def _levels(datasets: Sequence[Dataset], name: str) -> list[str] | None:
    """Return the categories that have a column; None of numbers."""
    if all(data.attribute(name).kind is Kind.CONTINUOUS for data in datasets):
        return None
    words = pa.chunked_array([as_text(data.column(name)) for data in datasets])
    return sorted(words.unique().drop_null().to_pylist())[1:]


def _regression(data: Dataset, target: str, levels: dict[str, list[str] | None]) -> Estimates:
    names, columns = ["intercept"], [np.ones(len(data))]
    for name, categories in levels.items():
        if categories is None:
            names.append(name)
            columns.append(data.numbers(name))
        else:
            words = as_text(data.column(name))
            names += [f"{name} = {category}" for category in categories]
            columns += [
                np.asarray(pc.equal(words, one).cast(pa.float64()).to_numpy(zero_copy_only=False))
                for one in categories
            ]
    return _least_squares(tuple(names), np.column_stack(columns), _numbers(data, target), data)


def _least_squares(names: tuple[str, ...], x: Floats, y: Floats, data: Dataset) -> Estimates:
    known = ~(np.isnan(x).any(axis=1) | np.isnan(y))
    x, y = x[known], y[known]
    freedom = len(y) - len(names)
    if freedom < 1:
        raise InputError(
            f"A regression with {len(names)} coefficients needs more records without blanks; "
            f"found {len(y)}."
        )
    units = np.sqrt((x**2).mean(axis=0))
    units[units == 0] = 1.0
    z = x / units
    weights = np.ones(len(y)) if data.weight is None else data.weight[known]
    gram = product((z * weights[:, None]).T, z)
    values = eigh(gram)[0]
    if values[0] <= DEPENDENT * values[-1]:
        raise InputError("The predictors of the regression depend on each other; leave one out.")
    inverse = inverted(gram)
    slopes = product(inverse, product(z.T, weights * y))
    residuals = y - product(z, slopes)
    if data.weight is None:
        covariance = inverse * float(product(residuals, residuals)) / freedom
    else:
        scores = z * (weights * residuals)[:, None]
        covariance = product(inverse, product(scores.T, scores), inverse) * (len(y) / freedom)
    return Estimates(names, slopes / units, np.diag(covariance) / units**2)
