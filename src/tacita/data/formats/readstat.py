"""What files of SPSS, Stata and SAS have in common: coded columns, their meaning, their calendar.

All three keep dates as numbers that only a display format tells from others, and all can say why a
value is missing: SPSS by declaring values or a range missing, Stata and SAS by special missing
values, `.a` to `.z`. The library `pyreadstat` parses the files; what follows works on columns.
"""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind
from tacita.data.codebook import Code, Meaning
from tacita.data.declaration import Declaration
from tacita.data.formats.clock import CALENDAR, Clock, Floats, Shape
from tacita.data.formats.contents import Contents, Reasons
from tacita.data.formats.names import check_names
from tacita.errors import InputError, OutputError, load_extra, shown

AS_STORED = {"user_missing": True, "disable_datetime_conversion": True}  # codes and dates
OF_DAMAGE = (ValueError, TypeError, LookupError, MemoryError)  # what odd bytes may lead to
EXACT = 2**53  # from here on a double skips whole numbers
BLOCK = 1024  # records of which all columns fit into a processor's cache


class Program(NamedTuple):
    """A statistics program, as far as its files are concerned.

    Args:
        name: what people call it.
        clock: how it counts time.
        shape: what a display format and a storage type say of a column of numbers.
        displays: what its display formats of numbers look like.
        largest: the largest number it can hold.
    """

    name: str
    clock: Clock
    shape: Callable[[str | None, str], Shape]
    displays: re.Pattern[str]
    largest: float


# --- reading


def parsed(
    reader: str, path: Path, what: str, encoding: str | None, **options: Any
) -> tuple[dict[str, list[Any]], Any]:
    """Let the library parse a file into lists of values, which it makes quickest, and its meta.

    Args:
        reader: the library's function.
        path: the file.
        what: what people call such a file.
        encoding: how its text is coded, if the file does not say it or is wrong.
        options: what else is asked of the library.
    """
    library = load_extra("pyreadstat", "statistics")
    path.open("rb").close()  # what the system says of the file goes before what the library says
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            values, meta = getattr(library, reader)(
                path.absolute(),
                output_format="dict",
                encoding=encoding,
                **options,
            )
    except UserWarning as error:
        raise InputError(f"{path}: two columns have one name; rename one of them.") from error
    except (library.ReadstatError, library.PyreadstatError, *OF_DAMAGE) as error:
        raise InputError(_unreadable(path, what, error)) from error
    if None in meta.column_names:
        raise InputError(damaged(path, what))
    check_names(meta.column_names, path)
    return values, meta


def _unreadable(path: Path, what: str, error: Exception) -> str:
    """Say why a file cannot be read, in one sentence."""
    said = str(error).lower()
    if isinstance(error, UnicodeError) or "convert" in said or "character set" in said:
        return (
            f"{path} holds text that is not coded as the file says; open it in the program that "
            "made it and save it again, in UTF-8 if there is a choice."
        )
    return damaged(path, what)


def damaged(path: Path, what: str) -> str:
    """Say that a file is none of its kind, or not all of it."""
    return f"{path} is not {what}, or it is damaged or cut off; write or copy it again."


