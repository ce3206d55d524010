"""Subtables without hierarchies, found from the relations alone.

A subtable is a total with one relation for each direction in which it has parts, and all that lies
between these parts: every relation of a part that runs parallel to a relation of the total. Two
relations are parallel if the parts of the one are parts of the parts of the other. Names of
attributes are not needed, so that tables read from a file of relations, linked tables and several
hierarchies of one attribute are all cut up in the same way.

de Wolf (2002), HiTaS: a heuristic approach to cell suppression in hierarchical tables, in Inference
Control in Statistical Databases, LNCS 2316.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacita.data.classes import Ints
from tacita.tables.dimension import NONE

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Place = tuple[int, ...]
DEEPEST = 1000  # levels below a total that are told apart


@dataclass(frozen=True, eq=False)
class Subtable:
    """A table without hierarchies among the cells of a system.

    Args:
        cells: the places of its cells in the system.
        positions: where each cell is along every axis; 0 is the total of the axis.
        relations: the relations of the system between these cells.
        depth: how many steps its total is below the top.
    """

    cells: Ints
    positions: Ints
    relations: Ints
    depth: int

    def grid(self) -> Ints:
        """Return the places in the list of cells by position, -1 where there is no cell."""
        grid = np.full(self.positions.max(axis=0) + 1, NONE)
        grid[tuple(self.positions.T)] = np.arange(len(self.cells))
        return grid


class Sum(NamedTuple):
    """A total and its parts; the total is -1 if a relation is no such sum."""

    total: int
    parts: list[int]


class Step(NamedTuple):
    """A relation that leads down from a cell, and the position of each of its parts."""

    relation: int
    positions: dict[int, int]


def subtables_of(relations: csr_array) -> list[Subtable]:
    """Cut the relations of a system into subtables, those at the top first.

    Every relation is in a subtable, if it is there twice then once; one that fits nowhere else is
    a subtable of its own. A cell may be in several.

    >>> from scipy.sparse import csr_array
    >>> rows = np.array([[-1, 1, 1, 0, 0], [0, 0, -1, 1, 1]])
    >>> [found.cells.tolist() for found in subtables_of(csr_array(rows))]
    [[0, 1, 2], [2, 3, 4]]
    """
    return _Cutting(relations).subtables()


class _Cutting:
    def __init__(self, relations: csr_array) -> None:
        self.sums = [_sum_of(cells, signs) for cells, signs in _entries(relations)]
        self.cells_of = [cells for cells, _ in _entries(relations)]
        size = relations.shape[1]
        self.below: list[list[int]] = [[] for _ in range(size)]  # relations of a total
        self.above: list[list[int]] = [[] for _ in range(size)]  # totals of a part
        self.owners: list[set[int]] = [set() for _ in self.sums]
        known: set[tuple[int, ...]] = set()
        for number, (total, parts) in enumerate(self.sums):
            key = total, *sorted(parts)
            if key in known:
                self.owners[number].add(NONE)  # linked tables have some relations twice
            elif total != NONE:
                known.add(key)
                self.below[total].append(number)
                for part in parts:
                    self.above[part].append(total)
        self.depth = self._depths(size)

    def _depths(self, size: int) -> Ints:
        """Return how many steps each cell is below the top, on the longest way."""
        depth = np.zeros(size, np.int64)
        sums = [one for one in self.sums if one.total != NONE]
        totals = np.repeat([one.total for one in sums], [len(one.parts) for one in sums])
        parts = np.array([part for one in sums for part in one.parts], np.int64)
        for _ in range(DEEPEST if len(parts) else 0):
            deeper = depth.copy()
            np.maximum.at(deeper, parts, depth[totals] + 1)
            if (deeper == depth).all():
                break
            depth = deeper
        return depth

    def subtables(self) -> list[Subtable]:
        found: list[Subtable] = []
        totals = {one.total for one in self.sums} - {NONE}
        for total in sorted(totals, key=lambda cell: (-len(self.below[cell]), cell)):
            for axes in self._crossing(total):
                # What lies within a subtable of more axes is nothing new.
                if not set.intersection(*(self.owners[axis] for axis in axes)):
                    self._note(self._subtable(total, axes), found)
        for number, owners in enumerate(self.owners):
            if not owners:
                self._note(self._alone(number), found)
        return sorted(found, key=lambda one: (one.depth, int(one.cells[0])))

    def _note(self, subtable: Subtable, found: list[Subtable]) -> None:
        for number in subtable.relations.tolist():
            self.owners[number].add(len(found))
        found.append(subtable)

    def _crossing(self, total: int) -> Iterator[Sequence[int]]:
        """Return the largest sets of relations of a total that all cross each other."""
        numbers = self.below[total]
        pairs = {pair for pair in combinations(numbers, 2) if self._do_cross(*pair)}
        taken: list[frozenset[int]] = []
        for size in range(len(numbers), 0, -1):
            for axes in combinations(numbers, size):
                whole = frozenset(axes)
                if pairs.issuperset(combinations(axes, 2)) and not any(whole <= t for t in taken):
                    taken.append(whole)
                    yield axes

    def _do_cross(self, one: int, other: int) -> bool:
        if self.owners[one] & self.owners[other]:
            return True
        position = self._positions(other)
        return any(self._parallel(part, position) for part in self.sums[one].parts)

    def _positions(self, number: int) -> dict[int, int]:
        return {part: place for place, part in enumerate(self.sums[number].parts, start=1)}

    def _parallel(self, total: int, position: dict[int, int]) -> Step | None:
        """Find the relation of a total whose parts lie below given cells, one below each."""
        for number in self.below[total]:
            found = {}
            for part in self.sums[number].parts:
                at = {position[above] for above in self.above[part] if above in position}
                if len(at) != 1:
                    break
                found[part] = at.pop()
            else:
                if len(set(found.values())) == len(found):
                    return Step(number, found)
        return None

    def _subtable(self, total: int, axes: Sequence[int]) -> Subtable:
        """Follow parallel relations from a total to the inner cells."""
        start: Place = (0,) * len(axes)
        cell_at = {start: total}
        steps: dict[tuple[Place, int], Step] = {}
        layer = [start]
        while layer:
            deeper: dict[Place, None] = {}
            for place in layer:
                for axis in (axis for axis, at in enumerate(place) if not at):
                    step = self._step(cell_at[place], axes[axis], _higher(steps, place, axis))
                    there = _parts_at(place, axis, step)
                    if step and all(cell_at.get(at, cell) == cell for at, cell in there.items()):
                        steps[place, axis] = step
                        deeper |= dict.fromkeys(at for at in there if at not in cell_at)
                        cell_at |= there
            layer = list(deeper)
        numbers = sorted({step.relation for step in steps.values()})
        return self._made(np.array(list(cell_at.values())), np.array(list(cell_at)), numbers)

    def _step(self, total: int, first: int, higher: dict[int, int] | None) -> Step | None:
        """Go down from a cell, parallel to where the cells one step up are; at the top freely."""
        if higher is None:
            return Step(first, self._positions(first))
        return self._parallel(total, higher)

    def _made(self, cells: Ints, positions: Ints, relations: list[int]) -> Subtable:
        depth = int(self.depth[cells].min(initial=DEEPEST))
        return Subtable(cells, positions, np.array(relations), depth)

    def _alone(self, number: int) -> Subtable:
        cells = np.array(self.cells_of[number])
        return self._made(cells, np.arange(len(cells))[:, None], [number])


def _higher(steps: dict[tuple[Place, int], Step], place: Place, axis: int) -> dict[int, int] | None:
    """Return the positions along an axis of the cells one step up another; None at the total."""
    up = next((other for other, at in enumerate(place) if at), None)
    if up is None:
        return None
    step = steps.get(((*place[:up], 0, *place[up + 1 :]), axis))
    return step.positions if step else {}


def _parts_at(place: Place, axis: int, step: Step | None) -> dict[Place, int]:
    positions = step.positions if step else {}
    return {(*place[:axis], at, *place[axis + 1 :]): cell for cell, at in positions.items()}


def _entries(relations: csr_array) -> Iterator[tuple[list[int], list[int]]]:
    for start, stop in pairwise(relations.indptr):
        yield relations.indices[start:stop].tolist(), relations.data[start:stop].tolist()


def _sum_of(cells: list[int], signs: list[int]) -> Sum:
    """Read a relation as a total and its parts, if that is what it is."""
    totals = [cell for cell, sign in zip(cells, signs, strict=True) if sign == -1]
    if len(totals) != 1 or signs.count(1) != len(signs) - 1 or len(signs) == 1:
        return Sum(NONE, cells)
    return Sum(totals[0], [cell for cell in cells if cell != totals[0]])
