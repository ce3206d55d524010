"""The audit: what an intruder works out of every suppressed cell, and whether it is too much."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import ParameterError, load_extra
from tacita.mechanisms.sensitivity.contributions import decimal
from tacita.progress import progress
from tacita.results import counted, listed
from tacita.tables.audit.exact import exactly_disclosed
from tacita.tables.audit.flows import FlowPart
from tacita.tables.audit.intervals import SIDES, Part, Side, parts_of
from tacita.tables.audit.presolve import Ends, Problem, problem_of
from tacita.tables.cells import Cells
from tacita.tables.status import Status
from tacita.tables.system import System, show_bound

SHOWN = 3  # cells named in a sentence


class HasSystem(Protocol):
    """One or several tables."""

    def system(self, *, rounding: float = 0.0) -> System:
        """Return the cells and the relations between them."""


@dataclass(frozen=True, eq=False, repr=False)
class TableAudit:
    """What can be worked out of every cell. All arrays have one entry a cell of the system.

    Args:
        system: the published cells and relations.
        lower: the least value that a cell can have; where it is published the value itself, less
            what rounding allows.
        upper: the largest.
        disclosed: suppressed cells that have one possible value, and sensitive ones that can be
            read elsewhere.
        by_arithmetic: those of them that follow by adding and subtracting alone.
        is_protected: suppressed cells whose interval contains their protection interval (a
            sensitive cell must not be disclosed, whatever its levels are).
        rounding: how far published values were taken to be from the true ones.
    """

    system: System
    lower: Floats
    upper: Floats
    disclosed: Mask
    by_arithmetic: Mask
    is_protected: Mask
    rounding: float = 0.0

    @property
    def suppressed(self) -> Mask:
        """The cells that are suppressed."""
        return self.system.cells.suppressed

    @property
    def exact_disclosed(self) -> Ints:
        """The sensitive cells whose value can be worked out exactly."""
        return np.flatnonzero(self.system.cells.sensitive & self.disclosed)

    @property
    def below_level(self) -> Ints:
        """The sensitive cells that can be estimated better than their protection levels allow."""
        return np.flatnonzero(self.system.cells.sensitive & ~self.is_protected)

    @property
    def is_safe(self) -> bool:
        """Whether every sensitive cell is protected to its levels."""
        return not self.below_level.size

    def __bool__(self) -> bool:
        return self.is_safe

    def __repr__(self) -> str:
        cells = self.system.cells
        sensitive = int(cells.sensitive.sum())
        secondary = int((cells.status == Status.SECONDARY).sum())
        verdict = "safe" if self.is_safe else "NOT SAFE"
        number = f"{counted(sensitive, 'sensitive cell')}, {secondary:,} secondary"
        return "\n".join(
            [
                f"{verdict}: {number}, of {counted(len(self.system), 'cell')}",
                f"  exactly disclosed  {self._told(self.exact_disclosed)}",
                f"  below their level  {self._told(self.below_level)}",
            ]
        )

    def _told(self, cells: Ints) -> str:
        if not cells.size:
            return "none"
        named = [f"{self.system.name_of(int(cell))} {self._interval(cell)}" for cell in cells]
        return f"{cells.size:,}: {listed(named, SHOWN)}"

    def _interval(self, cell: int) -> str:
        return f"[{show_bound(self.lower[cell])}, {show_bound(self.upper[cell])}]"

    def of_cells(self, places: Ints) -> TableAudit:
        """Return what was found of some cells, such as those of one of several linked tables."""
        columns = ("lower", "upper", "disclosed", "by_arithmetic", "is_protected")
        part = replace(
            self.system,
            cells=self.system.cells.take(places),
            relations=self.system.relations[:0, places],
            rhs=self.system.rhs[:0],
            name_of=lambda row: self.system.name_of(int(places[row])),
            known=None if self.system.known is None else self.system.known[places],
        )
        return replace(self, system=part, **{name: getattr(self, name)[places] for name in columns})

    def to_dict(self) -> dict[str, Any]:
        """Return the audit in plain types: counts, and every suppressed cell."""
        secondary = (self.system.cells.status == Status.SECONDARY) & self.disclosed
        return {
            "safe": self.is_safe,
            "sensitive": int(self.system.cells.sensitive.sum()),
            "suppressed": int(self.suppressed.sum()),
            "exact_disclosed": int(self.exact_disclosed.size),
            "secondary_disclosed": int(secondary.sum()),
            "below_level": int(self.below_level.size),
            "rounding": self.rounding,
            "cells": self.to_arrow().to_pylist(),
        }

    def to_arrow(self) -> pa.Table:
        """Return one row a suppressed cell: its interval, its protection interval, the verdict."""
        rows = np.flatnonzero(self.suppressed)
        cells = self.system.cells.take(rows)
        return pa.table(
            {
                "cell": pa.array(rows),
                "name": pa.array([self.system.name_of(int(row)) for row in rows], pa.string()),
                "status": pa.array([Status(int(s)).word for s in cells.status], pa.string()),
                "value": _finite(cells.value),
                "lower": _finite(self.lower[rows]),
                "upper": _finite(self.upper[rows]),
                "must_reach_down_to": _finite(cells.value - cells.lower_level),
                "must_reach_up_to": _finite(cells.value + cells.upper_level),
                "disclosed": pa.array(self.disclosed[rows]),
                "by_arithmetic": pa.array(self.by_arithmetic[rows]),
                "protected": pa.array(self.is_protected[rows]),
            }
        )

    def to_polars(self) -> Any:
        """Return one row a suppressed cell as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.to_arrow())

    def to_pandas(self) -> Any:
        """Return one row a suppressed cell as a pandas frame."""
        load_extra("pandas", "frames")
        return self.to_arrow().to_pandas()


