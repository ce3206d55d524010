"""A pattern built level by level: each is reached by the deviation that costs least to add.

For one level after the other, the largest first, the cheapest deviation that reaches it is found,
in which what is suppressed already is free. The cells that move are suppressed. A deviation often
reaches many other levels on its way, which are done with then.

Kelly, Golden & Assad (1992), Cell suppression: disclosure protection for sensitive tabular data,
Networks 22(4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.tables.protect.deviation import Deviations
from tacita.tables.protect.problem import Problem, cannot_be_protected


@dataclass(frozen=True, eq=False)
class Reached:
    """A pattern, and the proof that it reaches every level.

    Args:
        pattern: the cells that are suppressed.
        leans_on: for each level, the cells that move when it is reached.
    """

    pattern: Mask
    leans_on: list[Ints]


def greedy_pattern(problem: Problem) -> Mask:
    """Return a pattern that reaches every level.

    Raises:
        ProtectionError: a level cannot be reached.
    """
    return levels_reached(problem).pattern


def levels_reached(problem: Problem, *, discount: Floats | None = None) -> Reached:
    """Reach every level, one after the other.

    Args:
        problem: the cells, relations and levels.
        discount: factors on the cells' costs, to be led to other patterns; 1 when left out.

    Raises:
        ProtectionError: a level cannot be reached.
    """
    deviations = Deviations(problem)
    cost = np.where(
        problem.is_required, 0.0, problem.cost * (1.0 if discount is None else discount)
    )
    everywhere = np.ones(len(problem), bool)
    pattern = problem.is_required.copy()
    pending = np.ones(len(problem.levels), bool)
    leans_on = [np.zeros(0, np.int64) for _ in problem.levels]
    for number, level in enumerate(problem.levels):
        if not pending[number]:
            continue
        deviation = deviations.cheapest(level, cost, everywhere)
        if deviation is None:
            raise cannot_be_protected(problem, level)
        pattern[deviation.cells] = True
        cost[deviation.cells] = 0.0
        done = pending & deviation.reached(problem)
        done[number] = True
        for reached in np.flatnonzero(done):
            leans_on[reached] = deviation.cells
        pending &= ~done
    return Reached(pattern, leans_on)
