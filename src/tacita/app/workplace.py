"""The folder a person chose: files are read and written in it, and nowhere else."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import secrets
import shutil
import stat
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from tacita.data.formats import FORMATS
from tacita.data.formats.atomic import atomic_file
from tacita.errors import InputError, OutputError, shown

HIDDEN = ".tacita"  # where the workbench keeps its own
INCOMING = "incoming"  # what is being brought in, until it is whole, and files of the moment
LARGEST = 4 * 2**30  # bytes of a file that is brought in
LONGEST = 200  # bytes of the name of a file that is brought in
MOST = 2000  # files that are listed
NAME = re.compile(r"[^\x00-\x1f/\\:*?\"<>|.][^\x00-\x1f/\\:*?\"<>|]{0,199}")
PLANS = (".yaml", ".yml")
PLAN = "plan.yaml"  # where the plan of a project would stand


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
            InputError: there is no such folder, or its session folder cannot be used.
        """
        if not folder.is_dir():
            raise InputError(f"There is no folder {folder}; make it, or choose another.")
        place = folder.resolve()
        own = (session or place / HIDDEN).resolve()
        if place.is_relative_to(own) or (session is None and own.parent != place):
            raise InputError(
                f"The work cannot be remembered in {own}, which is not a folder of its own in "
                f"{place}; choose one with --session."
            )
        try:
            own.mkdir(mode=0o700, parents=True, exist_ok=True)
            (own / INCOMING).mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"The work cannot be remembered in {own}: {error.strerror}. Choose another place "
                "with --session."
            ) from error
        return cls(place, own, largest)

    def inside(self, name: str) -> Path:
        """Return the path of a file of the folder.

        Raises:
            InputError: it would lie elsewhere, or in the session folder, or is no file to be read.
        """
        try:
            path = (self.folder / name).resolve()
            kind = _kind(path)
        except (OSError, ValueError) as error:  # too long, or letters that no name can have
            raise InputError(f"{shown(name)} is no name of a file.") from error
        if not path.is_relative_to(self.folder) or path.is_relative_to(self.session):
            raise InputError(f"{shown(name)} is not in the folder of the workbench.")
        if kind not in (None, stat.S_IFREG, stat.S_IFDIR):
            raise InputError(f"{shown(name)} is a device or a pipe, not a file.")
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

    async def bring_in(
        self, name: str, content: AsyncIterator[bytes], *, size: int | None = None
    ) -> str:
        """Write a file that a person brings; one that is there is not replaced.

        It is written in the session folder and moved when it is whole: whatever happens meanwhile,
        nothing of it is left in the folder, and what a crash leaves is swept at the next start.

        Args:
            name: what it is called.
            content: its bytes, piece by piece.
            size: how many there will be, if that is known.

        Returns:
            The name it got.

        Raises:
            InputError: it has no good name, or is too large.
        """
        is_named = NAME.fullmatch(name) and name.isprintable() and len(name.encode()) <= LONGEST
        if not is_named or not name.lower().endswith((*FORMATS, *PLANS)):
            raise InputError(
                f"Expected a data file such as {', '.join(list(FORMATS)[:4])} or a plan (.yaml); "
                f"found {shown(name)}."
            )
        self._refuse_size(size or 0)
        written, whole = 0, self.session / INCOMING / secrets.token_hex(8)
        try:
            with atomic_file(whole) as temporary, temporary.open("wb") as file:
                async for piece in content:
                    written += len(piece)
                    self._refuse_size(written)
                    file.write(piece)
        except OutputError as error:
            raise OutputError(str(error).replace(str(whole), name)) from error
        return await asyncio.to_thread(self._put, whole, name)

    def _refuse_size(self, size: int) -> None:
        if size > self.largest:
            raise InputError(
                f"The file is larger than {self.largest / 2**30:,.3g} GiB, the most that can be "
                "brought in; put it into the folder by hand."
            )

    def _put(self, whole: Path, name: str) -> str:
        """Move a file that is whole into the folder; nothing that is there is replaced."""
        target = None
        try:
            target = self._taken(name)
            with atomic_file(target) as temporary:
                shutil.move(whole, temporary)  # the session folder may be on another disk
        except BaseException:
            for left in (whole, target):
                if left is not None:
                    left.unlink(missing_ok=True)
            raise
        return str(target.relative_to(self.folder))

    def _taken(self, name: str) -> Path:
        """Take a name that nothing in the folder has, or the next one that is free."""
        stem, dot, ending = name.partition(".")
        for number in itertools.count(1):
            target = self.inside(f"{stem} {number}{dot}{ending}" if number > 1 else name)
            try:
                target.touch(exist_ok=False)
            except FileExistsError:
                continue
            except OSError as error:
                raise OutputError(f"Cannot write into {self.folder}: {error.strerror}.") from error
            return target
        raise AssertionError("numbers do not end")

    def sweep(self) -> None:
        """Remove what was in the making when the workbench ended; nobody else may use it."""
        for left in (self.session / INCOMING).iterdir():
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left)
            else:
                left.unlink(missing_ok=True)


def _kind(path: Path) -> int | None:
    """Return what lies at a place, by one look: it may come and go; None for nothing."""
    try:
        return stat.S_IFMT(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None
