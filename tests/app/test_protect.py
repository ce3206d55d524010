from __future__ import annotations

import json

import pytest

from tacita.app.asking import measures_of
from tacita.app.rooms.protect import tree
from tacita.data.examples import generate
from tacita.registry import find

pytestmark = pytest.mark.usefixtures("kept_hands")

SWAP = {"method": "rank_swap", "p:attributes": ["age", "income"], "p:p": "5"}


@pytest.fixture
def place(person) -> str:
    return person.fill("/projects", example="toy", records="300")["go"].removesuffix("/data")


def project_of(person, place):
    return person.bench.projects.get(place.split("/")[2])


def test_a_step_is_tried_applied_edited_moved_and_removed(person, place):
    assert "rank_swap" in person.get(f"{place}/protect").text
    form = person.shown(f"{place}/protect/form?variant=0&method=rank_swap")
    assert "When not to use it" in form
    assert 'value="income"' in form
    assert 'value="region"' not in form  # of a kind that ranks mean nothing for

    tried = person.fill(f"{place}/protect/try", variant="0", at="", **SWAP)
    shown = person.shown(tried["load"])
    assert "Tried" in shown
    assert len(project_of(person, place).variants) == 1  # nothing is kept

    person.fill(f"{place}/protect/apply", variant="0", at="", **SWAP)
    person.fill(f"{place}/protect/apply", variant="1", method="shuffle_records", at="")
    steps = project_of(person, place).variant.part("microdata", "steps")
    assert steps == [
        {"rank_swap": {"attributes": ["age", "income"], "p": 5}},
        {"shuffle_records": {}},
    ]

    edited = person.shown(f"{place}/protect/form?variant=2&place=0")
    assert 'value="5"' in edited
    person.fill(f"{place}/protect/apply", variant="2", at="0", **{**SWAP, "p:p": "9"})
    person.fill(f"{place}/protect/steps", variant="3", at="1", do="up")
    said = project_of(person, place).variant.part("microdata", "steps")
    assert [*said[0], said[1]["rank_swap"]["p"]] == ["shuffle_records", 9]
    person.fill(f"{place}/protect/steps", variant="4", at="0", do="remove")
    assert len(project_of(person, place).variant.part("microdata", "steps")) == 1
    assert "rank_swap (attributes age + income, p 9)" in person.get(f"{place}/protect").text


def test_a_step_gets_stricter_until_a_requirement_holds(person, place):
    assert "Say under <em>Requirements</em>" in person.shown(
        f"{place}/protect/form?variant=0&method=rank_swap"
    )
    person.fill(f"{place}/requirements", variant="0", method="exact_linkage", at_most="0.3")
    form = person.shown(f"{place}/protect/form?variant=1&method=rank_swap")
    assert "exact_linkage (at_most 0.3)" in form
    until = json.dumps({"exact_linkage": {"at_most": 0.3}})
    rounds = {**SWAP, "until": until, "varied": "p", "rounds": "5, 15, 40"}
    person.fill(f"{place}/protect/apply", variant="1", at="", **rounds)
    swaps = [{"attributes": ["age", "income"], "p": p} for p in (5, 15, 40)]
    expected = {
        "until": {"exact_linkage": {"at_most": 0.3}},
        "rounds": [{"rank_swap": one} for one in swaps],
    }
    assert project_of(person, place).variant.part("microdata", "steps") == [expected]
    assert "Now" in person.shown(f"{place}/protect/measures/2")
    edited = person.shown(f"{place}/protect/form?variant=2&place=0")
    assert 'value="5.0, 15.0, 40.0"' in edited
    assert '<option value="p" selected>' in edited
    person.fill(f"{place}/protect/apply", variant="2", at="0", **{**rounds, "rounds": "9"})
    assert len(project_of(person, place).variant.part("microdata", "steps")[0]["rounds"]) == 1
    text = person.shown(f"{place}/protect/form?variant=3&place=0")  # one round varies nothing
    assert "As a plan writes it" in text


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"varied": "", "rounds": "5"}, "what changes from round to round"),
        ({"varied": "p", "rounds": "["}, "commas in between"),
        ({"varied": "p", "rounds": "500"}, "`p` of `rank_swap`"),
        ({"varied": "q", "rounds": "5"}, "`q`"),
        ({"varied": "p", "rounds": "5", "until": "{"}, "Choose one of the requirements"),
        ({"varied": "p", "rounds": "5", "until": '{"sample": {}}'}, "sample"),
    ],
)
def test_rounds_that_cannot_be_are_refused(person, place, more, sentence):
    until = json.dumps({"exact_linkage": {"at_most": 0.3}})
    form = {**SWAP, "until": until, **more}
    reply = person.fill(f"{place}/protect/apply", variant="0", at="", **form)
    assert reply["status"] == 400
    assert sentence in reply["detail"]


