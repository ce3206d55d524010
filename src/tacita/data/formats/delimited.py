"""A delimited text before its values are parsed: its bytes, its header, its faults."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tacita.data.formats.names import check_names
from tacita.errors import InputError

Bytes = npt.NDArray[np.uint8]

DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}
BOM = b"\xef\xbb\xbf"
SAMPLE = 2**16  # bytes from which header and delimiter are found out
SAMPLE_RECORDS = 25
MARKS = (b'"', b"+", b"\0")
GLANCE = 2**18  # bytes looked at together: they stay in the second-level cache
CONTROLS = range(0x80, 0xA0)  # unused in Latin-1, typographic quotes and dashes in Windows' own set


@dataclass(frozen=True)
class Source:
    """The text of a file with what is known of it before its values are parsed."""

    path: Path
    data: Bytes  # UTF-8 without byte order mark
    delimiter: str
    names: list[str]
    body: int  # where the records begin
    codes: frozenset[str] = frozenset()  # columns with fields such as 007, +5 or 0x1F
    multiline: bool = False  # is there a line end inside quotes

    @property
    def records(self) -> Bytes:
        """The bytes after the header."""
        return self.data[self.body :]

    @property
    def is_blank(self) -> bool:
        """Is there nothing after the header."""
        start = self.records[:SAMPLE]
        return start.size < SAMPLE and not start.tobytes().strip(b"\r\n")


def open_source(path: Path, delimiter: str | None, encoding: str) -> Source:
    """Load a file, find its header and delimiter, and look at how its fields are written.

    Args:
        path: the file; a name ending in ``.gz`` is unpacked.
        delimiter: what parts the fields; found out when None.
        encoding: how the characters are coded.

    """
    data = _utf8(path, encoding)
    _refuse_nul(path, data[:SAMPLE])
    lines = _first_lines(data)
    if not any(line.strip("\r\n") for line in lines):
        raise InputError(f"{path} has no header; expected the names of the attributes on line 1.")
    chosen = _detected(lines)[0] if delimiter is None else _checked(path, lines, delimiter)
    names, used = _header(path, data, lines, chosen)
    body = len("".join(lines[:used]).encode("utf-8", "surrogateescape"))
    source = Source(path, data, chosen, names, body)
    needs_survey = _has_marks(data[max(body - 1, 0) :], ord(chosen))
    return _surveyed(source) if needs_survey else source


# --- from file to text


def _utf8(path: Path, encoding: str) -> Bytes:
    """Load a file as UTF-8 without byte order mark; a plain UTF-8 file is mapped, not copied."""
    try:
        codec = codecs.lookup(encoding).name
    except LookupError as error:
        message = f"There is no encoding `{encoding}`; try utf-8, latin-1, cp1252 or utf-16."
        raise InputError(message) from error
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty; expected a header with the names of the attributes.")
    raw = _unpacked(path) if path.suffix.lower() == ".gz" else _mapped(path)
    if codec not in {"utf-8", "utf-8-sig"}:
        raw = _recoded(path, raw, codec)
    data: Bytes = np.frombuffer(raw, dtype=np.uint8)
    return data[len(BOM) :] if data[: len(BOM)].tobytes() == BOM else data


def _mapped(path: Path) -> pa.Buffer:
    with pa.memory_map(str(path)) as file:
        return file.read_buffer()


def _unpacked(path: Path) -> bytes:
    try:
        with gzip.open(path) as file:
            return file.read()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(
            f"{path} is not a gzip file, or it is damaged or cut off; pack or copy it again."
        ) from error


def _recoded(path: Path, raw: bytes | pa.Buffer, codec: str) -> bytes:
    try:
        return str(raw, codec).encode()
    except UnicodeDecodeError as error:
        start = bytes(raw[: error.start + 1])
        line, wrong = start.count(b"\n") + 1, start[-1]
        raise InputError(
            f"{path}, line {line}: the byte 0x{wrong:02X} means nothing in the encoding `{codec}`; "
            "give the encoding that the file was written in."
        ) from error


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
    delimiter = "\t" if delimiter == "\\t" else delimiter  # as typed in a shell
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise InputError(f"A delimiter is one ASCII character and no quote; found {delimiter!r}.")
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


def _header(path: Path, data: Bytes, lines: list[str], delimiter: str) -> tuple[list[str], int]:
    """Return the names in the header and the number of lines it takes."""
    records, used = _split(lines, delimiter, 1)
    names = records[0] if records else [""]
    source = Source(path, data, delimiter, names, data.size)
    if not records or (used == len(lines) and '"' in "".join(lines)):
        refuse_structure(source)
    if any(map(_is_broken, names)):
        refuse_encoding(source)
    if all(map(_is_number, names)) and not _counts_up(names):
        raise InputError(
            f"{path} has no header: line 1 holds only numbers ({', '.join(names[:3])}, ...). Put "
            "the names of the attributes on the first line."
        )
    check_names(names, path)
    return names, used


def _is_broken(name: str) -> bool:
    """Tell a name with bytes that are not UTF-8."""
    return any("\ud800" <= character <= "\udfff" for character in name)


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _counts_up(names: list[str]) -> bool:
    """Tell names such as 0, 1, 2 or 2019, 2020 from a record of numbers."""
    if len(names) == 1 or not all(name.isdecimal() for name in names):
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
        part = body[at : at + GLANCE + 2]
        raw = part.tobytes()
        if any(mark in raw for mark in MARKS) or _may_have_zeros(part, delimiter):
            return True
    return False


def _may_have_zeros(part: Bytes, delimiter: int) -> bool:
    """Tell whether a field may begin with 0 and a digit or letter, after a minus and spaces."""
    before, after = part[:-2], part[2:]
    hit = part[1:-1] == ord("0")
    hit &= after >= ord("0")
    if delimiter >= ord("0"):
        hit &= after != delimiter
    hit &= _may_precede(before, delimiter, ord("-"))
    if not hit.any():
        return False
    at = np.flatnonzero(hit)
    inner = at[np.isin(before[at], (ord("-"), ord(" "))) & (at > 0)]  # as in 2020-01-05 00:30
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
    return replace(source, codes=codes, multiline=found.breaks > 0)


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
    return f"line {found.line}, column `{source.names[found.field]}`"
