"""Ready-made tables: cells that somebody else has added up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from tacita.data.classes import Ints
from tacita.errors import InputError
from tacita.tables.cells import Cells
from tacita.tables.dimension import NONE, TOTAL, Dimension, Places
from tacita.tables.status import Status
from tacita.tables.table import Statistic, Table, numbers_of

Absent = Literal["empty", "unpublished"]
MOST_ABSENT = 10_000_000  # cells that may be filled in as not published


def ready_table(
    name: str,
    dimensions: Sequence[Dimension],
    codes: Mapping[str, Sequence[Any]],
    columns: Mapping[str, Any],
    *,
    variable: str | None = None,
    statistic: Statistic = "sum",
    absent: Absent = "empty",
) -> Table:
    """Make a table from cells that are already added up.

    Args:
        name: what it is called.
        dimensions: the attributes that span it, with their codes and totals.
        codes: for each attribute, the code of every cell.
        columns: what is known of the cells, by the names that `Cells` has; `value` is needed.
        variable: the attribute whose values were added up.
        statistic: what the table shows.
        absent: what a combination of codes means that is not listed: `empty`, a structural zero
            that everybody knows; or `unpublished`, a cell that was held back.

    Raises:
        InputError: a code is unknown, a cell is listed twice, or there are none.
    """
    places = np.column_stack([_places(d, codes[d.name]) for d in dimensions])
    if not len(places):
        raise InputError(f"The table `{name}` is empty; it needs at least one cell.")
    cells = Cells.of(**columns)
    strides = Table(name, tuple(dimensions), places[:0], cells.take(np.zeros(0, int))).strides
    order = np.argsort(numbers_of(places, strides), kind="stable")
    table = Table(name, tuple(dimensions), places[order], cells.take(order), variable, statistic)
    _refuse_twice(table)
    return _with_unpublished(table, absent)


def grid_table(
    name: str,
    rows: Mapping[str, Sequence[float]],
    columns: Sequence[str],
    *,
    sensitive: Sequence[tuple[str, str]] = (),
    level: float = 0.0,
) -> Table:
    """Make a small table of two attributes, `row` and `column`, from what stands inside of it.

    Args:
        name: what it is called.
        rows: the values of each row.
        columns: the codes of the columns.
        sensitive: the codes of sensitive cells.
        level: the protection level of those, to both sides (units of the values).

    >>> grid_table("t", {"x": [10, 20], "y": [30, 40]}, ["u", "v"]).cells.value
    array([100.,  40.,  60.,  30.,  10.,  20.,  70.,  30.,  40.])
    """
    inner = np.array(list(rows.values()), np.float64)
    full = np.vstack([inner.sum(axis=0), inner])
    full = np.column_stack([full.sum(axis=1), full])
    spans = (Dimension.flat("row", rows), Dimension.flat("column", columns))
    places = np.array(list(np.ndindex(*full.shape)), np.int32)
    table = Table(name, spans, places, Cells.of(full.ravel()), "value", "sum")
    status, levels = table.cells.status.copy(), np.zeros(len(table))
    for row, column in sensitive:
        place = table.row(row=row, column=column)
        status[place], levels[place] = Status.SENSITIVE, level
    return table.with_cells(status=status, lower_level=levels, upper_level=levels.copy())


def flat_dimension(name: str, codes: Sequence[Any], total: str | None = None) -> Dimension:
    """Make the dimension of a column of codes: one of them is the total of all the others.

    Args:
        name: the attribute.
        codes: the code of every cell.
        total: the code of the total; `Total` when left out.
    """
    wanted = TOTAL if total is None else total
    held = list(dict.fromkeys(map(str, codes)))
    if wanted not in held:
        raise InputError(
            f"`{name}` has no code {wanted!r} for its total (it has {', '.join(held[:5])}); say "
            "which code it is, or leave the attribute out."
        ).about(name)
    return Dimension.flat(name, [code for code in held if code != wanted], wanted)


def _places(dimension: Dimension, codes: Sequence[Any]) -> Places:
    return np.array([dimension.place(str(code)) for code in codes], np.int32)


def _refuse_twice(table: Table) -> None:
    twice = np.flatnonzero(np.diff(table.numbers) == 0)
    if twice.size:
        raise InputError(
            f"The cell {table.name_of(int(twice[0]))} is listed twice; list every cell once."
        )


def _with_unpublished(table: Table, absent: Absent) -> Table:
    """Add the cells that were held back: all that are absent, or the totals of those that are."""
    lacking = _all_numbers(table) if absent == "unpublished" else _lacking_totals(table)
    lacking = np.setdiff1d(lacking, table.numbers)
    if not lacking.size:
        return table
    held = table.cells
    bottom = -np.inf if (held.lower_bound < 0).any() else 0.0
    added = Cells.of(
        np.full(len(lacking), np.nan),
        largest=np.full((len(lacking), held.largest.shape[1]), np.nan),
        lower_bound=np.full(len(lacking), bottom),
        status=np.full(len(lacking), Status.SECONDARY),
        reason=np.full(len(lacking), "not published", object),
    )
    return table.with_more(lacking, added)


def _all_numbers(table: Table) -> Ints:
    size = int(np.prod([len(d) for d in table.dimensions], dtype=np.int64))
    if size > MOST_ABSENT:
        raise InputError(
            f"`{table.name}` has {size:,} combinations of codes; up to {MOST_ABSENT:,} can be "
            "taken as not published. List the cells, or say that absent cells are empty."
        )
    return np.arange(size)


def _lacking_totals(table: Table) -> Ints:
    """Return the numbers of every cell and of all totals above it, along every dimension."""
    found = table.numbers
    for dimension, stride in zip(table.dimensions, table.strides, strict=True):
        known = 0
        while len(found) > known:
            known = len(found)
            raised = [_raised(found, dimension, stride, parents) for parents in dimension.parents]
            found = np.unique(np.concatenate([found, *raised]))
    return found


def _raised(numbers: Ints, dimension: Dimension, stride: int, parents: Places) -> Ints:
    """Return the cells right above some along a hierarchy."""
    codes = numbers // stride % len(dimension)
    above = parents[codes].astype(np.int64)
    has = above != NONE
    raised: Ints = numbers[has] + (above - codes)[has] * stride
    return raised
