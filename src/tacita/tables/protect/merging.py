"""Cells that can only move together, taken as one.

Where a total has a single part that may go, or only two cells of a row are suppressed, one moves by
as much as the other, up or down. What is left is the same problem with fewer cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.tables.audit.ties import tied
from tacita.tables.dimension import NONE
from tacita.tables.protect.problem import Level, Problem
from tacita.tables.protect.suppression import Solution, Way


@dataclass(frozen=True, eq=False)
class Merged:
    """A problem whose cells are groups of cells of another one.

    Args:
        problem: the problem of the groups; a group costs what its cells cost.
        group: for each cell of the other problem its group.
        level_of: for each level of the other problem the level of the groups from which it follows:
            the largest of its group to the same side.
        spent: what the cells cost that are in groups which are suppressed anyway.
    """

    problem: Problem
    group: Ints
    level_of: Ints
    spent: float

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Merge the cells of a problem that can only move together."""
        ties = tied(problem.matrix, np.zeros(problem.matrix.shape[0]))
        first = _first(problem, ties.group)
        # A group moves as its first cell does, which messages name.
        turn = np.where(ties.sign[first] < 0, -1, 1)
        matrix, group = ties.matrix.copy(), ties.group
        matrix.data *= turn[matrix.indices]
        merging = _Merging(problem, group, ties.sign * turn[group])
        required, (levels, level_of) = merging.is_required(), merging.levels()
        cost = np.bincount(group, problem.cost, matrix.shape[1])
        merged = replace(
            problem,
            places=problem.places[first],
            matrix=matrix,
            down=merging.room(problem.down, problem.up),
            up=merging.room(problem.up, problem.down),
            cost=np.where(required, 0.0, cost),
            is_required=required,
            levels=levels,
            before=merging.before(),
        )
        return cls(merged, group, level_of, float(cost[required].sum()))

    @property
    def stands_for(self) -> Ints:
        """For each level of the groups the level of the other problem that it is."""
        return np.unique(self.level_of, return_index=True)[1]

    def pattern(self, groups: Mask) -> Mask:
        """Return the cells of some groups."""
        cells: Mask = groups[self.group]
        return cells


def solved_by_groups(problem: Problem, way: Way) -> Solution:
    """Solve a problem by way of the groups of cells that can only move together."""
    merged = Merged.of(problem)
    found = way(merged.problem)
    return replace(
        found,
        pattern=merged.pattern(found.pattern) | problem.is_required,
        bound=found.bound + merged.spent,
    )


@dataclass(frozen=True, eq=False)
class _Merging:
    """What groups of cells have in common.

    Args:
        problem: the problem of the cells.
        group: the group of each cell.
        sign: 1 for cells that move as their group does, -1 for those that move against it, 0 for
            those that cannot move.
    """

    problem: Problem
    group: Ints
    sign: Ints

    def is_required(self) -> Mask:
        """Tell which groups must be suppressed: those with a level, and those without a choice."""
        problem, groups = self.problem, int(self.group.max(initial=-1)) + 1
        required: Mask = np.bincount(self.group, ~problem.is_required, groups) == 0
        required[self.group[problem.level_cells]] = True
        return required

    def before(self) -> Mask | None:
        """Tell which groups had a cell that was suppressed in the last period."""
        if self.problem.before is None:
            return None
        groups: Mask = np.bincount(self.group, self.problem.before) > 0
        return groups

    def room(self, along: Floats, against: Floats) -> Floats:
        """Return how far each group can move: as far as all its cells can."""
        own = np.where(self.sign > 0, along, np.where(self.sign < 0, against, 0.0))
        room = np.full(int(self.group.max(initial=-1)) + 1, np.inf)
        np.minimum.at(room, self.group, own)
        return room

    def levels(self) -> tuple[tuple[Level, ...], Ints]:
        """Return the levels of the groups, and for each level of a cell the one it follows from."""
        found: dict[tuple[int, int, int], Level] = {}
        numbers: dict[tuple[int, int, int], int] = {}
        level_of = np.zeros(len(self.problem.levels), np.int64)
        for place, level in enumerate(self.problem.levels):
            cell = int(self.group[level.cell])
            known = NONE if level.known == NONE else int(self.group[level.known])
            # A cell that cannot move is asked to all the same, and said not to be protected.
            sign = int(self.sign[level.cell] or 1) * level.sign
            key = (cell, sign, known)
            # The largest comes first.
            found.setdefault(key, Level(cell, sign, level.amount, known))
            level_of[place] = numbers.setdefault(key, len(numbers))
        return tuple(found.values()), level_of


def _first(problem: Problem, group: Ints) -> Ints:
    """Return a cell of each group, that of the largest level if there is one."""
    cells, with_level = np.arange(len(problem))[::-1], problem.level_cells[::-1]
    found = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
    found[group[cells]] = cells
    found[group[with_level]] = with_level
    return found
