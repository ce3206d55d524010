"""Hypercube cell suppression (GHMITER): every sensitive cell is a corner of a suppressed cube."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np

from tacita.arithmetic import log1p
from tacita.data.classes import Floats, Ints, Mask
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.tables.dimension import NONE
from tacita.tables.protect.completing import completed
from tacita.tables.protect.options import CostField, SafetyRange, SingletonsField
from tacita.tables.protect.problem import Problem
from tacita.tables.protect.subtables import Subtable, subtables_of
from tacita.tables.protect.suppression import Solution, Suppression, suppress
from tacita.tables.system import System

Position = tuple[int, ...]
TOTALS_LAST = 1e6  # above every logarithm of a cost
RELAXED = (1.0, *(1.0 / part for part in range(2, 11)), 0.0)  # shares of a level asked for in turn


class HypercubeSuppression(Method):
    """Suppress the corners of a cube around every sensitive cell.

    The table is cut into subtables without hierarchies. In each, a sensitive cell is protected by a
    cube with it as a corner: adding an amount to every second corner and taking it from the others
    changes no total. No corner may be zero or must be published, and all must have room for the
    amount. Of the cubes that do, the one with the fewest new suppressions is taken, then the one
    whose costs have the smallest product, totals last. What is suppressed in one subtable is
    protected in all others likewise, until nothing changes. Where no cube has enough room, one that
    has room for a half, a third, down to a tenth of the amount, or for anything, is taken.

    As published the method stops here. Here the pattern is completed, so that every level holds,
    and audited. No linear program is solved for the cubes, but far more cells than necessary are
    suppressed: use `fast_suppression` or `optimal_suppression` instead, and this one to compare
    with earlier releases.

    >>> from tacita.tables.ready import grid_table
    >>> inside = {"x": [10, 20], "y": [30, 40]}
    >>> table = grid_table("t", inside, ["u", "v"], sensitive=[("x", "u")])
    >>> HypercubeSuppression().protect(table.system()).secondary
    array([5, 7, 8])
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Giessing, S. and Repsilber, D. (2002). Tools and strategies to protect multiple tables "
        "with the GHQUAR cell suppression engine. In Inference Control in Statistical Databases, "
        "LNCS 2316, 181-192. Springer."
    )
    missing: ClassVar[str] = "The value of every cell must be known."

    cost: CostField = "value"
    singletons: SingletonsField = "ignored"
    safety_range: SafetyRange = 0.0

    def protect(self, system: System, preferred: Mask | None = None) -> Suppression:
        """Protect every sensitive cell."""
        subtables = subtables_of(system.relations)
        return suppress(
            system,
            lambda problem: hypercube_solution(problem, subtables),
            cost=self.cost,
            singletons=self.singletons,
            safety_range=self.safety_range,
            preferred=preferred,
        )


def hypercube_solution(problem: Problem, subtables: Sequence[Subtable]) -> Solution:
    """Protect every level by cubes, then whatever they miss."""
    pattern = completed(problem, hypercube_pattern(problem, subtables))
    return Solution(pattern, 0.0, is_optimal=False)


def hypercube_pattern(problem: Problem, subtables: Sequence[Subtable]) -> Mask:
    """Return the corners of cubes around all sensitive cells, in all subtables."""
    place_of = np.full(len(problem.system), NONE)
    place_of[problem.places] = np.arange(len(problem))
    work = _Work(problem)
    grids = [_Grid(work, _with_places(subtable, place_of)) for subtable in subtables]
    while any([grid.protect() for grid in grids]):  # noqa: C419 - all of them take their turn
        pass
    return ~work.is_new[:-1]


def _with_places(subtable: Subtable, place_of: Ints) -> Ints:
    """Return the cells of a problem by their positions in a subtable."""
    grid = subtable.grid()
    places: Ints = np.where(grid == NONE, NONE, place_of[subtable.cells[grid]])
    return places


class _Work:
    """What is suppressed so far, and how far up and down each cell must be possible.

    One cell more stands at the end for places without a cell that could be a corner.
    """

    def __init__(self, problem: Problem) -> None:
        is_zero = (problem.system.cells.value[problem.places] == 0) & ~problem.is_required
        room = np.stack([problem.up, problem.down])
        self.room = np.column_stack([np.where(is_zero, -np.inf, room), [-np.inf, -np.inf]])
        self.price = np.append(log1p(problem.cost), 0.0)
        self.is_new = np.append(~problem.is_required, True)
        self.needed = np.zeros((2, len(problem) + 1))
        for level in problem.levels:
            side = 0 if level.sign > 0 else 1
            self.needed[side, level.cell] = max(self.needed[side, level.cell], level.amount)


