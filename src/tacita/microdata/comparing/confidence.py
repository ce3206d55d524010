"""Confidence intervals of shares."""

from __future__ import annotations

from tacita.results import Interval

CONFIDENCE = 0.95


def share_interval(successes: float, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the Clopper-Pearson interval of a share: it holds its confidence for every share.

    The bounds are quantiles of the Beta distributions B(s, n - s + 1) and B(s + 1, n - s); an
    expected number of successes s need not be whole.

    >>> share_interval(0, 10)
    0 to 0.3085 (95 %)

    Args:
        successes: how often it happened, or was expected to (0 to `trials`).
        trials: how often it was tried (0 or more; without a trial nothing is known).
        confidence: the probability with which the interval covers the share.
    """
    from scipy.special import betaincinv

    tail, failures = (1 - confidence) / 2, trials - successes
    lower = float(betaincinv(successes, failures + 1, tail)) if successes > 0 else 0.0
    upper = float(betaincinv(successes + 1, failures, 1 - tail)) if failures > 0 else 1.0
    return Interval(lower, upper, confidence)
