"""The audit: what readers of all tables can work out of every cell that is not shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.app.hands.tabled import released
from tacita.app.hands.work import Work
from tacita.data.classes import Ints
from tacita.release.proof import row_of
from tacita.release.tables import ReleasedTable, ReleasedTables
from tacita.results import counted, show
from tacita.tables.status import Status
from tacita.tables.system import show_bound

MANY = 100  # cells of a page


def run(work: Work) -> dict[str, Any]:
    """Return the verdicts, and some of the hidden cells, those worst protected first."""
    together = released(work)
    one = together.tables[int(work.arguments["place"])]
    rows, first = _hidden(one), max(int(work.arguments["first"]), 0)
    return {
        "safe": one.is_safe,
        "verdicts": [row_of(verdict) for verdict in one.verdicts],
        "told": _told(together),
        "measures": [
            {"name": measured.name, "value": show(measured.value), "sentence": measured.sentence}
            for measured in (*together.measures, *one.measures)
        ],
        "tables": len(together.tables),
        "all": len(rows),
        "first": first,
        "many": MANY,
        "rows": [_row(one, row) for row in rows[first : first + MANY].tolist()],
    }


def _told(together: ReleasedTables) -> list[str]:
    """Return what the audit found, in sentences."""
    how = together.suppression or together.perturbation
    many = counted(together.computable, "hidden cell")
    said = [*repr(how).splitlines()[:1]] if how is not None else []
    said.append(f"A reader of all tables can work out {many} exactly, of {together.suppressed:,}.")
    if together.narrowest is not None:
        said.append(f"The narrowest interval of the others is {show(together.narrowest)} wide.")
    return said


def _hidden(one: ReleasedTable) -> Ints:
    """Return the cells whose value is not shown: those worst protected, then sensitive ones."""
    cells, intervals = one.table.cells, one.intervals
    hidden = np.flatnonzero(cells.suppressed)
    weak = (intervals.disclosed | ~intervals.is_protected)[hidden]
    return hidden[np.lexsort((hidden, ~cells.sensitive[hidden], ~weak))]


def _row(one: ReleasedTable, row: int) -> dict[str, Any]:
    cells, intervals = one.table.cells, one.intervals
    below, above = cells.lower_level[row], cells.upper_level[row]
    verdict = "protected" if intervals.is_protected[row] else "less than required"
    return {
        "row": row,
        "name": one.table.name_of(row),
        "status": Status(int(cells.status[row])).word,
        "value": show(float(cells.value[row])),
        "lower": show_bound(intervals.lower[row]),
        "upper": show_bound(intervals.upper[row]),
        "must": f"{show(cells.value[row] - below)} to {show(cells.value[row] + above)}"
        if below > 0 or above > 0
        else "",
        "verdict": "disclosed" if intervals.disclosed[row] else verdict,
    }
