"""Tables that a job reads as they are: a `.tab` file with its description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tacita.errors import InputError
from tacita.release.tauargus.commands import ReadTable, SafetyRule, SpecifyTable
from tacita.release.tauargus.places import found_file
from tacita.release.tauargus.protected_table import JobTable, hierarchy_tags
from tacita.release.tauargus.records import costs_of, named
from tacita.release.tauargus.rules import judged, levels_of
from tacita.release.tauargus.spelling import Spelling, read_hierarchy
from tacita.tables.apriori import GIVEN
from tacita.tables.dimension import TOTAL, Dimension
from tacita.tables.formats import tab
from tacita.tables.formats.description import (
    Description,
    Field,
    dimension_of,
    read_description,
)
from tacita.tables.formats.listing import CODE, LEFT_OUT, rows_of
from tacita.tables.status import Status
from tacita.tables.table import Table, numbers_of

ADDED_UP = ("value", "shown", "frequency", "contributors", "total", "cost")


@dataclass(frozen=True, eq=False)
class ReadyMade:
    """A table's file with its description.

    Args:
        path: the file.
        description: what is said of its fields.
    """

    path: Path
    description: Description

    def table(self, asked: SpecifyTable, safety: SafetyRule | None, how: ReadTable) -> JobTable:
        """Read the table, and judge it if the job has rules for it.

        Raises:
            InputError: a file cannot be understood, or the table is not as the job says.
        """
        response = self._response(asked)
        spans = [self._span(known) for known in self._spanning]
        made = tab.read(
            self.path,
            metadata=self.description.path,
            value=response.name,
            by=[dimension for dimension, _ in spans],
        )
        order = self._order(asked)
        table = _turned(made, order)
        if how.totals == "computed":
            table = with_totals(table)
        table = self._with_costs(table, asked)
        safety = safety or SafetyRule(line=how.line)
        found = _decided(table, safety, keeps_statuses=how.keeps_statuses)
        if how.totals != "free":
            found.system()  # totals that do not add up are told now
        return JobTable(
            asked=asked,
            safety=safety,
            judged=found,
            spellings=tuple(spans[place][1] for place in order),
            decimals=int(response.word("DECIMALS", "0")),
            described=tuple(
                hierarchy_tags(self._spanning[place].tags, self.description.path.parent)
                for place in order
            ),
            table=found,
        )

    # -- fields ----------------------------------------------------------------------------------

    @property
    def _spanning(self) -> list[Field]:
        return [known for known in self.description.fields if known.role == CODE]

    def _field(self, name: str) -> Field:
        known = {one.name: one for one in self.description.fields}
        return named(self.description.path, known, name)

    def _response(self, asked: SpecifyTable) -> Field:
        if asked.response is not None:
            return self._field(asked.response)
        counts = [one for one in self.description.fields if one.role == "frequency"]
        if not counts:
            raise InputError(f"{self.description.path} names no <FREQUENCY>, which <FREQ> needs.")
        return counts[0]

    def _order(self, asked: SpecifyTable) -> list[int]:
        """Return which attribute of the file is the first of the table, and so on."""
        names = [known.name for known in self._spanning]
        wanted = [self._field(name).name for name in asked.by]
        if sorted(names) != sorted(wanted):
            raise InputError(
                f"the table is spanned by {', '.join(names)} in its file; the job says "
                f"{', '.join(wanted)}."
            )
        return [names.index(name) for name in wanted]

    def _span(self, known: Field) -> tuple[Dimension, Spelling]:
        total = known.word("TOTCODE", TOTAL)
        file = known.word("HIERCODELIST", "")
        missing = tuple(code for code in dict.fromkeys(known.missing) if code not in ("", total))
        if not file:
            place = self.description.fields.index(known)
            codes = [row.fields[place] for row in rows_of(self.path, self.description.separator)]
            made = dimension_of(self.description, known, codes)
            return made, Spelling(missing=missing, is_hierarchical="HIERLEVELS" in known.tags)
        path = found_file(self.description.path.parent, file)
        tree, words = read_hierarchy(path, total, known.word("HIERLEADSTRING", "@"))
        outside = [code for code in missing if code not in words]
        dimension = Dimension.from_trees(known.name, [tree], missing=outside)
        return dimension, Spelling(0, words, tuple(outside), is_hierarchical=True)

    def _with_costs(self, table: Table, asked: SpecifyTable) -> Table:
        """Return the table with the costs and the shadow that the job names, else its values."""
        size = np.nan_to_num(np.abs(table.cells.value))
        roles: dict[str | None, str] = {one.name: one.role for one in self.description.fields}
        roles[None] = "value"
        named = [None if n is None else self._field(n).name for n in (asked.cost, asked.shadow)]
        cost, shadow = (None if n == self._response(asked).name else n for n in named)
        known = {"cost": table.cells.cost, "total": table.cells.total, "value": size}
        if roles[cost] not in known or roles[shadow] not in ("value", "total"):
            raise InputError(
                f"{self.description.path} should say <COST> or <SHADOW> of the variables that the "
                "job uses so; it says something else."
            )
        table = table.with_cells(total=known[roles[shadow]], cost=known[roles[cost]])
        return table.with_cells(cost=costs_of(table, asked))


def open_ready_made(data: Path, metadata: Path) -> ReadyMade:
    """Read the description of a table's file."""
    return ReadyMade(data, read_description(metadata))


