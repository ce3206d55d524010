"""Cells whose true value can be worked out again."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted, percent
from tacita.tables.pairing import Tables, paired
from tacita.tables.risk.exposure import exposed


class RederivableCells(Method):
    """Count the suppressed or changed cells whose true value can be worked out all the same.

    Linear programs find the least and the largest value that agrees with everything published:
    with the values themselves where cells are suppressed, and where they were perturbed with the
    bounds that the method is known to keep (a rounding base, the largest deviation of a noise) and
    the fact that true values add up. A cell counts if they are the same, as a share of the cells
    that do not show their true value; a reader of a perturbed table also gets to know for sure that
    a cell shows it, and the figures count these.

    Counts are whole numbers. The linear programs use that of every single cell but not of all
    together, so that in tables of more than two attributes further counts may be determined;
    `whole_intervals` finds them at more cost.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> cells = Cells.of([7, 3, 4], status=[0, 1, 2])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), cells)
    >>> RederivableCells().measure(table, table.published())
    rederivable_cells: 0 - 0 of 2 cells (0 %) whose true value is not shown can be worked out
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Salazar-González (2006). Controlled rounding and cell perturbation: statistical "
        "disclosure limitation methods for tabular data. Mathematical Programming 105, 583-603."
    )
    missing: ClassVar[str] = "Cells on a code for missing values count like any other."

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Compare the ends of what every true value can be."""
        found, pair = exposed(original, published), paired(original, published)
        changed = pair.hidden | (pair.change != 0)
        again, sensitive = changed & found.disclosed, pair.truth.sensitive
        share = Fraction(int(again.sum()), max(int(changed.sum()), 1))
        rows = np.flatnonzero(again)
        return Measurement(
            self.name,
            self.family,
            share,
            f"{again.sum():,} of {counted(int(changed.sum()), 'cell')} ({percent(share)}) whose "
            "true value is not shown can be worked out",
            parameters=self.parameters(),
            figures={
                "worked_out": Fraction(int(again.sum())),
                "sensitive_worked_out": Fraction(int((again & sensitive).sum())),
                "shown_for_sure": Fraction(int((found.disclosed & ~changed).sum())),
            },
            details=pair.details(rows, {"worked_out": found.lower[rows]}),
        )
