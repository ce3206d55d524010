"""Durable entries in a second, by fifty clients at once, and the verification of a million.

Ours is the whole ledger: canonical JSON, the keyed chain, group commit, the anchor, and fifty
threads each of which waits until its entry is durable. The other side is plain SQLite with the same
settings and the same table, which commits the same entries one by one. The two take turns, as the
speed of a disk changes from one minute to the next.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from measuring import best, clock, show

REPEATS = 5
KEY = b"k" * 32
PAYLOAD = {
    "user": "ana",
    "query": "SELECT avg(salary) FROM firms WHERE sector = 'IT' AND region = 'BCN'",
    "decision": "answered",
    "cost": 1,
    "commitment": "c" * 64,
}


def tacita(chosen: argparse.Namespace) -> Callable[[], object]:
    from tacita.queries.ledger.ledger import open_ledger

    folder = _folder(chosen)
    ledger = open_ledger(folder / "ledger.db", KEY, folder / "anchor.json")
    each = chosen.commits // chosen.clients

    def client() -> None:
        for _ in range(each):
            ledger.append("answer", PAYLOAD).wait()

    def work() -> None:
        threads = [threading.Thread(target=client) for _ in range(chosen.clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return work


def one_by_one(chosen: argparse.Namespace) -> Callable[[], object]:
    from tacita.queries.ledger.entries import canonical
    from tacita.queries.ledger.sqlite import opened

    connection = opened(_folder(chosen) / "plain.db", "wal")

    def work() -> None:
        (first,) = connection.execute("SELECT coalesce(max(number), 0) FROM entries").fetchone()
        for number in range(first + 1, first + 1 + chosen.commits):
            entry = (number, time.time_ns(), "answer", canonical(PAYLOAD), b"")
            connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", entry)

    return work


def verification(chosen: argparse.Namespace) -> None:
    """Verify many entries, beside SQLite reading them and doing nothing else."""
    from tacita.queries.ledger.chain import following
    from tacita.queries.ledger.entries import START, canonical
    from tacita.queries.ledger.sqlite import SELECT, SqliteStore
    from tacita.queries.ledger.verify import verify

    said = canonical(PAYLOAD)

    def entries():
        head = START
        while True:
            entry = following(KEY, head, time.time_ns() // 1000, "answer", said)
            head = entry.head
            yield entry

    store = SqliteStore(_folder(chosen) / "many.db")
    store.claim()
    store.write(islice(entries(), chosen.entries))
    reading = sqlite3.connect(store.path)
    rows = {
        "verify": clock(lambda: _insist(verify(store.read(), KEY).head.number, chosen.entries)),
        "read only": clock(lambda: sum(1 for _ in reading.execute(SELECT))),
    }
    print(f"\nverification of {chosen.entries:,} entries")
    show(rows)


def _insist(found: int, expected: int) -> None:
    assert found == expected, (found, expected)


def _folder(chosen: argparse.Namespace) -> Path:
    return Path(tempfile.mkdtemp(dir=chosen.folder, prefix="tacita-ledger-"))


def commits(chosen: argparse.Namespace) -> None:
    """Let the two take turns, and print the best of each and how many entries a second that is."""
    contenders = {"tacita": tacita(chosen), "one by one": one_by_one(chosen)}
    rounds = [{name: clock(work) for name, work in contenders.items()} for _ in range(REPEATS)]
    rows = {name: best([row[name] for row in rounds]) for name in contenders}
    print(f"{chosen.commits:,} durable entries, {chosen.clients} clients")
    show(rows)
    for name in contenders:
        rates = sorted(chosen.commits / row[name]["wall"] for row in rounds)
        print(f"{name}: {rates[0]:,.0f} to {rates[-1]:,.0f} entries/s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=5_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="a folder on the disk to try")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as chosen.folder:
        commits(chosen)
        verification(chosen)
