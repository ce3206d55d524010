"""Sensitive cells that are published too near to their true value."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from tacita.data.classes import Floats, Mask
from tacita.mechanisms.sensitivity.contributions import decimal, is_below
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted
from tacita.tables.pairing import Pair, Tables, paired


class UnmovedSensitive(Method):
    """Count the sensitive cells that are published within their protection level.

    With a the true value of a sensitive cell and z what is published, the cell counts if z = a or

        a - lower level < z < a + upper level,

    as a share of the sensitive cells: whoever takes the published value for the true one is nearer
    to it than the rule allows. This is what controlled tabular adjustment rules out. Rounding and
    noise let it happen by chance, so that a reader cannot be sure; what can be known for sure,
    `protection_shortfall` measures. A cell that is not shown does not count.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> cells = Cells.of([70, 30, 40], status=[0, 1, 1], lower_level=[0, 4, 4],
    ...                  upper_level=[0, 4, 4])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), cells)
    >>> moved = table.with_cells(shown=np.array([70.0, 33, 36]), status=np.zeros(3, np.int8))
    >>> UnmovedSensitive().measure(table, moved)
    unmoved_sensitive: 0.5 - 1 of 2 sensitive cells is published within its protection level
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Castro (2006). Minimum-distance controlled perturbation methods for large-scale tabular "
        "data protection. European Journal of Operational Research 171, 39-52."
    )
    missing: ClassVar[str] = "A cell whose true value is not known counts as published."

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Compare the change of every sensitive cell with its protection levels."""
        pair = paired(original, published)
        near = unmoved(pair)
        count, sensitive = int(near.sum()), int(pair.truth.sensitive.sum())
        rows = np.flatnonzero(near)
        told = ("is", "its") if count == 1 else ("are", "their")
        columns = {
            "true": pair.truth.shown,
            "published": pair.shown,
            "lower_level": pair.truth.lower_level,
            "upper_level": pair.truth.upper_level,
        }
        return Measurement(
            self.name,
            self.family,
            Fraction(count, max(sensitive, 1)),
            f"{count:,} of {counted(sensitive, 'sensitive cell')} {told[0]} published within "
            f"{told[1]} protection level",
            parameters=self.parameters(),
            figures={
                "unmoved": Fraction(count),
                "sensitive": Fraction(sensitive),
                "as_they_are": Fraction(int((near & (pair.change == 0)).sum())),
            },
            details=pair.details(rows, {name: column[rows] for name, column in columns.items()}),
        )


def unmoved(pair: Pair) -> Mask:
    """Tell which sensitive cells are published nearer to their value than their levels ask."""
    cells, change = pair.truth, pair.change
    level: Floats = np.where(change > 0, cells.upper_level, cells.lower_level)

    def exact(row: int) -> tuple[Fraction, Fraction]:
        return abs(decimal(pair.shown[row]) - decimal(cells.shown[row])), decimal(level[row])

    near: Mask = (change == 0) | is_below(np.abs(change), level, exact)
    return near & cells.sensitive & ~pair.hidden
