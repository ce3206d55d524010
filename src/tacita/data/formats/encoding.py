"""How the characters of a text file are coded: byte-order marks, guesses, and the way back."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tacita.data.formats.unpacking import most_unpacked, pieces
from tacita.data.formats.whole_files import file_bytes
from tacita.errors import InputError, OutputError

Bytes = npt.NDArray[np.uint8]

MARKS = {  # a mark of UTF-32 begins with one of UTF-16, so it is tried first
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
LIKELY = [  # of two that fit a text as well, the more common one is meant
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "koi8_r"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1256", "cp850"),
]
SAMPLE = 2**16  # bytes that show how a text is coded
TELLING_LINES = 1000
PROBE = 30 * "A,b\n"  # too long for what codes single names, `idna` for instance


@dataclass(frozen=True)
class Text:
    """The characters of a file, and how they were coded in it."""

    path: Path
    data: Bytes  # UTF-8 without byte-order mark
    encoding: str
    marked: bool = False  # did the file begin with a byte-order mark
    assumed: bool = False  # is UTF-8 only what most files are
    warnings: tuple[str, ...] = ()


# --- from bytes to characters


def decoded(path: Path, encoding: str | None, *, held: int | None = None) -> Text:
    """Load a file as UTF-8; the bytes of one that is plain UTF-8 are taken as they are.

    Args:
        path: the file; a name ending in ``.gz`` is unpacked.
        encoding: how the characters are coded. When it is None, a byte-order mark or the NUL bytes
            of UTF-16 say it, and any other file is assumed to be UTF-8; see ``guessed``.
        held: how many bytes of a file may be held in memory; see ``file_bytes``.

    """
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty; expected a header with the names of the attributes.")
    raw = _unpacked(path) if path.suffix.lower() == ".gz" else file_bytes(path, held=held)
    mark = next((mark for mark in MARKS if bytes(raw[: len(mark)]) == mark), b"")
    if encoding is not None:
        marked = bool(mark) and encoding.startswith(MARKS[mark])
        return Text(path, _utf8(path, raw, encoding), encoding.removesuffix("-sig"), marked)
    if mark:
        return Text(path, _utf8(path, raw, MARKS[mark]), MARKS[mark], marked=True)
    if unmarked := _unmarked_utf16(raw):
        return Text(path, _utf8(path, raw, unmarked), unmarked, warnings=(_guess(unmarked),))
    return Text(path, _utf8(path, raw, "utf-8"), "utf-8", assumed=True)


def _unpacked(path: Path) -> bytearray:
    unpacked = bytearray()
    try:
        with gzip.open(path) as file:
            for piece in pieces(file, path, most_unpacked(path), "unpack it first"):
                unpacked += piece
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(
            f"{path} is not a gzip file, or it is damaged or cut off; pack or copy it again."
        ) from error
    return unpacked


def _utf8(path: Path, raw: bytes | bytearray | pa.Buffer, encoding: str) -> Bytes:
    """Return a file's bytes as UTF-8; bytes that are said to be UTF-8 are taken as they are."""
    if encoding not in {"utf-8", "utf-8-sig"}:
        raw = _recoded(path, raw, encoding)
    data: Bytes = np.frombuffer(raw, dtype=np.uint8)
    start = len(codecs.BOM_UTF8)
    return data[start:] if data[:start].tobytes() == codecs.BOM_UTF8 else data


def _recoded(path: Path, raw: bytes | bytearray | pa.Buffer, encoding: str) -> bytes:
    try:
        return str(raw, encoding).encode()
    except UnicodeDecodeError as error:
        start = bytes(raw[: error.start + 1])
        line, wrong = start.count(b"\n") + 1, start[-1]
        raise InputError(
            f"{path}, line {line}: the byte 0x{wrong:02X} means nothing in the encoding "
            f"`{encoding}`; give the encoding that the file was written in."
        ) from error
    except (UnicodeError, LookupError) as error:  # `base64` is no encoding of characters
        raise InputError(
            f"{path} is no text in the encoding `{encoding}`; give the encoding that the file was "
            "written in."
        ) from error


