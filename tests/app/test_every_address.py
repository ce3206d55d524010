"""Every address of the workbench, those to come included: who may ask for it, and what nonsense does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tacita.app.application import create_app
from tacita.app.entrance import CLOSED, FOREIGN
from tacita.app.rooms import ROOMS

PLAN = {
    "data": {"example": {"toy": 20}},
    "microdata": {"steps": [{"sample": 0.5}]},
    "tables": [{"name": "t", "by": ["sex"], "rules": [{"minimum_frequency": 3}]}],
    "queries": {"view": "v", "policies": [{"query_set_size": 5}], "ledger": "ledger.db"},
}
NONSENSE: list[Any] = [
    {}, {"variant": ["x"]}, {"variant": ["99"]}, {"variant": ["9" * 5000]}, {"variant": []},
    {"variant": ["0"]}, {"variant": ["0"], "at": ["99"], "do": ["remove"], "place": ["99"]},
    [1], "x", None, {"variant": 0}, {"variant": [None]},
]  # fmt: skip
BROKEN = [b"", b"{", b"\xff\xfe", b'{"variant": ["\\ud800"]}', b"[" * 100_000]


def addresses(project: str, number: str = "0") -> Iterator[tuple[str, str]]:
    """Return the method and the address of everything that can be asked for."""
    for room in ROOMS:
        for route in room.routes:
            named = dict.fromkeys(route.param_convertors, number)
            place = route.path.format(**{**named, "identifier": project, "side": "public"})
            yield from ((method, place) for method in route.methods)
    yield "GET", "/static/bench.js"


def refused(client: httpx.Client, sentence: str, project: str, **headers: str) -> None:
    for method, place in addresses(project):
        reply = client.request(method, place, json={}, headers=headers)
        assert (reply.status_code, reply.text) == (403, sentence), (method, place)


@pytest.fixture
def project(person) -> str:
    return person.bench.projects.begin("toy", PLAN, "made").identifier


def test_there_is_nothing_but_the_rooms_and_static_files(bench):
    kinds = [type(route).__name__ for route in create_app(bench).routes]
    assert len(kinds) == len(ROOMS) + 1
    assert kinds[-1] == "Mount"


def test_without_the_cookie_nothing_is_answered(person, project):
    held = person.bench.projects.get(project)
    person.cookies.clear()
    refused(person, CLOSED, project)
    refused(person, CLOSED, project, Cookie=f"{person.bench.keys.cookie}=wrong")
    assert person.bench.projects.get(project) == held
    assert person.bench.jobs.all() == []


def test_under_the_name_of_another_machine_nothing_is_answered(person, project):
    held = person.bench.projects.get(project)
    for host in ("evil.example", "127.0.0.1.evil.example", "[", "", "10.0.0.1"):
        refused(person, FOREIGN, project, Host=host)
    assert person.bench.projects.get(project) == held
    assert person.bench.jobs.all() == []


def test_nothing_is_changed_without_the_proof_or_from_elsewhere(person, project):
    held = person.bench.projects.get(project)
    changing = [one for one in addresses(project) if one[0] != "GET"]
    own = str(person.base_url).rstrip("/")
    wrong = (
        {"X-Tacita-Proof": ""},
        {"X-Tacita-Proof": "é".encode()},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": own.replace("http:", "https:")},
    )
    for method, place in changing:
        for headers in wrong:
            reply = person.request(method, place, json={}, headers=headers)
            assert (reply.status_code, reply.text) == (403, FOREIGN), (method, place, headers)
    assert person.bench.projects.get(project) == held
    assert len(changing) > 40


def test_pages_of_other_servers_on_this_machine_get_nothing(person, project):
    for site in ("same-site", "cross-site"):
        for method, place in addresses(project):
            if method == "GET":
                headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
                assert person.get(place, headers=headers).status_code == 403, place
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert person.get("/", headers=link).status_code == 200


def test_other_methods_do_nothing(person, project):
    for _, place in addresses(project):
        for method in ("HEAD", "OPTIONS", "PATCH", "DELETE", "TRACE"):
            if method == "HEAD" and place.startswith("/static"):
                continue
            assert person.request(method, place).status_code == 405, (method, place)
    del person.headers["X-Tacita-Proof"]
    for method in ("PATCH", "DELETE", "TRACE", "PROPFIND"):
        assert person.request(method, "/").status_code == 403


def test_every_answer_protects_what_it_shows(person, project):
    for method, place in addresses(project):
        if method != "GET":
            continue
        headers = person.get(place).headers
        assert headers["x-content-type-options"] == "nosniff", place
        assert headers["referrer-policy"] == "no-referrer", place
        assert headers["cross-origin-resource-policy"] == "same-origin", place
        assert "default-src 'none'" in headers["content-security-policy"], place
        assert place == "/vega.js" or headers["cache-control"] == "no-store", place


@pytest.mark.parametrize("number", ["0", "99", "-1", "9" * 30, "x"])
def test_no_address_fails_whatever_it_names(person, project, number):
    for method, place in addresses(project, number):
        if method == "GET":
            assert person.get(place).status_code < 500, place


def test_no_form_fails_whatever_it_holds(person, project):
    bodies = [*({"json": one} for one in NONSENSE), *({"content": one} for one in BROKEN)]
    for method, place in addresses(project):
        if method == "GET" or place.startswith(("/files", "/jobs")):
            continue
        for body in bodies:
            reply = person.request(method, place, **body)
            assert reply.status_code < 500, (place, str(body)[:80])
            assert "go" in reply.json() or "load" in reply.json() or reply.json()["detail"]


def test_a_form_that_is_too_large_is_refused_before_it_is_read(person, project):
    reply = person.post(f"/p/{project}/roles", content=b"[" + b" " * (2**24 + 1))
    assert reply.status_code == 400
    assert "larger than 16 MB" in reply.json()["detail"]


@pytest.mark.parametrize("linked", ["internal", "public/report.html", "public/data"])
def test_a_release_that_leads_elsewhere_is_none(person, project, tmp_path_factory, linked):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("report.html", "plan.yaml", "secret.csv"):
        (elsewhere / name).write_text("secret")
    release = person.bench.workplace.folder / "releases" / "odd"
    (release / "public").mkdir(parents=True)
    (release / "public" / "statement.json").write_text('{"requirements_hold": true}')
    place = f"/p/{project}/release"
    assert "odd" in person.get(f"{place}/there").text
    target = elsewhere / "report.html" if linked.endswith("html") else elsewhere
    (release / linked).symlink_to(target)
    assert "odd" not in person.get(f"{place}/there").text
    for what in ("public.zip", "internal.zip", "plan.yaml", "public/0/report.html"):
        reply = person.get(f"{place}/odd/{what}")
        assert reply.status_code == 404
        assert "secret" not in reply.text
