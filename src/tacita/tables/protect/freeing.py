"""What to free where a sensitive cell cannot be protected: cells that must be published."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.data.classes import Ints
from tacita.tables.dimension import NONE
from tacita.tables.protect.deviation import Deviations
from tacita.tables.protect.problem import Level, Problem, problem_of
from tacita.tables.status import Status


def cells_to_free(problem: Problem, level: Level) -> Ints:
    """Return cells that must be published and with which a level could be reached; few of them.

    Of all deviations that reach the level, the one is taken whose such cells are smallest.

    Args:
        problem: the cells, relations and levels.
        level: what no pattern reaches.

    Returns:
        Places in the system of the problem; none if they would not help either.
    """
    cells = problem.system.cells
    kept = (cells.status == Status.PUBLISHED) & (cells.value != 0)
    freed = replace(cells, status=np.where(kept, Status.SAFE, cells.status))
    wider = problem_of(replace(problem.system, cells=freed))
    place_in = np.full(len(cells), NONE)
    place_in[wider.places] = np.arange(len(wider))
    known = NONE if level.known == NONE else int(place_in[problem.places[level.known]])
    asked = level._replace(cell=int(place_in[problem.places[level.cell]]), known=known)
    cost = np.where(kept, np.abs(cells.value), 0.0)[wider.places]
    found = Deviations(wider).cheapest(asked, cost, np.ones(len(wider), bool))
    moved = np.zeros(0, np.int64) if found is None else wider.places[found.cells]
    free: Ints = moved[kept[moved]]
    return free
