from __future__ import annotations

import signal
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest

from tacita.server.tokens import Tokens


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch):
    monkeypatch.setattr("tacita.server.tokens.COST", {"n": 2, "r": 1, "p": 1})


@pytest.fixture
def file(tmp_path):
    return tmp_path / "tokens.json"


# -- tokens ----------------------------------------------------------------------------------------


def test_a_token_is_printed_once_and_lets_in(run_cli, file):
    made = run_cli("token", "add", "ana", "--tokens", file)
    secret = made.out.strip()
    token = Tokens(file).verify(secret)
    assert (token.user, token.role) == ("ana", "analyst")
    assert 89.9 < (token.expires - token.created).days + 1 <= 91
    assert secret not in file.read_text()


def test_a_token_of_a_role_with_fewer_scopes(run_cli, file):
    made = run_cli(
        *("token", "add", "au", "--role", "auditor", "--scope", "ledger", "--days", 0),
        *("--tokens", file, "--json"),
    )
    assert (made.json["role"], made.json["scopes"]) == ("auditor", ["ledger"])
    assert made.json["expires"] is None
    assert Tokens(file).verify(made.json["token"]).id == made.json["id"]
    assert {"salt", "hash"}.isdisjoint(made.json)


def test_tokens_are_listed_and_revoked(run_cli, file):
    ids = [
        run_cli("token", "add", user, "--tokens", file, "--json").json["id"]
        for user in ("ana", "bo")
    ]
    assert (
        f"The token {ids[0]} of ana is revoked."
        in run_cli("token", "revoke", ids[0], "--tokens", file).out
    )
    listed = run_cli("token", "list", "--tokens", file).out.splitlines()
    assert [line.split()[-1] for line in listed if line.startswith(tuple(ids))] == [
        "revoked",
        "valid",
    ]
    told = run_cli("token", "list", "--tokens", file, "--json").json
    assert [one["user"] for one in told] == ["ana", "bo"]
    assert not any(one.keys() & {"salt", "hash"} for one in told)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("revoke", "abc"), "has no token 'abc'"),
        (("add", "ana", "--scope", "ledger"), "cannot allow ledger"),
        (("add", " "), "A user needs a name"),
    ],
)
def test_mistakes_with_tokens_are_one_sentence(run_cli, file, words, sentence):
    done = run_cli("token", *words, "--tokens", file)
    assert done.code == 1
    assert sentence in done.err


# -- serving ---------------------------------------------------------------------------------------


class Guard:
    closed = False

    def close(self):
        self.closed = True


@pytest.fixture
def served(monkeypatch):
    """What a plan describes, without a plan."""
    made = SimpleNamespace(guard=Guard(), tokens=None, tick=0.0, rate=20.0, collect={}, plans=[])
    module = ModuleType("tacita.api.database")
    module.serve_plan = lambda path: made.plans.append(path) or made
    monkeypatch.setitem(sys.modules, "tacita.api.database", module)
    return made


def test_a_public_address_is_refused_without_tokens_and_tls(run_cli, served, file):
    done = run_cli("serve", "plan.yaml", "--host", "0.0.0.0", "--port", 0)  # noqa: S104
    assert done.code == 1
    assert "Everybody could ask at 0.0.0.0" in done.err
    assert served.guard.closed
    served.tokens = file
    done = run_cli("serve", "plan.yaml", "--host", "0.0.0.0", "--port", 0)  # noqa: S104
    assert "unencrypted" in done.err


def test_what_the_plan_says_reaches_the_server(run_cli, served, file, monkeypatch):
    made = []

    def run(server):
        made.append(server)
        server.taken.close()

    monkeypatch.setattr("tacita.server.running.Server.run", run)
    served.tokens, served.tick, served.rate = file, 0.25, 3.0
    done = run_cli("serve", "plan.yaml", "--port", 0)
    assert done.code == 0
    assert "Answering at http://127.0.0.1:" in done.out
    state = made[0].uvicorn.config.app.state
    assert (state.settings.tick, state.settings.rate) == (0.25, 3.0)
    assert state.gate.tokens.path == file
    assert [str(path) for path in served.plans] == ["plan.yaml"]


def test_impossible_settings_of_a_plan(run_cli, served):
    served.tick = -1
    done = run_cli("serve", "plan.yaml", "--port", 0)
    assert "`tick` must be between 0 and 60 seconds; got -1." in done.err
    assert served.guard.closed


# -- a plan, a server, an analyst ------------------------------------------------------------------

FIRMS = """id,sector,region,salary
1,IT,BCN,52000
2,IT,BCN,61000
3,IT,BCN,48000
4,IT,TGN,39000
5,IT,TGN,41000
6,IT,TGN,44000
7,Fin,BCN,70000
8,Fin,TGN,35000
"""
PLAN = """
data:
  source: firms.csv
  attributes:
    id: {role: identifier}
    sector: {role: key}
    region: {role: key}
    salary: {role: confidential}
queries:
  view: firms
  policies: [{query_set_size: 2}, {audit: {k: 2}}]
  ledger: ledger.db
  anchor: anchor.json
  key_from: TACITA_LEDGER_KEY
  tokens: tokens.json
"""


@pytest.fixture
def running(tmp_path, monkeypatch):
    """A server of a plan in a process of its own, its address and an analyst's token."""
    (tmp_path / "firms.csv").write_text(FIRMS)
    (tmp_path / "plan.yaml").write_text(PLAN)
    monkeypatch.setenv("TACITA_LEDGER_KEY", "a key of some sixteen characters and more")
    _, secret = Tokens(tmp_path / "tokens.json").add("ana", "analyst")
    monkeypatch.setenv("TACITA_TOKEN", secret)
    # The hashes of this test are cheap, so those of the server must be as well.
    code = (
        "import tacita.server.tokens as t; t.COST = {'n': 2, 'r': 1, 'p': 1};"
        "from tacita.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "serve", "plan.yaml", "--port", "0"]
    child = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    with child:
        said = child.stdout.readline()
        yield child, said.split(",")[0].removeprefix("Answering at "), tmp_path
        child.terminate()


def test_a_plan_is_served_asked_stopped_and_verified(running, run_cli):
    child, url, folder = running
    asked = "SELECT region, avg(salary) FROM firms WHERE sector = ? GROUP BY region"
    told = run_cli("ask", url, asked, "--parameter", "IT", "--format", "json").json
    assert told["rows"] == [["BCN", 53666.666666666664], ["TGN", 41333.333333333336]]
    assert set(told["guarantees"]) == {"query_set_size", "audit"}
    alone = run_cli("ask", url, asked, "--parameter", "Fin", "--format", "json").json
    assert alone["refused"] == [[False, True], [False, True]]
    assert alone["rows"] == [["BCN", None], ["TGN", None]]
    rows = run_cli("ask", url, "SELECT salary FROM firms")
    assert rows.code == 1
    assert "52000" not in rows.err
    child.send_signal(signal.SIGTERM)
    child.wait(120)
    place, anchor = folder / "ledger.db", folder / "anchor.json"
    verified = run_cli("ledger", "verify", place, "--anchor", anchor, "--head", told["head"])
    assert verified.code == 0, verified.out
    shown = run_cli("ledger", "show", place, "--json").out
    assert shown.count('"user": "ana"') == 3
