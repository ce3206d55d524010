"""Perturbing tables: values found for their cells, put in the place of the true ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from tacita.data.classes import Ints
from tacita.errors import InputError, ParameterError
from tacita.method import Method, TableKind
from tacita.tables.cells import Cells
from tacita.tables.linked import LinkedTables
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.status import Status
from tacita.tables.table import Table

T = TypeVar("T", Table, LinkedTables)
KINDS = {"count": TableKind.FREQUENCY, "sum": TableKind.MAGNITUDE}


def perturbed(tables: T, by: Method, rng: np.random.Generator) -> tuple[T, Perturbation]:
    """Return tables with perturbed values in the place of the true ones, and how they were found.

    Every cell is published, the sensitive ones too: with a value, or with an interval where the
    method gives no more. Nothing but these and what they tell of the true values is left in the
    tables; the truth stays with those handed in. Linked tables are perturbed in one run: a cell
    that several share has the same value in all of them.

    Args:
        tables: a table of counts or sums, or several over the same data.
        by: the way: a method such as `ControlledRounding(5)`.
        rng: where its randomness comes from.

    Raises:
        ParameterError: `by` is no way of perturbing a table, or not one of this kind.
        InputError: a table shows neither counts nor sums, is perturbed already or lacks a value.
    """
    if by.family != "perturbation":
        raise ParameterError(
            f"`{by.name}` is a method of the family {by.family}; expected here: a way to perturb "
            "a table, such as `controlled_rounding`."
        )
    for one in (tables,) if isinstance(tables, Table) else tables:
        _refuse_kind(one, by)
    system = replace(tables.system(), known=None)
    system.refuse_unknown("Perturbing a table")
    found: Perturbation = by.perturb(system, rng)  # type: ignore[attr-defined]
    return with_values(tables, found, by.name), found


def _refuse_kind(table: Table, by: Method) -> None:
    if table.perturbed_by is not None:
        raise InputError(
            f"`{table.name}` was perturbed by `{table.perturbed_by}` already; perturb the table "
            "that it was made from."
        )
    if table.statistic not in KINDS:
        raise InputError(
            f"Counts and sums can be perturbed; `{table.name}` shows a {table.statistic}. Perturb "
            "the tables that it is worked out from."
        )
    if (kind := KINDS[table.statistic]) not in by.applies_to:
        raise ParameterError(
            f"`{by.name}` applies to {', '.join(k.value for k in TableKind if k in by.applies_to)} "
            f"tables; `{table.name}` is a {kind.value} table."
        )


def with_values(tables: T, found: Perturbation, name: str) -> T:
    """Return tables with the values that were found; nothing else is left of the truth in them."""
    cells = published_cells(found)
    if isinstance(tables, Table):
        return _with_cells(tables, cells, np.arange(len(tables)), name)
    several = zip(tables.tables, tables.places, strict=True)
    made = tuple(_with_cells(table, cells, places, name) for table, places in several)
    return replace(tables, tables=made)


def _with_cells(table: Table, cells: Cells, places: Ints, name: str) -> Table:
    return replace(table, cells=cells.take(places), perturbed_by=name)


def published_cells(found: Perturbation) -> Cells:
    """Return the cells that are published; of the truth they hold what a reader knows anyway."""
    true, unknown = found.system.cells, np.full(len(found.value), np.nan)
    lower = true.lower_bound if found.lower is None else np.fmax(found.lower, true.lower_bound)
    upper = true.upper_bound if found.upper is None else np.fmin(found.upper, true.upper_bound)
    return Cells.of(
        found.value,
        total=unknown,
        status=np.where(found.is_interval, Status.SECONDARY, Status.SAFE),
        lower_bound=lower,
        upper_bound=upper,
    )
