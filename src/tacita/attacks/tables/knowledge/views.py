"""Published tables beside the true ones: what an intruder sees, and what is true of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import InputError
from tacita.mechanisms.sensitivity.contributions import decimal
from tacita.tables.cells import Cells, named_apart
from tacita.tables.dimension import NONE, Dimension
from tacita.tables.linked import LinkedTables
from tacita.tables.table import RESPONDENTS, Table, numbers_of

Tables = Table | LinkedTables


@dataclass(frozen=True, eq=False)
class View:
    """A published table beside the true one.

    Args:
        published: what a reader sees.
        truth: the true cells, in the order of the published ones.
        is_cell: which published cells the true table has; it takes the others for structural zeros.
        first: which cells no earlier table of the publication shows.
    """

    published: Table
    truth: Cells
    is_cell: Mask
    first: Mask

    @property
    def cells(self) -> Cells:
        """The cells as a reader sees them."""
        return self.published.cells

    @property
    def is_count(self) -> bool:
        """Whether the table counts respondents."""
        table = self.published
        return table.statistic == "count" or (
            table.statistic == "percentage" and table.variable is None
        )

    @property
    def _counts_respondents(self) -> bool:
        """Whether a reader sees the number of contributors itself, and not their weights."""
        return self.is_count and self.published.weighting != RESPONDENTS

    @cached_property
    def visible(self) -> Mask:
        """Which cells a reader sees, each once however many tables show it."""
        return is_visible(self.published) & self.first

    @cached_property
    def contributors(self) -> Floats:
        """The contributors of each cell, as published or as an outsider may know them."""
        seen = self.cells.value if self._counts_respondents else self.cells.contributors
        return np.where(np.isnan(seen), self.truth.contributors, seen)

    @cached_property
    def frequency(self) -> Floats:
        """The respondents of each cell, as published or as an outsider may know them.

        Of weighted records the respondents are the contributors, unless records stand for others.
        """
        if self.published.weighting == RESPONDENTS:
            return self.contributors
        seen = self.cells.value if self.is_count else self.cells.frequency
        return np.where(np.isnan(seen), self.truth.frequency, seen)

    @cached_property
    def true_value(self) -> Floats:
        """The true value of each cell."""
        return np.where(self.is_cell, self.truth.value, 0.0)


class Finding(NamedTuple):
    """Something that an attack found out about a cell."""

    table: Table
    row: int
    told: Mapping[str, Any]


def tables_of(tables: Tables) -> tuple[Table, ...]:
    """Return the tables of a publication."""
    return (tables,) if isinstance(tables, Table) else tuple(tables)


def is_visible(table: Table) -> Mask:
    """Tell which cells of a table a reader sees."""
    cells = table.cells
    visible: Mask = ~cells.suppressed & np.isfinite(cells.value) & np.isfinite(cells.shown)
    return visible


def views_of(original: Tables, published: Tables) -> tuple[View, ...]:
    """Put every published table beside the true one.

    Raises:
        InputError: a published table or cell is not among the original ones.
    """
    true, seen = tables_of(original), tables_of(published)
    pairs = list(_paired(true, seen))
    rows = [_rows_of_truth(one, other) for one, other in pairs]
    first = _first_shown(published)
    return tuple(
        View(other, one.cells.take(np.maximum(row, 0)), row != NONE, shown)
        for (one, other), row, shown in zip(pairs, rows, first, strict=True)
    )


def _paired(true: Sequence[Table], seen: Sequence[Table]) -> Iterator[tuple[Table, Table]]:
    if len(true) == len(seen) == 1:
        yield true[0], seen[0]
        return
    by_name = {table.name: table for table in true}
    for table in seen:
        if table.name not in by_name:
            raise InputError(
                f"The published table `{table.name}` is not among the original ones "
                f"({', '.join(by_name)}); give a table the same name on both sides."
            )
        yield by_name[table.name], table


def _rows_of_truth(original: Table, published: Table) -> Ints:
    rows = rows_in(original, published)
    strange = np.flatnonzero((rows == NONE) & is_visible(published) & (published.cells.value != 0))
    if strange.size:
        raise InputError(
            f"The published cell {published.name_of(int(strange[0]))} is not in the original table "
            f"`{original.name}`; compare a table with the one it was made from."
        )
    return rows


def _first_shown(published: Tables) -> tuple[Mask, ...]:
    """Tell for every table which cells no earlier one shows."""
    if isinstance(published, Table):
        return (np.ones(len(published), bool),)
    seen = np.zeros(sum(map(len, published)), bool)
    first = []
    for table, places in zip(published, published.places, strict=True):
        first.append(~seen[places])
        seen[places] |= is_visible(table)
    return tuple(first)


def rows_in(table: Table, other: Table) -> Ints:
    """Return for each cell of another table the row with the same codes, -1 where there is none.

    Raises:
        InputError: the two tables are not spanned by the same attributes.
    """
    axes = {dimension.name: axis for axis, dimension in enumerate(other.dimensions)}
    if axes.keys() != {dimension.name for dimension in table.dimensions}:
        raise InputError(
            f"The tables `{table.name}` and `{other.name}` should be spanned by the same "
            f"attributes; found {_spanned(table)} and {_spanned(other)}."
        )
    places = np.column_stack(
        [
            _translated(dimension, other.dimensions[axes[dimension.name]])[
                other.places[:, axes[dimension.name]]
            ]
            for dimension in table.dimensions
        ]
    )
    known = (places != NONE).all(axis=1)
    found = table.find(numbers_of(places, table.strides))
    return np.where(known, found, NONE)


def _spanned(table: Table) -> str:
    return " x ".join(dimension.name for dimension in table.dimensions)


def _translated(dimension: Dimension, other: Dimension) -> Ints:
    """Return the place of every code of another dimension; totals are the same by whatever name."""
    places = [dimension.places.get(code, NONE) for code in other.codes]
    return np.array([0, *places[1:]], np.int64)


def share(found: int, attacked: int) -> Fraction:
    """Return the share of what was attacked that was found out; nothing of nothing is none."""
    return Fraction(found, max(attacked, 1))


def error_of(estimate: float, truth: float) -> Fraction | None:
    """Return how far an estimate is from the truth, as a share of it; None if nobody can tell.

    >>> error_of(103.0, 100.0), error_of(1.0, 0.0), error_of(0.0, 0.0)
    (Fraction(3, 100), None, Fraction(0, 1))
    """
    if np.isnan(estimate) or np.isnan(truth):
        return None
    gap = abs(decimal(estimate) - decimal(truth))
    if not gap:
        return Fraction(0)
    return gap / abs(decimal(truth)) if truth else None


def in_percent(part: Fraction | None) -> float | None:
    """Return a share in percent, for people to read.

    >>> in_percent(Fraction(1, 8)), in_percent(None)
    (12.5, None)
    """
    return None if part is None else float(100 * part)


def details_of(
    published: Tables, findings: Sequence[Finding], kinds: Mapping[str, pa.DataType]
) -> pa.Table:
    """Return one row a finding: the codes of its cell by attribute, and what was found.

    Args:
        published: the tables that were attacked; of several the table is named too.
        findings: what was found.
        kinds: the types of the columns that tell it.
    """
    tables = tables_of(published)
    codes = codes_by_attribute([(one.table, one.row) for one in findings], tables)
    named = {"table": pa.array([one.table.name for one in findings], pa.string())}
    told = {
        name: pa.array([one.told[name] for one in findings], kind) for name, kind in kinds.items()
    }
    first = named_apart(named, codes) if len(tables) > 1 else {}
    return pa.table({**first, **codes, **named_apart(told, codes)})


def codes_by_attribute(
    cells: Sequence[tuple[Table, int]], tables: Iterable[Table]
) -> dict[str, pa.Array]:
    """Return the codes of some cells, a column for every attribute of the tables."""
    coded = [
        dict(zip((d.name for d in table.dimensions), table.codes_of(row), strict=True))
        for table, row in cells
    ]
    names = dict.fromkeys(d.name for table in tables for d in table.dimensions)
    return {name: pa.array([codes.get(name) for codes in coded], pa.string()) for name in names}
