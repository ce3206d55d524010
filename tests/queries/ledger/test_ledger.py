from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tacita.errors import LedgerError, OutputError, ParameterError
from tacita.queries.ledger.anchor import Anchor
from tacita.queries.ledger.entries import START
from tacita.queries.ledger.ledger import Ledger, open_ledger
from tacita.queries.ledger.sqlite import SqliteStore
from tacita.queries.ledger.verify import verify


def test_entries_get_their_places_in_order(begin):
    with begin() as ledger:
        pending = [ledger.append("answer", {"place": place}) for place in range(5)]
        assert [one.number for one in pending] == [2, 3, 4, 5, 6]
        assert [one.wait().content["place"] for one in pending] == list(range(5))
        assert ledger.head == pending[-1].entry.head
        first, *others = ledger.entries()
        assert first.kind == "ledger"
        assert others == [one.entry for one in pending]
        assert list(ledger.entries(after=4)) == others[3:]


def test_a_ledger_goes_on_where_it_ended(begin, key):
    with begin(3) as ledger:
        head = ledger.head
    with begin(2) as ledger:
        assert ledger.head.number == 6
        assert verify(ledger.entries(), key, [head, ledger.head]).holds


def test_every_ledger_has_a_name_of_its_own(tmp_path, key):
    heads = set()
    for name in ("a.db", "b.db"):
        with open_ledger(tmp_path / name, key) as ledger:
            heads.add(ledger.head)
            (first,) = ledger.entries()
            assert set(first.content) == {"ledger", "format"}
    assert len(heads) == 2


def test_what_waits_is_durable_and_anchored(begin, tmp_path):
    with begin() as ledger:
        for place in range(4):
            entry = ledger.append("answer", {"place": place}).wait()
            assert SqliteStore(tmp_path / "ledger.db").last() == entry
            assert Anchor(tmp_path / "anchor.json").read() == entry.head


def test_fifty_threads(begin, key):
    told: dict[int, tuple[int, int]] = {}

    def client(who: int) -> None:
        for place in range(8):
            entry = ledger.append("answer", {"who": who, "place": place}).wait()
            told[entry.number] = (who, place)

    with begin() as ledger:
        with ThreadPoolExecutor(50) as pool:
            list(pool.map(client, range(50)))
        entries = list(ledger.entries(after=1))
        assert sorted(told) == [entry.number for entry in entries] == list(range(2, 402))
        for entry in entries:
            assert told[entry.number] == (entry.content["who"], entry.content["place"])
        assert verify(ledger.entries(), key, [ledger.head]).holds


def test_those_who_come_together_are_written_together(begin, monkeypatch):
    sizes = []
    write = SqliteStore.write
    go_on = threading.Event()

    def slow(self, entries):
        entries = list(entries)
        sizes.append(len(entries))
        write(self, entries)
        go_on.wait(120)

    with begin() as ledger:
        monkeypatch.setattr(SqliteStore, "write", slow)
        first = ledger.append("answer", {})
        while not sizes:  # the first is being written
            time.sleep(0.001)
        others = [ledger.append("answer", {}) for _ in range(20)]
        go_on.set()
        for one in (first, *others):
            one.wait()
    assert sizes == [1, 20]


def test_an_entry_can_be_awaited(begin):
    async def ask() -> int:
        return (await asyncio.wrap_future(ledger.append("answer", {}).durable)).number

    async def give_up() -> None:
        waiting = asyncio.wrap_future(ledger.append("answer", {}).durable)
        waiting.cancel()

    with begin() as ledger:
        assert asyncio.run(ask()) == 2
        asyncio.run(give_up())
        assert ledger.append("answer", {}).wait().number == 4


def test_a_clock_that_goes_back(begin, monkeypatch, key):
    with begin(1) as ledger:
        monkeypatch.setattr(time, "time_ns", lambda: 10**18)
        ledger.append("answer", {}).wait()
        monkeypatch.undo()
    with begin(1) as ledger:
        found = verify(ledger.entries(), key)
        assert found.holds
        assert "The clock went back once, first at entry 3" in found.notes[0]


