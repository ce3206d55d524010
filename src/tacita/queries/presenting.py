"""From protected numbers to the rows of an answer.

Everything here sees protected numbers only: what HAVING keeps, what ORDER BY puts first and what
LIMIT cuts off tells no more than the numbers do.

A number may be told by bounds alone. What is computed from it then has bounds, too, HAVING keeps a
row if its condition holds whatever the number is, and ORDER BY goes by the middle of the bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.classes import Ints, Mask
from tacita.queries.answer import Released, alike
from tacita.queries.bounding import COMPARED, Span, compared, computed
from tacita.queries.cells import Cell
from tacita.queries.language.expressions import (
    Call,
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
from tacita.queries.many_objects import without_search_for_cycles

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
    notes: dict[str, str]  # what holds of the bounds


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
    with without_search_for_cycles(len(cells)):
        return _presented(query, _Table(query, cells, released))


def _presented(query: StatisticalQuery, table: _Table) -> Presented:
    order = _limited(query, _ordered(query, table, _kept(query, table)))
    columns = [_Column(one.value, table) for one in query.columns]
    rows = tuple(zip(*[one.values_at(order) for one in columns], strict=True))
    refused = tuple(zip(*[one.refused_at(order) for one in columns], strict=True))
    intervals = tuple(zip(*[one.intervals_at(order) for one in columns], strict=True))
    names = tuple(one.name for one in query.columns)
    told = tuple(map(_is_told, query.columns))
    outer = [name for name, one in zip(names, columns, strict=True) if one.is_outer_in(order)]
    return Presented(names, rows, refused, intervals, told, _notes(outer))


def _notes(outer: Sequence[str]) -> dict[str, str]:
    """Return what is said of bounds that may be wider than need be."""
    if not outer:
        return {}
    said = "are outer bounds: what is told is within, and the bounds may be wider than need be"
    return {"intervals": f"The bounds of {', '.join(outer)} {said}."}


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
        self._found: dict[Expression, list[Any]] = {}
        self._open: dict[Expression, Mask] = {}

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def has_bounds(self) -> bool:
        """Whether any number has bounds."""
        return any(one is not None and one.lower is not None for one in self.released)

    def values(self, expression: Expression) -> list[Any]:
        """Return an expression, row by row; blank where a number it needs has only bounds."""
        if expression not in self._found:
            self._found[expression] = self._evaluated(expression)
        return self._found[expression]

    def _evaluated(self, expression: Expression) -> list[Any]:
        if isinstance(expression, Told):
            return [None if one is None else one.value for one in self._told(expression)]
        if isinstance(expression, Group):
            return [cell.group[expression.place] for cell in self.cells]
        if isinstance(expression, IsTotal):
            return [int(expression.place not in cell.of) for cell in self.cells]
        if isinstance(expression, Literal):
            return [expression.value] * len(self)
        values = spread(evaluate(expression, self), len(self)).to_pylist()
        is_open = self.is_open(expression)
        return [None if no else value for value, no in zip(values, is_open, strict=True)]

    def is_open(self, expression: Expression) -> Mask:
        """Tell in which rows a number that an expression needs has only bounds."""
        if expression not in self._open:
            is_open = np.zeros(len(self), np.bool_)
            for leaf in set(leaves(expression)) if self.has_bounds else ():
                if isinstance(leaf, Told):
                    is_open |= np.fromiter(map(_has_only_bounds, self._told(leaf)), bool, len(self))
            self._open[expression] = is_open
        return self._open[expression]

    def span(self, expression: Expression, row: int) -> Span | None:
        """Return what an expression can be in a row; None where there are no bounds."""
        if isinstance(expression, Call):
            parts = [self.span(one, row) for one in expression.arguments]
            return computed(expression.function, parts)
        if isinstance(expression, Told):
            one = self.released[expression.place + row * self.width]
            return None if one is None else Span.of_answer(one)
        return Span.of_value(self.values(expression)[row])

    def decided(self, condition: Expression, row: int) -> bool | None:
        """Tell whether a condition holds in a row whatever the numbers are within their bounds."""
        if not isinstance(condition, Call) or not self.is_open(condition)[row]:
            value: bool | None = self.values(condition)[row]
            return value
        function, arguments = condition.function, condition.arguments
        if function in {"AND", "OR", "NOT"}:
            return _logical(function, [self.decided(one, row) for one in arguments])
        if function == "IS NULL":
            return None if self.span(arguments[0], row) is None else False
        if function == "IN":
            equal = [self.decided(Call("=", (arguments[0], one)), row) for one in arguments[1:]]
            return _logical("OR", equal)
        if function not in COMPARED:
            return None
        return compared(function, *(self.span(one, row) for one in arguments))

    def refused(self, expression: Expression) -> Mask:
        """Tell in which rows a number that an expression needs was refused."""
        refused = np.zeros(len(self), np.bool_)
        for leaf in set(leaves(expression)):
            if isinstance(leaf, Told):
                refused |= np.fromiter((one is None for one in self._told(leaf)), bool, len(self))
        return refused

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
        values, refused = self.table.values(self.expression), self.table.refused(self.expression)
        return [None if refused[row] else values[row] for row in rows]

    def ranks_at(self, rows: Ints) -> list[Any]:
        """Return what some rows are put in order by: its values, or the middles of its bounds."""
        values, spans = self.values_at(rows), [self._spans[row] for row in rows]
        return [
            span.middle if value is None and span is not None else value
            for value, span in zip(values, spans, strict=True)
        ]

    def refused_at(self, rows: Ints) -> list[bool]:
        """Tell of some rows whether it was refused."""
        return [bool(one) for one in self.table.refused(self.expression)[rows]]

    def intervals_at(self, rows: Ints) -> list[tuple[float, float] | None]:
        """Return the bounds in some rows."""
        spans = [self._spans[row] for row in rows]
        return [None if span is None else span.bounds for span in spans]

    def is_outer_in(self, rows: Ints) -> bool:
        """Tell whether its bounds are wider than need be, as far as is known, in any row."""
        spans = [self._spans[row] for row in rows]
        return any(span.is_outer for span in spans if span is not None)

    @cached_property
    def _spans(self) -> list[Span | None]:
        """What it can be in every row; None where all that it is made of is known."""
        told = any(isinstance(leaf, Told) for leaf in leaves(self.expression))
        if not (told and self.table.has_bounds):
            return [None] * len(self.table)
        spans = [self.table.span(self.expression, row) for row in range(len(self.table))]
        return [span if span is not None and span.sources else None for span in spans]


def _kept(query: StatisticalQuery, table: _Table) -> Ints:
    """Return the rows that HAVING keeps, in the order in which groupings are written."""
    rows = np.argsort(table.order, kind="stable")
    if query.having is None:
        return rows
    holds = holds_in_rows(query.having, table, len(table))
    for row in np.flatnonzero(table.is_open(query.having)):
        holds[row] = table.decided(query.having, int(row)) is True
    return rows[(holds & ~table.refused(query.having))[rows]]


def _ordered(query: StatisticalQuery, table: _Table, rows: Ints) -> Ints:
    """Put rows in order: by the last expression first, since sorting keeps what is in order."""
    for ordering in reversed(query.order):
        rows = _sorted(ordering, table, rows)
    return rows


def _sorted(ordering: Ordering, table: _Table, rows: Ints) -> Ints:
    column = _Column(ordering.value, table)
    values = dict(zip(rows.tolist(), column.ranks_at(rows), strict=True))
    refused = column.refused_at(rows)
    last = [row for row, no in zip(rows.tolist(), refused, strict=True) if no]
    told = [row for row, no in zip(rows.tolist(), refused, strict=True) if not no]
    blank = [row for row in told if values[row] is None]
    known = [row for row in told if values[row] is not None]
    known.sort(key=values.__getitem__, reverse=ordering.descending)
    return _joined(*((blank, known) if ordering.nulls_first else (known, blank)), last)


def _has_only_bounds(released: Released | None) -> bool:
    return released is not None and released.value is None and released.lower is not None


def _logical(function: str, parts: Sequence[bool | None]) -> bool | None:
    """Return what AND, OR and NOT make of conditions of which some are not decided."""
    if function == "NOT":
        return None if parts[0] is None else not parts[0]
    deciding = function == "OR"
    if deciding in parts:
        return deciding
    return None if None in parts else not deciding


def _joined(*parts: Iterable[int]) -> Ints:
    return np.array([row for part in parts for row in part], np.int64)


def _limited(query: StatisticalQuery, rows: Ints) -> Ints:
    stop = None if query.limit is None else query.offset + query.limit
    return rows[query.offset : stop]
