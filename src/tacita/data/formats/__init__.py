"""Sources in, Arrow tables out, and back; a file's suffix or a database's scheme says how.

To add a format, write one module beside these with ``read(source, layout, text) -> Contents`` and,
if it can be written, ``write(contents, target, layout)``, and name it in ``FORMATS`` (files, by
suffix) or ``SCHEMES`` (databases) below: one file and one line. A reader raises ``InputError`` and
a writer ``OutputError`` with one sentence; no error of a library gets out. A file is written
through ``atomic.atomic_file``: it appears complete or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from tacita.data.formats.contents import Contents
from tacita.data.formats.layout import UNSAID, Layout, LayoutOptions, layout_of
from tacita.data.formats.whole_files import is_file, is_folder, names_in, unchanged
from tacita.errors import InputError, OutputError, did_you_mean

__all__ = [
    "FORMATS",
    "SCHEMES",
    "UNSAID",
    "Contents",
    "Format",
    "Layout",
    "LayoutOptions",
    "Place",
    "format_of",
    "is_address",
    "kind_of_values",
    "layout_of",
    "read_contents",
    "read_table",
    "shown_place",
    "write_contents",
    "write_table",
]

Place = str | PathLike[str]


class Format(NamedTuple):
    """A kind of source.

    Args:
        module: the module beside this one that reads and writes it.
        what: what people call it.
        uses: the fields of a layout that mean something when it is read.
        writes: the fields of a layout that mean something when it is written; None if it cannot be.
        keeps_labels: of which values it can say what they mean: numbers, text.
        keeps_reasons: of which values it can say why they are missing: numbers, text.
        keeps_empty: whether a release in it tells empty text and empty sets from missing ones.
    """

    module: str
    what: str
    uses: frozenset[str] = frozenset()
    writes: frozenset[str] | None = frozenset()
    keeps_labels: frozenset[str] = frozenset()
    keeps_reasons: frozenset[str] = frozenset()
    keeps_empty: bool = True


_TEXT = frozenset({"delimiter", "encoding", "decimal"})
_ROWS, _TABLE = frozenset({"table", "query"}), frozenset({"table"})
_SHEET, _BESIDE = frozenset({"sheet"}), frozenset({"metadata"})
_CSV = Format("csv", "a CSV file", _TEXT, _TEXT, keeps_empty=False)
_CODED = frozenset({"encoding"})
_NUMBERS, _ALL = frozenset({"numbers"}), frozenset({"numbers", "text"})
_SPSS = Format("spss", "an SPSS file", _CODED, frozenset(), _ALL, _ALL)
_DUCKDB = Format("duckdb", "a DuckDB database", _ROWS, _TABLE)
_SQLITE = Format("sqlite", "a SQLite database", _ROWS, _TABLE)

FORMATS: Mapping[str, Format] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz"), _CSV),
    **dict.fromkeys((".parquet", ".pq"), Format("parquet", "a Parquet file")),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), Format("feather", "an Arrow file")),
    ".xlsx": Format("excel", "an Excel workbook", _SHEET, _SHEET),
    **dict.fromkeys((".xls", ".xlsb", ".ods"), Format("excel", "a workbook", _SHEET, None)),
    **dict.fromkeys((".sav", ".zsav"), _SPSS),
    ".dta": Format("stata", "a Stata file", _CODED, frozenset(), _NUMBERS, _NUMBERS),
    ".sas7bdat": Format("sas", "a SAS file", _BESIDE | _CODED, None, _NUMBERS, _NUMBERS),
    ".xpt": Format("sas", "a SAS transport file", _CODED, None),
    ".asc": Format("fixed_width", "a fixed-width file", _BESIDE | _CODED, frozenset(), _ALL, _ALL),
    **dict.fromkeys((".duckdb", ".ddb"), _DUCKDB),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), _SQLITE),
}
SCHEMES: Mapping[str, Format] = {
    **dict.fromkeys(
        ("postgresql", "postgres"), Format("postgresql", "a PostgreSQL database", _ROWS, _TABLE)
    ),
    "duckdb": _DUCKDB,
    "sqlite": _SQLITE,
}
SHARED = frozenset({"duckdb", "sqlite", "postgresql"})  # others may write while they are read


def read_contents(
    source: Place, layout: Layout = UNSAID, *, text: frozenset[str] = frozenset()
) -> Contents:
    """Read a source.

    Args:
        source: the path of a file, or the address of a database such as `postgresql://host/name`.
        layout: what is said of how it is laid out.
        text: columns of a text file that are kept as text exactly as written.
    """
    chosen, place = _located(source)
    if chosen is None:
        raise InputError(f"Cannot tell the format of {source}: {_known_suffixes(Path(source))}")
    _refuse_meaningless(chosen, chosen.uses, layout)
    # A database keeps its readers apart from its writers by itself.
    still = nullcontext() if chosen.module in SHARED else unchanged(Path(place))
    try:
        with still:
            read: Contents = _module(chosen).read(place, layout, text)
    except OSError as error:
        raise InputError(
            f"Cannot read {shown_place(source)}: {error.strerror or error}."
        ) from error
    return read


def write_contents(contents: Contents, target: Place, layout: Layout = UNSAID) -> None:
    """Write to a file or a table of a database, which appears complete or not at all.

    Args:
        contents: what to write.
        target: the path of a file, which is replaced if it exists, or the address of a database.
        layout: how it is to be laid out.
    """
    chosen, place = _located(target, exists=False)
    if chosen is None:
        raise OutputError(f"Cannot tell how to write {target}: {_known_suffixes(Path(target))}")
    if chosen.writes is None:
        writable = [suffix for suffix, known in FORMATS.items() if known.writes is not None]
        raise OutputError(
            f"Tacita reads {chosen.what} and does not write one; choose a name ending in "
            f"{', '.join(writable)}."
        )
    _refuse_meaningless(chosen, chosen.writes, layout)
    _module(chosen).write(contents, place, layout)


def read_table(source: Place, *, text: frozenset[str] = frozenset(), **layout: Any) -> pa.Table:
    """Read only the values of a source; the layout's fields are options."""
    return read_contents(source, layout_of(layout), text=text).table


