"""PDF: document information, metadata, text as glyphs, and everything that is packed."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from tacita.release.red_team.looking import Look
from tacita.release.red_team.texts import strings

OBJECT = re.compile(rb"(\d+) 0 obj\b(.*?)endobj", re.DOTALL)
STREAM = re.compile(rb"stream\r?\n(.*)endstream", re.DOTALL)
INFORMATION = re.compile(
    rb"/(Author|Creator|Producer|CreationDate|ModDate)\s*\(((?:\\.|[^\\)])*)\)"
)
USUAL = {b"Author": rb"Tacita", b"Creator": rb"Typst [\d.]+", b"Producer": rb"Typst [\d.]+"}
ACTIVE = re.compile(rb"/(EmbeddedFiles?|JavaScript|JS|Launch|Annot)\b(?! *\[\])")
TOLD_BY_XMP = re.compile(rb"<xmp:(CreateDate|ModifyDate|MetadataDate)>")
FONT = re.compile(rb"/(\w+) (\d+) 0 R")
FONTS = re.compile(rb"/Font\s*<<(.*?)>>", re.DOTALL)
TO_UNICODE = re.compile(rb"/ToUnicode (\d+) 0 R")
CHARACTER = re.compile(rb"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>")
RANGE = re.compile(rb"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>")
RANGES = re.compile(rb"beginbfrange(.*?)endbfrange", re.DOTALL)
CHARACTERS = re.compile(rb"beginbfchar(.*?)endbfchar", re.DOTALL)
SHOWN = re.compile(
    rb"/(\w+) [\d.]+ Tf|\(((?:\\.|[^\\)])*)\)|<([0-9a-fA-F]+)>(?!>)|(T[jJ*]|ET)", re.DOTALL
)
ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
CONTROL = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
WIDE_MARK = b"\xfe\xff"

Glyphs = dict[int, str]


def look_at(look: Look, file: Path) -> None:
    """Look at all of a PDF file."""
    content = file.read_bytes()
    objects = {int(number): body for number, body in OBJECT.findall(content)}
    streams = {number: unpacked(body) for number, body in objects.items()}
    for packed in streams.values():
        look.text(file, "a packed part", strings(packed))
    plain = b"\n".join(STREAM.sub(b"", body) for body in objects.values())
    look.text(file, "its document information", "\n".join(literals(plain)))
    shown = text_of(objects, streams)
    look.text(file, "the text", shown)
    look.text(file, "the text", shown.replace("\n", ""))  # figures set letter by letter
    _look_at_information(look, file, content + b"\n".join(streams.values()))


def _look_at_information(look: Look, file: Path, content: bytes) -> None:
    for name, value in INFORMATION.findall(content):
        if not re.fullmatch(USUAL.get(name, b"(?!)"), value):
            look.report(file, f"its {name.decode()}", "it tells who, where or when")
    if TOLD_BY_XMP.search(content):
        look.report(file, "its metadata", "they tell when it was made")
    if ACTIVE.search(content):
        look.report(file, "the file", "it holds an attachment, a script or a note")


def unpacked(body: bytes) -> bytes:
    """Return the stream of an object, unpacked; nothing where it has none."""
    match = STREAM.search(body)
    if match is None:
        return b""
    if b"FlateDecode" not in body[: match.start()]:
        return match[1]
    return zlib.decompressobj().decompress(match[1])


def literals(content: bytes) -> Iterator[str]:
    """Yield the texts that stand in parentheses or as hexadecimal digits."""
    for match in SHOWN.finditer(content):
        raw = _raw(match[2], match[3])
        if raw.startswith(WIDE_MARK):
            yield raw[2:].decode("utf-16-be", "replace")
        elif raw:
            yield raw.decode("utf-8", "replace")


def _raw(literal: bytes | None, digits: bytes | None) -> bytes:
    if digits:
        return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
    return ESCAPE.sub(_unescaped, literal or b"")


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if code[0] in b"01234567":
        return bytes([int(code, 8) & 255])
    return CONTROL.get(code, code)


def text_of(objects: dict[int, bytes], streams: dict[int, bytes]) -> str:
    """Return the text that pages show: glyphs, read by the tables that fonts carry for it."""
    fonts: dict[bytes, Glyphs] = {}
    for body in objects.values():
        for listed in FONTS.findall(body):
            for name, number in FONT.findall(listed):
                told = TO_UNICODE.search(objects.get(int(number), b""))
                fonts[name] = glyphs(streams.get(int(told[1]), b"")) if told else {}
    pages = (stream for stream in streams.values() if b" Tf" in stream)
    return "\n".join(_shown(page, fonts) for page in pages)


def _shown(page: bytes, fonts: dict[bytes, Glyphs]) -> str:
    known: Glyphs = {}
    shown: list[str] = []
    for match in SHOWN.finditer(page):
        if match[1]:
            known = fonts.get(match[1], {})
        elif match[4]:
            shown.append("\n")
        else:
            raw = _raw(match[2], match[3])
            pairs = (int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2))
            shown.extend(known.get(glyph, " ") for glyph in pairs)
    return "".join(shown)


def glyphs(table: bytes) -> Glyphs:
    """Return which text every glyph of a font stands for.

    >>> glyphs(b"1 beginbfchar <0001> <0041> endbfchar 1 beginbfrange <05> <06> <0061> endbfrange")
    {1: 'A', 5: 'a', 6: 'b'}
    """
    known: Glyphs = {}
    for block in CHARACTERS.findall(table):
        known |= {int(code, 16): _wide(to) for code, to in CHARACTER.findall(block)}
    for block in RANGES.findall(table):
        for first, last, to in RANGE.findall(block):
            begin = int(first, 16)
            codes = range(begin, int(last, 16) + 1)
            known |= {code: chr(int(to, 16) + code - begin) for code in codes}
    return known


def _wide(digits: bytes) -> str:
    return bytes.fromhex(digits.decode()).decode("utf-16-be", "replace")