# -- statuses --------------------------------------------------------------------------------------


def _decided(table: Table, safety: SafetyRule, *, keeps_statuses: bool) -> Table:
    """Return the table with the statuses of its file, or those that rules give it, or both."""
    has_rules = any(level.rules for level in levels_of(safety))
    if has_rules and not keeps_statuses:
        nothing = np.zeros(len(table))
        table = table.with_cells(
            status=np.zeros(len(table), np.int8),
            reason=np.full(len(table), "", object),
            lower_level=nothing,
            upper_level=nothing,
        )
        return judged(table, None, safety)
    given = _with_given(table, safety.manual_margin)
    return judged(given, None, safety) if has_rules else given


def _with_given(table: Table, margin: float) -> Table:
    """Say of statuses that they were given, and set the levels of sensitive cells without any."""
    cells = table.cells
    bare = cells.sensitive & (cells.lower_level == 0) & (cells.upper_level == 0)
    level = margin / 100 * np.nan_to_num(np.abs(cells.value))
    is_secondary = cells.status == Status.SECONDARY
    return table.with_cells(
        reason=np.where(is_secondary, cells.reason, GIVEN),
        lower_level=np.where(bare, level, cells.lower_level),
        upper_level=np.where(bare, level, cells.upper_level),
    )


# -- shape -----------------------------------------------------------------------------------------


def _turned(table: Table, order: Sequence[int]) -> Table:
    """Return the table with its attributes in another order."""
    if list(order) == sorted(order):
        return table
    dimensions = tuple(table.dimensions[place] for place in order)
    places = table.places[:, order]
    turned = replace(table, dimensions=dimensions, places=places)
    rows = np.argsort(numbers_of(places, turned.strides), kind="stable")
    return replace(turned, places=places[rows], cells=table.cells.take(rows))


def with_totals(table: Table) -> Table:
    """Return the table with every total added up from its parts, absent ones and others.

    Statuses stay as they are; totals that the file leaves out are safe.
    """
    relations = table.system(rounding=np.inf).relations
    columns: dict[str, Any] = {name: getattr(table.cells, name).copy() for name in ADDED_UP}
    largest = table.cells.largest.copy()
    waiting = set(relations.indices[relations.data < 0].tolist())
    while waiting:
        waiting -= _added_up(relations, waiting, columns, largest)
    absent = table.cells.reason == LEFT_OUT
    return table.with_cells(
        **columns,
        largest=largest,
        status=np.where(absent, np.int8(Status.SAFE), table.cells.status),
        reason=np.where(absent, "", table.cells.reason),
    )


def _added_up(
    relations: Any, waiting: set[int], columns: dict[str, Any], largest: np.ndarray
) -> set[int]:
    """Add up the totals none of whose parts wait to be; return which they are."""
    made: set[int] = set()
    for row in range(relations.shape[0]):
        held = slice(relations.indptr[row], relations.indptr[row + 1])
        places, signs = relations.indices[held], relations.data[held]
        whole, parts = int(places[signs < 0][0]), places[signs > 0]
        if whole in waiting and whole not in made and waiting.isdisjoint(parts.tolist()):
            for column in columns.values():
                column[whole] = column[parts].sum()
            if largest.shape[1]:
                largest[whole] = np.sort(np.nan_to_num(largest[parts]).ravel())[::-1][
                    : largest.shape[1]
                ]
            made.add(whole)
    return made
