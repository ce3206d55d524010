"""The deviation of a table that reaches a level at the least cost.

    min  sum_i c_i |d_i|   subject to   M d = 0,   -down_i <= d_i <= up_i,   sign d_p >= level,

with c_i the cost of cell i divided by how far it has to move. One program serves for all levels.
Deviations move few cells, so that each search starts where nothing moves: from the deviation of
another level it would take several times as long.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.solvers.changing import ChangingProgram
from tacita.solvers.duality import size_of
from tacita.tables.dimension import NONE
from tacita.tables.protect.problem import Level, Problem, tolerance

MOVES = 1e-9  # of a level: how far a cell must move to count as moved


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
        from scipy.sparse import hstack

        self.problem = problem
        # A cell is there twice, to move up and to move down: both cost.
        self._room = np.concatenate([problem.up, problem.down])
        matrix = hstack([problem.matrix, -problem.matrix], format="csr")
        self._program = ChangingProgram(matrix, np.zeros(len(self._room)), self._room)
        self._allowed = np.ones(len(problem), bool)

    def cheapest(self, level: Level, cost: Floats, allowed: Mask) -> Deviation | None:
        """Return the deviation that reaches a level at the least cost; None if none does.

        Args:
            level: what is to be reached.
            cost: what it costs that a cell moves.
            allowed: the cells that may move.
        """
        size, room = len(self.problem), self._room
        there, back = (0, size) if level.sign > 0 else (size, 0)
        if level.known == level.cell:
            return None
        if room[there + level.cell] < level.amount - tolerance(level.amount):
            return None
        self._allow(allowed)
        self._hold(level, there, back)
        far = np.maximum(np.minimum(room, level.amount), MOVES * level.amount)
        each = np.tile(cost, 2) / far
        self._program.cost(np.arange(2 * size), each / size_of(each))
        self._program.restart()
        vertex = self._program.minimize()
        self._release(level)
        if vertex is None:
            return None
        moves = vertex.point[:size] - vertex.point[size:]
        moved = np.flatnonzero(np.abs(moves) > MOVES * level.amount)
        return Deviation(moved, moves[moved])

    def _allow(self, allowed: Mask) -> None:
        """Let only some cells move."""
        changed = np.flatnonzero(allowed != self._allowed)
        self._bound(changed, np.where(allowed[changed], 1.0, 0.0))
        self._allowed = allowed.copy()

    def _hold(self, level: Level, there: int, back: int) -> None:
        """Ask a cell to move as far as its level, and one that is known to stay."""
        amount = min(level.amount, float(self._room[there + level.cell]))
        columns = np.array([there, back]) + level.cell
        upper = np.array([self._room[there + level.cell], 0.0])
        self._program.bound(columns, np.array([amount, 0.0]), upper)
        if level.known != NONE:
            self._bound(np.array([level.known]), np.zeros(1))

    def _release(self, level: Level) -> None:
        """Let the cells of a level go again."""
        cells = np.array([cell for cell in (level.cell, level.known) if cell != NONE])
        self._bound(cells, np.where(self._allowed[cells], 1.0, 0.0))

    def _bound(self, cells: Ints, share: Floats) -> None:
        """Let cells move as far as a share of their room."""
        columns = np.concatenate([cells, cells + len(self.problem)])
        room = self._room[columns] * np.tile(share, 2)
        self._program.bound(columns, np.zeros(len(columns)), room)
