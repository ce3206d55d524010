"""The slide negative binomial: classes whose size less one is negative binomial."""

from __future__ import annotations

import math

from tacita.arithmetic import power, product
from tacita.microdata.risk.populations.population_models import (
    LOGITS,
    TOLERANCE,
    ClassSizes,
    Estimate,
    share_of_logit,
)
from tacita.results import Number


def shlosser(found: ClassSizes) -> float:
    """Estimate the number of classes in the population (Haas & Stokes 1998, modified Shlosser)."""
    q, i, f = found.fraction, found.sizes, found.counts
    left_out = float(product(f, power(1 - q, i)))
    twice = float(product(f, i * q**2 * power(1 - q**2, i - 1)))
    between = float(product(f, power(1 - q**2, i) - power(1 - q, i)))
    once = float(product(f, i * q * power(1 - q, i - 1)))
    return found.classes + found.of_size(1) * twice / between * (left_out / once) ** 2


def slide_negative_binomial(found: ClassSizes) -> Estimate:
    """Estimate as Chen and Keller-McNulty: F - 1 is negative binomial in each of K classes."""
    from scipy.optimize import brentq

    if not found.of_size(2):
        return Estimate(None, "no class has two records, which the model needs")
    classes = shlosser(found)

    def excess(logit: float) -> float:
        return _expected_uniques(found, classes, logit) - found.of_size(1)

    low, high = LOGITS
    if excess(low) * excess(high) >= 0:
        why_not = "no parameters give as many classes of one and of two records as there are"
        return Estimate(None, why_not, {"population_classes": classes})
    logit, about = brentq(excess, low, high, xtol=TOLERANCE, full_output=True)
    alpha, beta = _alpha(found, logit), share_of_logit(logit)
    unique = classes * math.exp(-alpha * math.log1p(math.exp(-logit)))
    figures: dict[str, Number | None] = {
        "population_classes": classes,
        "alpha": alpha,
        "beta": beta,
        "iterations": about.iterations,
    }
    return Estimate(unique / found.population, figures=figures)


def _expected_uniques(found: ClassSizes, classes: float, logit: float) -> float:
    """Return K pi (beta / (1 - q))^alpha (1 + alpha q / (1 - q)), q = (1 - beta) (1 - pi)."""
    alpha, beta = _alpha(found, logit), share_of_logit(logit)
    q = share_of_logit(-logit) * (1 - found.fraction)
    none_else = math.exp(alpha * (math.log(beta) - math.log1p(-q)))
    return classes * found.fraction * none_else * (1 + alpha * q / (1 - q))


def _alpha(found: ClassSizes, logit: float) -> float:
    """Return the alpha that gives the ratio of classes of two records to classes of one.

    The ratio is pi / 2 (1 - beta) / (1 - q) alpha (2 - q + alpha q) / (1 - q + alpha q), which
    grows with alpha: its equation has one positive root.
    """
    left = share_of_logit(-logit)
    q = left * (1 - found.fraction)
    ratio = found.of_size(2) / found.of_size(1)
    c = 2 * ratio * (1 - q) / (found.fraction * left)
    half = (2 - q - c * q) / 2
    root = math.hypot(half, math.sqrt(q * c * (1 - q)))
    # The form without cancellation, whichever sign the middle term has.
    return c * (1 - q) / (half + root) if half > 0 else (root - half) / q
