from __future__ import annotations

import sqlite3

import pytest

from tacita.errors import LedgerError
from tacita.queries.ledger.chain import following
from tacita.queries.ledger.entries import START
from tacita.queries.ledger.sqlite import SqliteStore
from tacita.queries.ledger.verify import verify


@pytest.fixture
def entries(key):
    head, made = START, []
    for place in range(4):
        made.append(following(key, head, place, "answer", b"{}"))
        head = made[-1].head
    return made


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "ledger.db")
    store.claim()
    yield store
    store.close()


def test_what_is_written_is_read(store, entries):
    assert store.last() is None
    assert list(store.read()) == []
    store.write(entries[:3])
    store.write(entries[3:])
    assert list(store.read()) == entries
    assert list(store.read(after=2)) == entries[2:]
    assert store.last() == entries[-1]


def test_every_commit_reaches_the_disk(store):
    (mode,) = store._connection.execute("PRAGMA synchronous").fetchone()
    (journal,) = store._connection.execute("PRAGMA journal_mode").fetchone()
    assert (mode, journal) == (2, "wal")  # 2 is FULL


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET kind = 'refusal' WHERE number = 2",
        "DELETE FROM entries WHERE number = 4",
        "INSERT INTO entries VALUES (9, 0, 'answer', '', '')",
        "INSERT INTO entries VALUES (4, 0, 'answer', '', '')",
        "INSERT OR REPLACE INTO entries VALUES (2, 0, 'answer', '', '')",
    ],
)
def test_entries_are_only_added(store, entries, statement):
    store.write(entries)
    with sqlite3.connect(store.path) as other, pytest.raises(sqlite3.IntegrityError):
        other.execute(statement)
    other.close()
    assert list(store.read()) == entries


def test_a_group_is_written_whole_or_not_at_all(store, entries):
    with pytest.raises(LedgerError, match="entries of a ledger follow each other"):
        store.write([entries[0], entries[1], entries[3]])
    assert store.last() is None


def test_only_the_owner_reads_it(store, entries):
    store.write(entries)
    for beside in ("", "-wal", "-shm"):
        path = store.path.with_name(store.path.name + beside)
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_second_writer_is_kept_out_and_readers_are_not(store, entries, tmp_path):
    second = SqliteStore(tmp_path / "." / "ledger.db")
    with pytest.raises(LedgerError, match="being written by another process"):
        second.claim()
    store.write(entries)
    assert list(second.read()) == entries
    with pytest.raises(LedgerError, match="not open for writing"):
        second.write(entries)
    store.close()
    second.claim()
    second.close()


def test_what_is_no_ledger(tmp_path):
    with pytest.raises(LedgerError, match="There is no ledger"):
        SqliteStore(tmp_path / "none.db").last()
    (tmp_path / "text.db").write_text("no database, but text that is long enough" * 9)
    with pytest.raises(LedgerError, match="file is not a database"):
        list(SqliteStore(tmp_path / "text.db").read())
    with pytest.raises(LedgerError, match="file is not a database"):
        SqliteStore(tmp_path / "text.db").claim()
    with pytest.raises(LedgerError, match="unable to open"):
        SqliteStore(tmp_path / "nowhere" / "ledger.db").claim()


def test_the_log_of_another_ledger_is_not_taken_up(tmp_path):
    (tmp_path / "ledger.db-wal").write_bytes(b"left")
    with pytest.raises(LedgerError, match="left of an older ledger; move it away too"):
        SqliteStore(tmp_path / "ledger.db").claim()
    assert not (tmp_path / "ledger.db").exists()


@pytest.mark.parametrize("value", ["'text'", "x'ff'", "1.5", "NULL", "9e99"])
@pytest.mark.parametrize("column", ["time", "kind", "payload", "digest"])
def test_values_of_another_type_are_told_as_changes(store, entries, key, column, value):
    """Somebody who may write the file can turn off what guards it, and is found out."""
    store.write(entries)
    other = sqlite3.connect(store.path)
    other.execute("DROP TRIGGER nothing_changes")
    if value == "NULL":
        other.execute("PRAGMA writable_schema = ON")
        other.execute("UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '')")
        other.commit()
        other.close()
        other = sqlite3.connect(store.path)
    other.execute(f"UPDATE entries SET {column} = {value} WHERE number = 2")  # noqa: S608
    other.commit()
    other.close()
    found = verify(SqliteStore(store.path).read(), key)
    assert (found.broken, found.sentence) == (2, "Entry 2 was changed.")
