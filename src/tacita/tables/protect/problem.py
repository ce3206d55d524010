"""What secondary suppression has to solve: which cells may go, at what cost, for which levels.

A pattern of suppressed cells protects a sensitive cell p upwards if some deviation d of the table,
which keeps every relation (M d = 0) and leaves published cells alone, moves p by its level:

    M d = 0,   -down_i <= d_i <= up_i for suppressed i,   d_i = 0 for published i,   d_p >= UPL_p,

and downwards if some deviation has d_p <= -LPL_p. The room of a cell, `down` and `up`, is what
everybody knows of it beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import ParameterError, ProtectionError
from tacita.results import listed
from tacita.tables.cells import Cells
from tacita.tables.dimension import NONE
from tacita.tables.status import Status
from tacita.tables.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Cost = Literal["value", "count", "contributors", "cost"]
Singletons = Literal["ignored", "protected"]
PAIR = 2
NAMED = 5  # cells that a sentence names
LITTLE = 1e-3  # of the smallest cost: what a cell costs that costs nothing


class Level(NamedTuple):
    """How far a sensitive cell must be possible from its value, to one side.

    Args:
        cell: its place in the problem.
        sign: 1 for upwards, -1 for downwards.
        amount: how far (units of the values, above 0).
        known: the place of a cell whose value the intruder knows, being its only contributor; -1
            for an intruder who knows what everybody knows.
    """

    cell: int
    sign: int
    amount: float
    known: int = NONE


@dataclass(frozen=True, eq=False)
class Problem:
    """Cells that may be suppressed, the relations between them, and the levels to be reached.

    Args:
        system: the cells and relations that the problem is about.
        places: the place of each cell of the problem in the system.
        matrix: relations between the cells, none of which follows from the others.
        down: how far each cell can be below its value.
        up: how far above.
        cost: what it costs to suppress each cell; 0 for those that are suppressed anyway.
        is_required: which cells are suppressed anyway.
        levels: what must be reached, the largest first.
        before: the cells that were suppressed in the last period, with which a search begins; None
            if there was none.
    """

    system: System
    places: Ints
    matrix: csr_array
    down: Floats
    up: Floats
    cost: Floats
    is_required: Mask
    levels: tuple[Level, ...]
    before: Mask | None = None

    def __len__(self) -> int:
        return len(self.places)

    @property
    def unit(self) -> float:
        """The least by which a value that is not told exactly must be possible to differ."""
        return unit_of(self.system.decimals)

    @cached_property
    def level_cells(self) -> Ints:
        """The cell of each level."""
        return np.array([level.cell for level in self.levels], np.int64)

    @cached_property
    def level_signs(self) -> Ints:
        """The direction of each level."""
        return np.array([level.sign for level in self.levels], np.int64)

    @cached_property
    def level_amounts(self) -> Floats:
        """How far each level is."""
        return np.array([level.amount for level in self.levels])

    @cached_property
    def level_knowns(self) -> Ints:
        """The cell that the intruder of each level knows."""
        return np.array([level.known for level in self.levels], np.int64)

    def reached(self, deviation: Floats) -> Mask:
        """Tell which levels a deviation reaches, but for the solver's error."""
        amount = self.level_amounts
        moved = self.level_signs * deviation[self.level_cells]
        error = tolerance(amount)
        stays = (self.level_knowns == NONE) | (np.abs(deviation[self.level_knowns]) <= error)
        found: Mask = stays & (moved >= amount - error)
        return found

    def cost_of(self, pattern: Mask) -> float:
        """Return what a pattern costs."""
        return float(self.cost[pattern].sum())

    def components(self) -> Iterator[Self]:
        """Cut the problem into parts without a common relation, those without levels left out."""
        from scipy.sparse import block_array
        from scipy.sparse.csgraph import connected_components

        if not self.levels:
            return
        # Cells and relations are the nodes: a long relation would join all its cells in pairs.
        graph = block_array([[None, self.matrix], [self.matrix.T, None]])
        part = connected_components(graph, directed=False)[1][self.matrix.shape[0] :]
        for number in np.unique(part[self.level_cells]):
            yield self.only(np.flatnonzero(part == number))

    def only(self, cells: Ints) -> Self:
        """Return the problem of some of its cells; the others are published."""
        new_place = np.full(len(self), -1)
        new_place[cells] = np.arange(len(cells))
        matrix = self.matrix[:, cells]
        levels = (
            level._replace(
                cell=int(new_place[level.cell]),
                known=level.known if level.known == NONE else int(new_place[level.known]),
            )
            for level in self.levels
            if new_place[level.cell] >= 0
        )
        return replace(
            self,
            places=self.places[cells],
            matrix=matrix[np.flatnonzero(np.diff(matrix.indptr))],
            down=self.down[cells],
            up=self.up[cells],
            cost=self.cost[cells],
            is_required=self.is_required[cells],
            levels=tuple(levels),
            before=None if self.before is None else self.before[cells],
        )


def unit_of(decimals: int | None) -> float:
    """Return the last digit of values with some decimals."""
    return float(10.0 ** -(decimals or 0))


def tolerance(amount: Floats | float) -> Floats | float:
    """Return by how much a deviation may miss a level because the solver computes with doubles."""
    return 1e-9 + 1e-7 * amount


