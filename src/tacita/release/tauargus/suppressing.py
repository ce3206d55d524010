"""Protecting the tables of a job: which of our methods each of tau-ARGUS's is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np

from tacita.data.classes import Floats
from tacita.errors import ParameterError
from tacita.method import Method
from tacita.registry import find
from tacita.release.tauargus.commands import (
    Adjustment,
    Hypercube,
    Modular,
    Network,
    Optimal,
    Rounding,
    Suppress,
)
from tacita.release.tauargus.protected_table import JobTable
from tacita.release.tauargus.rules import levels_of
from tacita.results import counted, show
from tacita.tables.linked import LinkedTables
from tacita.tables.perturb.applied import perturbed
from tacita.tables.protect.applied import protected
from tacita.tables.protect.suppression import Suppression
from tacita.tables.status import Status
from tacita.tables.table import Table

SECONDS = 60.0  # of a minute
BEST = 2  # the rule to stop at the best solution, not at an earlier one
NOT_BETTER = 100.0  # percent of bounds that say no more than that a cell is not negative
Protected = tuple[list[JobTable], list[str]]


@dataclass(frozen=True)
class Way:
    """A method, and what of the command it does not follow.

    Args:
        method: the method.
        remarks: sentences about what differs from tau-ARGUS.
    """

    method: Method
    remarks: tuple[str, ...] = ()


def protect(tables: Sequence[JobTable], said: Suppress, rng: np.random.Generator) -> Protected:
    """Return tables protected as a command says, and what is to be told of it.

    Several tables are protected in one run, so that a cell that they share is shown in all of them
    or in none.

    Args:
        tables: the tables, judged.
        said: the command.
        rng: where randomness comes from, if the method needs any.
    """
    way = way_of(said)
    before = [replace(one, table=one.judged, published=None, perturbed_as="") for one in tables]
    if way.method.family == "perturbation":
        _refuse_small_base(before, said)
        made, found = _together(
            [one.judged for one in before], lambda t: perturbed(t, way.method, rng)
        )
        after = [_with_published(b, a, said) for b, a in zip(before, made, strict=True)]
        return after, [*way.remarks, repr(found)]
    bounds = said.bounds if isinstance(said, Hypercube) else NOT_BETTER
    held = [with_bounds(one.judged, bounds) for one in before]
    hidden, pattern = _together(held, lambda t: protected(t, way.method))
    after = [replace(b, table=a) for b, a in zip(before, hidden, strict=True)]
    return after, [*way.remarks, *_told(pattern, hidden)]


def _together(
    tables: Sequence[Table], apply: Callable[[Any], tuple[Any, Any]]
) -> tuple[list[Table], Any]:
    """Apply something to one table, or to several that are linked."""
    if len(tables) == 1:
        made, found = apply(tables[0])
        return [made], found
    named = (replace(table, name=_name(n, table)) for n, table in enumerate(tables))
    linked, found = apply(LinkedTables(tuple(named)))
    return list(linked.tables), found


def _name(place: int, table: Table) -> str:
    return f"table {place + 1} ({table.name})"


def with_bounds(table: Table, percent: float) -> Table:
    """Return the table with every cell known beforehand to some percent of its value.

    What a cell's own levels ask for stays possible.
    """
    if percent >= NOT_BETTER:
        return table
    cells = table.cells
    room = percent / 100 * np.nan_to_num(np.abs(cells.value))
    low = np.minimum(cells.value - room, cells.value - cells.lower_level)
    high = np.maximum(cells.value + room, cells.value + cells.upper_level)
    return table.with_cells(
        lower_bound=np.maximum(cells.lower_bound, low),
        upper_bound=np.minimum(cells.upper_bound, high),
    )


def _told(found: Suppression, tables: Sequence[Table]) -> Iterator[str]:
    for place, table in enumerate(tables, start=1):
        number = int((table.cells.status == Status.SECONDARY).sum())
        where = f" in table {place}" if len(tables) > 1 else ""
        yield f"{counted(number, 'cell')} suppressed besides the unsafe ones{where}"
    least = " (the least possible)" if found.is_optimal else ""
    yield f"cost {show(found.cost)}{least}; audited: every level is reached"
    if not found.is_reproducible:
        yield "the clock stopped the search; another run may find another pattern"


# -- which method ----------------------------------------------------------------------------------


@singledispatch
def way_of(said: Suppress) -> Way:
    """Return the method that a command means."""
    raise TypeError(f"nothing is suppressed by {type(said).__name__}")


@way_of.register
def _(said: Hypercube) -> Way:
    singletons = "protected" if said.singletons else "ignored"
    size = (f"the size of the model ({said.size}) means nothing here",) if said.size else ()
    return Way(_suppression("hypercube", singletons=singletons), size)


@way_of.register
def _(said: Modular) -> Way:
    protects = said.single_single or said.single_multiple
    made = _suppression(
        "modular",
        singletons="protected" if protects else "ignored",
        time_limit=SECONDS * said.minutes,
    )
    remarks = []
    if said.minimum_frequency:
        remarks.append(
            "rows of few contributors in all are not looked after beyond the levels of their cells"
        )
    if said.scale is not None:
        remarks.append(f"costs are not scaled (to {said.scale:g})")
    return Way(made, tuple(remarks))


@way_of.register
def _(said: Optimal) -> Way:
    return Way(_suppression("optimal", time_limit=SECONDS * said.minutes))


@way_of.register
def _(said: Network) -> Way:  # noqa: ARG001 - it has no parameters
    return Way(_suppression("network"))


@way_of.register
def _(said: Rounding) -> Way:
    made = _perturbation(
        "controlled_rounding",
        base=said.base,
        weight="equal" if said.unit_cost else "cost",
        time_limit=SECONDS * said.minutes,
        node_limit=None if said.stop == BEST else 1,
    )
    remarks = []
    if said.steps:
        remarks.append(
            "cells go beyond the next multiples only if they must, and then as far as they must "
            f"(the job allows {said.steps} steps)"
        )
    if said.partitions:
        remarks.append("the table is rounded as a whole, not part by part")
    return Way(made, tuple(remarks))


@way_of.register
def _(said: Adjustment) -> Way:  # noqa: ARG001 - it has no parameters
    return Way(_perturbation("controlled_adjustment", weight="cost"))


def _suppression(name: str, **options: Any) -> Method:
    made: type[Any] = find(f"{name}_suppression", ("protection",))
    method: Method = made(cost="cost", **options)
    return method


def _perturbation(name: str, **options: Any) -> Method:
    made: type[Any] = find(name, ("perturbation",))
    method: Method = made(**options)
    return method


# -- values that are not the true ones -------------------------------------------------------------


def _refuse_small_base(tables: Sequence[JobTable], said: Suppress) -> None:
    """Refuse a base that leaves less room around sensitive cells than their rules ask for."""
    if not isinstance(said, Rounding):
        return
    for one in tables:
        least = _least_base(one)
        if said.base < least:
            raise ParameterError(
                f"the base {said.base:g} is too small for {one.name}, whose rules ask for "
                f"{show(least)} at least."
            )


def _least_base(one: JobTable) -> float:
    """Return the largest level of a table, and of counts how many must contribute."""
    if one.asked.response is None:
        rules = [rule for level in levels_of(one.safety) for rule in level.rules]
        return max((rule.numbers[0] for rule in rules), default=0.0)
    cells = one.judged.cells
    levels = np.maximum(cells.lower_level, cells.upper_level)[cells.sensitive]
    return float(levels.max(initial=0.0))


def _with_published(one: JobTable, made: Table, said: Suppress) -> JobTable:
    """Return a table with the values that are published in the place of the true ones."""
    published: Floats = made.cells.value
    if isinstance(said, Rounding):
        return replace(one, published=published, perturbed_as="Round")
    # tau-ARGUS calls safe cells that an adjustment moved secondary.
    cells = one.judged.cells
    moved = (cells.status == Status.SAFE) & (published != cells.value)
    table = one.judged.with_cells(status=np.where(moved, np.int8(Status.SECONDARY), cells.status))
    return replace(one, table=table, published=published, perturbed_as="CTA")
