"""Which files may be written: never one that is read, and none that is there unless it is meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path

from tacita.data.formats.whole_files import unusable
from tacita.errors import OutputError

Consent = Callable[[Path], bool]


def refuse_source(target: str | PathLike[str], sources: Iterable[str | PathLike[str]]) -> None:
    """Refuse to write over a file that is read, under whatever name or link.

    Args:
        target: the file to write.
        sources: the files that are read; an address of a database is passed over.

    Raises:
        OutputError: it is one of them.
    """
    for source in sources:
        if _is_same(Path(target), Path(source)):
            raise OutputError(
                f"{target} is read here, and would be lost; name another file to write."
            )


def refuse_existing(target: str | PathLike[str], *, overwrite: bool | Consent = False) -> None:
    """Refuse to write over a file that is there, unless it is meant.

    Args:
        target: the file to write.
        overwrite: whether it may be replaced, or what asks a person whether it may.

    Raises:
        OutputError: there is a file, and it may not be replaced.

    >>> refuse_existing("no such file.csv")
    """
    path = Path(target)
    if not _exists(path) or path.is_dir():  # a folder has a message of its own
        return
    if not (overwrite(path) if callable(overwrite) else overwrite):
        raise OutputError(
            f"{path} exists and is kept; choose another name, or let it be replaced (`overwrite`, "
            "on the command line `--overwrite`)."
        )


def _exists(path: Path) -> bool:
    try:
        return path.exists() or path.is_symlink()
    except OSError as error:
        raise OutputError(str(unusable(path, error))) from error


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return path.resolve() == other.resolve()
