"""Bridges: cells that, suppressed, could not move at all unless others are suppressed with them.

In a cheapest pattern every secondary suppression moves when some level is reached; otherwise it
could be published. Whatever prices pi the relations have, with w = pi M every deviation d has
w d = 0, so that a cell k with w_k != 0 moves only if another cell with w_i != 0 does:

    sum_{i != k, w_i != 0}  x_i  >=  x_k.

With the price of a single relation the inequality says that no cell may be alone in it. Others
are found by linear programs: where  max d_k  subject to  M d = 0, |d_i| <= x_i  is below x_k, its
prices make one.

Fischetti & Salazar (2001), Solving the cell suppression problem on tabular data with linear
constraints, Management Science 47(7).
"""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.solvers.changing import ChangingProgram
from tacita.solvers.lazy_cuts import Cut
from tacita.tables.protect.attacker import GRID, NOTHING
from tacita.tables.protect.problem import Problem

VIOLATED = 1e-3  # how far the sides of an inequality must be apart to be worth adding
MOST = 50  # inequalities at a time


class Bridges:
    """Finds cells of a relaxed pattern that could not move.

    Args:
        problem: the cells, relations and levels.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        still = np.zeros(len(problem))
        self._program = ChangingProgram(problem.matrix, still, still, simplex="primal")

    def cuts(self, pattern: Floats) -> list[Cut]:
        """Return inequalities that a relaxed pattern violates and a cheapest one does not."""
        share = np.clip(np.where(pattern < NOTHING, 0.0, pattern), 0.0, 1.0)
        return self._within_relations(share) or self._by_prices(share)

    def _within_relations(self, share: Floats) -> list[Cut]:
        """Find cells that take more than all others of a relation together."""
        matrix = abs(self.problem.matrix) > 0
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        others = (matrix @ share)[row] - share[matrix.indices]
        free = ~self.problem.is_required[matrix.indices]
        wrong = np.flatnonzero(free & (share[matrix.indices] - others > VIOLATED))
        return [
            _cut(int(matrix.indices[place]), matrix.indices[slice(*matrix.indptr[r : r + 2])])
            for place, r in zip(wrong[:MOST], row[wrong[:MOST]], strict=True)
        ]

    def _by_prices(self, share: Floats) -> list[Cut]:
        """Find cells that several relations together hold."""
        self._program.bound(np.arange(len(share)), -share, share)
        halves = np.flatnonzero(~self.problem.is_required & (share > VIOLATED))
        halves = halves[np.argsort(np.abs(share[halves] - 1 / 2), kind="stable")][:MOST]
        found = []
        for cell in halves.tolist():
            members = self._held_with(cell, share)
            if cell in members and share[members].sum() - 2 * share[cell] < -VIOLATED:
                found.append(_cut(cell, members))
        return found

    def _held_with(self, cell: int, share: Floats) -> Ints:
        """Return the cells of the combination of relations that holds a cell; none if it moves."""
        column = np.array([cell])
        self._program.cost(column, np.array([-1.0]))
        vertex = self._program.minimize()
        self._program.cost(column, np.zeros(1))
        if vertex is None or -vertex.value >= share[cell] - VIOLATED:
            return np.zeros(0, np.int64)
        prices = np.round(vertex.prices / GRID) * GRID
        members: Ints = np.flatnonzero(self.problem.matrix.T @ prices)
        return members


def _cut(cell: int, members: Ints) -> Cut:
    """Say that a cell is not suppressed alone among some, of which it is one."""
    others = members[members != cell]
    return Cut(np.append(others, cell), np.append(np.ones(len(others)), -1.0), 0.0)
