"""The intermediate format of tau-ARGUS: everything it keeps of a table, a line a cell.

::

    "Total";"North";4373664.00;11395;4373664.00;4373664.00;43587.00;43293.00;S;0.01;0.01

The codes, the value, the records, the shadow value (what the largest contributions are compared
with), the cost, the largest contributions, the status (S safe, U sensitive, M secondary, P
published whatever happens, E empty), the lower and the upper protection level. The values of
suppressed cells are in the file: it is never for publication.
"""

from __future__ import annotations

from pathlib import Path

from tacita.errors import InputError
from tacita.tables.formats.attributes import Hierarchies, Missing, Spans, Totals
from tacita.tables.formats.listing import (
    CODE,
    LARGEST,
    STATUS,
    Listing,
    Meaning,
    Spanning,
    code_columns,
    lines_text,
    number_column,
    refuse_unlisted,
    rows_of,
)
from tacita.tables.formats.text import write_texts
from tacita.tables.status import Status
from tacita.tables.table import Table

SEPARATOR = ";"
BEFORE = ("value", "frequency", "total", "cost")
AFTER = (STATUS, "lower_level", "upper_level")
MEANINGS = {
    "S": Meaning(Status.SAFE),
    "U": Meaning(Status.SENSITIVE),
    "M": Meaning(Status.SECONDARY),
    "P": Meaning(Status.PUBLISHED),
    "E": Meaning(None),
}
LETTERS = {meaning.status: word for word, meaning in MEANINGS.items()}


def read(
    path: Path,
    *,
    by: Spanning | None = None,
    hierarchies: Hierarchies | None = None,
    totals: Totals | None = None,
    missing: Missing | None = None,
) -> Table:
    """Read a table from an intermediate file.

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
    rows = rows_of(path, SEPARATOR)
    codes = rows[0].quoted if by is None else len(by)
    if not codes:
        raise InputError(
            f"{path}, line {rows[0].line}: the codes are not in quotes, so it cannot be told how "
            "many there are; say `by` which attributes the table is spanned."
        )
    largest = len(rows[0].fields) - codes - len(BEFORE) - len(AFTER)
    roles = [*[CODE] * codes, *BEFORE, *[LARGEST] * largest, *AFTER]
    return Listing(path, rows, roles, MEANINGS).table(by, Spans(hierarchies, totals, missing))


def write(table: Table, path: Path) -> None:
    """Write a table to an intermediate file.

    Args:
        table: the table.
        path: the file.

    Raises:
        OutputError: the file cannot hold the table or cannot be written.
    """
    path = Path(path)
    refuse_unlisted(table, path)
    cells = table.cells
    numbers = [getattr(cells, name) for name in BEFORE] + list(cells.largest.T)
    statuses = [LETTERS[Status(status)] for status in cells.status.tolist()]
    levels = [number_column(cells.lower_level), number_column(cells.upper_level)]
    columns = [*code_columns(table, path), *map(number_column, numbers), statuses, *levels]
    write_texts({path: lines_text(columns, SEPARATOR)})
