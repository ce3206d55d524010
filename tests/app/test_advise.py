from __future__ import annotations

import pytest

pytestmark = pytest.mark.usefixtures("kept_hands")


@pytest.fixture
def place(person) -> str:
    rows = [f"{sex},{100 + (7 * n) % 12},{n % 5}" for n, sex in enumerate("fm" * 30)]
    (person.bench.workplace.folder / "a.csv").write_text("\n".join(["sex,area,illness", *rows]))
    place = person.fill("/projects", file="a.csv")["go"].removesuffix("/data")
    area = {"role": "key", "kind": "nominal", "hierarchy": {"prefix": 3}}
    said = {"sex": "key", "area": area, "illness": {"role": "confidential", "kind": "nominal"}}
    plan = {"data": {"source": "a.csv", "attributes": said}}
    person.bench.projects.change(place.split("/")[2], plan, "roles")
    return place


def test_advice_is_given_and_used(person, place):
    page = person.get(f"{place}/advise").text
    assert "What must hold" in page
    asked = person.fill(
        f"{place}/advise",
        variant="1",
        require="k_anonymity: 4",
        loss="precision_loss",
        seconds="60",
    )
    shown = person.shown(asked["load"])
    assert "Recommended" in shown
    assert "trial" in shown
    assert 'type="application/json"' in shown
    job = asked["load"].rsplit("/", 1)[1]
    assert person.fill(f"{place}/advise/use/{job}")["go"] == f"{place}/protect"
    project = person.bench.projects.get(place.split("/")[2])
    assert project.variant.change == "as advised"
    assert project.variant.part("microdata", "require") == [{"k_anonymity": {"k": 4}}]
    lights = person.shown(f"{place}/requirements/2")
    assert 'class="light holds"' in lights
    assert 'class="light fails"' not in lights
    assert "k_anonymity: {k: 4}" in person.get(f"{place}/advise").text
    assert asked["load"] in person.get(f"{place}/advise").text  # it is there after a reload


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"require": "k_anonymity: [", "seconds": "5"}, "written as in a plan"),
        ({"require": "uniqueness: {}", "seconds": "5"}, "say `at_most`"),
        ({"require": "", "seconds": "0"}, "whole seconds"),
        ({"require": "", "seconds": "5", "loss": "uniqueness"}, "of the family risk"),
    ],
)
def test_what_is_wrong_is_said(person, place, form, sentence):
    reply = person.fill(f"{place}/advise", variant="1", **form)
    assert reply["status"] == 400
    assert sentence in reply["detail"]


def test_the_best_so_far_can_be_taken_at_any_time(person):
    place = person.fill("/projects", example="census", records="20000")["go"].removesuffix("/data")
    asked = person.fill(f"{place}/advise", variant="0", require="", seconds="3600")
    job = asked["load"].rsplit("/", 1)[1]
    assert "Take the best so far" in person.get(asked["load"]).text
    while "trying" not in person.get(f"/jobs/{job}?wait=true").json()["step"]:
        pass
    assert "It ends with the best so far" not in person.get(asked["load"]).text
    stopped = person.post(f"{place}/advise/enough/{job}", json={})
    assert stopped.json() == {"load": asked["load"]}
    now = person.get(asked["load"]).text
    assert "It ends with the best so far" in now or "data-job" not in now
    shown = person.shown(asked["load"])  # long before an hour is over
    assert "The search was stopped" in shown or "search longer" in shown or "more time" in shown
    assert not list(person.bench.workplace.session.glob("enough-*"))


def test_what_is_no_advice_cannot_be_used(person, place):
    person.shown(f"{place}/requirements/0")
    job = person.bench.jobs.all()[0].identifier
    reply = person.fill(f"{place}/advise/use/{job}")
    assert "There is no such job" in reply["detail"]


def test_advice_is_for_who_attacks(person, place):
    identifier = place.split("/")[2]
    plan = person.bench.projects.get(identifier).variant.plan
    said = {"attributes": ["area"], "respondents": 0.5}
    person.bench.projects.change(identifier, {**plan, "microdata": {"intruder": said}}, "who")
    page = person.get(f"{place}/advise").text
    assert "Attacked by somebody who holds area of 50 % of the respondents." in page
    asked = person.fill(
        f"{place}/advise", variant="2", require="exact_linkage: {at_most: 0.09}", seconds="60"
    )
    shown = person.shown(asked["load"])
    assert "Risks are those of an intruder who holds area of 50 % of the respondents." in shown
    assert "Recommended is" in shown
    assert "exact_linkage of the intruder" in shown
    job = asked["load"].rsplit("/", 1)[1]
    person.fill(f"{place}/advise/use/{job}")
    advised = person.bench.projects.get(identifier).variant
    assert advised.part("microdata", "intruder") == said
    lights = person.shown(f"{place}/requirements/3")
    assert 'class="light withstood"' in lights
    assert 'class="light holds"' not in lights
    assert 'class="light fails"' not in lights
