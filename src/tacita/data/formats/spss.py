"""SPSS files (`.sav`, and `.zsav`, which is packed): values, labels and declared missing values.

A column is whole numbers if it is shown without decimals or its codes are labelled, and holds
nothing else. Dates, moments and times of day are told by their display format; where a number is
none of these (a duration beyond a day), the column stays numbers. Empty text is missing.

What is written reads back as it was, with these rules:

- true and false become 1 and 0 with the labels `true` and `false`;
- a code of a missing value is put back in its place. Codes of other programs (`.a`), and codes that
  a value has meanwhile, get new numbers below all values, -1, -2 and so on, and keep their labels;
- SPSS declares three values missing at most, or a range: more than three become a range;
- in a column of text, which numbers may become by masking, a code is written as text (`9`, `.a`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind
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
    is_text,
    kept_display,
    labels_of,
    numbers_of,
    parsed,
    refuse_long,
    refuse_padded,
    save,
    shape_of,
    texts_of,
    why_missing,
)
from tacita.errors import OutputError, load_extra

Range = tuple[float, float]

SHAPES: Mapping[str, Shape] = {
    **dict.fromkeys(("DATE", "ADATE", "EDATE", "JDATE", "SDATE", "QYR", "MOYR", "WKYR"), "date"),
    **dict.fromkeys(("DATETIME", "YMDHMS"), "moment"),
    **dict.fromkeys(("TIME", "DTIME", "MTIME"), "time"),
}
DISPLAY = re.compile(
    rf"(F|COMMA|DOT|DOLLAR|PCT|E|N|WKDAY|MONTH|CC[A-E]|{'|'.join(SHAPES)})([0-9]+)(?:\.([0-9]+))?"
)
DEFAULTS: Mapping[Shape, str] = {
    "date": "DATE11",
    "moment": "DATETIME20",
    "time": "TIME8",
    "number": "F8.2",
}
MEASURES = {
    Kind.NOMINAL: "nominal",
    Kind.ORDINAL: "ordinal",
    Kind.CONTINUOUS: "scale",
    Kind.DATE: "scale",
}
USUAL_WIDTH = 8  # columns of the screen
NAME = re.compile(r"[^\W\d_][\w.$#@]*(?<!\.)")
RESERVED = {*("ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH")}
NAME_BYTES, TEXT_BYTES, CODE_BYTES, LABEL_BYTES, VALUE_LABEL_BYTES = 64, 32_767, 8, 256, 120
MOST_SINGLE = 3  # values that can be declared missing one by one
CASES, CREATED = slice(80, 84), 92  # where the header has the number of records and the time
NO_TIME = b"01 Jan 7000:00:00"


def _shape(display: str | None, storage: str) -> Shape:  # noqa: ARG001 - all are doubles
    """Tell from a display format what numbers are.

    >>> _shape("F8.0", "double"), _shape("F8.2", "double"), _shape("ADATE10", "double")
    ('whole', 'number', 'date')
    """
    found = DISPLAY.fullmatch(display or "")
    if found is None or found[1] == "E":
        return "number"
    return SHAPES.get(found[1], "number" if int(found[3] or 0) else "whole")


SPSS = Program(
    "SPSS",
    # from 14 October 1582 on, in seconds
    Clock(-141_428, date_unit=1_000_000, unit=1_000_000, first=-141_427 * 86_400_000_000),
    _shape,
    DISPLAY,
    largest=float.fromhex("0x1.ffffffffffffdp+1023"),  # the next two mean something
)


def read(path: Path, layout: Layout, text: frozenset[str]) -> Contents:  # noqa: ARG001
    """Read an SPSS file.

    Args:
        path: the file.
        layout: its encoding, if the file is wrong about it.
        text: means nothing here, where text and numbers are told apart by the file.
    """
    values, meta = parsed("read_sav", path, "an SPSS file", layout.encoding, **AS_STORED)
    properties = {name: _properties(name, meta) for name in meta.column_names}
    found = contents_of(values, meta, SPSS, properties)
    return found if _says_its_size(path) else _warned(found, path)


def _properties(name: str, meta: Any) -> dict[str, Any]:
    """Return measurement level and width on screen, where they are not what is usual."""
    said = {"measure": meta.variable_measure[name], "width": meta.variable_display_width[name]}
    usual = {"measure": ("unknown", "undetermined"), "width": (0, USUAL_WIDTH)}
    return {word: value for word, value in said.items() if value not in usual[word]}


def _says_its_size(path: Path) -> bool:
    """Tell whether the header gives the number of records; else a cut cannot be noticed."""
    with path.open("rb") as file:
        return file.read(CASES.stop)[CASES] != b"\xff" * 4


def _warned(contents: Contents, path: Path) -> Contents:
    told = (
        f"{path.name} does not say how many records it holds; check that there should be "
        f"{contents.table.num_rows:,}."
    )
    return replace(contents, warnings=(*contents.warnings, told))


# --- writing


class _Variable(NamedTuple):
    """A column as SPSS has it.

    Args:
        cells: its values, codes of missing ones included; nothing said of a blank.
        labels: what values stand for.
        missing: which values are declared missing, singly or as a range.
        display: how it is shown; text has no choice.
    """

    cells: pa.Array
    labels: dict[Code, str]
    missing: list[Any]
    display: str | None


def write(contents: Contents, path: Path, layout: Layout) -> None:  # noqa: ARG001
    """Write an SPSS file; equal contents give equal bytes.

    The rules of the module's description hold. What SPSS cannot hold is refused: names that are
    none in SPSS, whole numbers that a double skips, dates before 15 October 1582, moments finer
    than its seconds can say, empty text, text that ends in a space or has more than 32,767 bytes.

    Args:
        contents: what to write.
        path: the file; a name ending in `.zsav` is packed. One that exists is replaced.
        layout: means nothing here.
    """
    _refuse_names(contents.table.column_names)
    variables = {name: _variable(name, cells, contents) for name, cells in columns_of(contents)}
    meanings = {name: contents.meaning(name) for name in variables}
    polars, packed = load_extra("polars", "statistics"), path.suffix.lower() == ".zsav"
    with atomic_file(path) as temporary:
        save(
            "write_sav",
            polars.DataFrame({name: polars.from_arrow(v.cells) for name, v in variables.items()}),
            temporary,
            compress=packed,
            row_compress=not packed,
            column_labels={name: meaning.label for name, meaning in meanings.items()},
            variable_value_labels={name: v.labels for name, v in variables.items() if v.labels},
            missing_ranges={name: v.missing for name, v in variables.items() if v.missing},
            variable_format={name: v.display for name, v in variables.items() if v.display},
            variable_measure={name: _measure(name, contents) for name in variables},
            variable_display_width={
                name: meaning.properties.get("width", USUAL_WIDTH)
                for name, meaning in meanings.items()
            },
        )
        _forget_time(temporary)


def _forget_time(path: Path) -> None:
    """Put a fixed time of creation in place of the clock's, so that equal data give equal bytes."""
    with path.open("r+b") as file:
        file.seek(CREATED)
        file.write(NO_TIME)


