"""Releases of which nothing is required: refused without a reason, and never green with one."""

import json

import pyarrow as pa
import pytest
import yaml

import tacita as ta
from tacita.errors import InputError, ParameterError, PlanError, RequirementError
from tacita.release.plan import read_plan

REASON = "only a loader is tried with it"
TABLE = {"name": "people", "by": ["region"], "rules": [{"minimum_frequency": 2}]}
SIDES = ("public", "internal")
PROMISED = "Nothing was required of this release, so nothing is promised."


def plan(folder, *, tables=(), **microdata):
    file = folder / "plan.yaml"
    said = {
        "data": {"example": {"toy": 120}},
        **({"microdata": {"measure": ["uniqueness"], **microdata}} if microdata else {}),
        **({"tables": list(tables)} if tables else {}),
    }
    file.write_text(yaml.safe_dump(said))
    return file


def written(folder, name):
    return json.loads((folder / name).read_text(encoding="utf-8"))


# -- refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize("require", [None, []])
@pytest.mark.parametrize("force", [False, True])
def test_a_plan_without_requirements_is_refused_even_by_force(tmp_path, require, force):
    file = plan(tmp_path, steps=[{"drop": "income"}], require=require)
    with pytest.raises(
        RequirementError, match=r"nothing is required .*`require`.*`profile`.*waive"
    ):
        ta.run(file, tmp_path / "out", seed=1, force=force)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("force", [False, True])
def test_python_is_refused_alike(tmp_path, force):
    with pytest.raises(RequirementError, match="nothing is required of the records"):
        ta.example("toy", 60).release(tmp_path / "out", force=force)
    with pytest.raises(RequirementError, match="nothing is required of the records"):
        ta.synthesize(ta.example("survey", 200), ta.PartialImputation("income"), copies=2).release(
            tmp_path / "out", force=force
        )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("reason", ["", "  ", 5, True, ["a"], "a\x07bell"])
def test_a_waiver_needs_a_reason(tmp_path, reason):
    with pytest.raises(ParameterError, match="say in words why nothing is required"):
        ta.example("toy", 60).release(tmp_path / "out", waive=reason)
    with pytest.raises(PlanError, match=r"field `microdata\.waive`: .*in words"):
        read_plan(plan(tmp_path, waive=reason))


def test_requirements_cannot_be_waived_beside_others(tmp_path):
    both = plan(tmp_path, require=[{"k_anonymity": 2}], waive=REASON)
    with pytest.raises(PlanError, match=r"line \d+, field `microdata\.waive`: .*leave out"):
        read_plan(both)
    with pytest.raises(ParameterError, match="something is required; leave out"):
        ta.run(plan(tmp_path, require=[{"k_anonymity": 2}]), tmp_path / "out", waive=REASON)
    with pytest.raises(ParameterError, match="something is required; leave out"):
        ta.example("toy", 60).release(tmp_path / "out", profile="scientific_use_file", waive=REASON)
    with pytest.raises(ParameterError, match="for another reason"):
        ta.run(plan(tmp_path, waive=REASON), tmp_path / "out", waive="no reason")
    assert not (tmp_path / "out").exists()


def test_tables_carry_a_requirement_of_their_own(tmp_path):
    file = plan(tmp_path, tables=[TABLE])
    with pytest.raises(ParameterError, match="tables carry their requirement"):
        ta.run(file, tmp_path / "out", seed=1, waive=REASON)
    assert ta.run(file, tmp_path / "out", seed=1).holds


def test_a_profile_is_a_requirement(tmp_path):
    data = ta.example("toy", 60)
    assert data.release(tmp_path / "out", profile="hipaa_safe_harbor", force=True).waived is False


# -- written, and verified ---------------------------------------------------------------------


