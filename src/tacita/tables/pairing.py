"""A table beside what was published of it, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import InputError
from tacita.tables.cells import Cells, named_apart
from tacita.tables.dimension import NONE
from tacita.tables.linked import LinkedTables
from tacita.tables.table import Table, numbers_of

Tables = Table | LinkedTables


@dataclass(frozen=True, eq=False)
class Pair:
    """The truth about some cells and what a reader sees of them, in the order of the original.

    Args:
        original: the table, or linked tables, that hold the truth.
        truth: its cells; one that linked tables share is there once.
        shown: what a reader sees, NaN where nothing.
        hidden: the cells that no table shows.
        rows: for each cell its place among the published ones.
    """

    original: Tables
    truth: Cells
    shown: Floats
    hidden: Mask
    rows: Ints

    @property
    def change(self) -> Floats:
        """By how much each value that is shown differs from the true one; 0 where nobody knows."""
        return np.nan_to_num(self.shown - self.truth.shown)

    @property
    def primary(self) -> Mask:
        """The sensitive cells that are not shown."""
        return self.hidden & self.truth.sensitive

    @property
    def secondary(self) -> Mask:
        """The cells that are not shown although they are not sensitive themselves."""
        return self.hidden & ~self.truth.sensitive

    def details(self, rows: Any, told: Mapping[str, Any]) -> pa.Table:
        """List some cells with what is told of them.

        Args:
            rows: the places of the cells.
            told: columns, one value a cell; one that is called like an attribute is named apart.
        """
        codes = self._codes(rows)
        return pa.table({**codes, **named_apart(told, codes)})

    def _codes(self, rows: Any) -> Mapping[str, list[str]]:
        """Return the codes of some cells by attribute; of linked tables, how they are named."""
        if isinstance(self.original, LinkedTables):
            name_of = self.original.system().name_of
            return {"cell": [name_of(int(row)) for row in rows]}
        places = self.original.places[rows]
        return {
            dimension.name: [dimension.codes[place] for place in places[:, axis]]
            for axis, dimension in enumerate(self.original.dimensions)
        }


def paired(original: Tables, published: Tables) -> Pair:
    """Put a table beside what was published of it.

    Args:
        original: the table, or linked tables, that hold the truth.
        published: what a reader sees of them: the same cells, some without a value or with another.

    Raises:
        InputError: the two are not about the same cells.
    """
    if isinstance(original, LinkedTables) or isinstance(published, LinkedTables):
        return _paired_links(_linked(original), _linked(published))
    rows = _rows(original, published)
    cells = published.cells.take(rows)
    return Pair(original, original.cells, cells.shown, cells.suppressed, rows)


def _linked(tables: Tables) -> LinkedTables:
    return tables if isinstance(tables, LinkedTables) else LinkedTables((tables,))


def _paired_links(original: LinkedTables, published: LinkedTables) -> Pair:
    if len(original) != len(published):
        raise InputError(
            f"The original has {len(original)} linked tables and what was published "
            f"{len(published)}; give both the same tables."
        )
    truth, seen = original.system(), published.system()
    rows = np.zeros(len(truth), np.int64)
    for place, (one, other) in enumerate(zip(original, published, strict=True)):
        rows[original.places[place]] = published.places[place][_rows(one, other)]
    hidden = seen.unknown[rows]
    shown = np.where(hidden, np.nan, seen.cells.value[rows])
    return Pair(original, truth.cells, shown, hidden, rows)


def _rows(original: Table, published: Table) -> Ints:
    """Return for each cell of a table its row in another that spans the same cells."""
    names = [[dimension.name for dimension in table.dimensions] for table in (original, published)]
    if names[0] != names[1]:
        raise InputError(
            f"The original is spanned by {', '.join(names[0])}, what was published by "
            f"{', '.join(names[1])}; compare tables over the same attributes."
        )
    pairs = zip(original.dimensions, published.dimensions, strict=True)
    places = np.column_stack(
        [
            np.array([there.places.get(code, NONE) for code in here.codes])[column]
            for (here, there), column in zip(pairs, original.places.T, strict=True)
        ]
    )
    rows = published.find(numbers_of(places, published.strides))
    rows = np.where((places == NONE).any(axis=1), NONE, rows)
    _refuse_difference(original, published, rows)
    return rows


def _refuse_difference(original: Table, published: Table, rows: Ints) -> None:
    lacking = np.flatnonzero(rows == NONE)
    if lacking.size:
        raise InputError(
            f"What was published of `{original.name}` has no cell "
            f"{original.name_of(int(lacking[0]))}; a cell that is held back must be listed as "
            "suppressed."
        )
    added = np.setdiff1d(np.arange(len(published)), rows)
    if added.size:
        raise InputError(
            f"What was published of `{original.name}` has the cell "
            f"{published.name_of(int(added[0]))}, which the original has not."
        )
