"""Verifying a release without its source: all that the released bytes can show.

The statement is made again from the released data and, where they are at hand, from evidence and
plan of the house; the public report is made again from the statement. What rests on the source
alone is the word of the house.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tacita.data.dataset import FROM_NOBODY, Dataset
from tacita.errors import TacitaError
from tacita.intruders.intruder import Intruder
from tacita.method import Method
from tacita.registry import find, from_plan, methods
from tacita.release import evidence as evidence_files
from tacita.release.evidence import public_measure
from tacita.release.execute import Done, Outcome, derived, seeded_steps
from tacita.release.manifest import MANIFEST, files_below
from tacita.release.measuring import measuring
from tacita.release.plan import Plan, Until
from tacita.release.report import public_report
from tacita.release.report.html import html
from tacita.release.report.pdf import pdf
from tacita.release.requirement import Requirement
from tacita.release.table_files import read_public
from tacita.release.verification import Line, Status, line
from tacita.release.verify_source import first_difference
from tacita.release.verify_tables import is_of_table
from tacita.release.written import StatedMeasure, Statement
from tacita.results import Interval, Measurement, Measures, Verdict, brief, show

if TYPE_CHECKING:
    from tacita.release.regeneration import Recorded
    from tacita.tables.table import Table

FIELDS = {  # what a statement may hold; a field that no list names is wrong
    *("format", "file", "attributes", "methods", "copy_of", "guarantees", "intruder", "risks_for"),
    *("measures", "tables", "requirements", "requirements_hold", "waived", "run"),
}
EVIDENCE_FIELDS = {  # the same of the evidence
    *("seed", "source", "records", "attributes", "steps", "copy_of", "intruder", "before"),
    *("measures", "not_measured", "requirements", "requirements_hold", "profile", "tables"),
    *("mapping", "risk_utility_map", "earlier", "waived", "warnings", "run"),
}
REPORTS = ("report.html", "report.pdf")
FILE_FIELDS = {"name", "records", "layout", "order", "history", "synthetic", "sha256"}
NO_RECORDS = Dataset(pa.table({}), {})


@dataclass(frozen=True)
class StatementVerifier:
    """Goes through what is said of the released records, without the source.

    Args:
        public: the public folder.
        content: the public statement as it was written, in plain types.
        statement: the same, checked.
        released: the records as their file shows them, if records were released.
        recorded: what the house keeps, if it is at hand.
    """

    public: Path
    content: Mapping[str, Any]
    statement: Statement
    released: Dataset | None
    recorded: Recorded | None

    def lines(self) -> Iterator[Line]:
        """Say of every line how it is known."""
        if self.released is not None:
            yield from (self.guarantee(row) for row in self.content["guarantees"])
            yield from (self.measure(row) for row in self.statement.measures)
            yield from (self.method(row) for row in self.content["methods"])
        if self.recorded is not None:
            yield from self.house(self.recorded)
        if "format" in self.content:
            yield from self.form()
            yield from self.report()

    # -- what the released file shows --------------------------------------------------------------

    def guarantee(self, row: Mapping[str, Any]) -> Line:
        """Check a guarantee on the released file, where a file can show it."""
        requirement = Requirement.from_plan(row["requirement"])
        what = brief(row["requirement"])
        if self.released is None or not is_in_a_file(requirement.method):
            return Line(what, Status.ATTESTED, "the released file alone does not show it")
        verdict = requirement.check(self.released, self.released)
        computed = verdict.to_dict()
        same = {key: computed[key] for key in row if key in computed} == dict(row)
        return line(what, verdict.holds and same, verdict.sentence)

    def measure(self, row: StatedMeasure) -> Line:
        """Measure again, as far as the released file shows it."""
        stated = {row.name: row.parameters}
        if self.released is None or not self.shows(row):
            return Line(brief(stated), Status.ATTESTED, "it needs the source")
        measured = measuring(self.released, self.released)(from_plan(stated))
        told = public_measure(measured)
        same = (told.get("value"), told.get("at_most")) == (row.value, row.at_most)
        return line(brief(stated), same, show(measured.value))

    def shows(self, row: StatedMeasure) -> bool:
        """Tell whether the released file alone shows a measure.

        How often an intruder's values are wrong depends on the original.
        """
        for_whom = self.statement.intruder is not None and find(row.name).family != "utility"
        return find(row.name).shown_by_release and not for_whom

    def method(self, row: Mapping[str, Any]) -> Line:
        """Say of a masking step that it leaves no trace, or that there is no such method."""
        what = brief({row["method"]: row["parameters"]})
        known = methods().get(row["method"])
        if known is None or row.get("reference", known.reference) != known.reference:
            return Line(what, Status.WRONG, "no method of this name has this reference")
        return Line(what, Status.ATTESTED, "masking leaves no trace to compute it from")

    def form(self) -> Iterator[Line]:
        """Compare what only the file shows, and refuse what no list names."""
        unknown = sorted(set(self.content) - FIELDS)
        file = self.content["file"]
        if file is not None and self.released is not None:
            rows = [evidence_files.attribute_row(self.released, n) for n in self.released.names]
            stated = [{"name": row["name"]} for row in self.content["attributes"]]
            if stated != [{"name": row["name"]} for row in rows]:
                unknown.append("attributes")
            layout = evidence_files.LAYOUTS.get(Path(file["name"]).suffix[1:], {})
            if set(file) != FILE_FIELDS or file["layout"] != layout:
                unknown.append("file")
        told = "it has the fields of a statement and no other"
        yield line("statement", not unknown, f"not of a statement: {unknown}" if unknown else told)
        named = {"statement.json", *REPORTS, *([file["name"]] if file else ())}
        tables = self.statement.tables.tables if self.statement.tables else ()
        named |= {f"tables/{name}" for one in tables for name in one.files}
        yield from self.only(named, self.public)
        if self.recorded is not None:
            yield from self.form_of_evidence(self.recorded)

    def form_of_evidence(self, recorded: Recorded) -> Iterator[Line]:
        """Refuse fields and files of the house that no list names."""
        kept = recorded.content
        unknown = sorted(set(kept) - EVIDENCE_FIELDS)
        told = "it has the fields of evidence and no other"
        yield line("evidence", not unknown, f"not of evidence: {unknown}" if unknown else told)
        named = {"evidence.json", "plan.yaml", *REPORTS}
        if self.content["file"] is not None:
            named.add("records.parquet")
        if "mapping" in kept:
            named.add(evidence_files.MAPPING)
        if "risk_utility_map" in kept:
            named.add(evidence_files.COMPARED)
        yield from self.only(named, recorded.folder / "internal", besides="tables/")

    def only(self, named: set[str], folder: Path, besides: str | None = None) -> Iterator[Line]:
        """Say which files a folder holds or lacks that a release of this kind does not."""
        here = {file.relative_to(folder).as_posix() for file in files_below(folder)} - {MANIFEST}
        for name in sorted(here ^ named):
            if besides is None or not name.startswith(besides):
                told = "no release has such a file" if name in here else "it is missing"
                yield Line(f"{folder.name}/{name}", Status.WRONG, told)

    def report(self) -> Iterator[Line]:
        """Make the public report again from the public statement and files."""
        try:
            report = public_report(self.content, self.shown, self.published)
            made = {"report.html": html(report).encode(), "report.pdf": pdf(report)}
        except (TacitaError, KeyError, TypeError, ValueError, AttributeError) as error:
            told = f"what is stated makes no report: {error}"
            yield Line("public report", Status.WRONG, told)
            return
        for name, content in made.items():
            file = self.public / name
            same = file.is_file() and file.read_bytes() == content
            yield line(f"public/{name}", same, "statement and data make the same report again")

    @property
    def shown(self) -> Dataset:
        """The released records; no records where only tables were released."""
        if self.released is None:
            return NO_RECORDS
        file = self.content["file"]
        if not file["synthetic"]:
            return self.released
        return replace(self.released, rows=np.full(len(self.released), FROM_NOBODY))

    @cached_property
    def published(self) -> Sequence[Table]:
        """The released tables, as the readers of their files see them."""
        stated = self.statement.tables
        if stated is None:
            return ()
        name = None if stated.perturbation is None else stated.perturbation.method
        return list(read_public(stated.tables, self.public / "tables", name))

    # -- what the house keeps ----------------------------------------------------------------------

    def house(self, recorded: Recorded) -> Iterator[Line]:
        """Compare statement, evidence, plan and risks of records with each other."""
        kept = recorded.content
        plan = recorded.plan()
        if "format" in self.content:
            yield self.statement_again(recorded, plan)
            yield self.plan_again(recorded, plan)
            if self.released is not None:
                yield self.records_again(recorded)
        for row in kept["requirements"]:
            if not is_of_table(row["requirement"]):
                yield self.required(row)

    def statement_again(self, recorded: Recorded, plan: Plan) -> Line:
        """Make the statement again from the evidence and the released files."""
        outcome = recorded_outcome(recorded, plan, self.shown)
        file = self.content["file"]
        digests = {} if file is None else {file["name"]: file["sha256"]}
        again = evidence_files.statement(outcome, digests, recorded.run_block)
        # How attributes and tables are described is read with the files, and judged there.
        again |= {key: self.content[key] for key in ("attributes", "tables") if key in self.content}
        path = first_difference(self.content, again)
        told = f"the evidence gives another {path}" if path else "the evidence gives the same"
        return line("statement and evidence", not path, told)

    def plan_again(self, recorded: Recorded, plan: Plan) -> Line:
        """Compare the plan with the evidence: steps, seeds, requirements, waiver and roles."""
        kept, what = recorded.content, "plan and evidence"
        if not follows_plan(recorded, plan):
            return Line(what, Status.WRONG, "they tell of other steps or seeds")
        if plan.waive != kept.get("waived") or (plan.waive and plan.requires_something):
            return Line(what, Status.WRONG, "they tell of other waivers")
        planned = [one.to_plan() for one in plan.requirements]
        judged = [row["requirement"] for row in kept["requirements"]][: len(planned)]
        if len(planned) != len(judged) or not all(map(is_judged_as, planned, judged)):
            return Line(what, Status.WRONG, "they tell of other requirements")
        for name, declared in plan.data.attributes.items():
            role = kept["attributes"].get(name, {}).get("role")
            if name in kept["attributes"] and declared.to_plan().get("role", role) != role:
                return Line(what, Status.WRONG, f"they tell of other roles of `{name}`")
        return line(what, True, "they tell of the same steps, seeds, requirements and roles")

    def records_again(self, recorded: Recorded) -> Line:
        """Compare the risks of records with the released file, as far as it shows them."""
        file = recorded.folder / "internal" / "records.parquet"
        try:
            table = pq.read_table(file)
        except (OSError, ValueError) as error:
            return Line("risks of records", Status.WRONG, f"{file.name} cannot be read: {error}")
        if table.num_rows != len(self.shown):
            return Line("risks of records", Status.WRONG, "there are not as many as records")
        if self.shown.keys and not self.shown.is_synthetic:
            sizes = self.shown.classes().size_of_record
            held = "class_size" in table.column_names
            if not (held and np.array_equal(table["class_size"].to_numpy(), sizes)):
                return Line("risks of records", Status.WRONG, "the sizes of classes are others")
        return Line("risks of records", Status.ATTESTED, "all but sizes of classes need the source")

    def required(self, row: Mapping[str, Any]) -> Line:
        """Judge a requirement again, where the released file shows it."""
        what = f"required {brief(row['requirement'])}"
        told = f"{'holds' if row['holds'] else 'fails'}: {row['sentence']}"
        if "without" in row["requirement"] or self.released is None:
            return Line(what, Status.ATTESTED, told)
        requirement = Requirement.from_plan(row["requirement"])
        method = requirement.method
        if not (method.family == "model" and is_in_a_file(method)):
            return Line(what, Status.ATTESTED, told)
        verdict = requirement.check(self.released, self.released)
        same = verdict.to_dict() == {key: row[key] for key in verdict.to_dict()}
        return line(what, same, str(verdict))


def is_judged_as(planned: Mapping[str, Any], judged: Mapping[str, Any]) -> bool:
    """Tell whether a requirement is the one of a plan; what a plan leaves open the data decide.

    >>> is_judged_as({"t_closeness": {"t": 0.2}}, {"t_closeness": {"t": 0.2, "distance": "equal"}})
    True
    """
    ((name, given),) = planned.items()
    held = judged.get(name)
    if not (isinstance(given, Mapping) and isinstance(held, Mapping)):
        return planned == judged
    return {**held, **given} == held


def follows_plan(recorded: Recorded, plan: Plan) -> bool:
    """Tell whether the recorded steps are those of a plan, with the seeds that a run gives them."""
    rows = list(recorded.content["steps"])
    if recorded.seed is None:  # made in Python: each step has a seed of its own
        return [step.to_plan() for step in plan.steps] == [row["step"] for row in rows]
    number = recorded.content["copy_of"]["number"] - 1 if "copy_of" in recorded.content else 0
    for step, seed in seeded_steps(plan, recorded.seed, copy=number):
        if isinstance(step, Until):
            chosen = rows[0]["notes"].get("round", 1) - 1 if rows else -1
            if not 0 <= chosen < len(step.rounds):
                return False
            expected = [
                (method.to_plan(), derived(seed, chosen, turn))
                for turn, method in enumerate(step.rounds[chosen])
            ]
        else:
            expected = [(step.to_plan(), seed)]
        carried, rows = rows[: len(expected)], rows[len(expected) :]
        if [(row["step"], row["seed"]) for row in carried] != expected:
            return False
    return not rows


def is_in_a_file(model: Method) -> bool:
    """Tell whether a model asks only for what a file holds: no accounting, population, tree."""
    counts_population = getattr(model, "counts_population", False)
    climbs_a_tree = getattr(model, "distance", None) == "hierarchical"
    return not (model.from_evidence or counts_population or climbs_a_tree)


def recorded_outcome(recorded: Recorded, plan: Plan, released: Dataset) -> Outcome:
    """Return the outcome that the evidence tells of, without the source."""
    kept = recorded.content
    steps = tuple(_done(recorded, row) for row in kept["steps"])
    measured = Measures([_measurement(row) for row in kept["measures"]])
    verdicts = tuple(
        Verdict(row["requirement"], row["holds"], row["value"], row["sentence"], row["worst"])
        for row in kept["requirements"]
    )
    intruder = Intruder.from_plan(kept["intruder"]) if "intruder" in kept else None
    return Outcome(
        plan, released, released, steps, measured, measured, (), verdicts, (), intruder=intruder
    )


def _done(recorded: Recorded, row: Mapping[str, Any]) -> Done:
    method = from_plan(row["step"])
    return Done(method, row["seed"], row["notes"], recorded.copy_of(method))


def _measurement(row: Mapping[str, Any]) -> Measurement:
    """Return a measurement as the evidence tells of it."""
    interval = None if row["interval"] is None else Interval(**row["interval"])
    return Measurement(
        row["name"],
        row["family"],
        row["value"],
        row["sentence"],
        row["parts"],
        None,
        row["parameters"],
        row["figures"],
        interval,
    )
