"""Releasing what a pattern does not need: every secondary suppression is tried, dear ones first."""

from __future__ import annotations

import time
from math import inf

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.tables.protect.deviation import Deviations
from tacita.tables.protect.greedy import Reached
from tacita.tables.protect.problem import Problem


def cleaned(problem: Problem, reached: Reached, *, deadline: float = inf) -> Mask:
    """Return a pattern without cells that can be published one by one while all levels hold.

    For every level the cells are kept on which it leans: those that move when it is reached. A cell
    on which none leans can be published at once; otherwise the levels that lean on it must be
    reached in another way, which avoids cells that are still to be tried.

    Args:
        problem: the cells, relations and levels.
        reached: a pattern that reaches every level.
        deadline: when no further cell is tried, on the clock of `time.monotonic`; the pattern so
            far reaches every level.
    """
    cleaning = _Cleaning(problem, reached)
    order = np.argsort(-problem.cost, kind="stable")
    for cell in order[reached.pattern[order] & ~problem.is_required[order]]:
        if time.monotonic() >= deadline:
            break
        cleaning.try_without(int(cell))
    return cleaning.pattern


class _Cleaning:
    def __init__(self, problem: Problem, reached: Reached) -> None:
        self.problem = problem
        self.deviations = Deviations(problem)
        self.pattern = reached.pattern.copy()
        self.cost = np.where(problem.is_required, 0.0, problem.cost)
        self.stopped = np.zeros(len(problem.levels), np.int64)
        self.leans_on = list(reached.leans_on)
        self.leaning: list[set[int]] = [set() for _ in range(len(problem))]
        for level, cells in enumerate(reached.leans_on):
            for cell in cells.tolist():
                self.leaning[cell].add(level)

    def try_without(self, cell: int) -> None:
        """Publish a cell if every level that leans on it can be reached without it."""
        self.pattern[cell] = False
        # The levels that have stopped most releases so far come first: they will stop this one.
        leaning = sorted(self.leaning[cell], key=lambda level: (-self.stopped[level], level))
        ways = self.ways_of(leaning)
        if ways is None:
            self.pattern[cell] = True
            self.cost[cell] = 0.0
            return
        for level, cells in ways.items():
            self.lean(level, cells)

    def ways_of(self, levels: list[int]) -> dict[int, Ints] | None:
        """Return for each of some levels cells that reach it; None if one cannot be reached."""
        ways: dict[int, Ints] = {}
        for level in levels:
            if level not in ways:
                found = self.deviations.cheapest(
                    self.problem.levels[level], self.cost, self.pattern
                )
                if found is None:
                    self.stopped[level] += 1
                    return None
                reached = found.reached(self.problem)
                reached[level] = True
                ways |= {other: found.cells for other in levels if reached[other]}
        return ways

    def lean(self, level: int, cells: Ints) -> None:
        """Let a level lean on other cells than before."""
        for cell in self.leans_on[level].tolist():
            self.leaning[cell].discard(level)
        for cell in cells.tolist():
            self.leaning[cell].add(level)
        self.leans_on[level] = cells
