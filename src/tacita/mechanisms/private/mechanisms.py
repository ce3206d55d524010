"""Noise for whole numbers, and choices among candidates, from a cryptographically secure source.

Everything is a whole number: noise of doubles leaves traces of the number that it was added to
(Mironov 2012), and rounded sums move by more than one respondent contributes (Casacuberta et al.
2022). Mechanisms are made once a scale and used again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import log, sqrt
from statistics import NormalDist
from typing import Any, Protocol

from tacita.errors import load_extra
from tacita.mechanisms.private.accounting import Measure
from tacita.mechanisms.secure_noise import ROUNDING

KEPT = 4096  # mechanisms that are kept for the next question
HALF = 0.5  # of a unit: what an interval of whole numbers needs beyond one of doubles
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Sensitivity:
    """By how much one respondent can move a list of numbers.

    Args:
        sum: the sum of the absolute changes, at most (L1).
        root: the root of the sum of their squares, at most (L2).
    """

    sum: int
    root: float


class Mechanism(Protocol):
    """A way to make numbers private.

    Attributes:
        measure: how its loss is measured.
        reach: how many standard deviations an interval goes to each side.
    """

    measure: Measure
    reach: float

    def scale(self, sensitivity: Sensitivity, cost: Fraction) -> float:
        """Return the scale of the noise that a loss pays for."""

    def deviation(self, scale: float) -> float:
        """Return what an interval goes `reach` times of to each side."""

    def noised(self, numbers: Sequence[int], scale: float) -> list[int]:
        """Add noise to whole numbers."""

    def chosen(self, scores: Sequence[int], sensitivity: Sensitivity, cost: Fraction) -> int:
        """Return the place of a high score; the sensitivity is that of one score."""

    def missed(self, candidates: int, sensitivity: Sensitivity, cost: Fraction) -> float:
        """Return by how much the chosen score misses the highest at most, with confidence."""


class Laplace:
    """Noise k with probability (1 - q) / (1 + q) q^|k|, q = exp(-1 / scale); pure privacy.

    The loss is sensitivity (L1) / scale (Ghosh, Roughgarden and Sundararajan 2009). Choices are
    made by permute-and-flip (McKenna and Sheldon 2020), with a loss of 2 sensitivity / scale.

    >>> Laplace().scale(Sensitivity(2, 2.0), Fraction(1, 2)) >= 4
    True
    """

    measure = Measure.EPSILON
    # An interval of one number is exact: the noise exceeds log(20) scales once in twenty.
    reach = log(1 / (1 - CONFIDENCE)) / sqrt(2)

    def scale(self, sensitivity: Sensitivity, cost: Fraction) -> float:
        """Return the scale of the noise that a loss pays for."""
        return float(sensitivity.sum / cost) * ROUNDING

    def deviation(self, scale: float) -> float:
        """Return the standard deviation of noise of a scale, and what whole numbers need beyond."""
        return sqrt(2) * scale + HALF / self.reach

    def noised(self, numbers: Sequence[int], scale: float) -> list[int]:
        """Add noise to whole numbers."""
        found: list[int] = _laplace(scale)(list(numbers))
        return found

    def chosen(self, scores: Sequence[int], sensitivity: Sensitivity, cost: Fraction) -> int:
        """Return the place of a high score."""
        return int(_noisy_max(2 * self.scale(sensitivity, cost), self.measure)(list(scores)))

    def missed(self, candidates: int, sensitivity: Sensitivity, cost: Fraction) -> float:
        """Return by how much the chosen score misses the highest at most, with confidence."""
        return 2 * self.scale(sensitivity, cost) * log(candidates / (1 - CONFIDENCE))


class Gaussian:
    """Noise k with probability proportional to exp(-k^2 / (2 scale^2)); concentrated privacy.

    The loss is sensitivity (L2)^2 / (2 scale^2) (Canonne, Kamath and Steinke 2020). Choices are
    made by the exponential mechanism, with the same loss (Cesar and Rogers 2021).

    >>> Gaussian().scale(Sensitivity(2, 2.0), Fraction(1, 2)) >= 2
    True
    """

    measure = Measure.RHO
    reach = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

    def scale(self, sensitivity: Sensitivity, cost: Fraction) -> float:
        """Return the scale of the noise that a loss pays for."""
        return sensitivity.root / sqrt(2 * cost) * ROUNDING

    def deviation(self, scale: float) -> float:
        """Return the standard deviation of noise of a scale, and what whole numbers need beyond."""
        return scale + HALF / self.reach

    def noised(self, numbers: Sequence[int], scale: float) -> list[int]:
        """Add noise to whole numbers."""
        found: list[int] = _gaussian(scale)(list(numbers))
        return found

    def chosen(self, scores: Sequence[int], sensitivity: Sensitivity, cost: Fraction) -> int:
        """Return the place of a high score."""
        return int(_noisy_max(self.scale(sensitivity, cost), self.measure)(list(scores)))

    def missed(self, candidates: int, sensitivity: Sensitivity, cost: Fraction) -> float:
        """Return by how much the chosen score misses the highest at most, with confidence."""
        return self.scale(sensitivity, cost) * log(candidates / (1 - CONFIDENCE))


MECHANISMS: dict[Measure, Mechanism] = {
    Measure.EPSILON: Laplace(),
    Measure.RHO: Gaussian(),
}


def first_above(numbers: Sequence[int], sensitivity: int, epsilon: Fraction) -> int | None:
    """Return the place of the first number above 0, with noise; None if there is none.

    However many numbers are looked at, only the one found is paid for (the sparse vector technique;
    Dwork and Roth 2014, algorithm 1): half for the threshold, half for the comparisons.

    Args:
        numbers: in the order in which they are looked at.
        sensitivity: by how much one respondent moves each.
        epsilon: the loss.
    """
    laplace = Laplace()
    moved = Sensitivity(sensitivity, float(sensitivity))
    (threshold,) = laplace.noised([0], laplace.scale(moved, epsilon / 2))
    noisy = laplace.noised(numbers, laplace.scale(moved, epsilon / 4))
    return next((place for place, one in enumerate(noisy) if one >= threshold), None)


@cache
def opendp() -> Any:
    """Load the library that the noise comes from."""
    # It takes a backtrace of every call it refuses, which is a thousand times the work.
    os.environ.setdefault("RUST_BACKTRACE", "0")
    dp = load_extra("opendp.prelude", "privacy")
    dp.enable_features("contrib")
    return dp


@lru_cache(KEPT)
def _laplace(scale: float) -> Callable[[list[int]], Any]:
    dp = opendp()
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    made: Callable[[list[int]], Any] = dp.m.make_laplace(
        domain, dp.l1_distance(T="i64"), scale=scale
    )
    return made


@lru_cache(KEPT)
def _gaussian(scale: float) -> Callable[[list[int]], Any]:
    dp = opendp()
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    made: Callable[[list[int]], Any] = dp.m.make_gaussian(
        domain, dp.l2_distance(T="f64"), scale=scale
    )
    return made


@lru_cache(KEPT)
def _noisy_max(scale: float, measure: Measure) -> Callable[[list[int]], Any]:
    dp = opendp()
    loss = dp.max_divergence if measure is Measure.EPSILON else dp.zero_concentrated_divergence
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    made: Callable[[list[int]], Any] = dp.m.make_noisy_max(
        domain, dp.linf_distance(T="i64"), loss(), scale=scale
    )
    return made
