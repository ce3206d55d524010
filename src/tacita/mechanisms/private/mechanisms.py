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
from math import erfc, exp, log, sqrt
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any, Protocol
from weakref import WeakSet

from tacita.errors import load_extra
from tacita.mechanisms.private.accounting import Measure
from tacita.mechanisms.secure_noise import ROUNDING

KEPT = 4096  # mechanisms that are kept for the next question
FEW = 8  # numbers up to which noise drawn ahead is used
DRAWN = 64  # numbers that are drawn ahead at a time
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

    def __hash__(self) -> int: ...

    def scale(self, sensitivity: Sensitivity, cost: Fraction) -> float:
        """Return the scale of the noise that a loss pays for."""

    def deviation(self, scale: float) -> float:
        """Return what an interval goes `reach` times of to each side."""

    def noised(self, numbers: Sequence[int], scale: float) -> list[int]:
        """Add noise to whole numbers."""

    def exceeding(self, number: int, scale: float) -> float:
        """Return the probability that the noise is a number above 0 or more, at most."""

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
        return _laplace(scale)(numbers)

    def exceeding(self, number: int, scale: float) -> float:
        """Return the probability that the noise is a number or more: q^number / (1 + q)."""
        return exp(-number / scale) / (1 + exp(-1 / scale))

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
        return _gaussian(scale)(numbers)

    def exceeding(self, number: int, scale: float) -> float:
        """Return what the probability that the noise is a number or more does not exceed.

        It is below that of the reals from the number before on (Canonne, Kamath and Steinke 2020,
        proposition 25).
        """
        return erfc((number - 1) / scale / sqrt(2)) / 2

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


class _Ahead:
    """Noise that is drawn some numbers ahead: a call of the library costs as much as many numbers.

    The noise of a whole number does not depend on it, so that it can be drawn before; every number
    is used once, and a fork draws its own.

    Args:
        noise: adds noise to a list of whole numbers.
    """

    def __init__(self, noise: Callable[[list[int]], list[int]]) -> None:
        self._noise = noise
        self._drawn: list[int] = []
        _AHEAD.add(self)

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        """Add noise to whole numbers."""
        if len(numbers) > FEW:
            return self._noise(list(numbers))
        return [number + self._next() for number in numbers]

    def _next(self) -> int:
        while True:
            try:
                return self._drawn.pop()  # which no other thread can do at the same time
            except IndexError:
                self._drawn.extend(self._noise([0] * DRAWN))

    def forget(self) -> None:
        """Forget what was drawn: another process may use it."""
        self._drawn.clear()


_AHEAD: WeakSet[_Ahead] = WeakSet()


def _forget() -> None:
    for one in _AHEAD:
        one.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@cache
def opendp() -> Any:
    """Load what is used of the library that the noise comes from.

    Its prelude loads other libraries, too, which takes ten times as long.
    """
    # It takes a backtrace of every call it refuses, which is a thousand times the work.
    os.environ.setdefault("RUST_BACKTRACE", "0")
    load_extra("opendp.mod", "privacy").enable_features("contrib")
    parts = [load_extra(f"opendp.{part}", "privacy") for part in ("domains", "metrics", "measures")]
    named = {name: getattr(part, name) for part in parts for name in part.__all__}
    return SimpleNamespace(**named, m=load_extra("opendp.measurements", "privacy"))


@lru_cache(KEPT)
def _laplace(scale: float) -> _Ahead:
    dp = opendp()
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    return _Ahead(dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=scale))


@lru_cache(KEPT)
def _gaussian(scale: float) -> _Ahead:
    dp = opendp()
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    return _Ahead(dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale=scale))


@lru_cache(KEPT)
def _noisy_max(scale: float, measure: Measure) -> Callable[[list[int]], Any]:
    dp = opendp()
    loss = dp.max_divergence if measure is Measure.EPSILON else dp.zero_concentrated_divergence
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    made: Callable[[list[int]], Any] = dp.m.make_noisy_max(
        domain, dp.linf_distance(T="i64"), loss(), scale=scale
    )
    return made
