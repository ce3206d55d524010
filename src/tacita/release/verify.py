"""Verifying a release: what can be computed again is, the rest is said to be attested."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tacita.data.dataset import Dataset
from tacita.data.declaration import Declaration
from tacita.data.formats import read_table, write_table
from tacita.data.frames import plain
from tacita.data.read import declare, read_dataset
from tacita.errors import InputError
from tacita.method import Method
from tacita.registry import find, from_plan
from tacita.release.evidence import keyed_hash, public_measure
from tacita.release.execute import carry_out, without_identifiers
from tacita.release.requirement import Requirement
from tacita.results import Measurement, brief, counted, show


class Status(StrEnum):
    """How a line of a release stands."""

    REDERIVED = "re-derived"
    ATTESTED = "attested"
    WRONG = "WRONG"


@dataclass(frozen=True)
class Line:
    """One line of a release, and how it stands."""

    what: str
    status: Status
    sentence: str

    def to_dict(self) -> dict[str, str]:
        """Return the line in plain types."""
        return {"what": self.what, "status": self.status.value, "sentence": self.sentence}


@dataclass(frozen=True)
class Verification:
    """Every line of a release, re-derived, attested or wrong."""

    lines: tuple[Line, ...]

    @property
    def holds(self) -> bool:
        """Whether no line is wrong."""
        return all(line.status is not Status.WRONG for line in self.lines)

    def __str__(self) -> str:
        width = max((len(line.what) for line in self.lines), default=0)
        return "\n".join(
            f"{line.status:<10}  {line.what:<{width}}  {line.sentence}" for line in self.lines
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the verification in plain types."""
        return {"holds": self.holds, "lines": [line.to_dict() for line in self.lines]}


def verify(folder: Path, source: Path | None = None) -> Verification:
    """Verify a release from its public files and, where they are at hand, evidence and source.

    Args:
        folder: the release, or its public folder alone.
        source: the original data file; with it everything is computed again.
    """
    public = folder / "public" if (folder / "public").is_dir() else folder
    statement = _json(public / "statement.json")
    evidence = _evidence(public)
    if source is not None and evidence is None:
        raise InputError(
            "To verify against the source, the internal evidence is needed; "
            f"there is none beside {public}."
        )
    try:
        again = _again(evidence, source)
        lines = [
            *_file_lines(public, statement),
            *_stated_lines(public, statement, evidence, again),
        ]
        if evidence is not None:
            lines += _evidence_lines(public, statement, evidence, again)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"The statement or evidence of {folder} lacks a field: {error}."
        ) from error
    return Verification(tuple(lines))


@dataclass(frozen=True)
class Again:
    """The source, read and masked once more."""

    original: Dataset
    protected: Dataset


def _evidence(public: Path) -> dict[str, Any] | None:
    file = public.parent / "internal" / "evidence.json"
    return _json(file) if public.name == "public" and file.is_file() else None


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"There is no release here: {path} is missing.") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    if not isinstance(content, dict):
        raise InputError(f"{path} should hold an object; found {type(content).__name__}.")
    return content


def _line(what: str, holds: bool, sentence: str) -> Line:
    return Line(what, Status.REDERIVED if holds else Status.WRONG, sentence)


# -- the released file, and what is stated of it ---------------------------------------------------


def _file_lines(public: Path, statement: Mapping[str, Any]) -> Iterator[Line]:
    file = _released_file(public, statement)
    try:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"The released file {file} cannot be read: {error.strerror}.") from error
    yield _line("file", digest == statement["file"]["sha256"], f"{file.name} is the file stated")
    data = _released(file, statement)
    yield _line("records", len(data) == statement["file"]["records"], counted(len(data), "record"))
    for row in statement["guarantees"]:
        verdict = Requirement.from_plan(row["requirement"]).check(data, data)
        yield _line(brief(row["requirement"]), verdict.holds, verdict.sentence)


def _released_file(public: Path, statement: Mapping[str, Any]) -> Path:
    return public / Path(statement["file"]["name"]).name


def _released(file: Path, statement: Mapping[str, Any]) -> Dataset:
    """Read the released file as the public does: with what the statement says of it."""
    said = {row["name"]: _declaration(row) for row in statement["attributes"]}
    text = frozenset(name for name, declaration in said.items() if declaration.keeps_text)
    return declare(plain(read_table(file, text=text)), said)


def _declaration(row: Mapping[str, Any]) -> Declaration:
    if row["kind"] == "ordinal" and "order" not in row:  # too many categories to state
        row = {**row, "kind": "nominal"}
    return Declaration(**{name: value for name, value in row.items() if name != "name"})


