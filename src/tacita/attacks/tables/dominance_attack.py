"""The dominance attack: who holds most of a cell bounds what is left for the others."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.attacks.tables.knowledge.views import (
    Finding,
    Tables,
    View,
    details_of,
    error_of,
    in_percent,
    share,
    views_of,
)
from tacita.data.classes import Mask
from tacita.mechanisms.sensitivity.contributions import CLOSE, decimal, is_below
from tacita.method import Method, TableKind
from tacita.results import Measurement, counted, exactly

KINDS = {
    "contributors": pa.float64(),
    "who": pa.string(),
    "share_percent": pa.float64(),
    "others_at_most": pa.float64(),
    "largest_estimated": pa.float64(),
    "error_percent": pa.float64(),
}


class DominanceAttack(Method):
    """The share of published cells in which a few contributors hold nearly everything.

    If the n largest hold more than k percent of the cell total X, they know that nobody else has
    contributed more than X - x1 - ... - xn, which is little. And everybody outside estimates the
    largest contribution by X, with an error of (X - x1) / x1. Attacked are all published cells of
    amounts with more than n contributors; cells with values below 0, which the total nets out, and
    medians bound nobody and are left out.

    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.ready import ready_table
    >>> town = Dimension.flat("town", ["t1", "t2"])
    >>> table = ready_table("earnings", [town], {"town": ["Total", "t1", "t2"]},
    ...     {"value": [2000, 1000, 1000], "frequency": [14, 7, 7],
    ...      "largest": [[900], [900], [200]]}, variable="earnings")
    >>> found = DominanceAttack(n=1, k=80).measure(table, table.published())
    >>> found
    dominance_attack: 0.3333 - in 1 of 3 published cells the largest contributor holds over 80 %
    >>> found.details["others_at_most"].to_pylist()
    [100.0]
    """

    applies_to: ClassVar[frozenset[TableKind]] = frozenset({TableKind.MAGNITUDE})
    reference: ClassVar[str] = (
        "Domingo-Ferrer, Sanchez & Hajian, Database privacy, in: Privacy in a digital, networked "
        "world, Springer 2015, section 2.2.1"
    )
    missing: ClassVar[str] = "A cell whose contributions are not known is not attacked."

    n: Annotated[int, Field(ge=1, description="How many contributors dominate together.")] = 1
    k: Annotated[
        float,
        Field(gt=0, lt=100, description="What they hold more than, in percent of the cell."),
    ] = 80.0

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Look for published cells that a few contributors dominate."""
        views = views_of(original, published)
        masks = [self._attacked(view) for view in views]
        attacked = sum(int(mask.sum()) for mask in masks)
        pairs = zip(views, masks, strict=True)
        findings = [one for view, mask in pairs for one in self._found_in(view, mask)]
        who = "the largest contributor holds" if self.n == 1 else f"the {self.n} largest hold"
        errors = [one.told["error_percent"] for one in findings]
        return Measurement(
            self.name,
            self.family,
            share(len(findings), attacked),
            f"in {len(findings):,} of {counted(attacked, 'published cell')} {who} over "
            f"{self.k:g} %",
            parameters=self.parameters(),
            figures={
                "cells_attacked": attacked,
                "cells_not_known": sum(int(self._crowded(v).sum()) for v in views) - attacked,
                "cells_dominated": len(findings),
                "smallest_error_percent": min(errors, default=None),
            },
            details=details_of(published, findings, KINDS),
        )

    def _crowded(self, view: View) -> Mask:
        """Tell which visible cells have contributors beside the n largest."""
        crowded: Mask = view.visible & (view.contributors > self.n)
        return crowded & (not view.is_count and view.published.is_additive)

    def _attacked(self, view: View) -> Mask:
        """Tell which of them are attacked."""
        truth = view.truth
        if truth.largest.shape[1] < self.n:
            return np.zeros(len(view.cells), bool)
        netted = np.abs(truth.total - np.abs(truth.value)) > CLOSE * truth.total
        unknown = np.isnan(truth.largest[:, : self.n]).any(axis=1) | np.isnan(truth.total)
        return self._crowded(view) & ~netted & ~unknown

    def _found_in(self, view: View, attacked: Mask) -> Iterator[Finding]:
        held = view.truth.largest[:, : self.n]
        limit = exactly(self.k) / 100

        def exact(row: int) -> tuple[Fraction, Fraction]:
            return limit * decimal(view.truth.total[row]), sum(map(decimal, held[row]), Fraction(0))

        dominated = is_below(float(limit) * view.truth.total, held.sum(axis=1), exact)
        for row in np.flatnonzero(attacked & dominated).tolist():
            yield Finding(view.published, row, self._told(view, row))

    def _told(self, view: View, row: int) -> dict[str, Any]:
        held = sum(map(decimal, view.truth.largest[row, : self.n]), Fraction(0))
        seen = abs(view.cells.value[row])
        return {
            "contributors": view.contributors[row],
            "who": "contributor 1" if self.n == 1 else f"contributors 1 to {self.n}",
            "share_percent": in_percent(held / decimal(view.truth.total[row])),
            "others_at_most": float(max(decimal(seen) - held, Fraction(0))),
            "largest_estimated": seen,
            "error_percent": in_percent(error_of(seen, view.truth.largest[row, 0])),
        }
