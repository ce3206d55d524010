"""What a suppression must cost at least, found fast."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.microdata.masking.suppressing.problem import Cells, Problem

ROUNDED = 1e-9  # of a sum of doubles


def least_costs(problem: Problem, cells: Cells, *, one_sided: bool) -> Floats:
    """Return, for every row, units that no suppression over all keys can cost it less than.

    Every unsafe record, one of a row with fewer than k, is released under some pattern P, in a cell
    that at least k records could be in. If only m < k of those are unsafe, k - m of the others are
    blanked for them at a cost of at least b each, which m can share: no unsafe record costs less
    than min over P of cost(P) + b (k - m) / m. What frequent rows lose is in there, so that the sum
    over all rows is a bound.
    """
    unsafe = problem.counts < problem.k
    possible = cells.sums(problem.counts)
    needy = cells.sums(np.where(unsafe, problem.counts, 0))
    lack = np.zeros(cells.number) if one_sided else _lack(problem, cells, needy)
    floor = np.inf if problem.missing_cost is None else float(problem.missing_cost)
    best = np.full(len(problem), floor)
    for place, layer in enumerate(cells.layer_of[:, 0]):
        rows = np.flatnonzero(unsafe & problem.fits(place))
        at = cells.layers[layer, rows]
        price = problem.costs[place] - problem.known_costs[rows] + lack[at]
        price[possible[at] < problem.k] = np.inf
        best[rows] = np.minimum(best[rows], price)
    return np.where(unsafe, best, 0.0) * problem.counts


def whole_sum(least: Floats) -> int:
    """Return the whole number of units that a sum of bounds stands for."""
    return int(np.ceil(float(least.sum()) * (1 - ROUNDED)))


def _lack(problem: Problem, cells: Cells, needy: Ints) -> Floats:
    """Return, for every cell, what its other records cost each unsafe one at least."""
    others = np.flatnonzero(problem.counts >= problem.k)
    cheapest = np.full(cells.number, np.inf)
    for place, layer in enumerate(cells.layer_of[:, 0]):
        rows = others[problem.fits(place)[others]]
        cost = (problem.costs[place] - problem.known_costs[rows]).astype(np.float64)
        np.minimum.at(cheapest, cells.layers[layer, rows], cost)
    missing = np.maximum(problem.k - needy, 0)
    lack = np.zeros(cells.number)
    some = (missing > 0) & (needy > 0)
    lack[some] = cheapest[some] * missing[some] / needy[some]
    return lack
