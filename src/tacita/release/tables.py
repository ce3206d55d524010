"""The tables of a release: made from the original data, judged, audited together, measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.registry import family
from tacita.release.measuring import Tell, measured
from tacita.release.table_making import MadeTable, make_table
from tacita.release.table_plan import TablePlan
from tacita.results import Measures, Verdict, counted, listed
from tacita.tables.status import Status

if TYPE_CHECKING:
    from tacita.release.plan import Plan
    from tacita.release.stored_tables import StoredTables
    from tacita.release.table_comparison import TableComparison
    from tacita.tables.linked import LinkedTables
    from tacita.tables.perturb.perturbation import Perturbation
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
        published: what the public sees of it, with perturbed values if they are.
        intervals: what a reader of all tables of the release can work out.
        measures: what its suppressions cost and what attacks on it achieve.
        verdicts: the judgement on what must hold of it.
        made: how it was made, with what waivers changed and how it was rolled up.
        comparison: how other ways to protect or perturb it would do, if the plan asks.
    """

    plan: TablePlan
    table: Table
    published: Table
    intervals: Intervals
    measures: Measures
    verdicts: tuple[Verdict, ...]
    made: MadeTable
    comparison: TableComparison | None = None

    @property
    def is_safe(self) -> bool:
        """Whether every sensitive cell is protected, given all tables of the release."""
        return self.verdicts[0].holds

    def to_dict(self) -> dict[str, Any]:
        """Return what became of the table, in plain types."""
        cells = self.table.cells
        return {
            "name": self.plan.name,
            "cells": len(cells),
            "sensitive": int(cells.sensitive.sum()),
            "suppressed": int(self.published.cells.suppressed.sum()),
            "perturbed": self.published.perturbed_by is not None,
            "safe": self.is_safe,
            "measures": [measured.to_dict() for measured in self.measures],
        }

    def to_arrow(self) -> pa.Table:
        """Return everything that is known of every cell, for the house."""
        from tacita.tables.formats.csv import column_of, rows_of

        columns = rows_of(self.table, view="internal")
        for word in WORDS:
            found = getattr(self.intervals, word)
            endless = ~np.isfinite(found) if found.dtype.kind == "f" else None
            columns = columns.append_column(word, pa.array(found, mask=endless))
        if self.published.perturbed_by is None:
            return columns
        return columns.append_column("perturbed", column_of(self.published.cells.shown))


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
        perturbation: how the values of all tables were perturbed, if they were.
        seed: where the randomness of the perturbation came from; for the internal evidence only.
    """

    tables: tuple[ReleasedTable, ...]
    measures: Measures
    suppressed: int
    computable: int
    narrowest: float | None
    suppression: Suppression | None = None
    perturbation: Perturbation | None = None
    seed: int = 0

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The judgement on what must hold of the tables."""
        return tuple(verdict for one in self.tables for verdict in one.verdicts)


def release_tables(
    plan: Plan,
    data: Dataset,
    seed: int,
    tell: Tell = lambda _: None,
    stored: StoredTables | None = None,
) -> ReleasedTables:
    """Make the tables of a plan from the original data and find out what they tell.

    Args:
        plan: the plan.
        data: the data as they were read: what is protected is the table, not the records.
        seed: where the randomness of a perturbation comes from.
        tell: is told of every step.
        stored: what was found for them before and cannot be found again, if there is anything.
    """
    built = []
    for place, said in enumerate(plan.tables):
        tell(f"tabulating {said.name}")
        built.append(make_table(plan, place, data))
    made = [one.table for one in built]
    shown = [table.published() for table in made]
    way, noise, found, moved = plan.tables[0].way, plan.tables[0].perturbation, None, None
    if way is not None:
        tell("protecting the tables")
        with plan.placing("tables", 0, "protect"):
            made, found = _protected(made, way, stored)
            shown = [table.published() for table in made]
    if noise is not None:
        tell("perturbing the tables")
        with plan.placing("tables", 0, "perturb"):
            shown, moved = _perturbed(made, noise, seed, stored)
    tell("auditing the tables")
    released = Assessor(plan, built, made, shown, moved).released(tell)
    return replace(released, suppression=found, perturbation=moved, seed=seed)


# -- protecting them -------------------------------------------------------------------------------


def _protected(
    tables: list[Table], way: Method, stored: StoredTables | None
) -> tuple[list[Table], Suppression]:
    """Find the secondary suppressions of all tables in one run."""
    if stored is not None and stored.has_pattern:
        return stored.protected(tables)
    from tacita.tables.linked import LinkedTables
    from tacita.tables.protect.applied import protected

    made, found = protected(LinkedTables(tuple(tables)), way)
    return list(made), found


def _perturbed(
    tables: list[Table], way: Method, seed: int, stored: StoredTables | None
) -> tuple[list[Table], Perturbation]:
    """Find the values that all tables publish, in one run."""
    from tacita.tables.linked import LinkedTables
    from tacita.tables.perturb.applied import perturbed

    links, rng = LinkedTables(tuple(tables)), np.random.default_rng(seed)
    if stored is not None and stored.has_values:
        made, found = stored.perturbed(links, way, rng)
    else:
        made, found = perturbed(links, way, rng)
    return [table.published() for table in made], found


# -- what it tells ---------------------------------------------------------------------------------


