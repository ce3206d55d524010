"""Cells that changed places."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import Measurement, counted, percent
from tacita.tables.pairing import Pair, Tables, paired

BLOCK = 256  # cells that are compared pair by pair


class RankChanges(Method):
    """The share of pairs of cells that the published values put into another order.

    Two cells count if one is truly larger than the other and published as smaller or as large:
    which region leads, and which sector is growing, is often what a table is read for. Of n
    published cells n (n - 1) / 2 pairs are compared; pairs that are truly equal have no order to
    lose. Suppressed cells have no place.

    >>> import numpy as np
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> from tacita.tables.table import Table
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> table = Table("people", (sex,), np.array([[0], [1], [2]]), Cells.of([7, 3, 4]))
    >>> rounded = table.with_cells(shown=np.array([10.0, 5.0, 5.0]))
    >>> RankChanges().measure(table, rounded)
    rank_changes: 0.3333 - 1 of 3 pairs of cells (33 %) are not in their true order
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Shlomo & Young (2006). Statistical disclosure control methods through a risk-utility "
        "framework. Privacy in Statistical Databases, LNCS 4302, 68-81."
    )
    missing: ClassVar[str] = "A cell whose value is not known or not shown is not looked at."

    def measure(self, original: Tables, published: Tables) -> Measurement:
        """Count the pairs that are not in their true order."""
        pair = paired(original, published)
        known = ~np.isnan(pair.truth.shown) & ~np.isnan(pair.shown)
        true, shown = pair.truth.shown[known], pair.shown[known]
        ordered = _pairs(len(true)) - _ties(true)
        lost = ordered - _concordant(true, shown)
        share = Fraction(lost, max(ordered, 1))
        return Measurement(
            self.name,
            self.family,
            share,
            f"{lost:,} of {counted(ordered, 'pair')} of cells ({percent(share)}) are not in their "
            "true order",
            parameters=self.parameters(),
            figures={"pairs": Fraction(ordered), "not_in_order": Fraction(lost)},
            details=_details(pair, np.flatnonzero(known)),
        )


def _details(pair: Pair, rows: Ints) -> pa.Table:
    """List the cells that have another place now, counted from the largest on."""
    before, after = (_places(values[rows]) for values in (pair.truth.shown, pair.shown))
    moved = before != after
    return pair.details(rows[moved], {"true": before[moved], "published": after[moved]})


def _places(values: Floats) -> Ints:
    """Return the place of every value from the largest on; equal ones share the first.

    >>> _places(np.array([3.0, 9.0, 3.0])).tolist()
    [2, 1, 2]
    """
    return 1 + np.searchsorted(np.sort(-values), -values, side="left")


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


def _ties(values: Floats) -> int:
    """Count the pairs of equal values."""
    _, counts = np.unique(values, return_counts=True)
    return sum(map(_pairs, counts.tolist()))


def _concordant(true: Floats, shown: Floats) -> int:
    """Count the pairs that both columns put into the same order.

    Among the cells in ascending true order, each is compared with those before it that are truly
    smaller: as many as are published smaller, found by sorting halves and merging them.

    >>> _concordant(np.array([1.0, 2, 3]), np.array([5.0, 5, 10]))
    2
    """
    # Of equal true values the largest published comes first, so that no pair of them is counted.
    order = np.lexsort((-shown, true))
    ranks = np.unique(shown, return_inverse=True)[1][order]
    return _ascents(ranks)


def _ascents(ranks: Ints) -> int:
    """Count the pairs of which the earlier number is smaller: in blocks, then by merging them.

    >>> _ascents(np.array([2, 0, 1, 1]))
    2
    """
    blocks = [ranks[start : start + BLOCK] for start in range(0, len(ranks), BLOCK)]
    found = sum(int(np.triu(block[:, None] < block, 1).sum()) for block in blocks)
    ordered, width = np.concatenate([ranks[:0], *map(np.sort, blocks)]), BLOCK
    while width < len(ordered):
        merged = []
        for start in range(0, len(ordered), 2 * width):
            both = ordered[start : start + 2 * width]
            found += int(np.searchsorted(both[:width], both[width:], side="left").sum())
            merged.append(np.sort(both, kind="stable"))
        ordered = np.concatenate(merged)
        width *= 2
    return found
