"""All or nothing on disk: write under a hidden name beside the target, then rename.

Whatever goes wrong in between (a full disk, Ctrl-C, a bug), the target is as it was and nothing
half written is left. What the file system says becomes one sentence, an ``OutputError``.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from glob import escape
from pathlib import Path

from tacita.errors import OutputError
from tacita.interrupts import raise_if_interrupted

ADVICE = {
    errno.ENOSPC: "Free some space or choose another place",
    errno.EDQUOT: "Free some space or choose another place",
    errno.EACCES: "Choose a place where you may write",
    errno.EPERM: "Choose a place where you may write",
    errno.EROFS: "Choose a place that is not read-only",
    errno.ENOENT: "Create the folder it is to lie in, or choose another",
    errno.ENOTDIR: "Choose a place inside a folder",
    errno.ENAMETOOLONG: "Choose a shorter name",
}

OWN = 0o700  # what only the owner may read, write and enter
Keep = Callable[[Path, Path], None]

# In the names of drafts, of what they replace, and of drafts before they are locked.
DRAFT, ASIDE, UNBORN = ".tacita-", ".tacita-old-", ".tacita-new-"


def is_release(folder: Path) -> bool:
    """Tell whether a folder is a release that Tacita wrote."""
    return (folder / "public" / "statement.json").is_file()


@contextmanager
def atomic_folder(target: Path, *, keep: Keep | None = None) -> Iterator[Path]:
    """Fill a folder that appears complete or not at all.

    Gives a fresh hidden folder beside the target and renames it when the block ends well. A folder
    that is not empty is only replaced by one that holds all of its files: `keep` links them into
    the new one, or refuses; without it such a folder is refused.

    Args:
        target: the folder to write; the folder it lies in must exist.
        keep: is given the target and the new folder, and links every file of the one into the
            other by `keep_file`.
    """
    target = Path(target).resolve()
    temporary = _hidden(target)
    with _explained(target, temporary), ExitStack() as held:
        _refuse_foreign(target, keep)
        try:
            held.enter_context(_draft(temporary, target))
            yield temporary
            _refuse_foreign(target, keep)  # it may have come into being meanwhile
            if keep is not None and _holds_something(target):
                keep(target, temporary)
            _to_disk(temporary)
            raise_if_interrupted()
            _put_folder(temporary, target)
            _to_disk(target.parent, deep=False)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


def keep_file(kept: Path, new: Path) -> None:
    """Give a file a second name, or where the system has no links a copy."""
    new.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(kept, new, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(kept, new, follow_symlinks=False)


def refuse_place(target: Path, *, keep: Keep | None = None) -> None:
    """Refuse a place that a folder cannot be written to, before any work is done for it.

    Args:
        target: the folder to be written.
        keep: as `atomic_folder` takes it.
    """
    target = Path(target).resolve()
    temporary = _hidden(target)
    with _explained(target, temporary):
        _refuse_foreign(target, keep)
        try:
            temporary.mkdir()
            temporary.rmdir()
        except BaseException:  # such as Ctrl-C in between
            shutil.rmtree(temporary, ignore_errors=True)
            raise


@contextmanager
def atomic_file(target: Path) -> Iterator[Path]:
    """Write a file that appears complete or not at all; an existing file is replaced.

    Gives a hidden path beside the target, where the block is to create the file.

    Args:
        target: the file to write; the folder it lies in must exist.
    """
    target = Path(target).resolve()
    temporary = _hidden(target)
    with _explained(target, temporary):
        if target.is_dir():
            raise OutputError(f"Cannot write the file {target}: a folder has that name.")
        try:
            yield temporary
            raise_if_interrupted()
            _put_file(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


@contextmanager
def staged_files(target: Path, allowed: Callable[[Path], None]) -> Iterator[Path]:
    """Write a file, with those that its format puts beside it, which appear if the block ends well.

    Gives a path of the same name in a hidden folder beside the target, so that what was written can
    be looked at before it takes the place of anything.

    Args:
        target: the file to write; the folder it lies in must exist.
        allowed: is asked before each file appears, and raises an error if it may not.
    """
    target = Path(target).resolve()
    draft = _hidden(target)
    with _explained(target, draft), ExitStack() as held:
        try:
            held.enter_context(_draft(draft, target))
            with _explained(target, draft / target.name):
                yield draft / target.name
            # The file itself comes last: where it is, those beside it are.
            written = sorted(draft.iterdir(), key=lambda file: file.name == target.name)
            for file in written:
                allowed(target.parent / file.name)
            raise_if_interrupted()
            for file in written:
                _put_file(file, target.parent / file.name)
            draft.rmdir()
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise


@contextmanager
def _draft(temporary: Path, target: Path) -> Iterator[None]:
    """Make a draft that lives as long as this process, and remove those of runs that are dead.

    A draft is locked by whoever writes it, and the system lets go of the lock when that process
    ends, however it ends. Where folders cannot be locked, drafts of dead runs stay.
    """
    _sweep(target)
    unborn = _hidden(target, UNBORN)  # so that nobody takes it for dead before it is locked
    unborn.mkdir()
    with _locked(unborn):
        unborn.rename(temporary)
        yield


def _sweep(target: Path) -> None:
    """Remove what dead runs left beside a target; what one had put aside comes back if it must."""
    ours = re.compile(
        rf"\.{re.escape(target.name)}({re.escape(DRAFT)}|{re.escape(ASIDE)})[0-9a-f]{{8}}"
    )
    for other in target.parent.glob(f".{escape(target.name)}{DRAFT}*"):
        if not ours.fullmatch(other.name):  # somebody else's, or a draft before it is locked
            continue
        with _locked(other) as is_dead:
            if not is_dead:
                continue
            if other.name.startswith(f".{target.name}{ASIDE}") and not target.exists():
                other.rename(target)
            else:
                shutil.rmtree(other, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder, and tell whether it is held; nobody ever waits for one."""
    try:
        import fcntl

        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except (ImportError, AttributeError, OSError):  # no locks here, or no folder
        yield False
        return
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_held = True
    except OSError:
        is_held = False
    try:
        yield is_held
    finally:
        os.close(opened)


