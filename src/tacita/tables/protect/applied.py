"""Protecting tables: a suppression pattern found for their cells, put back on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.errors import InputError, ParameterError
from tacita.method import Method
from tacita.tables.cells import Cells
from tacita.tables.linked import LinkedTables
from tacita.tables.protect.suppression import Suppression
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table

T = TypeVar("T", Table, LinkedTables)
CostOf = Callable[[Cells], Any]


def protected(
    tables: T, by: Method, *, previous: Table | None = None, cost: CostOf | None = None
) -> tuple[T, Suppression]:
    """Return tables whose sensitive cells are protected, and how that was reached.

    Linked tables are protected in one run: a cell that several share is published in all of them
    or in none, and sensitive in all if it is in one.

    Args:
        tables: a judged table, or judged tables over the same data.
        by: the way: a method such as `FastSuppression()`.
        previous: the table of the last period, protected; what was suppressed there is preferred,
            and the search begins with it.
        cost: gives what suppressing each cell costs (0 or more), from the cells.

    Raises:
        ParameterError: `by` is no way of protecting a table, or `cost` gives no costs.
        InputError: a cell that one table must publish is suppressed in another.
        ProtectionError: a sensitive cell cannot be protected.
    """
    if by.family != "protection":
        raise ParameterError(
            f"`{by.name}` is a method of the family {by.family}; expected here: a way to protect "
            "a table, such as `fast_suppression`."
        )
    # What a table shows of a cell that another calls sensitive is decided now, not known yet.
    system = replace(tables.system(), known=None)
    if isinstance(tables, LinkedTables):
        _refuse_contradiction(tables, system)
    if cost is not None:
        by, system = _priced(by, system, cost)
    preferred = None if previous is None else _suppressed_before(tables, previous, len(system))
    found: Suppression = by.protect(system, preferred)  # type: ignore[attr-defined]
    return _with_statuses(tables, found), found


def _priced(by: Method, system: System, cost: CostOf) -> tuple[Method, System]:
    """Give every cell its cost, and let it count."""
    said = getattr(by, "cost", "value")
    if said not in ("value", "cost"):
        raise ParameterError(
            f"`cost` is given as a function and `{by.name}` counts {said}; leave out one of them."
        )
    costs = np.asarray(cost(system.cells), np.float64)
    if costs.shape != (len(system),) or not (np.isfinite(costs) & (costs >= 0)).all():
        raise ParameterError(
            f"The function `cost` must give a number of at least 0 for each of {len(system):,} "
            "cells."
        )
    priced = replace(by, cost="cost")  # type: ignore[type-var]
    return priced, replace(system, cells=replace(system.cells, cost=costs))


def _refuse_contradiction(linked: LinkedTables, system: System) -> None:
    status = np.concatenate([table.cells.status for table in linked.tables])
    kept = np.concatenate(linked.places)[status == Status.PUBLISHED]
    wrong = kept[system.cells.suppressed[kept]]
    if wrong.size:
        cell = int(wrong.min())
        word = "sensitive" if system.cells.sensitive[cell] else "suppressed"
        raise InputError(
            f"The cell {system.name_of(cell)} must be published in one of the linked tables and is "
            f"{word} in another. Say the same of it in all of them."
        )


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