def _stated_lines(
    public: Path,
    statement: Mapping[str, Any],
    evidence: Mapping[str, Any] | None,
    again: Again | None,
) -> Iterator[Line]:
    """Go through measures and methods: exactly with the source, else as far as the file shows."""
    for place, row in enumerate(statement["measures"]):
        exact = None if evidence is None else evidence["measures"][place]
        yield _measure_line(public, statement, row, exact, again)
    same = (
        None if again is None else _digest(again, public, statement) == statement["file"]["sha256"]
    )
    for row in statement["methods"]:
        said = brief({row["method"]: row["parameters"]})
        if same is None:
            yield Line(said, Status.ATTESTED, "masking leaves no trace to compute it from")
        else:
            yield _line(said, same, "masking the source again gives the released file")


def _measure_line(
    public: Path,
    statement: Mapping[str, Any],
    row: Mapping[str, Any],
    exact: Mapping[str, Any] | None,
    again: Again | None,
) -> Line:
    said = {row["name"]: row["parameters"]}
    if again is not None and exact is not None:
        found = _measured(
            from_plan({row["name"]: exact["parameters"]}), again.original, again.protected
        )
        same = found.to_dict()["value"] == exact["value"]
        return _line(brief(said), same and public_measure(found) == row, show(found.value))
    if not find(row["name"]).shown_by_release:
        return Line(brief(said), Status.ATTESTED, f"{row['value']}; it needs the source")
    data = _released(_released_file(public, statement), statement)
    found = _measured(from_plan(said), data, data)
    return _line(brief(said), public_measure(found) == row, show(found.value))


def _measured(method: Method, original: Dataset, protected: Dataset) -> Measurement:
    return method.measure(original, protected)  # type: ignore[attr-defined,no-any-return]


# -- the internal evidence -------------------------------------------------------------------------


def _evidence_lines(
    public: Path, statement: Mapping[str, Any], evidence: Mapping[str, Any], again: Again | None
) -> Iterator[Line]:
    if again is not None:
        stated = evidence["run"]["input"]
        same = keyed_hash(again.original, stated["key"]) == stated["hmac_sha256"]
        yield _line("source", same, "the source is the one that was protected")
    agree = statement["requirements_hold"] == evidence["requirements_hold"]
    yield _line("verdict", agree, "statement and evidence agree on the requirements")
    for row in evidence["requirements"]:
        yield _requirement_line(public, statement, row, again)


def _requirement_line(
    public: Path, statement: Mapping[str, Any], row: Mapping[str, Any], again: Again | None
) -> Line:
    what = f"required {brief(row['requirement'])}"
    told = f"{'holds' if row['holds'] else 'fails'}: {row['sentence']}"
    if "without" in row["requirement"]:
        return Line(what, Status.ATTESTED, told)
    requirement = Requirement.from_plan(row["requirement"])
    if again is not None:
        verdict = requirement.check(again.original, again.protected)
    elif requirement.method.family == "model":
        data = _released(_released_file(public, statement), statement)
        verdict = requirement.check(data, data)
    else:
        return Line(what, Status.ATTESTED, told)
    return _line(what, verdict.holds == row["holds"], str(verdict))


# -- the source, masked again ----------------------------------------------------------------------


def _again(evidence: Mapping[str, Any] | None, source: Path | None) -> Again | None:
    """Read the source and mask it once more; generated example data are their own source."""
    if evidence is None or (source is None and not evidence["source"]["example"]):
        return None
    original = data = _original(evidence, source)
    for row in evidence["steps"]:
        data, _ = carry_out(data, from_plan(row["step"]), int(row["seed"]))
    return Again(original, without_identifiers(data))


def _original(evidence: Mapping[str, Any], source: Path | None) -> Dataset:
    """Read the source again, with the attributes that were kept of it."""
    said = {name: Declaration(**fields) for name, fields in evidence["attributes"].items()}
    how = evidence["source"]
    if source is None:
        from tacita.data.examples import generate

        (example,) = how["example"].items()
        return declare(generate(*example).table.select(list(said)), said)
    data = read_dataset(source, said, delimiter=how["delimiter"], encoding=how["encoding"])
    return data.without([name for name in data.names if name not in said])


def _digest(again: Again, public: Path, statement: Mapping[str, Any]) -> str:
    with TemporaryDirectory() as folder:
        file = Path(folder) / _released_file(public, statement).name
        write_table(again.protected.table, file)
        return hashlib.sha256(file.read_bytes()).hexdigest()
