"""Workbooks: one sheet is a table, its first row that is not blank holds the names.

A workbook has types for cells and none for columns, so a column is what all of its cells are:
numbers (int64 when all are whole), text, true and false, dates (with their time when any has one).
Columns that mix them are refused, unless they are to be read as text. Blank cells and #N/A are
missing; empty text is not. Blank rows at the end of a sheet are no records, others are. Of a
formula the value counts that was computed last, of merged cells the first.
"""

from __future__ import annotations

import datetime as dt
import logging
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.contents import Contents
from tacita.data.formats.layout import Layout
from tacita.data.formats.names import check_names
from tacita.data.formats.workbooks import refuse_traps
from tacita.errors import InputError, OutputError, did_you_mean, load_extra

logging.getLogger("fastexcel").addHandler(logging.NullHandler())  # it tells of every blank column

OLE = bytes.fromhex("d0cf11e0")  # begins an .xls file, and what an encrypted .xlsx file is kept in
WHOLE = {"schema_sample_rows": None, "skip_whitespace_tail_rows": True}  # types of all rows
EXACT = 2**53  # from here on Excel's numbers skip integers
KINDS = {
    "Int": "numbers",
    "Float": "numbers",
    "String": "text",
    "Bool": "true or false",
    "DateTime": "dates",
    "Duration": "dates",
}
FAULTS = {
    "Div0": "#DIV/0!",
    "Name": "#NAME?",
    "Null": "#NULL!",
    "Num": "#NUM!",
    "Ref": "#REF!",
    "Value": "#VALUE!",
    "GettingData": "#GETTING_DATA",
}
NOT_AVAILABLE = "NA"
DAY_ZERO = dt.datetime(1900, 1, 1)


class Sheet(NamedTuple):
    """A sheet of an open workbook, and how messages call it."""

    book: Any
    name: str
    path: Path

    def __str__(self) -> str:
        return f"{self.path}, sheet `{self.name}`"

    def load(self, **options: Any) -> Any:
        """Load the sheet; an error of the library becomes a sentence."""
        fastexcel = load_extra("fastexcel", "excel")
        try:
            with _reading(self.path):
                return self.book.load_sheet(self.name, **options)
        except fastexcel.UnsupportedColumnTypeCombinationError:
            raise
        except fastexcel.FastExcelError as error:
            raise _damaged(self.path, error) from error


def read(path: Path, layout: Layout, text: frozenset[str]) -> Contents:
    """Read a sheet of a workbook.

    Args:
        path: the workbook.
        layout: its sheet, by name or by place from 1 on; the first one when left out.
        text: columns whose cells are read as text, whatever they hold.

    """
    book = _opened(path)
    sheet = Sheet(book, _chosen(path, book.sheet_names, layout.sheet), path)
    loaded = _typed(sheet, text)
    if not loaded.width:
        raise InputError(
            f"{sheet} is empty; expected the names of the attributes in its first row."
        )
    batch, faults = loaded.to_arrow_with_errors()
    _refuse_faults(sheet, loaded, faults)
    columns = [
        (name, column)
        for name, column in zip(_names(sheet, loaded), batch.columns, strict=True)
        if name or column.null_count < len(column)
    ]
    check_names([name for name, _ in columns], path)
    table = pa.table({name: _natural(column) for name, column in columns})
    others = () if layout.sheet is not None else _unread(book, sheet)
    return Contents(table, found={"sheet": sheet.name}, warnings=others)


