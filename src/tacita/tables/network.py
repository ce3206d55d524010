"""Tables that are networks: their cells are arcs, their relations say that what flows in flows out.

A table of two attributes of which at most one has a hierarchy is such a table: once the relations
that follow from others are left out, every cell is in at most two of those that are left, and their
signs can be chosen so that it has a plus in one and a minus in the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.tables.dimension import NONE

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

AXES = 2


@dataclass(frozen=True, eq=False)
class Network:
    """Cells as arcs between nodes.

    Args:
        tail: the node that each cell takes from.
        head: the node that each cell adds to.
        turn: for each relation, which is a node, -1 if it is multiplied by that, else 1.
    """

    tail: Ints
    head: Ints
    turn: Ints

    @property
    def nodes(self) -> int:
        """How many nodes there are; the last is the ground, which need not be balanced."""
        return len(self.turn) + 1

    def rank(self, cells: Ints) -> int:
        """Return how many of the balances of some cells do not follow from the others."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        tail, head = self.tail[cells], self.head[cells]
        used = np.unique(np.concatenate([tail, head]))
        ends = np.searchsorted(used, tail), np.searchsorted(used, head)
        graph = coo_array((np.ones(len(cells)), ends), shape=(len(used), len(used)))
        # In every connected part one balance follows from the others; the ground has none.
        return len(used) - int(connected_components(graph, directed=False)[0])


def network_of(relations: csr_array) -> Network | None:
    """Read the relations of a table as a network; None if they are none.

    >>> from scipy.sparse import csr_array
    >>> found = network_of(csr_array(np.array([[-1, 1, 1, 0, 0], [0, 0, -1, 1, 1]])))
    >>> found.tail.tolist(), found.head.tolist()
    ([0, 2, 1, 2, 2], [2, 0, 0, 1, 1])
    """
    following = following_relations(relations)
    if following is None:
        return None
    return as_network(relations[np.setdiff1d(np.arange(relations.shape[0]), following)])


def following_relations(relations: csr_array) -> list[int] | None:
    """Return the relations of totals in both directions that follow from others.

    They are those along the attribute without a hierarchy: the sum of the same relations of their
    parts along the other one. None if there are more than two directions or two hierarchies.
    """
    is_total = relations.data == -1
    rows = np.repeat(np.arange(relations.shape[0]), np.diff(relations.indptr))
    if not _are_sums(relations, rows, is_total):
        return None
    total_of = np.full(relations.shape[0], NONE)
    total_of[rows[is_total]] = relations.indices[is_total]
    below = np.bincount(total_of, minlength=relations.shape[1])
    if (below > AXES).any():
        return None
    return _Flat(relations, relations.tocsc(), total_of, below == AXES).relations()


def _are_sums(relations: csr_array, rows: Ints, is_total: Mask) -> bool:
    """Tell whether every relation is one total and its parts."""
    totals = np.bincount(rows[is_total], minlength=relations.shape[0])
    return bool((totals == 1).all() and (relations.data[~is_total] == 1).all())


class _Flat:
    """Looks for the attribute without a hierarchy.

    Args:
        relations: the relations by row.
        by_cell: the same by column.
        total_of: the total of each relation.
        is_double: which cells are totals in both directions.
    """

    def __init__(
        self, relations: csr_array, by_cell: csc_array, total_of: Ints, is_double: Mask
    ) -> None:
        self.matrix, self.by_cell = relations, by_cell
        self.total_of, self.is_double = total_of, is_double
        self.flat: dict[int, int] = {}

    def relations(self) -> list[int] | None:
        """Return the relation along it of every double total; None if there is none."""
        pending = np.flatnonzero(self.is_double).tolist()
        while pending:
            left = [cell for cell in pending if not self._settle(cell)]
            if len(left) == len(pending):
                return None
            pending = left
        return sorted(self.flat.values())

    def _settle(self, cell: int) -> bool:
        """Find the flat relation of a double total, if that of the total above it is known."""
        above = [total for total in self._totals(cell) if self.is_double[total]]
        if not above:
            found = self._at_the_top(cell)
        elif above[0] in self.flat:
            found = self._below(cell, self._parts(self.flat[above[0]]))
        else:
            return False
        if found is not None:
            self.flat[cell] = found
        return found is not None

    def _at_the_top(self, cell: int) -> int | None:
        """Take the relation none of whose parts is a double total."""
        flat = [one for one in self._relations(cell) if not self.is_double[self._parts(one)].any()]
        return flat[-1] if flat else None

    def _below(self, cell: int, higher: Ints) -> int | None:
        """Take the relation whose parts are parts of the parts of a flat one."""
        for one in self._relations(cell):
            if np.isin(self._totals(int(self._parts(one)[0])), higher).any():
                return one
        return None

    def _relations(self, cell: int) -> list[int]:
        """Return the relations of a total."""
        return [row for row in self._rows(cell).tolist() if self.total_of[row] == cell]

    def _totals(self, cell: int) -> list[int]:
        """Return the totals that a cell is a part of."""
        return [total for total in self.total_of[self._rows(cell)].tolist() if total != cell]

    def _rows(self, cell: int) -> Ints:
        start, stop = self.by_cell.indptr[cell : cell + 2]
        rows: Ints = self.by_cell.indices[start:stop]
        return rows

    def _parts(self, relation: int) -> Ints:
        start, stop = self.matrix.indptr[relation : relation + 2]
        cells = self.matrix.indices[start:stop]
        parts: Ints = cells[cells != self.total_of[relation]]
        return parts


def as_network(relations: csr_array) -> Network | None:
    """Read relations, of which every one counts, as a network; None if they are none.

    Every cell leads from the relation in which it has a minus to that in which it has a plus.
    """
    kept = relations.tocsc()
    ground, cells = kept.shape
    counts = np.diff(kept.indptr)
    if (counts > AXES).any() or (np.abs(kept.data) != 1).any():
        return None
    cell_of = np.repeat(np.arange(cells), counts)
    is_turned = _turned(kept, counts)
    if is_turned is None:
        return None
    sign = np.where(is_turned[kept.indices], -kept.data, kept.data)
    tail, head = np.full(cells, ground), np.full(cells, ground)
    tail[cell_of[sign < 0]] = kept.indices[sign < 0]
    head[cell_of[sign > 0]] = kept.indices[sign > 0]
    return Network(tail, head, np.where(is_turned, -1, 1))


def _turned(kept: csc_array, counts: Ints) -> Mask | None:
    """Choose which relations to multiply by -1 so that no cell has the same sign twice.

    Every relation is there twice, as it is and turned. Those that must go together are connected;
    a relation that is connected with itself turned shows that it cannot be done.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = kept.shape[0]
    at = kept.indptr[:-1][counts == AXES]
    one, other = kept.indices[at], kept.indices[at + 1]
    clash = size * (kept.data[at] == kept.data[at + 1])
    ends = np.concatenate([one, one + size]), np.concatenate([other + clash, other + size - clash])
    graph = coo_array((np.ones(len(ends[0]), np.int8), ends), shape=(2 * size, 2 * size))
    part = connected_components(graph.tocsr(), directed=False)[1]
    plain, turned = part[:size], part[size:]
    return None if (plain == turned).any() else plain > turned
