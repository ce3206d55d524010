"""Cells that say the same: a total and its only part."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Ints
from tacita.errors import InputError
from tacita.tables.status import Status
from tacita.tables.table import Table

COLUMNS = ("reason", "lower_level", "upper_level", "sliding_level")


def with_sensitive_twins(table: Table) -> Table:
    """Return the table with cells sensitive that say the same as a sensitive one.

    Rules that look at contributions say the same of both; what a person says of one cell may not
    hold for the other, and leaving out one of them would help nothing.

    Raises:
        InputError: one of the two must be published.
    """
    one, other = _twins(table)
    status = table.cells.status.copy()
    columns = {name: getattr(table.cells, name).copy() for name in COLUMNS}
    while (told := (status[one] == Status.SENSITIVE) & (status[other] != Status.SENSITIVE)).any():
        contrary = other[told & (status[other] == Status.PUBLISHED)]
        if contrary.size:
            raise InputError(
                f"The cell {table.name_of(int(contrary[0]))} must be published and says the same "
                "as a sensitive one, its only part or total; say the same of both."
            )
        status[other[told]] = Status.SENSITIVE
        for column in columns.values():
            column[other[told]] = column[one[told]]
    return table.with_cells(status=status, **columns)


def _twins(table: Table) -> tuple[Ints, Ints]:
    """Return pairs of cells that say the same, in both orders."""
    # Totals need not be the exact sums of published values here.
    relations = table.system(rounding=np.inf).relations
    pairs = relations[np.flatnonzero(np.diff(relations.indptr) == 2)]  # noqa: PLR2004 - a total, a part
    ends = pairs.indices.reshape(-1, 2)
    both = np.concatenate([ends, ends[:, ::-1]])
    return both[:, 0], both[:, 1]