def _opened(path: Path) -> Any:
    fastexcel = load_extra("fastexcel", "excel")
    refuse_traps(path)
    try:
        with _reading(path):
            return fastexcel.read_excel(path)
    except fastexcel.FastExcelError as error:
        raise _damaged(path, error) from error


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Let the library read; where it stops as it never should, the file is at fault."""
    try:
        yield
    except BaseException as error:
        # A fault of Rust's, whose class cannot be imported, is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise _damaged(path, error) from error


def _damaged(path: Path, error: BaseException) -> InputError:
    with path.open("rb") as file:
        is_ole = file.read(len(OLE)) == OLE
    if "password" in str(error).lower() or (is_ole and path.suffix.lower() != ".xls"):
        return InputError(f"{path} is protected by a password; save it without one.")
    return InputError(
        f"{path} is not a workbook of the kind its name says, or it is damaged or cut off; save or "
        "copy it again."
    )


def _chosen(path: Path, names: Sequence[str], wanted: str | int | None) -> str:
    """Return the name of the sheet to be read."""
    there = ", ".join(f"`{name}`" for name in names)
    if not names:
        raise InputError(f"{path} has no sheets.")
    if isinstance(wanted, str):
        if wanted in names:
            return wanted
        raise InputError(
            f"{path} has no sheet `{wanted}`; it has {there}.{did_you_mean(wanted, names)}"
        )
    place = 1 if wanted is None else wanted
    if not 1 <= place <= len(names):
        raise InputError(f"{path} has the sheets 1 to {len(names)} ({there}); found {place}.")
    return names[place - 1]


def _unread(book: Any, sheet: Sheet) -> tuple[str, ...]:
    """Tell of other sheets that hold data too, when nobody said which to read."""
    others = [
        f"`{name}`"
        for name in book.sheet_names
        if name != sheet.name and Sheet(book, name, sheet.path).load(dtypes="string").width
    ]
    if not others:
        return ()
    there = ", ".join(others)
    return (f"{sheet} was read; other sheets hold data too: {there}. Name the one you want.",)


# --- types


def _typed(sheet: Sheet, text: frozenset[str]) -> Any:
    """Load a sheet with the type of every column taken from all of its cells."""
    fastexcel = load_extra("fastexcel", "excel")
    wanted = {"dtypes": dict.fromkeys(text, "string")} if text else {}
    try:
        return sheet.load(dtype_coercion="strict", **wanted, **WHOLE)
    except fastexcel.UnsupportedColumnTypeCombinationError:
        _refuse_mixtures(sheet, text)
        return sheet.load(**wanted, **WHOLE)  # whole numbers among others


def _refuse_mixtures(sheet: Sheet, text: frozenset[str]) -> None:
    """Stop at the first column whose cells are of several kinds.

    Asked for durations, the library finds fault with every cell that is no date and says what it
    is: the only way to learn the kinds of single cells from it.
    """
    loaded = sheet.load(dtypes="duration", **WHOLE)
    batch, faults = loaded.to_arrow_with_errors()
    kinds = _kinds_of_cells(batch, faults.errors)
    for place, column in enumerate(loaded.available_columns()):
        if column.name in text or not kinds[place]:
            continue
        (_, usual), *others = sorted(kinds[place].items())
        for row, kind in others:
            if kind != usual:
                raise InputError(
                    f"{sheet}: column `{column.name}` holds {usual}, but cell "
                    f"{_cell(sheet, loaded, row, place)} holds {kind}. Correct it, or declare the "
                    "attribute nominal to read the column as text."
                )


def _kinds_of_cells(batch: pa.RecordBatch, faults: Sequence[Any]) -> dict[int, dict[int, str]]:
    """Return the kinds of the cells of every column, by record."""
    kinds: dict[int, dict[int, str]] = defaultdict(dict)
    for place, column in enumerate(batch.columns):
        for row in np.flatnonzero(column.is_valid()):
            kinds[place][int(row)] = KINDS["DateTime"]
    for fault in faults:
        row, place = fault.offset_position
        kind = KINDS.get(_found(fault)[0])
        if kind:
            kinds[place][row] = kind
    return kinds


def _found(fault: Any) -> tuple[str, str]:
    """Return the kind of a cell that the library finds fault with, and what it holds."""
    match = re.search(r"got '(\w+)\((\w*)", fault.detail)
    return (match[1], match[2]) if match else ("", "")


def _refuse_faults(sheet: Sheet, loaded: Any, faults: Any) -> None:
    """Stop at a formula that failed; #N/A is how a workbook says that a value is missing."""
    for fault in faults.errors if faults else ():
        kind, held = _found(fault)
        if (kind, held) != ("Error", NOT_AVAILABLE):
            cell = _cell(sheet, loaded, *fault.offset_position)
            shown = FAULTS.get(held, "an error") if kind == "Error" else "what cannot be read"
            raise InputError(f"{sheet}: cell {cell} holds {shown}. Correct it or clear the cell.")


