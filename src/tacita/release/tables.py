"""The tables of a release: made from the original data, judged, audited together, measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Role
from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import Method
from tacita.registry import family
from tacita.release.measuring import Tell, measured
from tacita.release.table_plan import TablePlan, given_file
from tacita.results import Measures, Verdict, counted, listed

if TYPE_CHECKING:
    from tacita.release.plan import Plan
    from tacita.tables.linked import LinkedTables
    from tacita.tables.protect.suppression import Suppression
    from tacita.tables.risk.exposure import Exposure
    from tacita.tables.table import Table

TOGETHER = "table risk"  # an intruder learns from all tables together
ALONE = ("table utility", "table attack")
NAMED = 5  # cells that a sentence names
WORDS = ("lower", "upper", "disclosed", "by_arithmetic", "is_protected")


@dataclass(frozen=True, eq=False)
class Intervals:
    """What the audit of all tables together says of the cells of one; see `TableAudit`."""

    lower: Floats
    upper: Floats
    disclosed: Mask
    by_arithmetic: Mask
    is_protected: Mask


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedTable:
    """A table of a release, before anything is written.

    Args:
        plan: what was said of it.
        table: the table with its truth, statuses and levels.
        intervals: what a reader of all tables of the release can work out.
        measures: what its suppressions cost and what attacks on it achieve.
        verdicts: the judgement on what must hold of it.
        given: the file of statuses given beforehand, as it was.
    """

    plan: TablePlan
    table: Table
    intervals: Intervals
    measures: Measures
    verdicts: tuple[Verdict, ...]
    given: bytes | None = None

    @property
    def is_safe(self) -> bool:
        """Whether every sensitive cell is protected, given all tables of the release."""
        return bool(self.intervals.is_protected[self.table.cells.sensitive].all())

    def to_dict(self) -> dict[str, Any]:
        """Return what became of the table, in plain types."""
        cells = self.table.cells
        return {
            "name": self.plan.name,
            "cells": len(cells),
            "sensitive": int(cells.sensitive.sum()),
            "suppressed": int(cells.suppressed.sum()),
            "safe": self.is_safe,
            "measures": [measured.to_dict() for measured in self.measures],
        }

    def to_arrow(self) -> pa.Table:
        """Return everything that is known of every cell, for the house."""
        from tacita.tables.formats.csv import rows_of

        columns = rows_of(self.table, view="internal")
        for word in WORDS:
            found = getattr(self.intervals, word)
            endless = ~np.isfinite(found) if found.dtype.kind == "f" else None
            columns = columns.append_column(word, pa.array(found, mask=endless))
        return columns


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedTables:
    """The tables of a release, and what can be learned from all of them together.

    Args:
        tables: the tables.
        measures: risks of all tables together.
        suppressed: how many cells no table shows; one that tables share is one cell.
        computable: how many of them can be worked out exactly.
        narrowest: how wide the narrowest interval of the others is, None if it has no end.
        suppression: how the secondary suppressions of all tables were found, if they were.
    """

    tables: tuple[ReleasedTable, ...]
    measures: Measures
    suppressed: int
    computable: int
    narrowest: float | None
    suppression: Suppression | None = None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The judgement on what must hold of the tables."""
        return tuple(verdict for one in self.tables for verdict in one.verdicts)


def release_tables(plan: Plan, data: Dataset, tell: Tell = lambda _: None) -> ReleasedTables:
    """Make the tables of a plan from the original data and find out what they tell.

    Args:
        plan: the plan.
        data: the data as they were read: what is protected is the table, not the records.
        tell: is told of every step.
    """
    made = []
    for place, said in enumerate(plan.tables):
        tell(f"tabulating {said.name}")
        with plan.placing("tables", place):
            _refuse_identifiers(said, data)
            made.append(_judged(said, data, plan))
    way, found = plan.tables[0].way, None
    if way is not None:
        tell("protecting the tables")
        with plan.placing("tables", 0, "protect"):
            made, found = _protected(made, way)
    tell("auditing the tables")
    return replace(assess_tables(plan, made, tell), suppression=found)


def assess_tables(plan: Plan, made: list[Table], tell: Tell = lambda _: None) -> ReleasedTables:
    """Audit, attack and measure tables, all of them together."""
    from tacita.tables.linked import LinkedTables
    from tacita.tables.risk.exposure import exposed

    links = LinkedTables(tuple(made))
    published = LinkedTables(tuple(table.published() for table in made))
    with plan.placing("tables"):
        found = exposed(links, published)
    measures = measured(_usual(TOGETHER), links, published, tell)
    tables = tuple(
        _released(plan, place, table, _part(found, links, place), (links, published))
        for place, table in enumerate(made)
    )
    hidden = found.pair.hidden
    width = found.width[hidden & ~found.disclosed].min(initial=np.inf)
    narrowest = float(width) if np.isfinite(width) else None
    computable = int((hidden & found.disclosed).sum())
    return ReleasedTables(tables, measures, int(hidden.sum()), computable, narrowest)


