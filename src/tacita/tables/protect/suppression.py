"""Cell suppression: from a judged table to one whose sensitive cells are protected, with proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.errors import ProtectionError
from tacita.progress import progress
from tacita.results import counted, show
from tacita.tables.audit.audit import TableAudit, audit
from tacita.tables.dimension import NONE
from tacita.tables.protect.deviation import Deviations
from tacita.tables.protect.insiders import insider_levels
from tacita.tables.protect.problem import Cost, Level, Problem, Singletons, problem_of
from tacita.tables.status import Status
from tacita.tables.system import System

SECONDARY = "secondary"
STEPS = 3  # that are told on the way
MOST_REPAIRS = 10  # rounds in which levels that were only just missed are asked for once more
A_LITTLE_MORE = 1e-6  # of a level
SAME = 1e-6  # of a bound: a cost that is above it by less is the least


@dataclass(frozen=True, eq=False)
class Solution:
    """A pattern that reaches every level of a problem.

    Args:
        pattern: the cells that are suppressed.
        bound: what no pattern can cost less than.
        is_optimal: whether no pattern is cheaper by more than a millionth of the cost.
        is_reproducible: whether the same input gives the same pattern; not where a clock stopped
            the search.
    """

    pattern: Mask
    bound: float
    is_optimal: bool
    is_reproducible: bool = True


Way = Callable[[Problem], Solution]


@dataclass(frozen=True, eq=False, repr=False)
class Suppression:
    """A suppression pattern, what it costs, and the audit that proves it.

    Args:
        system: the cells with their statuses.
        cost: what the secondary suppressions cost.
        bound: what no pattern can cost less than.
        is_optimal: whether no pattern is cheaper by more than a millionth of the cost.
        is_reproducible: whether the same input gives the same pattern.
        audit: what an intruder learns.
    """

    system: System
    cost: float
    bound: float
    is_optimal: bool
    is_reproducible: bool
    audit: TableAudit

    @property
    def gap(self) -> float:
        """By how much the cost is above the bound, as a share of the cost."""
        return max(self.cost - self.bound, 0.0) / self.cost if self.cost else 0.0

    @property
    def secondary(self) -> Ints:
        """The cells that are suppressed to protect others."""
        return np.flatnonzero(self.system.cells.status == Status.SECONDARY)

    def __repr__(self) -> str:
        number = counted(self.secondary.size, "secondary suppression")
        least = f"at least {show(self.bound)} in any pattern, gap {self.gap:.1%}"
        if self.is_optimal:
            least = "the least possible"
        elif self.bound <= 0:
            least = "without a lower bound"
        return f"{number}, cost {show(self.cost)} ({least})\n{self.audit!r}"

    def to_dict(self) -> dict[str, Any]:
        """Return the suppression in plain types."""
        cells = self.system.cells
        return {
            "sensitive": int(cells.sensitive.sum()),
            "secondary": int(self.secondary.size),
            "suppressed_value": float(np.abs(cells.value[self.secondary]).sum()),
            "exact_disclosed": int(self.audit.exact_disclosed.size),
            "below_level": int(self.audit.below_level.size),
            "optimal": self.is_optimal,
            "cost": self.cost,
            "bound": self.bound,
            "gap": self.gap,
            "reproducible": self.is_reproducible,
        }


def suppress(
    system: System,
    way: Way,
    *,
    cost: Cost = "value",
    singletons: Singletons = "ignored",
    safety_range: float = 0.0,
    preferred: Mask | None = None,
) -> Suppression:
    """Find secondary suppressions that protect every sensitive cell to its levels, and prove it.

    Args:
        system: cells with statuses and levels, and their relations. What is decided of a cell holds
            in every table that has it, whatever some of them showed so far.
        way: how the pattern is found.
        cost: what suppressing a cell costs.
        singletons: whether the only contributor of a cell must not work out cells of others.
        safety_range: how far to both sides a secondary suppression must be possible itself, in
            percent of its value (0 or more).
        preferred: cells that were suppressed before, in the last period: they cost half of what
            others do, and linear programs begin with them.

    Raises:
        ProtectionError: a sensitive cell cannot be protected, or was not.
        InputError: the value of a cell is not known.
    """
    system.refuse_unknown("Protecting a table")
    system = replace(system, known=None)
    problem = _turned(problem_of(system, cost, singletons=singletons))
    full_cost = problem.cost
    if preferred is not None:
        before = preferred[problem.places]
        cost_now = np.where(before, 0.5, 1.0) * full_cost
        problem = replace(problem, cost=cost_now, before=before)
    with progress(STEPS) as tell:
        tell(f"protecting {counted(int(problem.is_required.sum()), 'suppressed cell')}")
        solution = _solved(problem, way)
        if singletons == "protected":
            problem, solution = _without_insiders(problem, solution, way)
        tell(_told("securing secondary suppressions", problem, solution))
        solution = _with_safe_secondaries(problem, solution, way, safety_range)
        tell(_told("auditing", problem, solution))
        found, solution = _proven(problem, solution, way)
    spent = float(full_cost[solution.pattern].sum())
    # What is preferred costs less and what is asked for besides costs more: the bound holds.
    is_plain = preferred is None and not safety_range
    return Suppression(
        system=found.system,
        cost=spent,
        bound=min(solution.bound, spent),
        is_optimal=solution.is_optimal and is_plain,
        is_reproducible=solution.is_reproducible,
        audit=found,
    )


def _told(step: str, problem: Problem, solution: Solution) -> str:
    cost = problem.cost_of(solution.pattern)
    gap = 1 - min(solution.bound / cost, 1.0) if cost else 0.0
    return f"{step} (cost {show(cost)}, at least {show(solution.bound)}, gap {gap:.1%})"


def _turned(problem: Problem) -> Problem:
    """Ask for a step down where a cell that must only not be told exactly has no way up."""
    cells = problem.system.cells.take(problem.places)
    has_level = (cells.lower_level > 0) | (cells.upper_level > 0) | (cells.sliding_level > 0)
    if all(level.known == NONE and has_level[level.cell] for level in problem.levels):
        return problem  # without a program, which is large for a large table
    deviations, everywhere = Deviations(problem), np.ones(len(problem), bool)
    levels = [
        level
        if (level.known == NONE and has_level[level.cell])
        or deviations.cheapest(level, np.zeros(len(problem)), everywhere) is not None
        else level._replace(sign=-level.sign)
        for level in problem.levels
    ]
    return replace(problem, levels=tuple(levels))


def _solved(problem: Problem, way: Way) -> Solution:
    """Solve the parts of a problem that have nothing to do with each other one by one."""
    pattern, bound = problem.is_required.copy(), 0.0
    is_optimal = is_reproducible = True
    place_of = np.full(len(problem.system), -1)
    place_of[problem.places] = np.arange(len(problem))
    for part in problem.components():
        found = way(part)
        pattern[place_of[part.places]] |= found.pattern
        bound += found.bound
        is_optimal &= found.is_optimal
        is_reproducible &= found.is_reproducible
    return Solution(pattern, bound, is_optimal, is_reproducible)


def _without_insiders(problem: Problem, solution: Solution, way: Way) -> tuple[Problem, Solution]:
    """Ask for more until no only contributor of a cell learns a sensitive one from what is shown.

    What is asked for depends on the pattern, so every new one is looked at again. Who is the only
    contributor of a secondary suppression knows nothing of use where that cell is published; a
    pattern that is cheapest for what was asked need not be the cheapest of all then.
    """
    bound = solution.bound
    while asked := insider_levels(problem, solution.pattern):
        every = sorted({*problem.levels, *asked}, key=lambda level: (-level.amount, *level))
        if len(every) == len(problem.levels):  # missed by the solver's error: the audit will tell
            break
        problem = replace(problem, levels=tuple(every))
        solution = _solved(problem, way)
    if not all(problem.is_required[level.known] for level in problem.levels if level.known != NONE):
        solution = replace(solution, bound=bound, is_optimal=False)
    return problem, solution


def _with_safe_secondaries(
    problem: Problem, solution: Solution, way: Way, safety_range: float
) -> Solution:
    """Add cells until every secondary suppression has room of its own."""
    while safety_range:
        asked = _levels_of_secondaries(problem, solution.pattern, safety_range)
        wider = _extended(problem, solution, asked)
        more = _solved(wider, way)
        if (more.pattern == solution.pattern).all():
            break
        solution = replace(more, bound=solution.bound, is_optimal=False)
    return solution


def _levels_of_secondaries(problem: Problem, pattern: Mask, percent_of: float) -> list[Level]:
    value = np.abs(problem.system.cells.value[problem.places])
    return [
        Level(int(cell), sign, amount)
        for cell in np.flatnonzero(pattern & ~problem.is_required)
        for sign, room in ((1, problem.up[cell]), (-1, problem.down[cell]))
        if (amount := min(percent_of / 100 * float(value[cell]), float(room))) > 0
    ]


def _extended(problem: Problem, solution: Solution, levels: list[Level]) -> Problem:
    """Return a problem in which a pattern is suppressed anyway and other levels are asked for.

    Those that the pattern reaches are reached by every larger one, and not asked for again.
    """
    return replace(
        problem,
        is_required=solution.pattern,
        cost=np.where(solution.pattern, 0.0, problem.cost),
        levels=tuple(sorted(levels, key=lambda level: -level.amount)),
    )


def _proven(problem: Problem, solution: Solution, way: Way) -> tuple[TableAudit, Solution]:
    """Audit a pattern; where the solver's error left a level just missed, ask for a little more."""
    more = 1.0
    for _ in range(MOST_REPAIRS):
        found = audit(_with_pattern(problem, solution.pattern))
        if found.is_safe:
            return found, solution
        more += A_LITTLE_MORE
        missed = set(found.below_level.tolist())
        raised = [
            level._replace(amount=level.amount * more)
            for level in problem.levels
            if int(problem.places[level.cell]) in missed
        ]
        again = _solved(_extended(problem, solution, raised), way)
        solution = replace(again, bound=solution.bound, is_optimal=False)
    name = problem.system.name_of(int(found.below_level[0]))
    raise ProtectionError(
        f"The audit finds the sensitive cell {name} not protected; the values may be too large or "
        "too different in size for exact arithmetic. Publish them in larger units."
    )


def _with_pattern(problem: Problem, pattern: Mask) -> System:
    cells = problem.system.cells
    status, reason = cells.status.copy(), cells.reason.copy()
    new = problem.places[pattern & ~problem.is_required]
    status[new], reason[new] = Status.SECONDARY, SECONDARY
    return replace(problem.system, cells=replace(cells, status=status, reason=reason))
