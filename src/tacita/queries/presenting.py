"""From protected numbers to the rows of an answer.

Everything here sees protected numbers only: what HAVING keeps, what ORDER BY puts first and what
LIMIT cuts off tells no more than the numbers do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.classes import Ints, Mask
from tacita.queries.answer import Released, alike
from tacita.queries.cells import Cell
from tacita.queries.language.expressions import (
    Expression,
    Group,
    IsTotal,
    Literal,
    Told,
    evaluate,
    holds_in_rows,
    leaves,
    spread,
)
from tacita.queries.language.functions import Value, plain
from tacita.queries.language.query import Ordering, OutputColumn, StatisticalQuery

Rows = tuple[tuple[Any, ...], ...]
Refused = tuple[tuple[bool, ...], ...]
Intervals = tuple[tuple[tuple[float, float] | None, ...], ...]


class Presented(NamedTuple):
    """The rows of an answer."""

    columns: tuple[str, ...]
    rows: Rows
    refused: Refused  # of every value whether it was refused
    intervals: Intervals  # of every value the bounds that were given for it
    statistics: tuple[bool, ...]  # of every column whether it tells of statistics


def present(
    query: StatisticalQuery, cells: Sequence[Cell], released: Sequence[Released | None]
) -> Presented:
    """Return the columns of an answer and its rows, with what was refused and what has bounds.

    A row that HAVING needs a refused number for is left out; ORDER BY puts it last. Without ORDER
    BY, groupings come as they are written, and groups in the order of their values.

    Args:
        query: the query.
        cells: its cells, as `expand` gives them.
        released: the protected number of every cell; None where it is refused.
    """
    table = _Table(query, cells, released)
    order = _limited(query, _ordered(query, table, _kept(query, table)))
    columns = [_Column(one.value, table) for one in query.columns]
    rows = tuple(zip(*[one.values_at(order) for one in columns], strict=True))
    refused = tuple(zip(*[one.refused_at(order) for one in columns], strict=True))
    intervals = tuple(zip(*[one.intervals_at(order) for one in columns], strict=True))
    names = tuple(one.name for one in query.columns)
    return Presented(names, rows, refused, intervals, tuple(map(_is_told, query.columns)))


def _is_told(column: OutputColumn) -> bool:
    return any(isinstance(leaf, Told) for leaf in leaves(column.value))


class _Table:
    """The protected numbers, one row a group."""

    def __init__(
        self, query: StatisticalQuery, cells: Sequence[Cell], released: Sequence[Released | None]
    ) -> None:
        self.width = len(query.asked)
        self.cells = cells[:: self.width]
        self.released = released
        written = {of: place for place, of in enumerate(query.grouping_sets)}
        self.order = np.array([written[cell.of] for cell in self.cells], np.int64)

    def __len__(self) -> int:
        return len(self.cells)

    def values(self, leaf: Expression) -> list[Any]:
        """Return a leaf of an expression, row by row."""
        if isinstance(leaf, Told):
            return [None if one is None else one.value for one in self._told(leaf)]
        if isinstance(leaf, Group):
            return [cell.group[leaf.place] for cell in self.cells]
        if isinstance(leaf, IsTotal):
            return [int(leaf.place not in cell.of) for cell in self.cells]
        return [leaf.value if isinstance(leaf, Literal) else None] * len(self)

    def refused(self, expression: Expression) -> Mask:
        """Tell in which rows a number that an expression needs was refused."""
        refused = np.zeros(len(self), np.bool_)
        for leaf in set(leaves(expression)):
            if isinstance(leaf, Told):
                refused |= np.fromiter((one is None for one in self._told(leaf)), bool, len(self))
        return refused

    def interval(self, leaf: Told, row: int) -> tuple[float, float] | None:
        """Return the bounds of a statistic in a row, if there are any."""
        one = self._told(leaf)[row]
        if one is None or one.lower is None or one.upper is None:
            return None
        return one.lower, one.upper

    def find(self, expression: Expression) -> Value | None:
        """Return a leaf as a column to compute with."""
        if isinstance(expression, Told | Group | IsTotal):
            return plain(pa.array(alike(self.values(expression))))
        return None

    def _told(self, leaf: Told) -> Sequence[Released | None]:
        return self.released[leaf.place :: self.width]


@dataclass(frozen=True, eq=False)
class _Column:
    """An expression over the rows of a table."""

    expression: Expression
    table: _Table

    def values_at(self, rows: Ints) -> list[Any]:
        """Return its values in some rows."""
        values, refused = self._values(), self.table.refused(self.expression)
        return [None if refused[row] else values[row] for row in rows]

    def refused_at(self, rows: Ints) -> list[bool]:
        """Tell of some rows whether it was refused."""
        return [bool(one) for one in self.table.refused(self.expression)[rows]]

    def intervals_at(self, rows: Ints) -> list[tuple[float, float] | None]:
        """Return the bounds in some rows; what is computed from statistics has none."""
        if not isinstance(self.expression, Told):
            return [None] * len(rows)
        return [self.table.interval(self.expression, int(row)) for row in rows]

    def _values(self) -> list[Any]:
        if isinstance(self.expression, Told | Group | IsTotal | Literal):
            return self.table.values(self.expression)
        values: list[Any] = spread(
            evaluate(self.expression, self.table), len(self.table)
        ).to_pylist()
        return values


def _kept(query: StatisticalQuery, table: _Table) -> Ints:
    """Return the rows that HAVING keeps, in the order in which groupings are written."""
    rows = np.argsort(table.order, kind="stable")
    if query.having is None:
        return rows
    holds = holds_in_rows(query.having, table, len(table)) & ~table.refused(query.having)
    return rows[holds[rows]]


def _ordered(query: StatisticalQuery, table: _Table, rows: Ints) -> Ints:
    """Put rows in order: by the last expression first, since sorting keeps what is in order."""
    for ordering in reversed(query.order):
        rows = _sorted(ordering, table, rows)
    return rows


def _sorted(ordering: Ordering, table: _Table, rows: Ints) -> Ints:
    column = _Column(ordering.value, table)
    values = dict(zip(rows.tolist(), column.values_at(rows), strict=True))
    refused = column.refused_at(rows)
    last = [row for row, no in zip(rows.tolist(), refused, strict=True) if no]
    told = [row for row, no in zip(rows.tolist(), refused, strict=True) if not no]
    blank = [row for row in told if values[row] is None]
    known = [row for row in told if values[row] is not None]
    known.sort(key=values.__getitem__, reverse=ordering.descending)
    return _joined(*((blank, known) if ordering.nulls_first else (known, blank)), last)


def _joined(*parts: Iterable[int]) -> Ints:
    return np.array([row for part in parts for row in part], np.int64)


def _limited(query: StatisticalQuery, rows: Ints) -> Ints:
    stop = None if query.limit is None else query.offset + query.limit
    return rows[query.offset : stop]
