"""`tacita inspect`: what an intruder would see in a file, and a plan against it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import Decimal, Delimiter, Encoding, Json, Metadata, Query, Sheet, Table
from tacita.errors import OutputError

if TYPE_CHECKING:
    from tacita.inspection import Inspection

Source = Annotated[str, typer.Argument(help="The data: a file, or a database's address.")]
Plan = Annotated[
    Path | None, typer.Option(help="Where to write the proposed plan; a file there is kept.")
]
Combinations = Annotated[int, typer.Option(min=1, help="How many attributes are combined at most.")]


def inspect(
    source: Source,
    out: Plan = None,
    combinations: Combinations = 3,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    table: Table = None,
    query: Query = None,
    metadata: Metadata = None,
    json: Json = False,
) -> None:
    """Look at data as an intruder would, and propose a plan that protects them."""
    from tacita.cli.printing import print_json, say
    from tacita.data.formats.reading_report import reading_report, summary
    from tacita.inspection import inspect as look

    said = {
        "delimiter": delimiter,
        "encoding": encoding,
        "decimal": decimal,
        "sheet": sheet,
        "table": table,
        "query": query,
        "metadata": metadata,
    }
    refuse_existing(out)
    given = {word: value for word, value in said.items() if value is not None}
    found = look(source, combinations=combinations, **given)
    if out is not None:
        write_new(found.plan(out.parent), out)
    report = reading_report(source, **given)
    if json:
        print_json({**found.to_dict(), "reading": report.to_dict()["columns"]})
        return
    _show(found, out)
    for note in summary(report):
        say(f"Note: {note}")


def refuse_existing(out: Path | None) -> None:
    """Refuse to write over a plan: somebody may have edited it."""
    if out is not None and out.exists():
        raise OutputError(f"{out} exists and is kept; choose another name, or remove it first.")


def write_new(plan: str, out: Path) -> None:
    """Write a plan, whole or not at all."""
    from tacita.data.formats.atomic import atomic_file

    with atomic_file(out) as temporary:
        temporary.write_text(plan, encoding="utf-8")
        refuse_existing(out)  # it may have come into being meanwhile


def _show(found: Inspection, out: Path | None) -> None:
    from tacita.cli.printing import print_table, say
    from tacita.results import counted

    size = f"{counted(found.records, 'record')}, {counted(len(found.attributes), 'attribute')}"
    say(f"{size}.")
    if found.layout:
        told = ", ".join(f"{word} {value!r}" for word, value in found.layout.items())
        say(f"The source is read with {told}.")
    for title, (columns, rows) in found.tables().items():
        print_table(title, columns, rows)
    for warning in found.warnings:
        say(f"Note: {warning}")
    if out is None:
        say("Write the plan that follows from this with --out plan.yaml.")
    else:
        say(f"The plan is in {out}: check every role in it, then run it.")
