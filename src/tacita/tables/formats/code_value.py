"""The code-value output of tau-ARGUS: a line a cell, its codes, its value and its status.

::

    "Total","North",4373664.00,1
    "2","North",5.00,3
    "2","South",-,14

Statuses are numbers from 1 to 14, with a sign `-` in place of the value of an empty cell; see
``MEANINGS``. A first line may name the attributes. tau-ARGUS writes the values of suppressed cells
here; a file of Tacita has `x` in their place unless they are asked for, and does not tell by which
rule a cell is sensitive: that all contributions are zero, or few, would tell the value.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from tacita.errors import InputError
from tacita.tables.formats.attributes import Hierarchies, Missing, Spans, Totals
from tacita.tables.formats.listing import (
    CODE,
    STATUS,
    UNKNOWN,
    Listing,
    Meaning,
    Row,
    Spanning,
    code_columns,
    lines_text,
    number_column,
    number_of,
    refuse_unlisted,
    rows_of,
)
from tacita.tables.formats.text import write_texts
from tacita.tables.status import Status
from tacita.tables.table import Table

Suppressed = Literal["blank", "shown"]

SEPARATOR = ","
GIVEN = "given"
MEANINGS = {
    "1": Meaning(Status.SAFE),
    "2": Meaning(Status.SAFE, GIVEN),
    "3": Meaning(Status.SENSITIVE, "rule"),
    "4": Meaning(Status.SENSITIVE, "request_rule"),
    "5": Meaning(Status.SENSITIVE, "minimum_frequency"),
    "6": Meaning(Status.SENSITIVE, "zero_rule"),
    "7": Meaning(Status.SENSITIVE, "singleton"),
    "8": Meaning(Status.SENSITIVE, "singleton, given"),
    "9": Meaning(Status.SENSITIVE, GIVEN),
    "10": Meaning(Status.PUBLISHED, GIVEN),
    "11": Meaning(Status.SECONDARY),
    "12": Meaning(Status.SECONDARY, GIVEN),
    "13": Meaning(Status.SAFE, "empty"),
    "14": Meaning(None),
}
IDS = {meaning: word for word, meaning in MEANINGS.items()}
USUAL = {Status.SAFE: "1", Status.SENSITIVE: "3", Status.SECONDARY: "11", Status.PUBLISHED: "10"}


def read(
    path: Path,
    *,
    by: Spanning | None = None,
    hierarchies: Hierarchies | None = None,
    totals: Totals | None = None,
    missing: Missing | None = None,
) -> Table:
    """Read a table from a code-value file.

    Args:
        path: the file.
        by: the attributes that span the table, in the order of the codes: their names, or whole
            dimensions; numbered when left out.
        hierarchies: for an attribute with subtotals its hierarchy, or several.
        totals: the code of the total, or one for each attribute; the usual ones are found out.
        missing: for an attribute, its codes for missing values, which lie right below the total.

    Raises:
        InputError: a line cannot be understood.
    """
    path = Path(path)
    rows = rows_of(path, SEPARATOR)
    width = len(rows[0].fields) - 2
    if width < 1:
        raise InputError(f"{path}, line {rows[0].line}: expected codes, a value and a status.")
    names = rows[0].fields[:width] if _is_header(rows[0]) else ()
    roles = [*[CODE] * width, "value", STATUS]
    return Listing(path, rows[bool(names) :], roles, MEANINGS, names).table(
        by, Spans(hierarchies, totals, missing)
    )


def _is_header(row: Row) -> bool:
    value = row.fields[-2]
    return number_of(value) is None and value.lower() not in {"-", *UNKNOWN}


def write(table: Table, path: Path, *, suppressed: Suppressed = "blank") -> None:
    """Write a table to a code-value file.

    Args:
        table: the table.
        path: the file.
        suppressed: whether the values of suppressed cells are `blank` (`x`) or `shown`, with the
            rules that found them, as tau-ARGUS does; then the file is not for publication.

    Raises:
        OutputError: the file cannot hold the table or cannot be written.
    """
    path = Path(path)
    refuse_unlisted(table, path)
    cells = table.cells
    hidden = cells.suppressed & (suppressed != "shown")
    values = number_column(np.where(hidden, np.nan, cells.value), "x")
    decided = zip(cells.status.tolist(), np.where(hidden, "", cells.reason), strict=True)
    statuses = [IDS.get(Meaning(Status(s), why), USUAL[Status(s)]) for s, why in decided]
    write_texts({path: lines_text([*code_columns(table, path), values, statuses], SEPARATOR)})
