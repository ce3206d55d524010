from __future__ import annotations

import sqlite3
import threading

import pytest

from tacita.errors import LedgerError
from tacita.queries.ledger.anchor import Anchor
from tacita.queries.ledger.backup import backup, restore
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.ledger.sqlite import SqliteStore
from tacita.queries.ledger.verify import verify


@pytest.fixture
def places(tmp_path):
    return tmp_path / "ledger.db", tmp_path / "copy.db", tmp_path / "anchor.json"


def moved_away(ledger):
    for path in list(ledger.parent.glob("ledger.db*")):
        path.rename(path.with_name(f"old-{path.name}"))


def test_a_backup_of_a_ledger_that_is_being_written(begin, places, key):
    ledger, copy, _ = places
    with begin(3) as open_one:
        stopped = threading.Event()

        def write():
            while not stopped.is_set():
                open_one.append("answer", {}).wait()

        writer = threading.Thread(target=write)
        writer.start()
        head = backup(ledger, copy, key)
        stopped.set()
        writer.join()
    found = verify(SqliteStore(copy).read(), key, [head])
    assert found.holds
    assert found.head == head
    assert head.number >= 4
    assert Anchor(copy.with_name("copy.db.head.json")).read() == head
    assert copy.stat().st_mode & 0o777 == 0o600
    assert not list(copy.parent.glob("*copy.db-*"))  # it stands alone, on a read-only disc too


def test_a_backup_is_never_written_over(begin, places, key):
    ledger, copy, _ = places
    begin(1).close()
    backup(ledger, copy, key)
    before = copy.read_bytes()
    with pytest.raises(LedgerError, match="no backup is written over"):
        backup(ledger, copy, key)
    assert copy.read_bytes() == before


def test_what_is_broken_is_not_copied(begin, places, key):
    ledger, copy, _ = places
    begin(2).close()
    with pytest.raises(LedgerError, match="the key is wrong"):
        backup(ledger, copy, b"l" * 32)
    assert not copy.exists()
    with pytest.raises(LedgerError, match="There is no ledger"):
        backup(ledger.with_name("none.db"), copy, key)


def test_a_restored_ledger_goes_on_and_says_so(begin, places, key):
    ledger, copy, anchor = places
    begin(3).close()
    head = backup(ledger, copy, key)
    moved_away(ledger)
    done = restore(copy, ledger, key, anchor)
    assert (done.head.number, done.lost) == (5, 0)
    with begin(1) as restored:
        *_, mark, last = restored.entries()
        assert mark.kind == "restore"
        assert mark.content == {"backup": str(head), "anchor": str(head), "lost": 0}
        assert last.number == 6
        found = verify(restored.entries(), key, [head])
        assert found.notes == ("Entry 5: the ledger was restored from a backup.",)


def test_nobody_goes_back_behind_the_anchor_unseen(begin, places, key):
    ledger, copy, anchor = places
    begin(2).close()
    backup(ledger, copy, key)
    begin(4).close()
    kept = Anchor(anchor).read()
    moved_away(ledger)
    with pytest.raises(LedgerError, match="ends at entry 3 and lacks 4 that the anchor knows of"):
        restore(copy, ledger, key, anchor)
    assert not ledger.exists()
    assert Anchor(anchor).read() == kept

    assert restore(copy, ledger, key, anchor, accept_loss=True).lost == 4
    with begin() as restored:
        found = verify(restored.entries(), key)
        assert "restored from a backup; 4 entries after it were given up" in found.notes[0]
        assert not verify(restored.entries(), key, [kept]).holds  # who kept a head finds out


def test_without_the_anchor_a_loss_cannot_be_told(begin, places, key):
    ledger, copy, anchor = places
    begin(2).close()
    backup(ledger, copy, key)
    moved_away(ledger)
    anchor.unlink()
    with pytest.raises(LedgerError, match="nobody can tell what the backup lacks"):
        restore(copy, ledger, key, anchor)
    assert restore(copy, ledger, key, anchor, accept_loss=True).lost is None
    with begin(1) as restored:
        found = verify(restored.entries(), key)
        assert "restored from a backup, and no anchor tells what it lacks" in found.notes[0]


def test_a_ledger_that_is_there_is_not_touched(begin, places, key):
    ledger, copy, anchor = places
    with begin(2) as open_one:
        backup(ledger, copy, key)
        with pytest.raises(LedgerError, match="being written by another process"):
            restore(copy, ledger, key, anchor)
        head = open_one.head
    with pytest.raises(LedgerError, match="none is written over; move it away first"):
        restore(copy, ledger, key, anchor)
    with begin() as open_one:
        assert open_one.head == head


def test_a_backup_of_another_ledger(begin, places, key, tmp_path):
    ledger, copy, anchor = places
    begin(1).close()
    moved_away(ledger)
    with open_ledger(tmp_path / "other.db", key) as other:
        for _ in range(5):
            other.append("answer", {}).wait()
    backup(tmp_path / "other.db", copy, key)
    with pytest.raises(LedgerError, match="not the one that was anchored"):
        restore(copy, ledger, key, anchor, accept_loss=True)


def test_a_backup_that_was_cut_off(begin, places, key):
    ledger, copy, anchor = places
    begin(3).close()
    backup(ledger, copy, key)
    moved_away(ledger)
    with sqlite3.connect(copy) as cut:
        cut.execute("DROP TRIGGER nothing_goes")
        cut.execute("DELETE FROM entries WHERE number = 4")
    cut.close()
    with pytest.raises(LedgerError, match="Entry 4 is missing at the end"):
        restore(copy, ledger, key, anchor, accept_loss=True)


def test_an_empty_backup(places, key):
    ledger, copy, anchor = places
    store = SqliteStore(copy)
    store.claim()
    store.close()
    with pytest.raises(LedgerError, match="has no entries"):
        restore(copy, ledger, key, anchor)
    assert not ledger.exists()