class Side(NamedTuple):
    """The corners of all cubes that are reached from a cell by the same moves.

    Args:
        moves: along which axes they lie on the other side of the cube.
        line: where they are, by the position of the corner opposite the cell.
        is_same: which of them move like the cell itself; the others move against it.
    """

    moves: tuple[bool, ...]
    line: tuple[slice, ...]
    is_same: Mask


class _Grid:
    """A subtable whose cells are protected by cubes.

    Args:
        work: what is suppressed so far in all subtables.
        places: the cells of the problem by position; -1 where there is none.
    """

    def __init__(self, work: _Work, places: Ints) -> None:
        self.work = work
        self.places = places
        self.room = work.room[:, places]
        self.price = work.price[places] + TOTALS_LAST * (np.indices(places.shape) == 0).any(axis=0)
        self.done = np.zeros((*places.shape, 2))

    def protect(self) -> bool:
        """Protect the cells that are not yet, and tell whether there were any."""
        pending = self._pending()
        for position in pending:
            # A cube around another cell may have done it meanwhile.
            if (self.work.needed[:, self.places[position]] > self.done[position]).any():
                self._protect(position)
        return bool(pending)

    def _pending(self) -> list[Position]:
        """Return where cells must still be protected, those with most to be done first."""
        needed = self.work.needed.T[self.places]
        positions = np.argwhere((needed > self.done).any(axis=-1))
        order = np.argsort(-needed.max(axis=-1)[tuple(positions.T)], kind="stable")
        return [tuple(position) for position in positions[order].tolist()]

    def _protect(self, position: Position) -> None:
        """Suppress the best cube with a cell as a corner."""
        wanted = self.work.needed[:, self.places[position]].copy()
        self.done[position] = wanted
        sides = list(self._sides(position))
        share = self._shares(position, sides, wanted)
        asked = next((part for part in RELAXED if (share >= part).any()), None)
        if asked is None:
            return
        opposite = self._cheapest(sides, share >= asked)
        for moves, _, is_same in sides:
            corner = tuple(np.where(moves, opposite, position).tolist())
            same = np.broadcast_to(is_same, self.places.shape)[opposite]
            self._take(corner, asked * (wanted if same else wanted[::-1]))

    def _take(self, corner: Position, moved: Floats) -> None:
        """Suppress a corner that must be possible as far as it moves."""
        cell = self.places[corner]
        self.work.is_new[cell] = False
        self.work.needed[:, cell] = np.maximum(self.work.needed[:, cell], moved)
        self.done[corner] = np.maximum(self.done[corner], moved)

    def _sides(self, position: Position) -> Iterator[Side]:
        """List the other corners of all cubes with a cell as a corner, by the moves to them."""
        for moves in list(product((False, True), repeat=len(position)))[1:]:
            pairs = list(zip(moves, position, strict=True))
            line = tuple(slice(None) if moved else slice(at, at + 1) for moved, at in pairs)
            is_same = np.ones((1,) * len(position), bool)
            for axis in np.flatnonzero(moves):
                is_same = is_same == self._moves_alike(int(axis), position[axis])
            yield Side(moves, line, is_same)

    def _moves_alike(self, axis: int, at: int) -> Mask:
        """Tell which positions along an axis move like a given one if both move alone.

        A part moves like its total, and against another part.
        """
        alike = (np.arange(self.places.shape[axis]) == 0) | (at == 0)
        shape = [-1 if other == axis else 1 for other in range(self.places.ndim)]
        reshaped: Mask = alike.reshape(shape)
        return reshaped

    def _shares(self, position: Position, sides: Sequence[Side], wanted: Floats) -> Floats:
        """Return of the wanted amounts how much each cube has room for; -inf where it cannot be."""
        same, against = _share(self.room, wanted), _share(self.room, wanted[::-1])
        share = np.full(self.places.shape, np.inf)
        for _, line, is_same in sides:
            share = np.minimum(share, np.where(is_same, same[line], against[line]))
        for axis, at in enumerate(position):
            share[(slice(None),) * axis + (at,)] = -np.inf
        return share

    def _cheapest(self, sides: Sequence[Side], allowed: Mask) -> Position:
        """Return the cube with the fewest new suppressions, and of those the cheapest."""
        is_new = self.work.is_new[self.places]
        price = np.where(is_new, self.price, 0.0)
        count, total = np.zeros(allowed.shape, np.int64), np.zeros(allowed.shape)
        for _, line, _ in sides:
            count, total = count + is_new[line], total + price[line]
        fewest = allowed & (count == count[allowed].min())
        best = np.argmin(np.where(fewest, total, np.inf))
        return tuple(int(at) for at in np.unravel_index(best, allowed.shape))


def _share(room: Floats, wanted: Floats) -> Floats:
    """Return how much of the amounts wanted up and down there is room for."""
    shares = [
        side / amount if amount > 0 else np.where(side == -np.inf, -np.inf, np.inf)
        for side, amount in zip(room, wanted, strict=True)
    ]
    share: Floats = np.minimum(*shares)
    return share
