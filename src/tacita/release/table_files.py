"""The tables of a release on disk: what anybody may read, and what stays in the house.

Of a table the public is told its attributes with their codes, the names of its rules (never their
parameters, by which sensitive cells could be estimated), how many cells are suppressed, and what
everybody who reads the files can work out anyway. How large the suppressed cells are together is
not told: it would narrow the interval of each.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from tacita.data.formats import write_table as write_rows
from tacita.errors import InputError
from tacita.release.table_plan import TablePlan
from tacita.release.tables import ReleasedTable, ReleasedTables
from tacita.release.written import StatedDimension, StatedTable
from tacita.tables.dimension import NONE, Dimension
from tacita.tables.formats import write_table
from tacita.tables.formats.csv import read
from tacita.tables.linked import LinkedTables
from tacita.tables.table import Table

ADDED_UP = frozenset({"count", "sum"})  # statistics whose published values add up


def write_tables(released: ReleasedTables, public: Path, internal: Path) -> None:
    """Write the tables of a release, each into the public and the internal folder."""
    public.mkdir()
    internal.mkdir()
    for one in released.tables:
        write_public(one.table, one.plan, public)
        write_rows(one.to_arrow(), internal / f"{one.plan.name}.parquet")
        if one.given is not None:
            given_path(internal, one.plan).write_bytes(one.given)


def write_public(table: Table, said: TablePlan, folder: Path) -> None:
    """Write what the public sees of a table, in every format that its plan says."""
    for name in said.files:
        write_table(table.published(), folder / name)


def given_path(folder: Path, said: TablePlan) -> Path:
    """Return where a release keeps the statuses that were given beforehand."""
    return folder / f"{said.name}.hst"


def stated_tables(released: ReleasedTables, folder: Path) -> dict[str, Any]:
    """Return what the public is told of the tables.

    Args:
        released: the tables.
        folder: where their public files were written.
    """
    return {
        "tables": [_stated(one, folder) for one in released.tables],
        "together": _together(released),
    }


def _stated(one: ReleasedTable, folder: Path) -> dict[str, Any]:
    table = one.table
    return {
        "name": one.plan.name,
        "variable": table.variable,
        "statistic": table.statistic,
        "files": {name: digest(folder / name) for name in one.plan.files},
        "dimensions": [_dimension(dimension) for dimension in table.dimensions],
        "cells": len(table),
        "suppressed": int(table.cells.suppressed.sum()),
        "nonnegative": is_nonnegative(table),
        "rules": [method.name for method in one.plan.methods],
        "protected": one.verdicts[0].holds,
    }


def _dimension(dimension: Dimension) -> dict[str, Any]:
    return {
        "name": dimension.name,
        "codes": list(dimension.codes),
        "parents": [parents.tolist() for parents in dimension.parents],
    }


def digest(file: Path) -> str:
    """Return the hash by which a file is known again."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def is_nonnegative(table: Table) -> bool | None:
    """Tell whether everybody knows that no cell is below 0; None if more is known of some cells."""
    lower, upper = table.cells.lower_bound, table.cells.upper_bound
    same = len(np.unique(lower)) <= 1 and bool((upper == np.inf).all())
    known = {0.0: True, -np.inf: False}
    return known.get(float(lower[0])) if same and len(lower) else None


def _together(released: ReleasedTables) -> dict[str, Any] | None:
    """Return what the public files alone show, if readers can add them up."""
    tables = [one.table for one in released.tables]
    if any(t.statistic not in ADDED_UP or is_nonnegative(t) is None for t in tables):
        return None
    return {
        "suppressed": released.suppressed,
        "computable": released.computable,
        "narrowest": released.narrowest,
    }


def attested_tables(released: ReleasedTables) -> dict[str, Any]:
    """Return everything about the tables, for the house."""
    return {
        "tables": [
            {
                "plan": one.plan.to_plan(),
                "cells": len(one.table),
                "sensitive": int(one.table.cells.sensitive.sum()),
                "suppressed": int(one.table.cells.suppressed.sum()),
                "measures": [measured.to_dict() for measured in one.measures],
                "not_measured": _skipped(one.measures.skipped),
            }
            for one in released.tables
        ],
        "measures": [measured.to_dict() for measured in released.measures],
        "not_measured": _skipped(released.measures.skipped),
        "suppression": None if released.suppression is None else released.suppression.to_dict(),
    }


def _skipped(skipped: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [{"name": name, "reason": why} for name, why in skipped]


# -- read again ------------------------------------------------------------------------------------


def read_public(stated: list[StatedTable], folder: Path) -> LinkedTables:
    """Read the public files of tables as their readers do.

    Args:
        stated: what is stated of the tables.
        folder: where their files are.

    Raises:
        InputError: a file is not there or does not fit what is stated of it.
    """
    return LinkedTables(tuple(_read(one, folder) for one in stated))


def _read(stated: StatedTable, folder: Path) -> Table:
    dimensions = {one.name: _read_dimension(one) for one in stated.dimensions}
    table = read(
        folder / f"{stated.name}.csv",
        by=list(dimensions),
        name=stated.name,
        hierarchies=dimensions,
        variable=stated.variable,
        statistic=stated.statistic,
        delimiter=",",
        encoding="utf-8",
        decimal=".",
    )
    if len(table) != stated.cells:
        raise InputError(
            f"The table `{stated.name}` is stated to have {stated.cells:,} cells; its file has "
            f"{len(table):,}."
        )
    bottom = 0.0 if stated.nonnegative else -np.inf
    return table.with_cells(lower_bound=np.full(len(table), bottom))


def _read_dimension(stated: StatedDimension) -> Dimension:
    size = len(stated.codes)
    for above in stated.parents:
        if len(above) != size or not all(NONE <= place < size for place in above):
            raise InputError(
                f"What is stated above the codes of `{stated.name}` does not fit them."
            )
    parents = tuple(np.array(one, np.int32) for one in stated.parents)
    return Dimension(stated.name, tuple(stated.codes), parents)