class Assessor:
    """Audits, attacks and measures tables, all of them together.

    Args:
        plan: what was said of them.
        built: how they were made.
        made: the tables with their truth, protected.
        shown: what the public sees of them.
        moved: how their values were perturbed, if they were.
    """

    def __init__(
        self,
        plan: Plan,
        built: list[MadeTable],
        made: list[Table],
        shown: list[Table],
        moved: Perturbation | None,
    ) -> None:
        from tacita.tables.linked import LinkedTables

        self.built = built
        self.plan, self.made, self.shown, self.moved = plan, made, shown, moved
        self.links, self.published = LinkedTables(tuple(made)), LinkedTables(tuple(shown))

    def released(self, tell: Tell) -> ReleasedTables:
        """Return the tables with what was found out about them."""
        from tacita.tables.risk.exposure import exposed

        with self.plan.placing("tables"):
            found = exposed(self.links, self.published)
        measures = measured(_usual(TOGETHER), self.links, self.published, tell)
        tables = tuple(
            self._one(place, self._intervals(found, place)) for place in range(len(self.made))
        )
        hidden = found.pair.hidden
        width = found.width[hidden & ~found.disclosed].min(initial=np.inf)
        narrowest = float(width) if np.isfinite(width) else None
        computable = int((hidden & found.disclosed).sum())
        return ReleasedTables(tables, measures, int(hidden.sum()), computable, narrowest)

    def _intervals(self, found: Exposure, place: int) -> Intervals:
        """Return what was found of the cells of one table."""
        part = _part(found, self.links.places[place])
        if self.moved is None or self.moved.lower is not None or not self._is_repeatable:
            return part
        # Nothing bounds what the true value may be, so that the published one must be far from it.
        from tacita.tables.pairing import paired
        from tacita.tables.risk.unmoved_sensitive import unmoved

        near = unmoved(paired(self.made[place], self.shown[place]))
        return replace(part, is_protected=part.is_protected & ~near)

    @property
    def _is_repeatable(self) -> bool:
        """Whether the noise is not that of a secure source, whose guarantee is about all values."""
        way = self.plan.tables[0].perturbation
        return way is None or way.repeatable

    def _one(self, place: int, intervals: Intervals) -> ReleasedTable:
        said, table, shown = self.plan.tables[place], self.made[place], self.shown[place]
        return ReleasedTable(
            said,
            table,
            shown,
            intervals,
            measured(_usual(*ALONE), table, shown),
            (self._protected(place, intervals), *self._required(place)),
            self.built[place],
            self._compared(place),
        )

    def _protected(self, place: int, intervals: Intervals) -> Verdict:
        """Judge whether every sensitive cell is protected, those that were rolled up as well."""
        if self.built[place].rolled_up is None:
            return protected(self.made[place], intervals)
        whole, found = self._whole
        return protected(whole[place], _part(found, whole.places[place]))

    @cached_property
    def _whole(self) -> tuple[LinkedTables, Exposure]:
        """The tables with what was rolled up as suppressed cells, and what a reader learns of them.

        Other tables may tell of these cells. Where values are perturbed, true ones take their
        place, so that no less is found.
        """
        from tacita.tables.linked import LinkedTables
        from tacita.tables.risk.exposure import exposed

        whole = [one.whole(table) for one, table in zip(self.built, self.made, strict=True)]
        links = LinkedTables(tuple(whole))
        with self.plan.placing("tables"):
            return links, exposed(links, LinkedTables(tuple(one.published() for one in whole)))

    def _required(self, place: int) -> Iterator[Verdict]:
        said = self.plan.tables[place]
        for number, requirement in enumerate(said.requirements):
            with self.plan.placing("tables", place, "require", number):
                alone = (self.made[place], self.shown[place])
                is_joint = requirement.method.family == TOGETHER
                pair = (self.links, self.published) if is_joint else alone
                yield _of_table(requirement.check(*pair), said.name)

    def _compared(self, place: int) -> TableComparison | None:
        from tacita.release.table_comparison import compare_ways

        said, table = self.plan.tables[place], self.made[place]
        if not said.compare:
            return None
        with self.plan.placing("tables", place, "compare"):
            return compare_ways(_unsuppressed(table), said.compared, seed=0)


def _part(found: Exposure, rows: Ints) -> Intervals:
    return Intervals(**{word: getattr(found, word)[rows] for word in WORDS})


def _unsuppressed(table: Table) -> Table:
    """Return a table without the cells that were suppressed to protect others."""
    status = np.where(table.cells.status == Status.SECONDARY, Status.SAFE, table.cells.status)
    return table.with_cells(status=status.astype(np.int8))


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


def table_warnings(released: ReleasedTables) -> Iterator[str]:
    """Say of which tables nobody said what is sensitive, and what went not as it might."""
    for one in released.tables:
        if not one.plan.rules and one.plan.given is None:
            told = f"No rule says what is sensitive in the table `{one.plan.name}`"
            yield f"{told}; add `rules` or `given`."
        for happened in (one.made.waived, one.made.rolled_up):
            for remark in () if happened is None else happened.remarks:
                yield f"Table `{one.plan.name}`: {remark}"


def count_table_steps(plan: Plan) -> int:
    """Return how many steps `release_tables` tells of."""
    if not plan.tables:
        return 0
    changing = (plan.tables[0].protect, plan.tables[0].perturb) != (None, None)
    return len(plan.tables) + changing + 1 + len(list(_usual(TOGETHER)))
