"""How much of what a table adds up is suppressed."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement
from tacita.tables.pairing import Tables, paired
from tacita.tables.utility.suppressed import Which, measured_loss


class SuppressedValue(Method):
    """Add up the size of the suppressed cells, as a share of the size of all cells.

    This is the pooled magnitude of the suppressions. Totals and subtotals are cells like any other,
    so a value counts once in each of them. A cell below 0 counts with its size.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> cells = Cells.of([7, 3, 4], status=[0, 1, 2])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), cells)
    >>> SuppressedValue("all").measure(table, table.published())
    suppressed_value: 0.5 - suppressions take away 7 of 14 in size (50 %)
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Kelly, Golden & Assad (1992). Cell suppression: disclosure protection for sensitive "
        "tabular data. Networks 22, 397-417."
    )
    missing: ClassVar[str] = "A cell whose value is not known counts nothing."

    which: Which = "secondary"

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Add up what is suppressed."""
        pair = paired(original, published)
        size = np.abs(pair.truth.value)
        return measured_loss(self, pair, size, self.which, "in size")
