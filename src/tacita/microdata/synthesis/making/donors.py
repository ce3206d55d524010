"""Donors: records in groups, from which synthetic records take a value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.microdata.synthesis.making.columns import BLANK, Column


@dataclass(frozen=True, eq=False)
class Donors:
    """The records ordered by group, and within a group by their value of one attribute.

    Args:
        column: the attribute.
        rows: the records in that order.
        starts: where each group begins, and the end of the last.
        reached: the weight of all records before each place of the order, and of all.
    """

    column: Column
    rows: Ints
    starts: Ints
    reached: Floats

    @classmethod
    def of(cls, group: Ints, column: Column, weights: Floats) -> Donors:
        """Order the records by the number of their group."""
        rows = np.lexsort((column.codes, group))
        starts = np.append(0, np.cumsum(np.bincount(group)))
        return cls(column, rows, starts, np.append(0.0, np.cumsum(weights[rows])))

    def drawn(self, group: Ints, rare: int, rng: np.random.Generator) -> tuple[Ints, Floats | None]:
        """Draw a donor for each synthetic record, by the weights of the records of its group.

        Returns the donors and, of numbers and dates, what is taken in the stead of values that few
        records have (NaN where the donor's stays): a number anywhere between the middles of the
        gaps to the next smaller and the next larger value in the group.

        Args:
            group: the group of every synthetic record.
            rare: how many records in all make a value one that stays.
            rng: where chance comes from.
        """
        first, last = self.starts[group], self.starts[group + 1]
        low, high = self.reached[first], self.reached[last]
        wanted = low + rng.random(len(group)) * (high - low)
        found = np.searchsorted(self.reached, wanted, side="right") - 1
        places = np.clip(found, first, last - 1)
        if self.column.numbers is None:
            return self.rows[places], None
        return self.rows[places], self._smoothed(group, places, rare, rng)

    def _smoothed(self, group: Ints, places: Ints, rare: int, rng: np.random.Generator) -> Floats:
        own = self.column.codes[self.rows[places]]
        chosen = np.flatnonzero((own != BLANK) & (self.column.counts[own] < rare))
        low, high = (self._middle(group[chosen], places[chosen], step) for step in (-1, 1))
        numbers = np.full(len(places), np.nan)
        numbers[chosen] = self.column.on_grid(low + (high - low) * rng.random(len(chosen)))
        return numbers

    def _middle(self, group: Ints, places: Ints, step: int) -> Floats:
        """Return the middle between a value and its neighbour in the group, if it has one."""
        beside = np.clip(places + step, self.starts[group], self.starts[group + 1] - 1)
        own, other = (self.column.codes[self.rows[at]] for at in (places, beside))
        other = np.where(other == BLANK, own, other)
        middle: Floats = self.column.distinct[own - 1] / 2 + self.column.distinct[other - 1] / 2
        return middle
