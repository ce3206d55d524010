"""Text of every kind: plain bytes, JSON, HTML with its comments and scripts, CSV."""

from __future__ import annotations

import base64
import binascii
import csv
import html
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacita.release.red_team.looking import Look, is_data, parts_of

PRINTABLE = re.compile(rb"[\x20-\x7e\xc2-\xf4\x80-\xbf]{6,}")
WIDE = re.compile(rb"(?:[\x20-\x7e]\x00){6,}")  # UTF-16, as PDF and Windows write text
BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")
ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
LAYOUT = re.compile(r"\\[nrtbf]")
TAG = re.compile(r"<[^>]*>")
COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
SCRIPT = re.compile(r"<(?:script|style)\b[^>]*>(.*?)</(?:script|style)>", re.DOTALL | re.IGNORECASE)
FINE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d")
FIELDS = frozenset(
    (
        "format",
        "file",
        "attributes",
        "methods",
        "guarantees",
        "measures",
        "tables",
        "run",
        "payload",
    )
)  # that are named in a finding; the name of another may be a value
LARGE = 1 << 22  # bytes of a file whose plain bytes are looked at in pieces


def look_at_bytes(look: Look, file: Path) -> None:
    """Look at what stands in the bytes of any file, as `strings` shows it."""
    content = file.read_bytes()
    for start in range(0, max(len(content), 1), LARGE):
        piece = content[max(start - 1000, 0) : start + LARGE]
        look.text(file, "its bytes", strings(piece))


def strings(content: bytes) -> str:
    """Return the readable runs of some bytes, one a line."""
    plain = [run.decode("utf-8", "replace") for run in PRINTABLE.findall(content)]
    wide = [run.decode("utf-16-le", "replace") for run in WIDE.findall(content)]
    return "\n".join([*plain, *wide])


def look_at_json(look: Look, file: Path) -> None:
    """Look at every text and number in a JSON file, and at JSON that lies in it in base64."""
    parsed = json.loads(file.read_text(encoding="utf-8"))
    for where, text in leaves(parsed):
        look.text(file, where, text)
        for packed in unpacked(text):
            look.text(file, f"{where}, decoded", packed)
    if file == look.public / "statement.json" and FINE_TIME.search(str(parsed["run"])):
        look.report(file, "run", "it tells a time finer than seconds")


def leaves(parsed: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text, name and number of parsed JSON with the field it stands in."""
    if isinstance(parsed, dict):
        for name, value in parsed.items():
            yield where or "the fields", name
            yield from leaves(value, where or (f"`{name}`" if name in FIELDS else "a field"))
    elif isinstance(parsed, list):
        for value in parsed:
            yield from leaves(value, where)
    elif parsed is not None:
        yield where, str(parsed)


def unpacked(text: str) -> Iterator[str]:
    """Yield the text that lies in base64 in a text."""
    for match in BASE64.findall(text):
        try:
            content = base64.b64decode(match + "=" * (-len(match) % 4))
        except (binascii.Error, ValueError):
            continue
        yield strings(content)


def look_at_html(look: Look, file: Path) -> None:
    """Look at a page as it is shown, at its comments, scripts, attributes and data in base64."""
    text = html.unescape(file.read_text(encoding="utf-8"))
    for where, part in _parts_of_page(text):
        for piece in parts_of(part):
            look.text(file, where, unescaped(piece))
    for packed in unpacked(text):
        look.text(file, "data in base64", packed)


def _parts_of_page(text: str) -> Iterator[tuple[str, str]]:
    yield "a comment", "\n".join(COMMENT.findall(text))
    yield "a script", "\n".join(SCRIPT.findall(text))
    yield "a tag", "\n".join(TAG.findall(text))
    without = SCRIPT.sub(" ", COMMENT.sub(" ", text))
    yield "the text", TAG.sub("", without)  # a value may be cut by tags ...
    yield "the text", TAG.sub("\n", without)  # ... or kept apart from others by them


def unescaped(text: str) -> str:
    """Return the text that escapes of scripts and of JSON stand for."""
    return LAYOUT.sub(" ", ESCAPED.sub(lambda match: chr(int(match[1], 16)), text))


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    """Lift a limit that the whole process shares, for as long as a file is read."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def look_at_csv(look: Look, file: Path) -> None:
    """Look at the cells of the released records; the bytes of tables were looked at already."""
    if not is_data(look, file):
        return
    layout = look.statement["file"]["layout"]
    encoding = layout.get("encoding", "utf-8")
    with _fields_of_any_length(), file.open(encoding=encoding, newline="") as opened:
        rows = csv.reader(opened, delimiter=layout.get("delimiter", ","), strict=True)
        names = next(rows)
        look.header(file, names)
        look.text(file, "the names of columns", "\n".join(names))
        held: list[set[str]] = [set() for _ in names]
        for row in rows:
            if len(row) != len(names):
                look.report(file, "a record", "it has another number of cells than there are names")
            for values, value in zip(held, row, strict=False):
                values.add(value)
    for name, values in zip(names, held, strict=True):
        look.released(
            file, f"cells of column `{name}`" if name in look.columns else "cells", name, values
        )