@pytest.mark.parametrize("in_plan", [True, False])
def test_a_waiver_is_kept_shown_and_verified(tmp_path, in_plan):
    steps = [{"sample": 0.9}]
    if in_plan:
        outcome = ta.run(plan(tmp_path, steps=steps, waive=REASON), tmp_path / "out", seed=1)
    else:
        outcome = ta.run(plan(tmp_path, steps=steps), tmp_path / "out", seed=1, waive=REASON)
    assert outcome.waived
    statement = written(tmp_path, "out/public/statement.json")
    assert statement["waived"] is True
    assert written(tmp_path, "out/internal/evidence.json")["waived"] == REASON
    for file in (tmp_path / "out" / "public").iterdir():
        assert REASON.encode() not in file.read_bytes()
    reports = [(tmp_path / "out" / side / "report.html").read_text() for side in SIDES]
    assert all(PROMISED in one for one in reports)
    assert [REASON in one for one in reports] == [False, True]
    assert ta.verify(tmp_path / "out").holds


def test_a_waiver_in_python_is_verified_with_its_source(tmp_path):
    ta.example("toy", 120).write(tmp_path / "toy.csv")
    data = ta.read(tmp_path / "toy.csv", roles={"age": "key"})
    data.apply(ta.Drop(["id", "household"])).release(tmp_path / "out", waive=f"  {REASON}\n")
    kept = yaml.safe_load((tmp_path / "out/internal/plan.yaml").read_text())
    assert kept["microdata"]["waive"] == REASON
    assert ta.verify(tmp_path / "out", source=tmp_path / "toy.csv").holds


def test_what_a_detector_reports_is_judged_all_the_same(tmp_path):
    columns = {"n": range(616), "sex": ["f", "m"] * 308}
    data = ta.read(pa.table(columns), roles={"sex": "key"})
    with pytest.raises(RequirementError, match="1 of 1 requirements fail"):
        data.release(tmp_path / "out", waive=REASON)
    allowed = data.release(tmp_path / "out", waive=REASON, allow={"n": ["record_number"]})
    assert allowed.holds
    assert PROMISED in (tmp_path / "out/public/report.html").read_text()
    assert "requirement holds" not in (tmp_path / "out/public/report.html").read_text()
    data.release(tmp_path / "forced", waive=REASON, force=True)
    assert (
        "Released although 1 requirement fails"
        in (tmp_path / "forced/public/report.html").read_text()
    )


def test_records_beside_tables_need_a_requirement_of_their_own(tmp_path):
    steps = [{"drop": "income"}]
    file = plan(tmp_path, tables=[TABLE], steps=steps)
    with pytest.raises(RequirementError, match="of the records"):
        ta.run(file, tmp_path / "out", seed=1)
    ta.run(file, tmp_path / "out", seed=1, waive=REASON)
    shown = (tmp_path / "out/public/report.html").read_text()
    assert "Nothing was required of the records, so nothing is promised of them." in shown
    assert ta.verify(tmp_path / "out").holds


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("public/statement.json", {"waived": None}),
        ("internal/evidence.json", {"waived": None}),
        ("internal/evidence.json", {"waived": "all is well"}),
    ],
)
def test_a_changed_waiver_is_wrong(tmp_path, name, change):
    ta.run(plan(tmp_path, steps=[{"sample": 0.9}], waive=REASON), tmp_path / "out", seed=1)
    content = {**written(tmp_path / "out", name), **change}
    content = {word: one for word, one in content.items() if one is not None}
    (tmp_path / "out" / name).write_text(json.dumps(content))
    assert ta.verify(tmp_path / "out").verdict == "wrong"


def test_a_waiver_that_was_denied_is_not_as_it_was_written(tmp_path):
    ta.run(plan(tmp_path, steps=[{"sample": 0.9}], waive=REASON), tmp_path / "out", seed=1)
    content = {**written(tmp_path / "out", "public/statement.json"), "waived": False}
    (tmp_path / "out/public/statement.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="field `waived`"):
        ta.verify(tmp_path / "out")
