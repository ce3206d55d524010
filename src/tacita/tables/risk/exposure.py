"""What an intruder gets to know of the cells of a published table, beside what must be hidden."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from tacita.data.classes import Floats, Mask
from tacita.tables.pairing import Pair, Tables, paired

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
    """

    pair: Pair
    lower: Floats
    upper: Floats
    disclosed: Mask
    by_arithmetic: Mask
    is_protected: Mask

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

    Intervals come from what is published alone. Only the verdict on them looks at the truth.

    Args:
        original: the table, or linked tables, that hold truth and protection levels.
        published: what a reader sees of them.
    """
    from tacita.tables.audit.audit import audit

    pair = paired(original, published)
    system, rows = published.system(), pair.rows
    told: dict[str, Any] = {name: np.zeros(len(rows)) for name in LEVELS}
    for name in LEVELS:
        told[name][rows] = getattr(pair.truth, name)
    value, status = system.cells.value.copy(), system.cells.status.copy()
    value[rows] = np.where(pair.hidden, pair.truth.value, value[rows])
    status[rows] = np.where(pair.primary, pair.truth.status, status[rows])
    cells = replace(system.cells, value=value, status=status, **told)
    found = audit(replace(system, cells=cells))
    return Exposure(
        pair,
        found.lower[rows],
        found.upper[rows],
        found.disclosed[rows],
        found.by_arithmetic[rows],
        found.is_protected[rows],
    )
