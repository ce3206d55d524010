"""Whole intervals: how small and how large each suppressed count can be, whole numbers only."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import InputError, ProtectionError
from tacita.results import counted
from tacita.solvers.integer import Effort, integer_optimum, whole_bound
from tacita.solvers.linear import LinearProgram
from tacita.tables.audit.presolve import Problem, problem_of
from tacita.tables.system import System


@dataclass(frozen=True, eq=False, repr=False)
class WholeIntervals:
    """The whole numbers between which counts lie. All arrays have one entry a cell of the system.

    Args:
        system: the published cells and relations.
        lower: the least value of each cell; never above what is possible.
        upper: the largest; never below what is possible.
        is_reached: whether some whole numbers for all cells reach both ends.
        point: one set of whole numbers that fulfils every relation, or None if none was found.
    """

    system: System
    lower: Floats
    upper: Floats
    is_reached: Mask
    point: Floats | None

    @property
    def is_determined(self) -> Mask:
        """Which cells have one possible value."""
        determined: Mask = self.lower == self.upper
        return determined

    def __repr__(self) -> str:
        unknown = self.system.unknown
        open_ends = int((unknown & ~self.is_reached).sum())
        more = f"; {counted(open_ends, 'interval')} not settled" if open_ends else ""
        return (
            f"whole intervals of {counted(int(unknown.sum()), 'cell')}: "
            f"{int((unknown & self.is_determined).sum()):,} have one possible count{more}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the intervals in plain types."""
        return {"whole_intervals": self.to_arrow().to_pylist()}

    def to_arrow(self) -> pa.Table:
        """Return one row a cell that an intruder has to work out."""
        rows = np.flatnonzero(self.system.unknown)
        upper = self.upper[rows]
        return pa.table(
            {
                "cell": pa.array(rows),
                "name": pa.array([self.system.name_of(int(row)) for row in rows], pa.string()),
                "lower": pa.array(self.lower[rows]),
                "upper": pa.array(upper, mask=~np.isfinite(upper)),
                "settled": pa.array(self.is_reached[rows]),
            }
        )


def whole_intervals(
    system: System, *, effort: Effort, wanted: Mask | None = None
) -> WholeIntervals:
    """Bound unknown counts by linear programs, rounded inwards, and where needed by whole ones.

    Bounds of linear programs are proven by prices, whatever the solver's error, where all counts
    are bounded; others by the solver up to its tolerance. Both are rounded to whole numbers. That
    an end is reached is shown by whole numbers that were checked exactly.

    Args:
        system: published tables of counts.
        effort: nodes that may be spent on one end of one interval, and seconds on all of them.
        wanted: the cells asked for, all when left out; others get the bounds that single relations
            leave.

    Raises:
        InputError: these are no counts, or no whole numbers fulfil all relations.
    """
    if system.decimals != 0:
        raise InputError("Whole intervals are for counts; some published values are not whole.")
    if (system.rhs[np.diff(system.relations.indptr) == 0] != 0).any():
        raise no_counts()  # a relation without cells that does not come to 0
    problem = problem_of(system)
    found = _at_first(system, problem)
    deadline = inf if effort.seconds is None else time.monotonic() + effort.seconds
    asked = np.ones(len(system), bool) if wanted is None else wanted
    for part in problem.without(problem.is_fixed).components():
        _settle(found, _Search(part, effort, deadline), np.flatnonzero(asked[part.places]))
    return (
        found
        if found.point is not None and np.isfinite(found.point).all()
        else replace(found, point=None)
    )


def _at_first(system: System, problem: Problem) -> WholeIntervals:
    """Return the bounds that single relations leave."""
    lower, upper = system.cells.value.copy(), system.cells.value.copy()
    lower[problem.places], upper[problem.places] = problem.ends
    reached = ~system.unknown
    reached[problem.places[problem.is_fixed]] = True
    point = np.where(reached, lower, np.nan)
    return WholeIntervals(system, lower, upper, reached, point)