# -- failures --------------------------------------------------------------------------------------


def refused_for_good(ledger: Ledger, told: str) -> None:
    for _ in range(2):
        with pytest.raises(LedgerError, match=told):
            ledger.append("answer", {})


def test_a_full_disk_closes_it(begin, key):
    ledger = begin(2)
    ledger._store._connection.execute("PRAGMA max_page_count = 1")
    with pytest.raises(LedgerError, match=r"nothing more is answered.*disk is full"):
        ledger.append("answer", {"text": "x" * 9000}).wait()
    refused_for_good(ledger, "disk is full")
    ledger.close()
    with begin() as ledger:  # with more space it goes on: nothing of the failed group is there
        assert ledger.head.number == 3
        assert verify(ledger.entries(), key, [ledger.head]).holds


def test_a_lock_that_somebody_else_holds_closes_it(begin, monkeypatch, tmp_path):
    ledger = begin(1)
    ledger._store._connection.execute("PRAGMA busy_timeout = 10")
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="database is locked"):
        ledger.append("answer", {}).wait()
    other.close()
    refused_for_good(ledger, "database is locked")


def test_without_its_anchor_nothing_leaves(begin, tmp_path):
    ledger = begin(1)
    (tmp_path / "anchor.json").unlink()
    (tmp_path / "anchor.json").mkdir()
    with pytest.raises(LedgerError, match="a folder has that name") as failed:
        ledger.append("answer", {}).wait()
    assert isinstance(failed.value.__cause__, OutputError)
    refused_for_good(ledger, "a folder has that name")
    ledger.close()


def test_whatever_happens_nobody_waits_for_ever(begin, monkeypatch):
    all_wait = threading.Event()

    def broken(self, entries):
        all_wait.wait(120)
        raise MemoryError("no more")

    ledger = begin(1)
    monkeypatch.setattr(SqliteStore, "write", broken)
    waiting = [ledger.append("answer", {}) for _ in range(3)]  # in the group, and behind it
    all_wait.set()
    for one in waiting:
        with pytest.raises(LedgerError, match="no more"):
            one.wait()
    refused_for_good(ledger, "no more")
    ledger.close()


def test_a_writer_beside_it_closes_it(begin, tmp_path, key):
    """Even with its lock taken away, two writers never make two chains."""
    ledger = begin(1)
    (tmp_path / "ledger.db.lock").unlink()
    with begin(1) as other, pytest.raises(LedgerError, match="nothing more is answered"):
        ledger.append("answer", {}).wait()
    ledger.close()
    assert verify(SqliteStore(tmp_path / "ledger.db").read(), key, [other.head]).holds


def test_a_closed_ledger(begin):
    ledger = begin()
    waiting = [ledger.append("answer", {}) for _ in range(3)]
    ledger.close()
    assert [one.wait().number for one in waiting] == [2, 3, 4]
    refused_for_good(ledger, "is closed")
    ledger.close()


def test_a_fork_does_not_write(begin, monkeypatch):
    with begin() as ledger:
        monkeypatch.setattr(os, "getpid", lambda: 1)
        refused_for_good(ledger, "not by a fork")


def test_what_cannot_be_recorded_takes_no_place(begin):
    with begin() as ledger:
        with pytest.raises(ParameterError, match="Expected a word"):
            ledger.append("two words", {})
        with pytest.raises(ParameterError, match="A ledger records"):
            ledger.append("answer", {"value": float("nan")})
        assert ledger.append("answer", {}).wait().number == 2


# -- tampering and turning back --------------------------------------------------------------------


def test_a_second_process_is_told(begin):
    with begin(), pytest.raises(LedgerError, match="being written by another process"):
        begin()


def test_a_wrong_key(begin, tmp_path):
    begin(1).close()
    with pytest.raises(LedgerError, match="the key is wrong"):
        open_ledger(tmp_path / "ledger.db", b"another key" * 3)
    begin().close()  # and the attempt did not keep it locked


