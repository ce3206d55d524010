from __future__ import annotations

import json
from pathlib import PurePath

import pytest
import yaml

from tacita.app.bench import Bench
from tacita.app.documents import from_here, settled
from tacita.app.projects import Projects

pytestmark = pytest.mark.usefixtures("kept_hands")

PLAN = """\
data:
  source: a.csv
  attributes:
    x: {role: key, hierarchy: {file: x.hrc}}
    y: {role: key, hierarchy: {file: {path: y.csv}}, ontology: {file: y.obo}}
    z: key
tables:
- {name: t, by: [x], given: t.hst, waivers: {file: w.csv, on: 2026-01-31}}
- {name: u, by: [x], perturb: {cell_key: {p_table: p.csv}}}
queries: {view: v, policies: [{query_set_size: 5}], ledger: ledger.db, tokens: tokens.db}
"""


def test_what_is_settled_is_the_same_after_it_was_written():
    plan = settled(yaml.safe_load(PLAN))
    assert json.loads(json.dumps(plan)) == plan
    assert plan["tables"][0]["waivers"] == {"file": "w.csv", "on": "2026-01-31"}
    assert settled(plan) == plan


def test_all_files_of_a_plan_are_named_from_the_folder():
    found = from_here(yaml.safe_load(PLAN), PurePath("inner"))
    attributes = found["data"]["attributes"]
    assert found["data"]["source"] == "inner/a.csv"
    assert attributes["x"]["hierarchy"] == {"file": "inner/x.hrc"}
    assert attributes["y"]["hierarchy"] == {"file": {"path": "inner/y.csv"}}
    assert attributes["y"]["ontology"] == {"file": "inner/y.obo"}
    assert attributes["z"] == "key"
    assert found["tables"][0]["given"] == "inner/t.hst"
    assert found["tables"][0]["waivers"]["file"] == "inner/w.csv"
    assert found["tables"][1]["perturb"]["cell_key"]["p_table"] == "inner/p.csv"
    assert found["queries"]["ledger"] == "inner/ledger.db"
    assert found["queries"]["tokens"] == "inner/tokens.db"
    assert found["queries"]["view"] == "v"


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("sqlite:///a.db", "sqlite:///inner/a.db"),
        ("duckdb:////far/a.db", "duckdb:////far/a.db"),
        ("postgresql://host/name", "postgresql://host/name"),
        ("/far/a.csv", "/far/a.csv"),
    ],
)
def test_databases_in_files_move_with_the_plan(said, found):
    assert from_here({"data": {"source": said}}, PurePath("inner"))["data"]["source"] == found


def test_a_plan_is_the_same_after_a_restart(bench: Bench):
    folder = bench.workplace.folder
    (folder / "a.csv").write_text("x,y\n1,2\n")
    waivers = {"file": "w.csv", True: "2026-01-31", "identity": "y"}
    table = {"name": "t", "by": ["x"], "rules": [{"minimum_frequency": 3}], "waivers": waivers}
    plan = {"data": {"source": "a.csv"}, "tables": [table]}
    made = bench.projects.begin("a", plan, "made")
    again = Projects(bench.workplace).get(made.identifier)
    assert again.variant.plan == made.variant.plan
    assert bench.projects.checked(again.variant.plan).tables == bench.projects.checked(plan).tables
