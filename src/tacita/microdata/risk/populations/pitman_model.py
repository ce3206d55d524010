"""Pitman's sampling formula: classes that grow the faster the larger they are."""

from __future__ import annotations

import math

import numpy as np

from tacita.arithmetic import log, product, solved
from tacita.data.classes import Floats
from tacita.microdata.comparing.confidence import CONFIDENCE
from tacita.microdata.risk.populations.population_models import (
    LOGITS,
    TOLERANCE,
    ClassSizes,
    Estimate,
    share_of_logit,
)
from tacita.results import Interval, Number

LOG_THETAS = (-20.0, 35.0)
NEWTON_STEPS = 20
DECREMENT = 1e-9  # of the likelihood, which a further Newton step would gain


def pitman(found: ClassSizes) -> Estimate:
    """Estimate as Hoshino: maximum likelihood in Pitman's sampling formula."""
    if found.classes == found.records:
        return Estimate(None, "every record is unique, and then the likelihood has no maximum")
    if _is_at_edge(found):
        return Estimate(None, "the likelihood is largest at alpha = 0, the edge of the model")
    theta, alpha, iterations = _climb(found)
    score, information = _derivatives(found, theta, alpha)
    figures: dict[str, Number | None] = {
        "theta": theta,
        "alpha": alpha,
        "iterations": iterations,
    }
    if not _is_maximum(score, information):
        return Estimate(None, "no maximum of the likelihood was found", figures)
    log_share, slope = _log_share(theta, alpha, found.population)
    spread = math.sqrt(float(product(slope, solved(information, slope))))
    share = math.exp(log_share)
    figures["exact_expectation"] = share * _of_finite(theta, alpha, found.population)
    return Estimate(share, figures=figures, interval=_interval(share, spread))


def log_likelihood(found: ClassSizes, theta: float, alpha: float) -> float:
    """Return the logarithm of Pitman's sampling formula, but for a constant of the data.

    sum_{i<u} log(theta + i alpha) - sum_{i<n} log(theta + i) + sum_j s_j sum_{k<j} log(k - alpha)
    """
    from scipy.special import gammaln

    steps = np.arange(1.0, found.classes)
    whole = gammaln(theta + found.records) - gammaln(theta + 1)
    within = found.counts * (gammaln(found.sizes - alpha) - gammaln(1 - alpha))
    return float(log(theta + steps * alpha).sum() - whole + within.sum())


def _is_at_edge(found: ClassSizes) -> bool:
    """Tell whether the likelihood falls from alpha = 0 on, where theta alone is fitted (Ewens).

    So it is where fewer classes are small than in any population of Pitman's: where their number
    is bounded, as with few categories.
    """
    from scipy.optimize import brentq
    from scipy.special import psi

    u, n = found.classes, found.records

    def score(log_theta: float) -> float:
        theta = math.exp(log_theta)
        return float((u - 1) / theta - psi(theta + n) + psi(theta + 1))

    if u == 1 or score(LOG_THETAS[1]) > 0:
        return True
    theta = math.exp(brentq(score, *LOG_THETAS))
    within = float((found.counts * (psi(found.sizes) - psi(1))).sum())
    return u * (u - 1) / 2 / theta <= within


def _derivatives(found: ClassSizes, theta: float, alpha: float) -> tuple[Floats, Floats]:
    """Return the score and the observed information of theta and alpha."""
    from scipy.special import polygamma, psi

    steps, n = np.arange(1.0, found.classes), found.records
    each = 1 / (theta + steps * alpha)
    weighted, squared = steps * each, each**2
    within = found.counts * (psi(found.sizes - alpha) - psi(1 - alpha))
    score = [each.sum() - psi(theta + n) + psi(theta + 1), weighted.sum() - within.sum()]
    bend = found.counts * (polygamma(1, 1 - alpha) - polygamma(1, found.sizes - alpha))
    by_theta = squared.sum() + polygamma(1, theta + n) - polygamma(1, theta + 1)
    mixed = (weighted * each).sum()
    by_alpha = (weighted**2).sum() + bend.sum()
    return np.array(score), np.array([[by_theta, mixed], [mixed, by_alpha]])


def _climb(found: ClassSizes) -> tuple[float, float, int]:
    """Return the parameters of the largest likelihood, and how many steps it took.

    A quasi-Newton search over log(theta + alpha) and logit(alpha), which know no bounds, is
    followed by Newton steps in theta and alpha themselves.
    """
    from scipy.optimize import minimize

    def descent(place: Floats) -> tuple[float, Floats]:
        first, alpha = math.exp(place[0]), share_of_logit(place[1])
        score, _ = _derivatives(found, first - alpha, alpha)
        slope = np.array([score[0] * first, (score[1] - score[0]) * alpha * (1 - alpha)])
        height = log_likelihood(found, first - alpha, alpha)
        return -height / found.records, -slope / found.records

    made = minimize(
        descent,
        np.array([math.log(found.classes), 0.0]),
        jac=True,
        method="L-BFGS-B",
        bounds=[LOG_THETAS, LOGITS],
        options={"ftol": 1e-15, "gtol": 1e-10},
    )
    alpha = share_of_logit(float(made.x[1]))
    return _polished(found, math.exp(float(made.x[0])) - alpha, alpha, int(made.nit))


def _polished(
    found: ClassSizes, theta: float, alpha: float, iterations: int
) -> tuple[float, float, int]:
    for _ in range(NEWTON_STEPS):
        score, information = _derivatives(found, theta, alpha)
        if _determinant(information) <= 0:
            break
        step = solved(information, score)
        better = theta + float(step[0]), alpha + float(step[1])
        if not (0 < better[1] < 1 and better[0] > -better[1]):
            break
        theta, alpha = better
        iterations += 1
        if abs(step[0]) <= TOLERANCE * (1 + abs(theta)) and abs(step[1]) <= TOLERANCE:
            break
    return theta, alpha, iterations


def _is_maximum(score: Floats, information: Floats) -> bool:
    """Tell whether a further Newton step would gain nothing and the likelihood bends down."""
    if information[0, 0] <= 0 or _determinant(information) <= 0:
        return False
    return bool(product(score, solved(information, score)) < DECREMENT)


def _determinant(matrix: Floats) -> float:
    return float(matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0])


def _log_share(theta: float, alpha: float, population: int) -> tuple[float, Floats]:
    """Return log(Gamma(theta + 1) / Gamma(theta + alpha) N^(alpha - 1)) and its slope."""
    from scipy.special import gammaln, psi

    grown = math.log(population)
    value = gammaln(theta + 1) - gammaln(theta + alpha) + (alpha - 1) * grown
    slope = [psi(theta + 1) - psi(theta + alpha), grown - psi(theta + alpha)]
    return float(value), np.array(slope)


def _of_finite(theta: float, alpha: float, population: int) -> float:
    """Return what the asymptotic share has to be multiplied by to be exact for N records."""
    from scipy.special import poch

    return float(poch(theta + population, alpha - 1) * population ** (1 - alpha))


def _interval(share: float, spread: float) -> Interval:
    from scipy.special import ndtri

    factor = math.exp(float(ndtri((1 + CONFIDENCE) / 2)) * spread)
    return Interval(share / factor, min(share * factor, 1.0))