# -- making a table --------------------------------------------------------------------------------


def _refuse_identifiers(said: TablePlan, data: Dataset) -> None:
    names = [name for name in said.by if name in data.with_role(Role.IDENTIFIER)]
    if names:
        raise InputError(
            f"`{names[0]}` is an identifier; a table by it would list the respondents. Leave it "
            "out of `by`."
        )


def _protected(tables: list[Table], way: Method) -> tuple[list[Table], Suppression]:
    """Find the secondary suppressions of all tables in one run."""
    from tacita.tables.linked import LinkedTables
    from tacita.tables.protect.applied import protected

    made, found = protected(LinkedTables(tuple(tables)), way)
    return list(made), found


def _judged(said: TablePlan, data: Dataset, plan: Plan) -> Table:
    """Tabulate, find the sensitive cells, and do what the plan says by hand."""
    from tacita.tables.apriori import read_apriori, with_given
    from tacita.tables.judging import judge
    from tacita.tables.tabulate import tabulate

    table = tabulate(data, said.by, name=said.name, **said.tabulation)
    if said.rules:
        table = judge(table, said.methods)
    file = given_file(said, plan.folder)
    if file is not None:
        table = with_given(table, read_apriori(file))
    return table.suppress(*said.suppress)


# -- what it tells ---------------------------------------------------------------------------------


def _part(found: Exposure, links: LinkedTables, place: int) -> Intervals:
    rows = links.places[place]
    return Intervals(**{word: getattr(found, word)[rows] for word in WORDS})


def _released(
    plan: Plan,
    place: int,
    table: Table,
    intervals: Intervals,
    together: tuple[LinkedTables, LinkedTables],
) -> ReleasedTable:
    said, shown = plan.tables[place], table.published()
    file = given_file(said, plan.folder)
    verdicts = [protected(table, intervals)]
    for number, requirement in enumerate(said.requirements):
        with plan.placing("tables", place, "require", number):
            pair = together if requirement.method.family == TOGETHER else (table, shown)
            verdicts.append(_of_table(requirement.check(*pair), said.name))
    return ReleasedTable(
        said,
        table,
        intervals,
        measured(_usual(*ALONE), table, shown),
        tuple(verdicts),
        None if file is None else file.read_bytes(),
    )


def protected(table: Table, intervals: Intervals) -> Verdict:
    """Judge whether every sensitive cell of a table is protected to its levels."""
    sensitive = table.cells.sensitive
    open_ = sensitive & ~(intervals.is_protected & ~intervals.disclosed)
    rows, count = np.flatnonzero(open_), int(sensitive.sum())
    value = Fraction(len(rows), max(count, 1))
    told = f"table {table.name}: "
    if not rows.size:
        many = f"all {count:,} sensitive cells are protected"
        few = ("no cell is sensitive", "the one sensitive cell is protected")
        told += few[count] if count < len(few) else many
        return Verdict({"protected": table.name}, True, value, told)
    names = listed([table.name_of(int(row)) for row in rows], NAMED)
    verb = "is" if len(rows) == 1 else "are"
    told += f"{len(rows):,} of {counted(count, 'sensitive cell')} {verb} not protected: {names}"
    return Verdict({"protected": table.name}, False, value, told, {"cells": names})


def _of_table(verdict: Verdict, name: str) -> Verdict:
    ((method, said),) = verdict.requirement.items()
    requirement = {method: {**said, "table": name}}
    return replace(verdict, requirement=requirement, sentence=f"table {name}: {verdict.sentence}")


def _usual(*families: str) -> Iterator[Method]:
    """Give the measures that are not costly."""
    for word in families:
        yield from (cls() for cls in family(word).values() if not cls.costly)


def table_warnings(plan: Plan) -> Iterator[str]:
    """Say of which tables nobody said what is sensitive in them."""
    for said in plan.tables:
        if not said.rules and said.given is None:
            told = f"No rule says what is sensitive in the table `{said.name}`"
            yield f"{told}; add `rules` or `given`."


def count_table_steps(plan: Plan) -> int:
    """Return how many steps `release_tables` tells of."""
    if not plan.tables:
        return 0
    protecting = plan.tables[0].protect is not None
    return len(plan.tables) + protecting + 1 + len(list(_usual(TOGETHER)))
