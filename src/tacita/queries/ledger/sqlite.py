"""A ledger in a SQLite file: a write-ahead log that is on the disk before a commit returns."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tacita.errors import LedgerError
from tacita.queries.ledger.entries import Entry

PATIENCE = 5.0  # seconds to wait for somebody else's transaction
SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY, time INTEGER NOT NULL, kind TEXT NOT NULL,
    payload BLOB NOT NULL, digest BLOB NOT NULL);
CREATE TRIGGER IF NOT EXISTS nothing_changes BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'a ledger is only added to'); END;
CREATE TRIGGER IF NOT EXISTS nothing_goes BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'a ledger is only added to'); END;
CREATE TRIGGER IF NOT EXISTS in_order BEFORE INSERT ON entries
    WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM entries)
    BEGIN SELECT RAISE(ABORT, 'entries of a ledger follow each other'); END;
"""
INSERT = "INSERT INTO entries VALUES (?, ?, ?, ?, ?)"
# Every value gets its type, whatever somebody who tampered put in its place.
SELECT = (
    "SELECT number, iif(typeof(time) = 'integer', time, 0), CAST(coalesce(kind, '') AS BLOB), "
    "CAST(coalesce(payload, '') AS BLOB), CAST(coalesce(digest, '') AS BLOB) FROM entries "
)


class SqliteStore:
    """A ledger in a file, on a disk of this machine (no network file system keeps its locks).

    Args:
        path: the file; `path.lock` beside it keeps a second writer out.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path).resolve()
        self.place = str(path)
        self._connection: sqlite3.Connection | None = None
        self._lock: sqlite3.Connection | None = None

    def claim(self) -> None:
        """Open the file for writing, made if it is not there, and keep other writers out."""
        self._lock = self._locked()
        try:
            with told(self.place):
                self._connection = opened(self.path, "wal")
        except LedgerError:
            self.close()
            raise

    def write(self, entries: Iterable[Entry]) -> None:
        """Add entries in one transaction, which is on the disk when this returns."""
        if self._connection is None:
            raise LedgerError(f"The ledger {self.place} is not open for writing.")
        with told(self.place):
            add(self._connection, entries)

    def read(self, after: int = 0) -> Iterator[Entry]:
        """Give the entries after a number, in order."""
        yield from self._selected("WHERE number > ? ORDER BY number", after)

    def last(self) -> Entry | None:
        """Return the last entry."""
        return next(self._selected("WHERE number > ? ORDER BY number DESC LIMIT 1", 0), None)

    def close(self) -> None:
        """Let other writers in."""
        for connection in (self._connection, self._lock):
            if connection is not None:
                connection.close()
        self._connection = self._lock = None

    def _selected(self, which: str, after: int) -> Iterator[Entry]:
        """Read over a connection of its own, so that a thread that reads stops no writer."""
        address = f"{self.path.as_uri()}?mode=ro"
        with told(self.place):
            if not self.path.is_file():
                raise LedgerError(f"There is no ledger {self.place}; check the path.")
        with told(self.place), closing(_connected(address, uri=True)) as connection:
            for number, time, kind, payload, digest in connection.execute(SELECT + which, (after,)):
                yield Entry(number, time, kind.decode(errors="replace"), payload, digest)

    def _locked(self) -> sqlite3.Connection:
        """Take a lock that the system lets go of when the process ends, however it ends."""
        with told(self.place):
            lock = _connected(f"{self.path}.lock", timeout=0.0)
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                lock.close()
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    raise
                raise LedgerError(
                    f"The ledger {self.place} is being written by another process, and only one "
                    "may; stop that one first."
                ) from error
        return lock


@contextmanager
def told(place: str) -> Iterator[None]:
    """Turn what SQLite says of a ledger into a sentence."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise LedgerError(f"The ledger {place} cannot be used: {error}.") from error
    except UnicodeError as error:  # in the words of SQLite's own complaint
        raise LedgerError(f"The ledger {place} is damaged; copy it again from a backup.") from error


def opened(path: Path, journal: str) -> sqlite3.Connection:
    """Open a file for writing entries, made if it is not there.

    Args:
        path: the file.
        journal: `wal` to be read while it is written, `delete` for a file that stands alone.
    """
    if not path.exists():
        _make(path)
    connection = _connected(str(path))
    try:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # where a plain fsync does not reach the disk
        connection.executescript(SCHEMA)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def add(connection: sqlite3.Connection, entries: Iterable[Entry]) -> None:
    """Add entries in one transaction."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(INSERT, entries)


def _connected(place: str, *, timeout: float = PATIENCE, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(
        place, timeout=timeout, isolation_level=None, check_same_thread=False, uri=uri
    )


def _make(path: Path) -> None:
    """Make a file that only its owner reads: it tells who asked what."""
    wal = path.with_name(f"{path.name}-wal")
    if wal.exists():
        # SQLite would take up what it finds there, which is another ledger's.
        raise FileExistsError(f"{wal} is left of an older ledger; move it away too")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
