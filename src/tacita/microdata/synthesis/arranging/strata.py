"""Attributes as numbers that ascend with their values, and one value from each of their strata."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
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

        Numbers come from the distribution that runs in straight lines from each value to the next,
        categories and blanks from the frequencies. Between whole numbers the nearest is taken.
        """
        shares = (np.arange(records) + rng.random(records)) / records
        order = np.argsort(self.places, kind="stable")
        ascending = self.places[order]
        mass = np.ones(len(order)) if weights is None else weights[order]
        ends = np.cumsum(mass) / mass.sum()
        known = int(np.searchsorted(ascending, np.inf))
        step = ascending[np.minimum(np.searchsorted(ends, shares), len(order) - 1)]
        if self.values is not None or not known:
            return step
        knots = ends[:known] - mass[:known] / mass.sum() / 2
        knots = (knots - knots[0]) / max(knots[-1] - knots[0], np.finfo(np.float64).tiny)
        drawn = np.interp(shares / ends[known - 1], knots, ascending[:known])
        drawn = np.rint(drawn) if _is_whole(self.type) else drawn
        return np.where(np.isinf(step), np.inf, drawn)

    def column(self, places: Floats) -> pa.Array:
        """Return places as values."""
        blank = np.isinf(places)
        if self.values is None:
            return of_type(np.where(blank, np.nan, places), self.type)
        codes = pa.array(np.where(blank, 0, places).astype(np.int64), mask=blank)
        return self.values.take(codes)


def _is_whole(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_temporal(kind))
