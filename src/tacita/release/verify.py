"""Verifying a release: everything that a reader relies on is made again and compared.

With the source, all files are written once more and compared byte by byte. Without it, everything
that the released bytes can show is. Each line is known in one of four ways; the verdict follows
from the lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tacita.data.dataset import Dataset
from tacita.data.formats import (
    Place,
    is_address,
    layout_of,
    read_contents,
    what_is_missing,
    write_contents,
)
from tacita.data.formats.contents import Contents
from tacita.data.read import read_dataset
from tacita.errors import OF_DAMAGE, InputError, ParameterError, PlanError, in_words
from tacita.microdata.synthesis.inference.copying import copy_folder
from tacita.release.made_with import WRITES, what_changed
from tacita.release.manifest import MANIFEST, encode_json, keyed_hash, seal_by, sha256
from tacita.release.ordering import Ordering
from tacita.release.regeneration import NotAtHandError, Recorded, Regeneration, read_original
from tacita.release.verification import (
    Conclusion,
    Line,
    Status,
    Verification,
    line,
    made_again,
    unattested,
)
from tacita.release.verify_manifest import ManifestVerifier
from tacita.release.verify_source import SourceVerifier
from tacita.release.verify_statement import StatementVerifier
from tacita.release.verify_tables import TableVerifier
from tacita.release.versions import VERSIONS
from tacita.release.written import Evidence, StatedFile, Statement, read_json
from tacita.results import counted

if TYPE_CHECKING:
    from tacita.release.signing import PublicKey

__all__ = ["Conclusion", "Line", "Status", "Verification", "verify"]

UNSIGNED = "nobody signed; whoever could write these files could have written all of them"
NO_MANIFEST = (
    "there is none; only versions before 0.3.0 wrote releases without: if you know that this is "
    "such a release, say --without-manifest"
)
NOT_COMPARED = (
    "it is compared with nothing: the internal folder, which says how to make the release again "
    "from it, is not at hand"
)


def verify(
    folder: Path,
    source: Place | None = None,
    key: PublicKey | None = None,
    *,
    without_manifest: bool = False,
) -> Verification:
    """Verify a release from its public files and, where they are at hand, evidence and source.

    Args:
        folder: the release, its public folder alone, or the folder of several synthetic copies.
        source: the original data; with them everything is made again.
        key: under which key a signature counts; None for none.
        without_manifest: whether the verifier knows that the release is older than manifests.
    """
    if (folder / copy_folder(1)).is_dir():
        lines = list(_copies(folder, source, key, without_manifest=without_manifest))
    else:
        lines = [*_Verifier(folder, source, key, without_manifest=without_manifest).lines()]
    is_signed = any(one.what.endswith("signature") for one in lines) and all(
        one.status is Status.REDERIVED for one in lines if one.what.endswith("signature")
    )
    return Verification(tuple(lines if is_signed else unattested(lines)))


def _copies(
    folder: Path, source: Place | None, key: PublicKey | None, *, without_manifest: bool
) -> Iterator[Line]:
    """Verify every copy that the first one says there are."""
    first = folder / copy_folder(1) / "public" / "statement.json"
    stated = read_json(first, Statement).copy_of
    if stated is None:
        raise InputError(f"{first} does not say how many copies there are.")
    names = [copy_folder(number) for number in range(1, stated.of + 1)]
    for other in sorted(entry.name for entry in folder.iterdir()):
        if other not in {*names, "versions"}:
            yield Line(other, Status.WRONG, f"it is none of the {stated.of} copies stated")
    yield from foreign_versions(folder, folder / names[0])
    regeneration: Regeneration | None = None
    sets: set[str | None] = set()
    for number, name in enumerate(names, 1):
        if (folder / name).is_symlink():
            yield Line(name, Status.WRONG, "it is a link; a release holds none")
            continue
        if not (folder / name).is_dir():
            yield Line(name, Status.WRONG, f"it is missing; {stated.of} copies are stated")
            continue
        verifier = _Verifier(
            folder / name, source, key, regeneration, without_manifest=without_manifest
        )
        for one in verifier.lines():
            yield replace(one, what=f"{name}: {one.what}")
        regeneration = verifier.regeneration
        copy = verifier.statement.copy_of
        is_it = copy is not None and (copy.number, copy.of) == (number, stated.of)
        told = f"copy {number} of {stated.of}"
        yield line(
            f"{name}: copy", is_it, f"it is {told}", f"it is stated to be another than {told}"
        )
        if verifier.has_manifest:
            sets.add(verifier.manifests.set_of_copies())
    yield from _made_together(sets)


def _made_together(sets: set[str | None]) -> Iterator[Line]:
    """Say whether copies are of one set, by the name that each of their manifests gives it."""
    if sets == {None}:
        yield Line("copies", Status.NOT_PROVEN, "no manifest says that they were made together")
    elif sets:
        same = len(sets) == 1
        told = "they were made together, as their manifests say"
        yield line("copies", same, told, "their manifests name different sets of copies")


def foreign_versions(folder: Path, newest: Path) -> Iterator[Line]:
    """Name what lies among the earlier releases of a folder and is none that the newest lists."""
    beside, evidence = folder / VERSIONS, newest / "internal" / "evidence.json"
    if not (beside.exists() and evidence.is_file()):
        return
    names = {Path(row["version"]).name for row in _document(evidence).get("earlier", ())}
    for entry in sorted(beside.iterdir()) if beside.is_dir() else ():
        if entry.name not in names or entry.is_symlink() or not entry.is_dir():
            yield Line(f"{VERSIONS}/{entry.name}", Status.WRONG, "no list names it")


class _Verifier:
    """Goes through one release with whatever of it is at hand."""

    def __init__(
        self,
        folder: Path,
        source: Place | None,
        key: PublicKey | None,
        regeneration: Regeneration | None = None,
        *,
        without_manifest: bool,
    ) -> None:
        self.public = folder / "public" if (folder / "public").is_dir() else folder
        self.source, self.key, self.regeneration = source, key, regeneration
        self.without_manifest = without_manifest
        self.statement = read_json(self.public / "statement.json", Statement)
        self.content = _document(self.public / "statement.json")
        internal = self.public.parent / "internal"
        self.internal = internal if self.public.name == "public" and internal.is_dir() else None
        if self.recorded is None and source is not None and _is_missing(source):
            raise InputError(what_is_missing(Path(source)))

    @cached_property
    def recorded(self) -> Recorded | None:
        """What the house keeps, if it is at hand."""
        if self.internal is None:
            return None
        file = self.internal / "evidence.json"
        checked = read_json(file, Evidence)
        return Recorded(self.public.parent, checked, _document(file))

    @property
    def has_manifest(self) -> bool:
        """Whether the release is of a format with manifests; a trace of one is enough."""
        folders = [self.public, *([self.internal] if self.internal else [])]
        traces = any((folder / MANIFEST).exists() for folder in folders)
        return "format" in self.content or "requirements" in self.content or traces

    @cached_property
    def manifests(self) -> ManifestVerifier:
        """What compares the files with their manifests."""
        return ManifestVerifier(self.public, self.internal, self.key)

    def lines(self) -> Iterator[Line]:
        """Give every line; what cannot even be gone through is wrong."""
        try:
            yield from self.all_lines()
        except (ParameterError, PlanError) as error:
            yield Line("release", Status.WRONG, f"statement, evidence or plan cannot be: {error}")
        except OF_DAMAGE as error:
            told = f"it is not as it was written: {in_words(error)}"
            yield Line("release", Status.WRONG, told)

    def all_lines(self) -> Iterator[Line]:
        """Compare files with manifests, then what is said with what can be made again."""
        if self.has_manifest:
            yield from self.manifests.lines()
            yield from self.written()
            if self.recorded is not None:
                yield from self.earlier(self.recorded)
        else:
            # Who changes a release can also take its manifests away: only the verifier knows.
            status = Status.NOT_PROVEN if self.without_manifest else Status.WRONG
            yield Line("manifest", status, NO_MANIFEST)
            if self.key is not None:
                yield Line("signature", Status.WRONG, "nobody signed it")
        released = None
        if self.statement.file is not None:
            released, lines = self.read_file(self.statement.file)
            yield from lines
            if released is None:
                return
        has_source = self.source is not None or (
            self.recorded is not None and self.recorded.evidence.source.example is not None
        )
        if self.recorded is not None and has_source:
            yield from self.with_source(self.recorded, released)
        else:
            if self.has_manifest and self.key is None and not self.manifests.is_signed():
                yield Line("signature", Status.NOT_PROVEN, UNSIGNED)
            if self.source is not None:
                yield Line("source", Status.NOT_PROVEN, NOT_COMPARED)
            yield from self.without_source(released)

    def earlier(self, recorded: Recorded) -> Iterator[Line]:
        """Say whether the releases that were there before are those that are listed."""
        if "copy_of" not in recorded.content:
            yield from foreign_versions(recorded.folder, recorded.folder)
        for listed, version in zip(
            recorded.content.get("earlier", ()), recorded.listed, strict=True
        ):
            if not version.releases:
                told = "it was released earlier, and is not there"
                yield Line(version.name, Status.NOT_PROVEN, told)
                continue
            same = dict(listed) == version.to_dict()
            wrong = [
                one
                for release in version.releases
                if (release / "public" / MANIFEST).exists()
                for one in ManifestVerifier(release / "public", release / "internal").lines()
                if one.status is Status.WRONG
            ]
            told = "it is what was released earlier, file by file"
            other = wrong[0].sentence if wrong else "it is not the release that is listed"
            yield line(version.name, same and not wrong, told, other)

    def written(self) -> Iterator[Line]:
        """Say whether documents are written as they always are, and tell of one run."""
        files = [self.public / "statement.json"]
        if self.internal is not None:
            files.append(self.internal / "evidence.json")
        for file in files:
            if encode_json(_document(file)) != file.read_bytes():
                yield Line(file.name, Status.WRONG, "it is not written as a release writes it")
        if self.recorded is not None:
            same = self.manifests.recorded_run() == self.recorded.run_block
            one_run = "manifest and evidence tell of the same run"
            yield line("run", same, one_run, "manifest and evidence tell of different runs")

    def read_file(self, stated: StatedFile) -> tuple[Dataset | None, list[Line]]:
        """Read the released file as the public does: with what the statement says of it."""
        file = self.public / Path(stated.name).name
        if not file.is_file():
            raise InputError(f"The released file {file} is not there.")
        same, what = sha256(file) == stated.sha256, "the file stated"
        lines = [line("file", same, f"{file.name} is {what}", f"{file.name} is not {what}")]
        declared = {row.name: row.declaration() for row in self.statement.attributes}
        try:
            released = read_dataset(file, declared, layout=layout_of(stated.layout))
        except InputError as error:
            told = f"the file does not fit its statement: {error}"
            return None, [*lines, Line("records", Status.WRONG, told)]
        same = len(released) == stated.records and released.names == list(declared)
        size = f"{counted(len(released), 'record')} of {counted(len(declared), 'attribute')}"
        lines.append(line("records", same, size, f"{size}, and others are stated"))
        if self.has_manifest:
            lines.append(self.nothing_beside(file, released))
        if stated.order == "contents":
            order = Ordering(stated.order, stated.history)
            told = "records stand in another order than their contents demand"
            lines.append(line("order", order.holds(released), order.sentence(released), told))
        return released, lines

    def nothing_beside(self, file: Path, released: Dataset) -> Line:
        """Say whether a file holds what it shows and nothing else, in any part of it.

        Whatever a reader of the values does not see (metadata, hidden sheets, zeros at the end of
        numbers, bytes between parts) is not written when the values are written again.
        """
        shown = [released.contents()]
        if file.suffix != ".csv":  # numbers where codes are declared: a text file shows none
            shown.append(read_contents(file))
        with TemporaryDirectory() as temporary:
            again = Path(temporary) / file.name
            same = any(_writes_again(contents, again, file) for contents in shown)
        told = "written again from the values it shows, it has the same bytes"
        other = (
            "it holds something else than the values it shows: written again, it has other bytes"
        )
        return made_again(file.name, same, told, other, self.changed_versions(file))

    def changed_versions(self, file: Path) -> str:
        """Name the versions that wrote a file and are not here."""
        run = self.manifests.recorded_run()
        return "" if run is None else what_changed(run, WRITES.get(file.suffix, ()))

    # -- with the source ---------------------------------------------------------------------------

    def with_source(self, recorded: Recorded, released: Dataset | None) -> Iterator[Line]:
        """Read the source, check seal and hash, and make everything again."""
        try:
            original = read_original(recorded, self.source)
        except NotAtHandError:
            raise
        except InputError as error:
            if self.source is not None and _is_missing(self.source):
                raise
            yield Line("source", Status.WRONG, f"it is not what was protected: {error}")
            return
        fingerprint, hashed = original.fingerprint(), recorded.evidence.run.input
        same = keyed_hash(fingerprint, hashed.key) == hashed.hmac_sha256
        yield line("source", same, "it is what was protected", "it is not what was protected")
        if not same:
            return
        is_sealed = False
        if self.has_manifest:
            sealed = self.manifests.sealed(seal_by(fingerprint, recorded.run_block))
            is_sealed = sealed.status is Status.REDERIVED
            yield sealed
        if self.regeneration is None:
            self.regeneration = Regeneration(original)
        verifier = SourceVerifier(
            recorded, self.regeneration, released, self.content, self.has_manifest, is_sealed
        )
        yield from verifier.lines()

    # -- without it --------------------------------------------------------------------------------

    def without_source(self, released: Dataset | None) -> Iterator[Line]:
        """Go through what the released bytes can show."""
        file = self.statement.file
        if self.has_manifest and file is not None and file.order == "source":
            told = "it is said to be that of the source, and may tell who is who"
            yield Line("order", Status.ATTESTED, told)
        run = self.manifests.recorded_run() if self.has_manifest else None
        verifier = StatementVerifier(
            self.public,
            self.content,
            self.statement,
            released,
            self.recorded,
            run,
        )
        yield from verifier.lines()
        if self.statement.tables is not None:
            yield from TableVerifier(self.statement.tables, self.public, run).lines()


def _document(file: Path) -> dict[str, Any]:
    """Return a JSON document in plain types; `read_json` has said whether it is one."""
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return document


def _writes_again(contents: Contents, again: Path, file: Path) -> bool:
    """Tell whether contents are written with the bytes of a file."""
    write_contents(contents, again)
    return again.read_bytes() == file.read_bytes()


def _is_missing(source: Place) -> bool:
    return not is_address(source) and not Path(source).is_file()
