"""Totals that are not the sums of what is published below them."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted
from tacita.tables.pairing import Pair, Tables, paired
from tacita.tables.system import System, not_adding_up
from tacita.tables.utility.sums import refuse_quotients


class Additivity(Method):
    """Count the totals that are not the sums of their published parts.

    Each total with its parts is a relation, along every hierarchy of every attribute; the share is
    that of the relations of which all values are published. Decimals are added up exactly. Tables
    of means, ratios and medians have no such relations. What users do who need sums is not said by
    this number: totals that are off by a rounding error are often taken as they are.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), Cells.of([7, 3, 4]))
    >>> rounded = table.with_cells(shown=np.array([5.0, 5.0, 5.0]))
    >>> Additivity().measure(table, rounded)
    additivity: 1 - 1 of 1 total is not the sum of its parts, by 5 at most
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Hundepool, Domingo-Ferrer, Franconi, Giessing, Schulte Nordholt, Spicer & de Wolf (2012). "
        "Statistical Disclosure Control. Wiley, chapter 5."
    )
    missing: ClassVar[str] = "A total of which a part is not published is not looked at."

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Add up what is published."""
        refuse_quotients(original, self.name)
        pair, system = paired(original, published), original.system()
        complete = abs(system.relations) @ np.isnan(pair.shown).astype(np.int64) == 0
        off = not_adding_up(system.relations, pair.shown, system.rhs)
        residual = system.relations[off] @ np.nan_to_num(pair.shown) - system.rhs[off]
        largest = float(np.abs(residual).max(initial=0.0))
        count, whole = len(off), int(complete.sum())
        share = Fraction(count, max(whole, 1))
        told = "is not the sum of its parts" if count == 1 else "are not the sums of their parts"
        by = f", by {largest:g} at most" if count else ""
        return Measurement(
            self.name,
            self.family,
            share,
            f"{count:,} of {counted(whole, 'total')} {told}{by}",
            parameters=self.parameters(),
            figures={
                "not_additive": Fraction(count),
                "largest": largest,
                "not_complete": Fraction(len(complete) - whole),
            },
            details=_details(pair, system, off, residual),
        )


def _details(pair: Pair, system: System, off: Ints, residual: Floats) -> pa.Table:
    """List the totals with what their published parts are more than they."""
    relations = system.relations
    ends = [slice(*relations.indptr[row : row + 2]) for row in off]
    totals = [int(relations.indices[end][relations.data[end].argmin()]) for end in ends]
    return pair.details(totals, {"published": pair.shown[totals], "parts_are_more_by": residual})
