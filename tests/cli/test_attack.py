from __future__ import annotations

import json
import threading

import pyarrow as pa
import pytest

import tacita as ta
from tacita.api import remote
from tacita.cli.attack import attack
from tacita.cli.attack_server import Accounts
from tacita.errors import InputError, ParameterError
from tacita.queries.guard import Guard
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.public_classes import PublicClasses
from tacita.server.running import ready
from tacita.server.settings import Listening, Settings

URL = "http://127.0.0.1:1"
PEOPLE = {
    "sector": ["IT", "IT", "IT", "HC", "HC", "HC", "HC"],
    "age": [30, 30, 40, 30, 30, 40, 40],
    "salary": [10, 20, 30, 40, 50, 60, 70],
}


class Connection:
    """A server's database that is a guard at hand; it knows the user by the token."""

    def __init__(self, guard, token):
        self._guard, self._token = guard, token
        self.view = guard.view

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def ask(self, sql):
        return self._guard.ask(sql, user=str(self._token))


def guarded(policy, ledger=None):
    roles = {"sector": "key", "age": "key", "salary": "confidential"}
    data = PublicClasses.of(ta.read(pa.table(PEOPLE), roles=roles), "people")
    return Guard(data, [policy], ledger=ledger)


@pytest.fixture
def serve(monkeypatch):
    """Let every address lead to one guard."""

    def served(policy):
        guard = guarded(policy)
        monkeypatch.setattr(
            remote, "connect", lambda url, token, *, certificate: Connection(guard, token)
        )
        return guard

    return served


def test_it_tells_what_each_attack_came_to(serve, capsys):
    serve(ta.QuerySetSize(2))
    attack(URL, "salary", ["sector=IT", "age=40"], 30, ["general_tracker", "padding"], rate=0)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "salary of the one with sector IT, age 40"
    assert lines[1].startswith("general_tracker: succeeded; the value is 30, which is right")
    assert lines[2].startswith("padding: failed")


@pytest.mark.parametrize(("truth", "said"), [(None, "unchecked"), (30, "which is wrong")])
def test_a_value_that_may_be_noise_is_called_unchecked(serve, capsys, truth, said):
    groups = {"sector": ["IT", "HC"], "age": [30, 40]}
    serve(ta.PrivateAnswers(0.001, {"salary": (0, 1000)}, share_each=0.01, groups=groups))
    attack(URL, "salary", ["sector=IT", "age=40"], truth, ["general_tracker"], rate=0)
    told = capsys.readouterr().out
    assert said in told
    assert ("--truth" in told) is (truth is None)


def test_the_victim_may_be_anybody_who_is_unique(serve, capsys):
    serve(ta.Audit())
    attack(URL, "salary", only=["individual_tracker"], rate=0, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["success_rate"] == 0
    assert told["outcomes"][0]["attack"] == "individual_tracker"


@pytest.mark.parametrize(("policy", "rate"), [(ta.Audit(), 0), (ta.QuerySetSize(2), 2 / 3)])
def test_a_server_with_its_ledger(tmp_path, capsys, policy, rate):
    """Fifty clients at once, accounts that collude, and hostile texts, over HTTP."""
    ledger = open_ledger(tmp_path / "ledger.db", b"k" * 32)
    settings = Settings(rate=10_000, rate_of_all=10_000)
    server = ready(guarded(policy, ledger), None, settings, Listening(port=0))
    running = threading.Thread(target=server.run)
    running.start()
    try:
        names = ["races", "sybil_accounts", "injection"]
        attack(server.url, "salary", only=names, rate=0, as_json=True)
    finally:
        server.stop()
        running.join(120)
    told = json.loads(capsys.readouterr().out)
    assert told["success_rate"] == pytest.approx(rate)
    assert [one["findings"] for one in told["outcomes"]] == [[], [], []]


def test_accounts_are_used_in_turn(serve, capsys, monkeypatch):
    guard = serve(ta.QuerySetSize(2))
    monkeypatch.setenv("FIRST", "one")
    monkeypatch.setenv("SECOND", "two")
    tokens = ["FIRST", "SECOND"]
    attack(URL, "salary", only=["sybil_accounts"], token_from=tokens, rate=0)
    assert "succeeded" in capsys.readouterr().out
    assert guard.session()["users"] == 2


def test_mistakes_are_told(serve):
    serve(ta.Audit())
    with pytest.raises(ParameterError, match="name=value; found 'sector'"):
        attack(URL, "salary", ["sector"], rate=0)
    with pytest.raises(InputError, match="one record; 3 are like sector IT"):
        attack(URL, "salary", ["sector=IT"], rate=0)
    with pytest.raises(ParameterError, match="There is no method `paddin`"):
        attack(URL, "salary", only=["paddin"], rate=0)


@pytest.mark.parametrize("name", ["salry", "sector"])
def test_only_confidential_numbers_can_be_attacked(serve, name):
    serve(ta.Audit())
    with pytest.raises(ParameterError, match=f"confidential number .* found `{name}`"):
        attack(URL, name, rate=0)


def test_questions_keep_their_distance(monkeypatch):
    waited = []
    clock = iter([0.0, 0.0, 0.1, 0.1])
    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))

    class Database:
        def ask(self, sql):
            return sql

    accounts = Accounts([Database()], rate=4)
    accounts.ask("first", user="a")
    accounts.ask("second", user="a")
    assert waited == pytest.approx([0.0, 0.15])
