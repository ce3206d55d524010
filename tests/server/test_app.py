from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pyarrow as pa
import pytest

from tacita.queries.answer import REFUSAL
from tacita.server.bodies import Reply
from tacita.server.gate import UNKNOWN
from tacita.server.settings import Settings
from tacita.server.shield import FAILED, HEADERS

COUNT = {"sql": "SELECT sector, count(*) FROM firms GROUP BY sector"}
SMALL = {"sql": "SELECT sector, count(*) FROM small GROUP BY sector"}
HEAD = "{0}:{0:064x}"
CONFIDENTIAL = "salary of record 14 is 35000"


def test_an_answer_says_all_there_is(client, guard):
    reply = client.post("/query", json={**COUNT, "parameters": ["IT", 3]})
    assert reply.status_code == 200
    assert reply.json() == {
        "columns": ["sector", "count"],
        "rows": [["IT", 6], ["Fin, Ltd", 5]],
        "refused": [[False, False], [False, False]],
        "notice": "",
        "guarantees": {"query_set_size": "Three records or more."},
        "entry": 1,
        "head": HEAD.format(1),
        "left": {"epsilon": 0.5},
        "intervals": [],
        "cost": {},
        "statistics": [],
    }
    (entry,) = guard.ledger.kept
    assert json.loads(entry.payload) == {
        "user": "local",
        "query": COUNT["sql"],
        "parameters": ["IT", 3],
    }


def test_parameters_may_have_names(client, guard):
    client.post("/query", json={**COUNT, "parameters": {"sector": "IT"}})
    assert json.loads(guard.ledger.kept[0].payload)["parameters"] == {"sector": "IT"}


def test_a_refusal_has_the_shape_of_an_answer(client):
    told, refused = (client.post("/query", json=one) for one in (COUNT, SMALL))
    assert (told.status_code, refused.status_code) == (200, 200)
    assert told.json().keys() == refused.json().keys()
    assert refused.json()["rows"] == [["IT", None], ["Fin, Ltd", 5]]
    assert refused.json()["refused"] == [[False, True], [False, False]]
    assert refused.json()["notice"] == REFUSAL


@pytest.mark.parametrize("chosen", ["Accept", "format"])
def test_csv(client, chosen):
    reply = _in_form(client, chosen, "csv", "text/csv")
    assert reply.headers["content-type"].startswith("text/csv")
    assert reply.text.splitlines() == ['"sector","count"', '"IT",', '"Fin, Ltd",5']
    assert (reply.headers["tacita-refused"], reply.headers["tacita-entry"]) == ("1", "1")


@pytest.mark.parametrize("chosen", ["Accept", "format"])
def test_an_arrow_stream(client, chosen):
    reply = _in_form(client, chosen, "arrow", "application/vnd.apache.arrow.stream")
    table = pa.ipc.open_stream(reply.content).read_all()
    assert table.to_pydict() == {"sector": ["IT", "Fin, Ltd"], "count": [None, 5]}
    rest = json.loads(table.schema.metadata[b"tacita"])
    assert rest["refused"] == [[False, True], [False, False]]
    assert (rest["entry"], rest["notice"]) == (1, REFUSAL)


def _in_form(client, chosen, form, media):
    if chosen == "format":
        return client.post("/query", json={**SMALL, "format": form})
    return client.post("/query", json=SMALL, headers={"Accept": media})


def test_what_is_no_statistical_query_is_refused_with_the_reason(client, guard):
    reply = client.post("/query", json={"sql": "SELECT * FROM firms"})
    assert reply.status_code == 400
    assert reply.json() == {"detail": "Rows are not answered; ask for statistics such as count(*)."}


@pytest.mark.parametrize("form", ["json", "csv", "arrow"])
def test_nothing_is_told_of_what_goes_wrong_inside(client, form, caplog):
    reply = client.post("/query", json={"sql": "crash", "format": form})
    assert (reply.status_code, reply.json()) == (500, {"detail": FAILED})
    assert CONFIDENTIAL not in reply.text + str(reply.headers)
    assert CONFIDENTIAL in caplog.text  # the curator can find out


