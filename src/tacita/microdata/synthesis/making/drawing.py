"""Drawing records until they keep the rules and are copies of nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import ProtectionError
from tacita.microdata.synthesis.making.copies import Copies, copies
from tacita.microdata.synthesis.making.records import synthetic
from tacita.microdata.synthesis.making.rules import Rules

Columns = Mapping[str, pa.Array]
Draw = Callable[[int], Columns]  # draws so many records
Proper = Annotated[
    bool, Field(description="Whether the model is fitted to a bootstrap sample of the records.")
]
ROUNDS = 100  # in which records that may not stay are drawn again


def learnt_from(data: Dataset, proper: bool, rng: np.random.Generator) -> Dataset:
    """Return the records that a model is fitted to.

    In proper synthesis they are a bootstrap sample, so that several synthetic copies differ as much
    as not knowing the model's parameters makes them.
    """
    return data.take(rng.integers(len(data), size=len(data))) if proper else data


@dataclass(frozen=True)
class Wanted:
    """What fully synthetic records are to be like.

    Args:
        records: how many there are to be; as many as the data have when left out.
        rules: the rules that they keep.
        copies: what becomes of copies of one respondent's record.
    """

    records: int | None = None
    rules: Sequence[str] = ()
    copies: Copies = "redraw"

    def drawn(self, data: Dataset, names: Sequence[str], draw: Draw) -> Dataset:
        """Return records drawn from a model; those that break rules, and copies, are drawn again.

        So they follow the model under the condition that they keep the rules. The notes count the
        records that broke rules, and the copies that were found.

        Args:
            data: the original data.
            names: the attributes that the model is of.
            draw: draws so many records of them from the model, independent of each other.

        Raises:
            ProtectionError: there is nothing to learn a model from, or after a hundred rounds some
                records still break rules or are copies.
            ParameterError: a rule cannot be read, or is about other attributes.
        """
        records = len(data) if self.records is None else self.records
        if not len(data):
            return self.of_nothing(data, names)
        rules = Rules.about(data, self.rules)
        rules.refuse_others(names)
        columns = draw(records)
        broken, copied = rules.broken(columns), copies(data, columns)
        found = {"broke_rules": int(broken.sum()), "copies_found": int(copied.sum())}
        for _ in range(ROUNDS):
            rows = np.flatnonzero(broken | copied if self.copies == "redraw" else broken)
            if not len(rows):
                break
            again = draw(len(rows))
            columns = _exchanged(columns, rows, again)
            broken[rows], copied[rows] = rules.broken(again), copies(data, again)
        return self._kept(data, columns, broken, copied).noting(**found)

    def of_nothing(self, data: Dataset, names: Sequence[str]) -> Dataset:
        """Return no records, for data that have none to learn a model from.

        Raises:
            ProtectionError: some records were wanted.
        """
        if self.records:
            raise ProtectionError(
                "There is no record to learn a model from, and "
                f"{self.records:,} synthetic ones were wanted."
            )
        return synthetic(data, {name: data.column(name) for name in names}, 0)

    def _kept(self, data: Dataset, columns: Columns, broken: Mask, copied: Mask) -> Dataset:
        """Return what may stay, once nothing is drawn again."""
        if broken.any():
            raise ProtectionError(
                f"{broken.sum():,} of {len(broken):,} synthetic records break the rules although "
                f"they were drawn {ROUNDS} times; the model hardly knows records that keep them."
            )
        if self.copies == "redraw" and copied.any():
            raise ProtectionError(
                f"{copied.sum():,} of {len(copied):,} synthetic records are copies of respondents "
                f"although they were drawn {ROUNDS} times; the data have too few records or values "
                "for others: set `copies` to `remove` or `report`."
            )
        if self.copies == "remove" and copied.any():
            columns = {name: values.filter(pa.array(~copied)) for name, values in columns.items()}
        return synthetic(data, columns, len(next(iter(columns.values()))))


def _exchanged(columns: Columns, rows: Ints, again: Columns) -> Columns:
    """Return columns with new values in some records."""
    size = len(next(iter(columns.values())))
    source = np.arange(size)
    source[rows] = size + np.arange(len(rows))
    places = pa.array(source)
    return {
        name: pa.concat_arrays([values, again[name]]).take(places)
        for name, values in columns.items()
    }
