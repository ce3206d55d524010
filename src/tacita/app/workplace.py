"""The folder a person chose: files are read and written in it, and nowhere else."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from tacita.data.formats import FORMATS
from tacita.data.formats.atomic import atomic_file
from tacita.errors import InputError, shown

HIDDEN = ".tacita"  # where the workbench keeps its own
LARGEST = 4 * 2**30  # bytes of a file that is brought in
MOST = 2000  # files that are listed
NAME = re.compile(r"[^\x00-\x1f/\\:*?\"<>|.][^\x00-\x1f/\\:*?\"<>|]{0,199}")
PLANS = (".yaml", ".yml")


@dataclass(frozen=True)
class Workplace:
    """A folder with data, plans and releases, and the session folder that remembers the work.

    Args:
        folder: the folder; nothing outside of it is read or written.
        session: where work is remembered.
        largest: the most bytes of a file that is brought in.
    """

    folder: Path
    session: Path
    largest: int = LARGEST

    @classmethod
    def at(cls, folder: Path, session: Path | None = None, *, largest: int = LARGEST) -> Workplace:
        """Choose a folder, and make its session folder.

        Raises:
            InputError: there is no such folder.
        """
        if not folder.is_dir():
            raise InputError(f"There is no folder {folder}; make it, or choose another.")
        place = folder.resolve()
        own = (session or place / HIDDEN).resolve()
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cls(place, own, largest)

    def inside(self, name: str) -> Path:
        """Return the path of a file of the folder.

        Raises:
            InputError: it would lie elsewhere, or in the session folder.
        """
        path = (self.folder / name).resolve()
        if not path.is_relative_to(self.folder) or path.is_relative_to(self.session):
            raise InputError(f"{shown(name)} is not in the folder of the workbench.")
        return path

    def files(self) -> list[str]:
        """Return the data files of the folder and of those in it, by name."""
        return self._named(tuple(FORMATS))

    def plans(self) -> list[str]:
        """Return the plan files of the folder, by name."""
        return self._named(PLANS)

    def _named(self, endings: tuple[str, ...]) -> list[str]:
        found = (path for path in self._walk() if path.name.lower().endswith(endings))
        return sorted(str(path.relative_to(self.folder)) for path in found)[:MOST]

    def _walk(self) -> Iterator[Path]:
        """Go through the folder; links are not followed, hidden folders and releases left out."""
        for place, folders, files in os.walk(self.folder):
            here = Path(place)
            folders[:] = [one for one in folders if not one.startswith(".") and one != "internal"]
            yield from (here / one for one in files if not one.startswith("."))

    async def bring_in(self, name: str, content: AsyncIterator[bytes]) -> str:
        """Write a file that a person brings; one that is there is not replaced.

        Args:
            name: what it is called.
            content: its bytes, piece by piece.

        Returns:
            The name it got.

        Raises:
            InputError: it has no good name, or is too large.
        """
        if not NAME.fullmatch(name) or not name.lower().endswith((*FORMATS, *PLANS)):
            raise InputError(
                f"Expected a data file such as {', '.join(list(FORMATS)[:4])} or a plan (.yaml); "
                f"found {shown(name)}."
            )
        target = self._free(name)
        size = 0
        with atomic_file(target) as temporary, temporary.open("wb") as file:
            async for piece in content:
                size += len(piece)
                if size > self.largest:
                    raise InputError(
                        f"The file is larger than {self.largest / 2**30:,.3g} GiB, the most that "
                        "can be brought in; put it into the folder by hand."
                    )
                file.write(piece)
        return str(target.relative_to(self.folder))

    def _free(self, name: str) -> Path:
        stem, dot, ending = name.partition(".")
        target, number = self.inside(name), 1
        while target.exists():
            number += 1
            target = self.inside(f"{stem} {number}{dot}{ending}")
        return target