def audit(tables: HasSystem | System, *, rounding: float = 0.0) -> TableAudit:
    """Attack published tables as an intruder who knows every relation would.

    The feasibility interval of a suppressed cell is the least and the largest value that it can
    have given everything published, all tables taken together, found by linear programs or, where
    large tables are networks, by flows in them:

        min / max  y_i   subject to   M y = b,   y_j = a_j for published j,   l_j <= y_j <= u_j.

    A cell is protected if the interval contains [a_i - LPL_i, a_i + UPL_i] and is at least SPL_i
    wide. An end that comes to lie on a required value is proven by a point in whole numbers; where
    that fails the cell counts as not protected. Values that are no decimals are compared to a
    hundred-thousand-millionth of the largest.

    Args:
        tables: a table, linked tables, or a system of cells and relations.
        rounding: how far published values may be from the true ones (units of the values, 0 or
            more); say it of tables whose totals differ from their sums by rounding.

    Raises:
        InputError: the published values contradict each other.

    Fischetti & Salazar (2001), Solving the cell suppression problem on tabular data with linear
    constraints, Management Science 47(7).
    """
    if rounding < 0 or not np.isfinite(rounding):
        raise ParameterError(f"`rounding` is a number of at least 0; found {rounding!r}.")
    system = tables if isinstance(tables, System) else tables.system(rounding=rounding)
    with progress(1) as tell:
        tell("auditing")
        problem = problem_of(system, rounding=rounding)
        return _Auditor(system, problem).audit(rounding)


class _Auditor:
    """Searches every part of a problem and judges its cells."""

    def __init__(self, system: System, problem: Problem) -> None:
        self.system = system
        self.problem = problem
        self.lower, self.upper = system.cells.value.copy(), system.cells.value.copy()
        self.is_protected = np.ones(len(system), bool)
        self.is_single = np.zeros(len(system), bool)
        self._note(problem, problem.ends)
        fixed = problem.places[problem.is_fixed]
        self.is_single[fixed] = True
        self.is_protected[fixed] = ~_has_level(system.cells)[fixed]

    def audit(self, rounding: float) -> TableAudit:
        for part in parts_of(self.problem, self.system):
            places = part.problem.places
            ends = part.ends(self.system.unknown[places])
            self._note(part.problem, ends)
            judge = _Judge(part, self.system.cells.take(places), ends)
            self.is_single[places] = judge.is_single()
            self.is_protected[places] = judge.is_protected()
        disclosed, by_arithmetic = self._disclosed(rounding)
        protected = self.is_protected & ~(disclosed & self.system.cells.sensitive)
        return TableAudit(
            self.system, self.lower, self.upper, disclosed, by_arithmetic, protected, rounding
        )

    def _note(self, problem: Problem, ends: Ends) -> None:
        self.lower[problem.places] = ends.lower * problem.unit
        self.upper[problem.places] = ends.upper * problem.unit

    def _disclosed(self, rounding: float) -> tuple[Mask, Mask]:
        """Tell which cells are disclosed, and which of them by adding and subtracting alone."""
        hidden = self.system.cells.suppressed
        by_arithmetic = hidden & ~self.system.unknown
        if not rounding:
            by_arithmetic = by_arithmetic | exactly_disclosed(self.system)
        return hidden & (self.is_single | by_arithmetic), by_arithmetic