def test_measures_are_those_that_python_gives(person, place):
    person.fill(
        f"{place}/protect/apply", variant="0", at="", method="drop", **{"p:attributes": ["age"]}
    )
    shown = person.shown(f"{place}/protect/measures/1")
    assert "Of all 300 records" in shown
    project = project_of(person, place)
    found = measures_of(project.variant.plan).answer(person.bench, project)
    data = generate("toy", 300)
    for measured in found["before"]:
        own = find(measured["name"])().measure(data, data)
        assert measured["value"] == (None if own.value is None else float(own.value))
    dropped = data.without(["age"])
    after = {one["name"]: one["value"] for one in found["after"]}
    assert after["uniqueness"] == float(find("uniqueness")().measure(data, dropped).value)
    exact = person.shown(f"{place}/protect/measures/1?exact=true")
    assert exact.count("<tr>") > shown.count("<tr>")
    assert person.get(f"{place}/protect/measures/1").text == exact  # the better answer is shown


def test_a_sample_is_said_to_be_one_and_all_records_on_demand(person):
    place = person.fill("/projects", example="patients", records="21000")["go"].removesuffix(
        "/data"
    )
    shown = person.shown(f"{place}/protect/measures/0")
    assert "sample of 20,000 records" in shown
    assert "out of 21,000" in shown
    person.fill(f"{place}/requirements", variant="0", method="k_anonymity", **{"p:k": "2"})
    assert "on a sample of 20,000 records" in person.shown(f"{place}/requirements/1")
    assert "on all 21,000 records" in person.shown(f"{place}/requirements/1?exact=true")
    assert "on all 21,000 records" in person.get(f"{place}/requirements/1").text


def test_risky_records_are_those_that_fewest_share(person):
    (person.bench.workplace.folder / "a.csv").write_text("x,<i>\n1,a\n1,a\n2,b\n1,a\n")
    place = person.fill("/projects", file="a.csv")["go"].removesuffix("/data")
    project = project_of(person, place)
    data = {"source": "a.csv", "attributes": {"x": "key", "<i>": "key"}}
    person.bench.projects.change(project.identifier, {"data": data}, "roles")
    shown = person.shown(f"{place}/protect/risky/1?by=prosecutor_risk")
    rows = shown.split("<tbody>")[1].split("</tr>")
    assert "<td>2</td><td>b</td><td>3</td>" in rows[0]
    assert "<td>1</td><td>a</td><td>1, 2, 4</td>" in rows[1]
    assert "<i>" not in shown
    assert "&lt;i&gt;" in shown
    assert person.get(f"{place}/protect/risky/1?by=none").status_code == 404


