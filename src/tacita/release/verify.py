"""Verifying a release: what can be computed again is, the rest is said to be attested."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tacita.data.dataset import Dataset, External
from tacita.data.formats import Layout, Place, is_address, layout_of, write_contents, write_table
from tacita.data.read import declare, read_beside, read_dataset
from tacita.errors import InputError, ParameterError
from tacita.intruders.intruder import Intruder
from tacita.method import Method
from tacita.microdata.comparing.value_mapping import masked_values
from tacita.microdata.synthesis.inference.copying import copy_folder
from tacita.registry import find, from_plan
from tacita.release.evidence import keyed_hash, public_measure, sha256
from tacita.release.execute import mask_again
from tacita.release.measuring import measuring
from tacita.release.ordering import Ordering
from tacita.release.requirement import Requirement
from tacita.release.verification import Line, Status, Verification, line
from tacita.release.verify_tables import TableVerifier, is_of_table
from tacita.release.written import (
    Evidence,
    KeptMapping,
    StatedFile,
    StatedMeasure,
    StatedMethod,
    StatedRequirement,
    StatedTables,
    Statement,
    read_json,
)
from tacita.results import Measurement, brief, counted, show

__all__ = ["Line", "Status", "Verification", "verify"]


def verify(folder: Path, source: Place | None = None) -> Verification:
    """Verify a release from its public files and, where they are at hand, evidence and source.

    Args:
        folder: the release, its public folder alone, or the folder of several synthetic copies.
        source: the original data file; with it everything is computed again.
    """
    if (folder / copy_folder(1)).is_dir():
        return Verification(tuple(_copies(folder, source)))
    return _one(folder, source)


def _copies(folder: Path, source: Place | None) -> Iterator[Line]:
    """Verify every copy that the first one says there are."""
    first = folder / copy_folder(1) / "public" / "statement.json"
    stated = read_json(first, Statement).copy_of
    if stated is None:
        raise InputError(f"{first} does not say how many copies there are.")
    for number in range(1, stated.of + 1):
        name = copy_folder(number)
        if not (folder / name).is_dir():
            yield Line(name, Status.WRONG, f"it is missing; {stated.of} copies are stated")
            continue
        for one in _one(folder / name, source).lines:
            yield replace(one, what=f"{name}: {one.what}")


def _one(folder: Path, source: Place | None) -> Verification:
    public = folder / "public" if (folder / "public").is_dir() else folder
    statement = read_json(public / "statement.json", Statement)
    internal = public.parent / "internal" / "evidence.json"
    known = public.name == "public" and internal.is_file()
    if source is not None and not known:
        raise InputError(
            "To verify against the source, the internal evidence is needed; "
            f"there is none beside {public}."
        )
    evidence = read_json(internal, Evidence) if known else None
    if evidence is not None and _names(evidence.measures) != _names(statement.measures):
        raise InputError(f"Statement and evidence of {folder} tell of different measures.")
    try:
        return Verification(tuple(_Verifier(public, statement, evidence, source).lines()))
    except ParameterError as error:
        raise InputError(f"The statement or evidence of {folder} cannot be: {error}") from error


def _names(measures: Iterable[StatedMeasure]) -> list[str]:
    return [row.name for row in measures]


class _Verifier:
    """Goes through a release line by line, with whatever of it is at hand."""

    def __init__(
        self, public: Path, statement: Statement, evidence: Evidence | None, source: Place | None
    ) -> None:
        self.public = public
        self.statement = statement
        self.evidence = evidence
        self.source = source
        self.released: Dataset | None = None
        self.original: Dataset | None = None
        self.masked: Dataset | None = None

    def lines(self) -> Iterator[Line]:
        if self.statement.file is not None:
            yield from self.read_file(self.statement.file)
            if self.released is None:
                return
        if self.evidence is not None and (self.source or self.evidence.source.example):
            yield from self.read_again(self.evidence)
            if self.original is None:
                return
        if self.statement.file is not None:
            yield from self.records()
        if self.statement.tables is not None:
            yield from self.tables(self.statement.tables).lines()
        if self.evidence is not None:
            agree = self.statement.requirements_hold == self.evidence.requirements_hold
            yield line("verdict", agree, "statement and evidence agree on the requirements")
            if self.evidence.mapping is not None:
                yield self.mapping(self.evidence.mapping)
            of_records = [r for r in self.evidence.requirements if not is_of_table(r.requirement)]
            yield from (self.required(row) for row in of_records)

    @property
    def file(self) -> Path:
        """The file of released records."""
        assert self.statement.file is not None  # noqa: S101 - asked for only then
        return self.public / Path(self.statement.file.name).name

    @cached_property
    def order(self) -> Ordering:
        """In which order the statement says that records stand."""
        assert self.statement.file is not None  # noqa: S101 - asked for only then
        return Ordering(self.statement.file.order, self.statement.file.history)

    def tables(self, stated: StatedTables) -> TableVerifier:
        """Return who verifies the released tables."""
        kept = required = None
        if self.evidence is not None:
            kept = self.evidence.tables
            required = [r for r in self.evidence.requirements if is_of_table(r.requirement)]
        return TableVerifier(stated, self.public, kept, required or [], self.original)

    def records(self) -> Iterator[Line]:
        """Go through what is said of the released records."""
        yield from (self.guarantee(row.requirement) for row in self.statement.guarantees)
        yield from (self.measure(place) for place in range(len(self.statement.measures)))
        yield from (self.method(row) for row in self.statement.methods)

    def guarantee(self, said: Mapping[str, Any]) -> Line:
        """Check a guarantee on the released file, where a file can show it."""
        requirement = Requirement.from_plan(said)
        data = self.released if _is_in_a_file(requirement.method) else self.masked
        if data is None:
            return Line(brief(said), Status.ATTESTED, "the released file alone does not show it")
        verdict = requirement.check(data, data)
        return line(brief(said), verdict.holds, verdict.sentence)

    def read_file(self, stated: StatedFile) -> Iterator[Line]:
        """Read the released file as the public does: with what the statement says of it."""
        try:
            content = self.file.read_bytes()
        except OSError as error:
            raise InputError(
                f"The released file {self.file} cannot be read: {error.strerror}."
            ) from error
        same = hashlib.sha256(content).hexdigest() == stated.sha256
        yield line("file", same, f"{self.file.name} is the file stated")
        said = {row.name: row.declaration() for row in self.statement.attributes}
        try:
            layout = layout_of(stated.layout)
            self.released = read_dataset(self.file, said, layout=layout)
        except InputError as error:
            yield Line("records", Status.WRONG, f"the file does not fit its statement: {error}")
            return
        same = len(self.released) == stated.records
        yield line("records", same, counted(len(self.released), "record"))
        if stated.order == "contents":
            yield line("order", self.order.holds(self.released), self.order.sentence(self.released))

    def read_again(self, evidence: Evidence) -> Iterator[Line]:
        """Read the source and mask it once more; generated example data are their own source."""
        try:
            original = _original(evidence, self.source)
        except InputError as error:
            if self.source is not None and _is_missing(self.source):
                raise
            yield Line("source", Status.WRONG, f"it is not what was protected: {error}")
            return
        stated = evidence.run.input
        if keyed_hash(original, stated.key) != stated.hmac_sha256:
            yield Line("source", Status.WRONG, "it is not what was protected")
            return
        yield Line("source", Status.REDERIVED, "it is what was protected")
        outside = _external(evidence.source.external, self.source, original)
        self.original = replace(original, external=outside)
        steps = [(from_plan(row.step), row.seed) for row in evidence.steps]
        if self.statement.file is not None and all(method.repeatable for method, _ in steps):
            suffix, order = self.file.name.partition(".")[2], self.order
            self.masked = mask_again(self.original, steps, suffix, order)

    def measure(self, place: int) -> Line:
        """Measure again: exactly with the source, else as far as the released file shows it."""
        row = self.statement.measures[place]
        said = {row.name: row.parameters}
        if self.original is not None and self.masked is not None and self.evidence is not None:
            exact = self.evidence.measures[place]
            method = from_plan({row.name: exact.parameters})
            found = measuring(self.original, self.masked, self.intruder)(method)
            same = found.to_dict()["value"] == exact.value
            return line(brief(said), same and _told(found, row), show(found.value))
        if self.released is None or not self.shows(row):
            stated = row.value if row.at_most is None else f"at most {row.at_most:g}"
            return Line(brief(said), Status.ATTESTED, f"{stated}; it needs the source")
        found = measuring(self.released, self.released)(from_plan(said))
        return line(brief(said), _told(found, row), show(found.value))

    def shows(self, row: StatedMeasure) -> bool:
        """Tell whether the released file alone shows a measure.

        How often an intruder's values are wrong depends on the original.
        """
        for_whom = self.statement.intruder is not None and find(row.name).family != "utility"
        return find(row.name).shown_by_release and not for_whom

    @cached_property
    def intruder(self) -> Intruder | None:
        """Who attacks the records, if the evidence says so."""
        said = None if self.evidence is None else self.evidence.intruder
        return None if said is None else Intruder.from_plan(said)

    def method(self, row: StatedMethod) -> Line:
        """Tell whether masking the source again gives the released file."""
        said = brief({row.method: row.parameters})
        if self.masked is None:
            return Line(said, Status.ATTESTED, "masking leaves no trace to compute it from")
        assert self.statement.file is not None  # noqa: S101 - there is masking only then
        same = self.digest == self.statement.file.sha256
        return line(said, same, "masking the source again gives the released file")

    @cached_property
    def digest(self) -> str:
        """The hash of the source masked again and written as the release was."""
        assert self.masked is not None  # noqa: S101 - asked for only then
        with TemporaryDirectory() as folder:
            file = Path(folder) / self.file.name
            write_contents(self.masked.contents(), file)
            return sha256(file)

    def mapping(self, kept: KeptMapping) -> Line:
        """Tell whether the file that says which value became which is the one written."""
        if self.original is not None and self.masked is not None:
            with TemporaryDirectory() as folder:
                file = Path(folder) / Path(kept.name).name
                write_table(masked_values(self.original, self.masked), file)
                same = sha256(file) == kept.sha256
            return line("mapping", same, "masking the source again gives the same mapping")
        file = self.public.parent / "internal" / Path(kept.name).name
        if not file.is_file():
            return Line("mapping", Status.ATTESTED, f"{file.name} is not at hand")
        return line("mapping", sha256(file) == kept.sha256, f"{file.name} is the file written")

    def required(self, row: StatedRequirement) -> Line:
        """Judge a requirement again, where what it needs is at hand."""
        what = f"required {brief(row.requirement)}"
        told = Line(what, Status.ATTESTED, f"{'holds' if row.holds else 'fails'}: {row.sentence}")
        if "without" in row.requirement:
            return told
        requirement = Requirement.from_plan(row.requirement)
        if self.original is not None and self.masked is not None:
            verdict = requirement.check(self.original, self.masked, self.intruder)
        elif self.is_shown(requirement):
            verdict = requirement.check(self.released, self.released)
        else:
            return told
        return line(what, verdict.holds == row.holds, str(verdict))

    def is_shown(self, requirement: Requirement) -> bool:
        """Tell whether the released file alone shows if a requirement holds."""
        method = requirement.method
        return self.released is not None and method.family == "model" and _is_in_a_file(method)


def _is_in_a_file(model: Method) -> bool:
    """Tell whether a model asks only for what a file holds: no accounting, population, tree."""
    counts_population = getattr(model, "counts_population", False)
    climbs_a_tree = getattr(model, "distance", None) == "hierarchical"
    return not (model.from_evidence or counts_population or climbs_a_tree)


def _told(found: Measurement, row: StatedMeasure) -> bool:
    """Tell whether a measure is what the statement says of it."""
    told = public_measure(found)
    return (told.get("value"), told.get("at_most")) == (row.value, row.at_most)


def _original(evidence: Evidence, source: Place | None) -> Dataset:
    """Read the source again, with the attributes that were kept of it."""
    said, how = evidence.attributes, evidence.source
    if source is not None:
        data = read_dataset(source, said, layout=_layout(how.layout, source))
        return data.without([name for name in data.names if name not in said])
    from tacita.data.examples import generate

    ((name, size),) = (how.example or {}).items()
    return declare(generate(name, size).table.select(list(said)), said)


def _external(said: Mapping[str, str | None], source: Place | None, data: Dataset) -> External:
    """Read the data from outside again; files are looked for beside the source."""
    folder = Path() if source is None or is_address(source) else Path(source).parent
    given: dict[str, Dataset] = {}
    for word, place in said.items():
        if place is None or not (is_address(place) or (folder / place).exists()):
            named = "a data frame" if place is None else place
            raise InputError(
                f"The release was measured against a {word} ({named}) that is not at hand; "
                "put its file beside the source to verify the release."
            )
        given[word] = read_beside(place if is_address(place) else folder / place, data)
    return External(**given)


def _layout(said: Mapping[str, Any], source: Place) -> Layout:
    """Return how the source was laid out; what describes it is looked for beside it."""
    layout = layout_of(said)
    if layout.metadata is None or is_address(source):
        return layout
    beside = Path(source).parent / Path(layout.metadata).name
    return layout.model_copy(update={"metadata": str(beside)})


def _is_missing(source: Place) -> bool:
    return not is_address(source) and not Path(source).is_file()
