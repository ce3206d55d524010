"""A rounding brought closer to the truth, one neighbourhood of cells after another.

All cells keep their values but some hundreds or thousands that have many relations in common: a
relation with one free cell only moves nothing. What these can do best is a small integer program.
First come neighbourhoods of cells that left the rung, then those of cells that are far from where a
linear program puts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import ProtectionError
from tacita.solvers.integer import integer_optimum
from tacita.tables.perturb.rounding.limits import Limits
from tacita.tables.perturb.rounding.problem import Program

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

SMALLEST, LARGEST = 1000, 2250  # cells of a neighbourhood: the search of more is slow
GROWTH = 1.5
PATIENCE = 20  # neighbourhoods without any use, before they become larger
TRIES = 600
GAP = 1e-3  # of the costs of a neighbourhood: what is not worth the search
NODES = 20  # of the search in each of them


@dataclass(frozen=True, eq=False)
class Guide:
    """Where a linear program puts the cells.

    Args:
        steps: how many steps it takes each cell.
        firmness: how much it would cost to move each cell from there, 1 for the dearest.
    """

    steps: Floats
    firmness: Floats


def improved(
    program: Program, point: Ints, relations: csr_array, guide: Guide, limits: Limits
) -> Ints:
    """Return a point that costs less, or the same.

    Args:
        program: a program that totals may leave at a price.
        point: whole steps that fulfil all relations.
        relations: one row a relation, one column a cell.
        guide: where cells would best be.
        limits: its deadline.
    """
    search = _Search(program, relations, guide)
    size, idle = SMALLEST, 0
    for _ in range(TRIES):
        if limits.is_over:
            break
        better = search.around(point, search.seed(point), size, limits)
        idle = idle + 1 if better is None else 0
        point = point if better is None else better
        if idle == PATIENCE:
            if size == LARGEST:
                break
            size, idle = min(int(size * GROWTH), LARGEST), 0
    return point


class _Search:
    """Chooses neighbourhoods, and searches them.

    Args:
        program: what is searched.
        relations: one row a relation, one column a cell.
        guide: where cells would best be.
    """

    def __init__(self, program: Program, relations: csr_array, guide: Guide) -> None:
        self.program, self.relations, self.guide = program, relations, guide
        self.tried = np.zeros(relations.shape[1])

    @cached_property
    def by_cell(self) -> csc_array:
        """The relations of each cell."""
        return self.relations.tocsc()

    @cached_property
    def by_variable(self) -> csc_array:
        """The relations of each variable."""
        return self.program.matrix.tocsc()

    def seed(self, point: Ints) -> int:
        """Return the cell that most wants to be elsewhere, of those that had their turn least."""
        cells = len(self.tried)
        left = np.bincount(self.program.cell, self.program.is_escape * point, cells)
        wish = np.abs(self.program.steps(point, cells) - self.guide.steps)
        wish *= 0.1 + self.guide.firmness
        wish = left if left.any() else wish
        return int(np.argmax(wish / (1 + self.tried) ** 2))

    def around(self, point: Ints, seed: int, size: int, limits: Limits) -> Ints | None:
        """Search a neighbourhood; None if nothing in it is better."""
        program = self.program
        may = ~program.is_escape | (point > 0)
        is_free = may & self._grown(seed, size, program.cell[may])[program.cell]
        free = np.flatnonzero(is_free)
        matrix = self.by_variable[:, free]
        rows = np.unique(matrix.indices)
        rhs = program.rhs - program.matrix @ np.where(is_free, 0, point)
        try:
            found = integer_optimum(
                program.cost[free],
                matrix.tocsr()[rows],
                rhs[rows],
                program.lower[free],
                program.upper[free],
                direction="minimize",
                effort=limits.effort(NODES),
                start=point[free],
                gap=GAP,
            )
        except ProtectionError:
            return None  # the solver's own rounding: the point itself is there
        cost = program.cost[free]
        if found.point is None or cost @ found.point >= cost @ point[free]:
            return None
        better = point.copy()
        better[free] = found.point
        return better

    def _grown(self, seed: int, size: int, movable: Ints) -> Mask:
        """Grow a neighbourhood by the cells that have the fewest relations to others than its own.

        Of equal ones those come first that can be moved cheaply, and had their turn less often.
        """
        matrix, by_cell = self.relations, self.by_cell
        waiting = self.tried / (1 + self.tried.max())
        links = np.diff(by_cell.indptr) + 0.6 * self.guide.firmness + 0.3 * waiting
        far = np.full(len(links), np.inf)
        far[movable] = links[movable]
        far[seed] = -1.0
        is_met = np.zeros(matrix.shape[0], bool)
        is_in = np.zeros(len(far), bool)
        for _ in range(size):
            cell = int(np.argmin(far))
            if far[cell] == np.inf:
                break
            is_in[cell], far[cell] = True, np.inf
            rows = by_cell.indices[by_cell.indptr[cell] : by_cell.indptr[cell + 1]]
            for row in rows[~is_met[rows]].tolist():
                is_met[row] = True
                far[matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]] -= 1
        self.tried[is_in] += 1
        return is_in
