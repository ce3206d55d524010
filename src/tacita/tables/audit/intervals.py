"""Feasibility intervals: the least and the largest value that a suppressed cell can have.

Two linear programs a cell would do. Four things make most of them unnecessary: parts without a
common equation are searched apart; cells that follow from each other are searched as one; a vertex
that reaches a bound of any other cell settles that cell too; and bounds that follow from single
relations are known before the search begins. Large parts that are networks need no linear program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import InputError, ProtectionError
from tacita.solvers.linear import Basis, LinearProgram
from tacita.tables.audit.flows import FlowPart, Networks
from tacita.tables.audit.presolve import Ends, Problem, tightened
from tacita.tables.audit.ties import Ties, tied
from tacita.tables.system import System

LARGE = 1e5  # the largest number that is handed to the solver
NEAR = 1e-7  # of the solver's numbers: how near a point must be to a bound to reach it
DENOMINATORS = (1, 2, 3, 4, 6)  # of the vertices of tables that are not whole
REFINEMENTS = 3  # of a vertex: each adds the digits that doubles have
FITTING = 60  # bits that products may have
MANY = 1000  # cells of a part from which on it pays to load what searches by flows
TENTH = 0.1  # of a unit: what is nearer to a whole number may be taken for it


class Side(NamedTuple):
    """An end of an interval: the sign with which it is a maximum."""

    name: str
    sign: float


class Vertex(NamedTuple):
    """A point in whole numbers: `times` the values of the cells."""

    point: Ints
    times: int


SIDES = (Side("upper", 1.0), Side("lower", -1.0))


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a problem: its cells, and the search of the groups from which they follow.

    Args:
        problem: the part.
        ties: how its cells follow from groups.
        component: the search of the groups.
    """

    problem: Problem
    ties: Ties
    component: Component

    @classmethod
    def of(cls, problem: Problem, system: System) -> Part:
        """Set up the search of a part of a system."""
        ties = tied(problem.matrix, problem.rhs, tolerance=problem.tolerance)
        places = np.zeros(ties.matrix.shape[1], np.int64)
        places[ties.group[::-1]] = problem.places[::-1]
        ends = _ends_of_groups(problem, ties)
        groups = replace(problem, matrix=ties.matrix, rhs=ties.rhs, ends=ends, places=places)
        return cls(problem, ties, Component.of(tightened(groups, system)))

    @property
    def error(self) -> float:
        """How far a value that the solver gives may be from the true one (units)."""
        return self.component.error

    def ends(self, wanted: Mask) -> Ends:
        """Return the least and the largest value of every cell that is wanted.

        Args:
            wanted: the cells; others get bounds that follow from single relations.
        """
        group, sign, shift = self.ties.group, self.ties.sign, self.ties.shift
        asked = np.zeros(self.ties.matrix.shape[1], bool)
        asked[group[wanted]] = True
        lower, upper = (end[group] for end in self.component.ends(asked))
        return Ends(
            np.where(sign > 0, lower + shift, np.where(sign < 0, shift - upper, shift)),
            np.where(sign > 0, upper + shift, np.where(sign < 0, shift - lower, shift)),
        )

    def proven(self, cell: int, side: Side) -> Fraction | float:
        """Return how far out a cell can be for sure: as far as a point reaches in whole numbers.

        Without such a point nothing is sure, and the end is infinitely far inside.

        Args:
            cell: the cell.
            side: which end (units).
        """
        sign, shift = int(self.ties.sign[cell]), Fraction(float(self.ties.shift[cell]))
        if not sign:
            return shift
        end = side if sign > 0 else SIDES[1 - SIDES.index(side)]
        return shift + sign * self.component.proven(int(self.ties.group[cell]), end)


def _ends_of_groups(problem: Problem, ties: Ties) -> Ends:
    """Bound each group by what is known of all its cells."""
    lower, upper = problem.ends
    sign, shift = ties.sign, ties.shift
    held = sign == 0
    tolerance = problem.tolerance
    if (held & ((shift < lower - tolerance) | (shift > upper + tolerance))).any():
        raise InputError("The published values contradict each other and what is known beforehand.")
    groups = ties.matrix.shape[1]
    ends = Ends(np.full(groups, -np.inf), np.full(groups, np.inf))
    least = np.where(sign > 0, lower - shift, shift - upper)
    most = np.where(sign > 0, upper - shift, shift - lower)
    np.maximum.at(ends.lower, ties.group[~held], least[~held])
    np.minimum.at(ends.upper, ties.group[~held], most[~held])
    ends.lower[ties.group[held]] = ends.upper[ties.group[held]] = 0.0
    return ends


