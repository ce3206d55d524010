"""Probabilistic information loss: how unlikely a sample would be to move statistics as far."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from tacita.arithmetic import power
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.utility.discrepancy import told_lost
from tacita.microdata.utility.structure import (
    CONTINUOUS,
    MISSING,
    UNSURE,
    Attributes,
    Structure,
    blocks,
    compared_in_pairs,
    lost_in,
    means_and_variances,
    moments_of,
    numbers_of,
    power_sums,
    quantiles,
    records_in_pairs,
    rescaled,
    standardized_columns,
    structure_of,
    without_blanks,
)
from tacita.results import Measurement, counted

MOST_ATTRIBUTES = 30  # their fourth moments take nine times as long as their covariances


class ProbabilisticInformationLoss(Method):
    """How far statistics moved, as a probability: bounded between 0 and 1.

    The original data are seen as the population and the protected data as a sample of n' records
    from it. A statistic that is theta on the original and theta' on the protected data then has the
    loss PIL = 2 P(0 <= Z <= |theta' - theta| / sd), Z standard normal: the probability that such a
    sample moves the statistic by less. The value is the mean of the mean losses of five kinds of
    statistics: means, variances, covariances, Pearson correlations, and quantiles (5 % to 95 % in
    steps of `step`).

    The asymptotic variances are those of Stuart and Ord. All but that of quantiles are
    mean(u^2) / n', where u is what one record contributes to the statistic, with m the means, v the
    variances and z = (x - m) / sqrt(v):

    =============  =============================  =============================================
    statistic      u                              variance
    =============  =============================  =============================================
    mean           x_i - m_i                      mu_20 / n'
    variance       (x_i - m_i)^2 - v_i            (mu_40 - mu_20^2) / n'
    covariance     (x_i - m_i)(x_j - m_j) - v_ij  (mu_22 - mu_11^2) / n'
    correlation r  z_i z_j - r (z_i^2+z_j^2)/2    r^2/n' [mu_22/mu_11^2 + (mu_40/mu_20^2
                                                  + mu_04/mu_02^2 + 2 mu_22/(mu_20 mu_02))/4
                                                  - mu_31/(mu_11 mu_20) - mu_13/(mu_11 mu_02)]
    =============  =============================  =============================================

    With sampling weights w, mean(u^2) / n' becomes (n/n') sum (w u)^2 / (sum w)^2. The variance
    q (1 - q) / (n' f(Q_q)^2) of a quantile needs the density f; Woodruff's interval gives it
    without: sd = (Q_{q+h} - Q_{q-h}) / 2 with h = sqrt(q (1 - q) / n').

    Where sd = 0 the loss is 0 if the statistic did not move and 1 if it did; it is 1 where the
    statistic cannot be computed any more. What cannot be computed on the original data is left
    out. Of more than 30 attributes the first 30 are compared, unless `attributes` names more.

    When not to use it: to compare releases of different size: in a large file small changes are as
    improbable as large ones, and the loss of both is near 1.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> capped = data.apply(ta.TopCode("DH", 30), seed=0)
    >>> round(ta.ProbabilisticInformationLoss(["DH"]).measure(data, capped).figures["means"], 3)
    0.494
    """

    applies_to: ClassVar = CONTINUOUS
    reference: ClassVar = (
        "Mateo-Sanz, Domingo-Ferrer & Sebe, Data Mining and Knowledge Discovery 11:181-193, 2005"
    )
    missing: ClassVar = MISSING
    public: ClassVar = frozenset({"attributes", "step"})

    attributes: Attributes = None
    step: Annotated[
        float,
        Field(description="The step between quantiles (above 0, at most 0.5).", gt=0, le=0.5),
    ] = 0.05

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare means, variances, covariances, correlations and quantiles."""
        names, some = compared_in_pairs(original, self.attributes, MOST_ATTRIBUTES)
        before, after = _Side.of(original, names), _Side.of(protected, names)
        losses = _losses(before, after) | {"quantiles": self._of_quantiles(before, after)}
        figures = {kind: _mean(found) for kind, found in losses.items()}
        known = [figure for figure in figures.values() if figure is not None]
        singles = [losses["means"], losses["variances"], losses["quantiles"]]
        return Measurement(
            self.name,
            self.family,
            float(np.mean(known)) if known else None,
            f"a sample would move statistics of {counted(len(names), 'attribute')}{some} by less "
            f"with this probability, on average{told_lost(lost_in(protected, names))}",
            {
                name: _mean(np.array(ours))
                for name, ours in zip(names, zip(*singles, strict=True), strict=True)
            },
            parameters=self.parameters(),
            figures=figures,
        )

    def _of_quantiles(self, before: _Side, after: _Side) -> Floats:
        """Return the mean loss of the quantiles of every attribute."""
        shares = np.arange(self.step, 1 - self.step / 2, self.step)
        found = []
        for place, column in enumerate(before.columns):
            half = np.sqrt(shares * (1 - shares) / max(after.records[place, place], 1))
            wanted = np.concatenate([shares, shares - half, shares + half])
            ours, low, high = np.split(quantiles(column, before.weights, wanted), 3)
            theirs = quantiles(after.columns[place], after.weights, shares)
            found.append(_loss(ours, theirs, (high - low) / 2).mean())
        return np.array(found, np.float64)


class _Side(NamedTuple):
    """What is known of the attributes in one of the two data sets."""

    columns: list[Floats]
    weights: Floats | None
    means: Floats
    second: Structure
    records: Floats  # in which both attributes of a pair are there

    @classmethod
    def of(cls, data: Dataset, names: Sequence[str]) -> _Side:
        columns, weights = numbers_of(data, names), data.weight
        means, records = means_and_variances(data, names)[0], records_in_pairs(columns)
        return cls(columns, weights, means, structure_of(columns, weights), records)

    def part(self, places: Sequence[int]) -> tuple[list[Floats], Floats | None]:
        """Return some columns and the weights of the records in which none of them is blank."""
        return without_blanks([self.columns[place] for place in places], self.weights)


class _Deviations(NamedTuple):
    """The standard deviations of statistics in samples as large as the data."""

    means: Floats  # on the diagonal
    covariances: Floats
    correlations: Floats

    @classmethod
    def of(cls, side: _Side) -> _Deviations:
        *holed, whole = blocks(side.columns)
        found = cls(*np.zeros((3, len(side.columns), len(side.columns))))
        if holed:
            found, unsure = _deviations_in_pairs(side)
            for pair in unsure:
                for matrix, part in zip(found, _deviations(*side.part(pair)), strict=True):
                    matrix[tuple(pair)] = matrix[tuple(pair[::-1])] = part[0, 1]
        for matrix, part in zip(found, _deviations(*side.part(whole)), strict=True):
            matrix[np.ix_(whole, whole)] = part
        return found


def _losses(before: _Side, after: _Side) -> dict[str, Floats]:
    """Return the losses of means, variances, covariances and correlations."""
    smaller = np.sqrt(before.records / np.maximum(after.records, 1))
    means, covariances, correlations = (part * smaller for part in _Deviations.of(before))
    pairs = np.triu_indices(len(before.columns), 1)
    moved = _loss(before.second.covariance, after.second.covariance, covariances)
    bent = _loss(before.second.correlation, after.second.correlation, correlations)
    return {
        "means": _loss(before.means, after.means, means.diagonal()),
        "variances": moved.diagonal(),
        "covariances": moved[pairs],
        "correlations": bent[pairs],
    }


def _deviations(columns: list[Floats], weights: Floats | None) -> _Deviations:
    """Return the standard deviations of means, covariances and correlations of whole columns."""
    from tacita.kernels.moments import moments

    size, records = len(columns), len(columns[0]) if columns else 0
    if records <= 1:
        return _Deviations(*np.zeros((3, size, size)))
    z, variance, r = _standardized(columns, weights)
    # The contribution of a record to a statistic counts with the square of its weight.
    squares = None if weights is None else rescaled(weights**2)
    second = moments([*z, *(one**2 for one in z), *(one**3 for one in z)], squares)
    products = second.covariance * (1 - 1 / records) + np.outer(second.means, second.means)
    p11, p22, p31 = (
        products[:size, :size],
        products[size:-size, size:-size],
        products[-size:, :size],
    )
    share = 1 / records if weights is None else float((weights**2).sum() / weights.sum() ** 2)
    fourth = np.tile(p22.diagonal()[:, None], size)
    return _from_moments(p11, p22, p31, fourth, r, np.outer(variance, variance), share)


def _from_moments(
    p11: Floats,
    p22: Floats,
    p31: Floats,
    p40: Floats,
    r: Floats,
    scale: Floats,
    share: Floats | float,
) -> _Deviations:
    """Return deviations from the moments of standardized columns and their variances' products."""
    of_variances = (
        np.diag((p11 * np.sqrt(scale)).diagonal()),
        (p22 - 2 * r * p11 + r**2) * scale,
        p22 - r * (p31 + p31.T) + r**2 / 4 * (2 * p22 + p40 + p40.T),
    )
    return _Deviations(*(np.sqrt(np.maximum(part, 0.0) * share) for part in of_variances))


def _deviations_in_pairs(side: _Side) -> tuple[_Deviations, list[list[int]]]:
    """Return the deviations of all pairs, each over its own records, and the unsure pairs."""
    z, spread = standardized_columns(side.columns, side.weights)
    squared = power_sums(z, None if side.weights is None else side.weights**2, 4)
    sums = squared if side.weights is None else power_sums(z, side.weights, 2)
    known = side.records > 1
    weight, total = (np.where(known, one[0, 0], 1.0) for one in (sums, squared))
    mean, square = sums[1, 0] / weight, sums[2, 0] / weight
    variance = square - mean**2
    settled = (variance > UNSURE * square) | (spread == 0)[:, None] | ~known
    root = np.sqrt(np.where(settled & known & (variance > 0), variance, 1.0))

    def moment(k: int, m: int) -> Floats:
        about = sum(
            comb(k, a) * comb(m, b) * power(-mean, k - a) * power(-mean.T, m - b) * squared[a, b]
            for a in range(k + 1)
            for b in range(m + 1)
        )
        return np.where(known, about / total / power(root, k) / power(root.T, m), 0.0)

    r = np.where(known, (sums[1, 1] / weight - mean * mean.T) / root / root.T, 0.0)
    scale = (root * spread[:, None]) ** 2
    p11, p22, p31, p40 = (moment(*powers) for powers in ((1, 1), (2, 2), (3, 1), (4, 0)))
    unsure = np.argwhere(np.triu(~(settled & settled.T), 1)).tolist()
    share = total / weight**2
    return _from_moments(p11, p22, p31, p40, r, scale * scale.T, share), unsure


def _standardized(
    columns: list[Floats], weights: Floats | None
) -> tuple[list[Floats], Floats, Floats]:
    """Return columns with mean 0 and mean square 1 (0 if constant), variances and correlations."""
    means, covariance = moments_of(columns, weights)
    covariance = covariance * (1 - 1 / len(columns[0]))
    variance = covariance.diagonal()
    spread = np.sqrt(np.where(variance > 0, variance, 1.0))
    z = [(x - m) / s for x, m, s in zip(columns, means, spread, strict=True)]
    return z, variance, covariance / np.outer(spread, spread)


def _loss(before: Floats, after: Floats, spread: Floats) -> Floats:
    """Return the probabilities that a sample moves statistics by less."""
    from scipy.special import erf

    gap = np.abs(after - before)
    sure = np.where(gap > 0, np.inf, 0.0)
    ratio = np.divide(gap, spread * np.sqrt(2), out=sure, where=(spread > 0) & ~np.isnan(gap))
    found = np.where(np.isnan(after), 1.0, erf(ratio))
    return np.where(np.isnan(before), np.nan, found)


def _mean(losses: Floats) -> float | None:
    known = losses[~np.isnan(losses)]
    return float(known.mean()) if len(known) else None
