"""Budgets survive kill -9: what left the house was paid for, and nothing that was paid comes back."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tacita.queries.guard import Guard
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.policies import private_answers
from tacita.queries.policies.private_answers import PrivateAnswers

KEY = b"k" * 32
STRIDE = 29  # 1 takes every line, and a minute
POLICY = PrivateAnswers(1.0, {"salary": (0, 500_000)}, share_each=0.25)
ASKING = """
import json
from pathlib import Path
import pyarrow as pa
from tacita.api.microdata import read
from tacita.mechanisms.private import mechanisms
from tacita.queries.guard import Guard
from tacita.queries.ledger.ledger import Pending, open_ledger
from tacita.queries.policies import private_answers
from tacita.queries.public_classes import PublicClasses

# Noise is tested elsewhere, and its library takes long to load.
private_answers.opendp = lambda: None
mechanisms._laplace = lambda scale: list
FILES = ("/queries/guard.py", "/queries/policies/private_answers.py", "/queries/private/budgets.py")
table = pa.table({"sector": ["IT"] * 6, "salary": [50, 32, 35, 30, 45, 34]})
data = PublicClasses.of(read(table, roles={"sector": "key", "salary": "confidential"}), "salaries")
policy = private_answers.PrivateAnswers(1.0, {"salary": (0, 500_000)}, share_each=0.25)

def is_ours(file):
    return file.endswith(FILES) or "/queries/ledger/" in file

def killed_when_durable():
    # Die when an answer is paid for and may leave. Between lines that is left to chance: the ledger
    # writes in a thread of its own, early or late.
    wait = Pending.wait

    def waited(pending):
        wait(pending)
        os.kill(os.getpid(), signal.SIGKILL)

    Pending.wait = waited

def ask(folder, step):
    '''Ask twice, and die in between; what is written to `left` has left the house.'''
    out = os.open(folder / "left", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open_ledger(folder / "ledger.db", b"k" * 32) as ledger:
        guard = Guard(data, [policy], ledger=ledger)
        for asked in range(2):
            if asked:
                killed_at(step, is_ours) if step else killed_when_durable()
            told = guard.ask("SELECT sum(salary) FROM salaries", user="ana")
            os.write(out, (json.dumps(dict(told.left)) + "\\n").encode())

def fate(folder, step):
    child = os.fork()
    if child == 0:
        (folder / "left").touch()
        ask(folder, step)
        os._exit(0)
    return os.waitpid(child, 0)[1]

step = 0
while True:
    there = Path(sys.argv[1]) / str(step)
    there.mkdir()
    if fate(there, step) == 0:
        break
    step += int(sys.argv[2]) if step else 1
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_killed_between_debit_and_answer_nothing_is_refunded(
    memory, killed_at, salaries, monkeypatch
):
    monkeypatch.setattr(private_answers, "opendp", lambda: None)  # nothing is answered here
    script = killed_at + ASKING
    subprocess.run([sys.executable, "-c", script, str(memory), str(STRIDE)], check=True)
    fates = [paid_and_answered(step, salaries) for step in memory.iterdir()]
    assert set(fates) == {(1, 1), (2, 1), (2, 2)}  # killed before, in between, and not at all
    assert len(fates) > 10


def paid_and_answered(folder: Path, salaries) -> tuple[int, int]:
    """Check the budget after a restart; return how many answers were paid, and how many left."""
    left = [json.loads(line)["epsilon"] for line in (folder / "left").read_text().splitlines()]
    assert left == [0.75, 0.5][: len(left)]
    with open_ledger(folder / "ledger.db", KEY) as ledger:
        debits = [one for one in ledger.entries() if one.kind == "debit"]
        guard = Guard(salaries, [POLICY], ledger=ledger)
        guard.replay(debits)
        assert len(left) <= len(debits)  # what left was paid for
        now = guard.left("ana")["epsilon"]
        assert now == float(1 - Fraction(1, 4) * len(debits))  # and no more than was paid is taken
        assert now <= min(left)  # nothing comes back
    return len(debits), len(left)
