"""Files in, Arrow tables out, and back; the suffix of the file name says how.

To add a format, write one module beside these with a reader ``(path, *, delimiter, encoding,
text)`` that returns a table (what does not concern it goes into ``**_options``) and a writer
``(table, path)`` that goes through ``atomic.atomic_file``, then name both in ``FORMATS`` below: one
file and one line. Readers raise ``InputError`` and writers ``OutputError`` with one sentence; no
error of a library gets out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from tacita.data.formats.csv import read_csv, write_csv
from tacita.data.formats.parquet import read_parquet, write_parquet
from tacita.errors import InputError, OutputError, did_you_mean

__all__ = ["FORMATS", "Format", "read_table", "write_table"]


class Format(NamedTuple):
    """How files of one kind are read and written."""

    read: Callable[..., pa.Table]
    write: Callable[[pa.Table, Path], None]


FORMATS: Mapping[str, Format] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz"), Format(read_csv, write_csv)),
    **dict.fromkeys((".parquet", ".pq"), Format(read_parquet, write_parquet)),
}


def read_table(
    path: str | PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    text: frozenset[str] = frozenset(),
) -> pa.Table:
    """Read a file.

    Args:
        path: the file; its suffix says the format.
        delimiter: what parts the fields of a text file; found out when left out.
        encoding: how the characters of a text file are coded.
        text: columns of a text file that are kept as text exactly as written.
    """
    path = Path(path)
    try:
        chosen = _format_to_read(path)
        return chosen.read(path, delimiter=delimiter, encoding=encoding, text=text)
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from error


def write_table(table: pa.Table, path: str | PathLike[str]) -> None:
    """Write a table to a file that appears complete or not at all.

    Args:
        table: what to write.
        path: the file; its suffix says the format, and one that exists is replaced.
    """
    path = Path(path)
    chosen = _format_of(path)
    if chosen is None:
        raise OutputError(f"Cannot tell how to write {path}: {_known_suffixes(path)}")
    chosen.write(table, path)


def _format_to_read(path: Path) -> Format:
    if not path.is_file():
        raise InputError(_what_is_missing(path))
    chosen = _format_of(path)
    if chosen is None:
        raise InputError(f"Cannot tell the format of {path}: {_known_suffixes(path)}")
    return chosen


def _format_of(path: Path) -> Format | None:
    """Find the format by the longest suffix that fits."""
    fitting = [suffix for suffix in FORMATS if path.name.lower().endswith(suffix)]
    return FORMATS[max(fitting, key=len)] if fitting else None


def _known_suffixes(path: Path) -> str:
    found = f"found `{path.suffix}`" if path.suffix else "found none"
    near = did_you_mean(path.suffix, FORMATS)
    return f"expected a name ending in {', '.join(FORMATS)}; {found}.{near}"


def _what_is_missing(path: Path) -> str:
    """Say why a path is not a file, with the nearest name that is one."""
    if path.is_dir():
        return f"Expected a file; {path} is a folder. Name a file in it."
    if not path.parent.is_dir():
        return f"There is no file {path}: the folder {path.parent} does not exist."
    near = did_you_mean(path.name, sorted(entry.name for entry in path.parent.iterdir()))
    return f"There is no file {path}.{near}"
