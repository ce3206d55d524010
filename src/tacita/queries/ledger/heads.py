"""The head that is kept of every ledger apart from it: so that nobody cuts off its end unnoticed.

A chain cannot show that its last entries are gone, and with them a budget that was spent. So the
number and the digest of the last entry are kept in files beside the key, or among the state of
whoever runs the database: one is named after the place of the ledger, by which another ledger in
its place is known, and one after its first entry, by which it is known in another place. They
protect from those who can write the ledger and not these files; an anchor on another machine
(`anchor.Anchor`) protects from more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from tacita.errors import LedgerError, ParameterError
from tacita.queries.ledger.entries import Entry, Head
from tacita.queries.ledger.store import Store

DIGITS = 16  # of the name of a ledger's files
SLOT = 256  # bytes of each of the two records: less than what a disk writes at once
SYNCED = 1.0  # seconds between two times that the file is forced to the disk
START_OF = b"tacita head "


class HeadFile:
    """A small file with the head of a ledger, written after every group of its entries.

    It is written in place, each time over the older of two records, so that one of them is whole
    whatever happens, and that costs a ledger next to nothing. It is forced to the disk every second
    and at the end: after a power failure it may be older than the ledger, which is no harm, and
    never ahead of it.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._opened: int | None = None
        self._turn, self._synced = 0, 0.0

    def named_after(self, first: Entry) -> HeadFile:
        """Return the file beside it that keeps the head of a ledger wherever the ledger lies."""
        return HeadFile(self.path.with_name(f"{first.digest.hex()[:DIGITS]}.head"))

    def read(self) -> Head | None:
        """Return the head that is kept; None if there is no file."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(str(error.strerror)) from error
        records = (_head_in(content[at : at + SLOT]) for at in (0, SLOT))
        heads = [head for head in records if head is not None]
        if not heads:
            raise self._unusable("it holds no head")
        return max(heads, key=lambda head: head.number)

    def write(self, head: Head) -> None:
        """Keep a head beside the one before."""
        try:
            if self._opened is None:
                self._opened = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
                self._turn = _older(os.pread(self._opened, 2 * SLOT, 0))
            os.pwrite(self._opened, _record(head), self._turn * SLOT)
            self._turn = 1 - self._turn
            if time.monotonic() - self._synced >= SYNCED:
                os.fsync(self._opened)
                self._synced = time.monotonic()
        except OSError as error:
            raise self._unusable(str(error.strerror)) from error

    def close(self) -> None:
        """Force the file to the disk and let go of it."""
        if self._opened is not None:
            opened, self._opened = self._opened, None
            try:
                os.fsync(opened)
            finally:
                os.close(opened)

    def _unusable(self, why: str) -> LedgerError:
        return LedgerError(
            f"The head of the ledger in {self.path} cannot be used: {why}. Check the ledger "
            "against a head that somebody kept (`tacita ledger verify --head`), and move the file "
            "away."
        )


def _record(head: Head) -> bytes:
    """Return a head with a digest, which shows a record of which only a part was written."""
    said = START_OF + str(head).encode()
    return (said + b" " + sha256(said).hexdigest().encode() + b"\n").ljust(SLOT, b" ")


def _head_in(record: bytes) -> Head | None:
    """Return the head in a record; None if it is not whole.

    >>> _head_in(_record(Head(7, bytes(32)))).number, _head_in(b"torn")
    (7, None)
    """
    said, _, digest = record.rstrip().rpartition(b" ")
    if not said.startswith(START_OF) or sha256(said).hexdigest().encode() != digest:
        return None
    try:
        return Head.parse(said.removeprefix(START_OF).decode("ascii"))
    except (ParameterError, UnicodeDecodeError):
        return None


def _older(content: bytes) -> int:
    """Return which of the two records may be written over."""
    first, second = (_head_in(content[at : at + SLOT]) for at in (0, SLOT))
    if first is None or second is None:
        return 0 if first is None else 1
    return 0 if first.number <= second.number else 1


def name_of(place: str | Path) -> str:
    """Return what the files kept for a ledger are called: a digest of where it lies.

    >>> len(name_of("postgresql://host/database"))
    16
    """
    said = str(place if isinstance(place, str) else place.resolve())
    return sha256(said.encode()).hexdigest()[:DIGITS]


def head_of(place: str | Path, key_file: Path | None = None) -> HeadFile | None:
    """Return where the head of a ledger is kept if nobody said where.

    Args:
        place: where the ledger lies.
        key_file: the file with its key; where that is a variable, a folder at home is taken.

    Returns:
        The file, which need not be there yet; None if there is no folder to keep it in.
    """
    file = f"{name_of(place)}.head"
    if key_file is not None:
        return HeadFile(Path(key_file).parent / file)
    folder = _state()
    return None if folder is None else HeadFile(folder / file)


def files_of(kept: HeadFile, store: Store) -> list[HeadFile]:
    """Return the files that keep the head of a ledger, by its place and by its first entry."""
    first = next(iter(store.read()), None)
    return [kept] if first is None else [kept, kept.named_after(first)]


def heads_in(files: Iterable[HeadFile]) -> list[Head]:
    """Return the heads that files keep; none of those that are not there."""
    return [head for file in files if (head := file.read()) is not None]


def _state() -> Path | None:
    """Return the folder for heads of ledgers whose keys are in no file."""
    try:
        state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
        folder = state / "tacita" / "ledgers"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (OSError, RuntimeError):  # the latter where nobody has a home
        return None
    return folder if os.access(folder, os.W_OK) else None
