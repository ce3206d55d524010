"""What suppressions cost, when not all cells are as important."""

from __future__ import annotations

from typing import ClassVar

from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement
from tacita.tables.pairing import Tables, paired
from tacita.tables.utility.suppressed import Which, measured_loss


class SuppressionCost(Method):
    """Add up the costs of the suppressed cells, as a share of the costs of all cells.

    What a cell costs is said with the table: a cost variable, costs from a file, or its own size
    when nothing is said.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> cells = Cells.of([7, 3, 4], status=[0, 1, 2], cost=[5, 1, 2])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), cells)
    >>> SuppressionCost().measure(table, table.published())
    suppression_cost: 0.25 - secondary suppressions take away 2 of 8 in cost (25 %)
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Fischetti & Salazar (2001). Solving the cell suppression problem on tabular data with "
        "linear constraints. Management Science 47(7), 1008-1027."
    )
    missing: ClassVar[str] = "A cell whose cost is not known counts nothing."

    which: Which = "secondary"

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Add up the costs of what is suppressed."""
        pair = paired(original, published)
        return measured_loss(self, pair, pair.truth.cost, self.which, "in cost")
