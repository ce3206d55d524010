"""The process is killed between any two lines of the ledger, and the disk runs full."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tacita.queries.ledger.anchor import Anchor
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.ledger.sqlite import SqliteStore
from tacita.queries.ledger.verify import verify

KEY = b"k" * 32
STRIDE = 7  # 1 takes every line, and half a minute
ASKING = """
import os, resource, signal, sys, threading
from pathlib import Path
from tacita.errors import LedgerError
from tacita.queries.ledger import ledger

KEY = b"k" * 32

def ask(folder, times, size=1):
    '''Ask and answer: what is written to `left` has left the house.'''
    left = os.open(folder / "left", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with ledger.open_ledger(folder / "ledger.db", KEY, folder / "anchor.json") as opened:
        for place in range(times):
            said = {"place": place, "text": "x" * size}
            entry = opened.append("answer", said).wait()
            os.write(left, f'[{entry.number}, {place}, "{entry.head}"]\\n'.encode())
"""
KILLED = """
def is_ours(file):
    return "/queries/ledger/" in file or file.endswith("/atomic.py")

def fate(folder, step):
    child = os.fork()
    if child == 0:
        (folder / "left").touch()
        killed_at(step, is_ours)
        ask(folder, times=2)
        os._exit(0)
    return os.waitpid(child, 0)[1]

def each_step(folder, stride):
    step = 1
    while True:
        there = folder / str(step)
        there.mkdir()
        if fate(there, step) == 0:
            break
        step += stride

each_step(Path(sys.argv[1]), int(sys.argv[2]))
"""
TOLD = """
try:
    ask(Path(sys.argv[1]), times=1)
except LedgerError as error:
    print(error)
"""
FULL = """
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    ask(Path(sys.argv[1]), times=10_000, size=2_000)
except LedgerError as error:
    print(error)
"""


def run(script: str, *words: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ASKING + script, *map(str, words)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def check(folder: Path) -> int:
    """Check that what left is recorded, that the chain holds, and that it goes on; count what left."""
    left = [json.loads(line) for line in (folder / "left").read_text().splitlines()]
    with open_ledger(folder / "ledger.db", KEY, folder / "anchor.json") as ledger:
        recorded = {entry.number: entry for entry in ledger.entries()}
        for number, place, head in left:
            assert recorded[number].content["place"] == place
            assert str(recorded[number].head) == head
        last = ledger.append("answer", {}).wait()
        assert verify(ledger.entries(), KEY, [last.head]).holds
        assert last.number == len(recorded) + 1
    return len(left)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_killed_between_any_two_lines(memory, killed_at):
    run(killed_at + KILLED, memory, STRIDE)
    answered = [check(step) for step in memory.iterdir()]
    assert set(answered) == {0, 1, 2}
    assert len(answered) > 30


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of processes")
def test_a_disk_that_runs_full(tmp_path):
    told = run(FULL, tmp_path)
    assert "cannot be written; nothing more is answered" in told
    store = SqliteStore(tmp_path / "ledger.db")
    assert Anchor(tmp_path / "anchor.json").read() == store.last().head
    answered = check(tmp_path)
    assert answered > 10


def test_a_second_process_is_told(tmp_path):
    with open_ledger(tmp_path / "ledger.db", KEY, tmp_path / "anchor.json"):
        assert "is being written by another process" in run(TOLD, tmp_path)
    assert run(TOLD, tmp_path) == ""
    assert check(tmp_path) == 1
