"""Stata files (`.dta`): values, labels, and the extended missing values `.a` to `.z`.

Files of Stata 8 to 18 are read; files of Stata 14 (format 118, UTF-8) are written, which every
later one opens. Columns stored as byte, int or long are whole numbers, and so are those shown
without decimals (`%12.0f`) or with labels that hold nothing else. Daily dates (`%td`) and moments
(`%tc`) are told by their display format; a moment shown as hours and minutes alone is a time of
day. Other counts of time (weeks, months, leap seconds: `%tw`, `%tm`, `%tC`) stay the numbers that
Stata itself shows to commands. Empty text is missing.

What is written reads back as it was, with these rules:

- true and false become 1 and 0 with the labels `true` and `false`;
- special missing values of SAS become small letters; codes of missing values in other files (9 for
  `refused`) become the first free letters, in their order, and keep their labels.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.codebook import Code, Meaning
from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.clock import Clock, Floats, Shape
from tacita.data.formats.contents import Contents, Reasons
from tacita.data.formats.layout import Layout
from tacita.data.formats.readstat import (
    AS_STORED,
    Program,
    columns_of,
    contents_of,
    damaged,
    is_text,
    kept_display,
    labels_of,
    numbers_of,
    parsed,
    save,
    shape_of,
    substantive,
    texts_of,
    whole,
    why_missing,
)
from tacita.errors import InputError, OutputError, load_extra

DAILY = re.compile(r"%-?[0-9]*t?d.*")
TIME_OF_DAY = re.compile(r"%-?[0-9]*tc[Hh]{1,2}:[Mm]{2}(:[Ss]{2}(\.s+)?)?")
MOMENT = re.compile(r"%-?[0-9]*tc.*")
WITHOUT_DECIMALS = re.compile(r"%[-0]?[0-9]+[.,]0fc?")
DISPLAY = re.compile(r"%.+")
DEFAULTS: dict[Shape, str] = {"date": "%td", "moment": "%tc", "time": "%tcHH:MM:SS"}
WIDE = "%18.0f"  # whole numbers that only a double holds
LONG = (-2_147_483_647, 2_147_483_620)  # above are the missing values
NAME = re.compile(r"[^\W\d]\w{0,31}")
RESERVED = re.compile(
    "_all|_b|byte|_coef|_cons|double|float|if|in|int|long|_n|_N|_pi|_pred|_rc|_skip|str[0-9]+|strL"
    "|using|with"
)
NAME_CHARACTERS, LABEL_CHARACTERS, TEXT_BYTES, VALUE_LABEL_BYTES = 32, 80, 2_000_000_000, 32_000
BEGINNING, END, TIME = b"<stata_dta>", b"</stata_dta>", b"<timestamp>\x11"
NO_TIME = b"01 Jan 1970 00:00"
HEADER = 512  # bytes in which the time is to be found, after a label of up to 320


def _shape(display: str | None, storage: str) -> Shape:
    """Tell from a display format and a storage type what numbers are.

    >>> _shape("%td", "int32"), _shape("%8.0g", "int8"), _shape("%10.0g", "double")
    ('date', 'whole', 'number')
    """
    said = display or ""
    calendar: tuple[tuple[re.Pattern[str], Shape], ...] = (
        (DAILY, "date"),
        (TIME_OF_DAY, "time"),
        (MOMENT, "moment"),
    )
    for pattern, shape in calendar:
        if pattern.fullmatch(said):
            return shape
    return "whole" if storage.startswith("int") or WITHOUT_DECIMALS.fullmatch(said) else "number"


STATA = Program(
    "Stata",
    # from 1960 on, in days or milliseconds; the first year is 100
    Clock(-3_653, date_unit=86_400_000_000, unit=1_000, first=-683_003 * 86_400_000_000),
    _shape,
    DISPLAY,
    largest=float.fromhex("0x1.fffffffffffffp+1022"),
)


def read(path: Path, layout: Layout, text: frozenset[str]) -> Contents:  # noqa: ARG001
    """Read a Stata file.

    Args:
        path: the file.
        layout: its encoding, which files before Stata 14 do not say.
        text: means nothing here, where text and numbers are told apart by the file.
    """
    values, meta = parsed("read_dta", path, "a Stata file", layout.encoding, **AS_STORED)
    if not _is_complete(path):
        raise InputError(damaged(path, "a Stata file"))
    found = contents_of(values, meta, STATA)
    return replace(found, warnings=(*found.warnings, *_without_labels(path, meta)))


def _is_complete(path: Path) -> bool:
    """Tell whether a file of Stata 13 or later has its end: labels come last, after all records."""
    with path.open("rb") as file:
        if file.read(len(BEGINNING)) != BEGINNING:
            return True
        file.seek(-len(END), 2)
        return file.read() == END


def _without_labels(path: Path, meta: Any) -> list[str]:
    """Tell of columns whose labels are not in the file, as when an old one is cut off."""
    return [
        f"Column `{name}` of {path.name} refers to the value labels `{labels}`, which the file "
        "does not hold; check that it is complete."
        for name, labels in meta.variable_to_label.items()
        if labels not in meta.value_labels
    ]


# --- writing


class _Variable(NamedTuple):
    """A column as Stata has it.

    Args:
        cells: its values; letters stand for extended missing values.
        labels: what values stand for.
        letters: the letters among its cells or labels.
        display: how it is shown, if not as usual.
    """

    cells: Any
    labels: dict[Code, str]
    letters: list[str]
    display: str | None


def write(contents: Contents, path: Path, layout: Layout) -> None:  # noqa: ARG001
    """Write a Stata file; equal contents give equal bytes.

    The rules of the module's description hold. What Stata cannot hold is refused: names that are
    none in Stata, whole numbers that a double skips, dates before the year 100, empty text, labels
    of text or of fractions, and why text is missing.

    Args:
        contents: what to write.
        path: the file; one that exists is replaced.
        layout: means nothing here.
    """
    _refuse_names(contents.table.column_names)
    variables = {name: _variable(name, cells, contents) for name, cells in columns_of(contents)}
    labels = {name: v.labels for name, v in variables.items() if v.labels}
    _refuse_label_names(labels)
    frame = load_extra("polars", "statistics").DataFrame
    with atomic_file(path) as temporary:
        save(
            "write_dta",
            frame({name: variable.cells for name, variable in variables.items()}),
            temporary,
            version=14,
            column_labels={name: contents.meaning(name).label for name in variables},
            variable_value_labels=labels,
            missing_user_values={name: v.letters for name, v in variables.items() if v.letters},
            variable_format={name: v.display for name, v in variables.items() if v.display},
        )
        _forget_time(temporary)


def _forget_time(path: Path) -> None:
    """Put a fixed time of creation in place of the clock's, so that equal data give equal bytes."""
    with path.open("r+b") as file:
        place = file.read(HEADER).index(TIME) + len(TIME)
        file.seek(place)
        file.write(NO_TIME)


