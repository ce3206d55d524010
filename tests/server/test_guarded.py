"""The server with the real guard, its policies and a ledger on disk."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from tacita.api.database import guard as guarded
from tacita.queries.answer import REFUSAL
from tacita.queries.policies.audit import Audit
from tacita.queries.policies.query_set_size import QuerySetSize
from tacita.server.shield import FAILED

SECTORS = ["IT"] * 5 + ["Fin"] * 4
AGES = [30, 30, 31, 31, 40, 30, 30, 41, 41]
# Of so many digits that no hash holds their sum by chance.
PAY = [1_000_000_000_039 * pay for pay in (52, 61, 48, 39, 41, 44, 70, 35, 58)]
ALL = "SELECT sum(pay) FROM firms"
ALL_BUT_ONE = "SELECT sum(pay) FROM firms WHERE NOT (sector = 'IT' AND age = 40)"
KEY = "a key of more than sixteen characters"


@pytest.fixture
def database(tmp_path, monkeypatch):
    monkeypatch.setenv("LEDGER_KEY", KEY)
    firms = pa.table({"sector": SECTORS, "age": AGES, "pay": PAY})
    with guarded(
        firms,
        policy=[QuerySetSize(1), Audit()],
        ledger=tmp_path / "ledger.db",
        anchor=tmp_path / "anchor.json",
        key_from="LEDGER_KEY",
        view="firms",
        roles={"sector": "key", "age": "key", "pay": "confidential"},
    ) as made:
        yield made


def test_fifty_clients_cannot_race_past_the_audit(serve, database, tokens):
    served = serve(database.guard, tokens)
    secrets = [tokens.add(f"sybil {i}", "analyst")[1] for i in range(50)]
    with served.client() as client, ThreadPoolExecutor(50) as threads:

        def ask(i: int) -> dict:
            headers = {"Authorization": f"Bearer {secrets[i]}"}
            sql = (ALL, ALL_BUT_ONE)[i % 2]
            return client.post("/query", json={"sql": sql}, headers=headers).json()

        answers = list(threads.map(ask, range(50)))
    told = [{answer["rows"][0][0] for answer in answers[half::2]} for half in (0, 1)]
    # One of the two sums was first and is answered to all who ask it; the other to nobody.
    assert told in ([{sum(PAY)}, {None}], [{None}, {sum(PAY) - PAY[4]}])
    refused = [answer for answer in answers if answer["refused"] == [[True]]]
    assert {answer["notice"] for answer in refused} == {REFUSAL}
    entries = sorted(answer["entry"] for answer in answers)
    assert entries == list(range(entries[0], entries[0] + 50))
    kept = database.guard.ledger.entries(entries[0] - 1)
    assert {entry.content["user"] for entry in kept} == {f"sybil {i}" for i in range(50)}


def test_when_the_ledger_fails_nothing_is_answered_any_more(serve, database, caplog, monkeypatch):
    served = serve(database.guard)

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    with served.client() as client:
        assert client.post("/query", json={"sql": ALL}).json()["rows"] == [[sum(PAY)]]
        monkeypatch.setattr(database.guard.ledger._store, "write", full)
        for sql in (ALL, ALL, "SELECT pay FROM firms"):
            reply = client.post("/query", json={"sql": sql})
            assert (reply.status_code, reply.json()) == (500, {"detail": FAILED})
    assert "No space left" in caplog.text


def test_what_an_auditor_reads_is_what_was_recorded(serve, database):
    with serve(database.guard).client() as client:
        answer = client.post("/query", json={"sql": ALL}).json()
        client.post("/query", json={"sql": "SELECT pay FROM firms"})
        entries = client.get("/ledger/entries").json()
        head = client.get("/ledger/head").json()["head"]
    assert [entry["kind"] for entry in entries[-2:]] == ["answer", "language"]
    assert f"{entries[-2]['number']}:{entries[-2]['digest']}" == answer["head"]
    assert f"{entries[-1]['number']}:{entries[-1]['digest']}" == head
    assert "commitment" in entries[-2]["payload"]
    assert str(sum(PAY)) not in str(entries)


def test_the_view_and_the_policies_are_told(serve, database):
    with serve(database.guard).client() as client:
        client.post("/query", json={"sql": ALL})
        view, policies, session = (
            client.get(path).json() for path in ("/view", "/policies", "/session")
        )
    assert sorted(view["public"]["sector"]["values"]) == ["Fin", "IT"]
    assert set(view["confidential"]) == {"pay"}
    assert [policy["name"] for policy in policies] == ["query_set_size", "audit"]
    assert all(policy["guarantee"] for policy in policies)
    assert (session["queries"], session["smallest_query_set"]) == (1, 9)