def write_table(values: pa.Table, target: Place, /, **layout: Any) -> None:
    """Write only values; the layout's fields are options."""
    write_contents(Contents(values), target, layout_of(layout))


def format_of(source: Place) -> Format | None:
    """Return the format of a source: by its scheme, or by the longest suffix that fits."""
    scheme, parted, _ = str(source).partition("://")
    if parted:
        return SCHEMES.get(scheme.lower())
    name = Path(source).name.lower()
    fitting = [suffix for suffix in FORMATS if name.endswith(suffix)]
    return FORMATS[max(fitting, key=len)] if fitting else None


def kind_of_values(column: pa.ChunkedArray | pa.Array) -> str:
    """Return what a format that tells labels and reasons calls a column: numbers or text."""
    return "text" if pa.types.is_string(column.type) else "numbers"


def is_address(source: object) -> bool:
    """Tell the address of a database from a path.

    >>> is_address("postgresql://localhost/firms"), is_address("firms.csv")
    (True, False)
    """
    return isinstance(source, str) and "://" in source


def shown_place(source: Place) -> str:
    """Return a source as it may be told: an address loses its password.

    >>> shown_place("postgresql://ana:secret@localhost/firms")
    'postgresql://ana@localhost/firms'
    """
    if not is_address(source):
        return str(source)
    scheme, _, rest = str(source).partition("://")
    access, at, place = rest.rpartition("@")
    host, asked, options = place.partition("?")
    told = [word for word in options.split("&") if "password=" not in word.lower()]
    known = asked + "&".join(told) if any(told) else ""
    return f"{scheme}://{access.partition(':')[0]}{at}{host}{known}"


def _located(source: Place, *, exists: bool = True) -> tuple[Format | None, Path | str]:
    """Find the format of a source, and the path or address its module understands."""
    chosen = format_of(source)
    if not is_address(source):
        path = Path(source)
        if exists and not is_file(path):
            raise InputError(what_is_missing(path))
        return chosen, path
    if chosen is None:
        wrong = InputError if exists else OutputError
        raise wrong(
            f"Expected an address that begins with {', '.join(f'{name}://' for name in SCHEMES)}; "
            f"found {shown_place(source)}."
        )
    in_file = chosen in FORMATS.values()  # duckdb:///data/firms.duckdb is a file's address
    return chosen, Path(str(source).partition(":///")[2]) if in_file else str(source)


def _module(chosen: Format) -> Any:
    return import_module(f"{__name__}.{chosen.module}")


def _refuse_meaningless(chosen: Format, known: frozenset[str], layout: Layout) -> None:
    """Refuse what was said of a source and cannot matter: it was meant for another."""
    for word in layout.given:
        if word not in known:
            some = f"(it has {', '.join(sorted(known))})" if known else "(nothing need be said)"
            raise InputError(f"`{word}` means nothing for {chosen.what} {some}; leave it out.")


def _known_suffixes(path: Path) -> str:
    found = f"found `{path.suffix}`" if path.suffix else "found none"
    near = did_you_mean(path.suffix, FORMATS)
    return f"expected a name ending in {', '.join(FORMATS)}; {found}.{near}"


def what_is_missing(path: Path) -> str:
    """Say why a path is not a file, with the nearest name that is one."""
    if is_folder(path):
        return f"Expected a file; {path} is a folder. Name a file in it."
    if not is_folder(path.parent):
        return f"There is no file {path}: the folder {path.parent} does not exist."
    return f"There is no file {path}.{did_you_mean(path.name, names_in(path.parent))}"
