"""Intervals of quantiles: both ends searched for among the candidates, by noisy comparisons.

A quantile of n values with the fraction p = a / d is enclosed by every candidate c with
#(x < c) <= p (n - 1), which is not above it, and every c with #(x <= c) >= p (n - 1) + 1, which is
not below it. Each end is found by halving the candidates: a comparison is believed only if it holds
by a margin that its noise exceeds seldom enough for all comparisons together. So the interval is
right with 95 % confidence whatever the data are, also where values are tied or gather between two
candidates, and wide where few are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from tacita.data.classes import Floats
from tacita.mechanisms.private.mechanisms import CONFIDENCE, MECHANISMS, Mechanism, Sensitivity
from tacita.queries.private.ranks import Rank

ENDS = 2
Test = Callable[[Floats, float], int]  # of sorted values and a candidate; holds if it is below 1


def enclosed(
    rank: Rank,
    values: Sequence[Floats],
    candidates: Floats,
    mechanism: Mechanism,
    moved: Sensitivity,
    cost: Fraction,
) -> list[tuple[float, float]]:
    """Return an interval of the quantile of each of several groups of records.

    Args:
        rank: which quantile.
        values: the known values of each group, in ascending order.
        candidates: what the ends are chosen from, in ascending order; the first and the last are
            the bounds of the attribute.
        mechanism: how losses add up.
        moved: by how much one respondent moves a comparison of all groups.
        cost: the loss of all intervals together.
    """
    noisy = MECHANISMS[mechanism.measure]
    comparisons = max(int(np.ceil(np.log2(len(candidates) - 1))), 1)
    scale = noisy.scale(moved, cost / (ENDS * comparisons))
    least = margin(noisy, scale, (1 - CONFIDENCE) / (ENDS * comparisons))
    over, under = rank.limits()

    def is_not_above(known: Floats, candidate: float) -> int:
        below = int(np.searchsorted(known, candidate, "left"))
        return under * below + over * (len(known) - below) - over

    def is_not_below(known: Floats, candidate: float) -> int:
        within = int(np.searchsorted(known, candidate, "right"))
        return under - (under * within + over * (len(known) - within))

    def ends(test: Test, *, descending: bool) -> list[int]:
        """Return of every group the last candidate that passes, or the first, descending."""
        last = len(candidates) - 1
        passed, failed = [0] * len(values), [last] * len(values)
        for _ in range(comparisons):
            middles = [(one + other) // 2 for one, other in zip(passed, failed, strict=True)]
            places = [last - one if descending else one for one in middles]
            scores = [
                test(known, float(candidates[at])) for known, at in zip(values, places, strict=True)
            ]
            for at, told in enumerate(noisy.noised(scores, scale)):
                if told <= -least:
                    passed[at] = middles[at]
                else:
                    failed[at] = middles[at]
        return [last - one if descending else one for one in passed]

    lower, upper = ends(is_not_above, descending=False), ends(is_not_below, descending=True)
    return [
        (float(candidates[low]), float(candidates[max(low, high)]))
        for low, high in zip(lower, upper, strict=True)
    ]


def margin(mechanism: Mechanism, scale: float, chance: float) -> int:
    """Return the least number that noise reaches no more often than a chance.

    >>> from tacita.mechanisms.private.mechanisms import Laplace
    >>> margin(Laplace(), 1.0, 0.01)
    5
    """
    low, high = 0, 1
    while mechanism.exceeding(high, scale) > chance:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if mechanism.exceeding(middle, scale) > chance:
            low = middle
        else:
            high = middle
    return high
