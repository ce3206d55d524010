"""The records behind a table: who contributes to which cell, and the table without some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Role
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.read import as_dataset
from tacita.errors import InputError, ParameterError
from tacita.tables.dimension import NONE
from tacita.tables.placing import numbers_in
from tacita.tables.table import REPRESENTED, Table
from tacita.tables.tabulate import tabulate
from tacita.tables.waivers import Waiver
from tacita.tables.wanted import REQUEST_CODES

ALONE = 1.5  # a record of a larger weight stands for several respondents
IN_DATA = ("value", "contributors", "total", "largest", "asked")


@dataclass(frozen=True, eq=False)
class ContributorRecords:
    """The records behind a table.

    Args:
        data: the records.
        table: the table that they give.
        names: for each record who contributes it; None where that is not said.
        options: how the table was made.
    """

    data: Dataset
    table: Table
    names: np.ndarray[Any, np.dtype[np.object_]]
    options: Mapping[str, Any]

    @classmethod
    def of(
        cls, data: Any, table: Table, identity: str, options: Mapping[str, Any]
    ) -> ContributorRecords:
        """Read who contributes the records, and check that they give the table."""
        contributor = options.get("contributor")
        if contributor not in (None, identity):
            raise ParameterError(
                f"The contributors of `{table.name}` are told apart by `{contributor}`; found "
                f"`{identity}` as `identity`. Waivers are given by those who contribute."
            )
        if hasattr(data, "records"):
            raise InputError("Waivers look into records in memory; found a scan. Read the data.")
        data = as_dataset(data)
        names = np.array(data.column(identity).cast(pa.string()).to_pylist(), object)
        made = cls(data, table, names, options)
        made._check()
        return made

    def _made(self, data: Dataset) -> Table:
        by = [dimension.name for dimension in self.table.dimensions]
        # Of those who are left nobody may have asked for protection, in whatever codes.
        said = {"request_codes": list(REQUEST_CODES), **self.options}
        return tabulate(data, by, **said)

    def _check(self) -> None:
        again, table = self._made(self.data), self.table
        is_same = [d.codes for d in again.dimensions] == [d.codes for d in table.dimensions]
        is_same = is_same and np.array_equal(again.numbers, table.numbers)
        if not is_same or not all(
            np.array_equal(getattr(again.cells, name), getattr(table.cells, name), equal_nan=True)
            for name in IN_DATA
        ):
            raise InputError(
                f"The data do not give the table `{table.name}`; hand in the records it was made "
                "of, and say all options of its tabulation as `tabulated`."
            )

    def named(self, waivers: Sequence[Waiver]) -> tuple[list[Waiver], list[str]]:
        """Return the waivers of contributors who are in the data, each for itself alone."""
        known = {name for name in self.names if name is not None}
        represents = self.table.weighting == REPRESENTED
        several = set(self.names[self._weights >= ALONE]) if represents else set()
        counting, remarks = [], []
        for one in waivers:
            if one.contributor not in known:
                remarks.append(one.not_counting("nobody in the data is called so"))
            elif one.contributor in several:
                remarks.append(one.not_counting("sampling weights let it stand for others too"))
            else:
                counting.append(one)
        return counting, remarks

    @property
    def _weights(self) -> Floats:
        held = self.data.with_role(Role.WEIGHT)
        return self.data.numbers(held[0]) if held else np.ones(len(self.data))

    def without(self, who: frozenset[str]) -> Table | None:
        """Return the table of all others, on the codes of the whole; None if there are none."""
        kept = np.flatnonzero(~np.isin(self.names, sorted(who)))
        return self._placed(kept) if kept.size else None

    def cells_of(self, contributor: str) -> set[int]:
        """Return the rows of the cells that somebody contributes to."""
        held = self._placed(np.flatnonzero(self.names == contributor))
        rows = self.table.find(held.numbers[held.cells.contributors > 0])
        return set(rows[rows != NONE].tolist())

    def _placed(self, records: Ints) -> Table:
        part = self._made(self.data.take(records))
        numbers = numbers_in(self.table, part)
        order = np.argsort(numbers)
        sizes = [len(dimension) for dimension in self.table.dimensions]
        places = np.column_stack(np.unravel_index(numbers[order], sizes)).astype(np.int32)
        return replace(
            part, dimensions=self.table.dimensions, places=places, cells=part.cells.take(order)
        )
