"""The design matrix: predictors of any kind as columns of numbers, for records known and new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.microdata.comparing.nearness import is_numeric, numbers, spread_of
from tacita.microdata.comparing.representation import as_text

CATEGORIES = 50  # of one predictor that have a column; rarer ones are as the most frequent


@dataclass(frozen=True, eq=False)
class Numbers:
    """A predictor of numbers or dates: in standard deviations about its mean.

    Args:
        attribute: the attribute.
        mean: that of the known values, which a blank counts as.
        spread: their standard deviation.
        has_blanks: whether there is a column that tells blanks.
    """

    attribute: Attribute
    mean: float
    spread: float
    has_blanks: bool

    @classmethod
    def of(cls, attribute: Attribute, known: pa.Array) -> Numbers:
        """Learn how an attribute becomes columns."""
        values = _as_numbers(attribute, known)
        blank = np.isnan(values)
        there = values[~blank]
        mean = float((there / max(len(there), 1)).sum())  # whose sum may have no double
        return cls(attribute, mean, spread_of(values) or 1.0, bool(blank.any()))

    def columns(self, held: pa.Array) -> list[Floats]:
        """Return the columns of some values."""
        values = _as_numbers(self.attribute, held)
        blank = np.isnan(values)
        scaled = np.where(blank, 0.0, values / self.spread - self.mean / self.spread)
        return [scaled, blank.astype(np.float64)] if self.has_blanks else [scaled]


@dataclass(frozen=True, eq=False)
class Categories:
    """A predictor of categories: a 0/1 column for each, but for the most frequent one.

    Args:
        attribute: the attribute.
        told: the categories that have a column; a blank may be one.
    """

    attribute: Attribute
    told: pa.Array

    @classmethod
    def of(cls, attribute: Attribute, known: pa.Array) -> Categories:
        """Learn how an attribute becomes columns."""
        values, often = pc.value_counts(as_text(known)).flatten()
        table = pa.table({"word": values, "often": often})
        order = pc.sort_indices(table, [("often", "descending"), ("word", "ascending")])
        return cls(attribute, values.take(order[1 : CATEGORIES + 1]))

    def columns(self, held: pa.Array) -> list[Floats]:
        """Return the columns of some values."""
        place = pc.index_in(as_text(held), value_set=self.told).fill_null(-1)
        codes = np.asarray(place)
        return [(codes == code).astype(np.float64) for code in range(len(self.told))]


@dataclass(frozen=True, eq=False)
class Design:
    """How predictors become columns, learnt from known records."""

    parts: tuple[Numbers | Categories, ...]

    @classmethod
    def of(cls, data: Dataset, names: Sequence[str]) -> Design:
        """Learn it from known records.

        >>> import tacita as ta
        >>> toy = ta.example("toy", 50)
        >>> Design.of(toy, ["age", "education"]).of_records(toy).shape
        (50, 6)
        """
        parts = []
        for name in names:
            part = Numbers if is_numeric([data], name) else Categories
            parts.append(part.of(data.attribute(name), data.column(name)))
        return cls(tuple(parts))

    def of_records(self, data: Dataset) -> Floats:
        """Return the matrix of a data set; see `matrix`."""
        names = [part.attribute.name for part in self.parts]
        return self.matrix({name: data.column(name) for name in names}, len(data))

    def matrix(self, held: Mapping[str, pa.Array], records: int) -> Floats:
        """Return records by columns, the first of which is the intercept.

        Args:
            held: the values of the predictors.
            records: how many records there are.
        """
        columns = [one for part in self.parts for one in part.columns(held[part.attribute.name])]
        return np.column_stack([np.ones(records), *columns])


def _as_numbers(attribute: Attribute, values: pa.Array) -> Floats:
    alone = Dataset(pa.table({attribute.name: values}), {attribute.name: attribute})
    return numbers([alone], attribute.name)[0]
