"""Workbooks: the parts of the package, their properties, sheets, shared strings and notes."""

from __future__ import annotations

import html
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tacita.release.red_team.looking import Look, is_data, parts_of

USUAL_PARTS = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core)\.xml|xl/_rels/workbook\.xml\.rels"
    r"|xl/(workbook|styles|sharedStrings)\.xml|xl/theme/theme1\.xml|xl/worksheets/sheet\d+\.xml"
)
PERSONAL = re.compile(
    r"<(?:\w+:)?(creator|lastModifiedBy|Company|Manager|description|keywords|subject|title|category"
    r"|HyperlinkBase|Template)\b[^>/]*>([^<]+)<"
)
NAMING = frozenset({"title"})  # what the workbook of a table may tell of itself: the table's name
MADE = re.compile(r"<dcterms:(created|modified)[^>]*>([^<]*)<")
CREATED = "2000-01-01T00:00:00Z"  # what the writer gives to equal data
PACKED = (1980, 1, 1), (1980, 1, 31)  # the time of parts that tells nothing
SHEET = re.compile(r"<sheet\b[^>]*>")
HIDDEN = re.compile(
    r'<(?:row|col|sheet)\b[^>]*\b(?:hidden="(?:1|true)"|state="(?:very)?[hH]idden")'
)
STRING = re.compile(r"<si\b[^>]*>(.*?)</si>|<si\s*/>", re.DOTALL)
CELL = re.compile(r'<c r="([A-Z]+)(\d+)"([^>]*?)(?:/>|>(.*?)</c>)', re.DOTALL)
VALUE = re.compile(r"<v>([^<]*)</v>|<t\b[^>]*>([^<]*)</t>")
TEXT = re.compile(r"<t\b[^>]*>([^<]*)</t>")
COMMENT = re.compile(r"<!--.*?-->|<\?(?!xml )", re.DOTALL)


def look_at(look: Look, file: Path) -> None:
    """Look at all parts of a workbook."""
    with zipfile.ZipFile(file) as package:
        _look_at_package(look, file, package)
        parts = {
            info.filename: package.read(info).decode("utf-8", "replace")
            for info in package.infolist()
        }
    for name, text in parts.items():
        for piece in parts_of(html.unescape(text)):
            look.text(file, f"part `{name}`" if USUAL_PARTS.fullmatch(name) else "a part", piece)
        if COMMENT.search(text):
            look.report(file, f"part `{name}`", "it holds a comment of XML")
    _look_at_properties(look, file, parts)
    sheets = {name: text for name, text in parts.items() if "worksheets/" in name}
    _look_at_sheets(look, file, parts, sheets)


def _look_at_package(look: Look, file: Path, package: zipfile.ZipFile) -> None:
    if package.comment:
        look.report(file, "the package", "it carries a comment")
    for info in package.infolist():
        if not USUAL_PARTS.fullmatch(info.filename):
            look.report(file, "the package", "it holds a part that records do not need")
        if info.comment or info.date_time[:3] not in PACKED:
            look.report(file, "the package", "a part carries a comment or a time")


def _look_at_properties(look: Look, file: Path, parts: dict[str, str]) -> None:
    text = parts.get("docProps/core.xml", "") + parts.get("docProps/app.xml", "")
    named = frozenset() if is_data(look, file) else NAMING
    for name in sorted({name for name, _ in PERSONAL.findall(text)} - named):
        look.report(file, f"its property {name}", "it tells who or what made it")
    if is_data(look, file):
        for name, when in MADE.findall(text):
            if when != CREATED:
                look.report(file, f"its property {name}", "it tells when it was made")


def _look_at_sheets(look: Look, file: Path, parts: dict[str, str], sheets: dict[str, str]) -> None:
    book = parts.get("xl/workbook.xml", "")
    texts = [book, *sheets.values()]
    if any(HIDDEN.search(text) for text in texts):
        look.report(file, "the workbook", "it hides a sheet, rows or columns")
    if is_data(look, file):
        if len(SHEET.findall(book)) != 1 or len(sheets) != 1:
            look.report(file, "the workbook", "it has more than the one sheet of the records")
        if "<definedName" in book:
            look.report(file, "the workbook", "it defines names, which records do not need")
    shared = [
        html.unescape("".join(TEXT.findall(each)))
        for each in STRING.findall(parts.get("xl/sharedStrings.xml", ""))
    ]
    used: set[int] = set()
    for text in sheets.values():
        _look_at_cells(look, file, text, shared, used)
    if used != set(range(len(shared))):
        look.report(file, "the shared strings", "they hold a text that no cell uses")


def _look_at_cells(look: Look, file: Path, sheet: str, shared: list[str], used: set[int]) -> None:
    """Look at the cells of a sheet; the first row holds the names."""
    names: dict[str, str] = {}
    held: dict[str, set[str]] = {}
    for letters, number, kind, value in _cells(sheet):
        text = value
        if kind == "s":
            used.add(int(value))
            text = shared[int(value)]
        if number == "1":
            names[letters] = text
        else:
            held.setdefault(letters, set()).add(text)
    if not is_data(look, file):
        return
    look.header(file, [*names.values()])
    for letters, values in held.items():
        if letters not in names:
            look.report(file, f"column {letters}", "it has no name")
        name = names.get(letters, "")
        look.released(file, f"cells of column {letters}", name, values)


def _cells(sheet: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield column, row, type and value of every cell that has a value."""
    for letters, number, attributes, inner in CELL.findall(sheet):
        value = VALUE.search(inner)
        if value:
            kind = re.search(r't="(\w+)"', attributes)
            text = html.unescape(value[1] or value[2] or "")
            yield letters, number, kind[1] if kind else "n", text
