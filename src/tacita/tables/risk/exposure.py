"""What an intruder gets to know of the cells of a published table, beside what must be hidden."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.data.classes import Floats, Mask
from tacita.data.decimals import decimals_of
from tacita.tables.linked import LinkedTables
from tacita.tables.pairing import Pair, Tables, paired
from tacita.tables.system import System

if TYPE_CHECKING:
    from tacita.tables.audit.audit import TableAudit

LEVELS = ("lower_level", "upper_level", "sliding_level")


@dataclass(frozen=True, eq=False)
class Exposure:
    """What the audit of a published table finds, in the order of the original's cells.

    Args:
        pair: the table and what was published of it.
        lower: the least that each cell can be, as far as a reader can tell; its value if it is
            published.
        upper: the most it can be.
        disclosed: the suppressed cells that have one possible value.
        by_arithmetic: those of them whose value follows by adding and subtracting alone.
        is_protected: the suppressed cells that are possible as far from their value as their
            protection levels ask.
        hidden_by: how true values were hidden: `suppressed` or `perturbed`.
    """

    pair: Pair
    lower: Floats
    upper: Floats
    disclosed: Mask
    by_arithmetic: Mask
    is_protected: Mask
    hidden_by: str = "suppressed"

    @property
    def exposed(self) -> Mask:
        """The sensitive cells that are published, disclosed or not protected as far as asked."""
        hidden = self.pair.hidden & self.is_protected & ~self.disclosed
        return self.pair.truth.sensitive & ~hidden

    @property
    def width(self) -> Floats:
        """How wide the interval of each cell is."""
        return self.upper - self.lower


@lru_cache(maxsize=2)
def exposed(original: Tables, published: Tables) -> Exposure:
    """Audit a published table; several measures of the same tables share one audit.

    Intervals come from what is published alone. Only the verdict on them looks at the truth. Of a
    perturbed table every true value counts as hidden, within the bounds that its method leaves.

    Args:
        original: the table, or linked tables, that hold truth and protection levels.
        published: what a reader sees of them.
    """
    from tacita.tables.audit.audit import audit

    pair = paired(original, published.as_known())
    found, rows = audit(_with_truth(pair, published)), pair.rows
    return Exposure(
        pair,
        found.lower[rows],
        found.upper[rows],
        found.disclosed[rows],
        found.by_arithmetic[rows],
        found.is_protected[rows],
        "suppressed" if published.perturbed_by is None else "perturbed",
    )


def audit_beside(original: Tables, published: Tables) -> TableAudit:
    """Audit a published table, with the verdict on each cell by the levels of the original.

    Args:
        original: the table, or linked tables, that hold truth and protection levels.
        published: what a reader sees of them.
    """
    from tacita.tables.audit.audit import audit

    return audit(_with_truth(paired(original, published.as_known()), published))


def _with_truth(pair: Pair, published: Tables) -> System:
    """Return what a reader knows, and beside it the truth to judge it by."""
    system, rows = published.as_known().system(), pair.rows
    told: dict[str, Any] = {name: np.zeros(len(rows)) for name in LEVELS}
    for name in LEVELS:
        told[name][rows] = getattr(pair.truth, name)
    value, status = system.cells.value.copy(), system.cells.status.copy()
    value[rows] = np.where(pair.hidden, pair.truth.value, value[rows])
    status[rows] = np.where(pair.primary, pair.truth.status, status[rows])
    made = replace(system, cells=replace(system.cells, value=value, status=status, **told))
    return made if published.perturbed_by is None else _in_whole_counts(made, published)


def _in_whole_counts(system: System, published: Tables) -> System:
    """Return what a reader of perturbed tables knows, who knows as well that counts are whole."""
    tables = published if isinstance(published, LinkedTables) else (published,)
    # Perturbed values do not tell how many decimals the true ones have.
    decimals, cells = decimals_of(system.cells.value), system.cells
    if decimals != 0 or any(table.statistic != "count" for table in tables):
        return replace(system, decimals=decimals)
    lower, upper = np.ceil(cells.lower_bound), np.floor(cells.upper_bound)
    return replace(system, cells=replace(cells, lower_bound=lower, upper_bound=upper), decimals=0)
