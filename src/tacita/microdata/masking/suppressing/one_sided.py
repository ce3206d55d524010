"""One-sided suppression, found fast: a record is blanked until a frequent combination fits it."""

from __future__ import annotations

import numpy as np

from tacita.microdata.masking.suppressing.problem import Cells, Places, Problem

NOWHERE = -1


def one_sided_suppression(problem: Problem, cells: Cells) -> Places:
    """Place every record so that it fits a cell over all keys with at least k records.

    Patterns are tried from the cheapest on. A row is released under the first one whose cell holds
    k records of rows that have no place yet, or a cell in use.

    Returns the number of records by pattern and row.
    """
    place_of = np.where(problem.counts >= problem.k, problem.own, NOWHERE)
    for place, pattern in enumerate(problem.patterns):
        left = np.flatnonzero((place_of == NOWHERE) & problem.fits(place))
        settled = np.flatnonzero(
            (place_of != NOWHERE) & ((problem.patterns[place_of] & ~pattern) == 0)
        )
        layer = cells.layers[cells.layer_of[place, 0]]
        need = np.bincount(layer[left], problem.counts[left], minlength=cells.number)
        in_use = np.bincount(layer[settled], minlength=cells.number) > 0
        place_of[left[(need[layer[left]] >= problem.k) | in_use[layer[left]]]] = place
    placed = np.zeros((len(problem.patterns), len(problem)), np.int32)
    placed[place_of, np.arange(len(problem))] = problem.counts
    return placed
