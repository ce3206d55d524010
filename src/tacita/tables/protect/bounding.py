"""A lower bound on what protection costs: the relaxation in which cells may go in part."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats
from tacita.solvers.cutting import Relaxation
from tacita.solvers.lazy_cuts import Cut
from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.problem import Problem

VIOLATED = 1e-4  # how far below 1 the left side of a cut must be to be worth adding
TAILING = 1e-4  # of the bound: less than that gained in a round is not worth another
ROUNDS = 100


@dataclass(frozen=True, eq=False)
class Bound:
    """What no pattern can cost less than.

    Args:
        cost: the bound.
        point: how much of each cell goes in the relaxation; it hints at good patterns.
        cuts: the inequalities that prove it.
    """

    cost: float
    point: Floats
    cuts: tuple[Cut, ...]


def lower_bound(problem: Problem, *, rounds: int = ROUNDS, deadline: float = inf) -> Bound:
    """Cut off relaxed patterns until they reach every level, or hardly get dearer any more.

    Args:
        problem: the cells, relations and levels.
        rounds: how often the relaxed pattern is attacked, at most.
        deadline: when no further round begins, on the clock of `time.monotonic`.
    """
    attacker = Attacker(problem)
    relaxed = Relaxation(problem.cost, problem.is_required)
    point, cost, cuts = problem.is_required.astype(np.float64), 0.0, []
    for _ in range(rounds):
        if time.monotonic() >= deadline:
            break
        new = [cut for cut in attacker.cuts(point) if _is_violated(cut, point)]
        if not new:
            break
        relaxed.add(new)
        cuts += new
        before = cost
        cost, point = relaxed.solve()
        if cost - before <= TAILING * cost:
            break
    return Bound(cost, point, tuple(cuts))


def _is_violated(cut: Cut, point: Floats) -> bool:
    return bool(product(cut.coefficients, point[cut.indices]) < cut.lower - VIOLATED)
