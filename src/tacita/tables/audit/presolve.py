"""What an intruder has to solve: the unknown cells, the equations left between them, their bounds.

Everything that follows from single relations is worked out before any linear program runs. Where
values are decimals all of this is done in whole numbers of the last digit, and is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.decimals import decimals_of, in_units
from tacita.errors import InputError
from tacita.tables.system import NEARLY, System, show_bound

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_ROUNDS = 200  # of tightening; each makes the bounds valid and narrower
EXACTLY = 2.0**53
LARGE = 300  # cells from which on it pays to look for equations that follow from others


class Ends(NamedTuple):
    """The least and the largest value of each of some cells."""

    lower: Floats
    upper: Floats


@dataclass(frozen=True, eq=False)
class Problem:
    """The polyhedron of all values that unknown cells can have, in units of their last digit.

    Args:
        matrix: one row an equation, one column an unknown cell.
        rhs: what each equation comes to.
        ends: bounds that follow from what is known beforehand and from single relations.
        places: the place of each unknown cell in its system.
        unit: what one unit is worth.
        is_whole: whether all numbers are whole, so that sums of them are exact.
    """

    matrix: csr_array
    rhs: Floats
    ends: Ends
    places: Ints
    unit: float
    is_whole: bool

    def __len__(self) -> int:
        return len(self.places)

    @property
    def tolerance(self) -> float:
        """How near two values must be to count as the same (units)."""
        return 0.0 if self.is_whole else NEARLY * self.size

    @property
    def size(self) -> float:
        """The largest number that occurs, without its sign."""
        numbers = np.abs(np.concatenate([self.rhs, *self.ends]))
        return float(numbers[np.isfinite(numbers)].max(initial=0.0))

    @property
    def is_fixed(self) -> Mask:
        """Which cells have one possible value."""
        fixed: Mask = self.ends.upper - self.ends.lower <= self.tolerance
        return fixed

    def without(self, gone: Mask) -> Self:
        """Return the problem without cells whose value (their lower bound) is known."""
        column = np.where(gone, self.ends.lower, 0.0)
        return replace(self, rhs=self.rhs - self.matrix @ column).only(~gone)

    def counted_from(self, base: Floats) -> Self:
        """Return the problem of how far cells are above their bases."""
        ends = Ends(self.ends.lower - base, self.ends.upper - base)
        return replace(self, rhs=self.rhs - self.matrix @ base, ends=ends)

    def only(self, kept: Mask | Ints) -> Self:
        """Return the problem of some of its cells; the others must not share an equation."""
        matrix = self.matrix[:, kept]
        rows = np.flatnonzero(np.diff(matrix.indptr))
        return replace(
            self,
            matrix=matrix[rows],
            rhs=self.rhs[rows],
            ends=Ends(self.ends.lower[kept], self.ends.upper[kept]),
            places=self.places[kept],
        )

    def without_repeats(self) -> Self:
        """Return a large problem without equations that follow from others: it is solved faster."""
        if len(self) < LARGE:
            return self
        from tacita.kernels.elimination import independent_rows

        matrix = self.matrix
        rows = np.flatnonzero(
            independent_rows(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1])
        )
        return replace(self, matrix=matrix[rows], rhs=self.rhs[rows])

    def components(self) -> Iterator[Self]:
        """Cut the problem into parts that have no equation in common, the largest first."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        if not len(self):
            return
        # Cells and equations are the nodes: a long equation would join all its cells in pairs.
        rows, columns = self.matrix.shape
        row = np.repeat(np.arange(rows), np.diff(self.matrix.indptr))
        ends = (np.ones(len(row), bool), (self.matrix.indices, columns + row))
        graph = coo_array(ends, (columns + rows, columns + rows))
        part = connected_components(graph, directed=False)[1][:columns]
        order = np.argsort(part, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(part[order])) + 1)
        for group in sorted(groups, key=len, reverse=True):
            yield self.only(group)


