"""Parts of a table in which cells move anew while all others stay as they are.

A region is what is near to one cell by relations. Its program is that of the whole table (see
`program`), with what others have moved as constants, and with a shortfall s_p of 0 or more for each
sensitive cell that does not reach its level yet:

    p_p >= above_p y_p - s_p,   n_p >= below_p (1 - y_p) - s_p.

A shortfall costs more than any move. So a table that adds up and keeps its bounds, but not yet all
levels, becomes one that does, region by region.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats, Ints, Mask
from tacita.solvers.duality import Rows
from tacita.solvers.integer import Effort
from tacita.solvers.mixed import Mixed, MixedProgram
from tacita.tables.perturb.adjusting.polygons import Polygons
from tacita.tables.perturb.adjusting.scale import scale_of
from tacita.tables.perturb.adjusting.task import NEVER, Task

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DEARER = 1000.0  # what a shortfall costs, against moving the dearest cell as far
REACHED = 1e-6  # how far a move may be off its level by the solver's error
GAP = 1e-4  # of the cost of a region: for less it is not searched


class Region(NamedTuple):
    """Where cells move anew.

    Args:
        cells: the cells, the nearest first.
        free: the numbers of the sensitive cells whose directions may change.
    """

    cells: Ints
    free: Ints


@dataclass(frozen=True, eq=False)
class Attempt:
    """Moves that keep relations and bounds, and perhaps not all levels.

    Args:
        moves: how far each cell moves, as the solver has it.
        rises: which sensitive cells rise, or are to rise.
        is_timed: whether a clock cut the search for it short.
    """

    moves: Floats
    rises: Mask
    is_timed: bool = False


class Regions:
    """Moves cells anew, region by region.

    Args:
        task: the cells, relations and levels.
        polygons: inequalities that make programs easy.
    """

    def __init__(self, task: Task, polygons: Polygons) -> None:
        self.task = task
        self._scale = scale = scale_of(task)
        self._by_cell, self._equations = task.matrix.tocsc(), task.equations.tocsc()
        self._polygons = polygons.matrix().tocsr()
        self._polygons_by_cell = self._polygons.tocsc()
        self._number = np.full(len(task), -1)
        self._number[task.sensitive] = np.arange(len(task.sensitive))
        self._below, self._above = (
            np.where(level < NEVER, level / scale.length, np.inf)
            for level in (task.below, task.above)
        )
        self._down, self._up = task.down / scale.length, task.up / scale.length
        self._penalty = DEARER * float(scale.cost.max(initial=1.0))

    # -- what stands where -------------------------------------------------------------------------

    def everything(self, free: Ints) -> Region:
        """Return the region of all cells."""
        return Region(np.arange(len(self.task)), free)

    def around(self, cell: int, *, cells: int, directions: int) -> Region:
        """Return the region around a cell.

        Args:
            cell: where it begins.
            cells: how many cells it has at least, if there are so many.
            directions: how many directions may change: of the nearest sensitive cells.
        """
        rows, columns = self.task.matrix, self._by_cell
        found, is_seen, is_done = [cell], np.zeros(len(self.task), bool), set[int]()
        is_seen[cell] = True
        for near in found:
            if len(found) >= cells:
                break
            for row in columns.indices[columns.indptr[near] : columns.indptr[near + 1]].tolist():
                if row not in is_done:
                    is_done.add(row)
                    members = rows.indices[rows.indptr[row] : rows.indptr[row + 1]]
                    found += (new := members[~is_seen[members]]).tolist()
                    is_seen[new] = True
        inside = np.array(found)
        numbers = self._number[inside]
        return Region(inside, numbers[numbers >= 0][:directions])

    def attempt(self, moves: Floats, rises: Mask) -> Attempt:
        """Return moves (units) as an attempt."""
        return Attempt(moves / self._scale.length, rises)

    def moves(self, attempt: Attempt) -> Floats:
        """Return the moves of an attempt (units)."""
        return attempt.moves * self._scale.length

    def shortfall(self, attempt: Attempt) -> Floats:
        """Return by how much each sensitive cell misses its level."""
        moved = attempt.moves[self.task.sensitive]
        missed = np.where(attempt.rises, self._above - moved, self._below + moved)
        return np.where(missed > REACHED, missed, 0.0)

    def cost(self, attempt: Attempt) -> float:
        """Return what an attempt costs, its shortfall included."""
        moved = float(product(self._scale.cost, np.abs(attempt.moves)))
        return moved + self._penalty * float(self.shortfall(attempt).sum())

    # -- programs ----------------------------------------------------------------------------------

    def begun(self, rises: Mask, effort: Effort) -> Attempt:
        """Move all cells by directions that may be impossible, as near to all levels as they let.

        Args:
            rises: which sensitive cells are to rise.
            effort: how much may be spent.
        """
        nothing = Attempt(np.zeros(len(self.task)), rises)
        return self.improved(nothing, self.everything(np.zeros(0, np.int64)), effort)

    def improved(self, attempt: Attempt, region: Region, effort: Effort) -> Attempt:
        """Move the cells of a region anew; never to something dearer.

        Args:
            attempt: what there is so far.
            region: where cells move.
            effort: how much may be spent.
        """
        sensitive = self._number[region.cells]
        sensitive = sensitive[sensitive >= 0]
        found = self._solved(attempt, region, sensitive, effort)
        if found is None or found.point is None:
            return Attempt(attempt.moves, attempt.rises, found is not None and found.is_timed)
        size = len(region.cells)
        moves, rises = attempt.moves.copy(), attempt.rises.copy()
        moves[region.cells] = found.point[:size] - found.point[size : 2 * size]
        rises[sensitive] = found.point[2 * size : 2 * size + len(sensitive)] > 1 / 2
        other = Attempt(moves, rises, found.is_timed)
        if self.cost(other) < self.cost(attempt):
            return other
        return Attempt(attempt.moves, attempt.rises, found.is_timed)

    def _solved(
        self, attempt: Attempt, region: Region, sensitive: Ints, effort: Effort
    ) -> Mixed | None:
        cells, moves = region.cells, attempt.moves[region.cells]
        missed = self.shortfall(attempt)[sensitive]
        short = np.flatnonzero(missed)
        rises = attempt.rises[sensitive].astype(np.float64)
        is_free = np.isin(sensitive, region.free)
        is_free &= np.isfinite(self._below[sensitive]) & np.isfinite(self._above[sensitive])
        down, up = self._rooms(attempt, region)
        rows = self._rows(attempt, region, sensitive, short, (down, up))
        costs, none = self._scale.cost[cells], np.zeros(len(short))
        program = MixedProgram(
            np.concatenate([costs, costs, np.zeros(len(sensitive)), none + self._penalty]),
            rows,
            np.concatenate([np.zeros(2 * len(cells)), np.where(is_free, 0.0, rises), none]),
            np.concatenate([up, down, np.where(is_free, 1.0, rises), none + np.inf]),
        )
        start = [np.maximum(moves, 0.0), np.maximum(-moves, 0.0), rises, missed[short]]
        whole = 2 * len(cells) + np.flatnonzero(is_free)
        begun = np.concatenate(start) if whole.size else None
        return program.minimize(whole, start=begun, effort=effort, gap=GAP)

    def _rooms(self, attempt: Attempt, region: Region) -> tuple[Floats, Floats]:
        """Return how far cells of a region may move: where directions change, not too far.

        The farther a cell may move, the weaker is what ties it to its direction.
        """
        down, up = self._down[region.cells], self._up[region.cells]
        if not region.free.size:
            return down, up
        levels = (self._below[region.free], self._above[region.free])
        far = 2.0 * sum(float(level[np.isfinite(level)].sum()) for level in levels)
        far += 2.0 * float(np.abs(attempt.moves[region.cells]).max(initial=0.0))
        return np.minimum(down, far), np.minimum(up, far)

    def _rows(
        self,
        attempt: Attempt,
        region: Region,
        sensitive: Ints,
        short: Ints,
        rooms: tuple[Floats, Floats],
    ) -> Rows:
        """Return relations, polygons, and what ties sensitive cells to their directions."""
        from scipy.sparse import block_array, csr_array, diags_array

        cells, count = region.cells, len(sensitive)
        relations = _touched(self._equations[:, cells].tocsr())[1]
        constant = relations @ attempt.moves[cells]
        polygons, others = self._near_polygons(attempt, region)
        where = np.flatnonzero(self._number[cells] >= 0)
        picks = csr_array((np.ones(count), (np.arange(count), where)), shape=(count, len(cells)))
        shape = count, len(short)
        spare = csr_array((np.ones(len(short)), (short, np.arange(len(short)))), shape=shape)
        below, above = (_finite(level[sensitive]) for level in (self._below, self._above))
        down, up = (room[where] for room in rooms)
        blocks = [
            [relations, -relations, None, None],
            [polygons, polygons, None, None],
            [picks, None, -diags_array(above), spare],
            [picks, None, -diags_array(up), None],
            [None, picks, diags_array(below), spare],
            [None, picks, diags_array(down), None],
        ]
        free, none = np.full(count, np.inf), np.zeros(count)
        least = np.concatenate([constant, others, none, -free, below, -free])
        most = np.concatenate([constant, np.full(len(others), np.inf), free, none, free, down])
        return Rows(block_array(blocks, format="csr"), least, most)

    def _near_polygons(self, attempt: Attempt, region: Region) -> tuple[csr_array, Floats]:
        """Return the polygons of a region, and what the cells outside leave for each."""
        touched, polygons = _touched(self._polygons_by_cell[:, region.cells].tocsr())
        if not region.free.size:  # where no direction is chosen they say nothing new
            touched, polygons = touched[:0], polygons[:0]
        still = np.abs(attempt.moves)
        still[region.cells] = 0.0
        return polygons, -(self._polygons[touched] @ still)


def _touched(matrix: csr_array) -> tuple[Ints, csr_array]:
    """Return the rows that are not empty, and a matrix of them alone."""
    rows = np.flatnonzero(np.diff(matrix.indptr))
    return rows, matrix[rows]


def _finite(level: Floats) -> Floats:
    return np.where(np.isfinite(level), level, 0.0)