def _refuse_names(names: Sequence[str]) -> None:
    for name in names:
        if not NAME.fullmatch(name) or RESERVED.fullmatch(name):
            raise OutputError(
                f"`{name}` is no name of a variable in Stata: expected a letter or `_`, then "
                f"letters, digits and `_`, up to {NAME_CHARACTERS} characters, and no reserved "
                "word. Rename it."
            )


def _refuse_label_names(labels: dict[str, dict[Code, str]]) -> None:
    """Stop at labels that cannot be named: the library names them like the column, and a number."""
    for place, name in enumerate(labels):
        if len(f"{name}{place}") > NAME_CHARACTERS:
            raise OutputError(
                f"`{name}` is too long for a column with value labels, which are named after it "
                f"in {NAME_CHARACTERS} characters. Shorten it by {len(str(place))}."
            )


def _variable(name: str, column: pa.Array, contents: Contents) -> _Variable:
    meaning, why = contents.meaning(name), why_missing(name, column, contents)
    if len(meaning.label or "") > LABEL_CHARACTERS:
        raise OutputError(
            f"Column `{name}` has a label of {len(meaning.label or '')} characters; Stata has room "
            f"for {LABEL_CHARACTERS}. Shorten it, or use another format."
        )
    if is_text(column):
        return _text_variable(name, column, meaning, why)
    return _numeric_variable(
        name, column, replace(meaning, value_labels=labels_of(column, meaning)), why
    )


