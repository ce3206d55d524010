"""Versions of a release: a run never deletes what an earlier one wrote.

The newest release of a folder lies in `public/` and `internal/` (or `copy-1/` and so on), those
before it in `versions/1/`, `versions/2/`, ... in the order in which they were made. Each is a whole
release and can be verified where it lies. The evidence of a release lists those that were there
before it, with the digest of their manifests, and is so their registry: whoever changes or removes
one is found out by those that came later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tacita.attacks.several_releases import SeveralReleases
from tacita.data.dataset import FROM_NOBODY, Dataset
from tacita.data.formats import layout_of
from tacita.data.formats.atomic import OWN, is_release, keep_file
from tacita.data.read import read_dataset
from tacita.errors import InputError, OutputError
from tacita.method import Method
from tacita.release.manifest import MANIFEST, files_below, keyed_hash, read_envelope, sha256
from tacita.release.written import Evidence, Statement, read_json

VERSIONS = "versions"
NUMBER = re.compile(r"[1-9][0-9]*", re.ASCII)
PARTS = ("public", "internal")


@dataclass(frozen=True)
class Version:
    """A release that was made before.

    Args:
        name: where it lies once there is a newer one, such as `versions/1`.
        folder: where it lies now.
    """

    name: str
    folder: Path

    @property
    def releases(self) -> list[Path]:
        """The folder with `public/` and `internal/`; several for synthetic copies."""
        if is_release(self.folder):
            return [self.folder]
        return sorted(copy for copy in self.folder.glob("copy-*") if is_release(copy))

    def to_dict(self) -> dict[str, Any]:
        """Return how the evidence of a later release names it."""
        manifests = (folder / "public" / MANIFEST for folder in self.releases)
        return {
            "version": self.name,
            "manifests": [sha256(file) if file.is_file() else None for file in manifests],
        }


def versions_in(folder: Path) -> list[Version]:
    """Return the releases of a folder, the oldest first, the newest as what it will be called.

    Args:
        folder: where releases are written; it need not be there yet.
    """
    numbers = sorted(
        int(entry.name) for entry in _entries(folder / VERSIONS) if NUMBER.fullmatch(entry.name)
    )
    kept = [Version(f"{VERSIONS}/{n}", folder / VERSIONS / str(n)) for n in numbers]
    if not any(map(is_release, (folder, folder / "copy-1"))):
        return kept
    return [*kept, Version(f"{VERSIONS}/{max(numbers, default=0) + 1}", folder)]


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def listed_versions(folder: Path, listed: Iterable[Mapping[str, Any]]) -> list[Version]:
    """Return the releases that the evidence of a release lists, whether they are there or not.

    Args:
        folder: where the release lies, itself a version or the newest.
        listed: what its evidence says.
    """
    root = folder.parent.parent if folder.parent.name == VERSIONS else folder
    return [Version(row["version"], root / row["version"]) for row in listed]


# -- keeping them ----------------------------------------------------------------------------------


def keep_versions(folder: Path, new: Path) -> None:
    """Link every release of a folder into the one that takes its place.

    Raises:
        OutputError: the folder holds what no release wrote.
    """
    refuse_foreign(folder)
    for version in versions_in(folder):
        parts = [folder / VERSIONS] if version.folder == folder else []
        for file in files_below(version.folder):
            if not any(file.is_relative_to(part) for part in parts):
                kept = new / version.name / file.relative_to(version.folder)
                keep_file(file, kept)
    for path in (new / VERSIONS).rglob("*"):
        if path.is_dir() and path.name == "internal":
            path.chmod(OWN)
    (new / VERSIONS).chmod(OWN)


def refuse_foreign(folder: Path) -> None:
    """Refuse to write where something lies that no release wrote.

    Raises:
        OutputError: such a thing is there; it is named.
    """
    for version in versions_in(folder):
        for release in version.releases:
            _refuse_unlisted(release)
            for entry in sorted(release.iterdir()):
                is_version = release == folder and entry.name == VERSIONS
                if entry.name not in PARTS and not is_version:
                    raise _foreign(entry, folder)
        known = {release.name for release in version.releases} - {version.folder.name}
        known |= {VERSIONS} if version.folder == folder else set()
        known |= set(PARTS) if is_release(version.folder) else set()
        for entry in sorted(version.folder.iterdir()):
            if entry.name not in known:
                raise _foreign(entry, folder)
    for entry in sorted(_entries(folder / VERSIONS)):
        if not NUMBER.fullmatch(entry.name) or not Version(entry.name, entry).releases:
            raise _foreign(entry, folder)


def _refuse_unlisted(release: Path) -> None:
    """Refuse a file in a release that its manifests do not list; older releases have none."""
    for part in PARTS:
        if not (release / part / MANIFEST).is_file():
            continue
        try:
            rows = read_envelope(release / part / MANIFEST).statement["subject"]
            below = release if part == "internal" else release / part
            listed = {below / row["name"] for row in rows} | {release / part / MANIFEST}
            here = files_below(release / part)
        except (InputError, KeyError, TypeError) as error:
            raise OutputError(
                f"The release in {release} is damaged and was not replaced: {error} Move it "
                "elsewhere, or choose another folder."
            ) from error
        for file in here:
            if file not in listed:
                raise _foreign(file, release)


def _foreign(entry: Path, folder: Path) -> OutputError:
    return OutputError(
        f"{entry} was not written by a release, and a run never moves or deletes what others put "
        f"there. Move it elsewhere, or choose another folder than {folder}."
    )


# -- attacking them --------------------------------------------------------------------------------


def released_earlier(versions: list[Version], original: Dataset) -> tuple[Dataset, ...]:
    """Return the records that earlier releases of the same source published.

    Args:
        versions: the earlier releases.
        original: the source; releases of another source are left out.
    """
    fingerprint = original.fingerprint()
    return tuple(
        data
        for version in versions
        for release in version.releases
        if (data := _released(release, original, fingerprint)) is not None
    )


def with_earlier(original: Dataset, folder: Path) -> Dataset:
    """Put beside the source what the releases in a folder published of it."""
    versions = versions_in(folder)
    if not versions:
        return original
    earlier = released_earlier(versions, original)
    return replace(original, external=replace(original.external, earlier=earlier))


def _released(release: Path, original: Dataset, fingerprint: str) -> Dataset | None:
    """Return the records of one release, each with its place in the source."""
    internal = release / "internal"
    if not (internal / "evidence.json").is_file():
        return None
    hashed = read_json(internal / "evidence.json", Evidence).run.input
    stated = read_json(release / "public" / "statement.json", Statement)
    of_source = keyed_hash(fingerprint, hashed.key) == hashed.hmac_sha256
    if stated.file is None or not of_source:
        return None
    declared = {row.name: row.declaration() for row in stated.attributes}
    file = release / "public" / Path(stated.file.name).name
    data = read_dataset(file, declared, layout=layout_of(stated.file.layout))
    table = pq.read_table(internal / "records.parquet")
    rows = pc.fill_null(pc.subtract(table["source_record"], 1), FROM_NOBODY)
    return replace(data, rows=np.asarray(rows).astype(np.int64), lineage=original.lineage)


def attacks_on_versions(earlier: tuple[Dataset, ...], measures: tuple[Method, ...]) -> list[Method]:
    """Return the attacks on all releases together, where there are several and none was chosen."""
    chosen = any(isinstance(method, SeveralReleases) for method in measures)
    real = [data for data in earlier if not data.is_synthetic]
    if chosen or not real:
        return []
    return [SeveralReleases(), SeveralReleases(aim="reidentify")]