def _refuse_names(names: Sequence[str]) -> None:
    """Stop at names that SPSS would not take, or takes for one."""
    seen: dict[str, str] = {}
    for name in names:
        if not NAME.fullmatch(name) or name.upper() in RESERVED or len(name.encode()) > NAME_BYTES:
            raise OutputError(
                f"`{name}` is no name of a variable in SPSS: expected a letter, then letters, "
                f"digits, `_ . $ # @`, up to {NAME_BYTES} bytes, and no reserved word. Rename it."
            )
        if (other := seen.setdefault(name.lower(), name)) != name:
            raise OutputError(f"SPSS takes `{other}` and `{name}` for one name; rename one.")


def _measure(name: str, contents: Contents) -> str:
    """Return the measurement level: what the file said, else what the attribute's kind means."""
    said = contents.said.get(name)
    usual = MEASURES.get(said.kind, "unknown") if said and said.kind else "unknown"
    return str(contents.meaning(name).properties.get("measure", usual))


def _variable(name: str, column: pa.Array, contents: Contents) -> _Variable:
    meaning, why = contents.meaning(name), why_missing(name, column, contents)
    labels = labels_of(column, meaning)
    refuse_long(name, [meaning.label or ""], "a label", LABEL_BYTES, SPSS)
    refuse_long(name, labels.values(), "a label of a value", VALUE_LABEL_BYTES, SPSS)
    if is_text(column):
        return _text_variable(name, column, replace(meaning, value_labels=labels), why)
    return _numeric_variable(name, column, replace(meaning, value_labels=labels), why)


