"""Where a ledger lies: what SQLite and PostgreSQL do for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from tacita.data.formats import is_address
from tacita.queries.ledger.entries import Entry


class Store(Protocol):
    """A place that entries are added to and read from, never changed or taken away.

    All of it raises a `LedgerError` in one sentence when it fails.

    Attributes:
        place: what to call it; an address has lost its password.
    """

    place: str

    def claim(self) -> None:
        """Make it ready for writing, and keep every other writer out until it is closed."""

    def write(self, entries: Iterable[Entry]) -> None:
        """Add entries, all or none; they are durable when this returns."""

    def read(self, after: int = 0) -> Iterator[Entry]:
        """Give the entries after a number, in order, also while another process writes."""

    def last(self) -> Entry | None:
        """Return the last entry."""

    def close(self) -> None:
        """Let other writers in."""


def open_store(place: str | Path) -> Store:
    """Return the store at a path (SQLite) or at an address like `postgresql://host/database`."""
    if is_address(place):
        from tacita.queries.ledger.postgresql import PostgresqlStore

        return PostgresqlStore(str(place))
    from tacita.queries.ledger.sqlite import SqliteStore

    return SqliteStore(Path(place))
