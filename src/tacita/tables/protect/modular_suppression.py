"""Modular cell suppression (HiTaS): one subtable after the other, each of them optimally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import ProtectionError
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.tables.dimension import NONE
from tacita.tables.protect.completing import completed
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.protect.options import CostField, SafetyRange, SingletonsField, TimeLimit
from tacita.tables.protect.problem import Level, Problem, independent
from tacita.tables.protect.subtables import Subtable, subtables_of
from tacita.tables.protect.suppression import Solution, Suppression, Way, suppress
from tacita.tables.system import System


class ModularSuppression(Method):
    """Suppress cells subtable by subtable from the top down, each subtable optimally.

    The table is cut into subtables without hierarchies. A total that a higher subtable published
    stays published unless nothing else works; then everything begins again with that total
    suppressed. One that a higher subtable suppressed is protected in the lower ones like a
    sensitive cell, to `margin_range` percent of its value, at most as far as any level of the
    higher subtable.

    This is how tau-ARGUS protects large tables. As published the method stops here, and sensitive
    cells can be left below their levels because nobody has looked at several subtables together.
    Here the pattern is completed for the whole table, and audited. `fast_suppression` is usually
    cheaper and `optimal_suppression` never dearer: use this one to compare with earlier releases.

    >>> from tacita.tables.ready import grid_table
    >>> inside = {"x": [10, 20], "y": [30, 40]}
    >>> table = grid_table("t", inside, ["u", "v"], sensitive=[("x", "u")])
    >>> ModularSuppression().protect(table.system()).secondary
    array([5, 7, 8])
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "de Wolf, P.-P. (2002). HiTaS: a heuristic approach to cell suppression in hierarchical "
        "tables. In Inference Control in Statistical Databases, LNCS 2316, 74-82. Springer."
    )
    missing: ClassVar[str] = "The value of every cell must be known."

    cost: CostField = "value"
    margin_range: Annotated[
        float,
        Field(
            ge=0,
            le=100,
            description="How far to both sides a total that a higher subtable suppressed must be "
            "possible in lower ones, in percent of its value.",
        ),
    ] = 10.0
    time_limit: TimeLimit = None
    node_limit: Annotated[
        int,
        Field(
            ge=1,
            description="The nodes of the search tree after which the best pattern so far is "
            "taken, for each subtable.",
        ),
    ] = 20
    singletons: SingletonsField = "ignored"
    safety_range: SafetyRange = 0.0

    def protect(self, system: System, preferred: Mask | None = None) -> Suppression:
        """Protect every sensitive cell."""
        subtables = subtables_of(system.relations)
        return suppress(
            system,
            lambda problem: self._solution(problem, subtables),
            cost=self.cost,
            singletons=self.singletons,
            safety_range=self.safety_range,
            preferred=preferred,
        )

    def _solution(self, problem: Problem, subtables: Sequence[Subtable]) -> Solution:
        best = OptimalSuppression(time_limit=self.time_limit, node_limit=self.node_limit)
        modular = Modular(problem, subtables, best.solution, self.margin_range / 100)
        pattern = completed(problem, modular.pattern())
        return Solution(pattern, 0.0, is_optimal=False, is_reproducible=modular.is_reproducible)


@dataclass(frozen=True, eq=False)
class Part:
    """A subtable as far as its cells may be suppressed.

    Args:
        cells: the places of its cells in the problem.
        problem: its own relations; costs, levels and what is required change as the work goes on.
    """

    cells: Ints
    problem: Problem


def parts_of(problem: Problem, subtables: Sequence[Subtable]) -> list[Part]:
    """Return the subtables that have cells in a problem, those at the top first."""
    place_of = np.full(len(problem.system), NONE)
    place_of[problem.places] = np.arange(len(problem))
    found = []
    for subtable in subtables:
        cells = place_of[subtable.cells]
        cells = cells[cells != NONE]
        if cells.size:
            rows = problem.system.relations[subtable.relations][:, problem.places[cells]]
            found.append(Part(cells, replace(problem.only(cells), matrix=independent(rows))))
    return found


