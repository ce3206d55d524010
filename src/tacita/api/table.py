"""`Table` and `LinkedTables`: tables in a person's hands."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, ParamSpec, Protocol, Self, TypeVar

import numpy as np

from tacita.api.seeds import fresh
from tacita.method import Method
from tacita.progress import progress
from tacita.registry import family, from_plan
from tacita.release.measuring import measured
from tacita.release.table_comparison import LOSS as LOSS_COMPARED
from tacita.release.table_comparison import RISKS as RISKS_COMPARED
from tacita.release.table_comparison import TableComparison, compare_ways
from tacita.results import Measures
from tacita.solvers.integer import Effort
from tacita.tables import linked, table
from tacita.tables.apriori import MARGIN, Given, read_apriori, with_given
from tacita.tables.audit.audit import TableAudit, audit
from tacita.tables.audit.whole import WholeIntervals, whole_intervals
from tacita.tables.formats import read_table as read_any
from tacita.tables.formats import write_table
from tacita.tables.judging import Rule, judge
from tacita.tables.perturb.applied import perturbed
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.protect.applied import CostOf, protected
from tacita.tables.protect.problem import Cost
from tacita.tables.protect.suppression import Suppression
from tacita.tables.risk.exposure import audit_beside
from tacita.tables.rolling_up.cuts import Recoding
from tacita.tables.rolling_up.roll_up import roll_up, roll_up_and_suppress
from tacita.tables.rolling_up.rolled_up import RolledUp
from tacita.tables.system import System
from tacita.tables.tabulate import tabulate as tabulate_records

P = ParamSpec("P")
T = TypeVar("T", table.Table, linked.LinkedTables)
DEFAULT_WAY = "fast_suppression"
RISKS, LOSSES = ("table risk", "table attack"), ("table utility",)


class Examinable(Protocol):
    """One or several tables: what can be worked out of them, and what a reader sees."""

    truth: Any

    def system(self, *, rounding: float = 0.0) -> System:
        """Return the cells and the relations between them."""

    def published(self) -> Any:
        """Return what a reader sees."""

    def as_known(self) -> Any:
        """Return what a reader knows of the true cells."""


class Examined:
    """What can be asked of one table and of several together."""

    def audit(self: Examinable, *, rounding: float = 0.0) -> TableAudit:
        """Work out what an intruder can learn of every suppressed cell, and judge it.

        In a perturbed table that is every cell: its interval is what the published values and the
        method leave for the true one.

        Args:
            rounding: how far published values may be from the true ones (units of the values); 0
                when they are exact.
        """
        if self.truth is not None:
            return audit_beside(self.truth, self.published())
        return audit(self.as_known(), rounding=rounding)

    def whole_intervals(self: Examinable, *, seconds: float = 60.0) -> WholeIntervals:
        """Return the whole numbers that suppressed counts can be.

        Args:
            seconds: how long the search may take in all (above 0); what is not settled by then is
                bounded.
        """
        return whole_intervals(self.as_known().system(), effort=Effort(seconds=seconds))

    def risk(self: Examinable, *measures: Method | str) -> Measures:
        """Measure the disclosure risk of what is published, and run the attacks on it.

        Args:
            measures: the table risks and attacks to run; all with their default parameters when
                left out.
        """
        return _measured(RISKS, measures, _original(self), self.published())

    def utility(self: Examinable, *measures: Method | str) -> Measures:
        """Measure what suppressing or perturbing cells cost.

        Args:
            measures: the table utilities to run; all with their default parameters when left out.
        """
        return _measured(LOSSES, measures, _original(self), self.published())


@dataclass(frozen=True, eq=False, repr=False)
class Table(table.Table, Examined):
    """A table with verbs: judge, given, suppress, protect, perturb, audit, risk, utility, write.

    Made by `tacita.tabulate` or `tacita.read_table`. Nothing changes in place.

    Args:
        suppression: how the table was protected, once it was.
        perturbation: how its values were perturbed, once they were; it holds the true ones.
        truth: the table before its values were perturbed.
    """

    suppression: Suppression | None = None
    perturbation: Perturbation | None = None
    truth: table.Table | None = None

    @classmethod
    def of(cls, made: table.Table) -> Self:
        """Put a table into a person's hands."""
        return cls(**{part.name: getattr(made, part.name) for part in fields(table.Table)})

    def judge(self, *rules: Rule, missing: Literal["judged", "safe"] = "judged") -> Self:
        """Return the table with its sensitive cells found and their protection levels set.

        Args:
            rules: sensitivity rules such as `PPercent(15)`, or functions from `Contributions` to a
                mask of sensitive cells.
            missing: whether cells on a code for missing values are `judged` or `safe`.
        """
        return judge(self, rules, missing=missing)  # type: ignore[return-value]

    def given(self, said: str | PathLike[str] | Iterable[Given], *, margin: float = MARGIN) -> Self:
        """Return the table with statuses, costs and levels that were decided beforehand.

        Args:
            said: the path of an a-priori file (.hst), or what it would say.
            margin: the protection levels of cells that are said to be sensitive, in percent of
                their value (0 or more).
        """
        told = read_apriori(Path(said)) if isinstance(said, str | PathLike) else list(said)
        return with_given(self, told, margin=margin)  # type: ignore[return-value]

    def protect(
        self,
        by: Method | str = DEFAULT_WAY,
        *,
        previous: table.Table | None = None,
        cost: CostOf | None = None,
    ) -> Self:
        """Return the table with further cells suppressed, so that every sensitive one is protected.

        The result passes the audit. What it cost, and how far it is from the least possible, is in
        its `suppression`.

        Args:
            by: the way: `fast_suppression`, `optimal_suppression`, ... or such a method with its
                parameters.
            previous: the table of the last period, protected; what was suppressed there is
                preferred, and the search begins with it.
            cost: gives what suppressing each cell costs (0 or more), from the cells:
                `lambda cells: np.sqrt(cells.value)`.

        Raises:
            ProtectionError: a sensitive cell cannot be protected; the message says which and why.
        """
        made, found = protected(self, _way(by, "protection"), previous=previous, cost=cost)
        return replace(made, suppression=found)  # type: ignore[return-value, call-arg]

    def perturb(self, by: Method | str, *, seed: int | None = None) -> Self:
        """Return the table with perturbed values in the place of the true ones.

        Every cell is published, the sensitive ones too. What was lost, and what must be known of
        how it went, is in the result's `perturbation`; its `audit`, `risk` and `utility` compare
        with the truth, which `published` and files do not hold.

        Args:
            by: the way: `controlled_rounding`, `controlled_adjustment`, ... or such a method with
                its parameters.
            seed: where its randomness comes from; drawn anew when left out.

        Raises:
            ProtectionError: the table cannot be perturbed as asked; the message says why.
        """
        made, found = _perturbed(self, by, seed)
        return replace(made, suppression=None, perturbation=found, truth=self)  # type: ignore[return-value, call-arg]

    def published(self) -> Self:
        """Return what a reader sees: suppressed cells are blank, and nothing tells the truth."""
        shown = super().published()
        return replace(shown, suppression=None, perturbation=None, truth=None)

    def roll_up(
        self,
        *rules: Rule,
        loss: Cost = "count",
        allowed: Mapping[str, Recoding] | None = None,
    ) -> RolledUp:
        """Find the least recoding of the table that leaves no sensitive cell.

        Args:
            rules: the rules that it is judged by first; none if it is judged already.
            loss: what a cell that is left out counts: 1 (`count`), its `value`, its `contributors`
                or its `cost`.
            allowed: how attributes may be rolled up: `cut` (the usual), `level` or `kept`.

        Raises:
            ProtectionError: the coarsest table that is allowed still has a sensitive cell.
        """
        return roll_up(self, rules, loss=loss, allowed=allowed)

    def roll_up_and_suppress(
        self,
        by: Method | str = DEFAULT_WAY,
        *,
        loss: Cost = "count",
        allowed: Mapping[str, Recoding] | None = None,
    ) -> RolledUp:
        """Roll the judged table up in part and suppress the rest, so that a reader sees most.

        Args:
            by: the way to suppress what stays sensitive.
            loss: what a cell counts that a reader does not see; see `roll_up`.
            allowed: how attributes may be rolled up; see `roll_up`.

        Raises:
            ProtectionError: no combination protects the table.
        """
        way = None if by == DEFAULT_WAY else _way(by, "protection")
        return roll_up_and_suppress(self, by=way, loss=loss, allowed=allowed)

    def compare(
        self,
        ways: Sequence[Method | str],
        *,
        risks: Sequence[Method | str] = RISKS_COMPARED,
        loss: Method | str = LOSS_COMPARED,
        seed: int = 0,
    ) -> TableComparison:
        """Protect the judged table in several ways, and compare what they risk and what they cost.

        Args:
            ways: methods that suppress cells or perturb values, or their names, such as
                `["fast_suppression", ControlledRounding(5)]`; of those that do not apply to the
                table the reason is told.
            risks: the table risks and attacks of which the largest counts.
            loss: the table utility that counts.
            seed: where the randomness of every way comes from.

        Raises:
            ProtectionError: none of the ways could be tried.
        """
        with progress(1) as tell:
            tell("comparing")
            return compare_ways(self, ways, risks=risks, loss=loss, seed=seed)

    def write(self, path: str | PathLike[str], *, form: str | None = None, **options: Any) -> None:
        """Write the table to a file, whose ending says how.

        Nothing is judged or audited by it. CSV, Parquet, SDMX, Excel and HTML hold what may be
        published unless their options say otherwise; the files of tau-ARGUS hold everything.

        Args:
            path: the file; one that exists is replaced.
            form: the kind of file, where its ending does not say it.
            options: what the kind of file knows besides.
        """
        with progress(1) as tell:
            tell("writing")
            write_table(self, path, form=form, **options)


