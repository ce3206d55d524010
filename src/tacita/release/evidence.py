"""Evidence: what a release says of itself, to the public and to the house.

The public statement holds nothing that helps to undo the masking: no seed, no parameter that a
method does not tell, no hash of the input, and measures too coarse to give away the one value that
was capped or the one record that was left out.
"""

from __future__ import annotations

import platform
import secrets
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import yaml

from tacita.data.dataset import FROM_NOBODY, Dataset
from tacita.data.pairing import SOURCE_RECORD
from tacita.method import Method
from tacita.registry import family, find
from tacita.release.execute import Done, Outcome
from tacita.release.made_with import versions
from tacita.release.manifest import keyed_hash, sha256
from tacita.release.plan import EXTERNAL
from tacita.release.proof import Judged, row_of
from tacita.release.strongest import strongest
from tacita.release.table_files import attested_tables, stated_tables
from tacita.results import Measurement
from tacita.threads import threads

if TYPE_CHECKING:
    from tacita.release.comparing.risk_utility_map import RiskUtilityMap

# What draws, sums, solves, writes files and sets reports: other versions may give other bytes.
STATEMENT_FORMAT = 2  # 1, which was not written down, had no manifest beside it
PUBLIC_DIGITS = 2
BANDS = (0, 0.001, 0.01, 0.1)
LAYOUTS = {"csv": {"delimiter": ",", "encoding": "utf-8", "decimal": "."}}
UNNAMED = "a data frame; name its file here"
MOST_CATEGORIES = 1000
MAPPING = "mapping.csv"
COMPARED = "risk-utility-map.csv"


def run_block(fingerprint: str, written: datetime, seconds: float) -> dict[str, Any]:
    """Return what differs between two runs of one plan: time, machine, keyed hash of the input."""
    key = secrets.token_hex(32)
    return {
        "written": written.isoformat(timespec="seconds"),
        "seconds": round(seconds, 2),
        "tacita": version("tacita"),
        "python": platform.python_version(),
        "packages": versions(),
        "threads": threads(),
        "input": {"key": key, "hmac_sha256": keyed_hash(fingerprint, key)},
    }


