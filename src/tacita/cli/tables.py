"""`tacita tables`: audit, view and convert tables that anybody published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.batch import run
from tacita.cli.options import Json, Overwrite, consent, refuse_target
from tacita.cli.perturb import perturb
from tacita.cli.protect import protect
from tacita.cli.table_files import (
    By,
    Form,
    HierarchyOf,
    Metadata,
    MissingOf,
    TotalOf,
    Value,
    read_each,
    read_one,
    said_of_file,
)
from tacita.errors import InputError

if TYPE_CHECKING:
    from tacita.tables.audit.audit import TableAudit
    from tacita.tables.audit.whole import WholeIntervals
    from tacita.tables.linked import LinkedTables
    from tacita.tables.system import System
    from tacita.tables.table import Table

Rounding = Annotated[
    float, typer.Option(min=0, help="How far published values may be from the true ones.")
]


def audit(
    files: Annotated[
        list[Path], typer.Argument(help="The published tables; several are taken together.")
    ],
    form: Form = None,
    by: By = None,
    value: Value = None,
    hierarchy: HierarchyOf = None,
    total: TotalOf = None,
    missing: MissingOf = None,
    metadata: Metadata = None,
    rounding: Rounding = 0.0,
    whole: Annotated[
        float | None,
        typer.Option(min=0, help="Find whole intervals of counts too, in so many seconds."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a page that shows the first table; internal.")
    ] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Work out what an intruder can learn of every suppressed cell; exits with 1 if too much."""
    from tacita.cli.printing import print_json
    from tacita.tables.audit.audit import audit as audited

    if html is not None:
        refuse_target(html, files, consent(overwrite))
    said = said_of_file(by, value, hierarchy, total, missing, metadata)
    tables = read_each(files, form, said)
    together = _together(files, tables)
    found = audited(together, rounding=rounding)
    if html is not None:
        _write_page(files[0], together, found, html)
    intervals = None if whole is None else _whole(together, whole)
    if json:
        print_json({**found.to_dict(), **(intervals.to_dict() if intervals else {})})
    else:
        _show(found, intervals)
    raise typer.Exit(0 if found.is_safe else 1)


def convert(
    source: Annotated[Path, typer.Argument(help="The file of a table.")],
    target: Annotated[Path, typer.Argument(help="The file to write; its ending says the kind.")],
    form: Form = None,
    to_form: Annotated[str | None, typer.Option(help="The kind of file to write.")] = None,
    by: By = None,
    value: Value = None,
    hierarchy: HierarchyOf = None,
    total: TotalOf = None,
    missing: MissingOf = None,
    metadata: Metadata = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a table in another kind of file. Nothing is protected by it."""
    from tacita.cli.printing import say
    from tacita.tables.formats import write_table

    refuse_target(target, [source], consent(overwrite))
    said = said_of_file(by, value, hierarchy, total, missing, metadata)
    table = read_one(source, form, said)
    write_table(table, target, form=to_form)
    say(f"{len(table):,} cells.")


def _together(files: list[Path], tables: list[Table | System]) -> LinkedTables | Table | System:
    from tacita.tables.linked import LinkedTables
    from tacita.tables.table import Table

    if len(tables) == 1:
        return tables[0]
    for file, table in zip(files, tables, strict=True):
        if not isinstance(table, Table):
            raise InputError(
                f"{file} does not name the codes of its cells, so that it cannot be linked with "
                "other tables; audit it alone."
            )
    return LinkedTables(tuple(tables))  # type: ignore[arg-type]


def _whole(tables: LinkedTables | Table | System, seconds: float) -> WholeIntervals:
    from tacita.solvers.integer import Effort
    from tacita.tables.audit.whole import whole_intervals
    from tacita.tables.system import System

    system = tables if isinstance(tables, System) else tables.system()
    return whole_intervals(system, effort=Effort(seconds=seconds))


def _write_page(
    file: Path, tables: LinkedTables | Table | System, found: TableAudit, page: Path
) -> None:
    from tacita.tables.formats import html
    from tacita.tables.linked import LinkedTables
    from tacita.tables.system import System

    if isinstance(tables, System):
        raise InputError(
            f"{file} does not name the codes of its cells, so that it cannot be shown as a page."
        )
    if isinstance(tables, LinkedTables):
        table = tables[0]
        html.write(table, page, view="internal", audit=found.of_cells(tables.places[0]))
    else:
        html.write(tables, page, view="internal", audit=found)


def _show(found: TableAudit, whole: WholeIntervals | None) -> None:
    from tacita.cli.printing import print_table, say

    say(repr(found))
    rows = found.to_arrow().to_pylist()
    if whole is not None:
        say(repr(whole))
    columns = ("cell", "status", "value", "lower", "upper", "protected")
    told = [
        (
            row["name"],
            row["status"],
            *(_number(row[name]) for name in columns[2:5]),
            "yes" if row["protected"] else "NO",
        )
        for row in rows[:MOST_SHOWN]
    ]
    print_table("Suppressed cells", columns, told)
    if len(rows) > MOST_SHOWN:
        say(f"... and {len(rows) - MOST_SHOWN:,} more; --json lists them all.")


def _number(value: float | None) -> str:
    from tacita.results import show

    return "" if value is None else show(value)


tables = typer.Typer(
    help="Audit, protect, perturb and convert tables, and run jobs of tau-ARGUS.",
    no_args_is_help=True,
)
COMMANDS = (audit, protect, perturb, convert, run)
MOST_SHOWN = 40
