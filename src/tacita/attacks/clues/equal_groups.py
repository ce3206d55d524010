"""How likely it is that no value is rare: what groups of at least k leave behind."""

from __future__ import annotations

from math import ceil, exp, log1p

from tacita.attacks.clues.guess import chance_of
from tacita.data.classes import Ints

SWEEPS = 60
FREQUENT = 700  # a rate from which on its exponential has no double


def no_rare_one(counts: Ints) -> float:
    """Return a bound of the probability that the smallest of some counts is as large as it is.

    The counts are those of m values that occurred in n records. By assumption records come
    independently, so that the count of a value is a Poisson one, given that it is not 0. Of all
    such values those that are equally likely have the fewest rare ones; for these the probability
    is (1 - P(X < k | X > 0))^m, where X has the mean n / m given that it is not 0.

    >>> import numpy as np
    >>> no_rare_one(np.full(300, 3)) < 1e-50, no_rare_one(np.array([300, 200, 30])) > 0.9
    (True, True)
    """
    return _none_below(int(counts.min()), counts) if len(counts) else 1.0


def none_rare_by_design(counts: Ints) -> float:
    """Return the same of half the mean count at most.

    Designs that want as many records of every value (waves of a panel, cells of an experiment) have
    counts that are more even than chance makes them, and are not masked.

    >>> import numpy as np
    >>> none_rare_by_design(np.full(300, 3)) < 1e-20, none_rare_by_design(np.full(300, 50)) > 0.5
    (True, True)
    """
    if not len(counts):
        return 1.0
    return _none_below(min(int(counts.min()), ceil(float(counts.mean()) / 2)), counts)


def _none_below(least: int, counts: Ints) -> float:
    """Return the probability that of values as many as these none has a smaller count."""
    rate = _rate(float(counts.mean()))
    if rate == 0 or rate >= FREQUENT or least <= 1:
        return 1.0
    rare = term = rate * exp(-rate) / (1 - exp(-rate))
    for count in range(2, least):
        term *= rate / count
        rare += term
    return chance_of(len(counts) * log1p(-min(rare, 1 - 1e-12)))


def _rate(mean: float) -> float:
    """Return the rate of the Poisson distribution that has a mean, given that it is not 0."""
    rate = mean - 1
    for _ in range(SWEEPS):
        rate = mean * (1 - exp(-rate))
    return rate