def _settle(found: WholeIntervals, search: _Search, columns: Ints) -> None:
    """Fill in the intervals of a part, and whole numbers that fit it."""
    for column in columns:
        place = search.problem.places[column]
        least, is_least = search.largest(int(column), -1)
        found.upper[place], is_most = search.largest(int(column), 1)
        found.lower[place], found.is_reached[place] = -least, is_least and is_most
    if search.first is not None and found.point is not None:
        found.point[search.problem.places] = search.first


def whole_point(problem: Problem, *, effort: Effort) -> Floats | None:
    """Return whole numbers that fulfil all equations, or None if none was found.

    Args:
        problem: the equations and bounds.
        effort: how much may be spent.

    Raises:
        InputError: there are none.
    """
    return _Search(problem, effort, inf).first


class _Search:
    """The whole points of a problem, searched again and again; what was seen is kept."""

    def __init__(self, problem: Problem, effort: Effort, deadline: float) -> None:
        self.problem = problem
        self._effort = effort
        self._deadline = deadline
        self._program = LinearProgram(problem.matrix, problem.rhs, *problem.ends)
        self.first: Floats | None = None
        self._least = np.full(len(problem), inf)
        self._most = np.full(len(problem), -inf)
        self._look(np.zeros(0, np.int64), np.zeros(0))
        if self.first is None:
            self._search_tree(np.zeros(len(problem), np.int64))

    def largest(self, column: int, sign: int) -> tuple[float, bool]:
        """Return the largest value of a variable (of its negative), and whether it is reached."""
        ends = self.problem.ends
        bound = float(ends.upper[column] if sign > 0 else -ends.lower[column])
        if self._seen(column, sign) < bound:
            bound = min(bound, self._look(np.array([column]), np.array([float(sign)])))
        if self._seen(column, sign) < bound < inf:
            objective = np.zeros(len(self.problem), np.int64)
            objective[column] = sign
            bound = min(bound, self._search_tree(objective))
        return bound, bound == inf or self._seen(column, sign) == bound

    def _seen(self, column: int, sign: int) -> float:
        return float(self._most[column] if sign > 0 else -self._least[column])

    def _look(self, columns: Ints, costs: Floats) -> float:
        """Solve a linear program, keep its solution if it is whole, and return its bound."""
        try:
            found = self._program.maximize(columns, costs)
        except ProtectionError as error:
            raise no_counts() from error
        self._keep(found.point)
        if not found.is_bounded:
            return inf
        proven = self._program.proven()
        # Without bounds on all unknowns prices prove nothing, and the solver is trusted.
        return np.floor(proven) if proven < inf else float(whole_bound(found.value, "maximize"))

    def _search_tree(self, objective: Ints) -> float:
        """Solve the program in whole numbers, keep its solution, and return its bound."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            return inf
        effort = replace(self._effort, seconds=None if left == inf else left)
        problem = self.problem
        try:
            found = integer_optimum(
                objective,
                problem.matrix,
                problem.rhs.astype(np.int64),
                *problem.ends,
                direction="maximize",
                effort=effort,
            )
        except ProtectionError as error:
            raise no_counts() from error
        if found.point is not None:
            self._keep(found.point.astype(np.float64))
        return float(found.bound)

    def _keep(self, point: Floats) -> None:
        """Remember a point if it is one when rounded; whole numbers are checked exactly."""
        problem, whole = self.problem, np.round(point)
        inside = (whole >= problem.ends.lower) & (whole <= problem.ends.upper)
        if inside.all() and np.array_equal(problem.matrix @ whole, problem.rhs):
            self.first = whole if self.first is None else self.first
            self._least = np.minimum(self._least, whole)
            self._most = np.maximum(self._most, whole)


def no_counts() -> InputError:
    """Return what is said when the published counts contradict each other."""
    return InputError(
        "No whole counts of records agree with everything that is published; check that the "
        "tables are made from the same data and are not rounded or perturbed."
    )
