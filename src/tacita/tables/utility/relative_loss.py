"""How much of its cells a table has lost, whether they were suppressed or changed."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Mask
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted, show
from tacita.tables.pairing import Pair, Tables, paired


class RelativeLoss(Method):
    """The mean relative error of the cells, at most 1 each; a suppressed cell is lost altogether.

    With a_i the true values of m cells and z_i the published ones, the loss is

        (1/m) sum_i min(1, |a_i - z_i| / |a_i|),

    where a suppressed cell counts 1, and a cell whose true value is 0 counts 1 unless it is
    published as 0. It is between 0 and 1 for suppression and perturbation alike, so that they can
    be compared. It takes all cells as equally important and suppressed ones as worth nothing,
    although a reader knows their interval; weigh cells with `cell_distance`, and count what is
    suppressed with `suppression_cost`, where that matters.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), Cells.of([8, 4, 4]))
    >>> rounded = table.with_cells(shown=np.array([10.0, 5.0, 5.0]))
    >>> RelativeLoss().measure(table, rounded)
    relative_loss: 0.25 - 3 of 3 cells are not as they were, by 25 percent in the mean
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Hundepool, Domingo-Ferrer, Franconi, Giessing, Schulte Nordholt, Spicer & de Wolf (2012). "
        "Statistical Disclosure Control. Wiley, chapter 5."
    )
    missing: ClassVar[str] = "A cell whose true value is not known is not looked at."

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Add up what every cell lost."""
        pair = paired(original, published)
        lost = relative_errors(pair)
        known = ~np.isnan(pair.truth.shown)
        count, other = int(known.sum()), int((lost[known] > 0).sum())
        mean = math.fsum(lost[known]) / max(count, 1)
        return Measurement(
            self.name,
            self.family,
            mean,
            f"{other:,} of {counted(count, 'cell')} "
            f"{'is not as it was' if other == 1 else 'are not as they were'}, by "
            f"{show(100 * mean)} percent in the mean",
            parameters=self.parameters(),
            figures={
                "suppressed": float((pair.hidden & known).sum()),
                "changed": float((~pair.hidden & known & (lost > 0)).sum()),
                "lost_altogether": float((lost[known] >= 1).sum()),
            },
            details=_details(pair, lost, known),
        )


def _details(pair: Pair, lost: Floats, known: Mask) -> pa.Table:
    rows = np.flatnonzero(known & (lost > 0))
    return pair.details(rows, {"true": pair.truth.shown[rows], "lost": lost[rows]})


def relative_errors(pair: Pair) -> Floats:
    """Return the relative error of every cell, 1 at most, and 1 where nothing is shown."""
    gap, size = np.abs(pair.change), np.abs(pair.truth.shown)
    error = np.divide(gap, size, out=(gap > 0).astype(np.float64), where=size > 0)
    return np.where(pair.hidden, 1.0, np.minimum(error, 1.0))
