"""How many cells are suppressed."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement
from tacita.tables.pairing import Tables, paired
from tacita.tables.utility.suppressed import Which, measured_loss


class SuppressedCells(Method):
    """Count the suppressed cells, as a share of all cells of the table.

    The usual loss of cell suppression is the number of secondary suppressions: the sensitive cells
    have to go whatever is done to protect them. The figures hold both numbers.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> cells = Cells.of([7, 3, 4], status=[0, 1, 2])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), cells)
    >>> SuppressedCells().measure(table, table.published())
    suppressed_cells: 0.3333 - secondary suppressions take away 1 of 3 cells (33 %)
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Hundepool, Domingo-Ferrer, Franconi, Giessing, Schulte Nordholt, Spicer & de Wolf (2012). "
        "Statistical Disclosure Control. Wiley, chapter 4."
    )
    missing: ClassVar[str] = "Cells on a code for missing values count like any other."

    which: Which = "secondary"

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Count what is suppressed."""
        pair = paired(original, published)
        return measured_loss(self, pair, np.ones(len(pair.truth)), self.which, "cells")