def _cell(sheet: Sheet, loaded: Any, row: int, place: int) -> str:
    """Name a cell as Excel does; rows and columns before the table count."""
    column = loaded.available_columns()[place].absolute_index
    return f"{_letters(column)}{_header_row(sheet) + row + 2}"


def _letters(column: int) -> str:
    """Name a column, counted from 0, as Excel does.

    >>> _letters(0), _letters(25), _letters(26), _letters(16_383)
    ('A', 'Z', 'AA', 'XFD')
    """
    more, last = divmod(column, 26)
    return (_letters(more - 1) if more else "") + chr(ord("A") + last)


def _header_row(sheet: Sheet) -> int:
    """Count the blank rows before the header: asked for a later one, the sheet is less high."""
    height = sheet.load(dtypes="string").total_height
    return next(
        row - 1
        for row in count(1)
        if sheet.load(dtypes="string", header_row=row).total_height < height
    )


def _names(sheet: Sheet, loaded: Any) -> list[str]:
    """Return the names in the header as they are written there.

    The library renames a second `a` to `a_1`; where that may have happened, the header is read
    again.
    """
    columns = loaded.available_columns()
    names = ["" if c.column_name_from == "generated" else c.name for c in columns]
    if any(re.sub(r"_\d+$", "", name) in names for name in names if re.search(r"_\d+$", name)):
        header = sheet.load(header_row=None, n_rows=1, dtypes="string").to_arrow()
        return [column[0].as_py() or "" for column in header.columns]
    return names


def _natural(column: pa.Array) -> pa.Array:
    """Return whole numbers as integers, and dates without a time as dates."""
    if pa.types.is_floating(column.type):
        return _whole(column)
    if pa.types.is_timestamp(column.type):
        return _days(column)
    return column.cast(pa.string()) if pa.types.is_null(column.type) else column


def _whole(column: pa.Array) -> pa.Array:
    numbers = column.drop_null().to_numpy()
    is_whole = (numbers == np.trunc(numbers)) & (np.abs(numbers) <= EXACT)
    return column.cast(pa.int64()) if is_whole.all() else column


def _days(column: pa.Array) -> pa.Array:
    """Return dates without a time as dates; times without a date are text, as in other files."""
    if pc.all(pc.less(column, pa.scalar(DAY_ZERO, column.type))).as_py():
        return column.cast(pa.time32("ms")).cast(pa.string())
    at_midnight = pc.equal(pc.floor_temporal(column, unit="day"), column)
    return column.cast(pa.date32()) if pc.all(at_midnight).as_py() else column


# --- writing

ROWS, COLUMNS, CHARACTERS = 2**20, 2**14, 32_767  # the largest sheet there is
NAME_CHARACTERS = 31
BATCH = 2**12  # records that are turned into Python's values together
CREATED = dt.datetime(2000, 1, 1)  # when it really was is nobody's business
FIRST_DATE = dt.date(1900, 3, 1)  # before it, Excel counts a leap day that never was
MILLISECONDS = 86_400_000  # of a day
COUNTED_TWICE = "[\U00010000-\U0010ffff]"  # as Excel counts characters
NEVER_TEXT = "[\x00-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_|^<r>.*</r>$"


class Exact(float):
    """A number that is written with all its digits: a double may have 17, xlsxwriter writes 16.

    >>> f"{0.1 + 0.2:.16G} {Exact(0.1 + 0.2):.16G}"
    '0.3 0.30000000000000004'
    """

    def __format__(self, specification: str) -> str:
        return repr(float(self))


