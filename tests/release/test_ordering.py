"""The order in which records leave."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
import yaml

import tacita as ta
from tacita.errors import PlanError, TacitaError
from tacita.release.plan import read_plan
from tacita.release.release import run
from tacita.release.verify import verify

FORMATS = ("csv", "parquet", "feather", "xlsx", "sav", "dta")


def plan(folder, **release):
    file = folder / "plan.yaml"
    said = {
        "data": {"example": {"toy": 300}},
        "microdata": {
            "steps": [{"top_code": {"attribute": "age", "above": 80}}, {"drop": "languages"}],
            "waive": "a test",
        },
        "release": release,
    }
    file.write_text(yaml.safe_dump(said))
    return read_plan(file)


def of(outcome, name):
    return next(one for one in outcome.measures if one.name == name)


@pytest.mark.parametrize("form", FORMATS)
def test_records_leave_in_an_order_that_anybody_can_verify(tmp_path, form):
    outcome = run(plan(tmp_path, format=form), tmp_path / "out", seed=1)
    assert of(outcome, "order_linkage").value < 0.1
    lines = {line.what: line.status.value for line in verify(tmp_path / "out").lines}
    assert lines["order"] == "re-derived"
    assert verify(tmp_path / "out").holds


def test_the_same_records_in_another_order_give_the_same_release(tmp_path):
    data = ta.example("survey", 500)
    files = []
    for number, order in enumerate((np.arange(500), np.random.default_rng(3).permutation(500))):
        data.take(order).release(tmp_path / str(number), waive="a test")
        files.append((tmp_path / str(number) / "public" / "data.csv").read_bytes())
    assert files[0] == files[1]


def test_the_order_of_the_source_is_said_measured_and_warned_of(tmp_path):
    outcome = run(plan(tmp_path, order="source"), tmp_path / "out", seed=1)
    assert of(outcome, "order_linkage").value == 1
    assert any("in the order of the source" in warning for warning in outcome.warnings)
    stated = json.loads((tmp_path / "out" / "public" / "statement.json").read_text())
    assert stated["file"]["order"] == "source"
    assert verify(tmp_path / "out").holds


def test_a_file_put_in_another_order_is_wrong(tmp_path):
    run(plan(tmp_path), tmp_path / "out", seed=1)
    public = tmp_path / "out" / "public"
    head, first, second, *rest = (public / "data.csv").read_text().splitlines(keepends=True)
    (public / "data.csv").write_text("".join([head, second, first, *rest]))
    lines = {line.what: line.status.value for line in verify(tmp_path / "out").lines}
    assert lines["order"] == "wrong"


def test_histories_stay_together_and_are_walked_along_as_one(tmp_path):
    rng = np.random.default_rng(2)
    who = np.sort(rng.integers(0, 200, 1000))
    table = pa.table({"who": who, "visit": np.arange(1000) % 7, "x": rng.integers(0, 9, 1000)})
    allow = {"who": ["household_number"]}
    outcome = ta.read(table, roles={"x": "key"}).release(
        tmp_path / "out", history="who", allow=allow, waive="a test"
    )
    assert of(outcome, "order_linkage").value < 0.05
    assert verify(tmp_path / "out").verdict == "not proven"


def test_what_cannot_be_is_refused(tmp_path):
    with pytest.raises(PlanError, match=r"release\.order"):
        plan(tmp_path, order="random")
    with pytest.raises(PlanError, match="name of an attribute"):
        plan(tmp_path, history=3)
    with pytest.raises(PlanError, match="Leave out one of the two"):
        plan(tmp_path, order="source", history="id")
    with pytest.raises(TacitaError, match="no attribute `nobody`"):
        run(plan(tmp_path, history="nobody"), tmp_path / "out", seed=1)
    assert not (tmp_path / "out").exists()


def test_a_release_that_does_not_say_its_order_is_still_verified(tmp_path):
    run(plan(tmp_path, order="source"), tmp_path / "out", seed=1)
    statement = tmp_path / "out" / "public" / "statement.json"
    said = json.loads(statement.read_text())
    del said["file"]["order"], said["file"]["history"]
    del said["format"], said["requirements"]  # it was written before there were manifests
    statement.write_text(json.dumps(said))
    for part in ("public", "internal"):
        (tmp_path / "out" / part / "manifest.json").unlink()
    assert verify(tmp_path / "out", without_manifest=True).verdict == "not proven"
