"""Whether chance explains how many numbers pass a check: the exact tail of a binomial."""

from __future__ import annotations

from fractions import Fraction
from math import comb


def is_beyond_chance(passing: int, tested: int, chance: Fraction, limit: Fraction) -> bool:
    """Tell whether P(X >= passing) <= limit, where X ~ Binomial(tested, chance); in whole numbers.

    One number in ten passes a check digit modulo 10 by accident, so that some of many always do.

    >>> is_beyond_chance(4, 4, Fraction(1, 10), Fraction(1, 1000))
    True
    >>> is_beyond_chance(100, 1000, Fraction(1, 10), Fraction(1, 1000))
    False
    """
    hit, all_ways = chance.numerator, chance.denominator
    miss = all_ways - hit
    if not 0 < passing <= tested or not miss:
        return False
    if passing * all_ways <= tested * hit:  # no more than is expected
        return False
    ways = comb(tested, passing) * hit**passing * miss ** (tested - passing)
    tail = 0
    for successes in range(passing, tested + 1):
        tail += ways
        ways = ways * (tested - successes) * hit // ((successes + 1) * miss)
    most: int = limit.numerator * all_ways**tested
    return tail * limit.denominator <= most
