"""Verifying what the house keeps of a release, without the source.

Statement, evidence, plan, risks of records and files of tables are compared with each other and
with the released records. What rests on the source alone is the word of the house.
"""

from __future__ import annotations

import filecmp
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tacita.attacks.several_releases import SeveralReleases
from tacita.data.dataset import Dataset
from tacita.data.declaration import Declaration
from tacita.data.formats import write_table
from tacita.data.hierarchies import Hierarchy, build
from tacita.data.hierarchies.building import is_made
from tacita.intruders.intruder import Intruder
from tacita.method import Method
from tacita.registry import find, from_plan
from tacita.release import evidence as evidence_files
from tacita.release.execute import Done, Outcome, chosen_measures, derived, seeded_steps
from tacita.release.made_with import WRITES, what_changed
from tacita.release.manifest import files_below
from tacita.release.plan import Plan, Until
from tacita.release.proof import Proof, as_told, proof_of
from tacita.release.requirement import Requirement
from tacita.release.strongest import strongest
from tacita.release.verification import MISSING, Line, Status, line
from tacita.release.verify_source import first_difference
from tacita.release.verify_tables import is_of_table
from tacita.results import Interval, Measurement, Measures, Verdict, brief

if TYPE_CHECKING:
    from tacita.release.regeneration import Recorded


WHOLE = {  # how reports begin and end
    "report.html": (b"<!DOCTYPE html>\n<html ", b"</body>\n</html>"),
    "report.pdf": (b"%PDF-", b"%%EOF"),
}


