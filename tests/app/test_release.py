from __future__ import annotations

import io
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

import tacita as ta
from tacita.app import releases
from tacita.app.releases import Released, find_release, releases_in
from tacita.errors import InputError

pytestmark = pytest.mark.usefixtures("kept_hands")


@pytest.fixture
def place(person) -> str:
    return person.fill("/projects", example="toy", records="200")["go"].removesuffix("/data")


def protected(person, place, k: str) -> None:
    """Make a variant that reaches 3-anonymity, and require k."""
    data = {"example": {"toy": 200}}
    micro = {
        "steps": [{"mondrian": {"to": [{"k_anonymity": {"k": 3}}]}}, "shuffle_records"],
        "require": [{"k_anonymity": {"k": int(k)}}],
        "measure": ["uniqueness", "suppression"],
    }
    person.bench.projects.change(place.split("/")[2], {"data": data, "microdata": micro}, "made")


def reports_keep_their_styles_and_reach_nothing(person, place) -> None:
    for side in ("public", "internal"):
        reply = person.get(f"{place}/release/first/{side}/0/report.html")
        assert reply.status_code == 200
        assert "<style>" in reply.text
        policy = reply.headers["content-security-policy"]
        assert "style-src 'unsafe-inline'" in policy
        assert "script-src" not in policy
        assert "sandbox" in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert person.get(f"{place}/release/first/{side}/0/report.pdf").content.startswith(b"%PDF")
    for wrong in ("first/public/1/report.html", "first/secret/0/report.html", "none/public.zip"):
        assert person.get(f"{place}/release/{wrong}").status_code == 404


def test_a_release_with_anything_but_proven_requirements_is_green_nowhere(person, place):
    data = {"example": {"toy": 200}}
    micro = {
        "steps": [{"mondrian": {"to": [{"k_anonymity": {"k": 3}}]}}],
        "require": [{"k_anonymity": 3}, {"exact_linkage": {"at_most": 0.9}}],
    }
    person.bench.projects.change(place.split("/")[2], {"data": data, "microdata": micro}, "made")
    shown = person.shown(person.fill(f"{place}/release", variant="1", name="first")["load"])
    told = "All 2 requirements hold: 1 proven, 1 withstood named attacks."
    assert 'class="notice open"' in shown
    assert 'class="notice good"' not in shown
    assert told in shown
    assert (shown.count("light holds"), shown.count("light withstood")) == (1, 1)
    there = person.get(f"{place}/release/there").text
    assert f'<span class="verdict withstood">{told}</span>' in there