@dataclass(frozen=True, eq=False)
class Component:
    """Groups of cells with the linear program that searches them.

    Args:
        problem: the groups, counted from their bases.
        base: in whole numbers, what each group is counted from: its least value, if it has one.
        scale: by what its numbers are divided for the solver.
        program: the linear program.
    """

    problem: Problem
    base: Floats
    scale: float
    program: LinearProgram

    @classmethod
    def of(cls, problem: Problem) -> Component:
        """Set up the search of groups."""
        base = _base(problem)
        counted = problem.counted_from(base)
        scale = counted.size / LARGE or 1.0
        if problem.is_whole:
            scale = max(scale, 1.0)
        lower, upper = (end / scale for end in counted.ends)
        program = LinearProgram(counted.matrix, counted.rhs / scale, lower, upper)
        return cls(counted, base, scale, program)

    @property
    def error(self) -> float:
        """How far a value that the solver gives may be from the true one (units)."""
        return 10 * NEAR * self.scale

    @property
    def is_coarse(self) -> bool:
        """Whether the solver's error could hide a whole unit, so that vertices are worked out."""
        return self.problem.is_whole and self.error > TENTH

    def ends(self, wanted: Mask) -> Ends:
        """Return the least and the largest value of every cell that is wanted.

        Args:
            wanted: the cells; others get the bounds that single relations leave.
        """
        if self._is_settled:
            return self._from_zero(*self.problem.ends)
        found = {side: getattr(self.problem.ends, side.name).copy() for side in SIDES}
        pending = {side: wanted.copy() for side in SIDES}
        for cell in np.argsort(self.problem.ends.lower - self.problem.ends.upper, kind="stable"):
            for side in SIDES:
                if pending[side][cell]:
                    found[side][cell], point = self.search(int(cell), side)
                    pending[side][cell] = False
                    self._settle(pending, point)
        return self._from_zero(found[SIDES[1]], found[SIDES[0]])

    def _from_zero(self, lower: Floats, upper: Floats) -> Ends:
        return Ends(lower + self.base, upper + self.base)

    @property
    def _is_settled(self) -> bool:
        """Whether a single sum is left, in which every cell reaches the bounds that it leaves."""
        matrix = self.problem.matrix
        return bool(matrix.shape[0] <= 1 and (np.abs(matrix.data) == 1).all())

    def search(self, cell: int, side: Side) -> tuple[float, Floats | None]:
        """Return an end of a cell, from its base, and a point that reaches it, if there is one.

        Raises:
            InputError: no values fulfil all relations and bounds.
        """
        try:
            best = self.program.maximize(np.array([cell]), np.array([side.sign]))
        except ProtectionError as error:
            raise InputError(f"The published values contradict each other: {error}") from error
        bound = float(getattr(self.problem.ends, side.name)[cell])
        if not best.is_bounded:
            return bound, None
        value, point = side.sign * best.value * self.scale, best.point * self.scale
        if self.is_coarse and (vertex := self._vertex()) is not None:
            point = vertex.point / vertex.times
            value = point[cell]
        return side.sign * min(side.sign * self._snapped(value), side.sign * bound), point

    def _snapped(self, value: float) -> float:
        """Return the whole number that a value is, but for the solver's error."""
        whole = float(np.round(value))
        near = self.problem.is_whole and abs(value - whole) <= min(self.error, TENTH)
        return whole if near else value

    def _settle(self, pending: Mapping[Side, Mask], point: Floats | None) -> None:
        if point is None:
            return
        near = 0.0 if self.is_coarse else NEAR * self.scale
        upper, lower = SIDES
        pending[upper] &= point < self.problem.ends.upper - near
        pending[lower] &= point > self.problem.ends.lower + near

    def proven(self, cell: int, side: Side) -> Fraction | float:
        """Return how far out a cell can be for sure: as far as a point reaches in whole numbers.

        Without such a point nothing is sure, and the end is infinitely far inside.

        Args:
            cell: the cell.
            side: which end (units).
        """
        bound = float(getattr(self.problem.ends, side.name)[cell])
        base = Fraction(float(self.base[cell]))
        if self._is_settled:
            return base + (Fraction(bound) if np.isfinite(bound) else bound)
        _, point = self.search(cell, side)
        if point is None and not np.isfinite(bound):
            return bound
        vertex = self._vertex()
        if vertex is None:
            return -side.sign * np.inf
        return base + Fraction(int(vertex.point[cell]), vertex.times)

    def _vertex(self) -> Vertex | None:
        """Work out the vertex of the last search exactly; None if its denominator is too large."""
        from scipy.sparse.linalg import splu

        basis, matrix = self.program.basis(), self.problem.matrix
        square = matrix[basis.rows][:, basis.columns].tocsc().astype(np.float64)
        if not square.shape[0]:
            return self._times(1, basis, None)
        solver = splu(square)
        found = (self._times(q, basis, solver) for q in self._denominators(solver))
        return next((vertex for vertex in found if vertex is not None), None)

    def _denominators(self, solver: Any) -> Iterator[int]:
        """Give what a vertex times which may be whole; the determinant always makes it so."""
        yield from DENOMINATORS
        sizes = np.log2(np.abs(solver.U.diagonal()))
        longest = int(np.diff(self.problem.matrix.indptr).max())
        if sizes.sum() + np.log2(self.problem.size * longest + 1) < FITTING:
            yield round(2.0 ** float(sizes.sum()))

    def _times(self, q: int, basis: Basis, solver: Any) -> Vertex | None:
        """Return the vertex times q, if that is a point of whole numbers within all bounds."""
        problem = self.problem
        lower, upper = problem.ends
        matrix, rhs = problem.matrix.astype(np.int64), q * problem.rhs.astype(np.int64)
        at = np.where(basis.columns, 0.0, np.where(basis.at_upper, upper, lower))
        point: Ints = q * np.where(np.isfinite(at), at, 0.0).astype(np.int64)
        for _ in range(REFINEMENTS if solver is not None else 0):
            left = (rhs - matrix @ point)[basis.rows].astype(np.float64)
            point[basis.columns] += np.round(solver.solve(left)).astype(np.int64)
        inside = (point >= q * lower) & (point <= q * upper)
        return Vertex(point, q) if inside.all() and (matrix @ point == rhs).all() else None


def _base(problem: Problem) -> Floats:
    """Return what to count cells from, so that what is left to the solver is small."""
    lower, upper = problem.ends
    base = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper, 0.0))
    return base if problem.is_whole else np.zeros(len(problem))


def parts_of(problem: Problem, system: System) -> Iterator[Part | FlowPart]:
    """Set up the search of every part of a problem in which something is left to be found."""
    networks = Networks(system.relations)
    for part in problem.without(problem.is_fixed).components():
        found = networks.part(part) if len(part) >= MANY else None
        yield found or Part.of(part.without_repeats(), system)
