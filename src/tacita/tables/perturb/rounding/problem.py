"""Controlled rounding as a program in whole numbers.

The published value of a cell is b (k + d), where k is how many times the base b is in the true
value and d how many steps the cell takes from there. A step from 0 to 1 rounds up instead of down;
one farther out, in either direction, is a *jump*. The distance to the true value is convex in d, so
that a program with one variable for the choice and one for the jumps on each side is linear:

    min  sum_i w_i |b (k_i + d_i) - v_i|   subject to   the relations of the published values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import InputError
from tacita.mechanisms.rounding import Parted, parted
from tacita.results import show
from tacita.tables.network import network_of
from tacita.tables.perturb.rounding.cells import parted_cells
from tacita.tables.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Weight = Literal["equal", "relative", "cost"]
Bounds = Literal["inside", "next", "left"]
ANY = 2**20  # bases: farther away from the truth no rounding is of use
DEAR = 10  # times what the heaviest cell costs: what a step off a rung does
SAME = 1e-6  # of a bound: a loss that is above it by less is the least, where costs are rounded
LARGEST_COST = 2**26  # of a step: fine enough to tell costs apart, small enough for solvers


@dataclass(frozen=True)
class Rung:
    """How far cells may go: a rung of the ladder that is climbed until a rounding is found.

    Args:
        reach: every cell is published less than so many bases from its true value; None for any
            distance. With 1, a rounding is zero-restricted.
        bounds: whether cells stay inside of what everybody knows of them, where a multiple of the
            base is; may go to the next multiple outside; or anywhere but to another sign.
    """

    reach: int | None
    bounds: Bounds


@dataclass(frozen=True, eq=False)
class Program:
    """A linear program whose variables are steps of cells.

    Args:
        cell: whose steps each variable counts.
        sign: 1 for steps up, -1 for steps down.
        cost: what a step costs, in whole numbers.
        lower: the fewest steps.
        upper: the most steps.
        matrix: how the variables enter the relations.
        rhs: what the relations come to.
        is_escape: which variables lead off the rung.
    """

    cell: Ints
    sign: Ints
    cost: Ints
    lower: Floats
    upper: Floats
    matrix: csr_array
    rhs: Ints
    is_escape: Mask

    def steps(self, point: Ints, cells: int) -> Ints:
        """Return the steps of every cell at a point."""
        taken = np.zeros(cells, np.int64)
        np.add.at(taken, self.cell, self.sign * point)
        return taken


class _Next(NamedTuple):
    """The multiples of the base next to bounds; infinite where there is no bound."""

    below: Floats
    above: Floats


class _Steps(NamedTuple):
    """One kind of steps, for every cell: direction, costs (units of the rest), ends, and whose.

    Off the rung a unit of distance counts what it does for the heaviest cell.
    """

    sign: int
    cost: Ints
    lower: Floats
    upper: Floats
    may: Mask
    is_escape: bool = False


@dataclass(frozen=True, eq=False)
class RoundingProblem:
    """Cells to be rounded so that all relations hold.

    Args:
        system: the true cells and their relations.
        base: the base.
        parted: the values as multiples of the base and a rest.
        weight: what a unit of distance counts for each cell (0 or more).
        rhs: what the relations of the steps come to.
    """

    system: System
    base: float
    parted: Parted
    weight: Floats
    rhs: Ints

    def __len__(self) -> int:
        return len(self.system)

    @cached_property
    def relations(self) -> csr_array:
        """The relations with whole coefficients."""
        return self.system.relations.astype(np.int64)

    @cached_property
    def totals(self) -> Mask:
        """Which cells are the total of others."""
        is_total = np.zeros(len(self), bool)
        is_total[self.relations.indices[self.relations.data < 0]] = True
        return is_total

    @cached_property
    def is_network(self) -> bool:
        """Whether the cheapest flow is the closest rounding: two attributes, one hierarchy."""
        return network_of(self.relations) is not None

    @property
    def nearest(self) -> Ints:
        """The steps to the nearest multiples."""
        return self.parted.nearest - self.parted.below

    @cached_property
    def is_whole(self) -> bool:
        """Whether all costs are whole in units of the rest, so that programs have them as is."""
        fits = self._heaviest * self.parted.units <= LARGEST_COST
        return bool(fits and (self.weight == np.floor(self.weight)).all())

    @property
    def _heaviest(self) -> float:
        return float(self.weight.max(initial=0.0)) or 1.0

    @cached_property
    def scale(self) -> float:
        """The units of cost in a base; those of the rest where costs are whole in them."""
        return float(self.parted.units) if self.is_whole else LARGEST_COST / self._heaviest

    def is_least(self, loss: float, bound: float) -> bool:
        """Tell whether a loss is the least above a bound, where costs are not whole nearly so."""
        if self.is_whole:  # then losses differ by a unit at least
            return loss < bound + self.base / self.parted.units / 2
        return loss <= bound * (1 + SAME)

    def holds(self, steps: Ints) -> bool:
        """Tell whether steps fulfil every relation, in whole numbers."""
        return np.array_equal(self.relations @ steps, self.rhs)

    def loss(self, steps: Ints) -> float:
        """Return the weighted distance of all cells from their true values."""
        units = self.parted.units
        return float(product(self.weight, np.abs(float(units) * steps - self.parted.rest))) * (
            self.base / units
        )

    def jumps(self, steps: Ints) -> Ints:
        """Return how many steps cells go past the multiples next to their true values."""
        beyond: Ints = np.maximum(steps - (self.parted.rest > 0), -steps)
        return np.maximum(beyond, 0)

    def outside(self, steps: Ints) -> Mask:
        """Tell which cells leave what everybody knows of them."""
        (_, least), (most, _) = self._known
        times = self.parted.below + steps
        return (times < least) | (times > most)

    @cached_property
    def _known(self) -> tuple[_Next, _Next]:
        """The multiples next to what everybody knows that cells are at least, and at most."""
        cells = self.system.cells
        return _next_to(cells.lower_bound, self.base), _next_to(cells.upper_bound, self.base)

    def ends(self, rung: Rung) -> tuple[Floats, Floats]:
        """Return the fewest and the most steps that a rung allows each cell."""
        below, above = self.parted.below, self.parted.above
        bottom, top = self._known
        least, most = np.minimum(bottom.below, below), np.maximum(top.above, above)
        if rung.bounds == "inside":
            inner = np.minimum(bottom.above, above), np.maximum(top.below, below)
            is_some = inner[0] <= inner[1]
            least, most = np.where(is_some, inner[0], least), np.where(is_some, inner[1], most)
        elif rung.bounds == "left":
            least, most = np.where(least >= 0, 0.0, -np.inf), np.where(most <= 0, 0.0, np.inf)
        jumps = (ANY if rung.reach is None else rung.reach) - 1
        return np.maximum(least - below, -jumps), np.minimum(most, above + jumps) - below

    def program(self, rung: Rung, jumping: Mask) -> Program:
        """Write down the program of a rung.

        Args:
            rung: how far cells may go.
            jumping: which cells may jump, where the rung lets them.
        """
        return self._written(self._steps(rung, jumping))

    def elastic_program(self, rung: Rung) -> Program:
        """Write down the program of a rung that totals may leave, at a price.

        Any rounding that adds up fulfils it, so that one can be mended step by step: the cheapest
        leaves the rung nowhere, if a rounding is on it.
        """
        (least, most), (free_least, free_most) = self.ends(rung), self.ends(Rung(None, rung.bounds))
        price = np.full(len(self), DEAR * self.parted.units)
        none = np.zeros(len(self))
        return self._written(
            [
                *self._steps(rung, np.full(len(self), rung.reach != 1)),
                _Steps(1, price, none, free_most - most, self.totals, is_escape=True),
                _Steps(-1, price, none, least - free_least, self.totals, is_escape=True),
            ]
        )

    def _written(self, several: Sequence[_Steps]) -> Program:
        """Write down the program of several kinds of steps."""
        taken = [np.flatnonzero(steps.may & (steps.upper > 0)) for steps in several]
        kept = list(zip(several, taken, strict=True))
        cell = np.concatenate(taken)
        cost = np.concatenate([steps.cost[cells] for steps, cells in kept])
        sign = np.concatenate([np.full(len(cells), steps.sign) for steps, cells in kept])
        is_escape = np.concatenate([np.full(len(cells), one.is_escape) for one, cells in kept])
        weight = np.where(is_escape, self.weight.max(initial=0.0) or 1.0, self.weight[cell])
        # Rounded down, steps never cost more than they do: a lower bound stays one.
        factor = weight * (self.scale / self.parted.units)
        return Program(
            cell,
            sign,
            np.floor(cost * factor).astype(np.int64),
            np.concatenate([steps.lower[cells] for steps, cells in kept]),
            np.concatenate([steps.upper[cells] for steps, cells in kept]),
            (self.relations[:, cell] * sign).tocsr(),
            self.rhs,
            is_escape,
        )

    def _steps(self, rung: Rung, jumping: Mask) -> tuple[_Steps, ...]:
        """Return the choice of every cell, and its jumps up and down."""
        least, most = self.ends(rung)
        rest, units = self.parted.rest, np.full(len(self), self.parted.units)
        has_rest, none = rest > 0, np.zeros(len(self))
        choice = np.clip(least, 0, 1), np.clip(most, 0, has_rest)
        return (
            _Steps(1, units - 2 * rest, *choice, has_rest),
            _Steps(1, units, none, np.maximum(most - has_rest, 0), jumping),
            _Steps(-1, units, none, np.maximum(-least, 0), jumping),
        )

    def bound(self, cost: float) -> float:
        """Return the loss that a cost of steps stands for."""
        return self.loss(np.zeros(len(self), np.int64)) + cost * (self.base / self.scale)


def _next_to(bound: Floats, base: float) -> _Next:
    finite = np.isfinite(bound)
    found = parted(np.where(finite, bound, 0.0), base, None)
    return _Next(*(np.where(finite, times, bound) for times in (found.below, found.above)))


def problem_of(system: System, base: float, weight: Weight) -> RoundingProblem:
    """Set up the rounding of a table.

    Raises:
        InputError: a value is not known, or a relation comes to no multiple of the base.
    """
    cells = parted_cells(system, base)
    come_to = parted(system.rhs, base, system.decimals)
    for row in np.flatnonzero(come_to.rest)[:1]:
        raise InputError(
            f"Relation {row + 1:,} of the table comes to {show(system.rhs[row])}, which is no "
            f"multiple of {show(base)}; choose a base that it is a multiple of."
        )
    rhs = come_to.below - system.relations.astype(np.int64) @ cells.below
    return RoundingProblem(system, base, cells, _weights(system, base, weight), rhs)


def _weights(system: System, base: float, weight: Weight) -> Floats:
    """Return what a unit of distance counts for each cell."""
    match weight:
        case "equal":
            return np.ones(len(system))
        case "relative":
            return base / np.maximum(np.abs(system.cells.value), base)
        case "cost":
            return np.maximum(np.nan_to_num(system.cells.cost), 0.0)
