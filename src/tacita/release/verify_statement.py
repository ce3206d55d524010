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

from tacita.data.dataset import FROM_NOBODY, Dataset
from tacita.errors import OF_DAMAGE, TacitaError, in_words
from tacita.registry import find, from_plan, method_named
from tacita.release import evidence as evidence_files
from tacita.release.evidence import public_measure
from tacita.release.manifest import MANIFEST, files_below
from tacita.release.measuring import measuring
from tacita.release.proof import mark_of, proof_of
from tacita.release.report import public_report
from tacita.release.report.html import html
from tacita.release.report.pdf import pdf
from tacita.release.requirement import Requirement
from tacita.release.table_files import read_shown
from tacita.release.verification import MISSING, Line, Status, line, written_again
from tacita.release.verify_house import HouseVerifier, is_in_a_file
from tacita.release.written import StatedMeasure, Statement
from tacita.results import brief, show

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
    *("by_record", "strongest_attack"),
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
        run: what the manifest says of the run that made the release, if there is one.
    """

    public: Path
    content: Mapping[str, Any]
    statement: Statement
    released: Dataset | None
    recorded: Recorded | None
    run: Mapping[str, Any] | None

    def lines(self) -> Iterator[Line]:
        """Say of every line how it is known."""
        if self.released is not None:
            yield from (self.guarantee(row) for row in self.content["guarantees"])
            yield from (self.measure(row) for row in self.statement.measures)
            yield from (self.method(row) for row in self.content["methods"])
        if self.recorded is not None:
            yield from HouseVerifier(self.content, self.released, self.shown, self.recorded).lines()
        if "format" in self.content:
            yield from self.form()
            yield from self.report()
        else:
            yield from (one for one in self.files() if one.sentence != MISSING)

    # -- what the released file shows --------------------------------------------------------------

    def guarantee(self, row: Mapping[str, Any]) -> Line:
        """Check a guarantee on the released file, where a file can show it."""
        requirement = Requirement.from_plan(row["requirement"])
        what = brief(row["requirement"])
        if self.released is None or not is_in_a_file(requirement.method):
            return Line(what, Status.ATTESTED, "the released file alone does not show it")
        verdict = requirement.check(self.released, self.released)
        computed = verdict.to_dict()
        if "proof" in row:  # statements of older releases have none
            computed |= {"proof": proof_of(row["requirement"], holds=verdict.holds)}
        same = {key: computed[key] for key in row if key in computed} == dict(row)
        told = f"it is stated otherwise: {verdict.sentence}" if verdict.holds else verdict.sentence
        mark = mark_of(row["requirement"], holds=verdict.holds)
        return line(what, verdict.holds and same, f"{mark}: {verdict.sentence}", told)

    def measure(self, row: StatedMeasure) -> Line:
        """Measure again, as far as the released file shows it."""
        stated = {row.name: row.parameters}
        if self.released is None or not self.shows(row):
            return Line(
                brief(stated), Status.ATTESTED, "it needs the source and the internal folder"
            )
        measured = measuring(self.released, self.released)(from_plan(stated))
        told = public_measure(measured)
        same = (told.get("value"), told.get("at_most")) == (row.value, row.at_most)
        value = show(measured.value)
        return line(brief(stated), same, value, f"measured again: {value}")

    def shows(self, row: StatedMeasure) -> bool:
        """Tell whether the released file alone shows a measure.

        How often an intruder's values are wrong depends on the original.
        """
        for_whom = self.statement.intruder is not None and find(row.name).family != "utility"
        return find(row.name).shown_by_release and not for_whom

    def method(self, row: Mapping[str, Any]) -> Line:
        """Say of a masking step that it leaves no trace, or that there is no such method."""
        what = brief({row["method"]: row["parameters"]})
        known = method_named(row["method"])
        if known is None or row.get("reference", known.reference) != known.reference:
            return Line(what, Status.WRONG, "no method of this name has this reference")
        return Line(what, Status.ATTESTED, "masking leaves no trace to compute it from")

    def form(self) -> Iterator[Line]:
        """Compare what only the file shows, and refuse what no list names."""
        known = self.content["format"] == evidence_files.STATEMENT_FORMAT
        is_known = f"it is {evidence_files.STATEMENT_FORMAT}"
        yield line("format", known, is_known, "it is none that this version knows")
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
        yield line("statement", not unknown, told, f"not of a statement: {unknown}")
        if self.recorded is not None:
            unknown = sorted(set(self.recorded.content) - EVIDENCE_FIELDS)
            told = "it has the fields of evidence and no other"
            yield line("evidence", not unknown, told, f"not of evidence: {unknown}")
        yield from self.files()

    def files(self) -> Iterator[Line]:
        """Refuse files that no list names, and say which are missing."""
        file = self.content["file"]
        named = {"statement.json", *REPORTS, *([file["name"]] if file else ())}
        tables = self.statement.tables.tables if self.statement.tables else ()
        named |= {f"tables/{name}" for one in tables for name in one.files}
        yield from self.only(named, self.public)
        if self.recorded is not None:
            yield from self.files_of_the_house(self.recorded)

    def files_of_the_house(self, recorded: Recorded) -> Iterator[Line]:
        """Refuse files of the house that no list names."""
        kept = recorded.content
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
                told = "no release has such a file" if name in here else MISSING
                yield Line(f"{folder.name}/{name}", Status.WRONG, told)

    def report(self) -> Iterator[Line]:
        """Make the public report again from the public statement and files."""
        try:
            report = public_report(self.content, self.shown, self.published)
            made = {"report.html": html(report).encode(), "report.pdf": pdf(report)}
        except (TacitaError, *OF_DAMAGE) as error:
            told = f"what is stated makes no report: {in_words(error)}"
            yield Line("public report", Status.WRONG, told)
            return
        sentences = (
            "statement and data make the same report again",
            "statement and data make another report",
        )
        for name, content in made.items():
            yield written_again(f"public/{name}", self.public / name, content, sentences, self.run)

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
        return [read_shown(one, self.public / "tables", name) for one in stated.tables]