@dataclass(frozen=True, eq=False, repr=False)
class LinkedTables(linked.LinkedTables, Examined):
    """Several tables over the same data, with verbs: judge, protect, perturb, audit, risk, utility.

    Args:
        suppression: how the tables were protected, once they were.
        perturbation: how their values were perturbed, once they were; it holds the true ones.
        truth: the tables before their values were perturbed.
    """

    suppression: Suppression | None = None
    perturbation: Perturbation | None = None
    truth: linked.LinkedTables | None = None

    def published(self) -> Self:
        """Return what a reader sees of all the tables."""
        return type(self)(tuple(one.published() for one in self.tables))

    def judge(self, *rules: Rule, missing: Literal["judged", "safe"] = "judged") -> Self:
        """Return the tables, each judged by the same rules; see `Table.judge`."""
        judged = (judge(one, rules, missing=missing) for one in self.tables)
        return type(self)(tuple(judged))

    def protect(
        self,
        by: Method | str = DEFAULT_WAY,
        *,
        previous: table.Table | None = None,
        cost: CostOf | None = None,
    ) -> Self:
        """Return the tables, protected in one run; see `Table.protect`."""
        made, found = protected(self, _way(by, "protection"), previous=previous, cost=cost)
        return replace(made, suppression=found)  # type: ignore[return-value, call-arg]

    def perturb(self, by: Method | str, *, seed: int | None = None) -> Self:
        """Return the tables, perturbed in one run; see `Table.perturb`."""
        made, found = _perturbed(self, by, seed)
        return replace(made, suppression=None, perturbation=found, truth=self)  # type: ignore[return-value, call-arg]


