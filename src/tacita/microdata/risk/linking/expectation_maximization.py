"""Expectation-maximization: how often matches and non-matches agree, from unlabelled pairs.

Pairs of records are a mixture of matches (a share of them) and non-matches; within each, attributes
agree independently of one another. Counts of agreement patterns are all that is needed.

Of two attributes that depend on one another, the likeliest mixture may take agreement on one of
them for a sign of a non-match. Nobody who links records believes that; so m/u never falls from a
level to a higher one (the maximum under this constraint is that of Dykstra, Kochar & Robertson,
JASA 90(431):1034-1040, 1995).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from tacita.arithmetic import exp, log, log1p, log2, log_sum
from tacita.data.classes import Floats, Ints

HALF = 0.5  # a pair more at every level in the frequencies to begin with, so that none is 0
STEPS = 2000  # at most, and fewer where there are very many patterns
WORK = 2 * 10**8  # levels looked at in all steps together
PRECISION = 1e-7  # of every probability: when no step changes one by more, it has converged
LEVELS = 4
BLANK = 0
SMALLEST = 1e-12  # a share of matches is never quite 0 or 1

Levels = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Mixture:
    """The two kinds of pairs.

    Args:
        m: for each attribute and level, its probability among matches; NaN where it never occurs.
        u: the same among non-matches.
        share: the share of matches among the pairs.
        objective: before each step, the log-likelihood with the logarithm of the prior.
    """

    m: Floats
    u: Floats
    share: float
    objective: tuple[float, ...] = ()

    def numbers(self) -> Floats:
        """Return all probabilities in a row; NaN for levels that never occur."""
        return np.concatenate([self.m.ravel(), self.u.ravel(), [self.share, 1 - self.share]])

    def weights(self) -> Floats:
        """Return log2(m/u) for each attribute and level; 0 for blanks and what never occurs."""
        return np.asarray(np.nan_to_num(log2(self.m / self.u)))

    def whole_weights(self, scale: int) -> Ints:
        """Return the weights in whole parts of 1, each below that of the next higher level.

        Where levels say as much, the higher one is still preferred: by one part.

        Args:
            scale: how many parts 1 has.
        """
        whole = np.round(self.weights() * scale).astype(np.int64)
        for row, there in zip(whole, ~np.isnan(self.m), strict=True):
            for higher, level in pairwise(np.flatnonzero(there)[::-1]):
                row[level] = min(row[level], row[higher] - 1)
        return whole

    def posterior(self, levels: Levels) -> Floats:
        """Return the probability that a pair with each of some patterns is a match."""
        return _posterior(*self.logarithms(levels))

    def logarithms(self, levels: Levels) -> tuple[Floats, Floats]:
        """Return log(share m(pattern)) and log((1 - share) u(pattern))."""
        of_match = np.full(len(levels), log(self.share))
        of_other = np.full(len(levels), log1p(-self.share))
        for place, column in enumerate(levels.T):
            of_match += np.nan_to_num(log(self.m[place]))[column]
            of_other += np.nan_to_num(log(self.u[place]))[column]
        return of_match, of_other


def estimated(
    levels: Levels,
    counts: Ints,
    *,
    share: float | None = None,
    u: Floats | None = None,
) -> Mixture:
    """Estimate the mixture by expectation-maximization (Dempster, Laird & Rubin 1977).

    A level of 0 is a blank: it says nothing. What the counts leave open is settled by a prior as
    strong as one match and one non-match that are like the mixture to begin with (see `started`);
    the estimates are the modes of the posterior where no level of agreement speaks less for a match
    than a lower one, and the objective never falls from step to step.

    >>> levels = 1 + 2 * np.array(list(np.ndindex(2, 2, 2)))
    >>> counts = np.array([721720, 80280, 9720, 8280])[(levels == 3).sum(axis=1)]
    >>> estimated(levels, counts, share=0.01).m[:, 3].round(2)
    array([0.9, 0.9, 0.9])

    Args:
        levels: the distinct patterns: for each attribute the level of agreement (1 to 3; 0 blank).
        counts: how many pairs have each pattern.
        share: the share of matches, where it is known.
        u: the probabilities among non-matches, where they are known.
    """
    begun = mixture = started(levels, counts, share=share, u=u)
    reached = []
    for _ in range(min(STEPS, 1 + WORK // max(levels.size, 1))):
        of_match, of_other = mixture.logarithms(levels)
        reached.append(_objective(mixture, begun, counts, log_sum(of_match, of_other)))
        before, match = mixture, _posterior(of_match, of_other)
        mixture = _maximized(begun, levels, counts, match, share, u)
        if np.nanmax(np.abs(mixture.numbers() - before.numbers())) < PRECISION:
            break
    return replace(mixture, objective=tuple(reached))


def started(
    levels: Levels, counts: Ints, *, share: float | None = None, u: Floats | None = None
) -> Mixture:
    """Return the mixture to begin with: non-matches are like all pairs, matches agree more.

    A tenth of the disagreement of all pairs and half of their partial agreement is taken to be left
    among matches; the rest reaches the highest level that occurs, so that agreement speaks for a
    match from the beginning, however common it is.
    """
    every = all_pairs(levels, counts)
    m = every * np.array([np.nan, 0.1, 0.5, 1.0])
    for place, row in enumerate(m):
        highest = np.flatnonzero(~np.isnan(row))[-1:]
        m[place, highest] = 1 - np.nansum(np.delete(row, highest))
    begun = 0.05 if share is None else share
    return Mixture(m, every if u is None else u, float(np.clip(begun, SMALLEST, 1 - SMALLEST)))


def all_pairs(levels: Levels, counts: Ints) -> Floats:
    """Return the relative frequencies, among all pairs, of the levels that occur, blanks apart.

    >>> all_pairs(np.array([[3], [1], [0]]), np.array([1, 2, 9])).tolist()
    [[nan, 0.625, nan, 0.375]]
    """
    prior = np.full((levels.shape[1], LEVELS), np.nan)
    for place, column in enumerate(levels.T):
        prior[place, np.unique(column)] = HALF
    prior[:, BLANK] = np.nan
    return _frequencies(levels, counts.astype(np.float64), prior)


def _frequencies(levels: Levels, weights: Floats, prior: Floats) -> Floats:
    return _relative(_sums(levels, weights, prior))


def _sums(levels: Levels, weights: Floats, prior: Floats) -> Floats:
    sums = [np.bincount(column, weights, LEVELS) for column in levels.T]
    return prior + np.array(sums).reshape(prior.shape)


def _relative(sums: Floats) -> Floats:
    return np.asarray(sums / np.nansum(sums, axis=1, keepdims=True).clip(SMALLEST))


def _maximized(
    begun: Mixture,
    levels: Levels,
    counts: Ints,
    match: Floats,
    share: float | None,
    u: Floats | None,
) -> Mixture:
    found = (counts @ match + begun.share) / (counts.sum() + 1)
    matches = _sums(levels, counts * match, begun.m)
    every = matches + _sums(levels, counts * (1 - match), begun.u)
    matches = _ascending(matches, every if u is None else u)
    return replace(
        begun,
        m=_relative(matches),
        u=_relative(every - matches) if u is None else u,
        share=float(found) if share is None else begun.share,
    )


def _ascending(matches: Floats, beside: Floats) -> Floats:
    """Pool neighbouring levels until their share of matches never falls with the level.

    Args:
        matches: for each attribute and level, how many matches have it; NaN where it never occurs.
        beside: what the matches are a share of.
    """
    from scipy.optimize import isotonic_regression

    shares, pooled = matches / beside, matches.copy()
    falling = np.fmax.accumulate(shares, axis=1) > shares
    for place in np.flatnonzero(falling.any(axis=1)):
        there = ~np.isnan(shares[place])
        weights = beside[place, there]
        found = isotonic_regression(shares[place, there], weights=weights).x
        pooled[place, there] = found * weights
    return pooled


def _posterior(of_match: Floats, of_other: Floats) -> Floats:
    return np.asarray(exp(of_match - log_sum(of_match, of_other)))


def _objective(mixture: Mixture, begun: Mixture, counts: Ints, logarithms: Floats) -> float:
    prior = np.nansum(begun.numbers() * log(mixture.numbers()))
    return float((counts * logarithms).sum() + prior)
