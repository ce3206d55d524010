"""Cells answered from a protection set, by intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats, Mask
from tacita.queries.camouflage.forms import Interval, Linear
from tacita.queries.camouflage.intervals import (
    deviation,
    largest,
    outward,
    quantile,
    smallest,
    within,
)
from tacita.queries.camouflage.protection_set import ProtectionSet
from tacita.queries.camouflage.searching import WORK
from tacita.queries.camouflage.value_sets import is_simple, value_sets
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.language.expressions import names_of
from tacita.queries.statistic import Statistic


def confidential(cell: Cell) -> frozenset[str]:
    """Return the confidential attributes that a cell is about."""
    asked, members = cell.asked, cell.members
    named = {str(one) for one in (asked.attribute, asked.other) if one is not None}
    if members.condition is not None:
        named |= names_of(members.condition)
    return frozenset(named & members.data.hidden.keys())


def is_exact(cell: Cell) -> bool:
    """Tell whether a cell is public: it names nothing confidential, or counts what is there."""
    counts = cell.asked.statistic is Statistic.COUNT
    return cell.members.is_public and (counts or not confidential(cell))


def has_interval(cell: Cell, name: str) -> bool:
    """Tell whether a cell about one confidential attribute is answered, from what is asked alone.

    Args:
        cell: the cell.
        name: the attribute.
    """
    asked, members = cell.asked, cell.members
    if asked.weighted:
        return False
    if members.condition is not None:
        return asked.statistic is Statistic.COUNT and is_simple(members.condition, name)
    if asked.statistic is Statistic.REGR_SLOPE:
        return asked.attribute == name != asked.other
    if asked.statistic is Statistic.COVAR:
        return asked.attribute != asked.other
    return asked.statistic in WAYS or asked.statistic in LINEAR


def interval_of(cell: Cell, camouflage: ProtectionSet, work: float = WORK) -> Interval | None:
    """Return what a cell can be; None where SQL says that there is no value.

    Args:
        cell: the cell.
        camouflage: the protection set of its confidential attribute.
        work: how much may be done where the interval must be searched for.
    """
    return answered(cell, camouflage, work)[0]


def answered(
    cell: Cell, camouflage: ProtectionSet, work: float = WORK
) -> tuple[Interval | None, Linear | None]:
    """Return what a cell can be, and its form where it is linear in its attribute."""
    question, statistic = _Question(cell, camouflage, work), cell.asked.statistic
    if statistic in LINEAR:
        form = LINEAR[statistic](question)
        return (None if form is None else outward(form.bounds())), form
    found = WAYS[statistic](question)
    is_whole = statistic is Statistic.COUNT
    return (found if found is None or is_whole else outward(found)), None


@dataclass(frozen=True, eq=False)
class _Question:
    """A cell, the set to answer it from, and how much may be done."""

    cell: Cell
    camouflage: ProtectionSet
    work: float

    @property
    def slack(self) -> float:
        return self.camouflage.slack

    @cached_property
    def vertices(self) -> Floats:
        """The values of the cell in all vertices."""
        return self.camouflage.of(self.cell.members.rows)

    @cached_property
    def totals(self) -> Floats:
        """The sum of the cell in every vertex."""
        totals: Floats = self.camouflage.sums.take(self.cell.members.places, axis=1).sum(axis=1)
        return totals

    @cached_property
    def known(self) -> int:
        """The number of values, over a public set."""
        return int(self.camouflage.known[self.cell.members.places].sum())

    def beside(self) -> tuple[Floats, int]:
        """Return the public attribute less its mean, 0 where one of both is blank, and how many."""
        rows = self.cell.members.rows
        names = (str(self.cell.asked.attribute), str(self.cell.asked.other))
        public = next(one for one in names if one != self.camouflage.name)
        values = self.cell.members.data.numbers(public)[rows]
        both = ~np.isnan(values) & self.is_known()
        mean = values[both].mean() if both.any() else 0.0
        return np.where(both, values - mean, 0.0), int(both.sum())

    def is_known(self) -> Mask:
        """Tell of every record of the set whether it has a value."""
        known: Mask = ~np.isnan(self.camouflage.vertices[self.cell.members.rows, 0])
        return known

    def sums(self, factor: float) -> Linear:
        """Return a multiple of the sum."""

        def multipliers() -> Floats:
            return np.where(self.is_known(), factor, 0.0)

        at, norm = factor * self.totals, abs(factor) * self.known
        return Linear(self.camouflage.name, at, self.slack, norm, multipliers)

    def combined(self, coefficients: Floats) -> Linear:
        """Return the sum of the values, each times its coefficient."""
        values = np.nan_to_num(self.camouflage.vertices[self.cell.members.rows])
        norm = float(np.abs(coefficients).sum())
        name, at = self.camouflage.name, product(coefficients, values)
        return Linear(name, at, self.slack, norm, lambda: coefficients)


def _sum(question: _Question) -> Linear | None:
    return question.sums(1.0) if question.cell.members.size else None


def _avg(question: _Question) -> Linear | None:
    return question.sums(1 / question.known) if question.known else None


def _count(question: _Question) -> Interval:
    members, of = question.cell.members, question.cell.asked.attribute
    if members.condition is None:
        return question.known, question.known
    rows = QuerySet(members.data, places=members.places).rows
    if of is not None and members.data.is_public(of):
        rows = rows[members.data.columns[of].codes[members.data.of_record[rows]] >= 0]
    sets = value_sets(members.condition, question.camouflage.name)
    return within(question.camouflage.of(rows), sets, question.slack, question.work)


def _stddev(question: _Question) -> Interval | None:
    divisor = len(question.vertices) - (not question.cell.asked.population)
    return deviation(question.vertices, divisor, question.slack) if divisor > 0 else None


def _var(question: _Question) -> Interval | None:
    found = _stddev(question)
    return None if found is None else (found[0] ** 2, found[1] ** 2)


def _min(question: _Question) -> Interval | None:
    found = question.vertices
    return smallest(found, question.slack, question.work) if len(found) else None


def _max(question: _Question) -> Interval | None:
    found = question.vertices
    return largest(found, question.slack, question.work) if len(found) else None


def _quantile(question: _Question) -> Interval | None:
    if not len(question.vertices):
        return None
    fraction = question.cell.asked.fraction or 0.0
    return quantile(question.vertices, fraction, question.slack, question.work)


def _covar(question: _Question) -> Linear | None:
    other, pairs = question.beside()
    divisor = pairs - (not question.cell.asked.population)
    return question.combined(other / divisor) if divisor > 0 else None


def _regr_slope(question: _Question) -> Linear | None:
    regressor, _ = question.beside()
    spread = float(product(regressor, regressor))
    return question.combined(regressor / spread) if spread else None


LINEAR: Mapping[Statistic, Callable[[_Question], Linear | None]] = {
    Statistic.SUM: _sum,
    Statistic.AVG: _avg,
    Statistic.COVAR: _covar,
    Statistic.REGR_SLOPE: _regr_slope,
}
WAYS: Mapping[Statistic, Callable[[_Question], Interval | None]] = {
    Statistic.COUNT: _count,
    Statistic.VAR: _var,
    Statistic.STDDEV: _stddev,
    Statistic.MIN: _min,
    Statistic.MAX: _max,
    Statistic.QUANTILE: _quantile,
}
