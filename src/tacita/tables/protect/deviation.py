"""The deviation of a table that reaches a level at the least cost, searched near the cell first.

    min  sum_i c_i |d_i|   subject to   M d = 0,   -down_i <= d_i <= up_i,   sign d_p >= level,

with c_i the cost of cell i divided by how far it has to move. Deviations are local: a program of
the cells that are nearest to p along relations often finds a good one, in a fraction of the time of
the whole table's. Where it finds none, more cells are taken, in the end all.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.solvers.changing import ChangingProgram
from tacita.tables.protect.problem import Level, Problem, tolerance

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOVES = 1e-9  # of a level: how far a cell must move to count as moved
STEP = 0.25  # of the median cost: what a step along a relation adds to a distance
WORTH = 2  # times as many cells there must be in all for a search among some to be worth it
SIZES = (1000, 5000)  # cells that are tried, before all of them are


@dataclass(frozen=True, eq=False)
class Deviation:
    """Cells that move, and how far; all others stay.

    Args:
        cells: the cells.
        moves: how far each of them moves.
    """

    cells: Ints
    moves: Floats

    def reached(self, problem: Problem) -> Mask:
        """Tell which levels are reached, but for the solver's error."""
        everywhere = np.zeros(len(problem))
        everywhere[self.cells] = self.moves
        found = problem.reached(everywhere)
        if self._is_possible_backwards(problem):
            found |= problem.reached(-everywhere)
        return found

    def _is_possible_backwards(self, problem: Problem) -> bool:
        up, down = problem.up[self.cells], problem.down[self.cells]
        return bool(((-self.moves <= up) & (self.moves <= down)).all())


class Deviations:
    """Searches deviations of a table.

    Args:
        problem: the cells, relations and levels.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._columns = problem.matrix.tocsc()
        self._least_room = np.minimum(problem.up, problem.down)
        # A step costs something even to a cell that is suppressed anyway, or there is no nearness.
        self._step = STEP * float(np.median(np.append(problem.cost[~problem.is_required], 1.0)))

    def cheapest(self, level: Level, cost: Floats, allowed: Mask) -> Deviation | None:
        """Return the deviation that reaches a level at the least cost; None if none does.

        Args:
            level: what is to be reached.
            cost: what it costs that a cell moves.
            allowed: the cells that may move.
        """
        room = np.minimum(self._least_room, level.amount)
        length = (cost + self._step) * level.amount / np.maximum(room, MOVES * level.amount)
        many = int(allowed.sum())
        for size in [size for size in SIZES if WORTH * size < many]:
            cells = self._nearest(level, length, allowed, size)
            found = self._within(cells, level, cost)
            if found is not None or len(cells) < size:
                return found
        others = np.setdiff1d(np.flatnonzero(allowed), [level.cell, level.known])
        return self._within(np.append(level.cell, others), level, cost)

    def _nearest(self, level: Level, length: Floats, allowed: Mask, size: int) -> Ints:
        """Return the cells that are nearest to a cell along relations, itself the first."""
        rows, columns = self.problem.matrix, self._columns
        found: list[int] = []
        seen_cells, seen_rows = {level.known, level.cell}, set()
        queue = [(0.0, level.cell)]
        while queue and len(found) < size:
            distance, cell = heappop(queue)
            found.append(cell)
            for row in _line(columns, cell):
                if row in seen_rows:
                    continue
                seen_rows.add(row)
                for other in _line(rows, row):
                    if other not in seen_cells and allowed[other]:
                        seen_cells.add(other)
                        heappush(queue, (distance + length[other], other))
        return np.array(found)

    def _within(self, cells: Ints, level: Level, cost: Floats) -> Deviation | None:
        """Search among deviations that move some cells only, of which the level's is the first."""
        from scipy.sparse import hstack

        problem, size = self.problem, len(cells)
        matrix = self._columns[:, cells].tocsr()
        matrix = matrix[np.flatnonzero(np.diff(matrix.indptr))]
        room = np.concatenate([problem.up[cells], problem.down[cells]])
        there, back = (0, size) if level.sign > 0 else (size, 0)
        if room[there] < level.amount - tolerance(level.amount):
            return None
        least = np.zeros(2 * size)
        least[there] = min(level.amount, room[there])
        room[back] = 0.0
        program = ChangingProgram(hstack([matrix, -matrix], format="csr"), least, room)
        far = np.maximum(np.minimum(room, level.amount), MOVES * level.amount)
        program.cost(np.arange(2 * size), np.tile(cost[cells], 2) / far)
        vertex = program.minimize()
        if vertex is None:
            return None
        moves = vertex.point[:size] - vertex.point[size:]
        moved = np.abs(moves) > MOVES * level.amount
        return Deviation(cells[moved], moves[moved])


def _line(matrix: csr_array, number: int) -> list[int]:
    start, stop = matrix.indptr[number : number + 2]
    found: list[int] = matrix.indices[start:stop].tolist()
    return found
