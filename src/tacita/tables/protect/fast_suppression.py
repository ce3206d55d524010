"""Fast cell suppression: linear programs only, for large tables."""

from __future__ import annotations

import time
from dataclasses import replace
from math import inf
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Mask
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.tables.network import Network, network_of
from tacita.tables.protect.bounding import ROUNDS, Bound, lower_bound
from tacita.tables.protect.cleaning import cleaned
from tacita.tables.protect.exchanging import exchanged
from tacita.tables.protect.greedy import levels_reached
from tacita.tables.protect.merging import solved_by_groups
from tacita.tables.protect.network_suppression import is_part_of, network_solution
from tacita.tables.protect.options import CostField, SafetyRange, SingletonsField, TimeLimit
from tacita.tables.protect.problem import Problem
from tacita.tables.protect.suppression import SAME, Solution, Suppression, suppress
from tacita.tables.system import System

ATTACKS = 25_000  # on single levels that a bound is worth; of a large table it is far from tight
FEW_ROUNDS = 4
MANY = 40_000  # cells of a two-way table from which on linear programs take minutes
LEFT = 0.01  # of its cost that a cell still costs which the relaxation takes whole
SHARE = 0.1  # of a cell: what the relaxation takes more of is worth trying
TIGHT = 0.8  # of the cost of a pattern: a relaxation that comes to less misleads
KEPT = 0.3  # of its cost that a cell costs which the first pattern has, when another one is made


class FastSuppression(Method):
    """Suppress cells by linear programs: safe to the required levels, close to the least loss.

    The levels are reached one after the other by the deviation of the table that costs least to
    add; then every cell that is not needed is released, dear ones first. A relaxation, in which
    cells may be suppressed in part, gives a lower bound on the loss and a hint which cells to take:
    led by it, and by the pattern found, all is done again. Last, dear cells are exchanged for
    cheaper ones where that protects as well. The result passes the audit of the whole table.

    On tables of some thousand cells it is usually within 1 or 2 percent of the optimum; how far
    it is at most from it is told. Two-way tables of more than 40,000 cells are protected by paths
    in a graph, as `network_suppression` does. The same table gives the same pattern, unless a time
    limit stops the release of cells.

    >>> from tacita.tables.ready import grid_table
    >>> inside = {"x": [10, 20], "y": [30, 40]}
    >>> table = grid_table("t", inside, ["u", "v"], sensitive=[("x", "u")])
    >>> FastSuppression().protect(table.system()).secondary
    array([5, 7, 8])
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Kelly, J. P., Golden, B. L. and Assad, A. A. (1992). Cell suppression: disclosure "
        "protection for sensitive tabular data. Networks 22(4), 397-417."
    )
    missing: ClassVar[str] = "The value of every cell must be known."

    cost: CostField = "value"
    rounds: Annotated[
        int | None,
        Field(
            ge=1,
            description="How often the relaxation is attacked for the bound, at most; when left "
            "out, 100 times where there are few levels to reach, and down to 4 where there are "
            "many.",
        ),
    ] = None
    time_limit: TimeLimit = None
    singletons: SingletonsField = "ignored"
    safety_range: SafetyRange = 0.0

    def protect(self, system: System, preferred: Mask | None = None) -> Suppression:
        """Protect every sensitive cell."""
        network = network_of(system.relations) if len(system) > MANY else None
        return suppress(
            system,
            lambda problem: self._solution(problem, network),
            cost=self.cost,
            singletons=self.singletons,
            safety_range=self.safety_range,
            preferred=preferred,
        )

    def _solution(self, problem: Problem, network: Network | None) -> Solution:
        """Search paths in a large two-way table, and solve linear programs for any other."""
        if network is not None and len(problem) > MANY and is_part_of(network, problem):
            return network_solution(problem, network)
        return solved_by_groups(
            problem, lambda groups: fast_solution(groups, self.rounds, self.time_limit)
        )


def fast_solution(
    problem: Problem, rounds: int | None = None, time_limit: float | None = None
) -> Solution:
    """Find a pattern by the relaxation's hint and release what it does not need.

    Args:
        problem: the cells, relations and levels.
        rounds: how often the relaxation is attacked, at most; by the problem's size when left out.
        time_limit: seconds after which nothing more is tried to make the pattern cheaper.
    """
    deadline = inf if time_limit is None else time.monotonic() + time_limit
    usual = max(FEW_ROUNDS, min(ROUNDS, ATTACKS // max(len(problem.levels), 1)))
    bound = lower_bound(problem, rounds=rounds or usual, deadline=deadline)
    return solution_near(problem, bound, deadline=deadline)


def solution_near(problem: Problem, bound: Bound, *, deadline: float = inf) -> Solution:
    """Find a pattern led by a relaxed one and release what it does not need.

    Args:
        problem: the cells, relations and levels.
        bound: the relaxed pattern.
        deadline: when nothing more is released, on the clock of `time.monotonic`.
    """
    pattern = _found(problem, bound, np.ones(len(problem)), deadline, known=problem.before)
    for improved in (_led_by_the_bound, _made_again, _exchanged, _made_again, _exchanged):
        if time.monotonic() < deadline:
            pattern = min(pattern, improved(problem, bound, pattern, deadline), key=problem.cost_of)
    cost = problem.cost_of(pattern)
    return Solution(
        pattern,
        min(bound.cost, cost),
        is_optimal=cost <= bound.cost * (1 + SAME),
        is_reproducible=time.monotonic() < deadline,
    )


def _found(
    problem: Problem, bound: Bound, discount: Floats, deadline: float, *, known: Mask | None = None
) -> Mask:
    """Reach every level and release what is not needed, of a known pattern too."""
    reached = levels_reached(problem, discount=discount)
    wide = reached if known is None else replace(reached, pattern=reached.pattern | known)
    return cleaned(problem, wide, cuts=bound.cuts, deadline=deadline)


def _led_by_the_bound(problem: Problem, bound: Bound, pattern: Mask, deadline: float) -> Mask:
    """Find a pattern led by the relaxation, where the bound is tight."""
    if bound.cost < TIGHT * problem.cost_of(pattern):
        return pattern
    discount = 1.0 - (1.0 - LEFT) * bound.point
    return _found(problem, bound, discount, deadline, known=bound.point > SHARE)


def _made_again(problem: Problem, bound: Bound, pattern: Mask, deadline: float) -> Mask:
    """Find a pattern led by one that was found already, and by the relaxation."""
    discount = np.where(pattern, KEPT, 1.0) * (1.0 - (1.0 - KEPT) * bound.point)
    return _found(problem, bound, discount, deadline, known=pattern | (bound.point > SHARE))


def _exchanged(problem: Problem, bound: Bound, pattern: Mask, deadline: float) -> Mask:
    """Exchange dear cells for cheaper ones, and release what is not needed any more."""
    reached = exchanged(problem, pattern, deadline=deadline)
    return cleaned(problem, reached, cuts=bound.cuts, deadline=deadline)
