"""A guard that is opened anew decides as the one that went on."""

# ruff: noqa: S608 - queries are what is tested

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import LedgerError
from tacita.queries import recalling
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.opening import Followed, Guarding
from tacita.queries.policies import private_answers
from tacita.queries.versions import Versions

KEY = b"k" * 32
ROLES = {"id": "identifier", "sector": "key", "age": "key", "pay": "confidential"}
SOME = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def firms(ids: list[int]) -> ta.Microdata:
    columns = {
        "id": ids,
        "sector": [("IT", "HC", "ES")[one % 3] for one in ids],
        "age": [20 + one % 4 for one in ids],
        "pay": [100 + one * one % 17 for one in ids],
    }
    return ta.read(pa.table(columns), roles=ROLES)


conditions = st.sampled_from(
    [
        *(f"sector = '{one}'" for one in ("IT", "HC", "ES")),
        *(f"age <= {one}" for one in range(20, 24)),
        *(f"age = {one}" for one in range(20, 24)),
        "sector <> 'IT'",
        "sector IN ('IT', 'HC')",
        "(age = 20 OR sector = 'ES')",
    ]
)
wheres = st.lists(conditions, max_size=3).map(
    lambda some: f" WHERE {' AND '.join(some)}" if some else ""
)
statistics = st.sampled_from(["count(*)", "sum(pay)", "avg(pay)", "sum(pay), count(*)"])
groups = st.sampled_from(["", " GROUP BY sector", " GROUP BY ROLLUP (sector, age)"])
questions = st.builds(
    lambda asked, where, by: f"SELECT {asked} FROM firms{where}{by}",
    statistics, wheres, groups,
)  # fmt: skip
people = st.lists(st.integers(1, 14), min_size=8, max_size=14, unique=True)
steps = st.lists(st.one_of(questions, questions, people), min_size=1, max_size=8)
POLICIES = {
    "audit": [ta.Audit()],
    "audit of three": [ta.Audit(3)],
    "overlap": [ta.QuerySetOverlap(3, 2)],
    "size and audit": [ta.QuerySetSize(2), ta.Audit()],
}


def said(folder, policies, published=()) -> Guarding:
    return Guarding("firms", policies, published, "id", (), Versions(folder / "old"))


def told(guard, sql: str) -> tuple:
    answer = guard.ask(sql, user="ana")
    return answer.rows, answer.refused, dict(answer.left)


@pytest.mark.parametrize("name", POLICIES)
@SOME
@given(steps=steps, more=st.lists(questions, min_size=1, max_size=4), table=st.booleans())
def test_a_guard_opened_anew_answers_and_refuses_alike(memory, name, steps, more, table):
    """After questions, after records came and went, and with a table that was published before."""
    folder = Path(tempfile.mkdtemp(dir=memory))
    published = ["SELECT sector, sum(pay) FROM firms GROUP BY sector"] if table else []
    guarding = said(folder, POLICIES[name], published)
    data = firms(list(range(1, 13)))
    with open_ledger(folder / "l.db", KEY) as ledger:
        followed = Followed(data, guarding, ledger)
        for step in steps:
            if isinstance(step, str):
                followed.guard.ask(step, user="ana")
            else:
                data = firms(step)
                followed.refresh(data)
        went_on = followed.guard.session()
    followed.guard.ledger = None  # it goes on without its ledger, which the other one takes up
    with open_ledger(folder / "l.db", KEY) as ledger:
        opened = Followed(data, guarding, ledger).guard
        assert opened.session() == went_on
        for sql in more:
            assert told(opened, sql) == told(followed.guard, sql)


def test_what_was_only_refused_is_no_history(tmp_path):
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        followed = Followed(firms(list(range(1, 13))), said(tmp_path, [ta.Audit(3)]), ledger)
        alone = "SELECT count(*) FROM firms WHERE sector = 'IT' AND age = 20"
        assert told(followed.guard, alone)[1] == ((True,),)
        followed.refresh(firms([1, 2, 3, 4, 5, 6, 7, 13]))
        assert told(followed.guard, "SELECT count(*) FROM firms")[0] == ((8,),)


