"""What a report can say, whatever its audience: facts in plain types."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from tacita.release.proof import Judged, Proof
from tacita.release.report.counts import Distribution
from tacita.release.strongest import links_records
from tacita.results import Number

if TYPE_CHECKING:
    from tacita.release.comparing.risk_utility_map import RiskUtilityMap

Pairs = tuple[tuple[str, str], ...]
SHOWN = 60  # rows that a table takes before it says "and more"


class Audience(StrEnum):
    """Who reads a report."""

    PUBLIC = "public"
    INTERNAL = "internal"


@dataclass(frozen=True)
class Step:
    """A masking step: what it is called, does and keeps, its parameters and notes, its paper."""

    title: str
    summary: str
    parameters: Pairs
    reference: str
    notes: Pairs = ()
    keeps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Promise:
    """A requirement: what it is, how its verdict is known, what that means, what breaks it most."""

    title: str
    holds: bool
    proof: Proof
    sentence: str
    summary: str
    explanation: str
    reference: str
    worst: str = ""


@dataclass(frozen=True)
class Measure:
    """A risk, utility or attack: its value, where there is one its value before, and its parts.

    `within` is the interval of an estimated value, `figures` are further numbers it gives.
    """

    name: str
    family: str
    summary: str
    value: Number | None
    sentence: str = ""
    compared: bool = False
    before: Number | None = None
    parts: tuple[tuple[str, float | None], ...] = ()
    parts_left: int = 0
    band: str = ""
    within: str = ""
    figures: Pairs = ()


@dataclass(frozen=True)
class AttributeRow:
    """An attribute: its role, its kind now and (if that is told) before, and its blank values."""

    name: str
    role: str
    kind: str
    kind_before: str = ""
    blank: tuple[int, int] | None = None


@dataclass(frozen=True)
class TableFact:
    """A released table.

    Args:
        name: what it is called.
        about: what it shows and which rules judged it.
        counts: how many cells there are, and how many are suppressed.
        holds: whether every sensitive cell is protected.
        verdict: that in a sentence.
        pattern: the table as a page shows it.
        measures: what its suppressions cost and attacks achieve, if that is told.
        not_measured: what was not measured, and why.
        compared: other ways to protect it, each with its risk and loss, if that is told.
        drawn: that as a figure.
        waivers: what waivers lowered, if that is told.
        rolled_up: how it was rolled up, if that is told.
    """

    name: str
    about: Pairs
    counts: Pairs
    holds: bool
    verdict: str
    pattern: str
    measures: tuple[Measure, ...] = ()
    not_measured: Pairs = ()
    compared: tuple[ComparedFact, ...] = ()
    drawn: str = ""
    waivers: WaiversFact | None = None
    rolled_up: RollUpFact | None = None


@dataclass(frozen=True)
class WaiverFact:
    """A cell that waivers lowered: the rules against it, who consented and where, its status."""

    cell: str
    rules: str
    contributors: str
    documents: str
    status: str


@dataclass(frozen=True)
class WaiversFact:
    """What waivers lowered, in a sentence and cell by cell."""

    sentence: str
    uses: tuple[WaiverFact, ...]


@dataclass(frozen=True)
class RollUpFact:
    """What a roll-up lost, in a sentence, and what each attribute was rolled up into."""

    sentence: str
    is_optimal: bool
    about: Pairs


@dataclass(frozen=True)
class ComparedFact:
    """A way to protect a table: what it risks and costs, or why it could not be tried."""

    way: str
    risk: str
    loss: str
    verdict: str


@dataclass(frozen=True)
class PerturbationFact:
    """How the values of all tables were perturbed.

    Args:
        way: the method, with the parameters that are told.
        sentence: what became of the values.
        about: numbers, and whether the same data give the same values.
        changes: by how much values were changed, and how many cells by so much, if that is told.
        reference: the paper of the method.
    """

    way: str
    sentence: str
    about: Pairs
    changes: Pairs
    reference: str


@dataclass(frozen=True)
class SuppressionFact:
    """How the secondary suppressions of all tables were found.

    Args:
        way: the method.
        sentence: what was lost, and how near that is to the least possible loss.
        is_optimal: whether no pattern loses less.
        about: numbers, and whether the same data give the same pattern.
        reference: the paper of the method.
    """

    way: str
    sentence: str
    is_optimal: bool
    about: Pairs
    reference: str


@dataclass(frozen=True)
class Facts:
    """Everything a report of one audience can say.

    Args:
        audience: who reads it.
        records: the number of released records.
        records_before: the number of original records, if that is told.
        attributes: the attributes that are listed.
        attributes_known: how many there are to list.
        attribute_count: how many are released.
        attributes_before: how many the original has, if that is told.
        judged: how many requirements there are, how many hold, and how that is known.
        waived: whether nothing was required of the records, by a waiver.
        steps: the masking.
        promises: the requirements that are told.
        profile: the audience of the file in words, if a profile was named.
        measures: risks, utilities and attacks.
        inference: how to combine several synthetic copies, if this is one of them.
        strongest: the strongest attack and how it was chosen, if that is told.
        intruder: for whom risks were measured, if anybody was named.
        not_measured: what was not measured, and why.
        smallest: the size of the smallest class after and (if that is told) before masking.
        sizes: the shares of records by class size after and before; None where not known.
        distributions: attributes before and after.
        warnings: what a reader should know first.
        run: what differs between two runs of the same plan.
        has_records: whether records are released, not tables alone.
        tables: the released tables.
        together: what all tables together tell, as an audit of them finds.
        suppression: how the secondary suppressions of all tables were found, if that is told.
        perturbation: how the values of all tables were perturbed, if they were.
        table_measures: risks of all tables together, if they are told.
        compared: other ways to mask the data beside this release, if they are told.
    """

    audience: Audience
    records: int
    attributes: tuple[AttributeRow, ...]
    attributes_known: int
    attribute_count: int
    judged: Judged
    steps: tuple[Step, ...]
    promises: tuple[Promise, ...]
    measures: tuple[Measure, ...]
    smallest: tuple[int | None, int | None]
    sizes: tuple[tuple[float, ...] | None, tuple[float, ...] | None]
    warnings: tuple[str, ...]
    run: Pairs
    records_before: int | None = None
    attributes_before: int | None = None
    source: str = ""
    profile: Pairs = ()
    not_measured: Pairs = ()
    distributions: tuple[Distribution, ...] = field(default=())
    has_records: bool = True
    tables: tuple[TableFact, ...] = ()
    together: str = ""
    suppression: SuppressionFact | None = None
    perturbation: PerturbationFact | None = None
    table_measures: tuple[Measure, ...] = ()
    intruder: str = ""
    inference: str = ""
    strongest: str = ""
    compared: RiskUtilityMap | None = None
    waived: bool = False

    @property
    def linking(self) -> list[Measure]:
        """The attacks that link records to respondents, the strongest first."""
        found = [one for one in self.measures if links_records(one.name) and one.value is not None]
        return sorted(found, key=lambda one: -one.value)  # type: ignore[operator]

    def measure(self, name: str) -> Measure | None:
        """Return a measure by its name, if it was measured."""
        return next((measure for measure in self.measures if measure.name == name), None)
