"""Linked tables: several tables over the same data, with the cells that they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, overload

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.data.decimals import decimals_of
from tacita.errors import InputError
from tacita.results import show
from tacita.tables.cells import Cells
from tacita.tables.system import NEARLY, System
from tacita.tables.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class LinkedTables(Sequence[Table]):
    """Tables over the same data, taken together: an intruder adds and subtracts across them.

    Two cells are the same when they are about the same variable and name the same codes, totals
    left aside: the cell (sector IT) of sector x region is the cell (sector IT) of sector x size.

    Args:
        tables: the tables, each with a name of its own.
    """

    tables: tuple[Table, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", tuple(self.tables))
        names = [table.name for table in self.tables]
        if not names:
            raise InputError("Linked tables need at least one table; found none.")
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"Two linked tables are called `{name}`; rename one of them.")

    @overload
    def __getitem__(self, place: int) -> Table: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Table, ...]: ...
    def __getitem__(self, place: int | slice) -> Table | tuple[Table, ...]:
        return self.tables[place]

    def __len__(self) -> int:
        return len(self.tables)

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables)

    def __repr__(self) -> str:
        shared = sum(map(len, self.tables)) - len(self._first)
        return "\n".join([f"{len(self)} linked tables, {shared:,} cells shared", *map(repr, self)])

    @property
    def perturbed_by(self) -> str | None:
        """The method whose values some of the tables show instead of the true ones, if any do."""
        return next((t.perturbed_by for t in self.tables if t.perturbed_by is not None), None)

    def as_known(self) -> LinkedTables:
        """Return what a reader knows of the true cells; see `Table.as_known`."""
        return (
            self if self.perturbed_by is None else LinkedTables(tuple(t.as_known() for t in self))
        )

    # -- one number a cell -----------------------------------------------------------------------

    @cached_property
    def places(self) -> tuple[Ints, ...]:
        """For each table, the place of every cell in the joint system."""
        counts = np.cumsum([0, *map(len, self.tables)])
        joint = self._identities
        return tuple(joint[a:b] for a, b in pairwise(counts))

    @cached_property
    def _identities(self) -> Ints:
        """The number of each listed cell among the joint ones, in the order of their first one."""
        kinds = list(dict.fromkeys(map(_what, self.tables)))
        of_table = [kinds.index(_what(table)) for table in self.tables]
        found = np.repeat(of_table, [len(table) for table in self.tables])
        for codes in self._codes():
            found = _numbered(found * (int(codes.max(initial=0)) + 1) + codes)
        return _numbered(found)

    def _codes(self) -> Iterator[Ints]:
        """Give for every attribute the number of each cell's code; totals are 0."""
        for name in dict.fromkeys(d.name for table in self.tables for d in table.dimensions):
            numbers: dict[str, int] = {}
            columns = []
            for table in self.tables:
                column = np.zeros(len(table), np.int64)
                for axis, dimension in enumerate(table.dimensions):
                    if dimension.name == name:
                        told = [
                            numbers.setdefault(c, len(numbers) + 1) for c in dimension.codes[1:]
                        ]
                        column = np.array([0, *told], np.int64)[table.places[:, axis]]
                columns.append(column)
            yield np.concatenate(columns)

    @cached_property
    def _first(self) -> Ints:
        """The first of all the listed cells that stands for each joint cell."""
        return np.unique(self._identities, return_index=True)[1]

    # -- one system ------------------------------------------------------------------------------

    def system(self, *, rounding: float = 0.0) -> System:
        """Return the joint system of all tables.

        A cell that one table publishes is known, whatever the others do with it.

        Args:
            rounding: how far published values may be from the true ones (units of the values).

        Raises:
            InputError: two tables give a shared cell different values, or one does not add up.
        """
        from scipy.sparse import csr_array, vstack

        systems = [table.system(rounding=rounding) for table in self.tables]
        size = len(self._first)
        relations = [
            csr_array(
                (s.relations.data, place[s.relations.indices], s.relations.indptr),
                (s.relations.shape[0], size),
            )
            for s, place in zip(systems, self.places, strict=True)
        ]
        cells = self._joint_cells(rounding)
        return System(
            cells=cells,
            relations=vstack(relations).tocsr(),
            rhs=np.concatenate([s.rhs for s in systems]),
            name_of=self._name_of,
            known=self._is_known(size),
            decimals=decimals_of(cells.value),
            digits=_digits([table.digits for table in self.tables]),
            counts_records=all(one.counts_records for one in systems),
        )

    def _joint_cells(self, rounding: float) -> Cells:
        every = _stacked([table.cells for table in self.tables])
        self._refuse_conflict(every.value, rounding)
        joint = every.take(self._first)
        value = joint.value.copy()
        # What is shown counts, whatever is known of the cell where it is hidden.
        for rows in (every.suppressed, ~every.suppressed):
            known = np.flatnonzero(rows & ~np.isnan(every.value))
            value[self._identities[known]] = every.value[known]
        severity = np.array([0, 3, 2, 1])[every.status]  # sensitive, secondary, published, safe
        order = np.lexsort((np.arange(len(every)), -severity, self._identities))
        strictest = order[np.unique(self._identities[order], return_index=True)[1]]
        return replace(
            joint,
            value=value,
            status=every.status[strictest],
            reason=every.reason[strictest],
            **{
                name: _by_cell(ufunc, getattr(every, name), self._identities, len(self._first))
                for name, ufunc in WIDEST.items()
            },
        )

    def _refuse_conflict(self, values: Any, rounding: float) -> None:
        known = np.flatnonzero(~np.isnan(values))
        held = np.full(len(self._first), np.nan)
        held[self._identities[known[::-1]]] = values[known[::-1]]
        other = held[self._identities[known]]
        gap = np.abs(other - values[known])
        allowed = NEARLY * (np.abs(other) + np.abs(values[known])) + 2 * rounding
        wrong = known[gap > allowed]
        if wrong.size:
            row = int(wrong[0])
            first = held[self._identities[row]]
            raise InputError(
                f"Two linked tables differ in the cell {self._name_of(self._identities[row])}: "
                f"{show(first)} and {show(values[row])}. Give them different variables if they are "
                "not about the same thing."
            )

    def _is_known(self, size: int) -> Mask:
        shown = np.concatenate([~table.cells.suppressed for table in self.tables])
        known = np.zeros(size, bool)
        known[self._identities[shown]] = True
        return known

    def _name_of(self, place: int) -> str:
        row = int(self._first[place])
        for table in self.tables:
            if row < len(table):
                return f"{table.name} {table.name_of(row)}"
            row -= len(table)
        raise IndexError(place)