def _numeric_variable(name: str, column: pa.Array, meaning: Meaning, why: Reasons) -> _Variable:
    shape = shape_of(name, column, SPSS)
    numbers = numbers_of(name, column, shape, SPSS)
    coded, ranges = _numeric_codes(name, numbers[~np.isnan(numbers)], meaning)
    labels = {coded.get(code, code): text for code, text in meaning.value_labels.items()}
    if wrong := [code for code in labels if isinstance(code, str)]:
        raise OutputError(f"Column `{name}` holds numbers and labels {wrong[0]!r}; unlabel it.")
    codes = np.array([np.nan, *(coded[code] for code in meaning.missing_codes)])
    cells = np.where(why > 0, codes[why], numbers)
    return _Variable(
        pa.array(cells, mask=np.isnan(cells)),
        labels,
        [{"lo": low, "hi": high} for low, high in ranges],
        kept_display(meaning, shape, "double", numbers, SPSS) or _default(shape, cells),
    )


def _default(shape: Shape, cells: Floats) -> str:
    """Return a display format; whole numbers get all the room they need."""
    if shape != "whole":
        return DEFAULTS[shape]
    largest = np.nanmax(np.abs(cells), initial=0)
    return f"F{max(USUAL_WIDTH, len(str(int(largest))) + 1)}.0"


def _numeric_codes(
    name: str, known: Floats, meaning: Meaning
) -> tuple[dict[Code, float], list[Range]]:
    """Choose the numbers of missing codes, and how to declare them."""
    codes = meaning.missing_codes
    if not any(isinstance(code, str) for code in codes):
        same = {code: float(code) for code in codes}
        ranges = _ranges(list(same.values()), meaning.missing_ranges)
        if not any(((known >= low) & (known <= high)).any() for low, high in ranges):
            return same, ranges
    taken = [0.0, *(float(code) for code in meaning.value_labels if not isinstance(code, str))]
    lowest = float(np.floor(min(known.min(initial=0.0), *taken)))
    if lowest - len(codes) <= -(2**53):
        raise OutputError(f"Column `{name}` leaves no numbers for its missing codes; drop them.")
    fresh = {code: lowest - place for place, code in enumerate(codes, start=1)}
    return fresh, _ranges(list(fresh.values()), ())


def _ranges(codes: Sequence[float], declared: Sequence[Range]) -> list[Range]:
    """Declare codes missing: as they were, one by one, or all from the least to the greatest."""
    single = [code for code in codes if not any(low <= code <= high for low, high in declared)]
    room = MOST_SINGLE - 2 * len(declared)  # a range takes the place of two
    if len(single) <= room:
        return [*declared, *((code, code) for code in single)]
    bounds = [*codes, *(bound for each in declared for bound in each)]
    return [(min(bounds), max(bounds))]


def _text_variable(name: str, column: pa.Array, meaning: Meaning, why: Reasons) -> _Variable:
    texts = texts_of(name, column, SPSS, longest=TEXT_BYTES)
    refuse_padded(name, texts, SPSS)
    used = sorted({*why.tolist()} - {0})
    codes = [_as_text(code) for code in meaning.missing_codes]
    missing = codes if len(codes) <= MOST_SINGLE else [codes[place - 1] for place in used]
    _refuse_text_codes(name, texts, missing)
    restored = pa.array(codes, pa.large_string()).take(pa.array(why - 1, mask=why == 0))
    labels: dict[Code, str] = {_as_text(code): text for code, text in meaning.value_labels.items()}
    cells = pc.coalesce(texts, restored)
    _refuse_wide_labels(name, cells, labels)
    return _Variable(cells, labels, missing, None)


def _refuse_wide_labels(name: str, cells: pa.Array, labels: Mapping[Code, str]) -> None:
    """Stop at labelled text wider than the column, whose width the library has in characters."""
    widest = max(
        pc.max(pc.binary_length(cells)).as_py() or 1, *(len(str(key)) for key in labels), 1
    )
    for key in labels:
        if len(str(key).encode()) > widest:
            raise OutputError(
                f"Column `{name}` labels {key!r}, which is longer than all its values; "
                "leave the label out."
            )


def _as_text(code: Code) -> str:
    return code if isinstance(code, str) else f"{code:.17g}"


def _refuse_text_codes(name: str, texts: pa.Array, codes: Sequence[str]) -> None:
    """Stop at codes that SPSS cannot declare missing in text."""
    if len(codes) > MOST_SINGLE:
        raise OutputError(
            f"Column `{name}` is text and says in {len(codes)} ways why values are missing; SPSS "
            f"has room for {MOST_SINGLE}. Write Parquet, or make fewer of them."
        )
    for code in codes:
        if len(code.encode()) > CODE_BYTES or pc.index(texts, code).as_py() >= 0:
            raise OutputError(
                f"Column `{name}` is text and its missing code {code!r} is longer than "
                f"{CODE_BYTES} bytes or also a value, which SPSS cannot tell apart; recode it."
            )
