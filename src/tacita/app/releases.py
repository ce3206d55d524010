"""The releases of a workplace: what was written, and how it is handed out."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Literal

from tacita.app.workplace import Workplace
from tacita.data.formats.atomic import is_release
from tacita.errors import InputError, shown
from tacita.release.proof import Judged, Proof

FOLDER = "releases"
NAME = re.compile(r"[\w][\w .-]{0,79}")
Side = Literal["public", "internal"]
SIDES: tuple[Side, ...] = ("public", "internal")


@dataclass(frozen=True)
class Released:
    """A release that lies in the folder, or lay there when it was looked for.

    Args:
        name: its name.
        parts: its folders: itself, or one for each synthetic copy.
        seconds: when it was written, in seconds since 1970.
    """

    name: str
    parts: tuple[Path, ...]
    seconds: float

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self.parts[0] if len(self.parts) == 1 else self.parts[0].parent

    @property
    def written(self) -> str:
        """When it was written."""
        when = datetime.fromtimestamp(self.seconds).astimezone()
        return f"{when:%Y-%m-%d %H:%M}"

    @property
    def holds(self) -> bool:
        """Whether every requirement held, as its evidence says."""
        return all(_evidence(part).get("requirements_hold") is True for part in self.parts)

    @property
    def verdicts(self) -> list[Any]:
        """The verdicts on the requirements, of every copy."""
        return [one for part in self.parts for one in _evidence(part).get("requirements", ())]

    @property
    def judged(self) -> Judged:
        """How it is known that the requirements hold; earlier versions did not write it down."""
        untold = {"holds": False, "proof": Proof.NOT_PROVEN.value}
        return Judged.of_rows([{**untold, **row} for row in self.verdicts])

    @property
    def waived(self) -> bool:
        """Whether nothing was required of the records, as its evidence says."""
        return any(bool(_evidence(part).get("waived")) for part in self.parts)

    def files(self, side: Side) -> Iterator[tuple[Path, str]]:
        """Return the files of a side, each with its name in an archive."""
        for part in self.parts:
            for file in sorted((part / side).rglob("*")):
                if file.is_file() and not file.is_symlink():
                    yield file, f"{self.name}/{file.relative_to(self.folder)}"

    def archive(self, side: Side, target: IO[bytes]) -> None:
        """Write the files of a side into a zip archive.

        Raises:
            InputError: somebody removes the release meanwhile.
        """
        try:
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
                for file, name in self.files(side):
                    archive.write(file, name)
        except FileNotFoundError as error:
            raise InputError("The release is no longer there; load the page again.") from error


def releases_in(workplace: Workplace) -> list[Released]:
    """Return the releases, the last written first."""
    place = workplace.folder / FOLDER
    if not place.is_dir():
        return []
    names = [one.name for one in place.iterdir() if NAME.fullmatch(one.name)]
    found = [one for name in names if (one := _released(workplace, name))]
    return sorted(found, key=lambda one: -one.seconds)


def find_release(workplace: Workplace, name: str) -> Released:
    """Return a release by its name.

    Raises:
        InputError: there is none of that name.
    """
    found = _released(workplace, name) if NAME.fullmatch(name) else None
    if found is None:
        raise InputError("There is no such release in the folder.")
    return found


def refuse_name(workplace: Workplace, name: str) -> str:
    """Return the name of a new release.

    Raises:
        InputError: it cannot be one, or something of that name is there.
    """
    if not NAME.fullmatch(name):
        raise InputError(
            "A release is named with letters, digits, spaces, dots and hyphens; "
            f"found {shown(name)}."
        )
    if workplace.inside(f"{FOLDER}/{name}").exists():
        raise InputError(f"There is a release `{name}` already; choose another name.")
    return name


def _released(workplace: Workplace, name: str) -> Released | None:
    folder = workplace.inside(f"{FOLDER}/{name}")
    try:
        if any(one.is_symlink() for one in folder.rglob("*")):
            return None  # Tacita writes none: it would hand out what lies elsewhere
        copies = tuple(sorted(one for one in folder.glob("copy-*") if is_release(one)))
        parts = (folder,) if is_release(folder) else copies
        return Released(name, parts, folder.stat().st_mtime) if parts else None
    except FileNotFoundError:  # somebody removes it just now
        return None


def _evidence(part: Path) -> dict[str, Any]:
    """Return the evidence, or what the public is told where the evidence was taken away.

    Of a file that somebody broke nothing is known, so that nothing holds.
    """
    kept = part / "internal" / "evidence.json"
    place = kept if kept.is_file() else part / "public" / "statement.json"
    try:
        found = json.loads(place.read_text("utf-8"))
    except (OSError, ValueError):
        found = None
    return found if isinstance(found, dict) else {}
