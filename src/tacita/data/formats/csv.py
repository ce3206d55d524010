"""Delimited text files: types inferred over the whole file, and no value changed by the inference.

What is kept as text although it looks like a number: a column in which any field has a leading
zero (``01234``), a plus sign or a hexadecimal prefix; one with integers that neither int64 nor a
double is sure to hold; times of day; and every column named by the caller. Spaces around a number
are no part of it. An empty field is missing in every column; words such as ``NA`` are missing only
in columns that otherwise hold numbers, dates or true/false (in text, NA is Namibia).
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.delimited import (
    DELIMITERS,
    Source,
    open_source,
    refuse_encoding,
    refuse_structure,
)
from tacita.errors import InputError, OutputError

Types = Mapping[str, pa.DataType]

MISSING = [
    *(" " * width for width in range(17)),
    *("NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan", "NaT"),
    *("NULL", "Null", "null", "None", "none", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", ".", "?"),
]
FIRST_BLOCK = 2**20  # bytes that show the types to be expected
BLOCK = 2**22  # bytes that Arrow parses together
LARGEST_BLOCK = 2**31 - 1
EXACT = 2.0**53  # from here on a double skips integers
CELLS = 2**21  # cells that are written together


def read_csv(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    text: frozenset[str] = frozenset(),
) -> pa.Table:
    """Read a delimited text file with a header.

    Args:
        path: the file; a name ending in ``.gz`` is unpacked.
        delimiter: what parts the fields; when left out, found out among comma, semicolon, tab, bar.
        encoding: how the characters are coded.
        text: columns kept as text exactly as written; names that are not in the file do not matter.

    """
    source = open_source(path, delimiter, encoding)
    if source.is_blank:
        return pa.table({name: pa.array([], pa.string()) for name in source.names})
    kept = source.codes.union(text).intersection(source.names)
    table = _without_loss(source, _inferred(source, dict.fromkeys(kept, pa.string())))
    return pa.table({name: _with_missing(table.column(name)) for name in table.column_names})


# --- from text to values


def _inferred(source: Source, types: Types) -> pa.Table:
    """Parse the records with the types that the whole file shows.

    Arrow can infer them all, but keeps every parsed block until the end in case a type must be
    widened. Taking the types of the first block for granted saves that memory and the time to fill
    it; a type that fits the first block and all others is the one inferred from the whole.
    """
    if source.records.size > BLOCK and not source.multiline:
        try:
            return _arrow_parsed(source, {**_first_types(source), **types})
        except pa.ArrowInvalid:
            pass  # a later record shows another type, or is faulty
    return _parsed(source, types)


def _first_types(source: Source) -> Types:
    """Infer types from the first block, leaving out columns in which it shows nothing."""
    with arrow_csv.open_csv(*_arguments(source, FIRST_BLOCK), _conversion({})) as reader:
        fields = [field for field in reader.schema if not pa.types.is_null(field.type)]
    return {field.name: field.type for field in fields if not pa.types.is_binary(field.type)}


def _parsed(source: Source, types: Types, only: list[str] | None = None) -> pa.Table:
    """Let Arrow parse the records; what it refuses is explained."""
    try:
        return _arrow_parsed(source, types, only)
    except pa.ArrowException as error:
        refuse_structure(source, error)
        refuse_encoding(source, error)
        if "straddl" not in str(error):
            raise _unreadable(source, error) from error
    try:  # a record is larger than a block
        return _arrow_parsed(source, types, only, LARGEST_BLOCK)
    except pa.ArrowException as error:
        raise _unreadable(source, error) from error


def _unreadable(source: Source, error: Exception) -> InputError:
    return InputError(f"{source.path} cannot be read: {str(error).splitlines()[0].rstrip('.')}.")


def _arrow_parsed(
    source: Source, types: Types, only: list[str] | None = None, block: int | None = None
) -> pa.Table:
    return arrow_csv.read_csv(*_arguments(source, block or BLOCK), _conversion(types, only))


def _arguments(
    source: Source, block: int
) -> tuple[pa.BufferReader, arrow_csv.ReadOptions, arrow_csv.ParseOptions]:
    # A CRLF inside quotes loses its LF where Arrow cuts between the two (apache/arrow#51368), and
    # finding places to cut outside quotes costs more than not to cut at all.
    block = LARGEST_BLOCK if source.multiline else block
    return (
        pa.BufferReader(pa.py_buffer(source.records)),
        arrow_csv.ReadOptions(column_names=source.names, block_size=block),
        arrow_csv.ParseOptions(delimiter=source.delimiter, newlines_in_values=source.multiline),
    )


def _conversion(types: Types, only: list[str] | None = None) -> arrow_csv.ConvertOptions:
    return arrow_csv.ConvertOptions(
        column_types=types,
        include_columns=only,
        null_values=MISSING,
        strings_can_be_null=False,
        true_values=["true", "True", "TRUE"],  # 0 and 1 are numbers
        false_values=["false", "False", "FALSE"],
    )


# --- what a type would change stays text


def _without_loss(source: Source, table: pa.Table) -> pa.Table:
    """Read the columns again, as text, whose inferred type does not keep what is written."""
    if any(pa.types.is_binary(kind) for kind in table.schema.types):  # what Arrow makes of bytes
        refuse_encoding(source)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    doubtful = [name for name, column in columns.items() if _is_doubtful(column)]
    if not doubtful:
        return table
    texts = _parsed(source, dict.fromkeys(doubtful, pa.string()), doubtful)
    for name, written in zip(doubtful, texts.columns, strict=True):
        if _loses(columns[name], written):
            columns[name] = written
    return pa.table(columns)


def _is_doubtful(column: pa.ChunkedArray) -> bool:
    """Tell whether only the text shows that a column's values are what was written."""
    if pa.types.is_floating(column.type):
        return _largest(column) >= EXACT
    return bool(pa.types.is_null(column.type) or pa.types.is_time(column.type))


