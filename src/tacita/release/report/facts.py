"""The gate: which facts an audience may be told.

Everything after this module (sections, figures, both formats) sees only `Facts`, never the data or
the outcome of the run. What is not let through here cannot stand in a report.

The public is told only what the public statement says and what the released files show themselves.
The house is told everything but the seeds and the key of the input's hash, which stay in the
evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from tacita.data.attribute import Attribute
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.registry import method_named
from tacita.release import evidence
from tacita.release.execute import Done, Outcome
from tacita.release.proof import Judged, Proof, proof_of
from tacita.release.report import words
from tacita.release.report.counts import class_sizes, distributions, smallest_class
from tacita.release.report.made import CONSENT, roll_up_fact, waivers_fact
from tacita.release.report.perturbed import (
    compared_facts,
    internal_perturbation,
    stated_perturbation,
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
from tacita.release.strongest import strongest
from tacita.release.table_files import together
from tacita.release.tables import ReleasedTable
from tacita.results import Measurement, Verdict
from tacita.tables.status import Status

if TYPE_CHECKING:
    from tacita.tables.protect.suppression import Suppression
    from tacita.tables.table import Table, Weighting

__all__ = ["Audience", "internal_facts", "public_facts"]


def public_facts(
    statement: Mapping[str, Any], released: Dataset, published: Sequence[Table] = ()
) -> Facts:
    """Return what may be told to the public: what the statement says and the public files show.

    Nothing else is handed in, so that nothing else can be told, and whoever has the public files
    can make the report again.

    Args:
        statement: the public statement.
        released: the records as the reader of their file sees them.
        published: the tables as the readers of their files see them.
    """
    rows = statement["attributes"]
    tables = statement.get("tables") or {}
    has_records = statement["file"] is not None
    sizes = None if has_records and statement["file"]["synthetic"] else class_sizes(released)
    return Facts(
        audience=Audience.PUBLIC,
        records=len(released),
        attributes=tuple(_stated_attribute(row) for row in rows[:SHOWN]),
        attributes_known=len(rows),
        attribute_count=len(rows),
        judged=Judged(**{"proven": 0, "withstood": 0, **statement["requirements"]}),
        waived=statement.get("waived", False),
        steps=tuple(_stated_step(row) for row in statement["methods"]),
        promises=tuple(_stated_promise(row) for row in statement["guarantees"]),
        measures=tuple(_stated_measure(row) for row in statement["measures"]),
        intruder=words.clipped(statement.get("risks_for", "")),
        inference=statement.get("copy_of", {}).get("sentence", ""),
        smallest=(smallest_class(released), None),
        sizes=(sizes, None),
        warnings=tuple(_public_warnings(released)) if has_records else (),
        has_records=has_records,
        tables=tuple(
            _stated_table(row, table)
            for row, table in zip(tables.get("tables", ()), published, strict=True)
        ),
        together=tables.get("sentence", ""),
        perturbation=stated_perturbation(tables.get("perturbation")),
        run=_pairs({"tacita": statement["run"]["tacita"], "written": statement["run"]["written"]}),
    )


def _stated_attribute(row: Mapping[str, Any]) -> AttributeRow:
    roles = ", ".join(words.phrase(role) for role in row["role"])
    return AttributeRow(words.name_of(row["name"]), roles, words.phrase(row["kind"]))


def _stated_step(row: Mapping[str, Any]) -> Step:
    summary = words.summary(method_named(row["method"]))
    parameters, notes = _pairs(row["parameters"]), _pairs(row.get("notes", {}))
    kept = tuple(map(words.promise, row.get("keeps", ())))  # statements of older releases have none
    return Step(words.title(row["method"]), summary, parameters, row["reference"], notes, kept)


def _stated_promise(row: Mapping[str, Any]) -> Promise:
    verdict = Verdict(row["requirement"], row["holds"], row["value"], row["sentence"])
    return _promise(verdict, Proof(row.get("proof", Proof.NOT_PROVEN)))  # not said before 0.4.0


def _stated_measure(row: Mapping[str, Any]) -> Measure:
    summary = words.summary(method_named(row["name"]))
    if "value" in row:
        return Measure(row["name"], row["family"], summary, row["value"])
    band = "more than 0.1" if row["at_most"] is None else f"at most {row['at_most']:g}"
    return Measure(row["name"], row["family"], summary, None, band=band)


def _public_warnings(released: Dataset) -> Iterator[str]:
    """Say what whoever has the file can see anyway; the run's own warnings are for the house."""
    if not len(released):
        yield "The data have no records."
    if not released.keys:
        yield "No attribute has the role key: risks by key values were not measured."


