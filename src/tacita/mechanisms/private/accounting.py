"""Privacy losses: pure and concentrated, with the conversion between them, counted exactly.

Losses add up, also when each question is chosen after the answers to the ones before, so that a
budget is a filter: what would exceed it is refused. They are fractions, since sums of doubles are
rounded, and a rounding in the wrong direction is a promise that is not kept.
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from math import sqrt

import numpy as np

from tacita.arithmetic import log, log1p
from tacita.data.classes import Floats

SAFE = 1 - 1e-12  # by which converted budgets are lowered, so that no rounding costs privacy
ORDERS: Floats = 1 + np.geomspace(1e-3, 1e7, 4001)


class Measure(StrEnum):
    """How a loss is measured: pure differential privacy, or zero-concentrated."""

    EPSILON = "epsilon"
    RHO = "rho"


def exact(number: float) -> Fraction:
    """Return the decimal that was written, as a fraction.

    >>> exact(0.1) * 10 == 1
    True
    """
    return Fraction(repr(number))


def rho_within(epsilon: float, delta: float) -> Fraction:
    """Return a concentrated budget that keeps within (epsilon, delta).

    rho-zCDP implies (epsilon, delta)-DP if for some order a > 1 (Canonne, Kamath and Steinke 2020)
    log delta >= (a - 1) (a rho - epsilon) + a log(1 - 1 / a) - log(a - 1).
    Every order gives a valid rho; the largest of many is returned.

    >>> round(float(rho_within(1.0, 1e-6)), 5)
    0.02436
    """
    return Fraction(float(((epsilon - _tail(delta)) / ORDERS).max() * SAFE))


def epsilon_of(rho: float, delta: float) -> float:
    """Return the epsilon that goes with delta under rho-zCDP.

    >>> round(epsilon_of(float(rho_within(1.0, 1e-6)), 1e-6), 9)
    1.0
    """
    return float((ORDERS * rho + _tail(delta)).min())


def _tail(delta: float) -> Floats:
    """Return what epsilon exceeds the order times rho by, for every order."""
    within: Floats = ORDERS * log1p(-1 / ORDERS) - log(ORDERS - 1) - log(delta)
    return within / (ORDERS - 1)


def pure_within(rho: Fraction) -> Fraction:
    """Return a pure loss that keeps within a concentrated one: epsilon-DP is epsilon^2 / 2-zCDP.

    >>> pure_within(Fraction(2)) < 2
    True
    """
    return Fraction(sqrt(2 * rho) * SAFE)
