"""A ledger in a table of PostgreSQL's, `tacita_ledger` of the schema that the address leads to.

The server must run with `fsync` on, as it does unless somebody turned it off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

import pyarrow as pa

from tacita.data.formats import shown_place, sql
from tacita.data.formats.postgresql import checked_address, explained
from tacita.errors import LedgerError, load_extra
from tacita.queries.ledger.entries import Entry

TABLE = "tacita_ledger"
BATCH = 10_000  # entries that are sent at once
SCHEMA = f"""
CREATE TABLE {TABLE} (
    number bigint PRIMARY KEY, time bigint NOT NULL, kind text NOT NULL,
    payload bytea NOT NULL, digest bytea NOT NULL);
CREATE OR REPLACE FUNCTION {TABLE}_only_grows() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'a ledger is only added to'; END $$;
CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON {TABLE}
    EXECUTE FUNCTION {TABLE}_only_grows();
"""
LOCK = f"SELECT pg_try_advisory_lock(hashtextextended('{TABLE} ' || current_schema(), 0))"
UNLOCK = "SELECT pg_advisory_unlock_all()"
COLUMNS = ("number", "time", "kind", "payload", "digest")
ARROW = pa.schema(
    zip(COLUMNS, (pa.int64(), pa.int64(), pa.string(), pa.binary(), pa.binary()), strict=True)
)


class PostgresqlStore:
    """A ledger in a database; an advisory lock keeps a second writer out.

    The table is made if it is not there. A role that may only SELECT and INSERT is enough later,
    and keeps the server that writes from doing anything else.

    Args:
        address: like `postgresql://user@host:5432/database`.
    """

    def __init__(self, address: str) -> None:
        self.place = shown_place(address)
        self._address = checked_address(address, LedgerError)
        self._connection: Any = None

    def claim(self) -> None:
        """Connect for writing, make the table if it is not there, keep other writers out."""
        try:
            with self._told():
                self._connection = self._connected()
                self._prepare()
        except LedgerError:
            self.close()
            raise

    def write(self, entries: Iterable[Entry]) -> None:
        """Add entries in one transaction, which the server has on its disk when this returns."""
        if self._connection is None:
            raise LedgerError(f"The ledger {self.place} is not open for writing.")
        with self._told(), self._connection.cursor() as cursor:
            reader = pa.RecordBatchReader.from_batches(ARROW, _batches(entries))
            cursor.adbc_ingest(TABLE, reader, mode="append")
            self._connection.commit()

    def read(self, after: int = 0) -> Iterator[Entry]:
        """Give the entries after a number, in order."""
        yield from self._selected(f"WHERE number > {int(after)} ORDER BY number")

    def last(self) -> Entry | None:
        """Return the last entry."""
        return next(self._selected("ORDER BY number DESC LIMIT 1"), None)

    def close(self) -> None:
        """Let other writers in."""
        if self._connection is not None:
            self._unlock()
            self._connection.close()
        self._connection = None

    def _connected(self) -> Any:
        return load_extra("adbc_driver_postgresql.dbapi", "sql").connect(self._address)

    def _prepare(self) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute("SET synchronous_commit = on")
            if not sql.rows(cursor, LOCK)[0][0]:
                raise LedgerError(
                    f"The ledger {self.place} is being written by another process, and only one "
                    "may; stop that one first."
                )
            if sql.rows(cursor, f"SELECT to_regclass('{TABLE}')::text")[0][0] is None:
                for statement in SCHEMA.strip().split(";\n"):
                    cursor.execute(statement)
            self._connection.commit()

    def _unlock(self) -> None:
        """Give the lock back: the server ends a session some time after it was closed."""
        with suppress(load_extra("adbc_driver_manager", "sql").Error):  # then there is no session
            self._connection.rollback()
            with self._connection.cursor() as cursor:
                sql.rows(cursor, UNLOCK)

    def _selected(self, which: str) -> Iterator[Entry]:
        """Read over a connection of its own, so that a thread that reads stops no writer."""
        with self._told(), self._connected() as connection, connection.cursor() as cursor:
            cursor.execute(sql.select(COLUMNS, TABLE, which))
            for batch in cursor.fetch_record_batch():
                columns = (column.to_pylist() for column in batch.columns)
                yield from map(Entry, *columns)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what the server says into a sentence."""
        errors = (load_extra("adbc_driver_manager", "sql").Error, pa.ArrowException, OSError)
        try:
            yield
        except errors as error:
            said = explained(error)
            raise LedgerError(f"The ledger {self.place} cannot be used: {said}") from error


def _batches(entries: Iterable[Entry]) -> Iterator[pa.RecordBatch]:
    rest = iter(entries)
    while some := list(islice(rest, BATCH)):
        columns = zip(*some, strict=True)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, ARROW.types, strict=True)]
        yield pa.record_batch(arrays, schema=ARROW)
