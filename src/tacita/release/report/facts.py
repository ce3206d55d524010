"""The gate: which facts an audience may be told.

Everything after this module (sections, figures, both formats) sees only `Facts`, never the data or
the outcome of the run. What is not let through here cannot stand in a report.

The public is told only what the released file shows itself, what the methods declare public, the
promises that hold, and summary measures of two digits. The house is told everything but the seeds
and the key of the input's hash, which stay in the evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from tacita.data.attribute import Attribute
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.registry import methods
from tacita.release import evidence
from tacita.release.execute import Done, Outcome
from tacita.release.report import words
from tacita.release.report.counts import class_sizes, distributions, smallest_class
from tacita.release.report.made import public_making, roll_up_fact, waivers_fact
from tacita.release.report.perturbed import (
    compared_facts,
    internal_perturbation,
    perturbed_together,
    public_perturbation,
)
from tacita.release.report.told import (
    SHOWN,
    AttributeRow,
    Audience,
    Facts,
    Measure,
    Pairs,
    Promise,
    Step,
    SuppressionFact,
    TableFact,
)
from tacita.release.tables import ReleasedTable
from tacita.results import Measurement, Verdict
from tacita.tables.status import Status

if TYPE_CHECKING:
    from tacita.tables.protect.suppression import Suppression

__all__ = ["Audience", "facts"]


def facts(outcome: Outcome, run: Mapping[str, Any], audience: Audience) -> Facts:
    """Return what may be told to an audience."""
    return {Audience.PUBLIC: _public, Audience.INTERNAL: _internal}[audience](outcome, run)


# -- the public ------------------------------------------------------------------------------------


def _public(outcome: Outcome, run: Mapping[str, Any]) -> Facts:
    protected = outcome.protected
    promised = [v for v in outcome.verdicts if v.holds and evidence.is_public(v.requirement)]
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
        intruder=_intruder(outcome),
        inference=outcome.copy.sentence if outcome.copy else "",
        smallest=(smallest_class(protected), None),
        sizes=(class_sizes(protected), None),
        warnings=tuple(_public_warnings(outcome)),
        has_records=outcome.plan.releases_records,
        tables=tuple(_public_table(one) for one in _tables(outcome)),
        together=_together(outcome),
        perturbation=public_perturbation(outcome.tables),
        run=_pairs({"tacita": run["tacita"], "written": run["written"]}),
    )


def _public_step(done: Done) -> Step:
    told = evidence.public_step(done)
    parameters = _pairs(told["parameters"])
    name, reference = words.title(told["method"]), told["reference"]
    notes = _pairs(told.get("notes", {}))
    return Step(name, words.summary(type(done.method)), parameters, reference, notes)


def _public_measure(measured: Measurement) -> Measure:
    told = evidence.public_measure(measured)
    summary = words.summary(methods().get(measured.name))
    if "value" in told:
        return Measure(told["name"], told["family"], summary, told["value"])
    band = "more than 0.1" if told["at_most"] is None else f"at most {told['at_most']:g}"
    return Measure(told["name"], told["family"], summary, None, band=band)


def _public_warnings(outcome: Outcome) -> Iterator[str]:
    """Say what whoever has the file can see anyway; the run's own warnings are for the house."""
    if not outcome.plan.releases_records:
        return
    if not len(outcome.protected):
        yield "The data have no records."
    if not outcome.protected.keys:
        yield "No attribute has the role key: risks by key values were not measured."


def _public_table(one: ReleasedTable) -> TableFact:
    """Tell of a table what its file shows; the names of its rules are no secret."""
    from tacita.tables.formats.html import fragment

    hidden = int(one.published.cells.suppressed.sum())
    rules = [words.phrase(method.name) for method in one.plan.methods]
    shown = {"published cells": len(one.table) - hidden, "suppressed cells": hidden}
    holds = one.verdicts[0].holds
    return TableFact(
        words.name_of(one.plan.name),
        _pairs({**_spanned(one), "rules": rules or "none", **public_making(one)}),
        _pairs(shown),
        holds,
        "Every sensitive cell is protected" if holds else "Not every sensitive cell is protected",
        fragment(one.published, view="public"),
    )


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
        intruder=_intruder(outcome),
        inference=outcome.copy.sentence if outcome.copy else "",
        not_measured=_reasons(outcome.skipped),
        smallest=(smallest_class(protected), smallest_class(original)),
        sizes=(class_sizes(protected), class_sizes(original)),
        distributions=distributions(original, protected),
        compared=outcome.compared,
        warnings=tuple(words.clipped(warning) for warning in outcome.warnings),
        source=_source(outcome),
        has_records=outcome.plan.releases_records,
        tables=tuple(_table(one) for one in _tables(outcome)),
        together=_together(outcome),
        suppression=_suppression(outcome),
        perturbation=internal_perturbation(outcome.tables),
        table_measures=tuple(
            _measure(m, None) for m in (outcome.tables.measures if outcome.tables else ())
        ),
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


