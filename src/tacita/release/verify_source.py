"""Verifying a release with its source: everything is made again and compared, file by file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tacita.data.dataset import Dataset
from tacita.release.made_with import WRITES, what_changed
from tacita.release.manifest import MANIFEST, files_below
from tacita.release.proof import as_told
from tacita.release.regeneration import Recorded, Regeneration
from tacita.release.verification import Line, Status, set_otherwise
from tacita.results import brief, show

ABSENT = object()  # of a field that one of two documents lacks
SECURE = "its noise comes from a secure source and is never drawn again, or a clock stopped it"


@dataclass(frozen=True)
class SourceVerifier:
    """Makes a release again from its source, and compares.

    Args:
        recorded: what the house keeps of the release.
        regeneration: what makes releases of the source again.
        released: the records as their file shows them, if records were released.
        statement: the public statement as it was written.
        has_manifest: whether the release is one of this version's format.
        is_sealed: whether the seal shows that nobody who lacks the source changed anything.
    """

    recorded: Recorded
    regeneration: Regeneration
    released: Dataset | None
    statement: Mapping[str, Any]
    has_manifest: bool
    is_sealed: bool

    def lines(self) -> Iterator[Line]:
        """Compare every file, then say of every line of statement and evidence how it is known."""
        with TemporaryDirectory() as temporary:
            again = Path(temporary) / "release"
            self.regeneration.write(self.recorded, self.released, again)
            written = {file.relative_to(again).as_posix() for file in _of(again)}
            statuses = dict(self.files(again))
            statement = _json(again / "public" / "statement.json")
            evidence = _json(again / "internal" / "evidence.json")
        if self.has_manifest:
            yield from statuses.values()
        else:
            compared = (name for name in statuses if self._is_data(name) or name not in written)
            yield from (statuses[name] for name in compared)
            told = "reports and evidence were written by an earlier version, before manifests"
            yield Line("other files", Status.NOT_PROVEN, told)
        if self.recorded.has_cut_search:
            told = "a clock stopped it; its stored result was put on the source and audited again"
            yield Line("search for suppressions", Status.ATTESTED, told)
        masked = all(
            one.status is Status.REDERIVED for name, one in statuses.items() if self._is_data(name)
        )
        yield from self.claims(statement, evidence, is_masked_again=masked)

    # -- files -------------------------------------------------------------------------------------

    def files(self, again: Path) -> Iterator[tuple[str, Line]]:
        """Compare every file with the one that was written again."""
        folder = self.recorded.folder
        names = {
            file.relative_to(root).as_posix() for root in (folder, again) for file in _of(root)
        }
        equal = {name: _is_same(folder / name, again / name) for name in sorted(names)}
        same_data = all(equal[name] for name in equal if self._is_data(name))
        for name, same in equal.items():
            yield name, self.file(name, again, same=same, same_data=same_data)

    def file(self, name: str, again: Path, *, same: bool, same_data: bool) -> Line:
        """Say of one file whether it is the one that is written again."""
        if same and self._is_data(name) and not self._is_drawn_again(name):
            return Line(name, Status.ATTESTED, f"{SECURE}; all but the values was made again")
        if same and _is_given(name):  # the release was made again from it
            told = "the seal shows that it is the one that was run"
            status = Status.REDERIVED if self.is_sealed else Status.NOT_PROVEN
            return Line(name, status, told if self.is_sealed else "no seal shows who wrote it")
        if same:
            return Line(name, Status.REDERIVED, "making it again gives the same bytes")
        here, there = self.recorded.folder / name, again / name
        packages = None if not same_data else WRITES.get(here.suffix, ())
        # No version wrote a file of another name, unless the seal shows that one did.
        may_differ = self.is_sealed or there.is_file()
        if not (may_differ and (changed := self.what_changed(packages))):
            return Line(name, Status.WRONG, _difference(here, there))
        if same_data and not self.recorded.missing and here.is_file() and there.is_file():
            contents = here.read_bytes(), there.read_bytes()
            return set_otherwise(name, here, *contents, self.recorded.run_block, changed)
        return Line(name, Status.NOT_PROVEN, f"it may be another now: {changed}")

    def _is_data(self, name: str) -> bool:
        return name.startswith(("public/data.", "public/tables/"))

    def _is_drawn_again(self, name: str) -> bool:
        if name.startswith("public/tables/"):
            return not self.recorded.has_noisy_tables
        return self.recorded.is_repeatable

    def what_changed(self, packages: Sequence[str] | None = None) -> str:
        """Name what is not here that was when the release was made: versions, earlier releases.

        Args:
            packages: those that may matter; None for all.
        """
        if self.recorded.missing:
            return f"{', '.join(self.recorded.missing)}, released earlier, is not at hand"
        return what_changed(self.recorded.run_block, packages)

    # -- claims ------------------------------------------------------------------------------------

    def claims(
        self,
        statement: Mapping[str, Any],
        evidence: Mapping[str, Any],
        *,
        is_masked_again: bool,
    ) -> Iterator[Line]:
        """Say of every guarantee, measure, method and requirement whether it is computed again."""
        excuse = "" if is_masked_again and not self.recorded.missing else self.what_changed()
        is_older = bool(what_changed(self.recorded.run_block, ()))
        kept = self.recorded.content["requirements"]
        compared: tuple[tuple[str, str, Sequence[Any], Sequence[Any]], ...] = (
            ("", "requirement", self.statement["guarantees"], statement["guarantees"]),
            ("", "name", self.statement["measures"], statement["measures"]),
            ("", "method", self.statement["methods"], statement["methods"]),
            ("required ", "requirement", kept, evidence["requirements"]),
        )
        for before, key, recorded, computed in compared:
            for row, made in zip_longest(recorded, computed):
                again = made
                if is_older and row is not None and made is not None:
                    again = as_told(row, made)
                what = before + _named(row if row is not None else again, key)
                if row == again:
                    yield Line(what, Status.REDERIVED, _sentence(row))
                elif excuse:
                    yield Line(what, Status.NOT_PROVEN, f"it may be another now: {excuse}")
                else:
                    yield Line(what, Status.WRONG, f"computed again: {_sentence(again)}")


def _is_given(name: str) -> bool:
    """Tell whether a file is one that a release is made from, and not one that it makes."""
    of_table = name.startswith("internal/tables/") and not name.endswith(".parquet")
    return of_table or name == "internal/plan.yaml"


def _of(root: Path) -> list[Path]:
    return [
        file
        for part in ("public", "internal")
        for file in files_below(root / part)
        if file.name != MANIFEST
    ]


def _named(row: Mapping[str, Any], key: str) -> str:
    if key == "requirement":
        return brief(row[key])
    return brief({row[key]: row["parameters"]})


def _sentence(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "there is none"
    if "proof" in row:
        return f"{row['proof'] if row['holds'] else 'FAILS'}: {row['sentence']}"
    if "sentence" in row:
        return str(row["sentence"])
    if "method" in row:
        return "masking the source again gives what is stated"
    if "value" in row:
        return show(row["value"])
    return "more than 0.1" if row["at_most"] is None else f"at most {row['at_most']:g}"


def _is_same(first: Path, second: Path) -> bool:
    """Tell whether two files have the same bytes, or the same table where another writer wrote."""
    if not (first.is_file() and second.is_file()):
        return False
    return first.read_bytes() == second.read_bytes()


def _difference(recorded: Path, again: Path) -> str:
    """Say how a file differs from the one that was made again."""
    if not recorded.is_file():
        return "it is missing; making the release again writes it"
    if not again.is_file():
        return "making the release again does not write it"
    if recorded.suffix != ".json":
        return "making it again gives other bytes"
    path = first_difference(_json(recorded), _json(again))
    return f"making it again gives another {path or 'way of writing it'}"


def first_difference(recorded: Any, again: Any, path: str = "") -> str:
    """Name the first field in which two documents differ; nothing where none does.

    >>> first_difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]})
    'a[1].b'
    """
    if isinstance(recorded, Mapping) and isinstance(again, Mapping):
        parts = [
            (f"{path}.{key}".lstrip("."), recorded.get(key, ABSENT), again.get(key, ABSENT))
            for key in {**recorded, **again}
        ]
    elif isinstance(recorded, list) and isinstance(again, list):
        pairs = zip_longest(recorded, again, fillvalue=ABSENT)
        parts = [(f"{path}[{number}]", *pair) for number, pair in enumerate(pairs)]
    else:
        same = type(recorded) is type(again) and recorded == again
        return "" if same else path
    return next((where for part in parts if (where := first_difference(*part[1:], part[0]))), "")


def _json(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))
