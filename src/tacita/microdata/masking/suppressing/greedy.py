"""A suppression that is found fast: cells are opened where they cost each unsafe record least."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Ints
from tacita.microdata.masking.suppressing.problem import BLANK, Cells, Places, Problem

if TYPE_CHECKING:
    from tacita.kernels.suppressing import Board

ROUNDS = 30  # of improvement; mostly a few are enough
MOST_STEPS = 12  # of numbers of unsafe records that cells are told apart by


def greedy_suppression(problem: Problem, cells: Cells) -> Places:
    """Place every record so that each cell over all keys has none or at least k.

    A cell under the pattern P with m unsafe records costs each of them cost(P) if m >= k; else
    records of frequent combinations must be blanked, too, and it costs cost(P) k / m. Cells are
    opened in the order of that price. Then records move, and cells are given up, as long as that
    is cheaper; at last, what all records of a cell share is shown again.

    Returns the number of records by pattern and row.
    """
    from tacita.kernels.suppressing import fill, improve

    on = board_of(problem, cells)
    placed, left = fill(on, problem.counts, _by_price(problem))
    _place_the_rest(problem, cells, placed, left)
    return _shown_again(problem, cells, improve(on, placed, ROUNDS))


def board_of(problem: Problem, cells: Cells) -> Board:
    """Return the problem as the kernels see it."""
    from tacita.kernels.suppressing import board

    patterns = problem.patterns, problem.costs
    rows = problem.blanks, problem.own
    return board(cells.layers, cells.layer_of, *patterns, *rows, problem.k)


def _by_price(problem: Problem) -> Ints:
    """List pairs of a pattern and a number of unsafe records in a cell, the cheapest first."""
    steps = np.unique(np.geomspace(problem.k, 1, MOST_STEPS).round().astype(np.int64))
    if problem.k <= MOST_STEPS:
        steps = np.arange(1, problem.k + 1)
    numbers = np.tile(steps, len(problem.patterns))
    patterns = np.repeat(np.arange(len(problem.patterns)), len(steps))
    price = problem.costs[patterns] * problem.k / numbers
    return np.column_stack([patterns, numbers])[np.lexsort((patterns, -numbers, price))]


def _shown_again(problem: Problem, cells: Cells, placed: Places) -> Places:
    """Show a value again that all records of a cell share."""
    place_of = {pattern: place for place, pattern in enumerate(problem.patterns.tolist())}
    for pattern, place in reversed(place_of.items()):
        for key in range(problem.keys):
            rows = np.flatnonzero(placed[place])
            less = place_of.get(pattern & ~(1 << key), place)
            if less == place or not len(rows):
                continue
            _, at = np.unique(cells.layers[cells.layer_of[place, 0], rows], return_inverse=True)
            value = problem.values[rows, key]
            lowest = np.full(at.max() + 1, np.iinfo(np.int64).max)
            highest = np.full(at.max() + 1, BLANK)
            np.minimum.at(lowest, at, value)
            np.maximum.at(highest, at, value)
            alike = rows[((lowest == highest) & (lowest != BLANK))[at]]
            placed[less, alike] += placed[place, alike]
            placed[place, alike] = 0
    return placed


def _place_the_rest(problem: Problem, cells: Cells, placed: Places, left: Ints) -> None:
    """Blank all values of what is left, and of the cell of the same stratum that loses least."""
    last = len(problem.patterns) - 1
    for stratum in np.unique(problem.strata[left > 0]):
        rows = np.flatnonzero(problem.strata == stratum)
        patterns, of = np.nonzero(placed[:, rows])
        if len(of):
            places = rows[of]
            at = cells.layers[cells.layer_of[patterns, 0], places]
            lost = placed[patterns, places] * (problem.costs[last] - problem.costs[patterns])
            _, cell = np.unique(at, return_inverse=True)
            away = cell == np.bincount(cell, lost).argmin()
            np.add.at(placed[last], places[away], placed[patterns[away], places[away]])
            placed[patterns[away], places[away]] = 0
        placed[last, rows] += left[rows].astype(np.int32)
