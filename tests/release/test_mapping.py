"""The value mapping of a release: for the house, when asked for, and verified."""

from __future__ import annotations

import json

import pytest

import tacita as ta
from tacita.errors import PlanError

PLAN = """
data:
  example: {toy: 200}
microdata:
  steps:
    - drop: id
    - pseudonymize: household
    - generalize: {attribute: zip, level: 3}
    - anonymize: {to: [{k_anonymity: 2}], suppression_limit: 0.9}
  measure: []
release:
  mapping: yes
"""


OF_A_FILE = """
data:
  source: toy.csv
  attributes: {id: identifier, household: household}
microdata:
  steps: [recode: {attribute: age, width: 10}]
  measure: []
release:
  mapping: yes
"""


@pytest.fixture
def plan(tmp_path):
    file = tmp_path / "plan.yaml"
    file.write_text(PLAN)
    return file


def status(folder):
    return {line.what: line.status.value for line in ta.verify(folder).lines}


def test_it_is_written_for_the_house_and_verified(plan, tmp_path):
    outcome = ta.run(plan, tmp_path / "out", seed=1, waive="a test")
    file = tmp_path / "out" / "internal" / "mapping.csv"
    found = ta.read(file).table.to_pylist()
    zips = [row for row in found if row["attribute"] == "zip"]
    assert sum(row["records"] for row in zips) == 200
    left = sum(row["records"] for row in zips if row["state"] == "left out")
    assert left == 200 - len(outcome.protected)
    assert {"id", "weight"}.isdisjoint(row["attribute"] for row in found)
    assert not list((tmp_path / "out" / "public").glob("*mapping*"))
    assert status(tmp_path / "out")["internal/mapping.csv"] == "re-derived"


def test_a_changed_mapping_shows_where_the_source_is_not_at_hand(plan, tmp_path):
    plan.write_text(OF_A_FILE)
    ta.example("toy", 50).write(tmp_path / "toy.csv")
    ta.run(plan, tmp_path / "out", seed=1, waive="a test")
    file = tmp_path / "out" / "internal" / "mapping.csv"
    assert "wrong" not in status(tmp_path / "out").values()
    file.write_text(file.read_text().replace("released", "hidden"))
    assert status(tmp_path / "out")["internal/mapping.csv"] == "wrong"
    file.unlink()
    assert status(tmp_path / "out")["internal/mapping.csv"] == "wrong"


def test_it_is_not_written_unless_asked_for(plan, tmp_path):
    plan.write_text(PLAN.replace("mapping: yes", "mapping: no"))
    ta.run(plan, tmp_path / "out", seed=1, waive="a test")
    assert not (tmp_path / "out" / "internal" / "mapping.csv").exists()
    evidence = json.loads((tmp_path / "out" / "internal" / "evidence.json").read_text())
    assert "mapping" not in evidence
    ta.run(plan, tmp_path / "out", seed=1, mapping=True, waive="a test")
    assert (tmp_path / "out" / "internal" / "mapping.csv").exists()


def test_python_can_ask_for_it(tmp_path):
    data = ta.example("toy", 50).apply(ta.Recode("age", width=10), seed=0)
    data.release(tmp_path / "out", mapping=True, waive="a test")
    assert "mapping: true" in (tmp_path / "out" / "internal" / "plan.yaml").read_text()
    assert "[30,40)" in (tmp_path / "out" / "internal" / "mapping.csv").read_text()


def test_what_is_no_yes_or_no_is_refused(plan):
    plan.write_text(PLAN.replace("mapping: yes", "mapping: sometimes"))
    with pytest.raises(PlanError, match="expected one of True, False; found 'sometimes'"):
        ta.read_plan(plan)
