"""Which files a plan reads or writes: all must lie in the folder of the workbench."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from stat import S_ISREG
from typing import Any

from tacita.app.workplace import Workplace
from tacita.data.declaration import WITH_FILES
from tacita.data.formats import SCHEMES, format_of, is_address
from tacita.errors import InputError
from tacita.method import Method
from tacita.release.plan import Plan
from tacita.release.table_plan import TablePlan

IN_FILES = frozenset({"duckdb", "sqlite"})  # databases that are a file
KEPT = ("ledger", "anchor", "key_file", "versions", "tokens", "collected")
NAMING = ("p_table", "small_table")  # parameters of methods that name a file


def refuse_elsewhere(plan: Plan, workplace: Workplace) -> None:
    """Refuse a plan that reads or writes files outside of the folder.

    Raises:
        InputError: it does.
    """
    for place in files_of(plan):
        workplace.inside(str(place))


def files_of(plan: Plan) -> Iterator[Path]:
    """Return the files that a plan names, relative ones as seen from its folder.

    Raises:
        InputError: it asks a database that may read any file by a query of its own.
    """
    data = plan.data
    if data.layout.query is not None and _is_duckdb(data.source):
        raise InputError(
            "A query of its own could read any file; name the `table` of the DuckDB database here."
        )
    for place in (data.source, data.population, data.holdout, data.layout.metadata):
        yield from _file(plan, place)
    for said in data.attributes.values():
        for word in WITH_FILES:
            yield from _file(plan, _named(getattr(said, word)))
    for table in plan.tables:
        for file in (*table.inputs, *_named_by_methods(table)):
            yield from _file(plan, file)
    for word in KEPT if plan.queries is not None else ():
        yield from _file(plan, getattr(plan.queries, word))


def states(said: Any, folder: Path) -> list[tuple[int, int]]:
    """Return size and time of every file that a part of a plan names, so that a change shows.

    Args:
        said: the part, in which a file may be named anywhere, or stand in an address.
        folder: from where names are seen.
    """
    if isinstance(said, Mapping):
        return [state for one in said.values() for state in states(one, folder)]
    if isinstance(said, list | tuple):
        return [state for one in said for state in states(one, folder)]
    if not isinstance(said, str):
        return []
    try:
        found = (folder / (said.partition(":///")[2] or said)).stat()
    except (OSError, ValueError):  # no file has that name, or can have it
        return []
    return [(found.st_size, found.st_mtime_ns)] if S_ISREG(found.st_mode) else []


def _file(plan: Plan, place: Path | str | None) -> Iterator[Path]:
    if place is None:
        return
    if not is_address(place):
        yield plan.folder / place
        return
    scheme, _, rest = str(place).partition("://")
    if scheme.lower() not in SCHEMES:
        raise InputError(
            f"Expected an address that begins with {', '.join(f'{name}://' for name in SCHEMES)}."
        )
    if scheme.lower() in IN_FILES:
        # What reads it looks for the first `:///`, wherever that stands.
        if not rest.startswith("/"):
            raise InputError(f"Expected three strokes, as in {scheme}:///data.db, before the file.")
        yield plan.folder / rest[1:]


def _is_duckdb(place: Path | str | None) -> bool:
    return place is not None and format_of(place) == SCHEMES["duckdb"]


def _named_by_methods(table: TablePlan) -> Iterator[str]:
    """Return the files that parameters of a table's methods name."""
    methods: list[Method | None] = [table.perturbation, *table.compared]
    for method in methods:
        for word in NAMING:
            file = getattr(method, word, None)
            if isinstance(file, str):
                yield file


def _named(field: Any) -> str | None:
    """Return the file that holds a hierarchy or an ontology, if one does."""
    said = field.get("file") if isinstance(field, Mapping) else None
    said = said.get("path") if isinstance(said, Mapping) else said
    return said if isinstance(said, str) else None
