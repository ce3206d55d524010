"""Protecting tables: a suppression pattern found for their cells, put back on them."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.errors import InputError, ParameterError
from tacita.method import Method
from tacita.tables.linked import LinkedTables
from tacita.tables.protect.suppression import Suppression
from tacita.tables.status import Status
from tacita.tables.table import Table

T = TypeVar("T", Table, LinkedTables)


def protected(tables: T, by: Method, *, previous: Table | None = None) -> tuple[T, Suppression]:
    """Return tables whose sensitive cells are protected, and how that was reached.

    Linked tables are protected in one run: a cell that several share is published in all of them
    or in none, and sensitive in all if it is in one.

    Args:
        tables: a judged table, or judged tables over the same data.
        by: the way: a method such as `FastSuppression()`.
        previous: the table of the last period, protected; what was suppressed there is preferred.

    Raises:
        ParameterError: `by` is no way of protecting a table.
        ProtectionError: a sensitive cell cannot be protected.
    """
    if by.family != "protection":
        raise ParameterError(
            f"`{by.name}` is a method of the family {by.family}; expected here: a way to protect "
            "a table, such as `fast_suppression`."
        )
    # What a table shows of a cell that another calls sensitive is decided now, not known yet.
    system = replace(tables.system(), known=None)
    preferred = None if previous is None else _suppressed_before(tables, previous, len(system))
    found: Suppression = by.protect(system, preferred)  # type: ignore[attr-defined]
    return _with_statuses(tables, found), found


def _with_statuses(tables: T, found: Suppression) -> T:
    if isinstance(tables, Table):
        return _with_status(tables, found, np.arange(len(tables)))
    several = zip(tables.tables, tables.places, strict=True)
    made = tuple(_with_status(table, found, places) for table, places in several)
    return replace(tables, tables=made)


def _with_status(table: Table, found: Suppression, places: Ints) -> Table:
    cells = found.system.cells
    columns = ("status", "reason", "lower_level", "upper_level", "sliding_level")
    return table.with_cells(**{name: getattr(cells, name)[places] for name in columns})


def _suppressed_before(tables: Table | LinkedTables, previous: Table, size: int) -> Mask:
    """Tell which cells were secondary suppressions in the last period, by their codes."""
    preferred = np.zeros(size, bool)
    several = tables if isinstance(tables, LinkedTables) else LinkedTables((tables,))
    names = [dimension.name for dimension in previous.dimensions]
    hidden = np.flatnonzero(previous.cells.status == Status.SECONDARY)
    for table, places in zip(several.tables, several.places, strict=True):
        if {dimension.name for dimension in table.dimensions} != set(names):
            continue
        for row in hidden:
            codes = dict(zip(names, previous.codes_of(int(row)), strict=True))
            try:
                preferred[places[table.row(**codes)]] = True
            except InputError:  # a code of the last period that there is no more
                continue
    return preferred
