"""A rounding of large tables that adds up, not yet the closest: cells are rounded a few at a time.

A linear program in which totals may leave the rung, at a price, leaves most of the other cells
whole. Of those that it does not, the ones next to a whole number are rounded, and the program is
solved anew until all of them are whole; totals then are the sums of their parts.
"""

from __future__ import annotations

import time
from math import inf

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.solvers.duality import Rows
from tacita.solvers.integer import Effort
from tacita.solvers.mixed import MixedProgram
from tacita.tables.perturb.rounding.problem import Program, RoundingProblem

WHOLE = 1e-6  # how near to a whole number the solver brings a variable that is one
AT_ONCE = 0.3  # of the cells that are not whole
SETTLED = 3  # rounds after which what is whole stays


def dive(program: Program, totals: Mask, *, deadline: float = inf) -> Ints | None:
    """Return a point of whole steps that fulfils all relations; None if it leads nowhere in time.

    Args:
        program: a program that totals may leave at a price.
        totals: which cells are totals.
        deadline: on the monotonic clock.
    """
    lower, upper = program.lower.copy(), program.upper.copy()
    inner = ~totals[program.cell]
    rhs = program.rhs.astype(np.float64)
    rows = Rows(program.matrix, rhs, rhs)
    linear = MixedProgram(program.cost.astype(np.float64), rows, lower, upper)
    # The solver's clock goes on from one search to the next.
    effort = Effort(seconds=None if deadline == inf else deadline - time.monotonic())
    for turn in range(len(program.cell) + 1):
        point = _vertex(linear, effort) if time.monotonic() < deadline else None
        if point is None:
            return None
        off = np.where(inner, np.abs(point - np.round(point)), 0.0)
        if (off <= WHOLE).all():
            return _fulfilling(program, np.round(point).astype(np.int64))
        now = _next(off, inner, turn)
        lower[now] = upper[now] = np.round(point[now])
        linear.bound(now, lower[now], upper[now])
    return None


def _vertex(linear: MixedProgram, effort: Effort) -> Floats | None:
    found = linear.minimize(effort=effort)
    return None if found is None or found.is_timed else found.point


def _next(off: Floats, inner: Mask, turn: int) -> Ints:
    """Choose the variables that are rounded now, those next to a whole number first."""
    open_ = np.flatnonzero(off > WHOLE)
    some = max(1, int(AT_ONCE * len(open_)))
    now = open_[np.argsort(off[open_], kind="stable")[:some]]
    settled = np.flatnonzero((off <= WHOLE) & inner) if turn >= SETTLED else now[:0]
    return np.concatenate([now, settled])


def _fulfilling(program: Program, point: Ints) -> Ints | None:
    return point if np.array_equal(program.matrix @ point, program.rhs) else None


def summed(problem: RoundingProblem) -> Ints | None:
    """Round what is no total to the nearest and add up; None if totals then contradict each other.

    Totals go wherever that takes them: for tables of which nothing better is found in time.
    """
    relations = problem.relations
    is_total = relations.data < 0
    rows = np.repeat(np.arange(relations.shape[0]), np.diff(relations.indptr))
    is_known = ~problem.totals
    steps = np.where(is_known, problem.nearest, 0)
    while not is_known.all():
        unknown = np.bincount(rows[~is_known[relations.indices]], minlength=relations.shape[0])
        ready = (unknown[rows] == 1) & is_total & ~is_known[relations.indices]
        if not ready.any():
            return None
        cells = relations.indices[ready]
        steps[cells] = (relations @ steps - problem.rhs)[rows[ready]]
        is_known[cells] = True
    return steps if problem.holds(steps) else None