def test_inner_failures_of_other_routes_are_silent_too(client, guard, caplog):
    guard.session = lambda: 1 / 0
    reply = client.get("/session")
    assert (reply.status_code, reply.json()) == (500, {"detail": FAILED})
    assert "division" in caplog.text


@pytest.mark.parametrize(
    ("body", "about"),
    [
        (b"{", "the body|1"),
        (b'{"sq": "SELECT 1"}', "sql"),
        (b'{"sql": 3}', "sql"),
        (b'{"sql": "x", "format": "xml"}', "format"),
        (b'{"sql": "x", "more": "hidden-thing"}', "more"),
        (b'{"sql": "x", "parameters": [["hidden-thing"]]}', "parameters"),
        (b'{"sql": "x", "parameters": [NaN]}', "parameters|JSON"),
        (b'{"sql": "x", "parameters": [1e999]}', "parameters|JSON"),
        (b'{"sql": "\\ud800"}', "sql|JSON"),
        (b'{"sql": "x", "parameters": ["\\ud800"]}', "parameters|JSON"),
        (b'{"sql": "x", "parameters": {"\\ud800": 1}}', "parameters|JSON"),
        (b"\xff\xfe", ""),
    ],
)
def test_a_wrong_body_is_explained_in_a_sentence(client, guard, body, about):
    reply = client.post("/query", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code in (400, 422)
    said = reply.json()["detail"]
    assert any(word in said for word in about.split("|"))
    assert "hidden-thing" not in said
    assert "[" not in said  # no types of ours
    assert not guard.ledger.kept


def test_only_json_is_read_so_that_other_pages_cannot_ask(client, guard):
    reply = client.post("/query", content=json.dumps(COUNT), headers={"Content-Type": "text/plain"})
    assert reply.status_code == 422
    assert not guard.ledger.kept


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_body_is_not_read(serve, guard, chunked):
    body = json.dumps({"sql": "x" * 3000}).encode()
    content = (body[i : i + 100] for i in range(0, len(body), 100)) if chunked else body
    with serve(guard, settings=Settings(longest=2000)).client() as client:
        reply = client.post("/query", content=content, headers={"Content-Type": "application/json"})
        assert reply.status_code == 413
        assert client.post("/query", json=COUNT).status_code == 200


def test_every_reply_has_the_security_headers(client):
    replies = [
        client.get("/console/"),
        client.post("/query", json=COUNT),
        client.post("/query", json={"sql": "crash"}),
        client.get("/nowhere"),
        client.post("/query", content=b"x" * 200_000),
    ]
    assert [reply.status_code for reply in replies] == [200, 200, 500, 404, 413]
    for reply in replies:
        for name, value in HEADERS:
            assert reply.headers[name.decode()] == value.decode()
        assert "server" not in reply.headers


def test_other_origins_get_no_permission(client):
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    reply = client.options("/query", headers=asked)
    assert reply.status_code == 405
    told = client.post("/query", json=COUNT, headers=asked)
    assert not [name for name in told.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("host", "status"),
    [("127.0.0.1:99", 200), ("localhost", 200), ("[::1]:8", 200), ("evil.example", 403), ("", 403)],
)
def test_without_tokens_only_this_machine_is_answered(client, host, status):
    assert client.get("/health", headers={"Host": host}).status_code == status


def test_the_interface_describes_itself(client):
    described = client.get("/openapi.json").json()
    assert described["paths"].keys() >= {"/query", "/view", "/policies", "/session", "/budget"}
    asking = described["paths"]["/query"]["post"]
    assert {"200", "400", "401", "403", "413", "429"} <= asking["responses"].keys()
    assert set(asking["responses"]["200"]["content"]) == {
        "application/json",
        "text/csv",
        "application/vnd.apache.arrow.stream",
    }
    assert described["components"]["schemas"]["Question"]["examples"]
    assert "HTTPBearer" in described["components"]["securitySchemes"]


def test_the_console_is_there_and_fetches_nothing_from_elsewhere(client):
    assert client.get("/", follow_redirects=True).text == client.get("/console/").text
    for name in ("", "console.js", "console.css", "icon.svg"):
        text = client.get(f"/console/{name}").text
        assert "https://" not in text
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert client.get("/console/../app.py").status_code == 404
    assert client.get("/console/%2e%2e/app.py").status_code == 404


def test_the_console_shows_all_that_an_answer_tells(client):
    script, page = client.get("/console/console.js").text, client.get("/console/").text
    for told in set(Reply.model_fields) - {"statistics"}:  # that is for programs
        assert f"answer.{told}" in script
    for shown in ("answer", "guarantees", "notice", "recorded", "left"):
        assert f'id="{shown}"' in page


# -- who may do what -------------------------------------------------------------------------------

ROUTES = {
    "/view": "view",
    "/policies": "view",
    "/budget": "query",
    "/session": "session",
    "/ledger/head": "ledger",
    "/ledger/entries": "ledger",
    "/tokens": "tokens",
}
MAY = {
    "analyst": {"view", "query"},
    "curator": {"view", "query", "session", "tokens"},
    "auditor": {"view", "session", "ledger"},
}


def test_every_role_may_do_its_own(serve, guard, tokens):
    served = serve(guard, tokens)
    for role, may in MAY.items():
        with served.client(tokens.add("ana", role)[1]) as client:
            for path, scope in ROUTES.items():
                assert client.get(path).status_code == (200 if scope in may else 403), (role, path)
            asked = client.post("/query", json=COUNT).status_code
            assert asked == (200 if "query" in may else 403)


def test_a_token_may_allow_less_than_its_role(serve, guard, tokens):
    with serve(guard, tokens).client(tokens.add("ana", "analyst", scopes=["view"])[1]) as client:
        assert client.get("/view").status_code == 200
        assert client.post("/query", json=COUNT).status_code == 403


def test_who_asks_is_known_by_the_token(serve, guard, tokens):
    with serve(guard, tokens).client(tokens.add("ana", "analyst")[1]) as client:
        client.post("/query", json=COUNT)
        assert client.get("/budget").json() == {"epsilon": 0.5}
    assert json.loads(guard.ledger.kept[0].payload)["user"] == "ana"


def test_all_that_is_no_valid_token_hears_the_same(serve, guard, tokens):
    served = serve(guard, tokens)
    token, secret = tokens.add("ana", "analyst")
    wrong = [
        {},
        {"Authorization": "Bearer nothing"},
        {"Authorization": f"Basic {secret}"},
        {"Authorization": f"Bearer {secret[:-1]}"},
        {"Authorization": f"Bearer tacita_{token.id}_"},
        {"Authorization": b"Bearer \xff\xfe"},
    ]
    heard = set()
    for headers in wrong:
        with served.client() as client:
            reply = client.post("/query", json=COUNT, headers=headers)
        heard.add((reply.status_code, reply.text, reply.headers["www-authenticate"]))
    assert heard == {(401, json.dumps({"detail": UNKNOWN}, separators=(",", ":")), "Bearer")}
    assert not guard.ledger.kept


def test_guessing_is_slowed_down_and_does_not_lock_out_who_is_in(serve, guard, tokens, monkeypatch):
    monkeypatch.setattr("tacita.server.gate.GUESSES", (0.01, 1000.0))
    served = serve(guard, tokens)
    with served.client(tokens.add("ana", "analyst")[1]) as ana, served.client("guess") as guesser:
        assert ana.get("/view").status_code == 200
        assert [guesser.get("/view").status_code for _ in range(3)] == [401, 429, 429]
        assert ana.get("/view").status_code == 200


def test_who_shows_no_token_is_not_guessing(serve, guard, tokens):
    served = serve(guard, tokens)
    with served.client() as client:
        assert {client.get("/view").status_code for _ in range(20)} == {401}
    with served.client(tokens.add("ana", "analyst")[1]) as ana:
        assert ana.get("/view").status_code == 200


def test_a_revoked_token_stays_out_at_once(serve, guard, tokens):
    served = serve(guard, tokens)
    token, secret = tokens.add("ana", "analyst")
    with (
        served.client(secret) as ana,
        served.client(tokens.add("cu", "curator")[1]) as curator,
    ):
        assert ana.post("/query", json=COUNT).status_code == 200
        listed = curator.get("/tokens").json()
        assert [one["user"] for one in listed] == ["ana", "cu"]
        assert all({"hash", "salt"}.isdisjoint(one) for one in listed)
        assert curator.delete(f"/tokens/{token.id}").json()["revoked"]
        assert ana.post("/query", json=COUNT).status_code == 401
        assert curator.delete("/tokens/nobody").status_code == 404


def test_the_health_needs_no_token_and_tells_nothing(serve, guard, tokens):
    with serve(guard, tokens).client() as client:
        assert client.get("/health").json() == {"status": "ok"}


def test_who_asks_too_often_must_wait(serve, guard):
    with serve(guard, settings=Settings(rate=0.01)).client() as client:
        first, second = (client.post("/query", json=COUNT) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 429)
    assert 1 <= int(second.headers["retry-after"]) <= 100
    assert len(guard.ledger.kept) == 1


def test_one_user_does_not_use_up_what_others_may_ask(serve, guard, tokens):
    served = serve(guard, tokens, Settings(rate=0.01))
    ana, ana_again, bo = (tokens.add(user, "analyst")[1] for user in ("ana", "ana", "bo"))
    seen = []
    for secret in (ana, ana_again, bo):
        with served.client(secret) as client:
            seen.append(client.post("/query", json=COUNT).status_code)
    assert seen == [200, 429, 200]


# -- the ledger ------------------------------------------------------------------------------------


def test_an_auditor_reads_the_ledger_page_by_page(client, guard):
    for _ in range(3):
        client.post("/query", json=COUNT)
    assert client.get("/ledger/head").json() == {"head": HEAD.format(3)}
    page = client.get("/ledger/entries", params={"after": 1, "most": 1}).json()
    assert page == [
        {
            "number": 2,
            "time": "1970-01-01T00:00:00.000000+00:00",
            "kind": "answer",
            "payload": {"user": "local", "query": COUNT["sql"], "parameters": []},
            "digest": f"{2:064x}",
        }
    ]
    assert client.get("/ledger/entries", params={"after": -1}).status_code == 422


@pytest.mark.parametrize("path", ["/ledger/head", "/ledger/entries"])
def test_a_database_without_a_ledger_says_so(client, guard, path):
    guard.ledger = None
    reply = client.get(path)
    assert (reply.status_code, reply.json()) == (404, {"detail": "This database keeps no ledger."})


def test_fifty_clients_at_once_are_all_recorded_once(serve, guard, tokens):
    served = serve(guard, tokens)
    secrets = [tokens.add(f"user {i}", "analyst")[1] for i in range(10)]

    with served.client() as client, ThreadPoolExecutor(50) as threads:

        def ask(i: int) -> int:
            headers = {"Authorization": f"Bearer {secrets[i % 10]}"}
            return client.post("/query", json=COUNT, headers=headers).json()["entry"]

        entries = list(threads.map(ask, range(50)))
    assert sorted(entries) == list(range(1, 51))
    assert len(guard.ledger.kept) == 50


def test_a_broken_off_request_leaves_the_server_well(serve, guard):
    served = serve(guard)
    with served.client() as client, pytest.raises(httpx.ReadTimeout):
        client.post("/query", json={"sql": "wait count"}, timeout=0.2)
    guard.going.set()
    with served.client() as client:
        assert client.post("/query", json=COUNT).status_code == 200
