from __future__ import annotations

from contextlib import suppress

import pytest
from adbc_driver_manager import Error

import tacita as ta
from tacita.api.database import Database
from tacita.errors import LedgerError
from tacita.queries.ledger.anchor import Anchor
from tacita.queries.ledger.backup import backup, restore
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.ledger.postgresql import PostgresqlStore
from tacita.queries.ledger.sqlite import SqliteStore
from tacita.queries.ledger.verify import verify


def filled(address, key, entries, anchor=None):
    with open_ledger(address, key, anchor) as ledger:
        pending = [ledger.append("answer", {"place": place}) for place in range(entries)]
        for one in pending:
            one.wait()
    return ledger


def test_a_ledger_in_a_database(postgresql, key, tmp_path):
    address, anchor = postgresql.address(), tmp_path / "anchor.json"
    with open_ledger(address, key, anchor) as ledger:
        entry = ledger.append("answer", {"user": "änne"}).wait()
        assert PostgresqlStore(address).last() == entry
        assert Anchor(anchor).read() == entry.head
        assert "secret" not in ledger.place
    with open_ledger(address, key, anchor) as ledger:
        assert ledger.head == entry.head
        assert ledger.append("refusal", {}).wait().number == 3
        assert [entry.kind for entry in ledger.entries(after=1)] == ["answer", "refusal"]
    assert verify(PostgresqlStore(address).read(), key, [ledger.head]).holds


def test_commits_are_synchronous(postgresql, key):
    with open_ledger(postgresql.address(), key) as ledger:  # the server's own setting is off
        with ledger._store._connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('synchronous_commit')")
            assert cursor.fetchall() == [("on",)]
        ledger._store._connection.commit()


def test_a_second_writer_is_kept_out(postgresql, key):
    address = postgresql.address()
    with (
        open_ledger(address, key),
        pytest.raises(LedgerError, match="being written by another process"),
    ):
        open_ledger(address, key)
    open_ledger(address, key).close()


@pytest.mark.parametrize("last", ["SELECT 1", "SELECT 1 / 0"])
def test_the_next_writer_is_let_in_before_the_server_ends_the_session(
    postgresql, key, monkeypatch, last
):
    """Also where the last transaction failed; the server ends sessions when it gets round to it."""
    ledger = open_ledger(postgresql.address(), key)
    session = ledger._store._connection
    with suppress(Error), session.cursor() as cursor:
        cursor.execute(last)
    with monkeypatch.context() as patch:
        patch.setattr(session, "close", lambda: None)
        ledger.close()
        open_ledger(postgresql.address(), key).close()
    session.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tacita_ledger SET kind = 'refusal'",
        "DELETE FROM tacita_ledger",
        "TRUNCATE tacita_ledger",
    ],
)
def test_entries_are_only_added(postgresql, key, statement):
    filled(postgresql.address(), key, 2)
    with pytest.raises(Exception, match="a ledger is only added to"):
        postgresql.run(statement)
    assert len(list(PostgresqlStore(postgresql.address()).read())) == 3


def test_tampering_is_found(postgresql, key):
    filled(postgresql.address(), key, 3)
    postgresql.run(
        "DROP TRIGGER only_grows ON tacita_ledger",
        "UPDATE tacita_ledger SET time = time + 1 WHERE number = 3",
    )
    found = verify(PostgresqlStore(postgresql.address()).read(), key)
    assert (found.broken, found.sentence) == (3, "Entry 3 was changed.")
    with pytest.raises(LedgerError, match="Entry 3 was changed"):
        open_ledger(postgresql.address(), key)


def test_a_server_that_goes_away_closes_it(postgresql, key):
    ledger = open_ledger(postgresql.address(), key)
    ended = postgresql.run(  # and waited for until it is gone, with its lock
        "SELECT pg_terminate_backend(l.pid, 120000) FROM pg_locks l WHERE l.locktype = 'advisory'",
        user="postgres",
    )
    assert ended == [(True,)]
    with pytest.raises(LedgerError, match="nothing more is answered"):
        ledger.append("answer", {}).wait()
    with pytest.raises(LedgerError, match="nothing more is answered"):
        ledger.append("answer", {})
    ledger.close()
    with open_ledger(postgresql.address(), key) as ledger:
        assert ledger.head.number == 1


