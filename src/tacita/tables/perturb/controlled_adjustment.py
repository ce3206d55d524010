"""Controlled tabular adjustment: the nearest table that keeps sensitive cells off the truth."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Ints
from tacita.errors import ProtectionError
from tacita.mechanisms.sensitivity.contributions import decimal
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.tables.perturb.adjusting.clock import Clock
from tacita.tables.perturb.adjusting.directions import Directions, Search
from tacita.tables.perturb.adjusting.settling import nearest_moves, whole_moves
from tacita.tables.perturb.adjusting.squares import Squares
from tacita.tables.perturb.adjusting.task import Task, Weight, task_of
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.system import System

SAME = 1e-6  # of a bound: a loss that is above it by less is the least
MOST = 0.7  # of the time that is left: what a step may take, so that those after it have some


class ControlledAdjustment(Method):
    """Move every sensitive cell by its level, and all cells by as little as possible.

    With a_i the true values, z_i the published ones and w_i the weights,

        l1   min  sum_i w_i |a_i - z_i|
        l2   min  sqrt(sum_i w_i (a_i - z_i)^2)

    subject to all relations, M z = b, to what is known of cells beforehand, l_i <= z_i <= u_i, to
    z_i = a_i where a cell must be published, and for each sensitive cell p to

        z_p >= a_p + UPL_p   or   z_p <= a_p - LPL_p.

    Which sensitive cells rise and which fall is guessed from the distances that every adjustment
    keeps, and then chosen by mixed integer programs: in blocks, the directions of all others fixed,
    until no block gains anything; or for all at once (see `adjusting`). In large tables only cells
    near to a block move with it, and the bound is that of distances without directions. For l2 the
    directions of the nearest table by l1 are improved one by one. The
    published values have the decimals of the table. Relations, bounds and levels are checked in
    whole numbers; what fails the check is never returned.

    Nobody should be told the levels with the table: whoever knows them and the method knows two
    values of which the true one must be one. Not for tables whose users need exact values of some
    cells: say that these must be published, or use suppression.

    >>> from tacita.tables.ready import grid_table
    >>> inside = {"x": [10, 20], "y": [30, 40]}
    >>> table = grid_table("t", inside, ["u", "v"], sensitive=[("x", "u")], level=3.0)
    >>> found = ControlledAdjustment().perturb(table.system(), np.random.default_rng(0))
    >>> found.loss, found.is_optimal, found.is_additive
    (12.0, True, True)
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Dandekar, R. A. and Cox, L. H. (2002). Synthetic tabular data: an alternative to "
        "complementary cell suppression. Energy Information Administration; Cox, L. H., Kelly, J. "
        "P. and Patil, R. (2004). Balancing quality and confidentiality for multivariate tabular "
        "data. Privacy in Statistical Databases, LNCS 3050, 87-98; Castro, J. (2006). "
        "Minimum-distance controlled perturbation methods for large-scale tabular data protection. "
        "European Journal of Operational Research 171, 39-52; Gonzalez, J. A. and Castro, J. "
        "(2011). A heuristic block coordinate descent approach for controlled tabular adjustment. "
        "Computers & Operations Research 38, 1826-1835."
    )
    missing: ClassVar[str] = "The value of every cell must be known."

    distance: Annotated[
        Literal["l1", "l2"],
        Field(description="How the distances of cells are added up: as they are, or squared."),
    ] = "l1"
    weight: Annotated[
        Weight,
        Field(
            description="What it costs to move a cell by one: the same for all, one over its "
            "value, or the cost that the table gives it."
        ),
    ] = "equal"
    directions: Annotated[
        Literal["blocks", "optimal"],
        Field(
            description="Whether the directions of sensitive cells are chosen block by block, or "
            "all at once, which may take very long."
        ),
    ] = "blocks"
    time_limit: Annotated[
        float | None,
        Field(
            gt=0,
            description="The seconds that all steps together may take, with what they have found "
            "by then; none when left out. What a clock stops may differ from run to run.",
        ),
    ] = None
    node_limit: Annotated[
        int | None,
        Field(
            ge=1,
            description="The nodes of the search tree of `optimal` after which the best "
            "directions so far are taken, the same in every run; none when left out.",
        ),
    ] = None

    def perturb(self, system: System, rng: np.random.Generator) -> Perturbation:  # noqa: ARG002
        """Adjust a table; nothing is drawn."""
        task = task_of(system, self.weight)
        if not task.sensitive.size:
            return Perturbation(system, system.cells.value.copy(), 0.0, 0.0, is_optimal=True)
        clock = Clock(self.time_limit)
        chosen = self._chosen(task, clock)
        moves, bound = self._settled(task, chosen, clock)
        value = task.published(moves)
        _prove(system, value)
        loss = self._loss(task, moves)
        return Perturbation(
            system,
            value,
            loss,
            min(bound, loss),
            is_optimal=loss <= bound * (1 + SAME),
            is_reproducible=not clock.cut_short,
            remarks=_told(clock),
        )

    def _chosen(self, task: Task, clock: Clock) -> Directions:
        search = Search(task, clock.part(MOST))
        if self.directions == "optimal":
            return search.optimal(node_limit=self.node_limit)
        return search.by_blocks()

    def _settled(self, task: Task, chosen: Directions, clock: Clock) -> tuple[Ints, float]:
        """Return how far each cell moves (units), and what no adjustment can lose less than."""
        if self.distance == "l2":
            squares = Squares(task, clock.part(MOST))
            rises, near = squares.improved(chosen.rises, chosen.moves)
            whole = whole_moves(task, rises, near, lambda d: task.weight * d**2, clock)
            return whole, squares.bound() * float(task.unit)
        nearest = nearest_moves(task, chosen.rises, clock.part(MOST))
        if nearest is None:
            clock.cut("the nearest table with these directions")
            nearest = chosen.moves
        whole = whole_moves(task, chosen.rises, nearest, lambda d: task.weight * np.abs(d), clock)
        return whole, chosen.bound

    def _loss(self, task: Task, moves: Ints) -> float:
        far: Floats = np.abs(moves) * float(task.unit)
        if self.distance == "l2":
            return math.sqrt(math.fsum(task.weight * far**2))
        return math.fsum(task.weight * far)


def _told(clock: Clock) -> tuple[str, ...]:
    """Say which steps were not finished."""
    if not clock.cut_short:
        return ()
    return (f"The time was up before these were finished: {', '.join(clock.cut_short)}.",)


def _prove(system: System, value: Floats) -> None:
    """Raise if a sensitive cell is nearer to its true value than its level, in exact arithmetic."""
    cells = system.cells
    for cell in np.flatnonzero(cells.sensitive).tolist():
        move = decimal(value[cell]) - decimal(cells.value[cell])
        level = cells.upper_level[cell] if move > 0 else cells.lower_level[cell]
        if not move or abs(move) < decimal(level):
            raise ProtectionError(
                f"The sensitive cell {system.name_of(cell)} would be published nearer to its value "
                "than its level allows; the values are too large for doubles. Publish them in "
                "larger units."
            )
