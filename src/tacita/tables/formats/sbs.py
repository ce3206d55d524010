"""Tables for transmission to Eurostat (structural business statistics), as tau-ARGUS writes them.

::

    "Total","North",4373664,11395,V
    "2","North",5,1,B,100
    "2","South",7,2,A

The codes, the value, the number of contributors, and a flag: `A` too few contributors, `B` one
contributor dominates, `C` two contributors dominate, `D` secondary, `V` safe. After `B` and `C`
comes the share of the largest, or of the two largest, in percent. A cell that a rule other than the
minimum frequency calls sensitive gets `B` when its largest contribution is more than half of it or
there is no other, and `C` if not. Only cells with contributors are listed. Newer files have `F` for
the p%-rule, and after it the shares of both; it is read, too.

The transmission is confidential and carries the values of suppressed cells, which Eurostat needs
for its own totals; for any other use let them be blank, and know that the flags still tell why.
Whether a safe cell must be published is not told by the format.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from tacita.data.classes import Floats, Mask
from tacita.tables.cells import Cells
from tacita.tables.formats.attributes import Hierarchies, Missing, Spans, Totals
from tacita.tables.formats.listing import (
    CODE,
    STATUS,
    UNUSED,
    Listing,
    Meaning,
    Row,
    Spanning,
    code_columns,
    lines_text,
    number_column,
    refuse_unlisted,
    rows_of,
)
from tacita.tables.formats.text import refusal, write_texts
from tacita.tables.status import Status
from tacita.tables.table import Table

Suppressed = Literal["shown", "blank"]

SEPARATOR = ","
FREQUENCY = "minimum_frequency"
MEANINGS = {
    "A": Meaning(Status.SENSITIVE, FREQUENCY),
    "B": Meaning(Status.SENSITIVE, "dominance"),
    "C": Meaning(Status.SENSITIVE, "dominance"),
    "D": Meaning(Status.SECONDARY),
    "F": Meaning(Status.SENSITIVE, "p_percent"),
    "V": Meaning(Status.SAFE),
}
ALONE, TWO = 1, 2
P_PERCENT = "F"


def read(
    path: Path,
    *,
    by: Spanning | None = None,
    hierarchies: Hierarchies | None = None,
    totals: Totals | None = None,
    missing: Missing | None = None,
) -> Table:
    """Read a table from an `.sbs` file.

    Args:
        path: the file.
        by: as in `code_value`.
        hierarchies: likewise.
        totals: likewise.
        missing: likewise.

    Raises:
        InputError: a line cannot be understood.
    """
    path = Path(path)
    rows = [_with_share(path, row) for row in rows_of(path, SEPARATOR)]
    roles = [*[CODE] * (len(rows[0].fields) - 4), "value", "frequency", STATUS, UNUSED]
    return Listing(path, rows, roles, MEANINGS).table(by, Spans(hierarchies, totals, missing))


def _with_share(path: Path, row: Row) -> Row:
    """Give every line one field after its flag: only dominated cells have shares, some have two."""
    fields = row.fields
    if fields[-1] in MEANINGS:
        fields = (*fields, "")
    elif fields[-3:-2] == (P_PERCENT,):
        fields = fields[:-1]
    if len(fields) < len(("code", "value", "frequency", "flag", "share")):
        raise refusal(path, row.line, "expected codes, a value, a frequency and a flag.")
    return row._replace(fields=fields)


def write(table: Table, path: Path, *, suppressed: Suppressed = "shown") -> None:
    """Write a table to an `.sbs` file.

    Args:
        table: the table.
        path: the file.
        suppressed: whether the values, frequencies and shares of suppressed cells are `shown`, as
            the transmission asks, or `blank`.

    Raises:
        OutputError: the file cannot hold the table or cannot be written.
    """
    path = Path(path)
    refuse_unlisted(table, path)
    cells = table.cells
    hidden = cells.suppressed & (suppressed != "shown")
    flags = _flags(cells)
    shares = number_column(np.where(hidden, np.nan, _shares(cells, flags)))
    ends = [
        f"{flag}{SEPARATOR}{share}" if share else flag
        for flag, share in zip(flags, shares, strict=True)
    ]
    figures = [_shown(cells.value, hidden), _shown(cells.contributors, hidden)]
    write_texts({path: lines_text([*code_columns(table, path), *figures, ends], SEPARATOR)})


def _shown(numbers: Floats, hidden: Mask) -> list[str]:
    return number_column(np.where(hidden, np.nan, numbers))


def _flags(cells: Cells) -> list[str]:
    alone = cells.contributors == ALONE
    if cells.largest.shape[1]:
        alone |= 2 * cells.largest[:, 0] > cells.total
    flags = np.where(alone, "B", "C")
    flags = np.where(cells.reason == FREQUENCY, "A", flags)
    flags = np.where(cells.status == Status.SECONDARY, "D", flags)
    return [str(flag) for flag in np.where(cells.suppressed, flags, "V")]


def _shares(cells: Cells, flags: list[str]) -> Floats:
    """Return the share of the largest contribution, or the two largest, in percent."""
    shares = np.full(len(cells), np.nan)
    for flag, count in (("B", ALONE), ("C", TWO)):
        told = (np.array(flags) == flag) & (cells.total > 0)
        if cells.largest.shape[1] >= count:
            part = cells.largest[told, :count].sum(axis=1)
            shares[told] = np.round(100 * part / cells.total[told], 2)
    return shares
