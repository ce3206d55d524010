"""Thresholds: which groups may be shown where the groups themselves are confidential."""

from __future__ import annotations

from functools import lru_cache
from math import expm1, log1p

from tacita.mechanisms.private.mechanisms import KEPT, Mechanism


@lru_cache(KEPT)
def threshold(
    mechanism: Mechanism, scale: float, records: int, delta: float, *, respondents: bool = False
) -> int:
    """Return the noisy number of records, or respondents, from which on a group may be shown.

    Two data sets D and D' differ in one respondent, who has at most r = `records` records. Call own
    the groups of D that are not in D': all their records are the respondent's, so there are m <= r
    of them, with c_1 + ... + c_m <= r records. Only nonempty groups get noise. If Z is the noise,
    the probability that an own group is shown is at most

    p(T) = max over m of P(Z >= T - (r - m + 1)) + (m - 1) P(Z >= T - 1),

    because the tail is convex beyond 0, so that of all ways to split r records the most uneven one
    is the worst. T is the least whole number above r with p(T) <= delta. With the discrete Laplace
    law, q = exp(-1 / scale), P(Z >= k) = q^k / (1 + q) for k >= 0, and for r = 1
    T = 1 + ceil(log(1 / (delta (1 + q))) scale).

    Where respondents are counted, each once in every group, own groups have one each, at most r of
    them. The noise of each is its own, so that p(T) = 1 - (1 - P(Z >= T - 1))^r.

    Why that is enough: let A be the noisy numbers of the groups that both have, which are private
    with the loss epsilon. The noise of own groups is independent of it, so for every set S of
    answers P(D in S) <= p + (1 - p) P(A in S), and P(D' in S) >= (1 - p') P(A' in S). With
    P(A in S) <= exp(epsilon) P(A' in S) that gives P(D in S) - exp(epsilon) P(D' in S) <=
    p + (p' - p) P(A in S) <= max(p, p') <= delta, whichever of them has groups of its own. In
    concentrated privacy the same two events make it delta-approximately rho-private. Other noisy
    numbers of groups, which are shown only where the count passes, are parts of A.
    (Korolova, Kenthapadi, Mishra and Ntoulas 2009; Bun, Nissim and Stemmer 2016; approximate
    concentrated privacy: Bun and Steinke 2016, definition 8.1.)

    >>> from tacita.mechanisms.private.mechanisms import Laplace
    >>> threshold(Laplace(), 1.0, 1, 1e-6)
    15

    Args:
        mechanism: where the noise comes from.
        scale: its scale.
        records: how many records a respondent has at most.
        delta: the most that the probability to show a group of one respondent may be.
        respondents: whether the number is one of respondents, and not of records.
    """
    shown = _of_respondents if respondents else _of_records
    low = 1 if respondents else records
    high = 2 * low
    while shown(mechanism, scale, records, high) > delta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if shown(mechanism, scale, records, middle) > delta:
            low = middle
        else:
            high = middle
    return high


def _of_respondents(mechanism: Mechanism, scale: float, groups: int, least: int) -> float:
    """Return the probability to show any of so many groups in which only one respondent is."""
    alone = min(mechanism.exceeding(least - 1, scale), 1.0)
    return 1.0 if alone == 1 else -expm1(groups * log1p(-alone))


def _of_records(mechanism: Mechanism, scale: float, records: int, least: int) -> float:
    """Return the most that the probability to show any of a respondent's own groups can be."""
    alone = mechanism.exceeding(least - 1, scale)
    return max(
        mechanism.exceeding(least - (records - many + 1), scale) + (many - 1) * alone
        for many in range(1, records + 1)
    )
