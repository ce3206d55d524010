"""The protection set: all mixtures of a few made-up data sets, with the true one among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats, Ints
from tacita.queries.camouflage.drawing import occurrences
from tacita.queries.public_classes import PublicClasses


@dataclass(frozen=True, eq=False)
class Needs:
    """How far apart the bounds of every value must be.

    Args:
        relative: the width of an interval, as a share of its end that is further from zero.
        width: the least width.
        lower: of every value what its lower bound may not exceed; NaN where nobody asked for one.
        upper: the same of its upper bound, which may not be below.
    """

    relative: float
    width: float
    lower: Floats
    upper: Floats

    def widths(self, values: Floats, at: Floats) -> Floats:
        """Return the width of the narrowest intervals that do, with every value at a share of it.

        All needs are conditions on the ends of an interval, lower = value - width * at and upper =
        value + width * (1 - at). So the interval tells nothing about where in it the value is: any
        other value of it, at its own share, would have got the same.
        """
        share = self.relative
        parts = [
            share * values / (1 - share * (1 - at)),  # width >= share * upper
            -share * values / (1 - share * at),  # width >= -share * lower
            (values - self.lower) / at,
            (self.upper - values) / (1 - at),
        ]
        widest: Floats = np.fmax.reduce([np.full(len(values), self.width), *parts])
        return np.where(np.isnan(values), np.nan, widest)


@dataclass(frozen=True, eq=False)
class ProtectionSet:
    """The data sets that an attribute is camouflaged by: conv(P1, ..., PK), give or take a bit.

    Args:
        data: the true records.
        name: the attribute.
        vertices: of every record (in the order of the classes) its value in each of the K data
            sets; NaN where it is blank.
        slack: what every value of a mixture may be changed by, and is still in the set. It is half
            a unit where values are known to be whole units: then every mixture, rounded, is data
            that could be the true ones.
    """

    data: PublicClasses
    name: str
    vertices: Floats
    slack: float

    @cached_property
    def sums(self) -> Floats:
        """Of every vertex and class the sum."""
        return self._by_class(np.nan_to_num(self.vertices)).T.copy()

    @cached_property
    def known(self) -> Ints:
        """Of every class the number of values."""
        return self._by_class((~np.isnan(self.vertices[:, 0])).astype(np.int64))

    def of(self, rows: Ints) -> Floats:
        """Return the values in the vertices of those records that have one."""
        chosen: Floats = self.vertices[rows]
        return chosen[~np.isnan(chosen[:, 0])]

    def keep(self, old: ProtectionSet, origin: Ints) -> ProtectionSet:
        """Return the set after an update: values that did not change keep their vertices.

        Records of one class are exchangeable: no answer ever told them apart. So a value may take
        the vertices of any equal value of the class it comes from.

        Args:
            old: the set before.
            origin: of every new class the old class that its values are from; negative where new.
        """
        from_class = origin[self.data.of_record]
        stayed = np.flatnonzero((from_class >= 0) & ~np.isnan(self.vertices[:, 0]))
        here = self.data.numbers(self.name)[stayed]
        before = old.data.numbers(self.name)
        places = _matches((old.data.of_record, before), (from_class[stayed], here))
        vertices = self.vertices.copy()
        vertices[stayed] = old.vertices[places]
        return ProtectionSet(self.data, self.name, vertices, max(self.slack, old.slack))

    def _by_class(self, values: Floats | Ints) -> np.ndarray:
        starts = self.data.starts[:-1]
        return np.add.reduceat(values, starts, axis=0) if len(starts) else values[:0]


def enclosed(values: Floats, drawn: Floats, weights: Floats, needs: Needs) -> Floats:
    """Return vertices around values: each is the mixture of its vertices by the weights.

    The numbers drawn for a value say how its vertices lie in its interval: the least is its lower
    end, the largest its upper end. So an interval is as wide as needed, and no wider, and the value
    is anywhere in it.

    >>> needs = Needs(0.3, 0.0, np.full(1, np.nan), np.full(1, np.nan))
    >>> weights = np.array([0.5, 0.25, 0.25])
    >>> found = enclosed(np.array([85.0]), np.array([[0.0, 1.0, 1.0]]), weights, needs)
    >>> found.round(9), (found @ weights).round(9)
    (array([[ 70., 100., 100.]]), array([85.]))
    """
    least, most = drawn.min(axis=1, keepdims=True), drawn.max(axis=1, keepdims=True)
    shares = (drawn - least) / (most - least)
    at = product(shares, weights)
    widths = needs.widths(values, at)
    vertices: Floats = (values - widths * at)[:, None] + widths[:, None] * shares
    return vertices


def _matches(old: tuple[Ints, Floats], new: tuple[Ints, Floats]) -> Ints:
    """Find every new pair of a class and a value among the old ones, each at a place of its own."""
    parts = [np.concatenate(pair) for pair in zip(old, new, strict=True)]
    nth = np.concatenate([occurrences(*old), occurrences(*new)])
    order = np.lexsort((np.arange(len(nth)), nth, parts[1], parts[0]))
    # An old pair stands right before the new one that equals it.
    at = np.flatnonzero(order >= len(old[0]))
    places = np.empty(len(new[0]), np.int64)
    places[order[at] - len(old[0])] = order[at - 1]
    return places