def _reasons(skipped: Iterable[tuple[str, str]]) -> Pairs:
    return tuple((words.title(name), words.clipped(why)) for name, why in skipped)


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


STATUS_WORDS = {
    Status.SAFE: "safe cells",
    Status.SENSITIVE: "sensitive cells, the primary suppressions",
    Status.SECONDARY: "secondary suppressions",
    Status.PUBLISHED: "cells that must be published",
}


def _table(one: ReleasedTable) -> TableFact:
    from tacita.tables.formats.html import fragment

    statuses = one.table.cells.status
    counts = {word: int((statuses == status).sum()) for status, word in STATUS_WORDS.items()}
    rules = [method.to_plan() for method in one.plan.methods]
    return TableFact(
        words.name_of(one.plan.name),
        _pairs({**_spanned(one), "rules": rules or "none"}),
        _pairs({"cells": len(one.table), **counts}),
        one.verdicts[0].holds,
        words.capital(words.clipped(one.verdicts[0].sentence)),
        fragment(one.table, view="internal", audit=one.intervals),
        tuple(_measure(measured, None) for measured in one.measures),
        _reasons(one.measures.skipped),
        *compared_facts(one.comparison, one.plan.name),
        waivers_fact(one),
        roll_up_fact(one),
    )


def _suppression(outcome: Outcome) -> SuppressionFact | None:
    """Tell the house how secondary suppressions were found; what they cost is not for others."""
    found = outcome.tables.suppression if outcome.tables else None
    way = outcome.plan.tables[0].way if outcome.plan.tables else None
    if found is None or way is None:
        return None
    about = {
        "cost": found.cost,
        "least possible cost": found.cost
        if found.is_optimal
        else f"at least {words.said(found.bound)}",
        "same data, same pattern": "yes" if found.is_reproducible else "no: it ran out of time",
    }
    return SuppressionFact(
        words.method_said(way.to_plan()),
        _saved(found),
        found.is_optimal,
        _pairs(about),
        way.reference,
    )


def _saved(found: Suppression) -> str:
    """Say how many cells were suppressed, and how far from the least loss that is."""
    many = words.counted(int(found.secondary.size), "secondary suppression")
    if found.is_optimal:
        return f"{many}; no pattern that protects every sensitive cell costs less."
    return f"{many}; a pattern that costs less could save {words.percent(found.gap)} at most."


# -- both ------------------------------------------------------------------------------------------


def _intruder(outcome: Outcome) -> str:
    """Say for whom risks were measured, by the attributes that are released."""
    who = outcome.intruder
    if who is None:
        return ""
    scenario = f" (scenario {who.scenario})" if who.scenario else ""
    return words.clipped(f"an intruder who {who.told(outcome.protected.names)}{scenario}")


def _tables(outcome: Outcome) -> Sequence[ReleasedTable]:
    return outcome.tables.tables if outcome.tables else ()


def _spanned(one: ReleasedTable) -> dict[str, Any]:
    of = f" of {one.table.variable}" if one.table.variable else ""
    return {"shows": f"{one.table.statistic}{of}", "by": [d.name for d in one.table.dimensions]}


def _together(outcome: Outcome) -> str:
    """Say what whoever reads all tables can work out."""
    if outcome.tables is None:
        return ""
    found = outcome.tables
    if found.perturbation is not None:
        return perturbed_together(found)
    told = words.counted(found.suppressed, "suppressed cell")
    if not found.suppressed:
        return "No cell is suppressed."
    return (
        f"Of {told}, {found.computable:,} can be computed from all that is published, as linear "
        "programs over all tables together find."
    )


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
