"""Sensitive cells that are published all the same."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted
from tacita.tables.pairing import Tables, paired


class SensitivePublished(Method):
    """Count the sensitive cells whose value is published, as a share of the sensitive cells.

    Cells that somebody waived are not sensitive any more. In linked tables a cell is published as
    soon as one of them shows it. A perturbed cell counts if the published value is the true one,
    whether or not a reader can know that.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> cells = Cells.of([7, 3, 4], status=[0, 1, 1])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), cells)
    >>> published = table.with_cells(status=np.array([0, 1, 0], np.int8)).published()
    >>> SensitivePublished().measure(table, published)
    sensitive_published: 0.5 - 1 of 2 sensitive cells is published
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Willenborg & de Waal (2001). Elements of Statistical Disclosure Control. Springer, "
        "chapter 5."
    )
    missing: ClassVar[str] = "Cells on a code for missing values count like any other."

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Count the sensitive cells that everybody can read."""
        pair = paired(original, published)
        found = pair.truth.sensitive & ~pair.hidden & (pair.change == 0)
        open_, sensitive = int(found.sum()), int(pair.truth.sensitive.sum())
        rows = np.flatnonzero(found)
        verb = "is" if open_ == 1 else "are"
        return Measurement(
            self.name,
            self.family,
            Fraction(open_, max(sensitive, 1)),
            f"{open_:,} of {counted(sensitive, 'sensitive cell')} {verb} published",
            parameters=self.parameters(),
            figures={"published": Fraction(open_), "sensitive": Fraction(sensitive)},
            details=pair.details(rows, {"published": pair.shown[rows]}),
        )