def test_a_role_that_only_adds_is_enough(postgresql, key):
    filled(postgresql.address(), key, 1)
    postgresql.run(
        "DROP ROLE IF EXISTS teller",
        "CREATE ROLE teller LOGIN PASSWORD 'told'",
        "GRANT USAGE ON SCHEMA public TO teller",
        "GRANT SELECT, INSERT ON tacita_ledger TO teller",
        user="postgres",
    )
    with open_ledger(postgresql.address("teller", "told"), key) as ledger:
        assert ledger.append("answer", {}).wait().number == 3
    postgresql.run("DROP OWNED BY teller", "DROP ROLE teller", user="postgres")


def test_backup_and_restore(postgresql, key, tmp_path):
    address, anchor, copy = postgresql.address(), tmp_path / "anchor.json", tmp_path / "copy.db"
    head = filled(address, key, 5, anchor).head
    assert backup(address, copy, key) == head
    assert list(SqliteStore(copy).read()) == list(PostgresqlStore(address).read())
    with pytest.raises(LedgerError, match="none is written over"):
        restore(copy, address, key, anchor)
    postgresql.run("ALTER TABLE tacita_ledger RENAME TO tacita_ledger_old")
    assert restore(copy, address, key, anchor).lost == 0
    with open_ledger(address, key, anchor) as ledger:
        assert ledger.head.number == 7


def test_addresses_that_lead_nowhere(postgresql):
    with pytest.raises(LedgerError, match="password authentication"):
        PostgresqlStore(postgresql.address("ana", "wrong")).claim()
    with pytest.raises(LedgerError, match="Expected an address like"):
        PostgresqlStore("postgresql://a b@c@d/e")
    with pytest.raises(LedgerError, match="tacita_ledger"):
        PostgresqlStore(postgresql.address()).last()


def test_a_guarded_table_with_its_ledger_in_the_same_database(postgresql, tmp_path, monkeypatch):
    """Types as PostgreSQL has them; after a restart and an update the history is that of before."""
    monkeypatch.setenv("TACITA_LEDGER_KEY", "a key of the tests, 32 bytes ....")
    postgresql.run(
        "CREATE TABLE firms (id bigint, sector text, founded date, open boolean, "
        "pay numeric(12, 2), rate double precision)",
        "INSERT INTO firms SELECT i, CASE WHEN i % 2 = 0 THEN 'IT' ELSE 'HC' END, "
        "DATE '2020-02-28' + i, i < 5, i * 1.10, CASE WHEN i = 1 THEN NULL ELSE i END "
        "FROM generate_series(1, 8) AS i",
    )

    def opened() -> Database:
        return ta.guard(
            postgresql.address(),
            policy=ta.Audit(),
            ledger=postgresql.address(),
            anchor=tmp_path / "anchor.json",
            key_from="TACITA_LEDGER_KEY",
            record="id",
            versions=tmp_path / "versions",
            roles={"id": "identifier", "pay": "confidential", "rate": "confidential"}
            | dict.fromkeys(("sector", "founded", "open"), "key"),
            table="firms",
        )

    with opened() as database:
        found = database.ask("SELECT open, sum(pay), avg(rate) FROM firms GROUP BY open")
        assert found.rows == ((False, 28.6, 6.5), (True, 11.0, 3.0))
        late = "SELECT count(*) FROM firms WHERE founded >= DATE '2020-03-01' AND sector = 'IT'"
        assert database.ask(late).value == 4
    without = "SELECT sum(pay) FROM firms WHERE open AND founded > DATE '2020-02-29'"
    with opened() as database:
        assert database.session()["queries"] == 2
        assert database.ask(without).is_refused
        postgresql.run("DELETE FROM firms WHERE id = 1")
        assert database.refresh()
        assert database.ask("SELECT sum(pay) FROM firms WHERE open").is_refused
    with opened() as database:
        assert database.ask("SELECT sum(pay) FROM firms WHERE open").is_refused
        assert database.ask("SELECT sum(pay) FROM firms WHERE NOT open").value == 28.6
