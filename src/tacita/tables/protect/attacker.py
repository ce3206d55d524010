"""The attacker of a pattern: how far sensitive cells can be moved, and what would have to be added.

The attacker solves, for a level of a sensitive cell p and a pattern x (between 0 and 1),

    max  sign d_p   subject to   M d = 0,   -down_i x_i <= d_i <= up_i x_i.

If the maximum is below the level, the prices pi of the relations give an inequality that every
pattern which reaches the level fulfils, a capacity cut: with r = sign e_p - pi M,

    sum_i (up_i max(r_i, 0) + down_i max(-r_i, 0)) x_i  >=  level.

Fischetti & Salazar (2001), Solving the cell suppression problem on tabular data with linear
constraints, Management Science 47(7).
"""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.errors import ProtectionError
from tacita.solvers.changing import ChangingProgram, Vertex
from tacita.solvers.lazy_cuts import Cut
from tacita.tables.dimension import NONE
from tacita.tables.protect.problem import Level, Problem, cannot_be_protected, tolerance

NOTHING = 1e-9  # below that the share of a cell in a relaxed pattern is the solver's error
LARGE = 4000  # cells
GRID = 2.0**-40  # of the prices of relations
LITTLE = 1e-6  # of a level: what cells that are left out of an inequality may help in all


class Attacker:
    """Moves sensitive cells as far as a pattern allows.

    Args:
        problem: the cells, relations and levels.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._columns = problem.matrix.tocsc()
        self._build(np.zeros(0, np.int64))
        self.open(problem.is_required.astype(np.float64))

    def cuts(self, pattern: Floats) -> list[Cut]:
        """Return a capacity cut for every level that a pattern does not reach."""
        found = []
        pending = np.ones(len(self.problem.levels), bool)
        self.open(pattern)
        for number, level in enumerate(self.problem.levels):
            if pending[number]:
                vertex = self._attack(level)
                pending &= ~self.problem.reached(vertex.point)
                if pending[number]:
                    pending[number] = False
                    found.append(self._cut(level, vertex))
        return found

    def reaching(self, level: Level) -> Floats | None:
        """Return a deviation within the open pattern that reaches a level; None if none does."""
        vertex = self._attack(level)
        moved = level.sign * vertex.point[level.cell]
        return vertex.point if moved >= level.amount - tolerance(level.amount) else None

    def open(self, pattern: Floats) -> None:
        """Let the cells of a pattern move, those that are only partly in it as far as that."""
        share = np.where(pattern < NOTHING, 0.0, np.minimum(pattern, 1.0))
        # Of a large table a program of what can move is faster by far than one in which the rest is
        # held fast; the prices of a program of all cells make better inequalities.
        cells = np.flatnonzero((share > 0) | (len(self.problem) <= LARGE))
        if not np.array_equal(cells, self._cells):
            self._build(cells)
        self._room = (-self.problem.down * share)[cells], (self.problem.up * share)[cells]
        self._program.bound(np.arange(len(cells)), *self._room)

    def _build(self, cells: Ints) -> None:
        self._cells = cells
        self._place = np.full(len(self.problem), NONE)
        self._place[cells] = np.arange(len(cells))
        matrix = self._columns[:, cells].tocsr()
        self._rows = np.flatnonzero(np.diff(matrix.indptr))
        nowhere = np.zeros(len(cells))
        self._program = ChangingProgram(matrix[self._rows], nowhere, nowhere)

    def _attack(self, level: Level) -> Vertex:
        """Move the cell of a level as far as it goes."""
        cell = self._place[[level.cell]]
        known = self._place[[level.known]] if level.known != NONE else np.zeros(0, np.int64)
        self._program.cost(cell, np.array([-float(level.sign)]))
        self._program.bound(known, np.zeros(len(known)), np.zeros(len(known)))
        vertex = self._program.minimize()
        self._program.cost(cell, np.zeros(1))
        self._program.bound(known, *(room[known] for room in self._room))
        if vertex is None:  # to move nothing fulfils every bound
            raise ProtectionError("The solver found no deviation at all of a table.")
        return self._everywhere(vertex)

    def _everywhere(self, vertex: Vertex) -> Vertex:
        """Return what was found of some cells and relations for all of them."""
        rows, columns = self.problem.matrix.shape
        point, prices = np.zeros(columns), np.zeros(rows)
        point[self._cells], prices[self._rows] = vertex.point, vertex.prices
        return Vertex(vertex.value, point, prices)

    def _cut(self, level: Level, vertex: Vertex) -> Cut:
        """Return the inequality without what is suppressed anyway, its coefficients cut off."""
        problem = self.problem
        reach = self._reach(level, vertex)
        needed = level.amount - float(reach[problem.is_required].sum())
        free = (reach > 0) & ~problem.is_required
        # Cells that hardly help are taken to help in full: they make the search slow.
        hardly = free & (reach <= LITTLE * level.amount / max(int(free.sum()), 1))
        needed -= float(reach[hardly].sum())
        cells = np.flatnonzero(free & ~hardly)
        if not cells.size or needed <= 0:
            raise cannot_be_protected(problem, level)
        return Cut(cells, np.minimum(reach[cells] / needed, 1.0), 1.0)

    def _reach(self, level: Level, vertex: Vertex) -> Floats:
        """Return how far each cell, suppressed, could help to move the cell of a level.

        The inequality holds for any prices of the relations whatever. So the solver's are rounded
        to multiples of a power of two, with which sums are exact: its error does no harm.
        """
        problem = self.problem
        prices = np.round(vertex.prices / GRID) * GRID
        reduced = problem.matrix.T @ prices
        reduced[level.cell] += level.sign
        reach: Floats = np.where(reduced > 0, problem.up * reduced, -problem.down * reduced)
        if level.known != NONE:
            reach[level.known] = 0.0
        return reach
