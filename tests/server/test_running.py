from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading

import httpx
import pytest

from tacita.api import remote
from tacita.errors import InputError, ParameterError, ServerError
from tacita.server.running import ready
from tacita.server.settings import Listening, Settings

COUNT = {"sql": "SELECT count(*) FROM firms"}
PATIENCE = 120  # seconds that a busy machine may take for anything
CHILD = """
    import sys
    from tacita.queries.answer import Answer
    from tacita.queries.guard import Submitted
    from tacita.server.running import ready
    from tacita.server.settings import Listening, Settings

    class Guard:
        def submit_quickly(self, sql, *, user, parameters, spending):
            return None

        def submit(self, sql, *, user, parameters=(), spending=None):
            print("asked", flush=True)
            sys.stdin.readline()
            return Submitted(Answer(("count",), ((6,),), ((False,),)), None)

        def settled(self, submitted):
            return submitted.answer

        def close(self):
            print("closed", flush=True)

    server = ready(Guard(), None, Settings(), Listening(port=0))
    print(server.url, flush=True)
    server.run()
    print("ended", flush=True)
"""


def test_a_stopped_server_finishes_its_answers_and_closes_the_guard(guard):
    server = ready(guard, None, Settings(), Listening(port=0))
    running = threading.Thread(target=server.run)
    running.start()
    got = []
    asking = threading.Thread(
        target=lambda: got.append(
            httpx.post(f"{server.url}/query", json={"sql": "wait count"}, timeout=PATIENCE)
        )
    )
    asking.start()
    assert guard.begun.wait(PATIENCE)
    server.stop()
    assert not guard.closed
    guard.going.set()
    asking.join(PATIENCE)
    running.join(PATIENCE)
    assert got[0].json()["rows"][0] == ["IT", 6]
    assert guard.closed
    with pytest.raises(httpx.TransportError):  # a connection may find no one but itself
        httpx.get(got[0].request.url)


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_running_answers_finish(sent):
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        url = child.stdout.readline().strip()
        got = []
        asking = threading.Thread(
            target=lambda: got.append(httpx.post(f"{url}/query", json=COUNT, timeout=PATIENCE))
        )
        asking.start()
        assert child.stdout.readline() == "asked\n"
        child.send_signal(sent)
        rest, _ = child.communicate("go on\n", PATIENCE)
        asking.join(PATIENCE)
    assert got[0].json()["rows"] == [[6]]
    assert rest.startswith("closed\n")
    assert child.returncode in (0, -signal.SIGTERM)


def test_an_address_in_use_is_told_in_a_sentence(guard):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=f"Cannot listen on 127.0.0.1:{port}"):
            ready(guard, None, Settings(), Listening(port=port))


def test_replies_are_sent_at_once(guard):
    with ready(guard, None, Settings(), Listening(port=0)).taken as taken:
        assert taken.proto == socket.IPPROTO_TCP  # else asyncio leaves Nagle's algorithm on


def test_an_open_server_is_not_made(guard, tokens):
    with pytest.raises(ParameterError, match="Everybody could ask"):
        ready(guard, None, Settings(), Listening("0.0.0.0", 0))  # noqa: S104
    with pytest.raises(ParameterError, match="unencrypted"):
        ready(guard, tokens, Settings(), Listening("0.0.0.0", 0))  # noqa: S104


@pytest.fixture(scope="module")
def certificate(tmp_path_factory, need):
    """A certificate of this machine that signs itself, and its key."""
    need("openssl")
    folder = tmp_path_factory.mktemp("tls")
    made, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", os.fspath(key), "-out", os.fspath(made)),
        ],
        check=True,
        capture_output=True,
    )
    return made, key


@pytest.mark.parametrize("wrong", ["certificate", "key"])
def test_a_certificate_that_is_no_good_is_told(guard, certificate, tmp_path, wrong):
    made, key = certificate
    other = tmp_path / "other.pem"
    other.write_text("nothing")
    pair = (other, key) if wrong == "certificate" else (made, other)
    with pytest.raises(InputError, match="are not a certificate and its key"):
        ready(guard, None, Settings(), Listening("127.0.0.1", 0, *pair))


def test_tls(serve, guard, tokens, certificate):
    made, key = certificate
    listening = Listening(port=0, certificate=made, certificate_key=key)
    served = serve(guard, tokens, listening=listening)
    assert served.url.startswith("https://")
    _, secret = tokens.add("ana", "analyst")
    with remote.connect(served.url, secret, certificate=made) as database:
        assert database.ask("SELECT count(*) FROM firms").rows[0] == ("IT", 6)
        reply = database._client.get("/health")
    assert reply.headers["strict-transport-security"].startswith("max-age=")
    with (
        remote.connect(served.url, secret) as database,
        pytest.raises(ServerError, match="certificate"),
    ):
        database.ask("SELECT count(*) FROM firms")