def problem_of(system: System, *, rounding: float = 0.0) -> Problem:
    """Return what an intruder has to solve.

    Args:
        system: the published tables.
        rounding: how far published values may be from the true ones (units of the values, 0 or
            more); 0 when they are exact.

    Raises:
        InputError: the published values contradict each other.
    """
    shown = ~system.unknown
    free = system.unknown if not rounding else np.ones(len(system), bool)
    scale = _scale(system, rounding)
    lower, upper, known, rhs = (
        _in_scale(numbers, scale)
        for numbers in (
            system.cells.lower_bound,
            system.cells.upper_bound,
            np.where(shown, system.cells.value, 0.0),
            system.rhs,
        )
    )
    room = _in_scale(np.array([rounding]), scale)[0]
    made = Problem(
        matrix=system.relations,
        rhs=rhs - system.relations @ np.where(free, 0.0, known),
        ends=Ends(
            np.where(shown & free, np.maximum(known - room, lower), lower),
            np.where(shown & free, np.minimum(known + room, upper), upper),
        ),
        places=np.arange(len(system)),
        unit=10.0 ** -(scale or 0),
        is_whole=scale is not None,
    )
    return tightened(made.only(free), system)


def _scale(system: System, rounding: float) -> int | None:
    """Return the decimals in which everything is whole, if there are such."""
    bounds = np.concatenate([system.cells.lower_bound, system.cells.upper_bound, [rounding]])
    decimals = decimals_of(bounds)
    if decimals is None or system.decimals is None:
        return None
    wanted = max(decimals, system.decimals)
    added = abs(system.relations) @ np.abs(np.nan_to_num(system.cells.value)) + np.abs(system.rhs)
    largest = np.abs(bounds[np.isfinite(bounds)]).max()
    return wanted if (added.max(initial=0.0) + largest) * 10.0**wanted < EXACTLY else None


def _in_scale(values: Floats, scale: int | None) -> Floats:
    if scale is None:
        return values
    finite = np.isfinite(values)
    return np.where(finite, in_units(np.where(finite, values, 0.0), scale), values)


def tightened(problem: Problem, system: System) -> Problem:
    """Return the problem with the bounds that single relations leave, taken again and again.

    Raises:
        InputError: no value is left for some cell.
    """
    ends = problem.ends
    _refuse_nothing_left(problem, ends, system)
    for _ in range(MOST_ROUNDS):
        narrower = _narrowed(problem.matrix, problem.rhs, ends)
        if not _is_narrower(narrower, ends, problem.tolerance):
            break
        ends = narrower
        _refuse_nothing_left(problem, ends, system)
    return replace(problem, ends=ends)


def _narrowed(matrix: csr_array, rhs: Floats, ends: Ends) -> Ends:
    """Bound each cell by what the other cells of its relations leave."""
    column, row = matrix.indices, np.repeat(np.arange(len(rhs)), np.diff(matrix.indptr))
    sign = matrix.data.astype(np.float64)
    least = sign * np.where(sign > 0, ends.lower[column], ends.upper[column])
    most = sign * np.where(sign > 0, ends.upper[column], ends.lower[column])
    at_most = rhs[row] - _others(least, row, len(rhs), -np.inf)
    at_least = rhs[row] - _others(most, row, len(rhs), np.inf)
    upper = np.where(sign > 0, at_most, at_least) / sign
    lower = np.where(sign > 0, at_least, at_most) / sign
    made = Ends(ends.lower.copy(), ends.upper.copy())
    whole = np.abs(sign) == 1  # other coefficients would leave fractions
    np.minimum.at(made.upper, column[whole], upper[whole])
    np.maximum.at(made.lower, column[whole], lower[whole])
    return made


def _others(parts: Floats, row: Ints, rows: int, endless: float) -> Floats:
    """Add up, for each entry, the other entries of its row; infinite ones make it infinite."""
    infinite = ~np.isfinite(parts)
    finite = np.where(infinite, 0.0, parts)
    total = np.bincount(row, finite, rows)
    count = np.bincount(row, infinite, rows)
    return np.where(count[row] - infinite > 0, endless, total[row] - finite)


def _is_narrower(new: Ends, old: Ends, tolerance: float) -> bool:
    up, down = new.upper < old.upper - tolerance, new.lower > old.lower + tolerance
    return bool(up.any() or down.any())


def _refuse_nothing_left(problem: Problem, ends: Ends, system: System) -> None:
    for place in np.flatnonzero(ends.lower > ends.upper + problem.tolerance)[:1]:
        lower, upper = (end[place] * problem.unit for end in ends)
        raise InputError(
            f"The published values leave no value for cell "
            f"{system.name_of(int(problem.places[place]))}: it would be at least "
            f"{show_bound(lower)} and at most {show_bound(upper)}. Mend the values, or say how far "
            "they are rounded."
        )
