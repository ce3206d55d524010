"""A lower bound on what protection costs that needs no linear program: relations must be covered.

A sensitive cell can only move by its level L if the other suppressed cells of each of its relations
can move against it by as much. With R what those that are suppressed anyway leave over, every
pattern x (1 for what is suppressed, 0 otherwise) has

    sum_i min(room_i, R) x_i >= R

over the other cells of the relation. The cheapest x between 0 and 1 takes cells by their cost for
each unit. What a relation uses of the cost of a cell is not there for the next one, so that the
bounds of all relations add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.tables.protect.problem import Problem, tolerance

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SIGNS = (1, -1)  # a relation must come to more or to less, but for the cell that is looked at


class _Cover(NamedTuple):
    cost: float
    cells: Ints
    used: Floats  # of what each of them costs


def covering_bound(problem: Problem) -> float:
    """Return what no pattern can cost less than; how close it comes depends on the table.

    Args:
        problem: the cells, relations and levels.
    """
    lacking = {sign: _lacking(problem, sign) for sign in SIGNS}
    largest = np.maximum(*lacking.values())
    relations = np.flatnonzero(largest > 0)
    by_size = relations[np.argsort(-largest[relations], kind="stable")]
    orders = relations, relations[::-1], by_size
    return max(_in_order(problem, order, lacking) for order in orders)


def _lacking(problem: Problem, sign: int) -> Floats:
    """Return how far the cells of each relation that are suppressed anyway do not move.

    Args:
        problem: the cells, relations and levels.
        sign: whether they must add up to more or to less than now.
    """
    room = _rooms(problem, sign)
    room.data[~problem.is_required[room.indices]] = 0.0
    there = room.sum(axis=1)
    lacking = np.zeros(len(there))
    by_cell, rooms_by_cell = problem.matrix.tocsc(), room.tocsc()
    cells, signs = problem.level_cells, problem.level_signs
    amounts = problem.level_amounts - tolerance(problem.level_amounts)
    counts = np.diff(by_cell.indptr)[cells]
    level = np.repeat(np.arange(len(cells)), counts)
    entry = _ranges(by_cell.indptr[cells], counts)
    against = by_cell.data[entry] * signs[level] == -sign
    level, entry = level[against], entry[against]
    rows = by_cell.indices[entry]
    others = there[rows] - rooms_by_cell.data[entry]
    np.maximum.at(lacking, rows, amounts[level] - others)
    return lacking


def _rooms(problem: Problem, sign: int) -> csr_array:
    """Return by how much each cell can move each of its relations to one side."""
    room = problem.matrix.copy()
    rises = room.data * sign > 0
    room.data = np.where(rises, problem.up[room.indices], problem.down[room.indices])
    return room


def _ranges(starts: Ints, counts: Ints) -> Ints:
    """Return the numbers from each start on, as many as are counted."""
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(counts.sum())


def _in_order(problem: Problem, relations: Ints, lacking: dict[int, Floats]) -> float:
    """Add up what relations cost, each of which leaves less of the costs to those after it."""
    left = problem.cost.copy()
    bound = 0.0
    for relation in relations.tolist():
        covers = (_covered(problem, relation, sign, lacking[sign], left) for sign in SIGNS)
        dearest = max(covers, key=lambda cover: cover.cost)
        left[dearest.cells] -= dearest.used
        bound += dearest.cost
    return bound


def _covered(problem: Problem, relation: int, sign: int, lacking: Floats, left: Floats) -> _Cover:
    """Cover what a relation lacks to one side as cheaply as it can be, taking cells in part."""
    start, stop = problem.matrix.indptr[relation : relation + 2]
    cells, rises = problem.matrix.indices[start:stop], problem.matrix.data[start:stop] * sign > 0
    room = np.where(rises, problem.up[cells], problem.down[cells])
    usable = ~problem.is_required[cells] & (room > 0) & (lacking[relation] > 0)
    if not usable.any():
        return _Cover(0.0, cells[:0], left[:0])
    cells, share = cells[usable], np.minimum(room[usable] / lacking[relation], 1.0)
    price = left[cells] / share
    order = np.argsort(price, kind="stable")
    last = min(int(np.searchsorted(np.cumsum(share[order]), 1.0)), len(order) - 1)
    dearest = float(price[order[last]])
    used = np.minimum(left[cells], dearest * share)
    rest = max(1.0 - float(share[order[:last]].sum()), 0.0)
    return _Cover(float(used[order[:last]].sum()) + rest * dearest, cells, used)
