"""Files as they are at one moment: read and never mapped, and refused if they change meanwhile.

A file that is mapped into memory and cut off by somebody ends the process with a bus error, which
nothing can turn into a sentence. One that is written while it is read gives half of each state.
"""

from __future__ import annotations

import errno
import mmap
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from tacita.errors import InputError, TacitaError

PIECE = 2**30  # bytes that are asked for at once; some systems give no more than 2 GiB
ABSENT = (FileNotFoundError, NotADirectoryError)
LONGEST = 255  # characters of a path that a message shows
State = tuple[int, ...]


def file_bytes(path: Path, *, held: int | None = None) -> pa.Buffer:
    """Return all bytes of a file as they were when it was opened.

    Args:
        path: the file.
        held: how many bytes may be held in memory. A larger file is copied to the folder for
            temporary files and the copy mapped, which has no name and which nobody can cut off.

    Raises:
        InputError: the file became shorter, or was written, while it was read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.txt").write_bytes(b"zip")
    ...     file_bytes(Path(folder, "a.txt")).to_pybytes()
    b'zip'
    """
    with path.open("rb", buffering=0) as file:
        before = _state(os.fstat(file.fileno()))
        size = os.fstat(file.fileno()).st_size
        buffer = _room(path, size, held)
        view, filled = memoryview(buffer).cast("B"), 0
        while filled < size and (count := file.readinto(view[filled : filled + PIECE])):
            filled += count
        is_same = filled == size and _state(os.fstat(file.fileno())) == before
    if not is_same:
        raise _changed(path)
    return buffer


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """Refuse what was read of a file in the block if the file was changed or replaced meanwhile.

    Damage that is found in a file that changes is no damage: the message says what it is.
    """
    before = _state(path.stat())
    try:
        yield
    except (TacitaError, OSError) as error:
        if _is_other(path, before):
            raise _changed(path) from error
        raise
    if _is_other(path, before):
        raise _changed(path)


def is_file(path: Path) -> bool:
    """Tell whether there is a file at a path.

    Raises:
        InputError: the system refuses the path itself: a name that is too long, a folder that may
            not be looked into.
    """
    return _asked(path, path.is_file)


def is_folder(path: Path) -> bool:
    """Tell whether there is a folder at a path; see `is_file`."""
    return _asked(path, path.is_dir)


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, for hints; none where it may not be looked into.

    >>> names_in(Path("no such folder"))
    []
    """
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except (OSError, ValueError):
        return []


def _room(path: Path, size: int, held: int | None) -> pa.Buffer:
    """Return a buffer to read a file into: memory, or a nameless file on the disk."""
    if held is None or size <= held:
        return pa.allocate_buffer(size)
    try:
        with tempfile.TemporaryFile() as copy:
            os.posix_fallocate(copy.fileno(), 0, size)  # a full disk shows now and not as a fault
            return pa.py_buffer(mmap.mmap(copy.fileno(), size))
    except OSError as error:
        raise InputError(
            f"There is no space for a copy of {path} among the temporary files "
            f"({error.strerror or error}); set TMPDIR to a folder with {size / 2**30:.1f} GiB."
        ) from error


def _asked(path: Path, question: Callable[[], bool]) -> bool:
    try:
        return question()
    except OSError as error:
        raise unusable(path, error) from error


def unusable(path: str | Path, error: OSError) -> InputError:
    """Return the error that tells of a path that the system refuses.

    >>> print(unusable("a.csv", OSError(errno.EACCES, "Permission denied")))
    Cannot use the path a.csv: permission denied. Choose a path that you may read.
    """
    advice = {
        errno.ENAMETOOLONG: "Choose a shorter name",
        errno.EACCES: "Choose a path that you may read",
    }.get(error.errno or 0, "Choose another path")
    reason = (error.strerror or str(error) or "the system refuses it").rstrip(".")
    name = str(path)
    told = name if len(name) <= LONGEST else f"{name[:LONGEST]}..."
    return InputError(f"Cannot use the path {told}: {reason[:1].lower()}{reason[1:]}. {advice}.")


def _state(status: os.stat_result) -> State:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _is_other(path: Path, before: State) -> bool:
    try:
        return _state(path.stat()) != before
    except ABSENT:
        return True


def _changed(path: Path) -> InputError:
    return InputError(
        f"{path} was changed while it was read; read it again when nobody writes it, or read a "
        "copy of it."
    )
