"""The tables of a release on disk: what anybody may read, and what stays in the house.

Of a table the public is told its attributes with their codes, the names of its rules (never their
parameters, by which sensitive cells could be estimated), how many cells are suppressed, and what
everybody who reads the files can work out anyway; of waivers only that they were asked for, which
names nobody and counts nothing. How large the suppressed cells are together is
not told: it would narrow the interval of each. Of perturbed tables the method is told with the
parameters that do not help to undo it, and how many totals are not the sums of their parts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tacita.data.formats import write_table as write_rows
from tacita.errors import InputError
from tacita.release.table_comparison import TableComparison
from tacita.release.table_making import MadeTable
from tacita.release.table_plan import TablePlan
from tacita.release.tables import ReleasedTable, ReleasedTables
from tacita.release.written import StatedDimension, StatedTable
from tacita.results import counted
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
        write_public(one.published, one.plan, public)
        write_rows(one.to_arrow(), internal / f"{one.plan.name}.parquet")
        for name, content in one.made.kept:
            (internal / name).write_bytes(content)


def write_public(published: Table, said: TablePlan, folder: Path) -> None:
    """Write what the public sees of a table, in every format that its plan says."""
    for name in said.files:
        write_table(published, folder / name)


def stated_tables(released: ReleasedTables, digests: Mapping[str, str]) -> dict[str, Any]:
    """Return what the public is told of the tables.

    Args:
        released: the tables.
        digests: the SHA-256 digests of the public files, by their names below `public/`.
    """
    return {
        "tables": [_stated(one, digests) for one in released.tables],
        "together": _together(released),
        "sentence": together(released),
        **perturbation_stated(released),
    }


def perturbation_stated(released: ReleasedTables) -> dict[str, Any]:
    """Return what the public is told of how values were perturbed; nothing if they were not."""
    found, way = released.perturbation, released.tables[0].plan.perturbation
    if found is None or way is None:
        return {}
    told = way.told()
    parameters = {name: value for name, value in way.parameters().items() if name in told}
    promised = getattr(way, "guarantee", None)
    return {
        "perturbation": {
            "method": way.name,
            "parameters": parameters,
            "not_additive": found.not_additive.size,
            **({} if promised is None else {"guarantee": promised}),
        }
    }


def _stated(one: ReleasedTable, digests: Mapping[str, str]) -> dict[str, Any]:
    table = one.table
    return {
        "name": one.plan.name,
        "variable": table.variable,
        "statistic": table.statistic,
        "weighting": table.weighting,
        "files": {name: digests.get(f"tables/{name}", "") for name in one.plan.files},
        "dimensions": [_dimension(dimension) for dimension in table.dimensions],
        "cells": len(table),
        "suppressed": int(one.published.cells.suppressed.sum()),
        "nonnegative": is_nonnegative(table),
        "rules": [method.name for method in one.plan.methods],
        "waivers": one.plan.waivers is not None,
        "rolled_up": list(one.made.rolled_up.recoding) if one.made.rolled_up else [],
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
    if released.perturbation is not None:
        return None
    if any(t.statistic not in ADDED_UP or is_nonnegative(t) is None for t in tables):
        return None
    return {
        "suppressed": released.suppressed,
        "computable": released.computable,
        "narrowest": released.narrowest,
    }


def together(released: ReleasedTables) -> str:
    """Say what whoever reads all tables can work out."""
    if released.perturbation is not None:
        return (
            "All cells are published, with perturbed values. Of "
            f"{counted(released.suppressed, 'true value')}, {released.computable:,} can be "
            "computed from what is published and from how it was perturbed, as linear programs "
            "over all tables together find."
        )
    if not released.suppressed:
        return "No cell is suppressed."
    return (
        f"Of {counted(released.suppressed, 'suppressed cell')}, {released.computable:,} can be "
        "computed from all that is published, as linear programs over all tables together find."
    )


def attested_tables(released: ReleasedTables) -> dict[str, Any]:
    """Return everything about the tables, for the house."""
    return {
        "tables": [
            {
                "plan": one.plan.as_kept().to_plan(),
                "weighting": one.table.weighting,
                "cells": len(one.table),
                "sensitive": int(one.table.cells.sensitive.sum()),
                "suppressed": int(one.published.cells.suppressed.sum()),
                **_made(one.made),
                "comparison": _compared(one.comparison),
                "measures": [measured.to_dict() for measured in one.measures],
                "not_measured": _skipped(one.measures.skipped),
            }
            for one in released.tables
        ],
        "measures": [measured.to_dict() for measured in released.measures],
        "not_measured": _skipped(released.measures.skipped),
        "suppression": None if released.suppression is None else released.suppression.to_dict(),
        "perturbation": None if released.perturbation is None else released.perturbation.to_dict(),
        "seed": released.seed,
    }


def _made(made: MadeTable) -> dict[str, Any]:
    """Return what waivers changed and how a table was rolled up."""
    told = {"waivers": made.waived, "roll_up": made.rolled_up}
    return {word: happened.to_dict() for word, happened in told.items() if happened is not None}


def _compared(comparison: TableComparison | None) -> dict[str, Any] | None:
    """Return how other ways did; how long they took differs from run to run."""
    if comparison is None:
        return None
    told = comparison.to_dict()
    tried = [{k: v for k, v in one.items() if k != "seconds"} for one in told["tried"]]
    return {**told, "tried": tried}


def _skipped(skipped: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [{"name": name, "reason": why} for name, why in skipped]


# -- read again ------------------------------------------------------------------------------------


def read_public(
    stated: list[StatedTable], folder: Path, perturbed_by: str | None = None
) -> LinkedTables:
    """Read the public files of tables as their readers do.

    Args:
        stated: what is stated of the tables.
        folder: where their files are.
        perturbed_by: the method by which their values were perturbed, if they were.

    Raises:
        InputError: a file is not there or does not fit what is stated of it.
    """
    tables = (read_shown(one, folder, perturbed_by) for one in stated)
    return LinkedTables(
        tuple(_bounded(table, one) for table, one in zip(tables, stated, strict=True))
    )


def _bounded(table: Table, stated: StatedTable) -> Table:
    """Return a table with what everybody knows of its cells: that none is below 0, or nothing."""
    bottom = 0.0 if stated.nonnegative else -np.inf
    return table.with_cells(lower_bound=np.full(len(table), bottom))


def read_shown(stated: StatedTable, folder: Path, perturbed_by: str | None = None) -> Table:
    """Read the public file of a table, with all that it shows and nothing besides.

    Args:
        stated: what is stated of the table.
        folder: where its files are.
        perturbed_by: the method by which its values were perturbed, if they were.

    Raises:
        InputError: the file is not there or does not fit what is stated of it.
    """
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
    return replace(table, weighting=stated.weighting, perturbed_by=perturbed_by)


def _read_dimension(stated: StatedDimension) -> Dimension:
    size = len(stated.codes)
    for above in stated.parents:
        if len(above) != size or not all(NONE <= place < size for place in above):
            raise InputError(
                f"What is stated above the codes of `{stated.name}` does not fit them."
            )
    parents = tuple(np.array(one, np.int32) for one in stated.parents)
    return Dimension(stated.name, tuple(stated.codes), parents)
