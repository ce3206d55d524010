"""Lowering statuses by waivers: judged anew without those who consented, and recorded.

A consent may uncover who gave it, and nobody else. So what consenting contributors contribute is
taken to be known to everybody, and a cell becomes safe only if the rules find nothing sensitive in
what the others contribute, or if there are no others:

- p%-rule, pq-rule: the largest of the others must be safe from the next largest of them, who
  subtract from the total what they and those who consented contribute.
- dominance: the largest of the others may not dominate what the others come to.
- minimum frequency: the others must be enough, or none.
- request rule: of the others who asked for protection, none may have too much of what they come to.
- zero rule: none of the others may be there if they come to nothing.
- counts, whatever the rule, and rules that are functions: nobody else may be in the cell.

That is the cell of the others judged by all rules; which one had called it sensitive does not
matter. Cells that are not sensitive stay so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.errors import InputError
from tacita.method import Method
from tacita.results import counted
from tacita.tables.cells import Words
from tacita.tables.dimension import NONE
from tacita.tables.judging import WAIVER, Missing, Rule, judge
from tacita.tables.status import Status
from tacita.tables.table import RESPONDENTS, Table
from tacita.tables.waivers import Waiver
from tacita.tables.waiving.records import ContributorRecords
from tacita.tables.waiving.waived import Use, Waived

Consenting = Mapping[int, frozenset[str]]  # by row of a table, those whose consent is about it


def waived_cells(
    table: Table,
    rules: Sequence[Rule] | Rule,
    waivers: Iterable[Waiver],
    *,
    on: date,
    period: str | None = None,
    missing: Missing = "judged",
) -> Waived:
    """Judge a table; cells are safe of which every contributor consented.

    The table does not know who contributes to a cell, only how many. So a cell becomes safe only
    if waivers about this very cell name just as many contributors as it has; that they are the
    right ones is attested, not checked. Where the records are at hand, `waived` does better.

    Args:
        table: the table, before it is judged; cells that are sensitive already stay so.
        rules: the sensitivity rules, in order.
        waivers: the consents; see `read_waivers`.
        on: the day on which they must hold.
        period: the period of the data; a waiver for another, or for one where none is said, does
            not count.
        missing: what becomes of cells on a code for missing values; see `judge`.

    Raises:
        InputError: a rule calls a cell sensitive that must be published.
        ParameterError: there is no rule, or one does not apply.

    >>> from tacita.mechanisms.sensitivity.minimum_frequency import MinimumFrequency
    >>> from tacita.tables.ready import grid_table
    >>> table = grid_table("t", {"x": [1, 5], "y": [6, 7]}, ["u", "v"])
    >>> table = table.with_cells(contributors=table.cells.value)
    >>> said = Waiver("Acme", date(2025, 1, 1), "letter 17", cell={"row": "x", "column": "u"})
    >>> waived_cells(table, MinimumFrequency(3), [said], on=date(2025, 6, 1))
    t: 9 cells over row x column, 0 sensitive, 1 cell made safe by waivers
    """
    asked = _Asked(table, rules, missing)
    counting, remarks = _in_force(table, waivers, on, period)
    everywhere = [one for one in counting if one.cell is None]
    remarks += [
        one.not_counting("it names no cell, and the records are not at hand") for one in everywhere
    ]
    named = _by_row(table, [one for one in counting if one.cell is not None])
    lifted = {}
    for row, several in named.items():
        names, there = {one.contributor for one in several}, table.cells.contributors[row]
        if len(names) == there:
            lifted[row] = several
        elif asked.is_sensitive[row]:
            remarks.append(
                f"The cell {table.name_of(row)} stays sensitive: waivers name "
                f"{counted(len(names), 'contributor')}, and it has {_how_many(there)}."
            )
    return asked.answered(lifted, remarks)


def waived(
    data: Any,
    table: Table,
    rules: Sequence[Rule] | Rule,
    waivers: Iterable[Waiver],
    *,
    identity: str,
    on: date,
    period: str | None = None,
    tabulated: Mapping[str, Any] | None = None,
    missing: Missing = "judged",
) -> Waived:
    """Judge a table; cells are safe that are sensitive only because of those who consented.

    The records of those who consented are left out, the table is made again, and the same rules
    judge what the others contribute. A cell in which nobody else is left becomes safe, and one that
    is not sensitive any more. Everything else stays as the rules say; see the module's text.

    In a table that lets records stand for others (`weighting="represented"`), a record whose
    sampling weight is above 1 stands for respondents who were not asked, so its waiver does not
    count. The table is made once for every set of contributors who consented.

    Args:
        data: the microdata that the table was made of, in memory.
        table: the table, before it is judged; cells that are sensitive already stay so.
        rules: the sensitivity rules, in order.
        waivers: the consents; see `read_waivers`.
        identity: the attribute that names contributors: `contributor` of the table, if it has one.
        on: the day on which the waivers must hold.
        period: the period of the data; a waiver for another, or for one where none is said, does
            not count.
        tabulated: the further options with which `tabulate` made the table.
        missing: what becomes of cells on a code for missing values; see `judge`.

    Raises:
        InputError: the data do not give this table, or a rule calls a cell sensitive that must be
            published.
        ParameterError: `identity` is not what contributors were told apart by.

    >>> import pyarrow as pa
    >>> from tacita.mechanisms.sensitivity.minimum_frequency import MinimumFrequency
    >>> from tacita.tables.tabulate import tabulate
    >>> firms = pa.table({"id": ["p", "q", "r", "s"], "town": ["a", "b", "b", "b"]})
    >>> said = Waiver("p", date(2025, 1, 1), "letter 17")
    >>> made, rule = tabulate(firms, ["town"]), MinimumFrequency(3)
    >>> waived(firms, made, rule, [said], identity="id", on=date(2025, 6, 1)).uses[0].cell
    ('a',)
    """
    options = {
        "value": table.variable,
        "statistic": table.statistic,
        "weighting": table.weighting or RESPONDENTS,
        **(tabulated or {}),
    }
    records = ContributorRecords.of(data, table, identity, options)
    asked = _Asked(table, rules, missing)
    counting, remarks = _in_force(table, waivers, on, period)
    counting, ignored = records.named(counting)
    remarks += ignored
    found = asked.without(records, _consenting(table, counting, asked.is_sensitive))
    lifted = _evidence(table, records, counting, found)
    named = _by_row(table, [one for one in counting if one.cell is not None])
    remarks += [
        f"The cell {table.name_of(row)} stays sensitive because of those who did not consent."
        for row in named
        if asked.is_sensitive[row] and row not in lifted
    ]
    return asked.answered(lifted, remarks)


# -- which waivers count ---------------------------------------------------------------------------


def _in_force(
    table: Table, waivers: Iterable[Waiver], on: date, period: str | None
) -> tuple[list[Waiver], list[str]]:
    """Return the waivers that hold for a table on a day, and why others do not."""
    counting, remarks = [], []
    for one in waivers:
        why = _why_not(table, one, on, period)
        if why:
            remarks.append(one.not_counting(why))
        else:
            counting.append(one)
    return counting, remarks


def _why_not(table: Table, one: Waiver, on: date, period: str | None) -> str:
    if one.signed > on:
        return f"it holds from {one.signed} on"
    if one.expires is not None and one.expires < on:
        return f"it expired on {one.expires}"
    if one.variable not in (None, table.variable):
        return f"it is about {one.variable}, the table about {table.variable or 'counts'}"
    if one.period not in (None, period):
        return f"it is about the period {one.period}, the table about {period or 'one not said'}"
    try:
        if one.cell is not None:
            table.row(**one.cell)
    except InputError as error:
        return f"its cell is unknown. {error}".rstrip(".")
    return ""


def _by_row(table: Table, waivers: Iterable[Waiver]) -> dict[int, list[Waiver]]:
    found: dict[int, list[Waiver]] = {}
    for one in waivers:
        found.setdefault(table.row(**(one.cell or {})), []).append(one)
    return found


def _consenting(table: Table, waivers: Sequence[Waiver], is_sensitive: Mask) -> Consenting:
    """Return for each sensitive cell those whose consent is about it, where there are any."""
    everywhere = frozenset(one.contributor for one in waivers if one.cell is None)
    named = _by_row(table, [one for one in waivers if one.cell is not None])
    found = {}
    for row in map(int, np.flatnonzero(is_sensitive)):
        who = everywhere | {one.contributor for one in named.get(row, ())}
        if who:
            found[row] = who
    return found


def _evidence(
    table: Table, records: ContributorRecords, waivers: Sequence[Waiver], rows: Sequence[int]
) -> dict[int, list[Waiver]]:
    """Return for each cell the waivers of those who contribute to it; one without any stays."""
    found: dict[int, list[Waiver]] = {}
    for one in waivers:
        about = set(rows) if one.cell is None else {table.row(**one.cell)} & set(rows)
        for row in sorted(about & records.cells_of(one.contributor)) if about else ():
            found.setdefault(row, []).append(one)
    return found


# -- judging ---------------------------------------------------------------------------------------


class _Asked:
    """A table and its rules, and the cells that they would call sensitive."""

    def __init__(self, table: Table, rules: Sequence[Rule] | Rule, missing: Missing) -> None:
        self.table = table
        self.rules = list(rules) if isinstance(rules, Sequence) else [rules]
        self.missing = missing
        # What must be published is judged too: with a waiver, it may be.
        blank = table.with_cells(status=np.zeros(len(table), np.int8))
        fires = judge(blank, self.rules, missing=missing).cells.sensitive
        self.is_sensitive: Mask = fires & ~table.cells.sensitive

    def without(self, records: ContributorRecords, consenting: Consenting) -> list[int]:
        """Return the cells in which the rules find nothing once those who consented are out."""
        lifted: list[int] = []
        for who in sorted(set(consenting.values()), key=sorted):
            rows = np.array([row for row, names in consenting.items() if names == who])
            rest = records.without(who)
            lifted += rows.tolist() if rest is None else rows[self._is_safe(rest, rows)].tolist()
        return lifted

    def _is_safe(self, rest: Table, rows: Ints) -> Mask:
        """Tell in which cells nobody else is left, or others in whom the rules find nothing."""
        there = rest.find(self.table.numbers[rows])
        others: Mask = (there != NONE) & (rest.cells.contributors[there] > 0)
        if self.table.variable is None:
            return ~others
        unsafe = judge(rest, self.rules, missing=self.missing).cells.sensitive[there]
        still: Mask = others & (unsafe | self._by_function[rows])
        return ~still

    @cached_property
    def _by_function(self) -> Mask:
        """Tell which cells a rule calls sensitive that may say anything of the others."""
        found = np.zeros(len(self.table), bool)
        for rule, reason in zip(self.rules, self._reasons, strict=True):
            if not isinstance(rule, Method):
                found |= reason != ""
        return found

    @cached_property
    def _reasons(self) -> list[Words]:
        """For each rule by itself, its name where it calls a cell sensitive."""
        cells = len(self.table)
        blank = self.table.with_cells(
            status=np.zeros(cells, np.int8), reason=np.full(cells, "", object)
        )
        return [judge(blank, rule, missing=self.missing).cells.reason for rule in self.rules]

    def answered(self, lifted: Mapping[int, Sequence[Waiver]], remarks: Sequence[str]) -> Waived:
        """Judge the table with the cells that waivers lift left alone, and record them."""
        rows = sorted(row for row in lifted if self.is_sensitive[row])
        reason = self.table.cells.reason.copy()
        reason[rows] = WAIVER
        table = judge(self.table.with_cells(reason=reason), self.rules, missing=self.missing)
        uses = tuple(self._use(row, lifted[row], table) for row in rows)
        return Waived(table, uses, tuple(remarks))

    def _use(self, row: int, waivers: Sequence[Waiver], judged: Table) -> Use:
        return Use(
            self.table.codes_of(row),
            self.table.name_of(row),
            tuple(reason[row] for reason in self._reasons if reason[row]),
            tuple(dict.fromkeys(one.contributor for one in waivers)),
            tuple(dict.fromkeys(one.document for one in waivers)),
            after=Status(int(judged.cells.status[row])).word,
        )


def _how_many(contributors: float) -> str:
    return "an unknown number" if np.isnan(contributors) else f"{contributors:g}"
