"""SAS files (`.sas7bdat`) and SAS transport files (`.xpt`), which are read and not written.

SAS has one type of number. A column is whole numbers if it holds nothing else and its format asks
for no decimals; dates, moments and times of day are told by the format. Special missing values are
kept as `.A` to `.Z` and `._`; of a transport file the library tells only that they are missing.
Empty text is missing.

Value labels lie in a catalog (`.sas7bcat`), which is looked for under the same name beside the
file, or said with `metadata`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacita.data.formats.clock import Clock, Shape
from tacita.data.formats.contents import Contents
from tacita.data.formats.layout import Layout
from tacita.data.formats.readstat import (
    AS_STORED,
    Program,
    contents_of,
    damaged,
    parsed,
)
from tacita.errors import InputError

DATES = (
    *("DATE", "DAY", "WEEKDATE", "WEEKDATX", "WORDDATE", "WORDDATX", "JULIAN", "MONYY", "YYMON"),
    *("YYMM", "MMYY", "YYQ", "E8601DA", "B8601DA", "IS8601DA", "NLDATE"),
    *(f"{order}{sign}" for order in ("MMDDYY", "DDMMYY", "YYMMDD") for sign in ("", *"BCDNPS")),
)
MOMENTS = (
    *("DATETIME", "DATEAMPM", "MDYAMPM", "DTDATE", "DTMONYY", "E8601DT", "B8601DT", "IS8601DT"),
    "NLDATM",
)
TIMES = ("TIME", "TIMEAMPM", "TOD", "HHMM", "MMSS", "E8601TM", "B8601TM", "IS8601TM", "NLTIME")
SHAPES: Mapping[str, Shape] = {
    **dict.fromkeys(DATES, "date"),
    **dict.fromkeys(MOMENTS, "moment"),
    **dict.fromkeys(TIMES, "time"),
}
DISPLAY = re.compile(r"([A-Z_][A-Z0-9_]*?)([0-9]*)(?:\.([0-9]*))?", re.IGNORECASE)
FILE, TRANSPORT = "a SAS file", "a SAS transport file"
CATALOG = ".sas7bcat"
CARD = 80  # bytes of which a transport file has many, filled up with spaces
MEMBER, RECORDS = b"HEADER RECORD*******MEMB", b"HEADER RECORD*******OBS"
COUNT = slice(48, 63)  # where the later transport files have the number of records


def _shape(display: str | None, storage: str) -> Shape:  # noqa: ARG001 - all are doubles
    """Tell from a format what numbers are.

    >>> _shape("DATE9", "double"), _shape("F8.2", "double"), _shape(None, "double")
    ('date', 'number', 'whole')
    """
    found = DISPLAY.fullmatch(display or "")
    if found is None:
        return "whole"
    return SHAPES.get(found[1].upper(), "number" if int(found[3] or 0) else "whole")


SAS = Program(
    "SAS",
    # from 1960 on, in days or seconds; the first year is 1582
    Clock(-3_653, date_unit=86_400_000_000, unit=1_000_000, first=-141_714 * 86_400_000_000),
    _shape,
    DISPLAY,
    largest=float.fromhex("0x1.fffffffffffffp+1023"),
)


def read(path: Path, layout: Layout, text: frozenset[str]) -> Contents:  # noqa: ARG001
    """Read a SAS file, or a transport file if its name ends in `.xpt`.

    Args:
        path: the file.
        layout: its catalog and its encoding, if the file is wrong about it.
        text: means nothing here, where text and numbers are told apart by the file.
    """
    if path.suffix.lower() == ".xpt":
        return _transported(path, layout)
    values, meta = parsed("read_sas7bdat", path, FILE, layout.encoding, **AS_STORED)
    told = _with_labels(path, layout, meta)
    found = contents_of(values, meta, SAS)
    return replace(found, warnings=(*found.warnings, *told))


# --- the catalog


def _with_labels(path: Path, layout: Layout, meta: Any) -> list[str]:
    """Give columns the labels of a catalog, if there is one; return what is to be told of it."""
    catalog = Path(layout.metadata) if layout.metadata else _beside(path)
    if catalog is None:
        return []
    if not catalog.is_file():
        raise InputError(f"There is no catalog {catalog}; correct `metadata` or leave it out.")
    labels = parsed("read_sas7bcat", catalog, "a SAS catalog", layout.encoding)[1].value_labels
    for name, label in meta.variable_to_label.items():
        if label in labels:
            meta.variable_value_labels[name] = labels[label]
    if meta.variable_value_labels:
        return []
    return [f"{catalog.name} labels no column of {path.name}: none has one of its formats."]


def _beside(path: Path) -> Path | None:
    """Find the catalog of the same name beside a file, however its suffix is spelt."""
    same = (entry for entry in path.parent.iterdir() if entry.stem == path.stem)
    return next((entry for entry in same if entry.suffix.lower() == CATALOG), None)


# --- transport files


def _transported(path: Path, layout: Layout) -> Contents:
    _refuse_several(path)
    values, meta = parsed(
        "read_xport", path, TRANSPORT, layout.encoding, disable_datetime_conversion=True
    )
    told = _checked_end(path, meta)
    found = contents_of(values, meta, SAS)
    return replace(found, warnings=(*found.warnings, *told))


def _cards(path: Path) -> bytes:
    """Return the bytes of a transport file; it is whole cards or not whole."""
    cards = path.read_bytes()
    if not cards or len(cards) % CARD:
        raise InputError(damaged(path, TRANSPORT))
    return cards


def _refuse_several(path: Path) -> None:
    """Stop at a file of several data sets: the library takes the others for records."""
    cards = _cards(path)
    first = cards.find(MEMBER)
    if first >= 0 and cards.find(MEMBER, first + CARD) >= 0:
        raise InputError(
            f"{path} holds more than one data set; export the one to be read by itself."
        )


def _checked_end(path: Path, meta: Any) -> list[str]:
    """Refuse a file that ends within a record; return a warning if it could end before its last.

    Only the later transport files say how many records they hold. In the others, spaces up to the
    end of a card show that the last record was written; without any, nothing does.
    """
    length = sum(meta.variable_storage_width.values())
    cards = _cards(path)
    header = cards.find(RECORDS)
    counted = cards[header : header + CARD][COUNT].strip()
    rest = cards[header + CARD + meta.number_rows * length :]
    if rest.strip(b" ") or len(rest) >= CARD:
        raise InputError(damaged(path, TRANSPORT))
    if counted.isdigit() and int(counted):
        if int(counted) != meta.number_rows:
            raise InputError(damaged(path, TRANSPORT))
        return []
    told = (
        f"{path.name} does not say how many records it holds; check that there should be "
        f"{meta.number_rows:,}."
    )
    return [] if rest else [told]
