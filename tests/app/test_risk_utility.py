from __future__ import annotations

import json

import pytest

from tacita.app.asking import Question
from tacita.app.jobs import INTERRUPTED, Job
from tacita.release.pareto import pareto_front

pytestmark = pytest.mark.usefixtures("kept_hands")


@pytest.fixture
def place(person) -> str:
    return person.fill("/projects", example="toy", records="200")["go"].removesuffix("/data")


def drawn(person, place, query=""):
    shown = person.shown(f"{place}/map/drawn{query}")
    return shown, json.loads(shown.split('type="application/json">')[1].split("</script>")[0])


def test_every_variant_is_on_the_map_and_the_front_is_the_front(person, place):
    for p in ("2", "20", "60"):
        form = {"method": "rank_swap", "p:attributes": ["age", "income"], "p:p": p}
        person.fill(f"{place}/protect/apply", variant="0", at="", **form)
    assert "Risk-utility map" in person.get(f"{place}/map").text
    shown, plot = drawn(person, place, "?risk=interval_disclosure&loss=mean_change")
    points = plot["data"]["values"]
    assert [one["number"] for one in points] == [0, 1, 2, 3]
    losses = [one["loss"] for one in points]
    assert losses[0] == 0
    assert losses == sorted(losses)  # who swaps farther loses more
    front = pareto_front([(one["risk"], one["loss"]) for one in points])
    assert [one["number"] for one in points if one["best"]] == sorted(front)
    assert shown.count('aria-label="Go to variant') == 4
    assert [one["current"] for one in points] == [False, False, False, True]


def test_what_cannot_be_measured_is_left_out_with_its_reason(person, place):
    wrong = {"method": "add_noise", "p:attributes": ["region"], "p:alpha": "0.1"}
    person.fill(f"{place}/protect/apply", variant="0", at="", **wrong)
    shown, plot = drawn(person, place)
    assert [one["number"] for one in plot["data"]["values"]] == [0]
    assert "is not on the map: `add_noise` applies to" in shown
    assert person.get(f"{place}/map/drawn?risk=nothing").status_code == 404


def test_names_of_changes_cannot_leave_their_place(person, place):
    projects = person.bench.projects
    name = place.split("/")[2]
    projects.change(name, projects.get(name).variant.plan, "</script><script>alert(1)</script>")
    shown, plot = drawn(person, place)
    assert "<script>alert" not in shown
    assert plot["data"]["values"][1]["change"] == "</script><script>alert(1)</script>"


def test_a_variant_whose_measures_come_just_now_is_waited_for(person, place, monkeypatch):
    drawn(person, place)
    monkeypatch.setattr(Question, "answer", lambda *_: None)  # they were not there a moment ago
    shown = person.get(f"{place}/map/drawn").text
    assert "data-job" in shown
    assert "it was stopped" not in shown


def test_what_could_not_be_measured_is_measured_when_the_file_is_mended(person):
    file = person.bench.workplace.folder / "a.csv"
    file.write_text('age\n"30\n')
    data = {"source": "a.csv", "attributes": {"age": "key"}}
    place = f"/p/{person.bench.projects.begin('a', {'data': data}, 'opened').identifier}"
    assert "a.csv" in person.shown(f"{place}/map/drawn")
    file.write_text("age\n30\n40\n")
    _, plot = drawn(person, place, "?risk=uniqueness&loss=mean_change")
    assert [one["number"] for one in plot["data"]["values"]] == [0]


def test_what_was_not_measured_when_the_workbench_closed_is_begun_anew(person, place, monkeypatch):
    job = Job("", "", 0, "measure", "Measuring", "", state="stopped", error=INTERRUPTED)
    monkeypatch.setattr(Question, "last", lambda *_: job)
    assert "data-job" in person.get(f"{place}/map/drawn").text
