"""How the differences of all numbers of a pair come about together.

Where a masking moves the numbers of a record together (noise that is correlated as the data are,
centroids of all attributes at once), adding up what each attribute tells counts the same evidence
several times. The differences e of released and known numbers are then weighed as one: their
density is a mixture of normal ones of one shape and several sizes, sum_s a_s N(e; 0, s V), which
has heavy tails where some records were moved further than others. V is all of a kind for the metric
of distance linkage, or is learned from the pairs that are likely to be matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacita.arithmetic import eigh, exp, log, product
from tacita.data.classes import Floats, Ints
from tacita.microdata.risk.linking.comparison import Collapsed
from tacita.microdata.risk.linking.graded import Graded

if TYPE_CHECKING:
    from tacita.kernels.graded import Points

SIZES = np.ldexp(1.0, np.arange(-8, 9, 2))  # powers of 4, exactly
ROUNDS = 3  # of expectation-maximization for each set of links
FLAT = 1e-8  # of the mean variance: what is smaller is taken for rounding
RARE = 1e-3  # of the pairs: a size that fewer have is left out
SLIGHT = 1e-3  # of a link: pairs less likely than that are not learned from
SMALLEST = 1e-12  # squared distance, in variances of the known values
LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of known and released combinations, in standard deviations of the known ones.

    Args:
        places: which attributes they are.
        known: one row a combination.
        released: one row a combination.
    """

    places: Sequence[int]
    known: Floats
    released: Floats

    @classmethod
    def of(cls, attributes: Sequence[Graded], compared: Collapsed) -> Numbers:
        """Collect the attributes that are numbers and have no blanks."""
        sides: tuple[list[Floats], list[Floats]] = ([], [])
        places = []
        for place, each in enumerate(attributes):
            if each.numbers is not None:
                places.append(place)
                for side, rows, values in zip(
                    sides, (compared.known, compared.released), each.numbers, strict=True
                ):
                    side.append(values[rows.codes[:, place] - compared.offsets[place]])
        known, released = (
            np.column_stack([np.empty((len(rows.counts), 0)), *side])
            for rows, side in zip((compared.known, compared.released), sides, strict=True)
        )
        return cls(places, known, released)

    def between(self, row: Ints, other: Ints) -> Floats:
        """Return the differences of pairs."""
        return np.asarray(self.released[row] - self.known[other])


@dataclass(frozen=True, eq=False)
class Differences:
    """A mixture of normal densities of the differences, of one shape.

    Args:
        numbers: the numbers that differ.
        axes: turns differences into ones of variance 1 and without correlation, in columns.
        log_volume: the logarithm of the determinant of the axes.
        shares: how much of the mixture has each of `SIZES`.
        is_shaped: whether the axes are learned.
    """

    numbers: Numbers
    axes: Floats
    log_volume: float
    shares: Floats
    is_shaped: bool

    @classmethod
    def of(
        cls, numbers: Numbers, row: Ints, other: Ints, linked: Floats, *, is_shaped: bool
    ) -> Differences:
        """Begin with pairs that are linked with some probability."""
        width = len(numbers.places)
        likely = linked > SLIGHT
        squares = _squares(numbers.between(row[likely], other[likely]))
        order = np.argsort(squares, kind="stable")
        reached = np.cumsum(linked[likely][order])
        middle = np.searchsorted(reached, reached[-1] / 2) if len(reached) else 0
        typical = float(squares[order[middle]]) if len(order) else 0.0
        unit = np.sqrt(max(typical / width, SMALLEST))
        shares = np.full(len(SIZES), 1 / len(SIZES))
        volume = -width * float(log(unit))
        begun = cls(numbers, np.eye(width) / unit, volume, shares, is_shaped)
        return begun.fitted(row, other, linked)

    @property
    def points(self) -> Points:
        """Where the combinations lie along the axes, and what being far apart adds."""
        from tacita.kernels.graded import Points

        released, known = self._turned
        there = self.shares > LEAST
        width = len(self.axes)
        heights = log(self.shares[there]) - width / 2 * log(2 * np.pi * SIZES[there])
        heights += self.log_volume
        return Points(released, known, heights, 0.5 / SIZES[there])

    @property
    def _turned(self) -> tuple[Floats, Floats]:
        return product(self.numbers.released, self.axes), product(self.numbers.known, self.axes)

    def weights(self, row: Ints, other: Ints) -> Floats:
        """Return the logarithm of the density of pairs."""
        points = self.points
        apart = np.zeros(len(row))
        for axis in range(len(self.axes)):
            apart += (points.rows[row, axis] - points.others[other, axis]) ** 2
        parts = points.heights[:, None] - points.rates[:, None] * apart
        most = parts.max(axis=0)
        total = np.zeros(len(row))
        for part in parts:
            total += exp(part - most)
        return np.asarray(most + log(total))

    def fitted(self, row: Ints, other: Ints, linked: Floats) -> Differences:
        """Learn sizes, and the shape where it is learned, from pairs that are linked."""
        likely = linked > SLIGHT
        apart, weight = self.numbers.between(row[likely], other[likely]), linked[likely]
        if not weight.sum():
            return self
        found = self
        for _ in range(ROUNDS):
            found = found._step(apart, weight)
        return found

    def _step(self, apart: Floats, weight: Floats) -> Differences:
        squares = _squares(product(apart, self.axes))
        width = len(self.axes)
        parts = (
            log(np.maximum(self.shares, LEAST))
            - width / 2 * log(SIZES)
            - squares[:, None] / (2 * SIZES)
        )
        of_size = exp(parts - parts.max(axis=1, keepdims=True))
        of_size *= (weight / of_size.sum(axis=1))[:, None]
        shares = product(np.ones(len(weight)), of_size) / weight.sum()
        shares = np.where(shares > RARE, shares, 0.0)
        shares /= shares.sum()
        if not self.is_shaped:
            return replace(self, shares=shares)
        told = product(of_size, 1 / SIZES)
        shape = product((apart * told[:, None]).T, apart) / weight.sum()
        variances, axes = eigh(shape)
        least = max(float(variances.mean()) * FLAT, SMALLEST)
        variances = np.maximum(variances, least)
        volume = -float(log(variances).sum()) / 2
        return replace(self, shares=shares, axes=axes / np.sqrt(variances), log_volume=volume)


def _squares(apart: Floats) -> Floats:
    total = np.zeros(len(apart))
    for column in apart.T:
        total += column**2
    return total
