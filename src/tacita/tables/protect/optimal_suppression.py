"""Optimal cell suppression: branch and cut, the least loss proven."""

from __future__ import annotations

import time
from math import inf
from typing import ClassVar

from tacita.data.classes import Floats, Mask
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.solvers.lazy_cuts import BestPattern, Cut, Separate, cheapest_pattern
from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.bounding import lower_bound
from tacita.tables.protect.bridges import Bridges
from tacita.tables.protect.fast_suppression import solution_near
from tacita.tables.protect.merging import solved_by_groups
from tacita.tables.protect.options import (
    CostField,
    NodeLimit,
    SafetyRange,
    SingletonsField,
    TimeLimit,
)
from tacita.tables.protect.problem import Problem
from tacita.tables.protect.suppression import Solution, Suppression, suppress
from tacita.tables.system import System


class OptimalSuppression(Method):
    """Suppress the cells whose loss is least, and prove that it is.

    The master problem has a 0/1 variable for each cell and no other,

        min  sum_i w_i x_i   subject to   x_p = 1 for sensitive p,

    and that every level is reached enters as capacity cuts: inequalities that the attacker's linear
    programs find wherever a pattern, whole or in part, does not reach a level (see `attacker`).
    Branch and cut on SCIP starts from the cuts of the relaxation and the pattern of
    `fast_suppression`; where a relaxed pattern fulfils all capacity cuts, bridges cut it off (see
    `bridges`), and SCIP finds lifted knapsack covers, and others, by itself. Every capacity cut
    holds whatever the error of the linear programs. Levels that the sensitive cells reach among
    themselves never enter. Cells that can only move together are one; parts of the table without a
    common relation are solved apart.

    With a time or node limit the best pattern so far is taken, with its lower bound; it is safe in
    any case. Tables of some thousand cells take seconds; for larger ones use `fast_suppression`.

    >>> from tacita.tables.ready import grid_table
    >>> inside = {"x": [10, 20], "y": [30, 40]}
    >>> table = grid_table("t", inside, ["u", "v"], sensitive=[("x", "u")])
    >>> found = OptimalSuppression().protect(table.system())
    >>> found.cost, found.is_optimal
    (90.0, True)
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Fischetti, M. and Salazar, J. J. (2001). Solving the cell suppression problem on tabular "
        "data with linear constraints. Management Science 47(7), 1008-1027."
    )
    missing: ClassVar[str] = "The value of every cell must be known."

    cost: CostField = "value"
    time_limit: TimeLimit = None
    node_limit: NodeLimit = None
    singletons: SingletonsField = "ignored"
    safety_range: SafetyRange = 0.0

    def protect(self, system: System, preferred: Mask | None = None) -> Suppression:
        """Protect every sensitive cell."""
        return suppress(
            system,
            lambda problem: solved_by_groups(problem, self.solution),
            cost=self.cost,
            singletons=self.singletons,
            safety_range=self.safety_range,
            preferred=preferred,
        )

    def solution(self, problem: Problem) -> Solution:
        """Find the cheapest pattern of a problem, or the best within the limits."""
        deadline = inf if self.time_limit is None else time.monotonic() + self.time_limit
        relaxed = lower_bound(problem, deadline=deadline)
        start = solution_near(problem, relaxed, deadline=deadline)
        left = deadline - time.monotonic()
        if start.is_optimal or left <= 0:
            return start
        found = cheapest_pattern(
            problem.cost,
            _separation(problem),
            is_one=problem.is_required,
            rows=relaxed.cuts,
            start=start.pattern,
            ask="relaxations",
            time_limit=left,
            node_limit=self.node_limit,
        )
        return _better(problem, start, found)


def _better(problem: Problem, start: Solution, found: BestPattern) -> Solution:
    """Return what the search found, or what it started from if that is cheaper."""
    best = found.pattern
    if best is None or problem.cost_of(best) > problem.cost_of(start.pattern):
        best = start.pattern
    return Solution(
        best,
        min(max(found.bound, start.bound), problem.cost_of(best)),
        found.is_optimal,
        is_reproducible=found.stopped_by != "time_limit",
    )


def _separation(problem: Problem) -> Separate:
    """Look for capacity cuts and, where a relaxed pattern fulfils them all, for bridges."""
    attacker, bridges = Attacker(problem), Bridges(problem)

    def cuts(pattern: Floats) -> list[Cut]:
        is_whole = ((pattern == 0) | (pattern == 1)).all()
        return attacker.cuts(pattern) or ([] if is_whole else bridges.cuts(pattern))

    return cuts