def test_a_changed_entry(begin, tmp_path):
    begin(3).close()
    with sqlite3.connect(tmp_path / "ledger.db") as changed:
        changed.execute("DROP TRIGGER nothing_changes")
        changed.execute("UPDATE entries SET payload = '{}' WHERE number = 2")
    changed.close()
    with pytest.raises(LedgerError, match=r"not what was written\. Entry 2 was changed"):
        begin()


def test_an_older_copy_is_not_taken_for_the_ledger(begin, tmp_path):
    begin(2).close()
    shutil.copy(tmp_path / "ledger.db", tmp_path / "copy.db")
    begin(2).close()
    shutil.copy(tmp_path / "copy.db", tmp_path / "ledger.db")
    with pytest.raises(LedgerError, match="Entries 4 to 5 are missing at the end"):
        begin()


def test_another_ledger_is_not_taken_for_it(begin, tmp_path, key):
    begin(1).close()
    with open_ledger(tmp_path / "other.db", key) as other:
        for _ in range(5):
            other.append("answer", {}).wait()
    shutil.copy(tmp_path / "other.db", tmp_path / "ledger.db")
    with pytest.raises(LedgerError, match="Entry 2 is not the one that was anchored"):
        begin()


def test_a_ledger_without_its_anchor(begin, tmp_path):
    begin(1).close()
    (tmp_path / "anchor.json").unlink()
    with pytest.raises(LedgerError, match=r"anchor .* is not there, and the ledger .* has entries"):
        begin()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"number": 1, "digest": "ab"}', "\xff"])
def test_an_anchor_that_cannot_be_read(begin, tmp_path, text):
    begin(1).close()
    (tmp_path / "anchor.json").write_text(text, encoding="latin-1")
    with pytest.raises(LedgerError, match=r"anchor .* cannot be read"):
        begin()


def test_an_anchor_behind_is_what_a_crash_leaves(begin, tmp_path):
    begin(1).close()
    kept = (tmp_path / "anchor.json").read_text()
    begin(2).close()
    (tmp_path / "anchor.json").write_text(kept)
    with begin(1) as ledger:
        assert ledger.head.number == 5


def test_the_anchor_is_there_before_the_first_entry(tmp_path, key, monkeypatch):
    def no_disk(self, entries):
        raise LedgerError("no disk")

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "write", no_disk)
        with pytest.raises(LedgerError, match="no disk"):
            open_ledger(tmp_path / "ledger.db", key, tmp_path / "anchor.json")
    kept = json.loads((tmp_path / "anchor.json").read_text())
    assert (kept["number"], kept["digest"]) == START._replace(digest=START.digest.hex())
    with open_ledger(tmp_path / "ledger.db", key, tmp_path / "anchor.json") as ledger:
        assert ledger.head.number == 1


def test_a_cut_log_is_found_out_wherever_it_is_cut(begin, tmp_path, key):
    """What a disk that lied leaves: a beginning of the chain, which the anchor does not fit."""
    ledger = begin(6)
    for name in ("ledger.db", "ledger.db-wal", "anchor.json"):
        shutil.copy(tmp_path / name, tmp_path / f"copy-{name}")
    ledger.close()
    log = (tmp_path / "copy-ledger.db-wal").read_bytes()
    cut = tmp_path / "cut.db"
    lengths = set()
    for length in range(0, len(log), len(log) // 23):
        shutil.copy(tmp_path / "copy-ledger.db", cut)
        (tmp_path / "cut.db-wal").write_bytes(log[:length])
        (tmp_path / "cut.db-shm").unlink(missing_ok=True)
        try:
            entries = list(SqliteStore(cut).read())
        except LedgerError as error:
            assert "no such table" in str(error)  # noqa: PT017 - cut before the first commit
            continue
        lengths.add(len(entries))
        assert verify(entries, key).holds
        with pytest.raises(LedgerError, match="missing at the end"):
            open_ledger(cut, key, tmp_path / "copy-anchor.json")
    assert len(lengths) > 3
