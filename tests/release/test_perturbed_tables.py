"""Perturbed tables in plans: released with what a reader may know, verified, reported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import tacita as ta
from tacita.errors import InputError, PlanError, RequirementError
from tacita.release.verify import Status

SEED = 2**70
PLAN = """\
data:
  example: {{patients: 300}}
tables:
  - name: race
    by: [race, ethncty]
    rules: [{{minimum_frequency: 3}}]
    perturb: {way}
    formats: [csv, html, xlsx]
{more}
"""
SECOND = """\
  - name: ethnicity
    by: [ethncty]
    perturb: {way}
"""


def released(folder: Path, way: str, more: str = "", *, force: bool = False) -> Path:
    (folder / "plan.yaml").write_text(PLAN.format(way=way, more=more))
    ta.run(folder / "plan.yaml", folder / "out", seed=SEED, force=force)
    return folder / "out"


def stated(out: Path) -> dict:
    return json.loads((out / "public" / "statement.json").read_text())["tables"]


def kept(out: Path) -> dict:
    return json.loads((out / "internal" / "evidence.json").read_text())["tables"]


@pytest.fixture(scope="module")
def rounded(tmp_path_factory) -> Path:
    """A release of two tables, rounded together, with ways compared."""
    way = "{controlled_rounding: {base: 5, weight: relative}}"
    compare = "    compare: [fast_suppression, {controlled_rounding: 5}, {cell_key_counts: 5}]\n"
    folder = tmp_path_factory.mktemp("rounded")
    return released(folder, way, compare + SECOND.format(way=way))


def test_public_files_hold_perturbed_values_and_no_others(rounded):
    tables = rounded / "public" / "tables"
    race = pc.read_csv(tables / "race.csv")
    assert race.column_names == ["race", "ethncty", "value", "status"]
    assert all(value % 5 == 0 for value in race["value"].to_pylist())
    assert set(race["status"].to_pylist()) == {"shown"}
    margin = {row["ethncty"]: row["value"] for row in race.to_pylist() if row["race"] == "person"}
    whole = pc.read_csv(tables / "ethnicity.csv").to_pylist()
    shared = [row for row in whole if row["ethncty"] in margin]
    assert all(margin[row["ethncty"]] == row["value"] for row in shared)


def test_the_statement_tells_the_method_and_only_its_public_parameters(rounded):
    told = stated(rounded)["perturbation"]
    assert told == {"method": "controlled_rounding", "parameters": {"base": 5.0}, "not_additive": 0}
    assert stated(rounded)["together"] is None


def test_the_house_keeps_truth_loss_and_seed(rounded):
    evidence = kept(rounded)
    assert evidence["perturbation"]["optimal"]
    assert evidence["seed"] > 2**64
    cells = pq.read_table(rounded / "internal" / "tables" / "race.parquet")
    assert any(cells["value"].to_numpy() != cells["perturbed"].to_numpy())
    tried = {one["label"]: one for one in evidence["tables"][0]["comparison"]["tried"]}
    assert set(tried) == {"fast_suppression", "controlled_rounding (base 5.0)"}
    assert all("seconds" not in one for one in tried.values())
    (skipped,) = evidence["tables"][0]["comparison"]["skipped"]
    assert skipped["way"] == "cell_key_counts"


def test_reports_tell_each_audience_what_it_may_know(rounded):
    public = (rounded / "public" / "report.html").read_text()
    internal = (rounded / "internal" / "report.html").read_text()
    for page in (public, internal):
        assert "Perturbation" in page
        assert "All totals are the sums of their published parts." in page
    assert "How far values were changed." in internal
    assert "How far values were changed." not in public
    assert "Ways to protect this table, compared" in internal
    assert "Ways to protect this table, compared" not in public
    assert "weight" not in public.split("Perturbation")[1][:400]


@pytest.mark.parametrize("way", ["{random_rounding: 5}", "{controlled_rounding: 5}"])
def test_a_release_verifies_with_its_source(tmp_path, way):
    out = released(tmp_path, way, force=True)
    lines = ta.verify(out)
    assert lines.holds
    found = {one.what: one.status for one in lines.lines}
    assert found["public/tables/race.csv"] == Status.REDERIVED
    alone = shutil.copytree(out / "public", tmp_path / "alone")
    found = {one.what: one.status for one in ta.verify(alone).lines}
    assert found["tables added up"] == Status.REDERIVED
    assert found["tables audited together"] == Status.NOT_PROVEN


def test_a_changed_value_is_found(rounded, tmp_path):
    copy = shutil.copytree(rounded, tmp_path / "copy")
    file = copy / "public" / "tables" / "race.csv"
    head, first, *rest = file.read_text().splitlines()
    race, ethnicity, value, status = first.split(",")
    first = f"{race},{ethnicity},{int(value) + 5},{status}"
    file.write_text("\n".join([head, first, *rest, ""]))
    wrong = {one.what for one in ta.verify(copy).lines if one.status == Status.WRONG}
    assert {"public/tables/race.csv", "seal", "binding"} <= wrong
    alone = shutil.copytree(copy / "public", tmp_path / "alone")
    wrong = {one.what for one in ta.verify(alone).lines if one.status == Status.WRONG}
    assert {"table race file", "tables added up"} <= wrong


def test_rounding_that_protects_nobody_is_not_released(tmp_path):
    with pytest.raises(RequirementError, match="not protected"):
        released(tmp_path, "{conventional_rounding: 2}")
    assert not (tmp_path / "out").exists()


def test_totals_that_must_add_up_can_be_required(tmp_path):
    more = "    require: [{additivity: {at_most: 0}}]\n"
    with pytest.raises(RequirementError, match="additivity"):
        released(tmp_path, "{random_rounding: 7}", more)


def test_noise_of_a_secure_source_is_attested(tmp_path):
    out = released(tmp_path, "{private_noise: {epsilon: 2.0}}", force=True)
    found = [one for one in ta.verify(out).lines if one.what == "required protected (race)"]
    assert found[0].status == Status.REDERIVED  # the stored values on the source
    noisy = {one.what for one in ta.verify(out).lines if one.status == Status.NOT_PROVEN}
    assert noisy == {f"public/tables/race.{form}" for form in ("csv", "html", "xlsx")}
    public = (out / "public" / "report.html").read_text()
    promised = "The table is 2-differentially private: it hides whether a respondent"
    assert promised in public
    stated = json.loads((out / "public" / "statement.json").read_text())
    assert stated["tables"]["perturbation"]["guarantee"].startswith(promised)


@pytest.mark.parametrize(
    ("way", "more", "told"),
    [
        ("{controlled_roundin: 5}", "", "Did you mean `controlled_rounding`"),
        ("{fast_suppression: {}}", "", "perturbation"),
        ("{controlled_rounding: 5}", "    protect: fast_suppression\n", "not both"),
        ("{controlled_rounding: 5}", "    suppress: [{race: White}]\n", "not both"),
        ("{controlled_rounding: 5}", SECOND.format(way="{random_rounding: 5}"), "same `perturb`"),
        ("{controlled_rounding: 5}", "    compare: [p_percent]\n", "p_percent"),
    ],
)
def test_bad_plans_are_refused_in_a_sentence(tmp_path, way, more, told):
    with pytest.raises(PlanError, match=told):
        released(tmp_path, way, more)


KEYED = """\
data:
  source: people.csv
  attributes:
    town: {{role: key}}
    pay: {{role: confidential, kind: continuous}}
    key: {{role: {role}, kind: continuous}}
