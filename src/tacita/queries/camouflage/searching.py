"""The least value of a function over all mixtures of vertices, by branch and bound with proof.

The simplex of weights is cut into smaller ones. On each, every record's value lies between its
values at the corners, which bounds the function from below; records about which nothing is open any
more are counted and left out. What is returned is never above the least value, so that an interval
made of it is safe, and equal to it if the search came to its end.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Protocol, Self

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.queries.camouflage.value_sets import ValueSet

WORK = 6_000_000  # values that a query's searches look at before they end with what they have
OVERHEAD = 2_000  # what looking at no value at all costs, in values
FEW = 8  # edges that are compared one by one
MANY = 50_000  # open records from which on those that are nearly alike are taken together
LEVELS = 100  # of values that are told apart then
FLAT = 3  # corners of a simplex in which that helps
TWO = 2
HALF = 0.5


class Function(Protocol):
    """A function of the values of all records.

    Records that are alike stand in one place, with a weight. `gone` is what the function remembers
    of the records that were left out.
    """

    @property
    def tolerance(self) -> float:
        """How far from the least value is near enough."""

    def opened(self, values: Floats, weights: Ints, gone: int) -> tuple[Mask, int]:
        """Tell which records are not the same to the function all over a simplex."""

    def bound(self, values: Floats, weights: Ints, gone: int) -> float:
        """Return what the function is at least, all over a simplex."""

    def at(self, values: Floats, weights: Ints, gone: int) -> float:
        """Return the function at one corner."""

    def coarser(self, by: float) -> Self:
        """Return a function that is nowhere larger if every value is changed by so much."""


@dataclass(frozen=True, eq=False)
class Within:
    """The number of values that lie in a set."""

    inside: ValueSet
    tolerance = 0.0

    def opened(self, values: Floats, weights: Ints, gone: int) -> tuple[Mask, int]:
        """Count the values that lie in one interval, or between two, all over the simplex."""
        least, most = self._place(values.min(axis=0)), self._place(values.max(axis=0))
        decided = least == most
        return ~decided, gone + int(weights[decided & (least % 2 == 1)].sum())

    def bound(self, values: Floats, weights: Ints, gone: int) -> float:  # noqa: ARG002
        """Count those that are decided; of the others there may be none."""
        return float(gone)

    def at(self, values: Floats, weights: Ints, gone: int) -> float:
        """Count the values of a corner."""
        return float(gone + weights[self._place(values) % 2 == 1].sum())

    def coarser(self, by: float) -> Within:
        """Return how many values are in the set for certain."""
        return Within(self.inside.eroded(by))

    def _place(self, values: Floats) -> Ints:
        """Count the edges below: an odd number within an interval."""
        edges = self.inside.edges
        if len(edges) > FEW:
            return np.searchsorted(edges, values)
        places = np.zeros(values.shape, np.int64)
        for edge in edges:
            places += values > edge
        return places


@dataclass(frozen=True)
class Quantile:
    """A quantile, interpolated between the two values next to it.

    Args:
        rank: the number of values before the lower one of the two.
        part: how far the quantile is from the lower one to the upper one.
        tolerance: how far from the least one a quantile is as good.
        less: what is taken off.
    """

    rank: int
    part: float
    tolerance: float
    less: float = 0.0

    def opened(self, values: Floats, weights: Ints, gone: int) -> tuple[Mask, int]:
        """Leave out the values that are below or above the two all over the simplex."""
        least, most = values.min(axis=0), values.max(axis=0)
        below = most < self._ranked(least, weights, gone)[0]
        above = least > self._ranked(most, weights, gone)[1]
        return ~(below | above), gone + int(weights[below].sum())

    def bound(self, values: Floats, weights: Ints, gone: int) -> float:
        """Return the quantile of the least values, or of the only two that it can be between."""
        if self.part and weights.size == weights.sum() == TWO:
            return self._of_two(values) - self.less
        return self.at(values.min(axis=0), weights, gone)

    def _of_two(self, values: Floats) -> float:
        """Return what a mean of two values, part of the larger one, is at least.

        It is a part of their sum and of the smaller or the larger one. The sum is linear and the
        smaller one concave, both least at a corner; the larger one is no less than each.
        """
        part, rest = min(self.part, 1 - self.part), abs(1 - 2 * self.part)
        sums = part * values.sum(axis=1)
        if self.part <= HALF:
            return float((sums + rest * values.min(axis=1)).min())
        return float(sums.min() + rest * values.min(axis=0).max())

    def at(self, values: Floats, weights: Ints, gone: int) -> float:
        """Return the quantile of the values of a corner."""
        lower, upper = self._ranked(values, weights, gone)
        return lower + self.part * (upper - lower) - self.less

    def coarser(self, by: float) -> Quantile:
        """Return the quantile less the change."""
        return replace(self, less=self.less + by)

    def _ranked(self, values: Floats, weights: Ints, gone: int) -> tuple[float, float]:
        ranks = [self.rank - gone, self.rank - gone + (self.part > 0)]
        if weights.sum() == len(weights):  # every record for itself: no need to sort
            lower, upper = np.partition(values, ranks)[ranks]
        else:
            order = np.argsort(values)
            before = np.cumsum(weights[order])
            lower, upper = values[order[np.searchsorted(before, ranks, side="right")]]
        return float(lower), float(upper)


@dataclass(frozen=True, eq=False)
class Part:
    """A simplex of weights.

    Args:
        corners: its corners, one row each.
        values: the values at every corner, one row each, of the records that are open.
        weights: how many records each of these is.
        gone: what the function remembers of the others.
    """

    corners: Floats
    values: Floats
    weights: Ints
    gone: int

    @classmethod
    def whole(cls, vertices: Floats) -> Part:
        """Return all mixtures of vertices, one row a record."""
        records, many = vertices.shape
        return cls(np.eye(many), np.ascontiguousarray(vertices.T), np.ones(records, np.int64), 0)

    def opened(self, function: Function) -> Part:
        """Leave out the records that are the same to a function all over the simplex."""
        keep, gone = function.opened(self.values, self.weights, self.gone)
        return replace(self, values=self.values[:, keep], weights=self.weights[keep], gone=gone)

    def bound(self, function: Function) -> float:
        """Return what a function is at least, all over the simplex."""
        return function.bound(self.values, self.weights, self.gone)

    def merged(self) -> tuple[Part, float]:
        """Round values, and take records together that are alike then; tell what changed at most.

        Values of a mixture change by no more than those at the corners do.
        """
        from tacita.kernels.grouping import group

        step = float(np.ptp(self.values)) / LEVELS or 1.0
        rounded = np.round(self.values / step).astype(np.int64)
        groups = group(list(rounded))
        weights = np.bincount(groups.ids, self.weights).astype(np.int64)
        values: Floats = rounded[:, groups.first] * np.float64(step)
        change = float(np.abs(rounded * step - self.values).max())
        return replace(self, values=values, weights=weights), change

    def halves(self) -> Iterator[tuple[Part, Floats]]:
        """Cut it in two at the middle of its longest edge; give the values there, too."""
        gaps = np.linalg.norm(self.corners[:, None] - self.corners, axis=2)
        edge = list(np.unravel_index(np.argmax(gaps), gaps.shape))
        middle, values_there = self.corners[edge].mean(axis=0), self.values[edge].mean(axis=0)
        for corner in edge:
            corners, values = self.corners.copy(), self.values.copy()
            corners[corner], values[corner] = middle, values_there
            yield replace(self, corners=corners, values=values), values_there


def least(function: Function, vertices: Floats, work: float = WORK) -> float:
    """Return what a function is at least over all mixtures of vertices.

    >>> vertices = np.array([[1.0, 4.0], [4.0, 1.0], [9.0, 9.0]])
    >>> above = Within(ValueSet(np.array([3.5, np.inf])))
    >>> least(above, vertices), least(Quantile(0, 0.0, 1e-9), vertices)
    (1.0, 1.0)

    Args:
        function: the function.
        vertices: one row a record, one column a vertex.
        work: how much is done at most.
    """
    part = Part.whole(vertices).opened(function)
    # In more dimensions hardly any records are alike.
    if len(part.weights) > MANY and len(part.corners) <= FLAT and work > 0:
        part, change = part.merged()
        function = function.coarser(change)
        part = part.opened(function)
    best = min(function.at(values, part.weights, part.gone) for values in part.values)
    bound, number = part.bound(function), count()
    parts: list[tuple[float, int, Part]] = []
    while best - bound > function.tolerance and work > 0:
        for half, values in part.halves():
            best = min(best, function.at(values, half.weights, half.gone))
            opened = half.opened(function)
            heapq.heappush(parts, (opened.bound(function), next(number), opened))
        work -= part.values.size + OVERHEAD
        bound, _, part = heapq.heappop(parts)
    return bound
