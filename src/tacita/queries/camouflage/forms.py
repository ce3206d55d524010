"""Statistics that are linear in a hidden attribute, and ratios of them, over a protection set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats

Interval = tuple[float, float]
MOST_STEPS = 100


@dataclass(frozen=True, eq=False)
class Linear:
    """A statistic sum c_i y_i of a hidden attribute y, of which K data sets are mixed.

    Args:
        of: the attribute.
        at_vertices: the statistic in each of the K data sets.
        slack: what every value may differ by from a mixture.
        norm: the sum of |c_i|.
        multipliers: gives c_i of every record of the query set.
    """

    of: str
    at_vertices: Floats
    slack: float
    norm: float
    multipliers: Callable[[], Floats]

    def bounds(self) -> Interval:
        """Return its least and its largest value: at a vertex, and every value off by its slack."""
        off = self.slack * self.norm
        return float(self.at_vertices.min()) - off, float(self.at_vertices.max()) + off

    @cached_property
    def coefficients(self) -> Floats:
        """Of every record of the query set what its value is multiplied by."""
        return self.multipliers()


@dataclass(frozen=True, eq=False)
class Affine:
    """A number and multiples of linear statistics of one attribute over one query set."""

    constant: float
    parts: tuple[tuple[float, Linear], ...] = ()

    def plus(self, other: Affine, times: float = 1.0) -> Affine:
        """Return the sum with a multiple of another one."""
        scaled = other.scaled(times)
        return Affine(self.constant + scaled.constant, self.parts + scaled.parts)

    def scaled(self, factor: float) -> Affine:
        """Return a multiple."""
        parts = tuple((factor * times, one) for times, one in self.parts)
        return Affine(factor * self.constant, parts)

    @property
    def at_vertices(self) -> Floats | float:
        """Its value in each of the data sets that are mixed."""
        return self.constant + sum(times * one.at_vertices for times, one in self.parts)

    @property
    def coefficients(self) -> Floats | float:
        """Of every record what its value is multiplied by."""
        return sum(times * one.coefficients for times, one in self.parts)

    @property
    def slack(self) -> float:
        """What every value may differ by from a mixture."""
        return self.parts[0][1].slack if self.parts else 0.0

    def bounds(self) -> Interval:
        """Return its least and its largest value."""
        values = np.atleast_1d(self.at_vertices)
        off = self.slack * float(np.abs(self.coefficients).sum())
        return float(values.min()) - off, float(values.max()) + off


@dataclass(frozen=True, eq=False)
class Ratio:
    """An affine statistic of an attribute, or the ratio of two of them.

    Over a convex set where the one below has no zero, a ratio of linear functions has its extremes
    at corners: at a vertex, with every value off by its slack in one direction or the other.
    """

    above: Affine
    below: Affine | None = None

    @property
    def of(self) -> str | None:
        """The attribute that it is of; None for a number."""
        parts = self.above.parts + (self.below.parts if self.below else ())
        return parts[0][1].of if parts else None

    def scaled(self, factor: float) -> Ratio:
        """Return a multiple."""
        return Ratio(self.above.scaled(factor), self.below)

    def plus(self, other: Ratio) -> Ratio | None:
        """Return the sum with another one; None if it is no ratio of affine statistics."""
        if self.below is None and other.below is None:
            return Ratio(self.above.plus(other.above))
        for one, number in ((self, other), (other, self)):
            if one.below is not None and number.of is None:
                return Ratio(one.above.plus(one.below, number.above.constant), one.below)
        return None

    def over(self, other: Ratio) -> Ratio | None:
        """Return the ratio with another one; None if it is no ratio of affine statistics."""
        if other.of is None:
            return self.scaled(1 / other.above.constant) if other.above.constant else None
        return None if self.below or other.below else Ratio(self.above, other.above)

    def bounds(self) -> Interval | None:
        """Return its least and its largest value; None where the one below may be 0."""
        if self.below is None:
            return self.above.bounds()
        lower, upper = self.below.bounds()
        if lower <= 0 <= upper:
            return None
        sign = 1.0 if lower > 0 else -1.0
        above, below = self.above.scaled(sign), self.below.scaled(sign)
        return -_largest(above.scaled(-1.0), below), _largest(above, below)


def _largest(above: Affine, below: Affine) -> float:
    """Return the largest ratio: the t at which the largest of above - t below is 0 (Dinkelbach).

    A corner at which that difference is largest has a ratio of t or more, so that t grows until no
    corner is better.
    """
    upon, under = np.broadcast_arrays(above.at_vertices, below.at_vertices)
    slope, slope_under = np.broadcast_arrays(above.coefficients, below.coefficients)
    slack = max(above.slack, below.slack)
    ratio = float((upon / under).max())
    for _ in range(MOST_STEPS):
        vertex = int((upon - ratio * under).argmax())
        off = slack * np.sign(slope - ratio * slope_under)
        better = float(
            (upon[vertex] + product(slope, off)) / (under[vertex] + product(slope_under, off))
        )
        if better <= ratio:
            break
        ratio = better
    return ratio