def _to_disk(folder: Path, *, deep: bool = True) -> None:
    """Wait until a folder and what is in it would outlast a power failure."""
    for path in (*(folder.rglob("*") if deep else ()), folder):
        try:
            opened = os.open(path, os.O_RDONLY)
        except OSError:  # folders cannot be opened everywhere
            continue
        try:
            os.fsync(opened)
        except OSError as error:
            if error.errno != errno.EINVAL:  # what cannot be synchronized needs it not
                raise
        finally:
            os.close(opened)


def _hidden(target: Path, word: str = DRAFT) -> Path:
    """Name a hidden sibling, which is on the same file system and can be renamed to the target."""
    if not target.name:
        raise OutputError(f"Cannot write {target}: it is the root of the file system.")
    return target.with_name(f".{target.name}{word}{secrets.token_hex(4)}")


def _holds_something(target: Path) -> bool:
    return target.is_dir() and any(target.iterdir())


def _refuse_foreign(target: Path, keep: Keep | None) -> None:
    """Stop before a folder with things in it that nobody keeps, or a file, would be replaced."""
    if _holds_something(target):
        # A release, or several synthetic copies.
        if not any(map(is_release, (target, target / "copy-1"))):
            raise OutputError(f"The folder {target} exists and is not a release; choose another.")
        if keep is None:
            raise OutputError(f"The folder {target} exists and is not empty; choose another.")
    elif target.exists() and not target.is_dir():
        raise OutputError(f"Cannot write the folder {target}: a file has that name.")


def _put_file(file: Path, target: Path) -> None:
    if target.is_dir():
        raise OutputError(f"Cannot write the file {target}: a folder has that name.")
    if target.exists():
        shutil.copymode(target, file)  # who may read it does not change
    file.replace(target)


def _put_folder(temporary: Path, target: Path) -> None:
    """Rename a folder to the target; what stood there goes aside first, and back if that fails.

    What stood there is only removed once every file of it is seen in the new folder.
    """
    if not target.exists():
        temporary.rename(target)
        return
    aside = _hidden(target, ASIDE)
    try:
        target.rename(aside)
        _refuse_loss(aside, temporary, target)
        temporary.rename(target)
    except BaseException:
        if aside.exists():
            aside.rename(target)
        raise
    _remove_old(aside, target)


def _refuse_loss(aside: Path, new: Path, target: Path) -> None:
    """Stop if a folder holds a file that the new one does not: somebody put it there just now."""
    kept = Counter(_identity(file) for file in _files(new))
    copied: Counter[bytes] | None = None
    for file in _files(aside):
        if kept[_identity(file)]:
            continue
        copied = copied or Counter(_digest(one) for one in _files(new))
        if not copied[_digest(file)]:
            lost = file.relative_to(aside)
            raise OutputError(
                f"The folder {target} was not replaced: {lost} came into it meanwhile. Move it "
                "elsewhere and run again."
            )


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]


def _identity(file: Path) -> tuple[int, int]:
    """Return what two names of one file share."""
    about = file.lstat()
    return about.st_dev, about.st_ino


def _digest(file: Path) -> bytes:
    if not file.is_file():  # a link to nowhere, a pipe: no copy of it can be told from it
        return b""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()


def _remove_old(aside: Path, target: Path) -> None:
    try:
        shutil.rmtree(aside)
    except OSError as error:
        raise OutputError(
            f"The new release is in {target}, but the old one could not be removed "
            f"({_reason(error)}). Remove {aside} by hand."
        ) from error


@contextmanager
def _explained(target: Path, temporary: Path) -> Iterator[None]:
    """Turn what the file system says of the target into one sentence."""
    try:
        yield
    except OutputError as error:
        # Whoever wrote a file inside knew it by its hidden name, which is nobody's business.
        if str(temporary) not in str(error):
            raise
        raise OutputError(str(error).replace(str(temporary), str(target))) from error
    except OSError as error:
        if not _concerns(error, target, temporary):
            raise
        advice = ADVICE.get(error.errno or 0, "Choose another place")
        message = f"Cannot write {target}: {_reason(error)}. {advice}; nothing was left behind."
        raise OutputError(message) from error


def _concerns(error: OSError, target: Path, temporary: Path) -> bool:
    """Tell an error of writing here from one about another file, which is not ours to explain."""
    if not isinstance(error.filename, str | os.PathLike):
        return True
    place = Path(error.filename)
    aside = place.name.startswith(f".{target.name}.tacita-")
    inside = place.is_relative_to(target) or place.is_relative_to(temporary)
    return inside or aside or place == target.parent


def _reason(error: OSError) -> str:
    """Say what the system's error number means, in lower case."""
    told = str(error).splitlines() or ["for a reason that it does not tell"]
    said = os.strerror(error.errno) if error.errno else told[0]
    return said[:1].lower() + said[1:]