@SOME
@given(asked=st.lists(st.tuples(questions, st.sampled_from(["ana", "bob"])), max_size=8))
def test_a_guard_opened_anew_has_what_is_left_of_its_budgets(memory, asked):
    folder = Path(tempfile.mkdtemp(dir=memory))
    policy = ta.PrivateAnswers(
        1.0, share_each=0.15, learn={"pay": 0.1}, shares={"p": 0.5}, projects={"p": ["ana"]},
        groups={"sector": ["IT", "HC", "ES"], "age": [20, 21, 22, 23]},
    )  # fmt: skip
    guarding = said(folder, [policy])
    data = firms(list(range(1, 13)))
    with open_ledger(folder / "l.db", KEY) as ledger:
        before = Followed(data, guarding, ledger).guard
        for sql, user in asked:
            before.ask(sql, user=user)
    with open_ledger(folder / "l.db", KEY) as ledger:
        opened = Followed(data, guarding, ledger).guard
        for user in ("ana", "bob", "eve"):
            assert opened.left(user) == before.left(user)
            for sql, _ in asked:
                assert opened.explain(sql, user=user) == before.explain(sql, user=user)
        assert {**opened.session(), "mean_relative_noise": None} == {
            **before.session(),
            "mean_relative_noise": None,
        }


ASKING = """
import os, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from test_recalling import KEY, POLICIES, firms, said
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.opening import Followed
folder = Path(sys.argv[1])
ledger = open_ledger(folder / "l.db", KEY)
guard = Followed(firms(list(range(1, 13))), said(folder, POLICIES["audit"]), ledger).guard
for age in range(20, 24):
    guard.ask(f"SELECT sum(pay) FROM firms WHERE age <= {age}", user="ana")
print("answered", flush=True)
for age in range(20, 24):
    guard.submit(f"SELECT count(*) FROM firms WHERE age = {age}", user="ana")
    print("submitted", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_a_guard_that_was_killed_is_taken_up(tmp_path):
    command = [sys.executable, "-c", ASKING, str(tmp_path), str(Path(__file__).parent)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as child:
        assert child.stdout is not None
        while child.stdout.readline() != "submitted\n":
            assert child.poll() is None
        os.kill(child.pid, signal.SIGKILL)
    data = firms(list(range(1, 13)))
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        entries = [one for one in ledger.entries() if one.kind == "answer"]
        assert len(entries) >= 4  # what was answered is there, and of the rest what was written
        opened = Followed(data, said(tmp_path, POLICIES["audit"]), ledger).guard
        went_on = Followed(data, Guarding("firms", POLICIES["audit"]), None).guard
        for entry in entries:
            went_on.ask(entry.content["query"], user="ana")
        assert opened.session() == went_on.session()
        for sql in ("SELECT sum(pay) FROM firms WHERE age = 21", "SELECT sum(pay) FROM firms"):
            assert told(opened, sql) == told(went_on, sql)


def test_policies_are_told_in_portions_and_know_all(tmp_path, monkeypatch):
    monkeypatch.setattr(recalling, "ENOUGH", 10)
    data, guarding = firms(list(range(1, 13))), said(tmp_path, POLICIES["audit"])
    asked = [f"SELECT sum(pay) FROM firms WHERE age <= {age}" for age in range(20, 24)]
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        first = Followed(data, guarding, ledger).guard
        answered = [not first.ask(sql, user="ana").is_refused for sql in asked * 3]
    portions = []
    learn = recalling.learn_all
    monkeypatch.setattr(
        recalling, "learn_all", lambda who, cells: portions.append(len(cells)) or learn(who, cells)
    )
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        Followed(data, guarding, ledger)
    assert len(portions) > 2
    assert sum(portions) == sum(answered[:4])  # each statement once


def test_a_ledger_of_other_data_is_refused(tmp_path):
    with open_ledger(tmp_path / "l.db", KEY) as ledger:
        guard = Followed(firms([1, 2, 3, 4, 5, 6]), Guarding("firms", [ta.Audit()]), ledger).guard
        guard.ask("SELECT sector, count(*) FROM firms GROUP BY sector", user="ana")
        entries = [one for one in ledger.entries() if one.kind == "answer"]
    other = Followed(firms([3, 6, 9, 12]), Guarding("firms", [ta.Audit()]), None).guard
    with pytest.raises(LedgerError, match="is about 3 numbers, of which the data have 1"):
        other.replay(entries)


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    """Answers without noise: noise is tested elsewhere, and its library takes long to load."""
    from tacita.mechanisms.private import mechanisms

    monkeypatch.setattr(private_answers, "opendp", lambda: None)
    monkeypatch.setattr(mechanisms, "_laplace", lambda _: list)
