"""Ranks: how far a candidate is from being the quantile of a query set."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.queries.cells import QuerySet
from tacita.queries.computed import numbers_of

FINEST = 10_000  # quantiles are told apart in steps of one in so many


@dataclass(frozen=True)
class Rank:
    """A quantile, as a choice among candidates.

    With the fraction a / d, the score of a candidate c is -|(d - a) #(x < c) - a #(x > c)|: 0 where
    the share a / d of the values lies below (Smith 2011). One record moves it by d at most.

    Args:
        attribute: whose quantile.
        fraction: which.

    >>> Rank("salary", 0.5).limits()
    (-1, 1)
    """

    attribute: str
    fraction: float

    @property
    def ratio(self) -> Fraction:
        """The fraction, as one of whole numbers."""
        return Fraction(repr(self.fraction)).limit_denominator(FINEST)

    def limits(self) -> tuple[int, int]:
        """Return the least and the most that a record contributes before the absolute value."""
        return -self.ratio.numerator, self.ratio.denominator - self.ratio.numerator

    def values(self, members: QuerySet, kept: Mask | None = None) -> Floats:
        """Return the known values in ascending order; all records count unless it is said which."""
        rows = members.rows if kept is None else members.rows[kept[members.rows]]
        values = numbers_of(members.data, self.attribute)[rows]
        return np.sort(values[~np.isnan(values)])

    def scores(self, values: Floats, candidates: Floats) -> list[int]:
        """Return the score of every candidate for values in ascending order."""
        below: Ints = np.searchsorted(values, candidates, "left").astype(np.int64)
        above: Ints = values.size - np.searchsorted(values, candidates, "right").astype(np.int64)
        over, under = self.limits()
        scores: list[int] = (-np.abs(under * below + over * above)).tolist()
        return scores


def candidates_between(bounds: tuple[float, float], steps: int) -> Floats:
    """Return the values that a quantile is chosen from, evenly spaced over the bounds.

    >>> candidates_between((0.0, 2.0), 4)
    array([0. , 0.5, 1. , 1.5, 2. ])
    """
    return np.linspace(*bounds, steps + 1)
