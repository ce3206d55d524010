"""How wide intervals must be so that no sensitive cell is told better than its levels allow.

Of every cell an interval is published, from a_i - u_i to a_i + v_i, of no width where its value is.
An intruder who knows them all can move a sensitive cell p by at most

    max  sign d_p   subject to   M d = 0,   -u_i <= d_i <= v_i.

Where that is below the level, the prices pi of the relations give an inequality that all widths
fulfil which reach it: with r = sign e_p - pi M,

    sum_i (v_i max(r_i, 0) + u_i max(-r_i, 0))  >=  level.

The least widths that fulfil all of them come from linear programs alone: no cell is all or nothing.

Fischetti & Salazar (2003), Partial cell suppression: a new methodology for statistical disclosure
control, Statistics and Computing 13, 13-21.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats, Mask
from tacita.errors import ProtectionError
from tacita.solvers.changing import ChangingProgram, Vertex
from tacita.solvers.duality import no_rows
from tacita.solvers.lazy_cuts import Cut
from tacita.solvers.mixed import MixedProgram
from tacita.tables.protect.problem import Level, Problem, cannot_be_protected, tolerance

ROUNDS = 100  # of inequalities; what is left to be reached is reached one by one
GRID = 2.0**-40  # of the prices of relations, with which sums are exact
LARGEST = 1e6  # by which inequalities are divided: solvers take coefficients near 0 for 0
MOVES = 1e-9  # of a level: what a cell must move by to count as moved


@dataclass(frozen=True, eq=False)
class Widths:
    """How far the interval of each cell reaches below and above its value.

    Args:
        below: below it; `above` likewise above it.
        bound: what no widths that reach all levels can cost less than.
    """

    below: Floats
    above: Floats
    bound: float = 0.0


def least_widths(problem: Problem, weight: Floats) -> Widths:
    """Look for the cheapest widths that reach every level.

    Args:
        problem: the cells, relations and levels.
        weight: what it costs that the interval of a cell is wider by one.

    Raises:
        ProtectionError: a level cannot be reached, however wide intervals are.
    """
    intruder, size = _Intruder(problem), len(problem)
    nothing, dearest = np.zeros(2 * size), float(weight.max())
    cost = np.tile(weight / dearest, 2)  # small costs would be lost in the solver's tolerances
    master = MixedProgram(cost, no_rows(2 * size), nothing, intruder.room)
    ends, bound = nothing, 0.0
    for _ in range(ROUNDS):
        cuts = intruder.cuts(ends)
        if not cuts:
            break
        master.add(cuts)
        found = master.minimize()
        if found is None or found.point is None:
            raise ProtectionError("No intervals protect every sensitive cell at once.")
        ends, bound = found.point, max(bound, found.bound)
    widths = Widths(np.maximum(ends[size:], 0.0), np.maximum(ends[:size], 0.0), bound * dearest)
    return completed(problem, weight, widths)


def completed(problem: Problem, weight: Floats, widths: Widths) -> Widths:
    """Widen intervals, level after level, at the least cost until every level is reached."""
    program = _Widening(problem, weight)
    intruder, ends = _Intruder(problem), np.concatenate([widths.above, widths.below])
    for level in problem.levels:
        if not intruder.reaches(level, ends):
            ends = program.widened(level, ends)
    size = len(problem)
    return replace(widths, below=ends[size:], above=ends[:size])


def turned(problem: Problem, has_level: Mask) -> Problem:
    """Ask for a step down where a cell that must only not be told exactly has no way up."""
    intruder = _Intruder(problem)
    levels = [
        level
        if has_level[level.cell] or intruder.reaches(level, intruder.room)
        else level._replace(sign=-level.sign)
        for level in problem.levels
    ]
    return replace(problem, levels=tuple(levels))


class _Intruder:
    """Moves sensitive cells as far as intervals allow; `ends` are all widths above, then below."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.room = np.concatenate([problem.up, problem.down])
        nowhere = np.zeros(len(problem))
        self._program = ChangingProgram(problem.matrix, nowhere, nowhere)

    def cuts(self, ends: Floats) -> list[Cut]:
        """Return an inequality for every level that widths do not reach."""
        self._open(ends)
        found, pending = [], np.ones(len(self.problem.levels), bool)
        for number, level in enumerate(self.problem.levels):
            if pending[number]:
                vertex = self._attack(level)
                pending &= ~self.problem.reached(vertex.point)
                if pending[number]:
                    pending[number] = False
                    found.append(self._cut(level, vertex))
        return found

    def reaches(self, level: Level, ends: Floats) -> bool:
        """Tell whether widths reach a level, but for the solver's error."""
        self._open(ends)
        moved = level.sign * self._attack(level).point[level.cell]
        return bool(moved >= level.amount - tolerance(level.amount))

    def _open(self, ends: Floats) -> None:
        size = len(self.problem)
        self._program.bound(np.arange(size), -ends[size:], ends[:size])

    def _attack(self, level: Level) -> Vertex:
        cell = np.array([level.cell])
        self._program.cost(cell, np.array([-float(level.sign)]))
        vertex = self._program.minimize()
        self._program.cost(cell, np.zeros(1))
        if vertex is None:  # to move nothing fulfils every bound
            raise ProtectionError("The solver found no deviation at all of a table.")
        return vertex

    def _cut(self, level: Level, vertex: Vertex) -> Cut:
        """Return the inequality; it holds for any prices, so theirs may be rounded."""
        prices = np.round(vertex.prices / GRID) * GRID
        reduced = self.problem.matrix.T @ prices
        reduced[level.cell] += level.sign
        helps = np.concatenate([np.maximum(reduced, 0.0), np.maximum(-reduced, 0.0)])
        if product(helps, self.room) < level.amount - tolerance(level.amount):
            raise cannot_be_protected(self.problem, level)
        columns = np.flatnonzero(helps)
        scale = min(max(level.amount, 1.0), LARGEST)
        return Cut(columns, helps[columns] / scale, level.amount / scale)