class _Judge:
    """Judges the intervals of a part.

    Where the solver's error could decide, points in whole numbers must prove how far out a cell can
    be; what they do not prove is not so. Values that are no decimals are compared with that error.
    """

    def __init__(self, part: Part | FlowPart, cells: Cells, ends: Ends) -> None:
        self.part, self.cells, self.ends = part, cells, ends
        self.unit = part.problem.unit
        self.is_whole = part.problem.is_whole

    def is_single(self) -> Mask:
        """Tell which cells have one possible value."""
        width = self.ends.upper - self.ends.lower
        if not self.is_whole:
            near: Mask = width <= self.part.problem.tolerance
            return near
        single = width <= 2 * self.part.error
        for cell in np.flatnonzero(single & self.cells.suppressed).tolist():
            single[cell] = self._proven_width(cell) <= 0
        return single

    def is_protected(self) -> Mask:
        """Tell which cells have an interval that contains their protection interval."""
        protected = self._is_wide_enough()
        for side in SIDES:
            protected &= self._is_reached(side)
        return protected

    def _is_wide_enough(self) -> Mask:
        cells = self.cells
        # Where nobody knows the value, its interval must at least have room for both levels.
        both = np.where(np.isnan(cells.value), cells.lower_level + cells.upper_level, 0.0)
        needed = np.maximum(cells.sliding_level, both)
        ahead = self.ends.upper - self.ends.lower - needed / self.unit
        ahead[needed <= 0] = np.inf
        return self._decided(
            ahead, lambda cell: self._proven_width(cell) >= self._in_units(needed[cell])
        )

    def _proven_width(self, cell: int) -> Fraction | float:
        upper, lower = (self.part.proven(cell, side) for side in SIDES)
        return upper - lower

    def _is_reached(self, side: Side) -> Mask:
        """Tell which cells can be as far out to one side as their level requires."""
        value, sign = self.cells.value, int(side.sign)
        level = self.cells.upper_level if sign > 0 else self.cells.lower_level
        ahead = sign * (getattr(self.ends, side.name) - (value + sign * level) / self.unit)
        ahead[(level <= 0) | np.isnan(value)] = np.inf

        def exactly(cell: int) -> bool:
            wanted = self._in_units(value[cell]) + sign * self._in_units(level[cell])
            return sign * self.part.proven(cell, side) >= sign * wanted

        return self._decided(ahead, exactly)

    def _in_units(self, number: float) -> Fraction:
        return decimal(number) / decimal(self.unit)

    def _decided(self, ahead: Floats, exactly: Callable[[int], bool]) -> Mask:
        """Tell which numbers are at least 0, where they could be either way exactly."""
        close = np.abs(ahead) <= 2 * self.part.error
        decided: Mask = close | (ahead > 0)
        if self.is_whole:
            for cell in np.flatnonzero(close).tolist():
                decided[cell] = exactly(cell)
        return decided


def _has_level(cells: Cells) -> Mask:
    """Tell which cells must be possible at more than their value."""
    return np.maximum(np.maximum(cells.lower_level, cells.upper_level), cells.sliding_level) > 0


def _finite(values: Any) -> pa.Array:
    return pa.array(values, mask=~np.isfinite(values))
