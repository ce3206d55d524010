"""Every cell as a sum of inner cells: those that are no total."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Ints
from tacita.errors import ParameterError
from tacita.tables.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Inner:
    """The inner cells of a system.

    Args:
        cells: their places.
        sums: one row a cell of the system, one column an inner cell: 1 where it is a part.
    """

    cells: Ints
    sums: csr_array

    @property
    def deepest(self) -> int:
        """In how many cells an inner cell counts, itself among them, at most."""
        return int(self.sums.sum(axis=0).max()) if len(self.cells) else 0


def inner_cells(system: System) -> Inner:
    """Find the inner cells, and which of them every total is the sum of.

    Raises:
        ParameterError: totals are sums of different inner cells, as in linked tables.

    >>> from tacita.tables.ready import grid_table
    >>> inner = inner_cells(grid_table("t", {"x": [1, 2], "y": [3, 4]}, ["u", "v"]).system())
    >>> inner.cells, inner.sums.toarray()[0], inner.deepest
    (array([4, 5, 7, 8]), array([1, 1, 1, 1]), 4)
    """
    from scipy.sparse import csr_array

    places = np.arange(len(system))
    parts, totals = _first_parts(system)
    cells = np.setdiff1d(places, totals)
    own = csr_array(
        (np.ones(len(cells), np.int64), (cells, np.arange(len(cells)))), (len(system), len(cells))
    )
    sums = own
    for _ in range(len(totals)):  # one level a turn, and no more levels than totals
        deeper = own + parts @ sums
        if not (sums != deeper).nnz:
            break
        sums = deeper
    if system.rhs.any() or (system.relations @ sums).count_nonzero():
        raise ParameterError(
            "Not every total is the sum of the same inner cells, as in linked tables; take one "
            "table at a time, or a finer one that they all are sums of."
        )
    return Inner(cells, sums)


def _first_parts(system: System) -> tuple[csr_array, Ints]:
    """Return for every total the parts that the first relation about it names."""
    from scipy.sparse import csr_array

    relations = system.relations.tocoo()
    is_total = relations.data < 0
    totals, at = np.unique(relations.col[is_total], return_index=True)
    of_row = np.full(relations.shape[0], -1)
    of_row[relations.row[is_total][at]] = totals
    used = ~is_total & (of_row[relations.row] >= 0)
    entries = relations.data[used], (of_row[relations.row[used]], relations.col[used])
    return csr_array(entries, (len(system), len(system)), dtype=np.int64), totals
