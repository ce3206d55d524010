from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

import tacita as ta
from tacita.errors import PlanError
from tacita.release.plan import Until, read_plan
from tacita.release.profile import PROFILES

GOOD = """
data:
  source: patients.csv
  attributes:
    ssn: identifier
    age: {role: key, kind: continuous}
    zip: {role: [key, confidential], hierarchy: {prefix: 5}}
  undeclared: drop
microdata:
  profile: scientific_use_file
  steps:
    - top_code: {attribute: age, above: 85}
    - drop: [ssn]
    - until: {uniqueness: {at_most: 0.05}}
      rounds:
        - generalize: {attribute: zip, level: 1}
        - [{generalize: {attribute: zip, level: 2}}, {sample: 0.5}]
    - anonymize: {to: [{k_anonymity: 5}], by: datafly, suppression_limit: 0.04}
  require:
    - k_anonymity: 5
    - exact_linkage: {at_most: 0.05, keys: [age]}
  measure: [uniqueness, {means: {attributes: [age]}}]
release: {format: parquet}
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "plan.yaml"
    file.write_text(dedent(text).lstrip("\n"))
    return file


def test_a_plan_says_everything(tmp_path):
    plan = read_plan(written(tmp_path, GOOD))
    assert plan.data.source == tmp_path / "patients.csv"
    assert plan.data.undeclared == "drop"
    assert set(plan.data.attributes) == {"ssn", "age", "zip"}
    assert plan.steps[0] == ta.TopCode("age", 85)
    assert plan.steps[1] == ta.Drop(["ssn"])
    assert isinstance(plan.steps[2], Until)
    assert plan.steps[2].rounds[1] == (ta.Generalize("zip", 2), ta.Sample(0.5))
    assert plan.steps[3] == ta.Datafly([ta.KAnonymity(5)], suppression_limit=0.04)
    profile = PROFILES["scientific_use_file"]
    assert plan.requirements[2:] == profile.requirements
    assert plan.measures == (ta.Uniqueness(), ta.Means(("age",)))
    assert plan.format == "parquet"


def test_a_step_is_said_again_as_it_was(tmp_path):
    step = read_plan(written(tmp_path, GOOD)).steps[2]
    assert step.to_plan()["until"] == {"uniqueness": {"at_most": 0.05}}
    assert step.to_plan()["rounds"][0] == [{"generalize": {"attribute": "zip", "level": 1}}]


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "message"),
    [
        ("profile: scientific", "profile: scintific", 9, "microdata.profile", "Did you mean `scientific"),
        ("above: 85", "abov: 85", 11, "microdata.steps[0].top_code", "Did you mean `above`"),
        ("- top_code:", "- topcode:", 11, "microdata.steps[0].topcode", "Did you mean `top_code`"),
        ("level: 2", "level: -2", 16, "microdata.steps[2].rounds[1][0].generalize", "found -2"),
        ("rounds:", "round:", 14, "microdata.steps[2].round", "Did you mean `rounds`"),
        ("at_most: 0.05}}", "at_most: five}}", 13, "microdata.steps[2].until.uniqueness", "must be a number"),
        ("by: datafly", "by: daterfly", 17, "microdata.steps[3].anonymize", "Did you mean `datafly`"),
        ("- k_anonymity: 5\n", "- k_anonymity: 1\n", 19, "microdata.require[0].k_anonymity", "greater than"),
        ("at_most: 0.05, keys", "keys", 20, "microdata.require[1].exact_linkage", "`at_most` or"),
        ("- k_anonymity: 5\n", "- {k_anonymity: {k: 5, at_most: 1}}\n", 19, "microdata.require[0].k_anonymity", "no bound"),
        ("role: key, kind", "rol: key, kind", 5, "data.attributes.age.rol", "Did you mean `role`"),
        ("kind: continuous", "kind: continous", 5, "data.attributes.age.kind", "Did you mean `continuous`"),
        ("role: [key, conf", "role: [kex, conf", 6, "data.attributes.zip.role", "must be one of identifier"),
        ("undeclared: drop", "undeclared: dropp", 7, "data.undeclared", "Did you mean `drop`"),
        ("  undeclared", "  undclared", 7, "data.undclared", "Did you mean `undeclared`"),
        ("  source:", "  sorce:", 2, "data.sorce", "Did you mean `source`"),
        ("  source: patients.csv\n", "", 1, "data", "one of `source` and `example`"),
        ("format: parquet", "format: excel", 22, "release.format", "csv, parquet"),
        ("  require:", "  require: 5\n  steps2:", 19, "microdata.steps2", "Did you mean `steps`"),
        ("measure: [uniqueness", "measure: [k_anonymity", 21, "microdata.measure[0]", "family model"),
        ("- drop: [ssn]", "- k_anonymity: 3", 12, "microdata.steps[1].k_anonymity", "family model"),
        ("- drop: [ssn]", "- {drop: [ssn], sample: 0.5}", 12, "microdata.steps[1]", "one method"),
        ("  undeclared: drop", "  undeclared: drop\n  undeclared: keep", 7, "data.undeclared", "said twice"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_file_line_and_field(tmp_path, old, new, line, field, message):
    assert old in GOOD
    file = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(PlanError) as caught:
        read_plan(file)
    assert str(caught.value).startswith(f"{file}, line {line}, field `{field}`: "), caught.value
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the plan is empty"),
        ("- a", "expected the fields data"),
        ("microdata: {}", "field `data`: it is missing"),
        ("data: [", "this is not YAML"),
        ("data: {example: patients}", "like `patients: 10000`"),
        ("data: {example: {patient: 5}}", "Did you mean `patients`"),
        ("data: {example: {patients: -5}}", "number of records"),
        ("data: {example: {toy: 5}, attributes: [a]}", "one field an attribute"),
        ("data: {example: {toy: 5}, attributes: {a: 3}}", "expected role, kind"),
        ("data: {example: {toy: 5}}\nmicrodata: {steps: {a: 1}}", "expected a list"),
        (
            "data: {example: {toy: 5}}\nmicrodata: {steps: [{until: {uniqueness: {at_most: 1}}}]}",
            "rounds, mildest",
        ),
    ],
)
def test_files_that_are_no_plan_are_refused(tmp_path, text, message):
    with pytest.raises(PlanError, match=message):
        read_plan(written(tmp_path, text))


def test_a_plan_that_is_not_there_is_told(tmp_path):
    with pytest.raises(PlanError, match="There is no plan file"):
        read_plan(tmp_path / "none.yaml")


def test_all_measures_can_be_asked_for(tmp_path):
    file = tmp_path / "plan.yaml"
    file.write_text("data: {example: {toy: 10}}\nmicrodata: {measure: all}\n")
    plan = read_plan(file)
    assert plan.measures is not None
    assert any(method.costly for method in plan.measures)