def link(*tables: table.Table) -> LinkedTables:
    """Take tables over the same data together: cells that they share are found.

    Args:
        tables: tables of the same variable; each needs a name of its own.
    """
    return LinkedTables(tables)


def _held(made: Callable[P, table.Table]) -> Callable[P, Table]:
    """Put the tables that a function makes into a person's hands."""

    @functools.wraps(made)
    def holding(*args: P.args, **kwargs: P.kwargs) -> Table:
        with progress(1) as tell:
            tell("tabulating")
            return Table.of(made(*args, **kwargs))

    return holding


tabulate = _held(tabulate_records)


def read_table(source: Any, *, form: str | None = None, **options: Any) -> Table | System:
    """Read a table that somebody else made.

    Args:
        source: the path of a file, or a data frame with one row a cell.
        form: the kind of file, where its ending does not say it.
        options: what the kind of file knows besides: `by` (the attributes that span the table),
            `value`, `hierarchies`, `totals`, `missing`, ...

    Returns:
        A table; of a JJ file, which names no attributes, the system of its cells and relations.

    >>> import pyarrow as pa
    >>> frame = pa.table({"sex": ["Total", "f", "m"], "n": [7, None, None]})
    >>> read_table(frame, by=["sex"], value="n").audit().upper
    array([7., 7., 7.])
    """
    with progress(1) as tell:
        tell("reading")
        made = read_any(source, form=form, **options)
    return Table.of(made) if isinstance(made, table.Table) else made


def _way(said: Method | str, wanted: str) -> Method:
    return said if isinstance(said, Method) else from_plan(said, (wanted,))


def _perturbed(tables: T, by: Method | str, seed: int | None) -> tuple[T, Perturbation]:
    way, drawn = _way(by, "perturbation"), fresh(seed)
    with progress(1) as tell:
        tell(way.name)
        return perturbed(tables, way, np.random.default_rng(drawn))


def _original(tables: Examinable) -> Any:
    """Return what holds the truth about tables."""
    return tables if tables.truth is None else tables.truth


def _measured(
    families: tuple[str, ...], asked: Sequence[Method | str], original: Any, published: Any
) -> Measures:
    chosen = (
        [one if isinstance(one, Method) else from_plan(one, families) for one in asked]
        if asked
        else [cls() for name in families for cls in family(name).values()]
    )
    with progress(len(chosen)) as tell:
        return measured(chosen, original, published, tell)