def test_a_release_is_written_handed_out_and_verified_from_the_command_line(person, place):
    protected(person, place, "3")
    assert "mondrian (to k_anonymity (k 3))" in person.get(f"{place}/release").text
    asked = person.fill(f"{place}/release", variant="1", name="first")
    shown = person.shown(asked["load"])
    assert "200 records in" in shown
    assert 'class="light holds"' in shown
    assert 'class="notice good"' in shown
    assert "The one requirement holds: it is proven." in shown
    folder = person.bench.workplace.folder / "releases" / "first"
    verified = subprocess.run(
        [Path(sys.executable).with_name("tacita"), "verify", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr
    for side in ("public", "internal"):
        archive = zipfile.ZipFile(
            io.BytesIO(person.get(f"{place}/release/first/{side}.zip").content)
        )
        names = {
            f"first/{one.relative_to(folder)}"
            for one in (folder / side).rglob("*")
            if one.is_file()
        }
        assert set(archive.namelist()) == names
        assert archive.testzip() is None
    assert not list(person.bench.workplace.session.glob("archive-*"))
    assert "first" in person.get(f"{place}/release/there").text
    reports_keep_their_styles_and_reach_nothing(person, place)


def test_a_release_is_what_a_run_of_its_plan_with_its_seed_gives(person, place, tmp_path_factory):
    protected(person, place, "3")
    person.shown(person.fill(f"{place}/release", variant="1", name="one")["load"])
    plan = tmp_path_factory.mktemp("run") / "plan.yaml"
    plan.write_text(person.get(f"{place}/plan.yaml").text)
    seed = person.bench.projects.get(place.split("/")[2]).seed
    ta.run(plan, plan.parent / "out", seed=seed)
    name = "public/data.csv"
    ours = (person.bench.workplace.folder / "releases" / "one" / name).read_bytes()
    assert ours == (plan.parent / "out" / name).read_bytes()
    kept = yaml.safe_load(person.get(f"{place}/release/one/plan.yaml").text)
    assert kept["microdata"]["require"] == [{"k_anonymity": {"k": 3}}]


def test_a_requirement_that_fails_stops_a_release_unless_it_is_forced(person, place):
    protected(person, place, "50")
    shown = person.shown(person.fill(f"{place}/release", variant="1", name="bad")["load"])
    assert "Nothing was released: 1 of 1 requirements fail" in shown
    assert not (person.bench.workplace.folder / "releases" / "bad").exists()
    forced = person.fill(f"{place}/release", variant="1", name="bad", force="yes")
    assert "Released although a requirement fails" in person.shown(forced["load"])
    assert "a requirement fails" in person.get(f"{place}/release/there").text


def test_nothing_required_needs_a_reason_and_is_never_green(person, place):
    assert 'name="waive"' in person.get(f"{place}/release").text
    for said in ({}, {"force": "yes"}, {"waive": "  "}):
        refused = person.fill(f"{place}/release", variant="0", name="free", **said)
        assert "nothing is required of the records" in person.shown(refused["load"])
        assert not (person.bench.workplace.folder / "releases" / "free").exists()
    reason = "only a loader is tried"
    given = person.fill(f"{place}/release", variant="0", name="free", waive=reason)
    shown = person.shown(given["load"])
    assert reason in shown
    assert "nothing was required of it" in shown
    assert "notice good" not in shown
    there = person.get(f"{place}/release/there").text
    assert "nothing was required" in there
    assert "requirements hold" not in there


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", ".hidden", "x" * 99, "a\nb", "<b>"])
def test_a_release_stays_in_its_folder(person, place, name):
    reply = person.fill(f"{place}/release", variant="0", name=name)
    assert reply["status"] == 400
    assert "A release is named" in reply["detail"]


def test_a_release_that_is_there_is_not_replaced(person, place):
    (person.bench.workplace.folder / "releases" / "mine").mkdir(parents=True)
    reply = person.fill(f"{place}/release", variant="0", name="mine")
    assert "already" in reply["detail"]


def test_the_format_of_the_file_is_part_of_the_plan(person, place):
    person.fill(f"{place}/release/as", variant="0", format="parquet", mapping="yes")
    project = person.bench.projects.get(place.split("/")[2])
    assert project.variant.part("release") == {"format": "parquet", "mapping": True}
    person.fill(f"{place}/release/as", variant="1", format="csv")
    project = person.bench.projects.get(place.split("/")[2])
    assert project.variant.part("release") == {"format": "csv", "mapping": False}
    wrong = person.fill(f"{place}/release/as", variant="2", format="exe")
    assert wrong["status"] == 400
    assert "exe" in wrong["detail"]


@pytest.mark.parametrize("text", ["", "[]", "{", "{}"])
def test_a_release_that_somebody_broke_does_not_hold(bench, text):
    statement = bench.workplace.folder / "releases/broken/public/statement.json"
    statement.parent.mkdir(parents=True)
    statement.write_text(text)
    (found,) = releases_in(bench.workplace)
    assert not found.holds
    assert found.verdicts == []


@pytest.fixture
def lying(bench) -> Path:
    """A folder that looks like a release."""
    folder = bench.workplace.folder / "releases" / "first"
    (folder / "public").mkdir(parents=True)
    for name in ("data.csv", "statement.json"):
        (folder / "public" / name).write_text("{}")
    return folder


def test_a_release_that_is_removed_while_it_is_looked_at_is_none(bench, lying, monkeypatch):
    def removed(folder):
        shutil.rmtree(lying, ignore_errors=True)
        return folder == lying

    assert [one.name for one in releases_in(bench.workplace)] == ["first"]
    monkeypatch.setattr(releases, "is_release", removed)
    assert releases_in(bench.workplace) == []


def test_a_release_that_is_removed_after_it_was_found_is_told_of(bench, lying):
    (found,) = releases_in(bench.workplace)
    shutil.rmtree(lying)
    assert found.written.startswith("20")
    assert not found.holds


def test_a_release_that_is_removed_while_it_is_packed_says_so(bench, lying, monkeypatch):
    found, files = find_release(bench.workplace, "first"), Released.files

    def removed(self, side):
        for one in files(self, side):
            shutil.rmtree(lying)
            yield one

    monkeypatch.setattr(Released, "files", removed)
    with pytest.raises(InputError, match="no longer there"):
        found.archive("public", io.BytesIO())
