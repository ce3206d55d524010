"""Plans that say who attacks: measured, required, told and verified by it."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent

import pytest

import tacita as ta
from tacita.errors import PlanError
from tacita.release import evidence
from tacita.release.execute import execute
from tacita.release.plan import read_plan
from tacita.release.report.facts import public_facts
from tacita.release.verify import Status

PLAN = """
data: {{example: {{survey: 200}}}}
microdata:
  intruder:
{intruder}
  steps:
    - drop: [person_id, languages, occupation]
  require:
    - uniqueness: {{at_most: {bound}}}
  measure: [uniqueness, distance_linkage, means]
"""
TOLD = "holds region, sex (wrong for 50 %), birth_date (by the year) of 50 % of the respondents"
HELD = """
attributes: [region, sex, birth_date, occupation]
accuracy: {birth_date: {unit: year}, sex: {wrong: 0.5}}
respondents: 0.5
seed: 7
"""


def written(folder: Path, intruder: str = HELD, bound: float = 1) -> Path:
    file = folder / "plan.yaml"
    file.write_text(PLAN.format(intruder=indent(intruder, "    "), bound=bound))
    return file


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("intruder")
    ta.run(written(folder), folder / "out", seed=1)
    return folder / "out"


def test_measures_are_those_of_the_intruder(release: Path) -> None:
    evidence = json.loads((release / "internal" / "evidence.json").read_text())
    data = ta.example("survey", 200)
    released = data.without(["person_id", "languages", "occupation"])
    for row in evidence["measures"][:2]:
        found = ta.disclosure_risk(
            data, released, measures=[row["name"]], intruder=evidence["intruder"]
        )
        assert row["exact"] == str(found[0].value)
    plain = ta.disclosure_risk(data, released, measures=["uniqueness"])[0]
    assert evidence["measures"][0]["value"] < float(plain.value)
    assert {row["name"] for row in evidence["before"]} == {"uniqueness", "distance_linkage"}


def test_both_are_told_and_the_public_of_released_attributes_only(release: Path) -> None:
    evidence = json.loads((release / "internal" / "evidence.json").read_text())
    statement = json.loads((release / "public" / "statement.json").read_text())
    assert evidence["intruder"]["attributes"][-1] == "occupation"
    assert evidence["intruder"]["seed"] == 7
    assert statement["intruder"] == {
        "attributes": ["region", "sex", "birth_date"],
        "accuracy": {"birth_date": {"unit": "year"}, "sex": {"wrong": 0.5}},
        "respondents": 0.5,
    }
    for audience in ("public", "internal"):
        page = (release / audience / "report.html").read_text()
        assert f"Risks and attacks are those of an intruder who {TOLD}." in page
    assert "The intruder holds occupation, which is not released." in evidence["warnings"]


def test_a_release_for_an_intruder_is_verified_with_its_source(release: Path) -> None:
    found = ta.verify(release)
    assert {line.status for line in found.lines} == {Status.REDERIVED}


def test_the_public_files_alone_do_not_show_what_an_intruder_achieves(release: Path) -> None:
    alone = {line.what: line.status for line in ta.verify(release / "public").lines}
    assert alone["uniqueness"] is Status.REDERIVED  # the evidence lies beside, of example data
    public = release.parent / "alone"
    public.mkdir()
    for file in (release / "public").iterdir():
        (public / file.name).write_bytes(file.read_bytes())
    alone = {line.what: line.status for line in ta.verify(public).lines}
    assert alone["uniqueness"] is Status.NOT_PROVEN


def test_a_changed_intruder_is_found_out(release: Path, tmp_path: Path) -> None:
    for part in ("public", "internal"):
        (tmp_path / part).mkdir()
        for file in (release / part).iterdir():
            (tmp_path / part / file.name).write_bytes(file.read_bytes())
    file = tmp_path / "internal" / "evidence.json"
    evidence = json.loads(file.read_text())
    evidence["intruder"]["respondents"] = 0.25
    file.write_text(json.dumps(evidence))
    assert not ta.verify(tmp_path).holds


def test_requirements_are_judged_by_the_intruder(tmp_path: Path) -> None:
    """Uniqueness is near 1 for whoever knows all keys, and never above 1/2 for this one."""
    assert execute(read_plan(written(tmp_path, bound=0.5)), seed=1).holds
    everybody = "attributes: [region, urban, sex, birth_date, marital_status, education]"
    assert not execute(read_plan(written(tmp_path, everybody, bound=0.5)), seed=1).holds


def test_rounds_stop_by_the_intruder(tmp_path: Path) -> None:
    data = ta.example("survey", 200)
    text = PLAN.format(intruder="    attributes: [sex]", bound=1).replace(
        "    - drop:",
        "    - until: {uniqueness: {at_most: 0}}\n"
        "      rounds: [[{drop: [income]}], [{drop: [sex]}]]\n    - drop:",
    )
    (tmp_path / "plan.yaml").write_text(text)
    outcome = execute(read_plan(tmp_path / "plan.yaml"), seed=1)
    assert "sex" in outcome.protected.names
    assert len(outcome.original) == len(data)


def test_scenarios_are_found_in_the_data(tmp_path: Path) -> None:
    scenario = "scenario: household_survey/nosy_neighbour\nrespondents: null"
    outcome = execute(read_plan(written(tmp_path, scenario)), seed=1)
    assert outcome.intruder is not None
    assert outcome.intruder.scenario == "household_survey/nosy_neighbour"
    assert outcome.intruder.respondents is None
    assert any("No attribute was found that is" in warning for warning in outcome.warnings)
    assert "Risks are those of an intruder who holds region, urban, sex, birth_date" in repr(
        outcome
    )
    told = public_facts(
        evidence.statement(outcome, {}, {"tacita": "", "written": ""}), outcome.protected
    ).intruder
    assert told.endswith("(scenario household_survey/nosy_neighbour)")


@pytest.mark.parametrize(
    ("intruder", "sentence"),
    [
        (
            "respondents: 0",
            r"plan.yaml, line 5, field `microdata.intruder.respondents`: .*whole number above 0",
        ),
        ("scenario: health/nobody", "The domain health has the scenarios"),
        ("attributes: [age]\nacuracy: {}", "has no parameter `acuracy`.*Did you mean `accuracy`"),
        ("- age", "An intruder is like"),
    ],
)
def test_a_wrong_intruder_is_refused_where_it_stands(
    tmp_path: Path, intruder: str, sentence: str
) -> None:
    with pytest.raises(PlanError, match=sentence):
        read_plan(written(tmp_path, intruder))


@pytest.mark.parametrize(
    ("intruder", "sentence"),
    [
        ("attributes: [sexx]", "microdata.intruder.*no attribute `sexx`.*Did you mean `sex`"),
        ("accuracy: {sex: {rounded: 5}}", "`sex` cannot be held rounded to 5"),
        ("scenario: education/group_event\nattributes: {sex: sx}", "There is no attribute `sx`"),
    ],
)
def test_an_intruder_that_does_not_fit_the_data_is_told_where_it_stands(
    tmp_path: Path, intruder: str, sentence: str
) -> None:
    with pytest.raises(ta.TacitaError, match=sentence):
        ta.run(written(tmp_path, intruder), tmp_path / "out", seed=1)
    assert not (tmp_path / "out").exists()


def test_microdata_are_released_for_an_intruder(tmp_path: Path) -> None:
    data = ta.example("survey", 30)
    safe = data.apply(ta.Drop(["person_id"]), seed=0)
    knows = ta.Intruder(["sex"], respondents=3)
    outcome = safe.release(
        tmp_path / "out", require={"uniqueness": {"at_most": 0.1}}, intruder=knows
    )
    assert outcome.intruder == knows
    assert "intruder:" in (tmp_path / "out" / "internal" / "plan.yaml").read_text()
