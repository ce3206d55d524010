from __future__ import annotations

import json
from datetime import date

import httpx
import numpy as np
import pytest

from tacita.api.remote import RemoteDatabase, connect
from tacita.errors import InputError, ParameterError, QueryError, ServerError
from tacita.queries.answer import Answer
from tacita.server.settings import Settings


def test_an_answer_arrives_as_the_guard_gave_it(serve, guard):
    with connect(serve(guard).url) as database:
        got = database.ask("SELECT count(*) FROM small")
        assert got == Answer(
            ("sector", "count"),
            (("IT", None), ("Fin, Ltd", 5)),
            ((False, True), (False, False)),
            {"query_set_size": "Three records or more."},
            1,
            str(guard.ledger.head),
            {"epsilon": 0.5},
        )
        assert "refused" in repr(got)
        assert (database.view, database.policies) == (guard.view, guard.policies)
        assert database.left == {"epsilon": 1.0}
        assert repr(database).startswith("RemoteDatabase: http://127.0.0.1:")


@pytest.mark.parametrize(
    ("parameters", "sent"),
    [
        (["IT", 3, 2.5, None, True], ["IT", 3, 2.5, None, True]),
        ((date(2024, 2, 29), np.int64(4)), ["2024-02-29", 4]),
        ({"sector": "IT'; DROP TABLE firms"}, {"sector": "IT'; DROP TABLE firms"}),
    ],
)
def test_parameters_are_sent_apart_from_the_query(serve, guard, parameters, sent):
    with connect(serve(guard).url) as database:
        database.ask("SELECT count(*) FROM firms WHERE sector = ?", parameters)
    said = json.loads(guard.ledger.kept[0].payload)
    assert (said["query"], said["parameters"]) == (
        "SELECT count(*) FROM firms WHERE sector = ?",
        sent,
    )


@pytest.mark.parametrize("wrong", [[float("nan")], [object()], [{1, 2}]])
def test_parameters_that_cannot_be_sent(serve, guard, wrong):
    with connect(serve(guard).url) as database, pytest.raises(QueryError, match="A parameter"):
        database.ask("SELECT count(*) FROM firms", wrong)


def test_language_refusals_are_query_errors(serve, guard):
    with (
        connect(serve(guard).url) as database,
        pytest.raises(QueryError, match="Rows are not answered"),
    ):
        database.ask("SELECT * FROM firms")


def test_every_other_refusal_is_one_sentence(serve, guard, tokens, caplog):
    served = serve(guard, tokens, Settings(rate=0.01))
    with (
        connect(served.url, "nothing") as database,
        pytest.raises(ServerError, match="without a valid token"),
    ):
        database.ask("SELECT count(*) FROM firms")
    with (
        connect(served.url, tokens.add("au", "auditor")[1]) as database,
        pytest.raises(ServerError, match="does not allow"),
    ):
        database.ask("SELECT count(*) FROM firms")
    with connect(served.url, tokens.add("ana", "analyst")[1]) as database:
        with pytest.raises(ServerError, match="status 500"):
            database.ask("crash")
        with pytest.raises(ServerError, match=r"try again in \d+ s"):
            database.ask("SELECT count(*) FROM firms")


def test_a_question_that_is_too_large(serve, guard):
    with connect(serve(guard).url) as database, pytest.raises(QueryError, match="too large"):
        database.ask("x" * 200_000)


def test_nobody_is_there():
    with (
        connect("http://127.0.0.1:9") as database,
        pytest.raises(ServerError, match="Cannot reach"),
    ):
        database.ask("SELECT count(*) FROM firms")


def test_a_slow_server(serve, guard):
    with (
        connect(serve(guard).url, timeout=0.2) as database,
        pytest.raises(ServerError, match="did not answer in time"),
    ):
        database.ask("wait count")
    guard.going.set()


def test_another_place_on_the_server(serve, guard):
    with (
        connect(serve(guard).url + "/console") as database,
        pytest.raises(ServerError, match="status 404"),
    ):
        database.left  # noqa: B018


@pytest.mark.parametrize(
    ("status", "content", "sentence"),
    [
        (200, b"<html>", "is not a server of Tacita"),
        (200, b"{}", "is not a server of Tacita"),
        (200, b"[]", "is not a server of Tacita"),
        (503, b"Service Unavailable", "too many connections"),
        (400, b"<html>", "could not answer"),
        (307, b"", "could not answer"),
    ],
)
def test_servers_of_another_kind(status, content, sentence):
    transport = httpx.MockTransport(lambda _: httpx.Response(status, content=content))
    client = httpx.Client(base_url="http://127.0.0.1", transport=transport)
    with (
        RemoteDatabase(client, "http://127.0.0.1") as database,
        pytest.raises(ServerError, match=sentence),
    ):
        database.ask("SELECT count(*) FROM firms")


@pytest.mark.parametrize("url", ["", "firms", "ftp://x", "http://", "duckdb:///x"])
def test_an_address_must_be_one_of_the_web(url):
    with pytest.raises(ParameterError, match="`url` must be like"):
        connect(url)


def test_tokens_are_not_sent_where_others_read_along():
    with pytest.raises(ParameterError, match="unencrypted"):
        connect("http://data.example.org", "secret")


def test_wrong_tokens_timeouts_and_certificates(tmp_path):
    with pytest.raises(ParameterError, match="is not a token"):
        connect("https://data.example.org", "a\nb")
    with pytest.raises(ParameterError, match="`timeout`"):
        connect("https://data.example.org", timeout=0)
    with pytest.raises(InputError, match="is not a certificate"):
        connect("https://data.example.org", certificate=tmp_path / "none.pem")
