from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tacita.app.entrance import CLOSED, FOREIGN, Keys


@pytest.fixture
def stranger(running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running.url.partition("/?")[0], trust_env=False) as client:
        yield client


def test_nobody_comes_in_without_the_token(stranger, running):
    for place in ("/", "/static/bench.js", "/jobs/x", "/?token=wrong", "/vega.js"):
        reply = stranger.get(place)
        assert (reply.status_code, reply.text) == (403, CLOSED)
    reply = stranger.get(f"/?token={running.bench.keys.issue()}")
    assert (reply.status_code, reply.headers["location"]) == (303, "/")
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert stranger.get("/").status_code == 200


def test_an_address_lets_in_one_browser_once(stranger, running):
    place = f"/?token={running.bench.keys.issue()}"
    assert stranger.get(place).status_code == 303
    assert stranger.get(place).status_code == 303  # who is in already stays in
    with httpx.Client(base_url=stranger.base_url, trust_env=False) as another:
        reply = another.get(place)
        assert (reply.status_code, reply.text) == (403, CLOSED)
        assert another.get("/").status_code == 403
        assert another.get(httpx.URL(running.url).raw_path.decode()).status_code == 303
        assert another.get("/").status_code == 200
    assert running.bench.keys.session not in running.url


def test_what_is_in_the_cookie_opens_no_address(stranger, running):
    reply = stranger.get(f"/?token={running.bench.keys.session}")
    assert (reply.status_code, reply.text) == (403, CLOSED)


def test_other_hosts_are_refused(stranger, running):
    place = f"/?token={running.bench.keys.issue()}"
    reply = stranger.get(place, headers={"Host": "evil.example"})
    assert (reply.status_code, reply.text) == (403, FOREIGN)


def test_a_change_needs_the_proof_of_a_page(person):
    del person.headers["X-Tacita-Proof"]
    assert person.post("/projects", json={"example": ["toy"], "records": ["9"]}).status_code == 403
    wrong = {"X-Tacita-Proof": "0" * 64}
    assert person.put("/files/a.csv", content=b"a\n1\n", headers=wrong).status_code == 403
    assert person.bench.projects.all() == []
    assert person.bench.workplace.files() == []


def test_a_change_from_another_page_is_refused_even_with_the_proof(person):
    reply = person.post("/projects", json={}, headers={"Origin": "http://127.0.0.1:1"})
    assert (reply.status_code, reply.text) == (403, FOREIGN)
    own = str(person.base_url).rstrip("/")
    assert person.post("/projects", json={}, headers={"Origin": own}).status_code == 400


def test_every_answer_protects_the_page(person):
    headers = person.get("/").headers
    assert "script-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert headers["x-frame-options"] == "DENY"


def test_two_workbenches_have_cookies_of_their_own():
    one, other = Keys(), Keys()
    assert one.cookie != other.cookie
    assert one.session not in repr(one)
    assert one.issue() not in repr(one)


def test_names_of_attributes_and_files_are_hostile(person):
    attack = "<img src=x onerror=alert(1)>"
    file = person.bench.workplace.folder / "a'><script>alert(1)<.csv"
    file.write_text(f'"{attack}",b\n"{attack}",2\n')
    assert "<script>alert(1)" not in person.get("/").text
    place = person.fill("/projects", file=file.name)["go"]
    assert "<script>alert(1)" not in person.get(place).text
    for part in ("/overview", "/records"):
        shown = person.shown(place + part)
        assert "<img src=x" not in shown
        assert "&lt;img src=x" in shown


def test_what_fails_says_nothing_of_it(person, monkeypatch, caplog):
    monkeypatch.setattr(person.bench.projects, "all", lambda: 1 / 0)
    reply = person.get("/")
    assert reply.status_code == 500
    assert "division" not in reply.text
    assert "ZeroDivisionError" in caplog.text
    assert "rooms/home.py" in caplog.text
    assert "by zero" not in caplog.text  # what an exception says may hold values


def test_cookies_of_other_servers_shut_nobody_out(person):
    own = f"{person.bench.keys.cookie}={person.bench.keys.session}"
    for other in ('a={"x": 1}', "no equals", "=", "é=ü", "session=a b; x=[1,2]"):
        for cookie in (f"{other}; {own}", f"{own}; {other}"):
            reply = person.get("/", headers={"Cookie": cookie.encode()})
            assert reply.status_code == 200, cookie


def test_who_follows_a_link_of_another_page_comes_in_by_a_page_of_our_own(stranger, running):
    place = f"/?token={running.bench.keys.issue()}"
    reply = stranger.get(place, headers={"Sec-Fetch-Site": "cross-site"})
    assert reply.status_code == 200
    assert 'content="0; url=/"' in reply.text
    assert place.partition("=")[2] not in reply.text
    assert running.bench.keys.session not in reply.text
    assert stranger.get("/").status_code == 200


def test_no_other_protocol_is_spoken(stranger, running):
    asked = {
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    assert stranger.get("/", headers=asked).status_code == 403


def test_nothing_of_the_data_is_logged(person, capfd, caplog):
    secret = "Abracadabra"  # noqa: S105 - a value
    content = f"{secret}1,b\n{secret}2,2\n{secret}3,3\n".encode()
    place = person.put(f"/files/{secret}.csv", content=content).json()["go"].removesuffix("/data")
    for part in ("/data/overview", "/data/records", "/roles/attributes"):
        person.shown(place + part)
    person.fill(f"{place}/ask", sql=f"SELECT {secret} FROM t", user=secret)  # noqa: S608
    person.fill(f"{place}/protect/apply", variant="0", method="written", text=f"{secret}: {secret}")
    person.get(f"{place}/{secret}?q={secret}")
    written = capfd.readouterr()
    assert secret not in caplog.text + written.out + written.err
    assert person.bench.keys.session not in caplog.text + written.out + written.err