def contents_of(
    values: dict[str, list[Any]],
    meta: Any,
    program: Program,
    properties: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> Contents:
    """Gather what a parsed file holds; the lists of values are used up on the way.

    Args:
        values: the lists of values, by column.
        meta: what the library knows of the file.
        program: whose file it is.
        properties: what the program keeps of columns besides.
    """
    letters = {name: _letters(name, meta) for name in values if _is_numeric(name, meta)}
    numbers = _numbers(values, letters)
    columns, codebook, reasons, said = {}, {}, {}, {}
    for name in meta.column_names:
        if name in numbers:
            column, why, meaning = _numeric(*numbers.pop(name), name, meta, program)
        else:
            column, why, meaning = _text(values.pop(name), name, meta)
        meaning = replace(meaning, properties=properties.get(name, {}))
        columns[name], codebook[name] = column, meaning
        if why.any():
            reasons[name] = why
        if (declared := _declared(column, meaning)) is not None:
            said[name] = declared
    warned = tuple(told for name, meaning in codebook.items() for told in _shared(name, meaning))
    return Contents(pa.table(columns), codebook, reasons, said, _found(meta, codebook), warned)


def _is_numeric(name: str, meta: Any) -> bool:
    return bool(meta.readstat_variable_types[name] != "string")


def _letters(name: str, meta: Any) -> list[str]:
    """List the special missing values of a column: those found and those labelled."""
    labelled = meta.variable_value_labels.get(name, ())
    found = meta.missing_user_values.get(name, ())
    return sorted({*found, *(code for code in labelled if isinstance(code, str))})


def _numbers(
    values: dict[str, list[Any]], letters: Mapping[str, Sequence[str]]
) -> dict[str, tuple[Floats, Reasons]]:
    """Make arrays of lists of numbers and letters; the lists are used up.

    The library makes values record by record. Taking some records of all columns at a time finds
    them side by side in memory, which is more than twice as quick as column by column.
    """
    rows = max(map(len, values.values()), default=0)
    made = {name: (np.empty(rows), np.empty(rows, np.int32)) for name in letters}
    for start in range(rows // BLOCK * BLOCK, -1, -BLOCK):
        for name, (numbers, why) in made.items():
            taken = slice(start, start + BLOCK)
            numbers[taken], why[taken] = _tagged(values[name][taken], letters[name])
            del values[name][taken]
    return made


def _tagged(values: list[Any], letters: Sequence[str]) -> tuple[Floats, Reasons]:
    """Part numbers from the letters of special missing values among them."""
    why = np.zeros(len(values), np.int32)
    if not letters:
        return np.array(values, np.float64), why
    mixed = np.array(values, object)
    for place, letter in enumerate(letters, start=1):
        why[mixed == letter] = place
    mixed[why > 0] = None
    return mixed.astype(np.float64), why


def _numeric(
    numbers: Floats, why: Reasons, name: str, meta: Any, program: Program
) -> tuple[pa.Array, Reasons, Meaning]:
    """Make a column of numbers, why some are missing, and what it means."""
    codes: list[Any] = _letters(name, meta)
    ranges = [(each["lo"], each["hi"]) for each in meta.missing_ranges.get(name, ())]
    if ranges:
        codes = _codes_within(numbers, ranges, meta.variable_value_labels.get(name, ()))
        numbers, why = _coded(numbers, codes)
    wide = tuple((float(low), float(high)) for low, high in ranges if low != high)
    display = meta.original_variable_types[name]
    meaning = _meaning(name, meta, codes, wide, display)
    shape = program.shape(display, meta.readstat_variable_types[name])
    if shape == "number" and substantive(meaning):
        shape = "whole"  # SPSS shows codes with two decimals unless it is told otherwise
    return arrow(numbers, shape, program.clock), why, meaning


def _text(values: list[str], name: str, meta: Any) -> tuple[pa.Array, Reasons, Meaning]:
    """Make a column of text, why some is missing, and what it means."""
    codes = [each["lo"] for each in meta.missing_ranges.get(name, ())]
    return *_texts(values, codes), _meaning(name, meta, codes, (), None)


def _texts(values: list[str], codes: list[str]) -> tuple[pa.Array, Reasons]:
    """Make a column of text; empty text is missing, as it is in all three programs."""
    column = pa.array(values, pa.string())
    place = pc.index_in(column, value_set=pa.array(codes, pa.string()))
    why = np.asarray(pc.fill_null(pc.add(place, 1), 0)).astype(np.int32)
    blank = pc.or_(pc.equal(column, ""), pc.is_valid(place))
    return pc.if_else(blank, pa.scalar(None, pa.string()), column), why


def _codes_within(
    numbers: Floats, ranges: list[tuple[float, float]], labels: Iterable[Any]
) -> list[float]:
    """List the codes that SPSS declares missing: single ones, then those found inside a range."""
    single = [low for low, high in ranges if low == high]
    inside: set[float] = set()
    for low, high in ranges:
        if low != high:
            inside.update(np.unique(numbers[(numbers >= low) & (numbers <= high)]).tolist())
            inside.update(code for code in labels if low <= code <= high)
    return single + sorted(inside.difference(single))


def _coded(numbers: Floats, codes: list[float]) -> tuple[Floats, Reasons]:
    """Make codes blank, keeping for each its place among them."""
    order = np.argsort(codes)
    ascending = np.asarray(codes, np.float64)[order]
    why = np.zeros(len(numbers), np.int32)
    if codes:
        near = np.flatnonzero((numbers >= ascending[0]) & (numbers <= ascending[-1]))
        place = np.searchsorted(ascending, numbers[near])
        hit = ascending[place] == numbers[near]
        why[near[hit]] = order[place[hit]] + 1
    return np.where(why > 0, np.nan, numbers), why


def arrow(numbers: Floats, shape: Shape, clock: Clock) -> pa.Array:
    """Return numbers as a column of the type that their shape says and their values allow."""
    if shape in CALENDAR and (column := clock.values(numbers, shape)) is not None:
        return column
    missing = np.isnan(numbers)
    if shape == "whole" and are_whole(numbers):
        return pa.array(np.where(missing, 0, numbers).astype(np.int64), mask=missing)
    return pa.array(numbers, mask=missing)


def are_whole(numbers: Floats) -> bool:
    """Tell whether all numbers, but for missing ones, are whole and could not be any other.

    >>> are_whole(np.array([1.0, np.nan])), are_whole(np.array([1.5]))
    (True, False)
    """
    fits = (numbers == np.floor(numbers)) & (np.abs(numbers) < EXACT)
    return bool((fits | np.isnan(numbers)).all())


def _meaning(
    name: str,
    meta: Any,
    codes: Sequence[Any],
    ranges: tuple[tuple[float, float], ...],
    display: str | None,
) -> Meaning:
    dotted = _is_numeric(name, meta)
    labels = meta.variable_value_labels.get(name, {})
    return Meaning(
        meta.column_names_to_labels[name] or None,
        {_code(code, dotted): text for code, text in labels.items()},
        tuple(_code(code, dotted) for code in codes),
        ranges,
        display,
    )


def _code(code: Code, dotted: bool) -> Code:
    """Say a code as people do: whole numbers without a point, letters among numbers with one."""
    if isinstance(code, str):
        return f".{code}" if dotted else code
    return whole(code)


def whole(code: Code) -> Code:
    """Return a code without a point if it needs none."""
    return int(code) if isinstance(code, float) and code.is_integer() else code


def substantive(meaning: Meaning) -> dict[Code, str]:
    """Return the labels of values that are not missing."""
    gone = set(meaning.missing_codes)
    return {code: text for code, text in meaning.value_labels.items() if code not in gone}


def _declared(column: pa.Array, meaning: Meaning) -> Declaration | None:
    """Say that a column holds categories, if its file says so or labels all of them."""
    measure = meaning.properties.get("measure")
    coded = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if not coded and not pa.types.is_string(column.type):
        return None
    if measure == "ordinal" and coded:
        scale = {*pc.unique(column).drop_null().to_pylist(), *substantive(meaning)}
        return Declaration(kind=Kind.ORDINAL, order=tuple(sorted(scale)))
    if measure in {"nominal", "ordinal"} or _all_labelled(column, substantive(meaning)):
        return Declaration(kind=Kind.NOMINAL)
    return None


def _all_labelled(column: pa.Array, labels: Mapping[Code, str]) -> bool:
    if not labels:
        return False
    found = pc.unique(column).drop_null()
    return len(found) <= len(labels) and set(found.to_pylist()) <= labels.keys()


def _shared(name: str, meaning: Meaning) -> Iterator[str]:
    """Tell of codes that share a label: they look the same wherever labels are shown."""
    codes = defaultdict(list)
    for code, text in substantive(meaning).items():
        codes[text].append(code)
    for text, same in codes.items():
        if len(same) > 1:
            yield (
                f"Column `{name}` gives the label {shown(text)} to the codes "
                f"{', '.join(map(str, same))}; they are kept apart, as codes."
            )


def _found(meta: Any, codebook: Mapping[str, Meaning]) -> dict[str, Any]:
    """Say how the file turned out to be, for people."""
    told = {
        "encoding": meta.file_encoding,
        "file_label": meta.file_label,
        "notes": list(meta.notes),
        "labelled_columns": sum(bool(meaning.value_labels) for meaning in codebook.values()),
        "columns_with_missing_codes": sum(
            bool(meaning.missing_codes) for meaning in codebook.values()
        ),
    }
    return {word: value for word, value in told.items() if value}


# --- writing


def save(writer: str, frame: Any, path: Path, **options: Any) -> None:
    """Let the library write a file.

    Args:
        writer: the library's function.
        frame: the cells, in Polars.
        path: the file; it is created first, so that the system says why it cannot be.
        options: what else is told to the library.
    """
    library = load_extra("pyreadstat", "statistics")
    polars = load_extra("polars", "statistics")
    path.touch()
    try:
        getattr(library, writer)(frame, path, **options)
    except (
        library.ReadstatError,
        library.PyreadstatError,
        polars.exceptions.PolarsError,
        ValueError,
    ) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise OutputError(f"{path} cannot be written: {reason}.") from error


def columns_of(contents: Contents) -> Iterator[tuple[str, pa.Array]]:
    """Give the columns to write, each in one piece and without a dictionary.

    Raises:
        OutputError: there is none; a file of these programs needs one.
    """
    table = contents.table
    if not table.column_names:
        raise OutputError("A table without columns cannot be written; keep at least one.")
    for name in table.column_names:
        column = table.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        yield name, column.combine_chunks()


def is_text(column: pa.Array) -> bool:
    """Tell whether a column holds text; one of nothing but blanks does."""
    types, kind = pa.types, column.type
    tests = (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    return any(test(kind) for test in tests)


def shape_of(name: str, column: pa.Array, program: Program) -> Shape:
    """Return what the numbers of a column are to be read as again."""
    types, kind = pa.types, column.type
    if types.is_timestamp(kind) and kind.tz is not None:
        raise OutputError(
            f"Column `{name}` holds moments in the time zone {kind.tz}, which {program.name} "
            "cannot; make them local times, or use Parquet."
        )
    for test, shape in SHAPES:
        if getattr(types, test)(kind):
            return shape
    raise OutputError(
        f"Column `{name}` holds {kind}, which {program.name} cannot; leave it out or use Parquet."
    )


SHAPES: tuple[tuple[str, Shape], ...] = (
    ("is_boolean", "whole"),
    ("is_integer", "whole"),
    ("is_floating", "number"),
    ("is_date", "date"),
    ("is_timestamp", "moment"),
    ("is_time", "time"),
)


def numbers_of(name: str, column: pa.Array, shape: Shape, program: Program) -> Floats:
    """Return the values of a column as the numbers that a program keeps; blanks are NaN.

    Raises:
        OutputError: the program cannot hold a value exactly.
    """
    missing = np.asarray(pc.is_null(column))
    if shape in CALENDAR:
        numbers = program.clock.numbers(column, shape)
        if numbers is None:
            raise OutputError(
                f"Column `{name}` holds {column.type} values that {program.name} cannot hold "
                "exactly: they are too early, too late or too fine; round them to milliseconds, "
                "make them text, or use Parquet."
            )
    else:
        numbers = np.asarray(pc.fill_null(column.cast(pa.float64(), safe=False), 0.0))
        limit = EXACT - 1 if shape == "whole" else program.largest
        _refuse(name, column, ~(np.abs(numbers) <= limit), program)
    return np.where(missing, np.nan, numbers)


def _refuse(name: str, column: pa.Array, wrong: np.ndarray[Any, Any], program: Program) -> None:
    """Stop at the first number that would become another one."""
    if wrong.any():
        record = int(wrong.argmax())
        raise OutputError(
            f"Column `{name}` holds {column[record].as_py()} in record {record + 1}, which "
            f"{program.name} cannot hold exactly; correct it, make the column text, or use Parquet."
        )


def texts_of(name: str, column: pa.Array, program: Program, *, longest: int) -> pa.Array:
    """Return a column of text that a program can hold.

    Args:
        name: the column's name.
        column: its text.
        program: who is to hold it.
        longest: how many bytes a text may have.
    """
    column = column.cast(pa.large_string())
    _refuse_text(
        name, column, pc.equal(column, ""), "is empty, which it takes for missing", program
    )
    null = pc.match_substring(column, "\0")
    _refuse_text(name, column, null, "holds a null character", program)
    long = pc.greater(pc.binary_length(column), longest)
    _refuse_text(name, column, long, f"is longer than {longest:,} bytes", program)
    return column


def _refuse_text(name: str, column: pa.Array, wrong: pa.Array, why: str, program: Program) -> None:
    record = pc.index(wrong, True).as_py()
    if record >= 0:
        raise OutputError(
            f"Column `{name}` holds text in record {record + 1} that {program.name} cannot keep: "
            f"{shown(column[record].as_py())} {why}. Correct it, or use Parquet."
        )


def refuse_padded(name: str, column: pa.Array, program: Program) -> None:
    """Stop at text that ends in a space, where spaces fill up the field."""
    padded = pc.ends_with(column, " ")
    _refuse_text(name, column, padded, "ends in a space, which it takes for padding", program)


def why_missing(name: str, column: pa.Array, contents: Contents) -> Reasons:
    """Return why each value of a column is missing; 0 where it is not."""
    why = contents.reasons.get(name)
    if why is None:
        return np.zeros(len(column), np.int32)
    return np.where(np.asarray(pc.is_null(column)), why, 0).astype(np.int32)


def labels_of(column: pa.Array, meaning: Meaning) -> dict[Code, str]:
    """Return the labels to write; true and false are written as 1 and 0 and say so."""
    is_truth = pa.types.is_boolean(column.type)
    return ({0: "false", 1: "true"} if is_truth else {}) | dict(meaning.value_labels)


def refuse_long(name: str, texts: Iterable[str], what: str, room: int, program: Program) -> None:
    """Stop at a label for which there is no room."""
    for text in texts:
        if len(text.encode()) > room:
            raise OutputError(
                f"Column `{name}` has {what} of {len(text.encode())} bytes, {shown(text)}; "
                f"{program.name} has room for {room}. Shorten it, or use another format."
            )


def kept_display(
    meaning: Meaning, shape: Shape, storage: str, numbers: Floats, program: Program
) -> str | None:
    """Return a column's display format if it lets the column be read as what it is."""
    display = meaning.display
    if display is None or not program.displays.fullmatch(display):
        return None
    read_as = program.shape(display, storage)
    rounded = read_as == "whole" and shape == "number" and not are_whole(numbers)
    return display if read_as == shape or rounded else None
