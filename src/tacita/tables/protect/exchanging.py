"""Exchanging: dear secondary suppressions give way to cheaper ones that protect as well."""

from __future__ import annotations

import time
from dataclasses import replace
from math import inf

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.tables.protect.deviation import Deviations
from tacita.tables.protect.greedy import Reached, levels_reached
from tacita.tables.protect.leaning import Leaning
from tacita.tables.protect.merging import Merged
from tacita.tables.protect.problem import Problem, independent

DEAR = 0.9  # of the cost of a pattern: what is tried, the dearest first
FEW_LEVELS = 20  # that lean on cells which move with a sensitive one: more are not tried
WORTH = 1 - 1e-6  # of what is saved: what may be spent instead


def exchanged(problem: Problem, pattern: Mask, *, deadline: float = inf) -> Reached:
    """Return a pattern that costs no more: cells that move together are replaced by others.

    Of the cells of a pattern that can only move together the dearest is forbidden. The levels that
    lean on them are reached one after the other by the deviation that costs least to add, in which
    the rest of the pattern is free. If that costs less than these cells did, it is done.

    Args:
        problem: the cells, relations and levels.
        pattern: cells that reach every level.
        deadline: when no further cells are tried, on the clock of `time.monotonic`.
    """
    exchange, together = _Exchange.of(problem, pattern)
    for cells in together:
        if time.monotonic() >= deadline:
            break
        exchange.try_without(cells)
    return Reached(exchange.pattern, exchange.leaning.leans_on)


class _Exchange:
    """A pattern in which cells are exchanged.

    Args:
        problem: the cells, relations and levels.
        pattern: cells that reach every level.
        leaning: on which of them each level leans.
    """

    def __init__(self, problem: Problem, pattern: Mask, leaning: Leaning) -> None:
        self.problem, self.pattern, self.leaning = problem, pattern.copy(), leaning
        self.deviations = Deviations(problem)

    @classmethod
    def of(cls, problem: Problem, pattern: Mask) -> tuple[_Exchange, list[Ints]]:
        """Begin with a pattern; return its secondary cells too, those that move together."""
        cells = np.flatnonzero(pattern)
        within = problem.only(cells)
        merged = Merged.of(replace(within, matrix=independent(within.matrix)))
        order = np.argsort(merged.group, kind="stable")
        ends = np.cumsum(np.bincount(merged.group, minlength=len(merged.problem)))
        members = [cells[part] for part in np.split(order, ends[:-1])]
        moved = [
            np.concatenate([members[group] for group in groups])
            for groups in levels_reached(merged.problem).leans_on
        ]
        leaning = Leaning([moved[number] for number in merged.level_of], len(problem))
        held = merged.problem.is_required
        free = [members[group] for group in np.flatnonzero(~held)]
        # Where a sensitive cell moves with others, often all that is near leans on them.
        few = [
            members[group]
            for group in np.flatnonzero(held)
            if len(leaning.on(members[group].tolist())) <= FEW_LEVELS
        ]
        exchange = cls(problem, pattern, leaning)
        return exchange, [*_dearest(problem, free), *_dearest(problem, few)]

    def try_without(self, cells: Ints) -> None:
        """Exchange cells that move together if that saves something."""
        own, levels = self.problem.cost[cells], self.leaning.on(cells.tolist())
        if not self.pattern[cells].all():
            return
        cost = np.where(self.pattern, 0.0, self.problem.cost)
        cost[cells] = own
        allowed = np.ones(len(self.problem), bool)
        allowed[cells[own.argmax()]] = False
        ways = self._ways(levels, cost, allowed, WORTH * own.sum())
        if ways is None:
            return
        self.pattern[cells] = False
        for level, used in ways.items():
            self.pattern[used] = True
            self.leaning.lean(level, used)

    def _ways(
        self, levels: list[int], cost: Floats, allowed: Mask, budget: float
    ) -> dict[int, Ints] | None:
        """Return for each of some levels cells that reach it; None if that costs too much."""
        ways: dict[int, Ints] = {}
        for level in levels:
            if level in ways:
                continue
            found = self.deviations.cheapest(self.problem.levels[level], cost, allowed)
            budget -= np.inf if found is None else float(cost[found.cells].sum())
            if found is None or budget <= 0:
                return None
            cost[found.cells] = 0.0
            reached = found.reached(self.problem)
            reached[level] = True
            ways |= {one: found.cells for one in levels if reached[one] and one not in ways}
        return ways


def _dearest(problem: Problem, groups: list[Ints]) -> list[Ints]:
    """Return the secondary cells of groups, dear groups first, that make up most of the cost."""
    secondary = [cells[~problem.is_required[cells]] for cells in groups]
    cost = np.array([float(problem.cost[cells].sum()) for cells in secondary])
    order = np.argsort(-cost, kind="stable")
    before = np.cumsum(cost[order]) - cost[order]
    kept = order[(before < DEAR * cost.sum()) & (cost[order] > 0)]
    return [secondary[group] for group in kept]
