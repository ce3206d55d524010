"""Gaussian noise of the least scale that keeps within an epsilon and a delta.

The noise is that of reals, rounded to whole numbers, which is post-processing: the formula of reals
holds exactly, in any number of dimensions, which it does not for the discrete law. It is drawn from
the discrete law on a grid so much finer that the two cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import erfc, exp, sqrt

from scipy.special import log_ndtr

from tacita.errors import ParameterError
from tacita.mechanisms.private.accounting import Measure
from tacita.mechanisms.private.mechanisms import KEPT, Gaussian, Laplace, Sensitivity
from tacita.mechanisms.secure_noise import ROUNDING

GRID = 2**24  # how much finer the noise is drawn than it is told, where it is not large itself
LEAST = 0.25  # the scale below which none is drawn
# The drawn noise is nearer than that to the rounded one of reals, in hundreds of numbers that one
# respondent moves: the laws are 1 / (24 s^2) apart at most, s the scale on the grid.
DRAWN = 1e-12
HALVINGS = 100


def delta_of(epsilon: float, scale: float, sensitivity: float) -> float:
    """Return the delta that Gaussian noise has with an epsilon: no smaller one will do.

    With F the normal distribution and t = sensitivity / scale
    delta = F(t / 2 - epsilon / t) - exp(epsilon) F(-t / 2 - epsilon / t)
    (Balle and Wang 2018, theorem 8).

    >>> round(delta_of(1.0, 4.2247, 1.0), 8)
    1e-06
    """
    moved = sensitivity / scale
    below = float(log_ndtr(-moved / 2 - epsilon / moved))
    return exp(float(log_ndtr(moved / 2 - epsilon / moved))) - exp(epsilon + below)


@lru_cache(KEPT)
def analytic_scale(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return the least scale of Gaussian noise that keeps within epsilon and delta.

    >>> classical = 2 * sqrt(2 * 14.04) / 0.5  # sqrt(2 log(1.25 / delta)) / epsilon
    >>> analytic_scale(0.5, 1e-6, 2.0) < 0.8 * classical
    True
    """
    high = sensitivity
    while delta_of(epsilon, high, sensitivity) > delta:
        high *= 2
    low = high / 2
    while delta_of(epsilon, low, sensitivity) <= delta:
        low /= 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if delta_of(epsilon, middle, sensitivity) > delta:
            low = middle
        else:
            high = middle
    return high * ROUNDING


@dataclass(frozen=True)
class AnalyticGaussian:
    """Gaussian noise whose losses are added up as epsilon and delta, both in proportion.

    It is the most exact for few questions; for many, concentrated losses add up to less. Choices
    are those of pure privacy.

    Args:
        rate: the delta that goes with an epsilon of 1.

    >>> AnalyticGaussian(1e-6).scale(Sensitivity(1, 1.0), Fraction(1)) < 4.23
    True
    """

    rate: float
    measure = Measure.EPSILON
    reach = Gaussian.reach

    def scale(self, sensitivity: Sensitivity, cost: Fraction) -> float:
        """Return the scale of the noise that a loss pays for."""
        epsilon = float(cost)
        delta = epsilon * self.rate - DRAWN
        if delta <= 0:
            raise ParameterError(
                f"A delta of {epsilon * self.rate:.2g} for one number is too small for this noise; "
                "choose `gaussian`, or a larger `delta` or share for each query."
            )
        return max(analytic_scale(epsilon, delta, sensitivity.root), LEAST)

    def deviation(self, scale: float) -> float:
        """Return the standard deviation of noise of a scale, and what whole numbers need beyond."""
        return Gaussian().deviation(scale)

    def noised(self, numbers: Sequence[int], scale: float) -> list[int]:
        """Add noise to whole numbers."""
        grid = GRID if scale < GRID else 1
        fine = Gaussian().noised([0] * len(numbers), scale * grid)
        return [
            number + (noise + grid // 2) // grid
            for number, noise in zip(numbers, fine, strict=True)
        ]

    def exceeding(self, number: int, scale: float) -> float:
        """Return the probability that the noise is a number or more."""
        return erfc((number - 0.5) / scale / sqrt(2)) / 2 + DRAWN

    def chosen(self, scores: Sequence[int], sensitivity: Sensitivity, cost: Fraction) -> int:
        """Return the place of a high score."""
        return Laplace().chosen(scores, sensitivity, cost)

    def missed(self, candidates: int, sensitivity: Sensitivity, cost: Fraction) -> float:
        """Return by how much the chosen score misses the highest at most, with confidence."""
        return Laplace().missed(candidates, sensitivity, cost)
