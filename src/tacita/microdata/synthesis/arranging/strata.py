"""Attributes as numbers that ascend with their values, and one value from each of their strata."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.microdata.synthesis.arranging.placing import Strata
from tacita.microdata.synthesis.making.columns import BLANK, Column, of_type


@dataclass(frozen=True, eq=False)
class Margin:
    """The distribution of one attribute.

    Args:
        places: a number for every record that ascends with its value; that of a blank is infinite.
        values: the values that places stand for; None where places are the values.
        type: what numbers are released as.
    """

    places: Floats
    values: pa.Array | None
    type: pa.DataType

    @classmethod
    def of(cls, data: Dataset, name: str) -> Margin:
        """Read an attribute: numbers as they are, categories by their order or else by name."""
        column = Column.of(data, name)
        kind = column.values.type
        if column.numbers is None:
            values = column.values.take(pa.array(column.examples))
            return cls(np.where(column.codes == BLANK, np.inf, column.codes), values, kind)
        places = np.where(np.isnan(column.numbers), np.inf, column.numbers)
        return cls(places, None, kind if _is_whole(kind) else pa.float64())

    def stratified(
        self, records: int, rng: np.random.Generator, weights: Floats | None = None
    ) -> Floats:
        """Draw one place from each of so many strata of equal probability, in ascending order.

        Categories and blanks have their frequencies. Of numbers every record is spread evenly
        between the middles of the gaps beside it, or to itself where it is the least or largest;
        from each stratum of that distribution comes one number, and their mean and variance
        (dividing by their number) are those of the data.
        """
        shares = (np.arange(records) + rng.random(records)) / records
        order = np.argsort(self.places, kind="stable")
        ascending = self.places[order]
        mass = np.ones(len(order)) if weights is None else weights[order]
        ends = np.cumsum(mass) / mass.sum()
        known = int(np.searchsorted(ascending, np.inf))
        step = ascending[np.minimum(np.searchsorted(ends, shares), len(order) - 1)]
        numbers = int(np.searchsorted(step, np.inf))
        if self.values is None and numbers:
            within = np.clip(shares[:numbers] * records - np.arange(numbers), 0.0, 1.0)
            step[:numbers] = self._numbers(ascending[:known], mass[:known], within)
        return step

    def _numbers(self, ascending: Floats, mass: Floats, within: Floats) -> Floats:
        """Return a number from each of so many strata as there are places within them."""
        whole = _is_whole(self.type)
        unit = 1.0 if whole else float(np.abs(ascending).max()) or 1.0  # squares have doubles then
        values = ascending / unit
        mean, variance = _moments(values, mass)
        if values[0] == values[-1] or not variance > 0:
            return np.repeat(ascending[np.argmax(mass)], len(within))
        middles = values[1:] / 2 + values[:-1] / 2
        ends = np.concatenate([values[:1], middles, values[-1:]])
        reached = np.append(0.0, np.cumsum(mass) / mass.sum())
        edges = np.interp(np.arange(len(within) + 1) / len(within), reached, ends)
        strata = Strata(edges[:-1], edges[1:], mean, variance)
        return strata.placed(within, whole=whole) * unit

    def moments_left(self, drawn: Floats, weights: Floats | None = None) -> float:
        """Return how far mean and variance of drawn numbers are from the data's, in units of these.

        It is 0 of categories, and where nothing varies.
        """
        known, made = np.isfinite(self.places), drawn[np.isfinite(drawn)]
        if self.values is not None or not known.any() or not len(made):
            return 0.0
        unit = float(np.abs(self.places[known]).max()) or 1.0
        mass = (np.ones(len(known)) if weights is None else weights)[known]
        mean, variance = _moments(self.places[known] / unit, mass)
        found, spread = _moments(made / unit, np.ones(len(made)))
        if not variance > 0:
            return 0.0
        return float(max(abs(found - mean) / np.sqrt(variance), abs(spread / variance - 1)))

    def column(self, places: Floats) -> pa.Array:
        """Return places as values."""
        blank = np.isinf(places)
        if self.values is None:
            return of_type(np.where(blank, np.nan, places), self.type)
        codes = pa.array(np.where(blank, 0, places).astype(np.int64), mask=blank)
        return self.values.take(codes)


def _moments(values: Floats, mass: Floats) -> tuple[float, float]:
    """Return the mean and the variance, dividing by the mass."""
    shares = mass / mass.sum()
    mean = float((values * shares).sum())
    return mean, float((np.square(values - mean) * shares).sum())


def _is_whole(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_temporal(kind))
