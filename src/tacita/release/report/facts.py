"""The gate: which facts an audience may be told.

Everything after this module (sections, figures, both formats) sees only `Facts`, never the data or
the outcome of the run. What is not let through here cannot stand in a report.

The public is told only what the released file shows itself, what the methods declare public, the
promises that hold, and summary measures of two digits. The house is told everything but the seeds
and the key of the input's hash, which stay in the evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any

from tacita.data.attribute import Attribute
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.registry import family, methods
from tacita.release import evidence
from tacita.release.execute import Done, Outcome
from tacita.release.report import words
from tacita.release.report.counts import Distribution, class_sizes, distributions, smallest_class
from tacita.results import Measurement, Number, Verdict

Pairs = tuple[tuple[str, str], ...]
SHOWN = 60  # rows that a table takes before it says "and more"


class Audience(StrEnum):
    """Who reads a report."""

    PUBLIC = "public"
    INTERNAL = "internal"


@dataclass(frozen=True)
class Step:
    """A masking step: what it is called and does, its parameters and notes, its paper."""

    title: str
    summary: str
    parameters: Pairs
    reference: str
    notes: Pairs = ()


@dataclass(frozen=True)
class Promise:
    """A requirement: what it is, whether it holds, what that means, what breaks it most."""

    title: str
    holds: bool
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
        held: how many requirements hold.
        required: how many there are.
        steps: the masking.
        promises: the requirements that are told.
        profile: the audience of the file in words, if a profile was named.
        measures: risks, utilities and attacks.
        not_measured: what was not measured, and why.
        smallest: the size of the smallest class after and (if that is told) before masking.
        sizes: the shares of records by class size after and before; None where not known.
        distributions: attributes before and after.
        warnings: what a reader should know first.
        run: what differs between two runs of the same plan.
    """

    audience: Audience
    records: int
    attributes: tuple[AttributeRow, ...]
    attributes_known: int
    attribute_count: int
    held: int
    required: int
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

    def measure(self, name: str) -> Measure | None:
        """Return a measure by its name, if it was measured."""
        return next((measure for measure in self.measures if measure.name == name), None)


def facts(outcome: Outcome, run: Mapping[str, Any], audience: Audience) -> Facts:
    """Return what may be told to an audience."""
    return {Audience.PUBLIC: _public, Audience.INTERNAL: _internal}[audience](outcome, run)


# -- the public ------------------------------------------------------------------------------------


def _public(outcome: Outcome, run: Mapping[str, Any]) -> Facts:
    protected = outcome.protected
    promised = [v for v in outcome.verdicts if v.holds and _named(v) in family("model")]
    return Facts(
        audience=Audience.PUBLIC,
        records=len(protected),
        attributes=tuple(_attribute(a) for a in _first(protected.attributes.values())),
        attributes_known=len(protected.attributes),
        attribute_count=len(protected.attributes),
        held=sum(v.holds for v in outcome.verdicts),
        required=len(outcome.verdicts),
        steps=tuple(_public_step(done) for done in outcome.steps),
        promises=tuple(_promise(v) for v in promised),
        measures=tuple(_public_measure(m) for m in outcome.measures),
        smallest=(smallest_class(protected), None),
        sizes=(class_sizes(protected), None),
        warnings=tuple(_public_warnings(outcome)),
        run=_pairs({"tacita": run["tacita"], "written": run["written"]}),
    )


def _public_step(done: Done) -> Step:
    told = evidence.public_step(done)
    parameters = _pairs(told["parameters"])
    name, reference = words.title(told["method"]), told["reference"]
    return Step(name, words.summary(type(done.method)), parameters, reference)


def _public_measure(measured: Measurement) -> Measure:
    told = evidence.public_measure(measured)
    summary = words.summary(methods().get(measured.name))
    if "value" in told:
        return Measure(told["name"], told["family"], summary, told["value"])
    band = "more than 0.1" if told["at_most"] is None else f"at most {told['at_most']:g}"
    return Measure(told["name"], told["family"], summary, None, band=band)


def _public_warnings(outcome: Outcome) -> Iterator[str]:
    """Say what whoever has the file can see anyway; the run's own warnings are for the house."""
    if not len(outcome.protected):
        yield "The data have no records."
    if not outcome.protected.keys:
        yield "No attribute has the role key: risks by key values were not measured."


# -- the house -------------------------------------------------------------------------------------


