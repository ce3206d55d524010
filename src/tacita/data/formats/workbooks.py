"""Workbooks before they are opened: what would fill the memory is refused.

A library keeps a sheet as a rectangle from its first cell to its last, and makes room for as many
texts as a file says it has. Two cells far apart, or a number that lies, would take all memory there
is and end the process, so that what is in the archive is looked through first.
"""

from __future__ import annotations

import re
import sys
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

import numpy as np

from tacita.data.formats.unpacking import most_unpacked, pieces
from tacita.errors import InputError

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
          expat.ExpatError)  # fmt: skip
FAR = re.compile(rb"""<(?:\w+:)?c\s[^>]*?r\s*=\s*["'](?:[A-Za-z]{4}|[A-Za-z]+\d{8})""")
TEXTS = re.compile(rb"""<(?:\w+:)?sst\s([^>]*)>""")
COUNTED = re.compile(rb"""[cC]ount=["'](\d+)["']""")
MOST_CELLS = 2**26  # of a rectangle that may be as empty as it likes
FULL = 100  # of so many cells of a larger one, one must be there
LONGEST = 2**18  # bytes of one shared text; Excel's cells hold 32,767 characters
MOST_READ = 18  # digits of a number
ODS = "content.xml"


def refuse_traps(path: Path) -> None:
    """Refuse a workbook that would fill the memory; what is broken is for its reader to tell.

    Raises:
        InputError: it unpacks to far too much, or says that it has far more cells than it has.
    """
    left = most_unpacked(path)
    with suppress(*BROKEN), zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            # What a directory says of sizes and sums need not be true: all there is is looked at.
            entry.file_size = sys.maxsize
            del entry.CRC
            left -= _looked_through(archive, entry, path, left)


def _looked_through(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, most: int) -> int:
    """Refuse a part of a workbook that claims too much; return its size.

    What stands before the place where a part is broken counts, and so do the parts that follow.
    """
    seen = _Rows() if entry.filename == ODS else _Part()
    size = 0
    with suppress(*BROKEN), archive.open(entry) as file:
        for piece in pieces(file, path, most, "save it as CSV or Parquet"):
            size += len(piece)
            seen.take(piece)
    if seen.claims(size):
        raise InputError(
            f"{path} has few cells and room for so many that they would fill the memory: clear "
            "what lies far from the table (the last cell is where Ctrl+End goes), or save it as "
            "CSV."
        )
    return size


class _Part:
    """What a part of an Excel workbook says of cells and texts."""

    def __init__(self) -> None:
        self._rest = b""
        self._columns: list[tuple[int, int]] = []  # the first and the last of every piece
        self._rows: list[tuple[int, int]] = []
        self._cells = 0
        self._texts = 0
        self._shared = self._overlong = self._far = False

    def take(self, piece: bytes) -> None:
        """Look at the next bytes; a tag that is cut waits for its end."""
        whole, tag, rest = (self._rest + piece).rpartition(b"<")
        self._overlong |= self._shared and len(rest) > LONGEST
        self._rest = (tag + rest)[: 2 * LONGEST]
        self._look(whole)

    def _look(self, text: bytes) -> None:
        from tacita.kernels.cell_names import extent

        for said in TEXTS.findall(text) if b"sst" in text else ():
            self._shared = True
            self._texts = max(self._texts, *map(_number, COUNTED.findall(said)), 0)
        if self._shared:
            self._overlong |= max(map(len, text.split(b"<"))) > LONGEST
        seen = extent(np.frombuffer(text, np.uint8))
        if seen.far:  # cells, or texts that only look like their names
            self._far |= FAR.search(text) is not None
        if seen.cells:
            self._cells += seen.cells
            self._columns.append(seen.columns)
            self._rows.append(seen.rows)

    def claims(self, size: int) -> bool:
        """Tell whether the part claims far more than it holds, of so many bytes."""
        self._look(self._rest)
        if self._texts > size or self._overlong or self._far:
            return True
        area = _length(self._columns) * _length(self._rows)
        return area > max(MOST_CELLS, FULL * self._cells)


def _number(digits: bytes | str) -> int:
    """Return a whole number, or where it is too long to be one a part of it, which is large."""
    return int(digits[:MOST_READ]) if digits.isdigit() else 1


def _length(ends: list[tuple[int, int]]) -> int:
    """Return how many places lie between the first and the last end, with both."""
    return max(last for _, last in ends) - min(first for first, _ in ends) + 1 if ends else 0


@dataclass
class _Row:
    """A row of an OpenDocument sheet: how often it comes, and its cells with something in them."""

    times: int
    cells: int = 0


class _Rows:
    """What an OpenDocument sheet says of its cells; those that come again are said once."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._row = _Row(0)
        self._most = 0

    def take(self, piece: bytes) -> None:
        """Look at the next bytes."""
        self._parser.Parse(piece, False)

    def claims(self, size: int) -> bool:
        """Tell whether the sheet claims far more than it holds, of so many bytes."""
        return self._most > max(MOST_CELLS, FULL * size)

    def _begin(self, name: str, said: dict[str, str]) -> None:
        word = name.rpartition(":")[2]
        if word == "table-row":
            self._row = _Row(_number(said.get("table:number-rows-repeated", "1")))
        elif word == "table-cell" and _is_filled(said):
            self._row.cells += _number(said.get("table:number-columns-repeated", "1"))

    def _end(self, name: str) -> None:
        if name.rpartition(":")[2] == "table-row":
            self._most += self._row.times * self._row.cells


def _is_filled(said: dict[str, str]) -> bool:
    """Tell whether a cell has a value; blank ones fill every sheet to its end."""
    return any(name.endswith("value-type") for name in said)
