"""Releasing what a pattern does not need: every secondary suppression is tried, dear ones first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.solvers.lazy_cuts import Cut
from tacita.tables.protect.deviation import Deviations
from tacita.tables.protect.greedy import Reached
from tacita.tables.protect.leaning import Leaning
from tacita.tables.protect.merging import Merged
from tacita.tables.protect.problem import Problem, independent

if TYPE_CHECKING:
    from scipy.sparse import csc_array

SMALL = 1000  # cells that are not worth to be merged anew
CLEARLY = 1e-6  # how far below 1 the left side of a cut must be for a cell to be needed


def cleaned(
    problem: Problem, reached: Reached, *, cuts: Sequence[Cut] = (), deadline: float = inf
) -> Mask:
    """Return a pattern without cells that can be published one by one while all levels hold.

    Within a pattern many cells can only move together, and are released together or not at all;
    those that move with a sensitive cell are needed. For every level the cells are kept on which it
    leans: those that move when it is reached. A cell on which none leans can be published at once;
    otherwise the levels that lean on it must be reached in another way, which avoids cells that are
    still to be tried. A cell without which a cut does not hold is needed, and not tried.

    Args:
        problem: the cells, relations and levels.
        reached: a pattern that reaches every level.
        cuts: inequalities that every pattern which reaches all levels fulfils.
        deadline: when no further cell is tried, on the clock of `time.monotonic`; the pattern so
            far reaches every level.
    """
    return _cleaned(problem, reached, _Needed.of(cuts, len(problem)), deadline)


def _cleaned(problem: Problem, reached: Reached, needed: _Needed, deadline: float) -> Mask:
    """Clean a pattern; once half of it is gone, what is left is merged anew, which is faster."""
    cells = np.flatnonzero(reached.pattern)
    within = problem.only(cells)
    merged = Merged.of(replace(within, matrix=independent(within.matrix)))
    leans_on = _leaning(problem, cells, merged, reached)
    cleaning = _Cleaning(merged.problem, leans_on, needed.by_groups(cells, merged.group))
    groups = cleaning.pattern
    if not cleaning.release_half(deadline):
        left = Reached(groups, cleaning.leaning.leans_on)
        groups = _cleaned(cleaning.rest(), left, cleaning.needed, deadline)
    pattern = problem.is_required.copy()
    pattern[cells] |= merged.pattern(groups)
    return pattern


def _leaning(problem: Problem, cells: Ints, merged: Merged, reached: Reached) -> list[Ints]:
    """Return for each level within a pattern the groups that move when it is reached."""
    group_of = np.full(len(problem), -1)
    group_of[cells] = merged.group
    return [np.unique(group_of[reached.leans_on[level]]) for level in merged.stands_for]


@dataclass(frozen=True, eq=False)
class _Needed:
    """Tells which cells a pattern cannot do without, by inequalities it must fulfil.

    Args:
        matrix: what each cell, suppressed, adds to the left side of each inequality.
        ahead: how far the left sides are above the right ones.
    """

    matrix: csc_array
    ahead: Floats

    @classmethod
    def of(cls, cuts: Sequence[Cut], cells: int) -> _Needed:
        """Look at all cells as suppressed."""
        from scipy.sparse import csc_array

        nothing = np.zeros(0, np.int64)
        row = np.repeat(np.arange(len(cuts)), [len(cut.indices) for cut in cuts])
        column = np.concatenate([nothing, *(cut.indices for cut in cuts)])
        left = np.concatenate([np.zeros(0), *(cut.coefficients for cut in cuts)])
        matrix = csc_array((left, (row, column)), shape=(len(cuts), cells))
        return cls(matrix, matrix.sum(axis=1) - np.array([cut.lower for cut in cuts]))

    def by_groups(self, cells: Ints, group: Ints) -> _Needed:
        """Look at groups of some of the cells; the others are published."""
        from scipy.sparse import csc_array

        kept = self.matrix[:, cells]
        gone = self.matrix.sum(axis=1) - kept.sum(axis=1)
        shape = (len(cells), int(group.max(initial=-1)) + 1)
        joining = csc_array((np.ones(len(cells)), (np.arange(len(cells)), group)), shape=shape)
        return _Needed((kept @ joining).tocsc(), self.ahead - gone)

    def is_needed(self, cell: int) -> bool:
        """Tell whether an inequality would not hold without a cell."""
        rows, left = self._column(cell)
        return bool((self.ahead[rows] - left < -CLEARLY).any())

    def release(self, cell: int) -> None:
        """Take a cell out of the pattern."""
        rows, left = self._column(cell)
        self.ahead[rows] -= left

    def _column(self, cell: int) -> tuple[Ints, Floats]:
        entries = slice(*self.matrix.indptr[cell : cell + 2])
        return self.matrix.indices[entries], self.matrix.data[entries]


class _Cleaning:
    """Tries cells one by one.

    Args:
        problem: the problem within a pattern.
        leans_on: for each level the cells that move when it is reached.
        needed: what inequalities say.
    """

    def __init__(self, problem: Problem, leans_on: list[Ints], needed: _Needed) -> None:
        self.problem = problem
        self.needed = needed
        self.deviations = Deviations(problem)
        self.pattern = np.ones(len(problem), bool)
        self.is_tried = problem.is_required.copy()
        self.stopped = np.zeros(len(problem.levels), np.int64)
        self.leaning = Leaning(leans_on, len(problem))

    def release_half(self, deadline: float) -> bool:
        """Try cells until half of them are gone; tell whether all were tried, or time is up."""
        order = np.argsort(-self.problem.cost, kind="stable")
        left = len(self.problem)
        for cell in order[~self.is_tried[order]].tolist():
            if time.monotonic() >= deadline:
                return True
            left -= self.try_without(cell)
            if 2 * left < len(self.problem) and len(self.problem) > SMALL:
                return False
        return True

    def rest(self) -> Problem:
        """Return the problem in which cells that are found to be needed are suppressed anyway."""
        cost = np.where(self.is_tried, 0.0, self.problem.cost)
        return replace(self.problem, cost=cost, is_required=self.is_tried & self.pattern)

    def try_without(self, cell: int) -> bool:
        """Publish a cell if every level that leans on it can be reached without it."""
        self.is_tried[cell] = True
        self.pattern[cell] = False
        # The levels that have stopped most releases so far come first: they will stop this one.
        leaning = sorted(self.leaning.on([cell]), key=lambda level: (-self.stopped[level], level))
        ways = None if self.needed.is_needed(cell) else self.ways_of(leaning)
        if ways is None:
            self.pattern[cell] = True
            return False
        self.needed.release(cell)
        for level, cells in ways.items():
            self.leaning.lean(level, cells)
        return True

    def ways_of(self, levels: list[int]) -> dict[int, Ints] | None:
        """Return for each of some levels cells that reach it; None if one cannot be reached."""
        ways: dict[int, Ints] = {}
        cost = np.where(self.is_tried, 0.0, self.problem.cost)
        for level in levels:
            if level not in ways:
                found = self.deviations.cheapest(self.problem.levels[level], cost, self.pattern)
                if found is None:
                    self.stopped[level] += 1
                    return None
                reached = found.reached(self.problem)
                reached[level] = True
                ways |= {other: found.cells for other in levels if reached[other]}
        return ways
