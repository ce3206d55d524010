"""Which unknowns sparse linear equations determine, by exact elimination over the rationals.

A matrix comes as the arrays of its compressed rows, with whole coefficients. Pivots are chosen so
that few new entries arise: columns left in one row, then rows with the fewest columns left. Rows
are kept as small whole numbers; when one grows too large for 64 bits, everything is done again with
Python's unbounded integers, slowly. Nothing is ever rounded.

Columns from number ``columns`` on are passengers: they are carried along and never pivots. With the
known quantities of an equation as passengers, the unknowns come out expressed by them.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from math import gcd
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel
from tacita.kernels.substitution import LIMIT, PRIME, Reduced, null_vector, substituted
from tacita.kernels.two_in_a_column import rows_to_keep
from tacita.kernels.unbounded import eliminated_slowly

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

NONE = -1
MANY = 100_000  # entries from which on it is worth looking for simple columns


class Work(NamedTuple):
    """Rows under elimination. For each column a chain lists rows that it stands or stood in."""

    columns: list[Ints]
    values: list[Ints]
    widths: Ints  # of each row: its columns that may be pivots; 0 once it is done
    counts: Ints  # of each column: the rows under elimination that it stands in
    heads: Ints
    owners: list[int]
    nexts: list[int]
    places: Ints  # of each column in the row being written; NONE between rows
    narrow: list[tuple[int, int]]  # a heap of widths and rows, outdated ones among them
    single: list[int]  # columns that stood in one row when they were noted


class Triangle(NamedTuple):
    """Pivots in their order; the row of each names columns of later pivots, or of none."""

    rows: Ints
    reduced: Reduced


# -- what is asked ---------------------------------------------------------------------------------


def determined(indptr: Ints, indices: Ints, data: Ints, columns: int) -> Mask:
    """Tell which unknowns every solution of the equations agrees on.

    >>> indptr, indices, data = np.array([0, 2, 4]), np.array([0, 1, 1, 2]), np.array([1, 1, 1, 1])
    >>> determined(indptr, indices, data, 2)
    array([ True,  True])
    >>> determined(indptr, indices, data, 3)
    array([False, False, False])

    Args:
        indptr: where the entries of each row start.
        indices: the columns of the entries, each at most once in a row.
        data: the coefficients.
        columns: how many columns are unknowns; those after them are known.
    """
    triangle = _triangle(indptr, indices, data, columns)
    wanted = np.ones(columns, bool)
    if triangle is not None:
        wanted = _perhaps_determined(triangle.reduced, columns)
    return _without_free(_solved(triangle, indptr, indices, data, columns, wanted), columns)


def independent_rows(indptr: Ints, indices: Ints, data: Ints, columns: int) -> Mask:
    """Tell which rows can be kept so that all others follow from them.

    >>> independent_rows(np.array([0, 1, 2]), np.array([0, 0]), np.array([1, 2]), 1)
    array([ True, False])
    """
    if len(data) > MANY and (simple := rows_to_keep(indptr, indices, data, columns)) is not None:
        return simple
    triangle = _triangle(indptr, indices, data, columns)
    if triangle is None:
        rows: Any = eliminated_slowly(indptr, indices, data, columns)[1]
    else:
        rows = triangle.rows
    kept = np.zeros(len(indptr) - 1, bool)
    kept[rows] = True
    return kept


def reduced(
    indptr: Ints, indices: Ints, data: Ints, columns: int, wanted: Mask | None = None
) -> Reduced:
    """Solve equations for as many unknowns as possible.

    >>> indptr, indices, data = np.array([0, 2]), np.array([0, 1]), np.array([1, -2])
    >>> reduced(indptr, indices, data, 1)
    Reduced(pivots=array([0]), leads=array([1]), indptr=array([0, 1]), indices=array([1]), \
data=array([-2]))

    Args:
        indptr: where the entries of each row start.
        indices: the columns of the entries, each at most once in a row.
        data: the coefficients.
        columns: how many columns may be pivots; those after them are passengers.
        wanted: the pivots whose rows are wanted; by default all.
    """
    wanted = np.ones(columns, bool) if wanted is None else wanted
    triangle = _triangle(indptr, indices, data, columns)
    return _solved(triangle, indptr, indices, data, columns, wanted)


def warm_up() -> None:
    """Compile the kernels of this module."""
    reduced(np.array([0, 2]), np.array([0, 1]), np.array([1, 1]), 2)
    determined(np.array([0, 2]), np.array([0, 1]), np.array([1, 1]), 2)


def _triangle(indptr: Ints, indices: Ints, data: Ints, columns: int) -> Triangle | None:
    """Eliminate downwards; None when numbers grow too large."""
    if (data % 1).any():
        raise ValueError("coefficients must be whole numbers")
    if data.max(initial=0) >= LIMIT or data.min(initial=0) <= -LIMIT:
        return None
    width = max(columns, int(indices.max(initial=NONE)) + 1)
    filled = data != 0
    starts = np.concatenate([[0], np.cumsum(filled)])[indptr]
    matrix = [frozen(part, np.int64) for part in (starts, indices[filled], data[filled])]
    fits, rows, *parts = _eliminated(matrix[0], matrix[1], matrix[2], columns, width)
    return Triangle(rows, Reduced(*parts)) if fits else None


def _solved(
    triangle: Triangle | None, indptr: Ints, indices: Ints, data: Ints, columns: int, wanted: Mask
) -> Reduced:
    """Eliminate upwards the rows of the wanted pivots."""
    if triangle is not None:
        width = max(columns, int(indices.max(initial=NONE)) + 1)
        fits, *parts = substituted(triangle.reduced, frozen(wanted, np.bool_), width)
        if fits:
            return Reduced(*parts)
    rows = eliminated_slowly(indptr, indices, data, columns)[0]
    return _as_arrays({pivot: row for pivot, row in rows.items() if wanted[pivot]})


def _as_arrays(rows: dict[int, dict[int, int]]) -> Reduced:
    others = {p: {c: v for c, v in row.items() if c != p} for p, row in rows.items()}
    indices = [column for row in others.values() for column in row]
    return Reduced(
        pivots=np.array(list(rows), np.int64),
        leads=np.array([row[pivot] for pivot, row in rows.items()], object),
        indptr=np.cumsum([0, *map(len, others.values())]),
        indices=np.array(indices, np.int64),
        data=np.array([value for row in others.values() for value in row.values()], object),
    )


def _without_free(solved: Reduced, columns: int) -> Mask:
    """Tell which columns are pivots whose rows name no other column but passengers."""
    free = np.concatenate([[0], np.cumsum(solved.indices < columns)])
    alone = free[solved.indptr[1:]] == free[solved.indptr[:-1]]
    found = np.zeros(columns, bool)
    found[solved.pivots[alone]] = True
    return found


def _perhaps_determined(triangle: Reduced, columns: int) -> Mask:
    """Leave out pivots that differ in some solution: most of them, without solving for them.

    One solution is drawn modulo a prime. Where it is not 0, neither is the solution in whole
    numbers that it stands for; where it is 0 by chance, solving exactly tells.
    """
    drawn = np.random.default_rng(0).integers(1, PRIME, columns)
    perhaps = np.zeros(columns, bool)
    if (triangle.leads % PRIME == 0).any():
        perhaps[triangle.pivots] = True
    else:
        perhaps[triangle.pivots] = null_vector(triangle, drawn)[triangle.pivots] == 0
    return perhaps


# -- downwards -------------------------------------------------------------------------------------


@kernel
def _eliminated(indptr: Ints, indices: Ints, data: Ints, columns: int, width: int) -> Any:
    work = _opened(indptr, indices, data, columns, width)
    rows, pivots = [0 for _ in range(0)], [0 for _ in range(0)]
    fits = True
    row, column = _next_pivot(work)
    while fits and row != NONE:
        rows.append(row)
        pivots.append(column)
        fits = _cleared(work, row, column, columns)
        row, column = _next_pivot(work)
    return _listed(work, fits, np.array(rows, np.int64), np.array(pivots, np.int64))


@kernel
def _room(size: int, columns: int, width: int) -> Work:
    """Make room for rows; apart, for numba loses what is written into a tuple where it is made."""
    return Work(
        [np.empty(0, np.int64) for _ in range(0)],
        [np.empty(0, np.int64) for _ in range(0)],
        np.zeros(size, np.int64),
        np.zeros(columns, np.int64),
        np.full(columns, NONE),
        [0 for _ in range(0)],
        [0 for _ in range(0)],
        np.full(width, NONE),
        [(0, 0) for _ in range(0)],
        [0 for _ in range(0)],
    )


@kernel
def _opened(indptr: Ints, indices: Ints, data: Ints, columns: int, width: int) -> Work:
    size = len(indptr) - 1
    work = _room(size, columns, width)
    for row in range(size):
        work.columns.append(indices[indptr[row] : indptr[row + 1]].copy())
        work.values.append(data[indptr[row] : indptr[row + 1]].copy())
        for column in work.columns[row]:
            if column < columns:
                work.widths[row] += 1
                _chain(work, column, row)
        if work.widths[row]:
            work.narrow.append((work.widths[row], row))
    heapify(work.narrow)
    for column in range(columns):
        if work.counts[column] == 1:
            work.single.append(column)
    return work


@kernel
def _chain(work: Work, column: int, row: int) -> None:
    """Note that a column stands in one row more."""
    work.counts[column] += 1
    work.owners.append(row)
    work.nexts.append(work.heads[column])
    work.heads[column] = len(work.owners) - 1


@kernel
def _leave(work: Work, column: int) -> None:
    """Note that a column stands in one row less."""
    work.counts[column] -= 1
    if work.counts[column] == 1:
        work.single.append(column)


@kernel
def _next_pivot(work: Work) -> tuple[int, int]:
    """Choose a row and a column that cause few new entries; NONE when all is done."""
    while len(work.single):
        column = work.single.pop()
        if work.counts[column] == 1:
            row = _only_row(work, column)
            if abs(_value(work, row, column)) == 1:
                return row, column
    while len(work.narrow):
        width, row = heappop(work.narrow)
        if work.widths[row] == width:
            return row, _best_column(work, row)
    return NONE, NONE


@kernel
def _only_row(work: Work, column: int) -> int:
    node = int(work.heads[column])
    while not work.widths[work.owners[node]] or not _value(work, work.owners[node], column):
        node = work.nexts[node]
    return work.owners[node]


@kernel
def _value(work: Work, row: int, column: int) -> int:
    columns = work.columns[row]
    for place in range(len(columns)):
        if columns[place] == column:
            return int(work.values[row][place])
    return 0


@kernel
def _best_column(work: Work, row: int) -> int:
    """Prefer small coefficients, then columns in few rows, then the first."""
    best, lead, count = NONE, 0, 0
    for column, value in zip(work.columns[row], work.values[row]):  # noqa: B905
        if column >= len(work.counts):
            continue
        better = (abs(value), work.counts[column], column) < (lead, count, best)
        if best == NONE or better:
            best, lead, count = column, abs(value), work.counts[column]
    return best


@kernel
def _cleared(work: Work, pivot: int, column: int, columns: int) -> bool:
    """Take a pivot row out, and its column from all others; tell whether numbers stay small."""
    work.widths[pivot] = 0
    for other in work.columns[pivot]:
        if other < columns:
            _leave(work, other)
    lead = _value(work, pivot, column)
    node = work.heads[column]
    while work.counts[column]:
        row = work.owners[node]
        node = work.nexts[node]
        value = _value(work, row, column) if work.widths[row] else 0
        if value and not _subtracted(work, row, pivot, value, lead):
            return False
    return True


@kernel
def _subtracted(work: Work, row: int, pivot: int, value: int, lead: int) -> bool:
    """Replace a row by lead * row - value * pivot row, divided by what its entries share."""
    common = gcd(value, lead)
    own, other = lead // common, value // common
    columns, values = work.columns[row], own * work.values[row]
    kept = len(columns)
    for place in range(kept):
        work.places[columns[place]] = place
    added = work.columns[pivot]
    columns = np.concatenate((columns, np.empty(len(added), np.int64)))
    values = np.concatenate((values, np.empty(len(added), np.int64)))
    for column, entry in zip(added, work.values[pivot]):  # noqa: B905
        place = work.places[column]
        if place == NONE:
            columns[kept], values[kept] = column, -other * entry
            kept += 1
            if column < len(work.counts):
                _chain(work, column, row)
        else:
            values[place] -= other * entry
    return _rewritten(work, row, columns[:kept], values[:kept])


@kernel
def _rewritten(work: Work, row: int, columns: Ints, values: Ints) -> bool:
    common, largest, width = 0, 0, 0
    for column, value in zip(columns, values):  # noqa: B905
        work.places[column] = NONE
        common = gcd(common, value)
        largest = max(largest, abs(value))
        if column < len(work.counts):
            if value:
                width += 1
            else:
                _leave(work, column)
    filled = values != 0
    work.columns[row] = columns[filled]
    work.values[row] = values[filled] // max(common, 1)
    work.widths[row] = width
    if width:
        heappush(work.narrow, (width, row))
    return largest // max(common, 1) < LIMIT


@kernel
def _listed(work: Work, fits: bool, rows: Ints, pivots: Ints) -> Any:
    """Write the pivot rows one after another, their leads apart."""
    indptr = np.zeros(len(rows) + 1, np.int64)
    for place in range(len(rows)):
        indptr[place + 1] = indptr[place] + len(work.columns[rows[place]]) - 1
    leads = np.empty(len(rows), np.int64)
    indices, data = np.empty(indptr[-1], np.int64), np.empty(indptr[-1], np.int64)
    for place in range(len(rows)):
        at, row = indptr[place], rows[place]
        for column, value in zip(work.columns[row], work.values[row]):  # noqa: B905
            if column == pivots[place]:
                leads[place] = value
            else:
                indices[at], data[at] = column, value
                at += 1
    return fits, rows, pivots, leads, indptr, indices, data
