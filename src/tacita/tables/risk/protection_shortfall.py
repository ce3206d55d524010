"""Sensitive cells that can be told too closely."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted, show
from tacita.tables.pairing import Tables
from tacita.tables.risk.exposure import Exposure, exposed


class ProtectionShortfall(Method):
    """Count the sensitive cells that are not protected, as a share of the sensitive cells.

    A table is safe if the feasibility interval [l, u] of every sensitive cell with value a, as
    linear programming finds it over all that is published, contains its protection interval:

        l <= a - lower level,   u >= a + upper level,   u - l >= sliding level.

    A cell that is published, or can be computed, is not protected whatever its levels. Of perturbed
    cells the interval is what is certain of them: the bounds of rounding or noise and that true
    values add up; how good a guess the published value is, `unmoved_sensitive` tells. The figure
    `smallest_ratio` is how much of its level the worst cell has: below 1 it is not protected.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> cells = Cells.of([7, 3, 4], status=[0, 1, 2], upper_level=[0, 5, 0])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), cells)
    >>> found = ProtectionShortfall().measure(table, table.published())
    >>> found.value, found.figures["smallest_ratio"]
    (Fraction(1, 1), 0.8)
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Fischetti & Salazar (2001). Solving the cell suppression problem on tabular data with "
        "linear constraints. Management Science 47(7), 1008-1027."
    )
    missing: ClassVar[str] = "Cells on a code for missing values count like any other."

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Compare the feasibility interval of every sensitive cell with its protection interval."""
        found = exposed(original, published)
        ratio = level_ratio(found)
        short, sensitive = int(found.exposed.sum()), int(found.pair.truth.sensitive.sum())
        smallest = float(ratio.min(initial=np.inf))
        told = f"{short:,} of {counted(sensitive, 'sensitive cell')} "
        worst = f"; the worst has {show(smallest)} of its level" if smallest < 1 else ""
        return Measurement(
            self.name,
            self.family,
            Fraction(short, max(sensitive, 1)),
            f"{told}{'is' if short == 1 else 'are'} not protected{worst}",
            parameters=self.parameters(),
            figures={
                "unprotected": Fraction(short),
                "sensitive": Fraction(sensitive),
                "smallest_ratio": smallest if np.isfinite(smallest) else None,
            },
            details=_details(found, ratio),
        )


def level_ratio(found: Exposure) -> Floats:
    """Return how much of its protection levels each sensitive cell has, the worst side first.

    A cell without levels, and one that is not sensitive, has as much as one can want.
    """
    ratios = [np.full(len(found.lower), np.inf), *_side_ratios(found)]
    worst: Floats = np.min(ratios, axis=0)
    return np.where(found.pair.truth.sensitive, worst, np.inf)


def _side_ratios(found: Exposure) -> Iterator[Floats]:
    cells = found.pair.truth
    for level, room in (
        (cells.lower_level, cells.value - found.lower),
        (cells.upper_level, found.upper - cells.value),
        (cells.sliding_level, found.width),
    ):
        # An interval contains its value; less than nothing is a rounding of the linear program.
        # How far out a cell is whose value nobody knows, nobody can tell.
        known = np.where(np.isnan(room), np.inf, np.maximum(room, 0.0))
        yield np.divide(known, level, out=np.full(len(room), np.inf), where=level > 0)


def _details(found: Exposure, ratio: Floats) -> pa.Table:
    cells = found.pair.truth
    rows = np.flatnonzero(found.exposed)
    columns = {
        "value": cells.value,
        "lower": found.lower,
        "upper": found.upper,
        "asked_lower": cells.value - cells.lower_level,
        "asked_upper": cells.value + cells.upper_level,
        "asked_width": cells.sliding_level,
        "ratio": ratio,
    }
    told = {name: column[rows] for name, column in columns.items()}
    return found.pair.details(rows, told)
