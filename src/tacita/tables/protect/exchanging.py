"""Exchanging: dear secondary suppressions give way to cheaper ones that protect as well."""

from __future__ import annotations

import time
from dataclasses import replace
from math import inf

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.tables.protect.deviation import Deviations
from tacita.tables.protect.greedy import Reached
from tacita.tables.protect.leaning import Leaning
from tacita.tables.protect.merging import Merged
from tacita.tables.protect.problem import (
    Level,
    Problem,
    cannot_be_protected,
    independent,
    tolerance,
)

DEAR = 0.9  # of the cost of a pattern: what is tried, the dearest first
MOST_LEVELS = 50  # that lean on cells which move together: where more do, nothing else will serve
WORTH = 1 - 1e-6  # of what is saved: what may be spent instead
HARDLY = 1e-3  # of its cost that a suppressed cell costs: ways through few of them are better


def exchanged(problem: Problem, pattern: Mask, *, deadline: float = inf) -> Reached:
    """Return a pattern that costs no more: cells that move together are replaced by others.

    Of the cells of a pattern that can only move together the dearest is forbidden. The levels that
    lean on them are reached one after the other by the deviation that costs least to add, in which
    the rest of the pattern is free, but for cells on which no other level leans. If that costs less
    than these cells did, it is done.

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
        cost = np.zeros(len(merged.problem))
        np.add.at(cost, merged.group, within.cost)
        moved = [
            np.concatenate([members[group] for group in groups])
            for groups in _cheapest_ways(merged.problem, cost)
        ]
        leaning = Leaning([moved[number] for number in merged.level_of], len(problem))
        return cls(problem, pattern, leaning), _dearest(problem, members)

    def try_without(self, cells: Ints) -> None:
        """Exchange cells that move together if that saves something."""
        problem, levels = self.problem, self.leaning.on(cells.tolist())
        if not self.pattern[cells].all() or len(levels) > MOST_LEVELS:
            return
        allowed = np.ones(len(problem), bool)
        allowed[cells[problem.cost[cells].argmax()]] = False
        given_up = np.union1d(cells, self._only_for(levels))
        ways = self._ways(levels, given_up, allowed)
        if ways is None:
            return
        self.pattern[given_up] = False
        for level, used in ways.items():
            self.pattern[used] = True
            self.leaning.lean(level, used)

    def _only_for(self, levels: list[int]) -> Ints:
        """Return the secondary cells on which some levels lean and no other."""
        alone = self.leaning.only(levels)
        return alone[self.pattern[alone] & ~self.problem.is_required[alone]]

    def _ways(self, levels: list[int], given_up: Ints, allowed: Mask) -> dict[int, Ints] | None:
        """Return for each of some levels cells that reach it; None if that saves nothing."""
        full = self.problem.cost
        is_new = ~self.pattern
        is_new[given_up] = True
        budget = WORTH * float(full[given_up].sum())
        ways: dict[int, Ints] = {}
        for level in levels:
            if level in ways:
                continue
            cost = np.where(is_new, 1.0, HARDLY) * full
            found = self.deviations.cheapest(self.problem.levels[level], cost, allowed)
            if found is None:
                return None
            budget -= float(full[found.cells[is_new[found.cells]]].sum())
            if budget <= 0:
                return None
            is_new[found.cells] = False
            reached = found.reached(self.problem)
            reached[level] = True
            ways |= {one: found.cells for one in levels if reached[one] and one not in ways}
        return ways


def _cheapest_ways(problem: Problem, cost: Floats) -> list[Ints]:
    """Return for each level the cells of the cheapest deviation that reaches it.

    Each level has its own: of one that serves for many, all of them lean on all its cells, and none
    of these could be exchanged without reaching them all anew. Both sides of a cell may share it.
    """
    deviations, everywhere = Deviations(problem), np.ones(len(problem), bool)
    ways: dict[int, Ints] = {}
    for number, level in enumerate(problem.levels):
        if number in ways:
            continue
        found = deviations.cheapest(level, cost, everywhere) or deviations.cheapest(
            _a_little_less(level), cost, everywhere
        )
        if found is None:
            raise cannot_be_protected(problem, level)
        reached = found.reached(problem) & (problem.level_cells == level.cell)
        reached[number] = True
        for one in np.flatnonzero(reached).tolist():
            ways.setdefault(one, found.cells)
    return [ways[number] for number in range(len(problem.levels))]


def _a_little_less(level: Level) -> Level:
    """Ask for what a pattern reaches of a level that it misses by the solver's error."""
    return level._replace(amount=level.amount - 2 * float(tolerance(level.amount)))


def _dearest(problem: Problem, groups: list[Ints]) -> list[Ints]:
    """Return the secondary cells of groups, dear groups first, that make up most of the cost."""
    secondary = [cells[~problem.is_required[cells]] for cells in groups]
    cost = np.array([float(problem.cost[cells].sum()) for cells in secondary])
    order = np.argsort(-cost, kind="stable")
    before = np.cumsum(cost[order]) - cost[order]
    kept = order[(before < DEAR * cost.sum()) & (cost[order] > 0)]
    return [secondary[group] for group in kept]
