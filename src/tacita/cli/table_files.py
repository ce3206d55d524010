"""Files of tables on the command line: the options that say how they are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from tacita.tables.system import System
    from tacita.tables.table import Table

Form = Annotated[
    str | None, typer.Option(help="The kind of file, where its ending does not say it.")
]
By = Annotated[
    list[str] | None,
    typer.Option(help="An attribute that spans a table; once for each, in order."),
]
Value = Annotated[str | None, typer.Option(help="The column with the values.")]
HierarchyOf = Annotated[
    list[str] | None,
    typer.Option("--hierarchy", help="ATTRIBUTE=FILE: how its codes add up; several if need be."),
]
TotalOf = Annotated[
    list[str] | None,
    typer.Option("--total", help="ATTRIBUTE=CODE: the code of its total; once for each."),
]
MissingOf = Annotated[
    list[str] | None,
    typer.Option("--missing", help="ATTRIBUTE=CODE: a code for missing values, below the total."),
]
Metadata = Annotated[
    Path | None, typer.Option(help="What describes the file, if it has not its name.")
]


def said_of_file(
    by: By,
    value: Value,
    hierarchy: HierarchyOf,
    total: TotalOf,
    missing: MissingOf,
    metadata: Metadata,
) -> dict[str, Any]:
    """Return what was said of how a file is to be read, in the words of `read_table`."""
    options = {
        "by": by,
        "value": value,
        "hierarchies": _pairs(hierarchy),
        "totals": {name: _only(name, codes) for name, codes in _pairs(total).items()},
        "missing": _pairs(missing),
        "metadata": metadata,
    }
    return {name: said for name, said in options.items() if said}


def _pairs(said: list[str] | None) -> dict[str, list[str]]:
    """Read what is said of single attributes.

    >>> _pairs(["region=nuts.hrc", "region=coast.hrc"])
    {'region': ['nuts.hrc', 'coast.hrc']}
    """
    found: dict[str, list[str]] = {}
    pairs = [one.partition("=") for one in said or ()]
    for name, mark, text in pairs:
        if not (name and mark and text):
            raise ParameterError(
                f"Expected ATTRIBUTE=WHAT, like region=nuts.hrc; found {name + mark + text!r}."
            )
        found.setdefault(name, []).append(text)
    return found


def _only(name: str, codes: list[str]) -> str:
    if len(codes) > 1:
        raise ParameterError(f"`{name}` has one total; found {', '.join(codes)}.")
    return codes[0]


def read_each(files: list[Path], form: str | None, said: dict[str, Any]) -> list[Table | System]:
    """Read files; of several, each is spanned by those attributes that it has columns for."""
    if len(files) == 1:
        return [read_one(files[0], form, said)]
    held = [_columns(file, form) for file in files]
    _refuse_unheld(said, held)
    return [
        read_one(file, form, _fitting(said, columns))
        for file, columns in zip(files, held, strict=True)
    ]


def _columns(file: Path, form: str | None) -> list[str] | None:
    """Return the names of a file's columns; None if they have no names."""
    from tacita.data.formats import read_table
    from tacita.tables.formats import form_of

    if form_of(file, form).module not in ("csv", "sdmx"):
        return None
    names: list[str] = read_table(file).column_names
    return names


def _refuse_unheld(said: dict[str, Any], held: list[list[str] | None]) -> None:
    every = {name for columns in held for name in columns or ()}
    for option in ("by", "hierarchies", "totals", "missing"):
        for name in said.get(option, ()):
            if name not in every and None not in held:
                raise ParameterError(f"No file has a column `{name}`.{did_you_mean(name, every)}")


def _fitting(said: dict[str, Any], columns: list[str] | None) -> dict[str, Any]:
    """Return what was said of the attributes of one file among several.

    >>> _fitting({"by": ["sex", "age"], "totals": {"age": "All"}, "value": "n"}, ["sex", "n"])
    {'by': ['sex'], 'totals': {}, 'value': 'n'}
    """
    if columns is None:
        return said
    fitting = dict(said)
    for option, what in said.items():
        if option == "by":
            fitting[option] = [name for name in what if name in columns]
        elif isinstance(what, dict):
            fitting[option] = {name: what[name] for name in what if name in columns}
    return fitting


def read_one(file: Path, form: str | None, options: dict[str, Any]) -> Table | System:
    """Read a file."""
    from tacita.api.table import read_table

    return read_table(file, form=form, **options)