def _unmarked_utf16(raw: bytes | pa.Buffer) -> str | None:
    """Name the kind of UTF-16 that NUL bytes show: Latin characters have one in every pair."""
    sample: Bytes = np.frombuffer(raw, np.uint8, min(len(raw), SAMPLE) // 2 * 2)
    first, second = (int(np.count_nonzero(sample[half::2] == 0)) for half in (0, 1))
    if 4 * max(first, second) <= len(sample) // 2 or 10 * min(first, second) > first + second:
        return None
    likely = "utf-16-be" if first > second else "utf-16-le"
    return likely if {"\n", "\r"} & set(str(sample.data, likely, "replace")) else None


# --- what a text that is not UTF-8 may be


def guessed(text: Text) -> Text | None:
    """Return a text in its likely encoding, with a warning, if UTF-8 was assumed and is wrong.

    A file of which most is UTF-8 is one that was damaged: another encoding would spoil the rest.
    """
    if not text.assumed or _is_utf8(text.data.data):
        return None
    lines = _telling_lines(text.data)
    if 2 * sum(map(_is_utf8, lines)) >= len(lines):
        return None
    likely = (*_by_likelihood(lines), "cp1252", "latin-1")  # latin-1 has a meaning for every byte
    read = ((encoding, _in_utf8(text.data, encoding)) for encoding in likely)
    encoding, data = next((encoding, data) for encoding, data in read if data is not None)
    return Text(text.path, data, encoding, warnings=(_guess(encoding),))


def _guess(encoding: str) -> str:
    return (
        f"The encoding was guessed to be {encoding}; if letters look wrong, give the `encoding` "
        "that the file was written in."
    )


def _is_utf8(data: bytes | memoryview) -> bool:
    try:
        str(data, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _in_utf8(data: Bytes, encoding: str) -> Bytes | None:
    """Return bytes in another encoding as UTF-8, if all of them mean something in it."""
    try:
        return np.frombuffer(str(data.data, encoding).encode(), np.uint8)
    except UnicodeDecodeError:
        return None


def _telling_lines(data: Bytes) -> list[bytes]:
    """Gather the first lines with bytes that ASCII lacks."""
    with io.BufferedReader(pa.BufferReader(pa.py_buffer(data))) as lines:
        telling = (line[:SAMPLE] for line in lines if not line.isascii())
        return list(islice(telling, TELLING_LINES))


def _by_likelihood(lines: list[bytes]) -> list[str]:
    """List the encodings in which lines make sense, the likeliest first."""
    from charset_normalizer import from_bytes

    words = dict.fromkeys(re.sub(rb'[\t;,."0-9]+', b" ", line) for line in lines)
    merits: dict[str, tuple[float, float]] = {}
    for match in from_bytes(b"\n".join(words)[:SAMPLE], cp_isolation=LIKELY):
        for encoding in match.could_be_from_charset:
            merits.setdefault(encoding, (round(match.chaos, 3), -round(match.coherence, 3)))
    return sorted(filter(merits.__contains__, LIKELY), key=merits.__getitem__)


# --- from characters to bytes


def mark_of(encoding: str) -> bytes:
    """Return what a file in an encoding begins with: a byte-order mark, or nothing.

    Raises:
        OutputError: text cannot be written in it part by part and read back.
    """
    try:
        mark = "".encode(encoding)
        parts = mark + 2 * PROBE.encode(encoding).removeprefix(mark)
        if parts.decode(encoding) == 2 * PROBE:
            return mark
    except (UnicodeError, LookupError):
        pass
    raise OutputError(f"A table cannot be written in the encoding `{encoding}`; choose utf-8.")


def encoded(text: str, encoding: str) -> bytes | None:
    r"""Return characters in an encoding, without byte-order mark; None if some would be lost.

    >>> encoded("Oslo", "utf-16-be"), encoded("Łódź", "cp1252")
    (b'\x00O\x00s\x00l\x00o', None)
    """
    try:
        code = text.encode(encoding)
        is_kept = code.decode(encoding) == text  # Shift-JIS makes a backslash of a yen sign
    except UnicodeError:
        return None
    return code.removeprefix("".encode(encoding)) if is_kept else None
