"""Which files a plan reads or writes: all must lie in the folder of the workbench."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tacita.data.formats import is_address
from tacita.errors import InputError
from tacita.release.plan import Plan

IN_FILES = frozenset({"duckdb", "sqlite"})  # databases that are a file
KEPT = ("ledger", "anchor", "key_file", "versions", "tokens", "collected")


def files_of(plan: Plan) -> Iterator[Path]:
    """Return the files that a plan names, relative ones as seen from its folder.

    Raises:
        InputError: it asks a database that may read any file by a query of its own.
    """
    data = plan.data
    for place in (data.source, data.population, data.holdout, data.layout.metadata):
        yield from _file(plan, place)
    for said in data.attributes.values():
        yield from _file(plan, _named(said.hierarchy))
    for table in plan.tables:
        for file in table.inputs:
            yield from _file(plan, file)
    for word in KEPT if plan.queries is not None else ():
        yield from _file(plan, getattr(plan.queries, word))
    if data.layout.query is not None and _scheme(data.source) == "duckdb":
        raise InputError(
            "A query of its own could read any file; name the `table` of the DuckDB database here."
        )


def _file(plan: Plan, place: Path | str | None) -> Iterator[Path]:
    if place is None:
        return
    if not is_address(place):
        yield plan.folder / place
    elif _scheme(place) in IN_FILES:
        parts = urlsplit(str(place))
        yield plan.folder / unquote(parts.netloc + parts.path)


def _scheme(place: Path | str | None) -> str:
    return urlsplit(str(place)).scheme.lower() if is_address(place) else ""


def _named(hierarchy: Any) -> str | None:
    """Return the file that holds a hierarchy, if one does."""
    said = hierarchy.get("file") if isinstance(hierarchy, Mapping) else None
    return str(said["path"]) if isinstance(said, Mapping) else said