class Modular:
    """Protects one subtable after the other.

    Args:
        problem: the cells, relations and levels of the whole table.
        subtables: how it is cut up, those at the top first.
        way: how a subtable is protected.
        share: how far a suppressed total must be possible in lower subtables, of its value.
    """

    def __init__(
        self, problem: Problem, subtables: Sequence[Subtable], way: Way, share: float
    ) -> None:
        self.problem = problem
        self.parts = parts_of(problem, subtables)
        self.way = way
        self.amount = share * np.abs(problem.system.cells.value[problem.places])
        self.is_reproducible = True
        self.known: dict[tuple[int, bytes], Mask] = {}

    def pattern(self) -> Mask:
        """Go from the top down, again and again until no published total has to go."""
        required = self.problem.is_required.copy()
        needed = np.zeros(len(self.problem))
        while True:
            pattern, late = self._passed(required, needed)
            if not late.any():
                return pattern
            required |= late

    def _passed(self, required: Mask, needed: Floats) -> tuple[Mask, Mask]:
        """Go from the top down once.

        Args:
            required: what is suppressed from the beginning.
            needed: how far each secondary suppression must be possible in lower subtables; what is
                found out is entered here.

        Returns:
            The pattern, and the totals that had to be suppressed after they had been published.
        """
        pattern = required.copy()
        seen, late = np.zeros(len(pattern), bool), np.zeros(len(pattern), bool)
        for number, part in enumerate(self.parts):
            found = self._solved(number, part, pattern, needed, seen)
            new = part.cells[found & ~pattern[part.cells]]
            late[new[seen[new]]] = True
            needed[new] = np.minimum(self.amount[new], self._most(part, pattern, needed))
            pattern[new] = True
            seen[part.cells] = True
        return pattern, late

    def _solved(self, number: int, part: Part, pattern: Mask, needed: Floats, seen: Mask) -> Mask:
        """Protect a subtable, unless it has been done with the same statuses and levels before."""
        required = pattern[part.cells]
        asked = np.where(required, needed[part.cells], 0.0)
        key = number, required.tobytes() + asked.tobytes()
        if key not in self.known:
            problem = replace(
                part.problem,
                is_required=required,
                cost=_costs(part.problem.cost, required, seen[part.cells]),
                levels=_with_margins(part.problem, asked),
            )
            self.known[key] = self._protected(problem, part.problem.levels)
        return self.known[key]

    def _protected(self, problem: Problem, levels: tuple[Level, ...]) -> Mask:
        """Protect a subtable; give up what was asked for totals if there is no room for it."""
        try:
            return self._apart(problem)
        except ProtectionError:
            return self._apart(replace(problem, levels=levels))

    def _most(self, part: Part, pattern: Mask, needed: Floats) -> float:
        """Return the largest level of a subtable."""
        own = part.problem.level_amounts.max(initial=0.0)
        return float(max(own, needed[part.cells[pattern[part.cells]]].max(initial=0.0)))

    def _apart(self, problem: Problem) -> Mask:
        """Solve the parts of a subtable that have nothing to do with each other one by one."""
        pattern = problem.is_required.copy()
        for piece in problem.components():
            found = self.way(piece)
            pattern |= np.isin(problem.places, piece.places[found.pattern])
            self.is_reproducible &= found.is_reproducible
        return pattern


def _costs(cost: Floats, required: Mask, seen: Mask) -> Floats:
    """Make totals that were published so dear that they go only if nothing else works."""
    raised = cost + np.where(seen, cost.sum(), 0.0)
    return np.where(required, 0.0, raised)


def _with_margins(problem: Problem, asked: Floats) -> tuple[Level, ...]:
    """Return the levels of a subtable and those of the totals suppressed in higher ones."""
    more = [
        Level(int(cell), sign, amount)
        for cell in np.flatnonzero(asked)
        for sign, room in ((1, problem.up[cell]), (-1, problem.down[cell]))
        if (amount := min(float(asked[cell]), float(room))) > 0
    ]
    return tuple(sorted([*problem.levels, *more], key=lambda level: -level.amount))
