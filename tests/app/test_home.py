from __future__ import annotations

import pytest
import yaml

import tacita as ta
from tacita.data.declaration import Declaration
from tacita.data.examples import generate
from tacita.data.read import declare

pytestmark = pytest.mark.usefixtures("kept_hands")


def test_a_file_an_example_a_plan_and_an_upload_open_as_projects(person):
    folder = person.bench.workplace.folder
    (folder / "inner").mkdir()
    (folder / "inner" / "a.csv").write_text("x,y\n1,2\n")
    (folder / "inner" / "plan.yaml").write_text(
        "data: {source: a.csv, attributes: {x: key}}\nmicrodata: {steps: [{sample: 0.5}]}\n"
    )
    assert person.fill("/projects", file="inner/a.csv")["go"].endswith("/data")
    assert person.fill("/projects", example="toy", records="20")["status"] == 200
    opened = person.fill("/projects", plan="inner/plan.yaml")["go"]
    reply = person.put("/files/b.csv", content=b"z\n1\n")
    assert reply.json()["go"].startswith("/p/")
    names = [project.name for project in person.bench.projects.all()]
    assert names == ["b.csv", "plan", "toy (example)", "a.csv"]
    plan = yaml.safe_load(person.get(opened.replace("/data", "/plan.yaml")).text)
    assert plan["data"]["source"] == "inner/a.csv"
    assert plan["microdata"] == {"steps": [{"sample": 0.5}]}
    page = person.get("/").text
    assert all(name in page for name in names)


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "xlsx", "sav", "dta"])
def test_files_of_every_format_are_opened_and_looked_at(person, ending):
    data = ta.example("firms", 30)
    data.write(person.bench.workplace.folder / f"firms.{ending}")
    place = person.fill("/projects", file=f"firms.{ending}")["go"]
    shown = person.shown(f"{place}/overview")
    assert "30 records" in shown
    assert all(name in shown for name in data.names)


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "Choose a file"),
        ({"file": "none.csv"}, "There is no file none.csv"),
        ({"file": "../none.csv"}, "is not in the folder"),
        ({"example": "toy", "records": "0"}, "Expected a number of records"),
        ({"example": "toy", "records": "many"}, "Expected a number of records"),
        ({"example": "nothing", "records": "5"}, "nothing"),
        ({"database": "nowhere"}, "Expected the address of a database"),
        ({"database": "postgresql://ana:secret@localhost/x", "table": "t"}, "password"),
        ({"plan": "none.yaml"}, "There is no plan file"),
    ],
)
def test_what_cannot_be_opened_is_said_in_a_sentence(person, form, sentence):
    reply = person.fill("/projects", **form)
    assert reply["status"] == 400
    assert sentence in reply["detail"]
    assert "secret" not in reply["detail"]
    assert person.bench.projects.all() == []


def test_an_example_keeps_the_hierarchies_that_it_comes_with(person):
    place = person.fill("/projects", example="toy", records="20")["go"]
    said = person.bench.projects.get(place.split("/")[2]).variant.part("data", "attributes")
    toy = generate("toy", 20)
    for name, attribute in toy.attributes.items():
        assert ("hierarchy" in said[name]) == (attribute.hierarchy is not None), name
    opened = declare(toy.table, {name: Declaration(**one) for name, one in said.items()})
    assert opened.attributes == toy.attributes


def test_a_plan_that_cannot_be_opened_names_its_own_line(person):
    folder = person.bench.workplace.folder
    (folder / "a.csv").write_text("x\n1\n")
    wrong = "# mine\n\ndata: {source: a.csv}\nmicrodata:\n\n  steps: [nothing]\n"
    (folder / "wrong.yaml").write_text(wrong)
    reply = person.fill("/projects", plan="wrong.yaml")
    assert "wrong.yaml, line 6, field `microdata.steps[0]`: There is no method" in reply["detail"]


def test_a_page_that_is_not_there_says_so(person):
    assert "There is no such page" in person.get("/nothing").text
    assert "There is no such project" in person.get("/p/000000000000/data").text


def test_undo_and_redo_are_offered_when_they_can_be_done(person):
    place = person.fill("/projects", example="toy", records="20")["go"]
    name = place.split("/")[2]
    projects = person.bench.projects
    assert person.get(place).text.count("disabled") == 2
    plan = {**projects.get(name).variant.plan, "microdata": {"steps": [{"sample": 0.5}]}}
    projects.change(name, plan, "sample")
    assert person.post(f"/p/{name}/undo", json={}).json() == {"go": ""}
    assert projects.get(name).current == 0
    assert person.post(f"/p/{name}/redo", json={}).status_code == 200
    assert projects.get(name).current == 1
    assert person.post(f"/p/{name}/goto/0", json={}).status_code == 200
    assert person.post(f"/p/{name}/goto/9", json={}).status_code == 400
    assert projects.get(name).current == 0


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(
            [
                "a0: &a0 [x, x, x]",
                *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)),
            ]
        ),
        "a: " + "[" * 5000 + "]" * 5000,
        "a: " + "x" * 2**22,
    ],
    ids=["growing", "deep", "large"],
)
def test_a_plan_that_would_hold_everything_up_is_refused(person, text):
    reply = person.put("/files/bomb.yaml", content=text.encode())
    assert reply.status_code == 400
    assert "bomb.yaml" in reply.json()["detail"]
    assert person.bench.workplace.plans() == []  # it is not kept either
    assert person.get("/").status_code == 200


def test_a_plan_that_cannot_be_opened_is_not_kept(person):
    reply = person.put("/files/plan.yaml", content=b"data: {sorce: a.csv}")
    assert (reply.status_code, "sorce" in reply.json()["detail"]) == (400, True)
    assert person.bench.workplace.plans() == []
    good = b"data: {example: {toy: 5}}"
    assert person.put("/files/plan.yaml", content=good).status_code == 200
    assert person.bench.workplace.plans() == ["plan.yaml"]


def test_what_another_tab_did_is_said_and_not_undone(person):
    place = person.fill("/projects", example="toy", records="20")["go"]
    name = place.split("/")[2]
    for _ in range(2):
        plan = person.bench.projects.get(name).variant.plan
        person.bench.projects.change(name, plan, "again")
    assert 'name="variant" value="2"' in person.get(place).text
    reply = person.fill(f"/p/{name}/undo", variant="1")
    assert (reply["status"], "another tab" in reply["detail"]) == (400, True)
    assert person.fill(f"/p/{name}/undo", variant="2")["status"] == 200
    person.bench.projects.change(name, plan, "stale", parent=0)
    assert "began a branch" in person.get(place).text
