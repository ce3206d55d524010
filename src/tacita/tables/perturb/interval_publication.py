"""Interval publication: sensitive cells as ranges, wide enough even for those who know them all."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import ProtectionError
from tacita.method import ANY_TABLE, Method, TableKind
from tacita.results import counted
from tacita.tables.audit.audit import audit
from tacita.tables.perturb.adjusting.task import Weight, unit_of, weights_of
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.perturb.publishing_intervals.widths import (
    Widths,
    completed,
    least_widths,
    turned,
)
from tacita.tables.protect.problem import Problem, problem_of
from tacita.tables.status import Status
from tacita.tables.system import System

SAME = 1e-6  # of a bound: a loss that is above it by less is the least
NOTHING = 1e-6  # of a unit: what the solver's error leaves of a width
MOST_REPAIRS = 10  # rounds in which levels that were only just missed are asked for once more
A_LITTLE_MORE = 1e-6  # of a level


class IntervalPublication(Method):
    """Publish sensitive cells as intervals, and others where that is needed, as narrow as can be.

    Of cell i an interval [a_i - u_i, a_i + v_i] is published, of no width where the value itself
    is. An intruder takes them all together with the relations; that leaves for a sensitive cell

        min / max  y_p   subject to   M y = b,   a_i - u_i <= y_i <= a_i + v_i,

    and these must reach from a_p - LPL_p to a_p + UPL_p. The widths of the least weighted sum

        min  sum_i w_i (u_i + v_i)

    are found by linear programs (see `publishing_intervals`). An interval that is exactly as wide
    as its levels would tell the true value to those who know how it was made: it lies in the
    middle, and levels are often a share of it. So each is made wider by a random share of its
    width, from 0 to twice the `widening`, and of that a random part lies below the truth and the
    rest above. At last everything published is audited; what the audit does not find
    safe is never returned. The loss is the weighted sum of widths; its bound is that of the least
    widths, before they are made wider.

    Nobody should be told the parameters of the rules with the table: whoever knows how levels
    follow from values knows of each interval a largest value that it can stand for. Not for readers
    who add up cells: sums of intervals are wider than the interval of the sum.

    >>> from tacita.tables.ready import grid_table
    >>> inside = {"x": [10, 20], "y": [30, 40]}
    >>> table = grid_table("t", inside, ["u", "v"], sensitive=[("x", "u")], level=3.0)
    >>> found = IntervalPublication().perturb(table.system(), np.random.default_rng(0))
    >>> place = table.row(row="x", column="u")
    >>> bool(found.lower[place] <= 7 and 13 <= found.upper[place]), round(found.bound, 6)
    (True, 24.0)
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Fischetti, M. and Salazar, J. J. (2003). Partial cell suppression: a new methodology for "
        "statistical disclosure control. Statistics and Computing 13, 13-21."
    )
    missing: ClassVar[str] = "The value of every cell must be known."
    draws: ClassVar[bool] = True

    cells: Annotated[
        Literal["sensitive", "suppressed"],
        Field(
            description="Which cells get an interval in any case: the sensitive ones, or every "
            "suppressed one; others get one where those need it."
        ),
    ] = "sensitive"
    weight: Annotated[
        Weight,
        Field(
            description="What it costs that an interval is wider by one: the same for all cells, "
            "one over the value, or the cost that the table gives the cell."
        ),
    ] = "equal"
    widening: Annotated[
        float,
        Field(
            ge=0,
            description="By what share of its width an interval is made wider in the mean, the "
            "truth at a random place in it; 0 leaves it where the levels put it.",
        ),
    ] = 1.0

    def perturb(self, system: System, rng: np.random.Generator) -> Perturbation:
        """Publish intervals; where the truth lies in them is drawn."""
        asked = self._asked(system)
        if not asked.cells.sensitive.any():
            return Perturbation(system, system.cells.value.copy(), 0.0, 0.0, is_optimal=True)
        problem = problem_of(asked, "count")
        part = asked.cells.take(problem.places)
        levels = np.maximum(part.lower_level + part.upper_level, part.sliding_level)
        problem = turned(problem, levels > 0)
        weight = weights_of(part, self.weight)
        widths = least_widths(problem, weight)
        ends = self._drawn(problem, widths, rng)
        for repair in range(1, MOST_REPAIRS + 1):
            missed = _missed(asked, ends)
            if not missed.size:
                return self._published(system, ends, widths)
            raised = [
                level._replace(amount=level.amount * (1 + repair * A_LITTLE_MORE))
                for level in problem.levels
            ]
            widths = completed(replace(problem, levels=tuple(raised)), weight, widths)
            ends = self._drawn(problem, widths, rng)
        raise ProtectionError(
            f"The audit finds the sensitive cell {system.name_of(int(missed[0]))} not protected by "
            "intervals; the values may be too different in size. Publish them in larger units."
        )

    def _asked(self, system: System) -> System:
        """Return the system in which the cells that get an interval are sensitive."""
        system.refuse_unknown("Publishing intervals")
        cells = system.cells
        others = Status.SENSITIVE if self.cells == "suppressed" else Status.SAFE
        status = np.where(cells.status == Status.SECONDARY, others, cells.status).astype(np.int8)
        return replace(system, known=None, cells=replace(cells, status=status))

    def _drawn(
        self, problem: Problem, widths: Widths, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Return the ends of all intervals, in the decimals of the table, the truth moved in them.

        What is known of a cell beforehand needs no wider interval.
        """
        system = problem.system
        cells, unit = system.cells, unit_of(system)
        below, above = (
            np.ceil(np.maximum(width / float(unit) - NOTHING, 0.0)).astype(np.int64)
            for width in (widths.below, widths.above)
        )
        extra = rng.integers(0, 2 * np.ceil(self.widening * (below + above)).astype(np.int64) + 1)
        down = rng.integers(0, extra + 1)
        places = problem.places
        lower, upper = cells.value.copy(), cells.value.copy()
        lower[places] = _moved(cells.value[places], -(below + down), unit, system.decimals)
        upper[places] = _moved(cells.value[places], above + extra - down, unit, system.decimals)
        least = np.where(lower < cells.value, cells.lower_bound, lower)
        most = np.where(upper > cells.value, cells.upper_bound, upper)
        return np.maximum(lower, least), np.minimum(upper, most)

    def _published(
        self, system: System, ends: tuple[Floats, Floats], widths: Widths
    ) -> Perturbation:
        lower, upper = ends
        is_wide = lower < upper
        weight = weights_of(system.cells, self.weight)
        loss = math.fsum(weight * (upper - lower))
        others = int((is_wide & ~system.cells.sensitive).sum())
        told = (
            f"{counted(int(is_wide.sum()), 'cell')} published as intervals, {others:,} of them to "
            "protect others; the audit of all of them finds every sensitive cell protected."
        )
        return Perturbation(
            system,
            np.where(is_wide, np.nan, system.cells.value),
            loss,
            min(widths.bound, loss),
            is_optimal=loss <= widths.bound * (1 + SAME),
            lower=lower,
            upper=upper,
            remarks=(told,),
        )


def _moved(value: Floats, units: Ints, unit: Fraction, decimals: int | None) -> Floats:
    """Return values some units away."""
    moved: Floats = value + units * float(unit)
    return moved if decimals is None else np.round(moved, decimals)


def _missed(asked: System, ends: tuple[Floats, Floats]) -> Ints:
    """Audit everything that is published; return the sensitive cells that are not protected."""
    lower, upper = ends
    cells = asked.cells
    is_wide: Mask = lower < upper
    status = np.where(is_wide & ~cells.sensitive, Status.SECONDARY, cells.status).astype(np.int8)
    bounded = replace(
        cells,
        status=status,
        lower_bound=np.where(is_wide, lower, cells.lower_bound),
        upper_bound=np.where(is_wide, upper, cells.upper_bound),
    )
    return audit(replace(asked, cells=bounded)).below_level
