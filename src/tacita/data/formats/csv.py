"""Delimited text files: types inferred over the whole file, and no value changed by the inference.

What is kept as text although it looks like a number: a column in which any field has a leading
zero (``01234``), a plus sign or a hexadecimal prefix; one with integers that neither int64 nor a
double is sure to hold; times of day; and every column named by the caller. Numbers with more digits
than a double holds (``12345678901234567.89``) are decimals, or text where they have an exponent or
more than 38 digits: no digit is lost (`digits`). Spaces around a number
are no part of it. An empty field is missing in every column; words such as ``NA`` are missing only
in columns that otherwise hold numbers, dates or true/false (in text, NA is Namibia). Quotes around
nothing (``""``) are an empty text in a column of text and a missing value in the others; where they
are the only column they are missing, as a line without them is no record.

A column whose numbers have decimal commas (``1,5``) holds numbers, unless a comma may as well part
thousands: ``1,234`` in a file whose delimiter is a comma stays text.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, cast

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.contents import Contents
from tacita.data.formats.delimited import (
    Source,
    one_line,
    open_source,
    refuse_encoding,
    refuse_structure,
)
from tacita.data.formats.digits import exact, may_lose_digits
from tacita.data.formats.encoding import Text, decoded, guessed, mark_of
from tacita.data.formats.layout import Layout
from tacita.data.formats.lines import Style, header, lines
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
LOOK = 2**16  # values that are looked at together
FIRST_VALUES = 100  # that show whether a column is worth a closer look
NUMBER = r"(?i)^\s*[-+]?([0-9]*,?[0-9]*(e[-+]?[0-9]+)?|inf(inity)?|nan)\s*$"
THOUSANDS = r"^\s*-?[1-9][0-9]{0,2},[0-9]{3}\s*$"
POINT = r"(\.[0-9]|[0-9]\.)[0-9]*([eE][-+]?[0-9]+)?\s*$"
TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9:.]+(Z|[-+][0-9:]+)?)?$"
ZONE = r"[ T][0-9:.]+(Z|[-+][0-9:]+)$"
CELLS = 2**21  # cells that are written together


def read(path: Path, layout: Layout, text: frozenset[str]) -> Contents:
    """Read a delimited text file with a header.

    Args:
        path: the file; a name ending in ``.gz`` is unpacked.
        layout: its delimiter, encoding and decimal sign; found out when left out.
        text: columns kept as text exactly as written; names that are not in the file do not matter.

    """
    found = decoded(path, layout.encoding)
    try:
        return _contents(found, layout, text)
    except InputError:
        likely = guessed(found)
        if likely is None:
            raise
    return _contents(likely, layout, text)


def _contents(found: Text, layout: Layout, text: frozenset[str]) -> Contents:
    source = replace(open_source(found, layout.delimiter), decimal=layout.decimal or ".")
    if source.is_blank:
        table = pa.table({name: pa.array([], pa.string()) for name in source.names})
        return Contents(table, found=_found(source), warnings=found.warnings)
    kept = source.codes.union(text).intersection(source.names)
    typed = _without_loss(source, _inferred(source, dict.fromkeys(kept, pa.string())))
    source, table = _with_empty_text(source, _with_missing(_with_far_times(typed, kept)))
    if layout.decimal is None and (source.quoted or source.delimiter != ","):
        return _with_decimal_commas(source, table, kept)
    return Contents(table, found=_found(source), warnings=source.text.warnings)


def fields_as_written(path: Path, encoding: str, delimiter: str, names: list[str]) -> pa.Table:
    """Return the fields of some columns as they are written, without the quotes around them.

    An empty field is missing, one with nothing but quotes is empty.
    """
    source = open_source(decoded(path, encoding), delimiter)
    if source.is_blank:
        return pa.table({name: pa.array([], pa.string()) for name in names})
    return _fields(source, names)


def _found(source: Source) -> dict[str, str | bool]:
    """Tell people how a file turned out to be laid out."""
    return {
        "delimiter": source.delimiter,
        "encoding": source.text.encoding,
        "byte_order_mark": source.text.marked,
        "quoting": "double quotes" if source.quoted else "none",
        "decimal": source.decimal,
    }


# --- from text to values


def _inferred(source: Source, types: Types) -> pa.Table:
    """Parse the records with the types that the whole file shows.

    Arrow can infer them all, but keeps every parsed block until the end in case a type must be
    widened. Taking the types of the first block for granted saves that memory and the time to fill
    it; a type that fits the first block and all others is the one inferred from the whole.
    """
    if source.records.size > BLOCK and not source.multiline:
        try:
            return _arrow_parsed(source, _conversion(source, {**_first_types(source), **types}))
        except pa.ArrowInvalid:
            pass  # a later record shows another type, or is faulty
    return _parsed(source, _conversion(source, types))


def _first_types(source: Source) -> Types:
    """Infer types from the first block, leaving out columns in which it shows nothing."""
    with arrow_csv.open_csv(*_arguments(source, FIRST_BLOCK), _conversion(source, {})) as reader:
        fields = [field for field in reader.schema if not pa.types.is_null(field.type)]
    return {field.name: field.type for field in fields if not pa.types.is_binary(field.type)}


def _parsed(source: Source, conversion: arrow_csv.ConvertOptions) -> pa.Table:
    """Let Arrow parse the records; what it refuses is explained."""
    try:
        return _arrow_parsed(source, conversion)
    except pa.ArrowException as error:
        refuse_structure(source, error)
        refuse_encoding(source, error)
        if "straddl" not in str(error):
            raise _unreadable(source, error) from error
    try:  # a record is larger than a block
        return _arrow_parsed(source, conversion, LARGEST_BLOCK)
    except pa.ArrowException as error:
        raise _unreadable(source, error) from error


def _unreadable(source: Source, error: Exception) -> InputError:
    return InputError(f"{source.path} cannot be read: {str(error).splitlines()[0].rstrip('.')}.")


def _arrow_parsed(
    source: Source, conversion: arrow_csv.ConvertOptions, block: int = BLOCK
) -> pa.Table:
    return arrow_csv.read_csv(*_arguments(source, block), conversion)


def _fields(source: Source, names: list[str]) -> pa.Table:
    """Parse columns as text that tells an empty field from quotes around nothing."""
    options = _conversion(source, dict.fromkeys(names, pa.string()), names)
    options.null_values = [""]
    options.strings_can_be_null = True
    options.quoted_strings_can_be_null = False
    return _parsed(source, options)


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


def _conversion(
    source: Source, types: Types, only: list[str] | None = None
) -> arrow_csv.ConvertOptions:
    return arrow_csv.ConvertOptions(
        decimal_point=source.decimal,
        column_types=types,
        include_columns=only,
        null_values=MISSING,
        strings_can_be_null=False,
        true_values=["true", "True", "TRUE"],  # 0 and 1 are numbers
        false_values=["false", "False", "FALSE"],
    )


# --- what a type would change stays text


def _without_loss(source: Source, table: pa.Table) -> pa.Table:
    """Read the columns again, as text, whose inferred type does not keep what is written.

    Numbers whose digits no double holds become decimals of as many digits as are written, or stay
    text where they have an exponent or more digits than a decimal.
    """
    if any(pa.types.is_binary(kind) for kind in table.schema.types):  # what Arrow makes of bytes
        refuse_encoding(source)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    has_floats = any(map(pa.types.is_floating, table.schema.types))
    is_long = has_floats and may_lose_digits(source.records, source.decimal)
    doubtful = [name for name, column in columns.items() if _is_doubtful(column, is_long=is_long)]
    if not doubtful:
        return table
    texts = _parsed(source, _conversion(source, dict.fromkeys(doubtful, pa.string()), doubtful))
    for name, written in zip(doubtful, texts.columns, strict=True):
        if _loses(columns[name], written):
            columns[name] = written
        elif is_long and pa.types.is_floating(columns[name].type):
            columns[name] = exact(columns[name], written, source.decimal)
    return pa.table(columns)


def _is_doubtful(column: pa.ChunkedArray, *, is_long: bool) -> bool:
    """Tell whether only the text shows that a column's values are what was written."""
    if pa.types.is_floating(column.type):
        return is_long or _largest(column) >= EXACT
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


