"""Fast cell suppression: linear programs only, for large tables."""

from __future__ import annotations

import time
from math import inf
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.data.classes import Mask
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.tables.protect.attacker import LARGE
from tacita.tables.protect.bounding import ROUNDS, Bound, lower_bound
from tacita.tables.protect.cleaning import cleaned
from tacita.tables.protect.greedy import levels_reached
from tacita.tables.protect.options import CostField, SafetyRange, SingletonsField, TimeLimit
from tacita.tables.protect.problem import Problem
from tacita.tables.protect.suppression import Solution, Suppression, suppress
from tacita.tables.system import System

FEW_ROUNDS = 4  # of a large table, where each takes half a minute
SAME = 1e-6  # of a bound: a cost that is above it by less is the least
LEFT = 0.01  # of its cost that a cell still costs which the relaxation takes whole


class FastSuppression(Method):
    """Suppress cells by linear programs: safe to the required levels, close to the least loss.

    A relaxation, in which cells may be suppressed in part, gives a lower bound on the loss and a
    hint which cells to take. Guided by it, the levels are reached one after the other by the
    deviation of the table that costs least to add; then every cell that is not needed is released,
    dear ones first. The result passes the audit of the whole table.

    On tables of some thousand cells it is usually within 1 or 2 percent of the optimum; how far
    it is at most from it is told. The same table gives the same pattern, unless a time limit
    stops the release of cells.

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
            "out, 100 times, and 4 times where more than 4,000 cells hang together.",
        ),
    ] = None
    time_limit: TimeLimit = None
    singletons: SingletonsField = "ignored"
    safety_range: SafetyRange = 0.0

    def protect(self, system: System, preferred: Mask | None = None) -> Suppression:
        """Protect every sensitive cell."""
        return suppress(
            system,
            lambda problem: fast_solution(problem, self.rounds, self.time_limit),
            cost=self.cost,
            singletons=self.singletons,
            safety_range=self.safety_range,
            preferred=preferred,
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
    usual = ROUNDS if len(problem) <= LARGE else FEW_ROUNDS
    bound = lower_bound(problem, rounds=rounds or usual, deadline=deadline)
    return solution_near(problem, bound, deadline=deadline)


def solution_near(problem: Problem, bound: Bound, *, deadline: float = inf) -> Solution:
    """Find a pattern led by a relaxed one and release what it does not need.

    Args:
        problem: the cells, relations and levels.
        bound: the relaxed pattern.
        deadline: when nothing more is released, on the clock of `time.monotonic`.
    """
    hint = 1.0 - (1.0 - LEFT) * bound.point
    pattern = cleaned(problem, levels_reached(problem, discount=hint), deadline=deadline)
    cost = problem.cost_of(pattern)
    return Solution(
        pattern,
        min(bound.cost, cost),
        is_optimal=cost <= bound.cost * (1 + SAME),
        is_reproducible=time.monotonic() < deadline,
    )