def write(contents: Contents, path: Path, layout: Layout) -> None:
    """Write a workbook of one sheet; equal tables give equal bytes.

    Numbers keep all their digits and text stays text, whatever it looks like. NaN is a blank cell,
    like any missing value; empty text is not blank. What is whole reads back as int64 and a time at
    midnight as a date, because cells have no finer types.

    Args:
        contents: what to write.
        path: the workbook; one that exists is replaced.
        layout: the name of its sheet, `data` when left out.

    """
    name = _sheet_name(layout.sheet)
    table = contents.table
    _refuse_size(table)
    cells = [
        _cells(column, values)
        for column, values in zip(table.column_names, table.columns, strict=True)
    ]
    _refuse_blank_end(table)
    xlsxwriter = load_extra("xlsxwriter", "excel")
    with atomic_file(path) as temporary, _folder_beside(temporary) as folder:
        try:
            with xlsxwriter.Workbook(
                temporary, {"constant_memory": True, "tmpdir": folder}
            ) as book:
                book.set_properties({"created": CREATED})
                book.use_zip64()
                _fill(book, book.add_worksheet(name), table.column_names, cells)
        except xlsxwriter.exceptions.FileCreateError as error:
            raise error.args[0] from error  # what the system said


def _folder_beside(file: Path) -> TemporaryDirectory[str]:
    """Make a folder for the library's unfinished parts, which would else stay when it fails."""
    return TemporaryDirectory(prefix=f"{file.name}-", dir=file.parent)


class Cells(NamedTuple):
    """The values of a column as a sheet takes them.

    Args:
        write: the name of the worksheet's method for them.
        values: what it is given.
        shown_as: how Excel shows them, where it has to be said.
    """

    write: str
    values: pa.ChunkedArray
    shown_as: str | None = None


def _fill(book: Any, sheet: Any, names: Sequence[str], cells: Sequence[Cells]) -> None:
    writers: list[Callable[..., Any]] = [getattr(sheet, column.write) for column in cells]
    formats = [
        book.add_format({"num_format": column.shown_as}) if column.shown_as else None
        for column in cells
    ]
    for place, name in enumerate(names):
        sheet.write_string(0, place, name)
    for row, record in enumerate(_records(cells), start=1):
        for place, value in enumerate(record):
            if value is not None:
                writers[place](row, place, value, formats[place])


def _records(cells: Sequence[Cells]) -> Iterator[tuple[Any, ...]]:
    size = len(cells[0].values)
    for start in range(0, size, BATCH):
        parts = (column.values.slice(start, BATCH) for column in cells)
        yield from zip(*map(_python_values, parts), strict=True)


def _python_values(part: pa.ChunkedArray) -> list[Any]:
    values: list[Any] = part.to_pylist()
    if not pa.types.is_floating(part.type):
        return values
    return [None if value is None else Exact(value) for value in values]


def _sheet_name(said: str | int | None) -> str:
    """Return the name of the sheet, which follows Excel's rules."""
    name = "data" if said is None else said
    if (
        not isinstance(name, str)
        or not 1 <= len(name) <= NAME_CHARACTERS
        or re.search(r"[\[\]:*?/\\\x00-\x1f]|^'|'$|^\s*$", name)
        or name.lower() == "history"
    ):
        raise OutputError(
            f"`sheet`: expected a name of at most {NAME_CHARACTERS} characters without "
            f"[ ] : * ? / \\ and no quote at its ends, and not History; found {name!r}."
        )
    return name


def _refuse_size(table: pa.Table) -> None:
    if len(table) >= ROWS or not 1 <= table.num_columns <= COLUMNS:
        raise OutputError(
            f"A sheet holds 1 to {COLUMNS:,} columns and at most {ROWS - 1:,} records; found "
            f"{table.num_columns:,} and {len(table):,}. Use Parquet."
        )
    for name in table.column_names:
        _refuse_text("The name of column", name, pa.chunked_array([[name]]))
        if not name.strip():
            raise OutputError(
                "A column without a name cannot be read again from a sheet; name it first."
            )


def _refuse_blank_end(table: pa.Table) -> None:
    """Refuse a record that nothing would be left of: a sheet ends where its cells do."""
    if len(table) and not any(
        str(value).strip()
        for value in table.slice(len(table) - 1).to_pylist()[0].values()
        if value is not None and value == value  # noqa: PLR0124 - NaN is blank
    ):
        raise OutputError(
            "The last record is blank in every column, and a sheet ends before such rows; leave it "
            "out or use Parquet."
        )