def _largest(column: pa.ChunkedArray) -> float:
    extremes: dict[str, float | None] = pc.min_max(column).as_py()
    return max(abs(value or 0.0) for value in extremes.values())


def _loses(column: pa.ChunkedArray, written: pa.ChunkedArray) -> bool:
    """Tell whether values are not what was written: large integers, numbers beyond all doubles."""
    if not pa.types.is_floating(column.type):
        return True
    large = pc.greater_equal(pc.abs(column), EXACT)
    integer = pc.match_substring_regex(written, r"^\s*-?[0-9]+\s*$")
    overflow = pc.and_(pc.is_inf(column), pc.match_substring_regex(written, "[0-9]"))
    return bool(pc.any(pc.or_(pc.and_(large, integer), overflow)).as_py())


def _with_missing(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Make empty text and what is not a number missing."""
    if pa.types.is_string(column.type):
        blank = pc.equal(column, "")
    elif pa.types.is_floating(column.type):
        blank = pc.is_nan(column)
    else:
        return column
    if not pc.any(blank).as_py():
        return column
    return pc.if_else(blank, pa.scalar(None, column.type), column)


# --- writing


def write_csv(table: pa.Table, path: Path) -> None:
    """Write a table as text that ``read_csv`` reads back as it was.

    A header, UTF-8, line feeds, commas (tabs for ``.tsv``), packed for ``.gz``; quotes only where
    needed. Missing values and NaN are empty fields; numbers are the shortest text that reads back
    equal; dates are ISO; lists are joined by ``|``. Empty text is written as ``""`` and reads back
    as missing; so is a missing value in a table of one column, where an empty line is no record.

    Args:
        table: what to write.
        path: the file; one that exists is replaced.

    """
    delimiter = "\t" if ".tsv" in path.name.lower() else ","
    rows = max(1, min(2**16, CELLS // max(1, table.num_columns)))
    with atomic_file(path) as temporary, _sink(temporary, path.suffix.lower() == ".gz") as sink:
        sink.write(_header(table.column_names, delimiter).encode())
        for batch in table.to_batches(max_chunksize=rows):
            sink.write(_lines(batch, delimiter))


@contextmanager
def _sink(path: Path, packed: bool) -> Iterator[IO[bytes]]:
    """Open a file for writing; a packed one tells neither name nor time."""
    with path.open("wb") as file:
        if not packed:
            yield file
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packing:
            yield cast("IO[bytes]", packing)


def _header(names: list[str], delimiter: str) -> str:
    """Write the header; if one name holds a delimiter or quote, all are quoted.

    Quotes on all sides leave no other reading of the header when the delimiter is to be found out.
    """
    if all(names) and not set("".join(names)) & {*DELIMITERS, '"', "\r", "\n"}:
        return f"{delimiter.join(names)}\n"
    quoted = ('"' + name.replace('"', '""') + '"' for name in names)
    return f"{delimiter.join(quoted)}\n"


def _lines(batch: pa.RecordBatch, delimiter: str) -> memoryview:
    """Write records as the bytes of their lines."""
    cells = [
        _cells(name, column, delimiter)
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    if len(cells) == 1:
        cells = [pc.fill_null(cells[0], '""')]
    joined = pc.binary_join_element_wise(
        *cells, _text(delimiter), null_handling="replace", null_replacement=""
    )
    lines = pc.binary_join_element_wise(joined, _text(""), _text("\n"))
    _, offsets, characters = lines.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)
    return memoryview(characters)[ends[lines.offset] : ends[lines.offset + len(lines)]]


def _text(value: str) -> pa.Scalar:
    return pa.scalar(value, pa.large_string())


def _cells(name: str, column: pa.Array, delimiter: str) -> pa.Array:
    """Write the values of a column as the text of their fields."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _cells(name, column.dictionary_decode(), delimiter)
    try:
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            return _quoted(_joined(column), delimiter)
        cells = pc.cast(column, pa.large_string())
    except pa.ArrowException as error:
        raise OutputError(
            f"Column `{name}` holds {kind}, which a text file cannot; leave it out or use Parquet."
        ) from error
    if pa.types.is_floating(kind):
        return _float_cells(column, cells)
    return _quoted(cells, delimiter) if _is_text(kind) else cells


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _float_cells(column: pa.Array, cells: pa.Array) -> pa.Array:
    """Let whole numbers keep their point, so that they are read back as floats; NaN is missing."""
    cells = pc.if_else(pc.is_nan(column), pa.scalar(None, cells.type), cells)
    whole = pc.match_substring_regex(cells, "^-?[0-9]+$")
    return pc.if_else(whole, pc.binary_join_element_wise(cells, _text("0"), _text(".")), cells)


def _joined(column: pa.Array) -> pa.Array:
    """Join the values of each list by a bar; a missing one is empty between its bars."""
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    offsets = pa.array(np.concatenate(([0], np.cumsum(lengths))), pa.int32())
    values = pc.fill_null(pc.cast(column.flatten(), pa.string()), "")
    if pc.any(pc.match_substring(values, "|")).as_py():
        raise OutputError("A member of a set holds `|`, which parts members in text; use Parquet.")
    filled = pa.ListArray.from_arrays(offsets, values, mask=pc.is_null(column))
    return pc.cast(pc.binary_join(filled, "|"), pa.large_string())


def _quoted(cells: pa.Array, delimiter: str) -> pa.Array:
    """Put quotes around text that would be misread without them."""
    special = pc.or_(
        pc.match_substring_regex(cells, f'[{delimiter}"\r\n]'), pc.equal(cells, _text(""))
    )
    if not pc.any(special).as_py():
        return cells
    doubled = pc.replace_substring(cells, '"', '""')
    return pc.if_else(
        special, pc.binary_join_element_wise(_text('"'), doubled, _text('"'), _text("")), cells
    )