class _Widening:
    """Looks for the deviation that reaches a level at the least cost of wider intervals."""

    def __init__(self, problem: Problem, weight: Floats) -> None:
        from scipy.sparse import hstack

        self.problem, size = problem, len(problem)
        self._room = np.concatenate([problem.up, problem.down])
        both = hstack([problem.matrix, -problem.matrix], format="csr")
        # What stays within the intervals is free, what leaves them costs.
        matrix = hstack([both, both], format="csr")
        self._columns = np.arange(4 * size)
        nothing = np.zeros(4 * size)
        self._program = ChangingProgram(matrix, nothing, nothing)
        cost = weight / float(weight.max())
        self._program.cost(self._columns, np.concatenate([nothing[: 2 * size], cost, cost]))

    def widened(self, level: Level, ends: Floats) -> Floats:
        """Return widths that reach a level as well."""
        size = len(self.problem)
        there = level.cell if level.sign > 0 else size + level.cell
        upper = np.concatenate([ends, np.maximum(self._room - ends, 0.0)])
        lower = np.zeros(4 * size)
        back = there + size if there < size else there - size
        upper[[back, back + 2 * size]] = 0.0
        missing = max(level.amount - float(ends[there]), 0.0)
        lower[there] = min(float(ends[there]), level.amount)
        lower[there + 2 * size] = missing
        if missing > upper[there + 2 * size] + tolerance(level.amount):
            raise cannot_be_protected(self.problem, level)
        self._program.bound(self._columns, np.minimum(lower, upper), upper)
        self._program.restart()
        vertex = self._program.minimize()
        if vertex is None:
            raise cannot_be_protected(self.problem, level)
        gross = vertex.point[: 2 * size] + vertex.point[2 * size :]
        moved = np.concatenate([gross[:size] - gross[size:], gross[size:] - gross[:size]])
        moved[moved <= MOVES * level.amount] = 0.0
        wider: Floats = np.maximum(ends, moved)
        return wider
