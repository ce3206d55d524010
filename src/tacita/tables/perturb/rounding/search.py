"""The closest rounding that fulfils all relations: by network flow, else in whole numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from tacita.data.classes import Ints
from tacita.errors import ProtectionError
from tacita.results import show
from tacita.solvers.integer import integer_optimum
from tacita.tables.network import following_relations
from tacita.tables.perturb.rounding.diving import dive, summed
from tacita.tables.perturb.rounding.improving import Guide, improved
from tacita.tables.perturb.rounding.limits import Limits
from tacita.tables.perturb.rounding.linear import Vertex, least_cost, vertex
from tacita.tables.perturb.rounding.merging import merged
from tacita.tables.perturb.rounding.problem import Bounds, Program, RoundingProblem, Rung

FARTHEST = 3  # bases, before any distance is allowed
LARGE = 2500  # steps to choose: in more of them a tree of programs takes too long


@dataclass(frozen=True, eq=False)
class Rounded:
    """A rounding that fulfils all relations.

    Args:
        steps: how many steps every cell takes from the multiple below it.
        bound: what no rounding that may go as far can lose less than.
        is_given_up: whether a nearer rung may hold a rounding that was not found in time.
        is_reproducible: whether no clock stopped the search.
    """

    steps: Ints
    bound: float
    is_given_up: bool = False
    is_reproducible: bool = True


def ladder(*, zero_restricted: bool) -> list[Rung]:
    """Return the rungs that are climbed, the nearest first.

    >>> [rung.reach for rung in ladder(zero_restricted=True) if rung.bounds == "inside"]
    [1, 2, 3, None]
    """
    reaches = [*range(1, FARTHEST + 1), None] if zero_restricted else [None]
    near: tuple[Bounds, ...] = ("inside", "next")
    return [*(Rung(reach, bounds) for reach in reaches for bounds in near), Rung(None, "left")]


def closest(problem: RoundingProblem, rungs: list[Rung], limits: Limits) -> Rounded:
    """Climb until a rung holds a rounding, and return the one with the least loss on it.

    Raises:
        ProtectionError: no multiples of the base fulfil all relations, or none were found in time.
    """
    for rung in _different(problem, rungs):
        try:
            found = _nearest(problem, rung) or _flow(problem, rung) or _whole(problem, rung, limits)
        except ProtectionError:
            continue  # nothing on this rung
        return found or _given_up(problem, limits)
    raise ProtectionError(
        f"No multiples of {show(problem.base)} fulfil all relations of the table; choose a smaller "
        "base."
    )


def _different(problem: RoundingProblem, rungs: list[Rung]) -> Iterator[Rung]:
    """Go through the rungs that let cells go elsewhere than the one before them."""
    before: Any = None
    for rung in rungs:
        ends = problem.ends(rung)
        if before is None or not np.array_equal(before, ends):
            yield rung
        before = ends


def _nearest(problem: RoundingProblem, rung: Rung) -> Rounded | None:
    """Take the nearest multiples if they fulfil everything: then nothing is closer."""
    least, most = problem.ends(rung)
    steps = problem.nearest
    is_allowed = bool(((steps >= least) & (steps <= most)).all())
    return Rounded(steps, problem.loss(steps)) if is_allowed and problem.holds(steps) else None


def _given_up(problem: RoundingProblem, limits: Limits) -> Rounded:
    """Take sums of rounded parts, although totals may jump that need not.

    Raises:
        ProtectionError: they contradict each other.
    """
    steps = summed(problem)
    if steps is None:
        raise ProtectionError(
            "No rounding in which all totals add up was found within the limits; allow more time "
            "or nodes, or choose a smaller base."
        )
    found = _off_the_rung(problem, steps, limits)
    return replace(found, is_reproducible=limits.deadline == inf)


def _off_the_rung(problem: RoundingProblem, steps: Ints, limits: Limits) -> Rounded:
    least = problem.loss(problem.nearest)
    return Rounded(steps, least, is_given_up=True, is_reproducible=not limits.is_over)


def _program(problem: RoundingProblem, rung: Rung) -> Program:
    """Write down the program of a rung on which all cells may go as far.

    Raises:
        ProtectionError: no cell can go anywhere.
    """
    program = problem.program(rung, np.full(len(problem), rung.reach != 1))
    if not len(program.cell):
        raise ProtectionError("All cells are fixed, and their relations do not hold.")
    return program


def _flow(problem: RoundingProblem, rung: Rung) -> Rounded | None:
    """Send the cheapest flow: its vertices are whole, and whole potentials prove that it is.

    None if the table is no network, or the solver did not reach a whole vertex.

    Raises:
        ProtectionError: there is none.
    """
    if not problem.is_network:
        return None
    program = _program(problem, rung)
    following = following_relations(problem.relations) or []
    kept = np.setdiff1d(np.arange(problem.relations.shape[0]), following)
    found = vertex(program, rows=kept)
    if found is None:
        return None
    point = np.round(found.point).astype(np.int64)
    steps = program.steps(point, len(problem))
    is_inside = bool(((point >= program.lower) & (point <= program.upper)).all())
    if not is_inside or not problem.holds(steps):
        return None
    bound = least_cost(program, found.potentials, rows=kept)
    return Rounded(steps, max(problem.bound(bound), problem.loss(problem.nearest)))


def _whole(problem: RoundingProblem, rung: Rung, limits: Limits) -> Rounded | None:
    """Search in whole numbers, for cells that are the same once; None if nothing is found in time.

    Raises:
        ProtectionError: there is nothing.
    """
    small = merged(problem)
    program = _program(small.problem, rung)
    is_large = len(program.cell) > LARGE
    found = (_guided if is_large else _tree)(small.problem, rung, limits)
    return None if found is None else replace(found, steps=found.steps[small.place])


def _tree(
    problem: RoundingProblem, rung: Rung, limits: Limits, *, start: Ints | None = None
) -> Rounded | None:
    """Search a tree of programs; None if nothing is found in time.

    Raises:
        ProtectionError: there is nothing.
    """
    program = _program(problem, rung)
    found = integer_optimum(
        program.cost,
        program.matrix,
        program.rhs,
        program.lower,
        program.upper,
        direction="minimize",
        effort=limits.effort(limits.nodes),
        start=start,
    )
    if found.point is None:
        return None
    steps = program.steps(found.point, len(problem))
    bound = max(problem.bound(float(found.bound)), problem.loss(problem.nearest))
    return Rounded(steps, bound, is_reproducible=found.is_proven or not limits.is_over)


def _guided(problem: RoundingProblem, rung: Rung, limits: Limits) -> Rounded | None:
    """Let a linear program guide the search of a large table; None if nothing is found in time.

    Raises:
        ProtectionError: there is nothing.
    """
    program, rows = _program(problem, rung), np.arange(problem.relations.shape[0])
    found = vertex(program, rows=rows, seconds=limits.left)
    if found is None:
        return None
    elastic = problem.elastic_program(rung)
    point = dive(elastic, problem.totals, deadline=limits.deadline)
    if point is None:
        return None
    guide = _guide(problem, program, found)
    point = improved(elastic, point, problem.relations, guide, limits)
    steps = elastic.steps(point, len(problem))
    if point[elastic.is_escape].any():
        return _off_the_rung(problem, steps, limits)
    cost = least_cost(program, found.potentials, rows=rows)
    bound = max(problem.bound(cost), problem.loss(problem.nearest))
    best = Rounded(steps, bound, is_reproducible=not limits.is_over)
    if limits.nodes == 1 or limits.is_over:
        return best
    # What leads off the rung comes last: the other variables are those of the program.
    after = _tree(problem, rung, limits, start=point[: len(program.cell)])
    return best if after is None else replace(after, bound=max(after.bound, bound))


def _guide(problem: RoundingProblem, program: Program, found: Vertex) -> Guide:
    """Read off a vertex where cells would best be, and what it costs to move them from there."""
    reduced = np.abs(program.cost - program.matrix.T @ found.potentials)
    firmness = np.bincount(program.cell, reduced, len(problem))
    steps = np.bincount(program.cell, program.sign * found.point, len(problem))
    return Guide(steps.astype(np.float64), firmness / (firmness.max() or 1.0))
