"""Suppressed cells that can be computed."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted
from tacita.tables.pairing import Tables
from tacita.tables.risk.exposure import exposed


class ExactDisclosure(Method):
    """Count the hidden sensitive cells that can be computed, as a share of those hidden.

    A cell can be computed if one possible value is left for it: its value follows from the
    published ones by adding and subtracting (`by_arithmetic`, decided by exact elimination), or
    nothing else keeps all cells within their bounds. The figures count the secondary suppressions
    that can be computed, too; they protect nobody. In a perturbed table all cells are hidden: their
    true values lie within the bounds that the method is known to keep.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> cells = Cells.of([7, 3, 4], status=[0, 1, 0])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), cells)
    >>> ExactDisclosure().measure(table, table.published())
    exact_disclosure: 1 - 1 of 1 suppressed sensitive cell can be computed
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Cox (1980). Suppression methodology and statistical disclosure control. Journal of the "
        "American Statistical Association 75, 377-385."
    )
    missing: ClassVar[str] = "Cells on a code for missing values count like any other."

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Count the sensitive cells that were suppressed in vain."""
        found = exposed(original, published)
        pair = found.pair
        suppressed, computed = int(pair.primary.sum()), int((pair.primary & found.disclosed).sum())
        rows = np.flatnonzero(pair.hidden & found.disclosed)
        return Measurement(
            self.name,
            self.family,
            Fraction(computed, max(suppressed, 1)),
            f"{computed:,} of {counted(suppressed, f'{found.hidden_by} sensitive cell')} can be "
            "computed",
            parameters=self.parameters(),
            figures={
                "sensitive": Fraction(computed),
                "by_arithmetic": Fraction(int((pair.primary & found.by_arithmetic).sum())),
                "secondary": Fraction(int((pair.secondary & found.disclosed).sum())),
            },
            details=pair.details(rows, {"computed": pair.truth.value[rows]}),
        )