def _with_far_times(table: pa.Table, kept: frozenset[str]) -> pa.Table:
    """Make times of text whose fractions of a second are all that kept it from being times.

    Arrow counts such times in nanoseconds, which do not reach beyond the years 1678 to 2261.
    """
    for place, name in enumerate(table.column_names):
        if name not in kept and _first_match(table.column(place), TIME):
            table = table.set_column(place, name, _times(table.column(place)))
    return table


def _times(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return text as times of a microsecond; as it is if a value is none."""
    zone = "UTC" if _first_match(column, ZONE) else None
    missing = pc.is_in(column, pa.array(MISSING))
    try:
        times = pc.if_else(missing, pa.scalar(None, column.type), column)
        return times.cast(pa.timestamp("us", zone))
    except pa.ArrowInvalid:
        return column


def _first_match(column: pa.ChunkedArray, pattern: str) -> bool:
    """Tell whether a column is text and its first values match a pattern."""
    if not pa.types.is_string(column.type):
        return False
    for start in range(0, len(column), LOOK):
        values = column.slice(start, LOOK).drop_null()
        values = values.filter(pc.invert(pc.is_in(values, pa.array(MISSING))))[:FIRST_VALUES]
        if len(values):
            return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())
    return False


def _with_missing(table: pa.Table) -> pa.Table:
    """Make empty text and what is not a number missing."""
    return pa.table({name: _blanked(table.column(name)) for name in table.column_names})


def _blanked(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_string(column.type):
        blank = pc.equal(column, "")
    elif pa.types.is_floating(column.type):
        blank = pc.is_nan(column)
    else:
        return column
    if not pc.any(blank).as_py():
        return column
    return pc.if_else(blank, pa.scalar(None, column.type), column)


def _with_empty_text(source: Source, table: pa.Table) -> tuple[Source, pa.Table]:
    """Put empty text where a column of text has quotes around nothing.

    A program that puts quotes around everything may mean a missing value by it: that is warned of.
    """
    blank = [
        name
        for name, column in zip(table.column_names, table.columns, strict=True)
        if pa.types.is_string(column.type) and column.null_count
    ]
    if not blank or table.num_columns == 1 or re.search(b'""', source.records.data) is None:
        return source, table
    fields = _fields(source, blank)
    for name in blank:
        table = table.set_column(table.column_names.index(name), name, fields.column(name))
    if not any(column.null_count for column in fields.columns):
        warnings = (*source.text.warnings, _taken_for_text(blank))
        source = replace(source, text=replace(source.text, warnings=warnings))
    return source, table


def _taken_for_text(names: list[str]) -> str:
    columns = ", ".join(f"`{one_line(name)}`" for name in names)
    return (
        f'Quotes around nothing ("") were read as empty text in {columns}; if '
        'they stand for missing values, give "" as a code of missing values.'
    )


# --- decimal commas


def _with_decimal_commas(source: Source, table: pa.Table, kept: frozenset[str]) -> Contents:
    """Read the columns again, as numbers, whose text is numbers with decimal commas."""
    texts = {name: table.column(name) for name in table.column_names if name not in kept}
    likely = [name for name, column in texts.items() if _first_match(column, NUMBER)]
    commas = replace(source, decimal=",")
    numbers = _numbers(commas, likely)
    unsure = [name for name in numbers if _may_be_thousands(texts[name])]
    warnings = source.text.warnings
    if source.delimiter == ",":
        warnings += tuple(map(_kept_as_text, unsure))
        numbers = {name: column for name, column in numbers.items() if name not in unsure}
    elif unsure and len(unsure) == len(numbers):
        warnings += (_taken_for_numbers(unsure[0]),)
    if not numbers:
        return Contents(table, found=_found(source), warnings=warnings)
    _refuse_points(source, table, next(iter(numbers)))
    columns = {name: numbers.get(name, table.column(name)) for name in table.column_names}
    return Contents(pa.table(columns), found=_found(commas), warnings=warnings)


def _numbers(source: Source, names: list[str]) -> dict[str, pa.ChunkedArray]:
    """Read columns once more and return those that hold fractions."""
    if not names:
        return {}
    table = _with_missing(_without_loss(source, _parsed(source, _conversion(source, {}, names))))
    columns = zip(table.column_names, table.columns, strict=True)
    return {name: column for name, column in columns if _has_fractions(column.type)}


def _has_fractions(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _may_be_thousands(column: pa.ChunkedArray) -> bool:
    """Tell whether every comma of a column has one to three digits before and three after it."""
    for part in (column.slice(0, LOOK), column):  # most columns show it at the beginning
        commas = part.filter(pc.match_substring(part, ","))
        if not pc.all(pc.match_substring_regex(commas, THOUSANDS), min_count=0).as_py():
            return False
    return True


def _kept_as_text(name: str) -> str:
    return (
        f"Column `{one_line(name)}` was kept as text: in numbers like 1,234 the comma may part "
        "thousands; give `decimal` as a comma if it is a decimal comma."
    )


def _taken_for_numbers(name: str) -> str:
    return (
        f"Column `{one_line(name)}` was read with a decimal comma; if the comma in numbers like "
        "1,234 parts thousands, give `decimal` as a point and the column stays text."
    )


def _refuse_points(source: Source, table: pa.Table, comma: str) -> None:
    """Stop if other columns have decimal points: one of the two signs parts thousands."""
    floating = [field.name for field in table.schema if _has_fractions(field.type)]
    if not floating:
        return
    texts = _parsed(source, _conversion(source, dict.fromkeys(floating, pa.string()), floating))
    for name, column in zip(floating, texts.columns, strict=True):
        if pc.any(pc.match_substring_regex(column, POINT)).as_py():
            raise InputError(
                f"{source.path}: column `{one_line(comma)}` has decimal commas and column "
                f"`{one_line(name)}` decimal points, so that 1.500 and 1,500 could mean two "
                "things; say which sign is `decimal`."
            )


# --- writing


def write(contents: Contents, path: Path, layout: Layout) -> None:
    """Write a table as text that ``read`` reads back as it was.

    A header, line feeds, packed for ``.gz``; quotes only where needed. Missing values and NaN are
    empty fields; numbers are the shortest text that reads back equal; dates are ISO; lists are
    joined by ``|``. Empty text is written as ``""`` and reads back as missing; so is a missing
    value in a table of one column, where an empty line is no record.

    Args:
        contents: what to write.
        path: the file; one that exists is replaced.
        layout: its delimiter (a comma, for ``.tsv`` a tab, when left out), encoding (UTF-8) and
            decimal sign (a point).

    """
    table = contents.table
    if not table.num_columns:
        raise OutputError("A text file needs at least one column; found none.")
    usual = "\t" if ".tsv" in path.name.lower() else ","
    style = Style(layout.delimiter or usual, layout.decimal or ".", layout.encoding or "utf-8")
    rows = max(1, min(2**16, CELLS // max(1, table.num_columns)))
    mark = mark_of(style.encoding)
    with atomic_file(path) as temporary, _sink(temporary, path.suffix.lower() == ".gz") as sink:
        sink.write(mark)
        sink.write(header(table.column_names, style))
        for batch in table.to_batches(max_chunksize=rows):
            sink.write(lines(batch, style))


@contextmanager
def _sink(path: Path, packed: bool) -> Iterator[IO[bytes]]:
    """Open a file for writing; a packed one tells neither name nor time."""
    with path.open("wb") as file:
        if not packed:
            yield file
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packing:
            yield cast("IO[bytes]", packing)