def test_names_of_attributes_are_hostile_in_forms_steps_and_measures(person):
    attack = '"><img src=x onerror=alert(1)>'
    quoted = attack.replace('"', '""')
    (person.bench.workplace.folder / "a.csv").write_text(f'"{quoted}",b\n1,2\n3,4\n')
    place = person.fill("/projects", file="a.csv")["go"].removesuffix("/data")
    assert "say which attributes an intruder may know" in person.shown(
        f"{place}/protect/measures/0"
    )
    form = person.shown(f"{place}/protect/form?variant=0&method=drop")
    person.fill(f"{place}/protect/apply", variant="0", method="drop", **{"p:attributes": [attack]})
    steps = project_of(person, place).variant.part("microdata", "steps")
    assert steps == [{"drop": {"attributes": [attack]}}]
    page = person.get(f"{place}/protect").text
    edited = person.shown(f"{place}/protect/form?variant=1&place=0")
    for shown in (form, page, edited, person.shown(f"{place}/protect/measures/1")):
        assert "<img src=x" not in shown
    assert all("&gt;&lt;img src=x" in shown for shown in (form, page, edited))


def test_what_cannot_be_carried_out_is_said_without_a_file_nobody_wrote(person, place):
    wrong = {"method": "add_noise", "p:attributes": ["region"], "p:alpha": "0.1"}
    tried = person.fill(f"{place}/protect/try", variant="0", at="", **wrong)
    shown = person.shown(tried["load"])
    assert "`region` is nominal" in shown
    assert "plan.yaml" not in shown


@pytest.mark.parametrize(
    ("room", "form", "sentence"),
    [
        ("try", {"variant": "0", "method": "rank_swap"}, "needs its parameter"),
        ("apply", {"variant": "7", "method": "shuffle_records"}, "no variant 7"),
        ("apply", {"variant": "0", "method": "shuffle_records", "at": "3"}, "no longer there"),
        ("steps", {"variant": "0", "at": "0", "do": "up"}, "no longer there"),
        ("steps", {"variant": "0", "at": "0", "do": "eat"}, "moved up"),
        ("steps", {"variant": "x", "at": "0", "do": "up"}, "Expected a number for `variant`"),
        ("apply", {"method": "shuffle_records"}, "Expected a number for `variant`"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(person, place, room, form, sentence):
    reply = person.fill(f"{place}/protect/{room}", **form)
    assert reply["status"] == 400
    assert sentence in reply["detail"]
    assert len(project_of(person, place).variants) == 1


def test_the_tree_shows_every_variant_once_and_branches_deeper(bench):
    plan = {"data": {"example": {"toy": 20}}}
    name = bench.projects.begin("toy", plan, "made").identifier
    for parent in (0, 1, 1, 0, 3):
        project = bench.projects.change(name, plan, "x", parent=parent)
    rows = [(variant.number, depth) for variant, depth in tree(project)]
    assert rows == [(0, 0), (4, 1), (1, 0), (3, 1), (5, 1), (2, 0)]


def test_two_variants_stand_side_by_side(person, place):
    person.fill(f"{place}/protect/apply", variant="0", at="", **SWAP)
    page = person.get(f"{place}/compare?left=0&right=1").text
    assert "rank_swap (attributes age + income, p 5)" in page
    shown = person.shown(f"{place}/compare/0/1")
    assert "Variant 0" in shown
    assert "uniqueness" in shown
    assert "There is no variant 9" in person.get(f"{place}/compare?left=0&right=9").text


def test_a_form_is_about_the_variant_of_its_page_even_when_another_tab_moved_on(person, place):
    person.fill(f"{place}/protect/apply", variant="0", **SWAP)
    form = person.shown(f"{place}/protect/form?variant=0&method=shuffle_records")
    assert 'name="variant" value="0"' in form
    person.fill(f"{place}/protect/apply", variant="0", method="shuffle_records")
    project = project_of(person, place)
    assert [one.parent for one in project.variants] == [None, 0, 0]
    assert project.variant.part("microdata", "steps") == [{"shuffle_records": {}}]
    assert "There is no such step" in person.shown(f"{place}/protect/form?variant=2&place=4")