WIDEST = {
    "lower_level": np.maximum,
    "upper_level": np.maximum,
    "sliding_level": np.maximum,
    "lower_bound": np.maximum,
    "upper_bound": np.minimum,
}


def _digits(several: Sequence[int | None]) -> int | None:
    """Return the most digits of several tables; None if those of one are not known."""
    known = [digits for digits in several if digits is not None]
    return max(known) if len(known) == len(several) else None


def _what(table: Table) -> tuple[str | None, str]:
    """Return what the cells of a table are about: respondents, an amount, or its median."""
    if table.statistic == "median":
        return table.variable, "median"
    is_share = table.statistic == "percentage" and table.variable is None
    is_count = table.statistic == "count" or is_share
    return table.variable, "respondents" if is_count else "amount"


def _numbered(keys: Ints) -> Ints:
    """Return the number of every key, in the order in which keys occur first.

    >>> _numbered(np.array([7, 3, 7, 5]))
    array([0, 1, 0, 2])
    """
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number]


def _stacked(several: Sequence[Cells]) -> Cells:
    """Put the cells of several tables below each other, with the fewest contributions kept."""
    kept = min(cells.largest.shape[1] for cells in several)
    alike = [replace(cells, largest=cells.largest[:, :kept]) for cells in several]
    return Cells(
        **{
            part.name: np.concatenate([getattr(cells, part.name) for cells in alike])
            for part in fields(Cells)
        }
    )


def _by_cell(ufunc: Any, column: Any, identities: Ints, size: int) -> Any:
    """Join the column of cells that are the same."""
    joined = np.full(size, -np.inf if ufunc is np.maximum else np.inf)
    ufunc.at(joined, identities, column)
    return joined
