"""From a problem to a suppression: fast first, then proven where the problem is small enough."""

from __future__ import annotations

import numpy as np

from tacita.microdata.masking.suppressing.bounding import least_costs, whole_sum
from tacita.microdata.masking.suppressing.greedy import ROUNDS, board_of, greedy_suppression
from tacita.microdata.masking.suppressing.one_sided import one_sided_suppression
from tacita.microdata.masking.suppressing.optimum import optimal_suppression
from tacita.microdata.masking.suppressing.problem import (
    Cells,
    Found,
    Places,
    Problem,
    cells_of,
    cost_of,
)
from tacita.microdata.masking.suppressing.search import Keys, Search
from tacita.microdata.masking.suppressing.symmetric import (
    optimal_symmetric,
    symmetric_suppression,
)


def solve(problem: Problem, search: Search) -> Found:
    """Place every record of a problem."""
    if search.matching == "symmetric":
        return _symmetric(problem, search)
    one_sided = search.is_one_sided
    sets = search.sets(problem.keys)
    cells = cells_of(problem)
    placed = (one_sided_suppression if one_sided else greedy_suppression)(problem, cells)
    least = least_costs(problem, cells, one_sided=one_sided)
    found = Found(placed, whole_sum(least))
    if len(sets) > 1:
        cells, least = cells_of(problem, sets), np.zeros(len(problem))
        placed = placed if one_sided else _restored(problem, cells, placed)
        found = Found(placed, _bound(problem, sets, one_sided))
    if search.depth == "fast" or found.bound >= cost_of(problem, placed):
        return found
    return optimal_suppression(problem, cells, found, least, search)


def _symmetric(problem: Problem, search: Search) -> Found:
    placed = symmetric_suppression(problem)
    found = Found(placed, int(problem.weights.min()) if cost_of(problem, placed) else 0)
    if search.depth == "fast" or found.bound >= cost_of(problem, placed):
        return found
    return optimal_symmetric(problem, found, search)


def _bound(problem: Problem, sets: list[Keys], one_sided: bool) -> int:
    """Add up bounds over sets of keys that share none, the largest first: no blank is in two."""
    bounds = {}
    for keys in sets:
        part = problem.over(keys)
        bounds[keys] = whole_sum(least_costs(part, cells_of(part), one_sided=one_sided))
    total, used = 0, set[int]()
    for keys in sorted(bounds, key=lambda one: -bounds[one]):
        if used.isdisjoint(keys):
            total, used = total + bounds[keys], used.union(keys)
    return total


def _restored(problem: Problem, cells: Cells, placed: Places) -> Places:
    """Show values again that only combinations of more keys needed to be blanked."""
    from tacita.kernels.suppressing import improve

    return improve(board_of(problem, cells), placed, ROUNDS)