@dataclass(frozen=True)
class HouseVerifier:
    """Goes through what the house keeps of a release, without the source.

    Args:
        content: the public statement as it was written, in plain types.
        released: the records as their file shows them, if records were released.
        shown: the same; no records where only tables were released.
        recorded: what the house keeps.
    """

    content: Mapping[str, Any]
    released: Dataset | None
    shown: Dataset
    recorded: Recorded

    @property
    def is_older(self) -> bool:
        """Whether another version of Tacita made the release, as it says."""
        return bool(what_changed(self.recorded.run_block, ()))

    def lines(self) -> Iterator[Line]:
        """Say of every line how it is known."""
        plan = self.recorded.plan()
        if "format" in self.content:
            yield self.statement_again(plan)
            yield self.plan_again(plan)
            yield self.measures_again(plan)
            yield from self.tables_again(plan)
            if self.released is not None:
                yield self.records_again()
            yield self.reports()
        for row in self.recorded.content["requirements"]:
            is_said = "proof" in row or not self.is_older
            if "format" in self.content and is_said and row.get("proof") != self.proof(row):
                what = f"required {brief(row['requirement'])}"
                yield Line(what, Status.WRONG, "it is stated to be known in another way than it is")
            elif not is_of_table(row["requirement"]):
                yield self.required(row)

    def statement_again(self, plan: Plan) -> Line:
        """Make the statement again from the evidence and the released files."""
        outcome = recorded_outcome(self.recorded, plan, self.shown)
        file = self.content["file"]
        digests = {} if file is None else {file["name"]: file["sha256"]}
        again = evidence_files.statement(outcome, digests, self.recorded.run_block)
        # How attributes and tables are described is read with the files, and judged there.
        again |= {key: self.content[key] for key in ("attributes", "tables") if key in self.content}
        if self.is_older:
            counts = self.content["requirements"], again["requirements"]
            again["requirements"] = as_told(*counts)
            rows = zip(self.content["guarantees"], again["guarantees"], strict=True)
            again["guarantees"] = [as_told(*pair) for pair in rows]
        path = first_difference(self.content, again)
        told = "the evidence gives the same", f"the evidence gives another {path}"
        return line("statement and evidence", not path, *told)

    def plan_again(self, plan: Plan) -> Line:
        """Compare the plan with the evidence: steps, seeds, requirements, waiver and attributes."""
        kept, what = self.recorded.content, "plan and evidence"
        if not follows_plan(self.recorded, plan):
            return Line(what, Status.WRONG, "they tell of other steps or seeds")
        if plan.waive != kept.get("waived") or (plan.waive and plan.requires_something):
            return Line(what, Status.WRONG, "they tell of other waivers")
        planned = [one.to_plan() for one in plan.requirements]
        judged = [row["requirement"] for row in kept["requirements"]][: len(planned)]
        if len(planned) != len(judged) or not all(map(is_judged_as, planned, judged)):
            return Line(what, Status.WRONG, "they tell of other requirements")
        for name, declared in plan.data.attributes.items():
            read = kept["attributes"].get(name)
            said = {} if read is None else said_of(declared)
            other = [word for word in said if said[word] != read.get(word)]
            if other:
                return Line(what, Status.WRONG, f"they tell of another {other[0]} of `{name}`")
        told = "they tell of the same steps, seeds, requirements and attributes"
        return Line(what, Status.REDERIVED, told)

    def measures_again(self, plan: Plan) -> Line:
        """Compare what was measured with what the plan asks for: nothing else, and nothing less."""
        kept, what = self.recorded.content, "what was measured"
        if not plan.releases_records:
            measured = kept["measures"] or kept["before"]
            return line(what, not measured, "it is tables only", "no records are released")
        asked = [method.name for method in chosen_measures(plan)]
        told = [row["name"] for part in ("measures", "not_measured") for row in kept[part]]
        if kept.get("earlier") and SeveralReleases.name not in asked:
            told = [name for name in told if name != SeveralReleases.name]
        if sorted(told) != sorted(asked):
            other = (Counter(told) - Counter(asked)) + (Counter(asked) - Counter(told))
            named = f"the plan and the evidence differ in `{min(other)}`"
            return Line(what, Status.WRONG, named)
        best = strongest(_measurement(row) for row in kept["measures"])
        if kept.get("strongest_attack") != (None if best is None else best.to_dict()):
            return Line(what, Status.WRONG, "another attack is the strongest")
        risks = [name for name in asked if find(name).family != "utility"]
        before = [row["name"] for row in kept["before"]]
        same = not Counter(before) - Counter(risks)
        otherwise = "what was measured before is not what was measured of the release"
        return line(what, same, "it is what the plan asks for", otherwise)

    def tables_again(self, plan: Plan) -> Iterator[Line]:
        """Refuse files of tables that no plan names."""
        named = {f"{table.name}.parquet" for table in plan.tables}
        named |= {str(file) for table in plan.tables for file in table.inputs}
        folder = self.recorded.folder / "internal" / "tables"
        here = {file.relative_to(folder).as_posix() for file in files_below(folder)}
        for name in sorted(here ^ named):
            told = "no release has such a file" if name in here else MISSING
            yield Line(f"internal/tables/{name}", Status.WRONG, told)

    def records_again(self) -> Line:
        """Compare the risks of records with the released file, as far as it shows them."""
        what = "risks of records"
        file = self.recorded.folder / "internal" / "records.parquet"
        try:
            table = pq.read_table(file)
        except (OSError, ValueError):
            return Line(what, Status.WRONG, f"{file.name} is damaged: it is no whole Parquet file")
        if wrong := self.wrong_records(table):
            return Line(what, Status.WRONG, wrong)
        told = "all but sizes of classes need the source"
        if not self.is_written_so(table, file):
            told = "written again from the values it shows, the file has other bytes"
            changed = what_changed(self.recorded.run_block, WRITES[file.suffix])
            if not changed:
                return Line(what, Status.WRONG, told)
            told = f"{told}; {changed}"
        return Line(what, Status.ATTESTED, told)

    def wrong_records(self, table: pa.Table) -> str:
        """Say what the file of records tells otherwise than the released file and the evidence."""
        if table.num_rows != len(self.shown):
            return "there are not as many as records"
        counted = bool(self.shown.keys) and not self.shown.is_synthetic
        first = ["source_record", *(["class_size"] if counted else [])]
        columns, kept = table.column_names, self.recorded.content
        rest = kept.get("by_record")
        if rest is None:  # evidence of earlier versions does not say which there are
            rest = [row["name"] for row in kept["measures"] if row["name"] in columns[len(first) :]]
        if columns != [*first, *rest]:
            return f"it has other columns: {', '.join(columns)}"
        sizes = self.shown.classes().size_of_record if counted else None
        if sizes is not None and not np.array_equal(table["class_size"].to_numpy(), sizes):
            return "the sizes of classes are others"
        if not self.numbers_records(table["source_record"]):
            return "it numbers records that the source does not have"
        return ""

    def is_written_so(self, table: pa.Table, file: Path) -> bool:
        """Tell whether a file holds what it shows and nothing else."""
        with TemporaryDirectory() as temporary:
            again = Path(temporary) / file.name
            write_table(table, again)
            return filecmp.cmp(again, file, shallow=False)

    def reports(self) -> Line:
        """Look whether the internal reports are whole; what they tell is seen with the source."""
        what, folder = "internal reports", self.recorded.folder / "internal"
        for name, (begin, end) in WHOLE.items():
            if not (folder / name).is_file():
                return Line(what, Status.WRONG, f"{name} is not there")
            content = (folder / name).read_bytes()
            if not (content.startswith(begin) and content.endswith(end)):
                return Line(what, Status.WRONG, f"{name} is not a whole report")
        return Line(what, Status.ATTESTED, "they show the source too")

    def numbers_records(self, numbers: pa.ChunkedArray) -> bool:
        """Tell whether numbers are those of different records of the source; of nobody's, none."""
        if self.shown.is_synthetic:
            return bool(numbers.null_count == len(numbers))
        of = self.recorded.content["records"]["original"]
        held = np.unique(numbers.drop_null().to_numpy())
        within = len(held) == 0 or (held[0] >= 1 and held[-1] <= of)
        return bool(len(held) == len(numbers) and within)

    def proof(self, row: Mapping[str, Any]) -> Proof:
        """Tell how it is known that a requirement holds."""
        for_intruder = "intruder" in self.recorded.content
        return proof_of(row["requirement"], holds=row["holds"], for_intruder=for_intruder)

    def required(self, row: Mapping[str, Any]) -> Line:
        """Judge a requirement again, where the released file shows it."""
        what = f"required {brief(row['requirement'])}"
        mark = self.proof(row) if row["holds"] else "FAILS"
        told = f"{mark}: {row['sentence']}"
        if "without" in row["requirement"] or self.released is None:
            return Line(what, Status.ATTESTED, told)
        requirement = Requirement.from_plan(row["requirement"])
        method = requirement.method
        if not (method.family == "model" and is_in_a_file(method)):
            return Line(what, Status.ATTESTED, told)
        verdict = requirement.check(self.released, self.released)
        same = verdict.to_dict() == {key: row[key] for key in verdict.to_dict()}
        return line(what, same, told, f"it is stated otherwise: {verdict}")


def is_in_a_file(model: Method) -> bool:
    """Tell whether a model asks only for what a file holds: no accounting, population, tree."""
    counts_population = getattr(model, "counts_population", False)
    climbs_a_tree = getattr(model, "distance", None) == "hierarchical"
    return not (model.from_evidence or counts_population or climbs_a_tree)


def said_of(declared: Declaration) -> dict[str, Any]:
    """Return what a plan says of an attribute, as far as the evidence repeats it in those words.

    A hierarchy that is made from data, or read from a file, is kept as what came of it.
    """
    said = {word: v for word, v in declared.to_plan().items() if word in ("role", "kind")}
    asked = declared.hierarchy
    if isinstance(asked, Mapping) and not is_made(asked) and "file" not in asked:
        asked = build(asked)
    if isinstance(asked, Hierarchy):
        said["hierarchy"] = asked.specification()
    return said


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