def problem_of(
    system: System, cost: Cost = "value", *, singletons: Singletons = "ignored"
) -> Problem:
    """Return what has to be solved to protect the sensitive cells of a system.

    Args:
        system: cells with statuses and levels, and their relations.
        cost: what suppressing a cell costs: its `value`, 1 for each cell (`count`), its number of
            `contributors`, or the `cost` that the table gives it.
        singletons: whether the only contributor of a suppressed cell, who knows its value, must
            not learn another sensitive cell of the same relation exactly: `protected` or `ignored`.
    """
    cells = system.cells
    places = np.flatnonzero(_may_go(system))
    part = cells.take(places)
    levels = np.concatenate([cells.lower_level, cells.upper_level, cells.sliding_level])
    room = float(np.abs(cells.value).sum() + levels.max(initial=1.0))
    required = part.suppressed
    relations = system.relations[:, places]
    asked = list(_levels(part, system.decimals))
    if singletons == "protected":
        # A total and its only part are one and the same, and have the same contributor.
        several = np.flatnonzero(np.diff(system.relations.indptr) > PAIR)
        asked += _levels_against_singletons(part, relations[several], system.decimals)
    return Problem(
        system=system,
        places=places,
        matrix=independent(relations),
        down=np.minimum(part.value - part.lower_bound, room),
        up=np.minimum(part.upper_bound - part.value, room),
        cost=np.where(required, 0.0, _costs(part, cost)),
        is_required=required,
        levels=tuple(asked),
    )


def _may_go(system: System) -> Mask:
    """Tell which cells are suppressed or may be: others are published, and known to everybody."""
    cells = system.cells
    free: Mask = (cells.status != Status.PUBLISHED) & (cells.lower_bound < cells.upper_bound)
    return free


def independent(relations: csr_array) -> csr_array:
    """Return relations without those that are empty or follow from others."""
    from tacita.kernels.elimination import independent_rows

    rows = relations[np.flatnonzero(np.diff(relations.indptr))]
    kept = independent_rows(rows.indptr, rows.indices, rows.data, rows.shape[1])
    return rows[np.flatnonzero(kept)].astype(np.float64)


def _costs(cells: Cells, cost: Cost) -> Floats:
    columns = {"value": np.abs(cells.value), "contributors": cells.contributors, "cost": cells.cost}
    if cost == "count":
        return np.ones(len(cells))
    found = columns[cost]
    if np.isnan(found).any():
        raise ParameterError(
            f"The {cost} of some cells is not known; choose another `cost` (value, count, "
            "contributors, cost)."
        )
    least = float(found[found > 0].min(initial=np.inf))
    little = LITTLE * least if np.isfinite(least) else 1.0
    return np.where(found > 0, found, little)


def _levels(cells: Cells, decimals: int | None) -> Iterator[Level]:
    """List the levels of the sensitive cells, the largest first.

    A sensitive cell without levels must not be told exactly: one unit will do. A width that is
    asked for in all is reached upwards as far as the level below leaves it open.
    """
    unit = unit_of(decimals)
    found = []
    for cell in np.flatnonzero(cells.sensitive):
        lower, upper = float(cells.lower_level[cell]), float(cells.upper_level[cell])
        upper = max(upper, float(cells.sliding_level[cell]) - lower)
        if lower <= 0 and upper <= 0:
            upper = unit
        found += [Level(int(cell), 1, upper)] if upper > 0 else []
        found += [Level(int(cell), -1, lower)] if lower > 0 else []
    return iter(sorted(found, key=lambda level: (-level.amount, level.cell, -level.sign)))


def _levels_against_singletons(
    cells: Cells, relations: csr_array, decimals: int | None
) -> list[Level]:
    """List what the only contributor of a cell must not learn exactly: sensitive neighbours.

    The only contributor of a total is that of its parts too, and knows them.
    """
    unit = unit_of(decimals)
    alone = cells.sensitive & (cells.contributors == 1)
    pairs = set()
    for start, stop in pairwise(relations.indptr):
        members = relations.indices[start:stop]
        parts = members[relations.data[start:stop] > 0]
        sensitive = members[cells.sensitive[members]]
        pairs |= {(int(p), int(s)) for s in parts[alone[parts]] for p in sensitive if p != s}
    return [Level(cell, 1, unit, known) for cell, known in sorted(pairs)]


def cannot_be_protected(problem: Problem, level: Level) -> ProtectionError:
    """Return what is said of a level that no pattern reaches."""
    place = int(problem.places[level.cell])
    kind = "sensitive cell" if problem.system.cells.sensitive[place] else "secondary suppression"
    side = "above" if level.sign > 0 else "below"
    return ProtectionError(
        f"The {kind} {problem.system.name_of(place)} cannot be protected: even with every cell "
        f"suppressed that may be, it cannot be {level.amount:g} {side} its value. "
        f"{_advice(problem, level)}"
    )


def _advice(problem: Problem, level: Level) -> str:
    from tacita.tables.protect.freeing import cells_to_free

    free = cells_to_free(problem, level)
    if not free.size:
        return "Widen what is known of it beforehand, or lower its level."
    names = listed([problem.system.name_of(int(cell)) for cell in free], NAMED)
    return (
        f"Allow more cells to be suppressed, that must be published: {names}; or lower its level."
    )
