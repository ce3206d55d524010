"""`tacita tables protect`: secondary suppressions for a table whose sensitive cells are marked."""

from __future__ import annotations

import time
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tacita.cli.options import Json, Overwrite, consent, refuse_target
from tacita.cli.table_files import (
    By,
    Form,
    HierarchyOf,
    Metadata,
    MissingOf,
    TotalOf,
    Value,
    read_one,
    said_of_file,
)

if TYPE_CHECKING:
    from tacita.method import Method
    from tacita.tables.protect.suppression import Suppression
    from tacita.tables.system import System
    from tacita.tables.table import Table

Way = Literal["optimal", "fast", "modular", "hypercube", "network"]


def protect(
    source: Annotated[Path, typer.Argument(help="The table, its sensitive cells marked.")],
    out: Annotated[Path, typer.Option(help="The file to write; its ending says the kind.")],
    method: Annotated[Way, typer.Option(help="How the pattern is found.")] = "fast",
    cost: Annotated[
        Literal["value", "count", "contributors", "cost"],
        typer.Option(help="What a secondary suppression costs."),
    ] = "value",
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Seconds after which the best pattern is taken; hypercube and network end soon by "
            "themselves.",
        ),
    ] = None,
    node_limit: Annotated[
        int | None, typer.Option(min=1, help="Nodes of a search tree after which it is taken.")
    ] = None,
    singletons: Annotated[
        Literal["ignored", "protected"],
        typer.Option(
            help="Whether the only contributor of a cell must not work out others' cells."
        ),
    ] = "ignored",
    safety_range: Annotated[
        float, typer.Option(min=0, help="Percent that secondary cells must be possible around.")
    ] = 0.0,
    form: Form = None,
    to_form: Annotated[str | None, typer.Option(help="The kind of file to write.")] = None,
    by: By = None,
    value: Value = None,
    hierarchy: HierarchyOf = None,
    total: TotalOf = None,
    missing: MissingOf = None,
    metadata: Metadata = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Suppress further cells until every sensitive one is protected to its levels, and prove it."""
    from tacita.tables.formats import write_table

    refuse_target(out, [source], consent(overwrite))
    begun = time.perf_counter()
    said = said_of_file(by, value, hierarchy, total, missing, metadata)
    table = read_one(source, form, said)
    options = {"cost": cost, "singletons": singletons, "safety_range": safety_range}
    limits = {"time_limit": time_limit or None, "node_limit": node_limit}
    made, found = _protected(table, _way(method, options, limits))
    write_table(made, out, form=to_form)
    _show(found, time.perf_counter() - begun, out, as_json=json)


def _way(method: Way, options: dict[str, Any], limits: dict[str, Any]) -> Method:
    """Make the method; a limit that it has no use for is no obstacle: it ends by itself."""
    from tacita.registry import find

    cls = find(f"{method}_suppression", ("protection",))
    known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
    used = {name: limit for name, limit in limits.items() if name in known and limit is not None}
    return cls(**options, **used)


def _protected(table: Table | System, way: Method) -> tuple[Table | System, Suppression]:
    from tacita.tables.protect.applied import protected
    from tacita.tables.system import System

    if not isinstance(table, System):
        return protected(table, way)
    found: Suppression = way.protect(table)  # type: ignore[attr-defined]
    return found.system, found


def _show(found: Suppression, seconds: float, out: Path, *, as_json: bool) -> None:
    from tacita.cli.printing import print_json, say

    if as_json:
        print_json({**found.to_dict(), "seconds": round(seconds, 3)})
        return
    say(repr(found))
    if not found.is_reproducible:
        say("Note: the clock stopped the search; another run may find another pattern.")
    say(f"{seconds:.1f} s; written to {out}.")
