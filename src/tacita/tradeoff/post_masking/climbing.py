"""The search: single values change by random steps as long as the moments come nearer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import ParameterError
from tacita.tradeoff.post_masking.pair import Pair

if TYPE_CHECKING:
    from tacita.kernels.climbing import Cells, Points, Products, Room

NEAR_ZERO = 1e-3  # a moment below it is compared as it is, not relatively
MOST = 200_000  # moments
COARSEST, FINEST = 0.25, 1e-5  # steps, in standard deviations of the original
FEW = 0.1  # of the steps taken: then they are too long
REACHED = 1e-12  # an error that leaves nothing to gain


@dataclass(frozen=True, eq=False)
class Aim:
    """The moments of the original data, and how far others are from them.

    Values are standardized by the means and deviations of the original. A moment is the mean of a
    product of attributes, and the error is E = sum_k ((m'_k - m_k) / m_k)^2 over all of them; what
    is near zero, as the means are, is not divided by.

    Args:
        centres: the means of the original.
        units: its standard deviations, 1 where all values are equal.
        products: the products whose means are the moments.
        wanted: the moments of the original.
    """

    centres: Floats
    units: Floats
    products: Products
    wanted: Floats

    @classmethod
    def of(cls, original: Floats, order: int) -> Aim:
        """Compute all moments up to an order, the mixed ones too."""
        from tacita.kernels.climbing import means_of, products_of

        attributes = original.shape[1]
        moments = comb(attributes + order, order) - 1
        if moments > MOST:
            raise ParameterError(
                f"{attributes} attributes have {moments:,} moments up to order {order}, more than "
                f"{MOST:,}; name fewer `attributes` or take a lower `order`."
            )
        centres, spread = original.mean(axis=0), original.std(axis=0)
        units = np.where(spread > 0, spread, 1.0)
        products = products_of(attributes, order)
        wanted = means_of(_scaled(original, centres, units), products)
        return cls(centres, units, products, wanted)

    @cached_property
    def weights(self) -> Floats:
        """How much the square of each gap counts."""
        sizes = np.abs(self.wanted)
        return np.asarray(np.where(sizes < NEAR_ZERO, 1.0, sizes) ** -2.0)

    def scaled(self, values: Floats) -> Floats:
        """Standardize values, and put a column of ones beside them."""
        return _scaled(values, self.centres, self.units)

    def gaps(self, values: Floats) -> Floats:
        """Return by how much moments are above those of the original."""
        from tacita.kernels.climbing import means_of

        return means_of(self.scaled(values), self.products) - self.wanted

    def error(self, values: Floats) -> float:
        """Return the sum of the squared relative gaps of all moments."""
        return self.weighed(self.gaps(values))

    def weighed(self, gaps: Floats) -> float:
        """Add up the squares of gaps."""
        return float((self.weights * gaps**2).sum())


@dataclass(frozen=True, eq=False)
class Climb:
    """A search on some masked data.

    Args:
        pair: original and masked values.
        aim: the moments to reach.
        labels: records by attributes: values with the same label are one and move together.
        rng: where the steps come from.
        sweeps: how often every value has its turn, at most.
    """

    pair: Pair
    aim: Aim
    labels: Ints
    rng: np.random.Generator
    sweeps: int

    def climbed(self, values: Floats, free: Mask) -> Floats:
        """Return values with a smaller error, of which no more original ones lie close around.

        Args:
            values: where the search starts.
            free: which labels may move.
        """
        from tacita.kernels.climbing import sweep

        points, cells, room = self._ground(values)
        aim, chosen, length = self.aim, np.flatnonzero(free), COARSEST
        for _ in range(self.sweeps):
            gaps = aim.gaps(points.values)  # anew, so that rounding does not add up
            if aim.weighed(gaps) < REACHED or length < FINEST:
                break
            turns = self.rng.permutation(chosen)
            steps = length * self._sizes(points, cells, turns)
            steps *= self.rng.standard_normal(len(turns))
            taken = sweep(points, cells, room, aim.products, gaps, aim.weights, turns, steps)
            if taken < FEW * len(turns):
                length /= 2
        return points.values

    def _ground(self, values: Floats) -> tuple[Points, Cells, Room]:
        """Return what the steps are taken on; no value may get into more intervals than now."""
        from tacita.kernels.climbing import Points, Room, inside

        pair, aim = self.pair, self.aim
        fixed = pair.original if pair.is_paired else values
        points = Points(values.copy(), aim.scaled(values), fixed.copy())
        room = Room(aim.centres, aim.units, *pair.bounds, pair.whole, pair.radii)
        cells = _cells(self.labels)
        return points, cells._replace(most=inside(points, cells, room)), room

    def _sizes(self, points: Points, cells: Cells, turns: Ints) -> Floats:
        """Return how long steps are: a deviation, or the value if it is smaller.

        So a zero stays a zero, and a small value does not become many times as large at once.
        """
        places = cells.members[cells.starts[turns]], cells.coordinates[turns]
        return np.minimum(np.abs(points.values[places]), self.aim.units[places[1]])

    def put_back(self, values: Floats, safe: Floats, most: float) -> tuple[Floats, Mask]:
        """Put back what lets an intruder link more records than some number by distance.

        Args:
            values: what was found.
            safe: values by which no more than `most` are linked.
            most: how many may be linked.

        Returns:
            Values by which no more are linked, and the labels that were put back.
        """
        links = self.pair.links(safe)
        back = np.zeros(int(self.labels.max()) + 1, np.bool_)
        while True:
            rise = self.pair.links(values) - links
            worse = self.pair.worse(rise, most - float(links.sum()))[self.pair.groups]
            if not worse.any():
                return values, back
            # What is one goes back as one, by which others may be linked: it is looked at again.
            back[self.labels[worse]] = True
            values = np.where(back[self.labels], safe, values)


def by_value(masked: Floats) -> Ints:
    """Label values so that those that are equal in an attribute are one."""
    columns, number = [], 0
    for column in masked.T:
        labels = np.unique(column, return_inverse=True)[1].reshape(-1)
        columns.append(labels + number)
        number += int(labels.max()) + 1
    return np.column_stack(columns)


def by_record(groups: Ints, attributes: int) -> Ints:
    """Label values so that those of equal records are one."""
    return np.asarray(groups[:, None] * attributes + np.arange(attributes))


def _cells(labels: Ints) -> Cells:
    """Gather the members of every label."""
    from tacita.kernels.climbing import Cells

    order = np.argsort(labels, axis=None, kind="stable")
    sizes = np.bincount(labels.reshape(-1))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    members, coordinates = np.divmod(order, labels.shape[1])
    return Cells(coordinates[starts[:-1]], starts, members, np.zeros(len(sizes), np.int64))


def _scaled(values: Floats, centres: Floats, units: Floats) -> Floats:
    return np.column_stack([(values - centres) / units, np.ones(len(values))])
