"""Noise of known covariances: what of released numbers is noise, and what they were without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacita.arithmetic import eigh, log, product
from tacita.data.classes import Floats
from tacita.microdata.masking.perturbing.numbers import refuse_overflow

Estimate = Literal["bayes", "spectral"]
LEAST = 1e-6  # the smallest share of a variance that counts as noise
MOST = 0.999  # the greatest one: something is left to be found
SINGULAR = 1e-12  # of the largest variance: what is smaller is rounding
APART = 1e4  # more than all logarithms of numbers differ: signs and zeros are never mistaken


@dataclass(frozen=True, eq=False)
class Noisy:
    """Released numbers z = m + c (x - m) + e with noise e, and what is known of it.

    Args:
        values: the released numbers, records by attributes; a blank is NaN.
        means: their means m.
        covariance: their covariances, blanks taken for the mean.
        noise: the covariances of e in the same way.
        kept: for every attribute the factor c by which true values were drawn to the mean.
    """

    values: Floats
    means: Floats
    covariance: Floats
    noise: Floats
    kept: Floats

    @classmethod
    def of(cls, values: Floats, shares: Floats, correlated: bool, transformed: bool) -> Noisy:
        """Split the covariances of released numbers.

        Args:
            values: the released numbers.
            shares: of every attribute, what part of the released variance is noise.
            correlated: whether the noise has the correlations of the attributes.
            transformed: whether the numbers were moved so that variances are those without noise.
        """
        means, covariance = centred_moments(values)
        roots = np.sqrt(shares)
        spread = covariance if correlated else np.diag(np.diag(covariance))
        kept = np.sqrt(1 - shares) if transformed else np.ones(len(shares))
        return cls(values, means, covariance, spread * np.outer(roots, roots), kept)

    def expected(self, known: Floats) -> Floats:
        """Return what true numbers would be released as, without the noise."""
        return self.means + self.kept * (known - self.means)

    def whitening(self) -> tuple[Floats, Floats]:
        """Return a matrix that makes the noise uncorrelated with variance 1, and its inverse.

        Where there is no noise at all, it is taken to be very small: what is known there is exact.
        """
        units = np.sqrt(np.diag(self.noise))
        units = np.where(units > 0, units, 1.0)
        variances, axes = eigh(self.noise / np.outer(units, units))
        roots = np.sqrt(np.maximum(variances, max(variances.max(initial=0.0), 1.0) * SINGULAR))
        return axes / roots / units[:, None], (axes * roots).T * units

    def filtered(self, estimate: Estimate) -> Floats:
        """Return the numbers without what is taken to be noise; blanks stay.

        In coordinates in which the noise has variance 1 in every direction, a direction in which
        the released numbers have variance v is multiplied by (v - 1) / v (`bayes`), or kept only if
        v is above (1 + sqrt(p / n))^2, the most that noise alone would have (`spectral`).
        """
        there, (into, back) = ~np.isnan(self.values), self.whitening()
        variances, axes = eigh(product(into.T, self.covariance, into))
        if estimate == "bayes":
            factors = np.maximum(variances - 1, 0.0) / np.maximum(variances, 1.0)
        else:
            most = (1 + np.sqrt(len(self.means) / max(len(self.values), 1))) ** 2
            factors = (variances > most).astype(np.float64)
        moved = product(np.where(there, self.values - self.means, 0.0), into)
        signal = product(product(moved, axes) * factors, axes.T, back)
        return np.where(there, self.means + signal / self.kept, np.nan)


def centred_moments(values: Floats) -> tuple[Floats, Floats]:
    """Return means over what is not blank, and covariances with blanks taken for the mean."""
    from tacita.kernels.moments import moments

    there = ~np.isnan(values)
    counts = there.sum(axis=0)
    with np.errstate(all="ignore"):
        means = np.where(there, values, 0.0).sum(axis=0) / np.maximum(counts, 1)
        if len(values) < 2:  # noqa: PLR2004 - one record has no variance
            return means, np.zeros((values.shape[1], values.shape[1]))
        found = moments(np.where(there, values - means, 0.0)).covariance
    return means, refuse_overflow(np.asarray(found))


def variances_of(values: Floats) -> Floats:
    """Return the variances of what is not blank; 0 of fewer than two values."""
    counts = np.count_nonzero(~np.isnan(values), axis=0)
    found = np.diag(centred_moments(values)[1])
    return np.asarray(found * (len(values) - 1) / np.maximum(counts - 1, 1))


def bounded_shares(noise: Floats, variances: Floats) -> Floats:
    """Return variances of noise as shares of released ones, above 0 and below 1."""
    ratio = np.divide(noise, variances, out=np.full(len(variances), LEAST), where=variances > 0)
    return np.asarray(np.clip(ratio, LEAST, MOST))


def logarithms(values: Floats) -> Floats:
    """Return the logarithms of the sizes of numbers; NaN for 0 and for a blank."""
    sizes = np.where(values == 0, np.nan, np.abs(values))
    return np.asarray(log(sizes))


def on_a_line(values: Floats, logs: Floats) -> Floats:
    """Lay logarithms of numbers on a line on which those of another sign and 0 are far away."""
    return np.where(values == 0, 0.0, np.sign(values) * (APART + logs))
