"""A delimited text before its values are parsed: its header, its fields, its faults."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tacita.data.formats.encoding import Bytes, Text
from tacita.data.formats.names import check_names
from tacita.errors import InputError

DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}
SAMPLE = 2**16  # bytes from which header and delimiter are found out
SAMPLE_RECORDS = 25
DIGITS = 18  # of the longest number that is counted up
MARKS = (b'"', b"+", b"\0")
GLANCE = 2**18  # bytes looked at together: they stay in the second-level cache
CONTROLS = range(0x80, 0xA0)  # unused in Latin-1, typographic quotes and dashes in Windows' own set


@dataclass(frozen=True)
class Source:
    """The text of a file with what is known of it before its values are parsed."""

    text: Text
    delimiter: str
    names: list[str]
    body: int  # where the records begin
    codes: frozenset[str] = frozenset()  # columns with fields such as 007, +5 or 0x1F
    quoted: bool = False  # are there fields in quotes
    multiline: bool = False  # is there a line end inside quotes
    decimal: str = "."

    @property
    def path(self) -> Path:
        """The file."""
        return self.text.path

    @property
    def data(self) -> Bytes:
        """The bytes of the text, header and all."""
        return self.text.data

    @property
    def records(self) -> Bytes:
        """The bytes after the header."""
        return self.data[self.body :]

    @property
    def is_blank(self) -> bool:
        """Is there nothing after the header."""
        start = self.records[:SAMPLE]
        return start.size < SAMPLE and not start.tobytes().strip(b"\r\n")


def open_source(text: Text, delimiter: str | None) -> Source:
    """Find the header and the delimiter of a text, and look at how its fields are written.

    Args:
        text: the text.
        delimiter: what parts the fields; found out when None.

    """
    path, data = text.path, text.data
    _refuse_nul(path, data[:SAMPLE])
    lines = _first_lines(data)
    if not any(line.strip("\r\n") for line in lines):
        raise InputError(f"{path} has no header; expected the names of the attributes on line 1.")
    chosen = _detected(lines)[0] if delimiter is None else _checked(path, lines, delimiter)
    names, used = _header(text, lines, chosen)
    header = "".join(lines[:used])
    body = len(header.encode("utf-8", "surrogateescape"))
    source = Source(text, chosen, names, body, quoted='"' in header)
    needs_survey = _has_marks(data[max(body - 1, 0) :], ord(chosen))
    return _surveyed(source) if needs_survey else source


# --- the first lines


def _refuse_nul(path: Path, data: Bytes) -> None:
    if data.size and data.min() == 0:
        line = np.count_nonzero(data[: data.argmin()] == ord("\n")) + 1
        raise InputError(
            f"{path}, line {line}: found a NUL byte, which no text has. If the file is UTF-16, "
            "give the encoding utf-16; otherwise it is damaged."
        )


def _first_lines(data: Bytes) -> list[str]:
    """Return the first complete lines: enough for header and delimiter, whatever the width."""
    size = SAMPLE
    while True:
        text = data[:size].tobytes().decode("utf-8", "surrogateescape")
        lines = io.StringIO(text, newline="").readlines()
        if size >= data.size:
            return lines
        if len(lines) > SAMPLE_RECORDS:
            return lines[:-1]  # the last one is cut off
        size *= 8


# --- header and delimiter


def _split(
    lines: list[str], delimiter: str, most: int, *, strict: bool = False
) -> tuple[list[list[str]], int]:
    """Split the first records that are not blank, and count the lines they took."""
    reader = csv.reader(lines, delimiter=delimiter, strict=strict)
    found: list[list[str]] = []
    try:
        while len(found) < most:
            if record := next(reader):
                found.append(record)
    except (StopIteration, csv.Error):  # csv.Error: quotes or lengths beyond the rules; told later
        pass
    return found, reader.line_num


def _detected(lines: list[str]) -> tuple[str, int]:
    """Choose the delimiter that splits the header best; return it and the width of the header.

    First it has to split it at all, then leave no quotes in the names, then make all records as
    wide. The quotes of the right delimiter keep to the rules, so others are tried strictly.
    """

    def merit(delimiter: str) -> tuple[bool, bool, bool, int]:
        header, *records = _split(lines, delimiter, SAMPLE_RECORDS, strict=True)[0] or [[""]]
        width = len(header)
        level = all(len(record) == width for record in records)
        return width > 1, '"' not in "".join(header), width > 1 and level, width

    chosen = max(DELIMITERS, key=merit)
    return chosen, merit(chosen)[-1]


def _checked(path: Path, lines: list[str], delimiter: str) -> str:
    """Check a given delimiter against the header."""
    likely, width = _detected(lines)
    header = _split(lines, delimiter, 1)[0]
    if width > 1 and header and len(header[0]) == 1:
        raise InputError(
            f"{path}: wrong delimiter; expected fields parted by {called(delimiter)}, but the "
            f"header has {width} fields parted by {called(likely)}. Give the delimiter "
            f"{likely!r}, or none."
        )
    return delimiter


def called(delimiter: str) -> str:
    """Name a delimiter in words."""
    return DELIMITERS.get(delimiter, repr(delimiter))


def one_line(name: str) -> str:
    r"""Return a name as a sentence can tell it, its line ends spelled out.

    >>> print(one_line("born\nin"))
    born\nin
    """
    return name.replace("\r", "\\r").replace("\n", "\\n")


def _header(text: Text, lines: list[str], delimiter: str) -> tuple[list[str], int]:
    """Return the names in the header and the number of lines it takes."""
    path = text.path
    records, used = _split(lines, delimiter, 1)
    names = records[0] if records else [""]
    source = Source(text, delimiter, names, text.data.size)
    if not records or (used == len(lines) and '"' in "".join(lines)):
        refuse_structure(source)
    if any(map(_is_broken, names)):
        refuse_encoding(source)
    told = list(map(one_line, names))
    if all(map(_is_number, names)) and not _counts_up(names):
        raise InputError(
            f"{path} has no header: line 1 holds only numbers ({', '.join(told[:3])}, ...). Put "
            "the names of the attributes on the first line."
        )
    check_names(told, path)
    return names, used


def _is_broken(name: str) -> bool:
    """Tell a name with bytes that are not UTF-8."""
    return any("\ud800" <= character <= "\udfff" for character in name)


def _is_number(name: str) -> bool:
    try:
        float(name.replace(",", ".", 1))
    except ValueError:
        return False
    return True


def _counts_up(names: list[str]) -> bool:
    """Tell names such as 0, 1, 2 or 2019, 2020 from a record of numbers."""
    if len(names) == 1 or not all(name.isdecimal() and len(name) <= DIGITS for name in names):
        return False
    numbers = [int(name) for name in names]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


# --- a look at the bytes


def _has_marks(body: Bytes, delimiter: int) -> bool:
    """Tell whether there are quotes, plus signs, NUL bytes or maybe leading zeros.

    A parser reads ``01234`` as 1234, and takes all that follows an unclosed quote for one field.
    One look over all bytes at a few GB/s tells whether that can have happened; only then the exact
    (and slower) survey says where. The first byte is the one before the first record.
    """
    for at in range(0, body.size, GLANCE):
        # A part begins with a byte that the one before has looked at: what stands before a minus
        # tells a date from a number.
        known = min(at, 1)
        part = body[at - known : at + GLANCE + 2]
        raw = part.tobytes()
        if any(mark in raw for mark in MARKS) or _may_have_zeros(part, delimiter, known):
            return True
    return False


def _may_have_zeros(part: Bytes, delimiter: int, known: int) -> bool:
    """Tell whether a field may begin with 0 and a digit or letter, after a minus and spaces."""
    before, after = part[:-2], part[2:]
    hit = part[1:-1] == ord("0")
    hit[:known] = False
    hit &= after >= ord("0")
    if delimiter >= ord("0"):
        hit &= after != delimiter
    hit &= _may_precede(before, delimiter, ord("-"))
    if not hit.any():
        return False
    at = np.flatnonzero(hit)
    signs = before[at]
    inner = at[((signs == ord("-")) | (signs == ord(" "))) & (at > 0)]  # as in 2020-01-05 00:30
    return at.size > inner.size or bool(_may_precede(part[inner - 1], delimiter).any())


def _may_precede(byte: Bytes, delimiter: int, highest: int = ord(",")) -> npt.NDArray[np.bool_]:
    """Tell bytes that can stand before a number: a delimiter, line end, quote or space."""
    low = byte <= highest
    return low if delimiter <= highest else low | (byte == delimiter)


def _surveyed(source: Source) -> Source:
    """Walk over all records: stop at a fault, or note what the parser has to know."""
    from tacita.kernels.scanning import survey

    _refuse_nul(source.path, source.data)
    found = survey(source.records, ord(source.delimiter), len(source.names))
    if found.unclosed or found.ragged:
        refuse_structure(source)
    codes = frozenset(compress(source.names, found.codes))
    quoted = source.quoted or found.quoted > 0
    return replace(source, codes=codes, quoted=quoted, multiline=found.breaks > 0)


# --- what is wrong, and where


def refuse_structure(source: Source, cause: Exception | None = None) -> None:
    """Stop at an unclosed quote or a record of the wrong width, if there is one."""
    from tacita.kernels.scanning import survey

    found = survey(source.data, ord(source.delimiter), len(source.names))
    if found.unclosed:
        raise InputError(
            f"{source.path}, line {found.unclosed}: a quote is opened and never closed; close it, "
            "or double a quote that belongs to the text."
        ) from cause
    if found.ragged:
        told = _ragged(source, found.ragged, found.ragged_end, found.ragged_fields)
        raise InputError(told) from cause


def _ragged(source: Source, line: int, end: int, fields: int) -> str:
    expected = f"{len(source.names)} field{'s' * (len(source.names) != 1)}"
    hint = f" It runs to line {end}, so a quote may be missing." if end > line else ""
    return (
        f"{source.path}, line {line}: expected {expected} as in the header, found {fields}.{hint} "
        f"Correct the line, or put quotes around text with {called(source.delimiter)} in it."
    )


def refuse_encoding(source: Source, cause: Exception | None = None) -> None:
    """Stop at the first byte that is not UTF-8, if there is one."""
    try:
        str(source.data.data, "utf-8")
    except UnicodeDecodeError as error:
        wrong = int(source.data[error.start])
        likely = "cp1252" if wrong in CONTROLS else "latin-1"
        raise InputError(
            f"{source.path}, {_place(source, error.start)}: the byte 0x{wrong:02X} is not UTF-8. "
            f"If the file was written on an older system, give the encoding {likely}."
        ) from (cause or error)


def _place(source: Source, offset: int) -> str:
    """Name the line and the column of a byte."""
    from tacita.kernels.scanning import survey

    found = survey(source.data[: offset + 1], ord(source.delimiter), len(source.names))
    if offset < source.body or found.field >= len(source.names):
        return f"line {found.line}, column {found.field + 1}"
    return f"line {found.line}, column `{one_line(source.names[found.field])}`"
