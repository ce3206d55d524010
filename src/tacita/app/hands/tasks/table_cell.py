"""Everything that the house knows of one cell of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.app.hands.tabled import Tabled, tabled
from tacita.app.hands.work import Work
from tacita.errors import InputError
from tacita.results import show
from tacita.tables.status import Status
from tacita.tables.system import show_bound


def run(work: Work) -> dict[str, Any]:
    """Return what is known of a cell: its value, contributions, levels, and what readers learn."""
    found, row = tabled(work), int(work.arguments["row"])
    table, cells = found.table, found.table.cells
    if not 0 <= row < len(table):
        raise InputError("There is no such cell; load the page again.")
    codes = table.codes_of(row)
    return {
        "row": row,
        "name": table.name_of(row),
        "codes": {
            one.name: code
            for one, code in zip(table.dimensions, codes, strict=True)
            if code != one.total
        },
        "status": Status(int(cells.status[row])).word,
        "reason": str(cells.reason[row]),
        "facts": [[label, text] for label, text in _facts(found, row) if text],
        "largest": _largest(found, row),
    }


def _facts(found: Tabled, row: int) -> list[tuple[str, str]]:
    """Return what is told of a cell, each with what it is called; blank where it is not known."""
    cells, seen = found.table.cells, found.published.cells
    below, above = cells.lower_level[row], cells.upper_level[row]
    must = f"{show(cells.value[row] - below)} to {show(cells.value[row] + above)}"
    facts = [
        ("Shows", _number(cells.shown[row])),
        ("Adds up as", _number(cells.value[row]) if cells.value[row] != cells.shown[row] else ""),
        ("Published", _number(seen.shown[row]) if found.published.perturbed_by else ""),
        ("Records (weighted)", _number(cells.frequency[row])),
        ("Contributors", _number(cells.contributors[row])),
        ("Cost of suppressing it", _number(cells.cost[row])),
        ("Must be possible", must if below > 0 or above > 0 else ""),
        ("Must be uncertain by", _number(cells.sliding_level[row] or np.nan)),
    ]
    if found.intervals is None:
        return facts
    ends = found.intervals.lower[row], found.intervals.upper[row]
    hidden = cells.suppressed[row] or found.published.perturbed_by is not None
    verdict = "protected" if found.intervals.is_protected[row] else "less protected than required"
    if found.intervals.disclosed[row]:
        verdict = "can be worked out exactly"
    return [
        *facts,
        ("A reader can tell", _known(*ends) if hidden else ""),
        ("Verdict", verdict if hidden else ""),
    ]


def _known(lower: float, upper: float) -> str:
    """Return what a reader can tell of a value, in words."""
    if not np.isfinite(lower) and not np.isfinite(upper):
        return "nothing: it has no bound"
    return f"{show_bound(lower)} to {show_bound(upper)}"


def _largest(found: Tabled, row: int) -> list[list[str]]:
    """Return the largest contributions, each with its share of all."""
    cells = found.table.cells
    sizes = [size for size in cells.largest[row].tolist() if size > 0]
    total = cells.total[row]
    return [[show(size), f"{size / total:.1%}" if total > 0 else ""] for size in sizes]


def _number(value: float) -> str:
    return "" if np.isnan(value) else show(float(value))