microdata:
  steps: [{{sample: {{fraction: 0.5}}}}]
tables:
  - {{name: people, by: [town], keys: key, {way}}}
"""
COUNTS = "perturb: cell_key_counts"


@pytest.mark.parametrize(
    ("role", "way", "told"),
    [
        ("confidential", COUNTS, "must not be released"),
        ("identifier", "value: key, perturb: {cell_key_magnitudes: 0.1}", "no table can show it"),
    ],
)
def test_the_keys_of_records_are_not_published(tmp_path, role, way, told):
    rows = [f"{'ab'[i % 2]},{i * 7 % 13},{i / 50}" for i in range(40)]
    (tmp_path / "people.csv").write_text("\n".join(["town,pay,key", *rows, ""]))
    plan = tmp_path / "plan.yaml"
    plan.write_text(KEYED.format(role=role, way=way))
    with pytest.raises(InputError, match=told):
        ta.run(plan, tmp_path / "out", seed=SEED, waive="a test")
    assert not (tmp_path / "out").exists()
    plan.write_text(KEYED.format(role="identifier", way=COUNTS))
    ta.run(plan, tmp_path / "out", seed=SEED, waive="a test")
    assert "people.csv" in {
        file.name for file in (tmp_path / "out" / "public" / "tables").iterdir()
    }
    for file in (tmp_path / "out" / "public").glob("*.csv"):
        assert file.read_text().splitlines()[0] == "town,pay"