def _cells(name: str, column: pa.ChunkedArray) -> Cells:
    """Bring a column into the form a sheet takes; what it cannot hold exactly is refused."""
    types, kind = pa.types, column.type
    if types.is_dictionary(kind):
        return _cells(name, column.cast(kind.value_type))
    if types.is_boolean(kind) or types.is_null(kind):
        return Cells("write_boolean", column)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return _refuse_text("Column", name, column)
    if types.is_integer(kind) or types.is_decimal(kind):
        return _exact_numbers(name, column)
    if types.is_floating(kind):
        return _finite_numbers(name, column)
    if types.is_date(kind) or (types.is_timestamp(kind) and kind.tz is None):
        return _serial_numbers(name, column)
    raise OutputError(
        f"Column `{name}` holds {kind}, which a workbook cannot; leave it out or use Parquet."
    )


def _refuse_text(what: str, name: str, column: pa.ChunkedArray) -> Cells:
    column = column.cast(pa.large_string())
    length = pc.add(pc.utf8_length(column), pc.count_substring_regex(column, COUNTED_TWICE))
    if (pc.max(length).as_py() or 0) > CHARACTERS:
        raise OutputError(
            f"{what} `{name[:40]}` holds text of more than {CHARACTERS:,} characters, which a cell "
            "cannot; shorten it or use Parquet."
        )
    odd = pc.match_substring_regex(column, NEVER_TEXT)
    if pc.any(odd).as_py():
        found = column.filter(odd)[0].as_py()
        raise OutputError(
            f"{what} `{name}` holds the text {found!r}, which a workbook does not keep as it is; "
            "recode it or use Parquet."
        )
    return Cells("write_string", column)


def _exact_numbers(name: str, column: pa.ChunkedArray) -> Cells:
    doubles = column.cast(pa.float64(), safe=False)
    lossy = pc.not_equal(doubles.cast(column.type, safe=False), column)
    if pa.types.is_integer(column.type):
        lossy = pc.or_(lossy, pc.greater(pc.abs(doubles), float(EXACT)))
    if pc.any(lossy).as_py():
        found = column.filter(lossy)[0].as_py()
        raise OutputError(
            f"Column `{name}` holds {found}, which Excel's numbers (16 digits) cannot; make it "
            "text or use Parquet."
        )
    return Cells("write_number", doubles)


def _finite_numbers(name: str, column: pa.ChunkedArray) -> Cells:
    column = column.cast(pa.float64())
    if pc.any(pc.is_inf(column)).as_py():
        raise OutputError(
            f"Column `{name}` holds an infinite number, which a workbook cannot; recode it or use "
            "Parquet."
        )
    missing = pc.is_nan(column)
    return Cells("write_number", pc.if_else(missing, pa.scalar(None, pa.float64()), column))


def _serial_numbers(name: str, column: pa.ChunkedArray) -> Cells:
    """Return dates as Excel counts them: in days since the last but one of 1899."""
    has_time = pa.types.is_timestamp(column.type)
    try:
        milliseconds = column.cast(pa.timestamp("ms")).cast(pa.int64())
    except pa.ArrowInvalid:
        _refuse_date(name, "times finer than a millisecond")
    first = (FIRST_DATE - dt.date(1970, 1, 1)).days * MILLISECONDS
    if (pc.min(milliseconds).as_py() or 0) < first:
        _refuse_date(name, f"a date before {FIRST_DATE}")
    origin = (dt.date(1970, 1, 1) - dt.date(1899, 12, 30)).days
    days = pc.add(pc.divide(milliseconds.cast(pa.float64()), float(MILLISECONDS)), float(origin))
    return Cells("write_number", days, "yyyy-mm-dd hh:mm:ss.000" if has_time else "yyyy-mm-dd")


def _refuse_date(name: str, found: str) -> NoReturn:
    raise OutputError(
        f"Column `{name}` holds {found}, which Excel does not count right; make it text or use "
        "Parquet."
    )