def _internal(outcome: Outcome, run: Mapping[str, Any]) -> Facts:
    original, protected = outcome.original, outcome.protected
    names = [*original.names, *(n for n in protected.names if n not in original.attributes)]
    before = {m.name: m for m in outcome.before}
    return Facts(
        audience=Audience.INTERNAL,
        records=len(protected),
        records_before=len(original),
        attributes=tuple(_change(name, original, protected) for name in _first(names)),
        attributes_known=len(names),
        attribute_count=len(protected.attributes),
        attributes_before=len(original.attributes),
        held=sum(v.holds for v in outcome.verdicts),
        required=len(outcome.verdicts),
        steps=tuple(_step(done) for done in outcome.steps),
        promises=tuple(_promise(v) for v in outcome.verdicts),
        profile=_profile(outcome),
        measures=tuple(_measure(m, before.get(m.name)) for m in outcome.measures),
        not_measured=tuple(
            (words.title(name), words.clipped(why)) for name, why in outcome.skipped
        ),
        smallest=(smallest_class(protected), smallest_class(original)),
        sizes=(class_sizes(protected), class_sizes(original)),
        distributions=distributions(original, protected),
        warnings=tuple(words.clipped(warning) for warning in outcome.warnings),
        source=_source(outcome),
        run=_pairs({name: run[name] for name in RUN_SHOWN if name in run}),
    )


RUN_SHOWN = ("tacita", "written", "seconds", "threads", "python", "packages")


def _step(done: Done) -> Step:
    method = done.method
    parameters, notes = _pairs(method.parameters()), _pairs(done.notes)
    return Step(
        words.title(method.name), words.summary(type(method)), parameters, method.reference, notes
    )


def _measure(measured: Measurement, before: Measurement | None) -> Measure:
    return Measure(
        measured.name,
        measured.family,
        words.summary(methods().get(measured.name)),
        measured.value,
        words.clipped(measured.sentence),
        before is not None,
        None if before is None else before.value,
        tuple(_largest_first(measured.parts)[:SHOWN]),
        max(len(measured.parts) - SHOWN, 0),
        within="" if measured.interval is None else str(measured.interval),
        figures=_pairs(measured.figures),
    )


def _largest_first(parts: Mapping[str, float | None]) -> list[tuple[str, float | None]]:
    return sorted(parts.items(), key=lambda part: (part[1] is None, -(part[1] or 0.0)))


def _change(name: str, original: Dataset, protected: Dataset) -> AttributeRow:
    """Say what became of an attribute."""
    before, after = original.attributes.get(name), protected.attributes.get(name)
    row = _attribute(after or before)  # type: ignore[arg-type]
    kinds = [_kind(attribute) for attribute in (before, after)]
    return AttributeRow(
        row.name, row.role, kinds[1], kinds[0], (_blank(original, name), _blank(protected, name))
    )


def _blank(data: Dataset, name: str) -> int:
    return int(data.column(name).null_count) if name in data.attributes else 0


def _kind(attribute: Attribute | None) -> str:
    return "" if attribute is None else words.phrase(attribute.kind.value)


def _profile(outcome: Outcome) -> Pairs:
    profile = outcome.plan.profile
    if profile is None:
        return ()
    about = {"profile": words.phrase(profile.name), "audience": profile.audience}
    return _pairs({**about, "thresholds from": profile.reference})


def _source(outcome: Outcome) -> str:
    data = outcome.plan.data
    if data.example is not None:
        return f"the generated example data {data.example[0]}"
    origin = outcome.original.origin
    shown = {word: value for word, value in origin.found.items() if value not in (False, "none")}
    told = ", ".join(f"{words.phrase(word)} {value}" for word, value in shown.items())
    return words.name_of(origin.source or "") + (f" ({told})" if told else "")


# -- both ------------------------------------------------------------------------------------------


def _attribute(attribute: Attribute) -> AttributeRow:
    roles = ", ".join(words.phrase(role) for role in attribute.described_roles().split(", "))
    return AttributeRow(words.name_of(attribute.name), roles, _kind(attribute))


def _promise(verdict: Verdict) -> Promise:
    method: type[Method] | None = methods().get(_named(verdict))
    return Promise(
        words.capital(words.method_said(verdict.requirement)),
        verdict.holds,
        _sentence(verdict),
        words.summary(method),
        words.explanation(method) if method is not None and method.family == "model" else "",
        "" if method is None else method.reference,
        _worst(verdict),
    )


def _sentence(verdict: Verdict) -> str:
    name, sentence = _named(verdict), words.clipped(verdict.sentence)
    return words.capital(
        sentence.replace(name, words.title(name), 1) if sentence.startswith(name) else sentence
    )


def _worst(verdict: Verdict) -> str:
    return words.listed(
        f"{words.name_of(name)} = {words.said(value)}" for name, value in verdict.worst.items()
    )


def _named(verdict: Verdict) -> str:
    return next(iter(verdict.requirement))


def _pairs(values: Mapping[str, Any]) -> Pairs:
    return tuple((words.phrase(str(name)), words.said(value)) for name, value in values.items())


def _first(items: Iterable[Any]) -> Sequence[Any]:
    return list(islice(items, SHOWN))