def statement(
    outcome: Outcome, digests: Mapping[str, str], run: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what the public is told: files, attributes, methods, guarantees, measures, tables.

    Args:
        outcome: what the run gave.
        digests: the SHA-256 digest of every public file of data, by its name below `public/`.
        run: what differs between two runs.
    """
    return {
        "format": STATEMENT_FORMAT,
        "file": _file(outcome, digests) if outcome.plan.releases_records else None,
        "attributes": [attribute_row(outcome.protected, name) for name in outcome.protected.names],
        "methods": [public_step(done) for done in outcome.steps],
        **({"copy_of": outcome.copy.to_dict()} if outcome.copy else {}),
        "guarantees": [row_of(v) for v in outcome.verdicts if v.holds and is_public(v.requirement)],
        **_intruder(outcome, public=True),
        "measures": [public_measure(measured) for measured in outcome.measures],
        **({"tables": stated_tables(outcome.tables, digests)} if outcome.tables else {}),
        "requirements": judged(outcome).to_dict(),
        "requirements_hold": outcome.holds,
        **({"waived": True} if outcome.waived else {}),  # the reason stays in the house
        "run": {"written": run["written"], "tacita": run["tacita"]},
    }


def judged(outcome: Outcome) -> Judged:
    """Count the requirements of an outcome, and how it is known that they hold."""
    return Judged.of(outcome.verdicts, for_intruder=outcome.intruder is not None)


def _intruder(outcome: Outcome, *, public: bool) -> dict[str, Any]:
    """Return for whom risks were measured; the public is told of released attributes only."""
    who = outcome.intruder
    if who is None:
        return {}
    if not public:
        return {"intruder": who.to_plan()}
    return {"intruder": who.told_with(outcome.protected), "risks_for": risks_for(outcome)}


def risks_for(outcome: Outcome) -> str:
    """Say for whom risks were measured, by the attributes that are released."""
    who = outcome.intruder
    if who is None:
        return ""
    scenario = f" (scenario {who.scenario})" if who.scenario else ""
    return f"an intruder who {who.told(outcome.protected.names)}{scenario}"


def data_file(outcome: Outcome) -> str:
    """Return what the file of released records is called."""
    return f"data.{outcome.plan.format}"


def _file(outcome: Outcome, digests: Mapping[str, str]) -> dict[str, Any]:
    name = data_file(outcome)
    return {
        "name": name,
        "records": len(outcome.protected),
        "layout": LAYOUTS.get(outcome.plan.format, {}),
        "order": outcome.plan.order.by,
        "history": outcome.plan.order.history,
        "synthetic": outcome.protected.is_synthetic,
        "sha256": digests.get(name, ""),
    }


def is_public(requirement: Mapping[str, Any]) -> bool:
    """Tell whether a requirement is a model all of whose parameters may be told."""
    ((name, given),) = requirement.items()
    return name in family("model") and set(given) <= find(name).public


def attribute_row(data: Dataset, name: str) -> dict[str, Any]:
    """Return what is said of a released attribute, as plans say it.

    An order lists only categories that the released data hold: one derived from the original could
    name values of records that were left out.
    """
    attribute = data.attribute(name)
    row: dict[str, Any] = {
        "name": attribute.name,
        "role": attribute.described_roles().split(", "),
        "kind": attribute.kind.value,
    }
    if attribute.order is None:
        return row
    held = set(pc.unique(data.column(name)).to_pylist())
    order = [category for category in attribute.order if category in held]
    if len(order) > MOST_CATEGORIES:
        return row
    return {**row, "order": [c if isinstance(c, str | int | float) else str(c) for c in order]}


def public_step(done: Done) -> dict[str, Any]:
    """Return a masking step with the parameters that may be told, and the notes chosen to be."""
    method = done.method
    chosen = method.told() - method.public
    notes = {name: note for name, note in done.notes.items() if name in chosen}
    return {
        "method": method.name,
        "parameters": _told(method),
        **({"notes": notes} if notes else {}),
        "keeps": [str(kept) for kept in method.promises() if set(kept.given) <= method.told()],
        "reference": method.reference,
    }


def _told(method: Method) -> dict[str, Any]:
    """Return the parameters that may be told, of the models among them too."""
    told = {name: said for name, said in method.parameters().items() if name in method.told()}
    for name in told:
        models = getattr(method, name)
        if isinstance(models, tuple) and all(isinstance(model, Method) for model in models):
            told[name] = [{model.name: _told(model)} for model in models]
    return told


def public_measure(measured: Measurement) -> dict[str, Any]:
    """Return a measure so coarse that it gives no single value away.

    Risks and attacks are shares of records and have two digits. How far a mean or variance moved is
    told only as a power of ten it does not exceed: with two digits, and the released data at hand,
    the one value that was capped or left out could be computed to a few per cent.
    """
    public = find(measured.name).public
    told = {name: given for name, given in measured.parameters.items() if name in public}
    row = {"name": measured.name, "family": measured.family, "parameters": told}
    value = None if measured.value is None else float(measured.value)
    if measured.family == "utility":
        return {
            **row,
            "at_most": next((b for b in BANDS if value is not None and value <= b), None),
        }
    return {**row, "value": None if value is None else float(f"{value:.{PUBLIC_DIGITS}g}")}


def evidence(
    outcome: Outcome, seed: int | None, run: Mapping[str, Any], internal: Path
) -> dict[str, Any]:
    """Return everything: for the house, never beside the data.

    Args:
        outcome: what the run gave.
        seed: where all randomness came from, if there was a run.
        run: what differs between two runs.
        internal: the folder that the files for the house were written to.
    """
    return {
        "seed": seed,
        "source": _source(outcome),
        "records": {"original": len(outcome.original), "protected": len(outcome.protected)},
        "attributes": {name: dict(a.said) for name, a in outcome.original.attributes.items()},
        "steps": [
            {
                "step": done.method.to_plan(),
                "seed": done.seed,
                "notes": dict(done.notes),
                "keeps": [str(kept) for kept in done.method.promises()],
            }
            for done in outcome.steps
        ],
        **({"copy_of": outcome.copy.to_dict()} if outcome.copy else {}),
        **_intruder(outcome, public=False),
        "before": [measured.to_dict() for measured in outcome.before],
        "measures": [measured.to_dict() for measured in outcome.measures],
        **_by_record(outcome),
        **_strongest(outcome),
        "not_measured": [{"name": name, "reason": why} for name, why in outcome.skipped],
        "requirements": [
            {**row_of(v, for_intruder=outcome.intruder is not None), "worst": _plain(v.worst)}
            for v in outcome.verdicts
        ],
        "requirements_hold": outcome.holds,
        **({"waived": outcome.plan.waive} if outcome.waived else {}),
        "profile": outcome.plan.profile.name if outcome.plan.profile else None,
        **({"tables": attested_tables(outcome.tables)} if outcome.tables else {}),
        **_mapping(internal / MAPPING),
        **_compared(outcome),
        **({"earlier": [dict(row) for row in outcome.earlier]} if outcome.earlier else {}),
        "warnings": list(outcome.warnings),
        "run": dict(run),
    }


def _by_record(outcome: Outcome) -> dict[str, list[str]]:
    """Return which measures the file of records tells record by record."""
    if not outcome.plan.releases_records:
        return {}
    return {"by_record": [one.name for one in outcome.measures if one.per_record is not None]}


def _strongest(outcome: Outcome) -> dict[str, Any]:
    """Return which attack links most records, and how it was chosen."""
    found = strongest(outcome.measures)
    return {} if found is None else {"strongest_attack": found.to_dict()}


def _mapping(file: Path) -> dict[str, Any]:
    """Return what is said of the file of value mappings, if it was asked for."""
    if not file.is_file():
        return {}
    return {"mapping": {"name": file.name, "sha256": sha256(file)}}


def _compared(outcome: Outcome) -> dict[str, Any]:
    """Return how other ways to mask did; how long they took differs from run to run."""
    if outcome.compared is None:
        return {}
    told = outcome.compared.to_dict()
    trials = [{k: v for k, v in one.items() if k != "seconds"} for one in told["trials"]]
    return {"risk_utility_map": {**told, "trials": trials}}


def compared(found: RiskUtilityMap) -> pa.Table:
    """Return other ways to mask as rows; how long they took differs from run to run."""
    return found.to_arrow().drop_columns(["seconds"])


def _source(outcome: Outcome) -> dict[str, Any]:
    """Return where the data came from and how they were read, so that they can be read again."""
    origin = outcome.original.origin
    return {
        "example": dict([outcome.plan.data.example]) if outcome.plan.data.example else None,
        "source": origin.source,
        "layout": dict(origin.layout),
        "found": dict(origin.found),
        "external": _external(outcome),
    }


def _external(outcome: Outcome) -> dict[str, str | None]:
    """Return where the data from outside came from."""
    given = {word: getattr(outcome.original.external, word) for word in EXTERNAL}
    return {word: data.origin.source for word, data in given.items() if data is not None}


def plan_text(outcome: Outcome) -> str:
    """Return the plan as it was written, or one that does what was done in Python."""
    if outcome.plan.located is not None:
        return outcome.plan.located.text
    original = outcome.original
    plan = {
        "data": {
            "source": original.origin.source or UNNAMED,
            **original.origin.layout,
            "attributes": {n: dict(a.said) for n, a in original.attributes.items() if a.said},
        },
        "microdata": {
            **({"copies": outcome.copy.of} if outcome.copy else {}),
            "steps": [done.method.to_plan() for done in outcome.steps],
            **({"profile": outcome.plan.profile.name} if outcome.plan.profile else {}),
            "require": [requirement.to_plan() for requirement in outcome.plan.own_requirements],
            **({"waive": outcome.plan.waive} if outcome.waived else {}),
            **({"intruder": outcome.intruder.to_plan()} if outcome.intruder else {}),
            **({"compare": dict(outcome.plan.compare.said)} if outcome.plan.compare else {}),
            **(
                {"allow": {n: [*w] for n, w in outcome.plan.allowed.items()}}
                if outcome.plan.allowed
                else {}
            ),
        },
        "release": {
            "format": outcome.plan.format,
            **({"mapping": True} if outcome.plan.mapping else {}),
            **outcome.plan.order.to_plan(),
        },
    }
    return yaml.safe_dump(plan, sort_keys=False, allow_unicode=True)


def _plain(worst: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, int | float | None) else str(value)
        for name, value in worst.items()
    }


def records(outcome: Outcome) -> pa.Table:
    """Return the risk of every released record, with its number in the source.

    A synthetic record has neither a number nor respondents that share its class.
    """
    protected = outcome.protected
    rows = protected.source_rows
    columns: dict[str, Any] = {SOURCE_RECORD: pa.array(rows + 1, mask=rows == FROM_NOBODY)}
    if protected.keys and not protected.is_synthetic:
        columns["class_size"] = protected.classes().size_of_record
    for measured in outcome.measures:
        if measured.per_record is not None:
            columns[measured.name] = measured.per_record
    return pa.table(columns)
