"""What adjustment has to solve, in whole units of the last digit, so that results can be checked.

The moves d of the cells keep every relation, M d = 0, and stay within what is known beforehand,
-down_i <= d_i <= up_i; each sensitive cell p moves by its level, d_p >= above_p or d_p <= -below_p.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.decimals import MOST_DECIMALS, WHOLE, in_units
from tacita.errors import ProtectionError
from tacita.mechanisms.sensitivity.contributions import decimal
from tacita.tables.cells import Cells
from tacita.tables.perturb.adjusting.tying import FIXED, tied
from tacita.tables.status import Status
from tacita.tables.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Weight = Literal["equal", "relative", "cost"]
LITTLE = 1e-3  # of the smallest cost: what a cell weighs that costs nothing
DIGITS = 4  # of the smallest level, where values are no decimals
NEVER = 2**62  # units: a level that no cell reaches
FAR = 2.0  # of all levels together, down and up: what no cell moves by; see `_room`


@dataclass(frozen=True, eq=False)
class Task:
    """The cells that may move and how far, in units.

    Cells that can only move together are one cell of the task (see `tying`).

    Args:
        system: the true cells and their relations.
        places: the places in the system of all that may move.
        unknown: the cell of the task that each of those moves with.
        sign: 1 where it moves as that does, -1 where it moves the other way.
        matrix: the relations between the cells of the task, with whole coefficients.
        down: how far each cell may move down; `up` likewise up.
        weight: what it costs to move each cell, with all that move with it, by one.
        sensitive: the cells of the task that must move.
        below: how far each of those moves at least, if it moves down; `above` likewise up. A side
            on which it cannot go so far has a level out of reach.
        unit: what one unit is worth.
    """

    system: System
    places: Ints
    unknown: Ints
    sign: Ints
    matrix: csr_array
    down: Ints
    up: Ints
    weight: Floats
    sensitive: Ints
    below: Ints
    above: Ints
    unit: Fraction

    def __len__(self) -> int:
        return len(self.weight)

    def name(self, number: int) -> str:
        """Return the name of a sensitive cell, by its number among them."""
        together = self.places[self.unknown == self.sensitive[number]]
        place = together[self.system.cells.sensitive[together]][0]
        return self.system.name_of(int(place))

    @cached_property
    def equations(self) -> csr_array:
        """The relations without those that follow from others, as the solvers take them."""
        from tacita.kernels.elimination import independent_rows

        matrix = self.matrix
        kept = independent_rows(matrix.indptr, matrix.indices, matrix.data, len(self))
        return matrix[np.flatnonzero(kept)].astype(np.float64)

    def room(self, rises: Mask) -> tuple[Ints, Ints]:
        """Return the least and the largest move of each cell, once the directions are chosen."""
        lower, upper = -self.down, self.up.copy()
        lower[self.sensitive] = np.where(rises, self.above, lower[self.sensitive])
        upper[self.sensitive] = np.where(rises, upper[self.sensitive], -self.below)
        return lower, upper

    def holds(self, moves: Ints) -> bool:
        """Tell whether moves keep relations, bounds and levels, in whole numbers."""
        moved = moves[self.sensitive]
        reached = (moved >= self.above) | (moved <= -self.below)
        inside = (moves >= -self.down) & (moves <= self.up)
        return bool(reached.all() and inside.all() and not (self.matrix @ moves).any())

    def published(self, moves: Ints) -> Floats:
        """Return what is published of every cell of the system."""
        value = self.system.cells.value.copy()
        decimals = self.system.decimals
        moved, moves = value[self.places], moves[self.unknown] * self.sign
        if decimals is None:
            value[self.places] = moved + moves * float(self.unit)
        else:
            value[self.places] = (in_units(moved, decimals) + moves) / 10.0**decimals
        return value


def task_of(system: System, weight: Weight) -> Task:
    """Return what has to be solved to adjust a table.

    Args:
        system: cells with statuses and levels, and their relations.
        weight: what it costs to move a cell by one: 1 (`equal`), 1 over its value (`relative`), or
            the `cost` that the table gives it.

    Raises:
        InputError: the value of a cell is not known.
        ProtectionError: a sensitive cell can move to neither side.
    """
    cells = system.cells
    system.refuse_unknown("Adjusting a table")
    places = np.flatnonzero(
        (cells.sensitive | (cells.status != Status.PUBLISHED))
        & (cells.sensitive | (cells.lower_bound < cells.upper_bound))
    )
    ties = tied(system.relations[:, places].tocsr())
    _refuse_tied(system, places[(ties.unknown == FIXED) & cells.sensitive[places]])
    free = np.flatnonzero(ties.unknown != FIXED)
    places, unknown, sign = places[free], ties.unknown[free], ties.sign[free]
    task = Task(
        system=system,
        places=places,
        unknown=unknown,
        sign=sign,
        matrix=ties.relations,
        weight=np.bincount(unknown, weights_of(cells.take(places), weight)).astype(np.float64),
        unit=unit_of(system),
        **_ends(system, places, unknown, sign),
    )
    _refuse_no_side(task)
    return task


def _ends(system: System, places: Ints, unknown: Ints, sign: Ints) -> dict[str, Ints]:
    """Return how far cells that move together may move, and how far the sensitive ones must."""
    part, unit = system.cells.take(places), unit_of(system)
    is_sensitive, size = part.sensitive, int(unknown.max(initial=FIXED)) + 1
    sensitive = part.take(np.flatnonzero(is_sensitive))
    levels = _levels(sensitive, unit, is_decimal=system.decimals is not None)
    both = np.concatenate(levels)
    rooms = _room(part, unit, system.decimals, levels=both[both < NEVER])
    down, up = (np.full(size, NEVER) for _ in range(2))
    for end, room in ((down, np.where(sign > 0, *rooms)), (up, np.where(sign > 0, *rooms[::-1]))):
        np.minimum.at(end, unknown, room)
    below, above = (np.zeros(size, np.int64) for _ in range(2))
    turned, which = sign[is_sensitive] > 0, unknown[is_sensitive]
    for end, level in (
        (below, np.where(turned, *levels)),
        (above, np.where(turned, *levels[::-1])),
    ):
        np.maximum.at(end, which, level)
    return {
        "down": down,
        "up": up,
        "sensitive": (numbers := np.unique(which)),
        "below": np.where(below <= down, below, NEVER)[numbers],
        "above": np.where(above <= up, above, NEVER)[numbers],
    }


def _refuse_tied(system: System, fixed: Ints) -> None:
    for place in fixed[:1]:
        raise impossible(system.name_of(int(place)))


def impossible(name: str) -> ProtectionError:
    """Return the error that says that no table keeps everything and moves a cell by its level."""
    return ProtectionError(
        f"The sensitive cell {name} cannot be adjusted by its level: relations, bounds and the "
        "levels of other sensitive cells leave no table for it. Let cells change that must be "
        "published, widen what is known beforehand, or lower its levels."
    )


def _refuse_no_side(task: Task) -> None:
    stuck = np.flatnonzero((task.below == NEVER) & (task.above == NEVER))
    for number in stuck[:1]:
        raise ProtectionError(
            f"The sensitive cell {task.name(int(number))} cannot be adjusted: what is known "
            "beforehand of it, or of cells that only move together with it, leaves no room for its "
            "level, above or below its value. Widen what is known of it, or lower its level."
        )


def unit_of(system: System) -> Fraction:
    """Return the last digit of the values; of values that are no decimals, of the least level."""
    if system.decimals is not None:
        return Fraction(1, 10**system.decimals)
    cells = system.cells
    levels = np.concatenate([cells.lower_level, cells.upper_level])[np.tile(cells.sensitive, 2)]
    least = float(levels[levels > 0].min(initial=1.0))
    digits = DIGITS - math.ceil(math.log10(least))
    largest = float(np.abs(cells.value).max(initial=1.0))
    most = math.floor(math.log10(WHOLE / max(largest, 1.0)))
    return Fraction(10) ** -min(digits, most, MOST_DECIMALS)


def _levels(cells: Cells, unit: Fraction, *, is_decimal: bool) -> tuple[Ints, Ints]:
    """Return how many units sensitive cells must move, down and up.

    A side without a level is open only to cells without any: those must not be told exactly, and
    one unit will do. A width that is asked for in all is reached upwards. Where values are no
    decimals one unit more makes up for what doubles round.
    """
    lower, upper = cells.lower_level, cells.upper_level
    upper = np.maximum(upper, cells.sliding_level - lower)
    has_none = (lower <= 0) & (upper <= 0)
    spare = 0 if is_decimal else 1
    sides = []
    for level in (lower, upper):
        units = np.array([math.ceil(decimal(one) / unit) + spare for one in level], np.int64)
        sides.append(np.where(has_none, 1 + spare, np.where(level > 0, units, NEVER)))
    return sides[0], sides[1]


def _room(cells: Cells, unit: Fraction, decimals: int | None, *, levels: Ints) -> tuple[Ints, Ints]:
    """Return how many units each cell may move down and up.

    A cheapest adjustment is made of circuits of moves, each of which brings some sensitive cell
    nearer to its level. So no cell moves by much more than all levels together.
    """
    far = min(FAR * float(levels.astype(np.float64).sum()), float(WHOLE))
    ends = (cells.value - cells.lower_bound, cells.upper_bound - cells.value)
    if decimals is None:
        down, up = (np.floor(end / float(unit) * (1 - 1e-12)) - 1 for end in ends)
    else:
        value = in_units(cells.value, decimals)
        down = value - _rounded(cells.lower_bound, unit, math.ceil)
        up = _rounded(cells.upper_bound, unit, math.floor) - value
    low, high = (np.clip(end, 0.0, far).astype(np.int64) for end in (down, up))
    return low, high


def _rounded(bounds: Floats, unit: Fraction, towards: Callable[[Fraction], int]) -> Floats:
    """Return bounds in units, rounded to the safe side."""
    several, which = np.unique(bounds, return_inverse=True)
    units = [
        float(towards(decimal(one) / unit)) if np.isfinite(one) else one for one in several.tolist()
    ]
    found: Floats = np.array(units)[which]
    return found


def weights_of(cells: Cells, weight: Weight) -> Floats:
    """Return what each cell weighs; never nothing, or it would be moved for no reason."""
    if weight == "equal":
        return np.ones(len(cells))
    if weight == "relative":
        size = np.abs(cells.value)
        return 1.0 / np.where(size > 0, size, 1.0)
    cost = np.nan_to_num(cells.cost)
    least = float(cost[cost > 0].min(initial=np.inf))
    return np.where(cost > 0, cost, LITTLE * least if np.isfinite(least) else 1.0)
