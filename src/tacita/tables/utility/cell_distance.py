"""How far published values are from the true ones."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Floats, Mask
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted, show
from tacita.tables.pairing import Pair, Tables, paired

Norm = Literal["l1", "l2", "relative"]


class CellDistance(Method):
    """Add up the distances between true and published values.

    This is the loss of rounding and of tabular adjustment, with a_i the true values, z_i the
    published ones and w_i the weights:

        l1        sum w_i |a_i - z_i|
        l2        sqrt(sum w_i (a_i - z_i)^2)
        relative  sum w_i |a_i - z_i| / |a_i|

    A true value of 0 counts as 1 below the fraction line. Suppressed cells have no distance; they
    are counted apart.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), Cells.of([7, 3, 4]))
    >>> rounded = table.with_cells(shown=np.array([5.0, 5.0, 5.0]))
    >>> CellDistance().measure(table, rounded)
    cell_distance: 5 - 3 of 3 published cells were moved, by 2 at most
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Castro (2006). Minimum-distance controlled perturbation methods for large-scale tabular "
        "data protection. European Journal of Operational Research 171, 39-52."
    )
    missing: ClassVar[str] = "A cell whose true value is not known has no distance."
    lies_between: ClassVar[tuple[float, float]] = (0, math.inf)

    norm: Annotated[Norm, Field(description="How distances are added up.")] = "l1"
    weight: Annotated[
        Literal["equal", "cost"],
        Field(description="Whether all cells are as important, or each as its cost says."),
    ] = "equal"

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Add up how far cells were moved."""
        pair = paired(original, published)
        gap = np.abs(pair.truth.shown - pair.shown)
        compared = ~pair.hidden & ~np.isnan(gap)
        moved = compared & (gap > 0)
        largest = float(gap[compared].max(initial=0.0))
        count = int(compared.sum())
        told = f"{moved.sum():,} of {counted(count, 'published cell')} were moved"
        return Measurement(
            self.name,
            self.family,
            self._distance(pair, gap, compared),
            f"{told}, by {show(largest)} at most" if largest else told,
            parameters=self.parameters(),
            figures={
                "moved": float(moved.sum()),
                "mean": math.fsum(gap[compared]) / count if count else None,
                "largest": largest,
                "suppressed": float(pair.hidden.sum()),
            },
            details=_details(pair, gap, moved),
        )

    def _distance(self, pair: Pair, gap: Floats, compared: Mask) -> float:
        cost = np.nan_to_num(pair.truth.cost) if self.weight == "cost" else np.ones(len(gap))
        weight, moved = cost[compared], gap[compared]
        if self.norm == "l2":
            return math.sqrt(math.fsum(weight * moved**2))
        if self.norm == "l1":
            return math.fsum(weight * moved)
        size = np.abs(pair.truth.shown[compared])
        return math.fsum(weight * moved / np.where(size == 0, 1.0, size))


def _details(pair: Pair, gap: Floats, moved: Mask) -> pa.Table:
    rows = np.flatnonzero(moved)
    true = pair.truth.shown[rows]
    found = {"true": true, "published": pair.shown[rows], "distance": gap[rows]}
    return pair.details(rows, found)