def _stated_table(row: Mapping[str, Any], published: Table) -> TableFact:
    """Tell of a table what its file shows; the names of its rules are no secret."""
    from tacita.tables.formats.html import fragment

    hidden, holds = row["suppressed"], row["protected"]
    of = f" of {row['variable']}" if row["variable"] else ""
    about = {
        "shows": f"{row['statistic']}{of}",
        "by": [dimension["name"] for dimension in row["dimensions"]],
        "rules": [words.phrase(name) for name in row["rules"]] or "none",
        **_judged(row["weighting"]),
        **({"waivers": CONSENT} if row["waivers"] else {}),
        **({"rolled up": row["rolled_up"]} if row["rolled_up"] else {}),
    }
    return TableFact(
        words.name_of(row["name"]),
        _pairs(about),
        _pairs({"published cells": row["cells"] - hidden, "suppressed cells": hidden}),
        holds,
        "Every sensitive cell is protected" if holds else "Not every sensitive cell is protected",
        fragment(published, view="public"),
    )


# -- the house -------------------------------------------------------------------------------------


def internal_facts(outcome: Outcome, run: Mapping[str, Any]) -> Facts:
    """Return what may be told to the house."""
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
        judged=evidence.judged(outcome),
        waived=outcome.waived,
        steps=tuple(_step(done) for done in outcome.steps),
        promises=tuple(_judged_promise(v, outcome) for v in outcome.verdicts),
        profile=_profile(outcome),
        measures=tuple(_measure(m, before.get(m.name)) for m in outcome.measures),
        strongest=str(strongest(outcome.measures) or ""),
        intruder=words.clipped(evidence.risks_for(outcome)),
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
        together=together(outcome.tables) if outcome.tables else "",
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
        words.title(method.name),
        words.summary(type(method)),
        parameters,
        method.reference,
        notes,
        tuple(map(words.promise, method.promises())),
    )


def _measure(measured: Measurement, before: Measurement | None) -> Measure:
    return Measure(
        measured.name,
        measured.family,
        words.summary(method_named(measured.name)),
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
        _pairs({**_spanned(one), "rules": rules or "none", **_judged(one.table.weighting)}),
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


def _tables(outcome: Outcome) -> Sequence[ReleasedTable]:
    return outcome.tables.tables if outcome.tables else ()


def _spanned(one: ReleasedTable) -> dict[str, Any]:
    of = f" of {one.table.variable}" if one.table.variable else ""
    return {"shows": f"{one.table.statistic}{of}", "by": [d.name for d in one.table.dimensions]}


def _judged(weighting: Weighting | None) -> dict[str, Any]:
    """Say whom rules judge where records have weights."""
    told = {
        "respondents": "respondents, one a record",
        "represented": "those whom records represent, as many as their weights",
    }
    return {} if weighting is None else {"rules judge": told[weighting]}


def _attribute(attribute: Attribute) -> AttributeRow:
    roles = ", ".join(words.phrase(role) for role in attribute.described_roles().split(", "))
    return AttributeRow(words.name_of(attribute.name), roles, _kind(attribute))


def _judged_promise(verdict: Verdict, outcome: Outcome) -> Promise:
    for_intruder = outcome.intruder is not None
    proof = proof_of(verdict.requirement, holds=verdict.holds, for_intruder=for_intruder)
    return _promise(verdict, proof)


def _promise(verdict: Verdict, proof: Proof) -> Promise:
    method: type[Method] | None = method_named(_named(verdict))
    return Promise(
        words.capital(words.method_said(verdict.requirement)),
        verdict.holds,
        proof,
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