def _text_variable(name: str, column: pa.Array, meaning: Meaning, why: Reasons) -> _Variable:
    if why.any() or substantive(meaning):
        found = "says why text is missing" if why.any() else "labels text"
        raise OutputError(
            f"Column `{name}` {found}, which Stata cannot; use SPSS (`.sav`), or leave it out."
        )
    texts = texts_of(name, column, STATA, longest=TEXT_BYTES)
    polars = load_extra("polars", "statistics")
    return _Variable(polars.from_arrow(pc.fill_null(texts, "")), {}, [], None)


def _numeric_variable(name: str, column: pa.Array, meaning: Meaning, why: Reasons) -> _Variable:
    shape = shape_of(name, column, STATA)
    numbers = numbers_of(name, column, shape, STATA)
    lettered = _letters(name, meaning.missing_codes)
    labels = {lettered.get(code, whole(code)): text for code, text in meaning.value_labels.items()}
    _refuse_labels(name, labels, set(lettered.values()))
    storage = _storage(shape, numbers)
    ranked = [lettered[code] for code in meaning.missing_codes]
    used = {ranked[place - 1] for place in np.unique(why[why > 0])}
    letters = sorted({*used, *(letter for letter in ranked if letter in labels)})
    usual = WIDE if shape == "whole" and storage == "double" else DEFAULTS.get(shape)
    return _Variable(
        _cells(numbers, why, ranked, storage, mixed=bool(letters)),
        labels,
        letters,
        kept_display(meaning, shape, storage, numbers, STATA) or usual,
    )


def _storage(shape: Shape, numbers: Floats) -> str:
    """Choose long for whole numbers if it holds them all and there is one, else double."""
    known = numbers[~np.isnan(numbers)]
    fits = ((known >= LONG[0]) & (known <= LONG[1])).all()
    return "int32" if shape == "whole" and len(known) and fits else "double"


def _letters(name: str, codes: Sequence[Code]) -> dict[Code, str]:
    """Give every code a letter: its own, or the first that is free."""
    own = {
        code: code[1].lower()
        for code in codes
        if isinstance(code, str) and re.fullmatch(r"\.[A-Za-z]", code)
    }
    free = [letter for letter in string.ascii_lowercase if letter not in own.values()]
    others = [code for code in codes if code not in own]
    if len(others) > len(free):
        raise OutputError(
            f"Column `{name}` has {len(codes)} codes of missing values; Stata has 26, .a to .z. "
            "Declare fewer of them, or use another format."
        )
    return own | dict(zip(others, free, strict=False))


def _refuse_labels(name: str, labels: dict[Code, str], letters: set[str]) -> None:
    """Stop at labels that Stata cannot hold."""
    for code, text in labels.items():
        fits = isinstance(code, int) and LONG[0] <= code <= LONG[1]
        if not fits and code not in letters:
            raise OutputError(
                f"Column `{name}` labels {code!r}; Stata labels whole numbers of up to nine "
                "digits. Leave the label out, or use SPSS (`.sav`)."
            )
        if len(text.encode()) > VALUE_LABEL_BYTES:
            raise OutputError(
                f"Column `{name}` has a value label of more than {VALUE_LABEL_BYTES:,} bytes; "
                "shorten it."
            )


def _cells(
    numbers: Floats, why: Reasons, letters: Sequence[str], storage: str, *, mixed: bool
) -> Any:
    """Return numbers as Polars has them, letters among them where values are missing for a reason.

    Only a mixed column, with letters in its cells or labels, is one of Python's objects: those are
    slow.
    """
    polars = load_extra("polars", "statistics")
    missing = np.isnan(numbers)
    column = pa.array(numbers, mask=missing)
    if storage == "int32":
        column = column.cast(pa.int32())
    if not mixed:
        return polars.from_arrow(column)
    cells = np.array(column.to_pylist(), object)
    cells[why > 0] = np.array(["", *letters], object)[why[why > 0]]
    return polars.Series(cells.tolist(), dtype=polars.Object)
