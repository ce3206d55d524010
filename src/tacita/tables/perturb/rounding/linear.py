"""Linear programs of rounding: the cheapest vertex, and the potentials that prove it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.errors import ProtectionError
from tacita.tables.perturb.rounding.problem import Program

INFEASIBLE = 2  # as the solver says it
FINE = 2**10  # parts of a unit of cost that potentials are counted in


@dataclass(frozen=True, eq=False)
class Vertex:
    """The cheapest vertex of a linear program.

    Args:
        point: its variables.
        potentials: what one unit more of every relation would cost.
    """

    point: Floats
    potentials: Floats


def vertex(program: Program, *, rows: Ints, seconds: float = inf) -> Vertex | None:
    """Find the cheapest vertex, with the simplex method; None if it stops without an answer.

    Args:
        program: the program.
        rows: the relations that are kept; the others follow from them.
        seconds: how long it may take.

    Raises:
        ProtectionError: there is none.
    """
    from scipy.optimize import linprog

    found = linprog(
        program.cost,
        A_eq=program.matrix[rows].astype(np.float64),
        b_eq=program.rhs[rows],
        bounds=np.column_stack([program.lower, program.upper]),
        method="highs-ds",
        options={} if seconds == inf else {"time_limit": max(seconds, 0.0)},
    )
    if found.status == INFEASIBLE:
        raise ProtectionError("No values fulfil all relations and bounds at once.")
    return Vertex(found.x, found.eqlin.marginals) if found.success else None


def least_cost(program: Program, potentials: Floats, *, rows: Ints) -> int:
    """Return what potentials prove that any steps cost at least, in whole numbers.

    Whatever the potentials are, no steps cost less: they are the better the more they prove.

    Args:
        program: the program, all of whose variables are bounded.
        potentials: what one unit more of each relation is said to cost.
        rows: those relations.
    """
    price = np.round(potentials * FINE).astype(np.int64)
    reduced = program.cost * FINE - program.matrix[rows].T @ price
    ends = np.where(reduced > 0, program.lower, program.upper).astype(np.int64)
    come_to = price.tolist() + reduced.tolist(), program.rhs[rows].tolist() + ends.tolist()
    cost: int = sum(one * other for one, other in zip(*come_to, strict=True))
    return -(-cost // FINE)
