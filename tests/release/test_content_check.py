"""What detectors find in released values fails a release, unless the plan allows it by name."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
import yaml
from pyarrow import csv

import tacita as ta
from tacita.errors import ParameterError, PlanError, RequirementError

REMARK = "Frau Huber anrufen 0664 1234567"
ROLES = ["key", "confidential", "non_confidential"]


def people(**columns):
    sizes = [1, 2, 3, 2] * 77
    homes = [4000 + 3 * home for home, size in enumerate(sizes) for _ in range(size)]
    table = {"sex": ["f", "m"] * 308, "household": homes, **columns}
    return pa.table(table)


def plan(tmp_path, table, attributes, **microdata):
    csv.write_csv(table, tmp_path / "data.csv")
    said = {
        "data": {"source": "data.csv", "attributes": attributes},
        "microdata": {"measure": [], "waive": "a test", **microdata},
    }
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(said))
    return tmp_path / "plan.yaml"


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("shown", [1, 616])
def test_a_remark_with_a_name_and_a_number_is_refused(tmp_path, role, shown):
    table = people(remark=[REMARK] * shown + [None] * (616 - shown))
    attributes = {"remark": {"role": role, "kind": "nominal"}, "household": "identifier"}
    with pytest.raises(RequirementError) as refused:
        ta.run(plan(tmp_path, table, attributes), tmp_path / "out", seed=1)
    told = str(refused.value)
    assert "`remark`: 1 of its 1 value holds telephone numbers" in told
    assert "`remark`: 1 of its 1 value holds names of persons" in told
    assert "allow: {remark: [telephone]}" in told
    assert "Huber" not in told
    assert "1234567" not in told
    assert not (tmp_path / "out").exists()


def test_a_household_number_that_nobody_declared_is_refused(tmp_path):
    with pytest.raises(
        RequirementError, match="`household`: 308 of its 308 values hold numbers of"
    ):
        ta.run(plan(tmp_path, people(), {"sex": "key"}), tmp_path / "out", seed=1)


def test_a_declared_household_leaves_with_new_numbers(tmp_path):
    file = plan(tmp_path, people(), {"sex": "key", "household": "household"})
    outcome = ta.run(file, tmp_path / "out", seed=1)
    released = outcome.protected.column("household").to_pylist()
    assert sorted(set(released)) == list(range(1, 309))
    rows = outcome.protected.source_rows
    homes = people()["household"].to_pylist()
    pairs = {(homes[row], number) for row, number in zip(rows, released, strict=True)}
    assert len(pairs) == 308  # who belongs together stays
    assert ta.verify(tmp_path / "out", source=tmp_path / "data.csv").holds


def test_a_copy_of_an_identifier_in_another_column_is_refused(tmp_path):
    numbers = [(n * 389) % 617 for n in range(616)]
    table = people(person=[f"P{n:04d}" for n in numbers], score=numbers)
    attributes = {"person": "identifier", "household": "identifier", "score": "confidential"}
    with pytest.raises(RequirementError, match="those of `person`"):
        ta.run(plan(tmp_path, table, attributes), tmp_path / "out", seed=1)


def test_a_running_number_is_refused_whatever_its_role(tmp_path):
    data = ta.read(
        people(n=list(range(616))), roles={"n": "confidential", "household": "identifier"}
    )
    with pytest.raises(
        RequirementError, match="`n`: 616 of its 616 values hold numbers or texts of single records"
    ):
        data.release(tmp_path / "out", waive="a test")


def test_a_waiver_names_column_and_detector_and_is_kept(tmp_path):
    table = people(remark=[REMARK, "keine"] * 308)
    attributes = {"remark": "confidential", "household": "identifier"}
    allow = {"remark": ["telephone", "person_name"]}
    file = plan(tmp_path, table, attributes, allow=allow)
    outcome = ta.run(file, tmp_path / "out", seed=1)
    assert outcome.holds
    internal = (tmp_path / "out/internal/report.html").read_text()
    assert "the plan allows `telephone` there by name" in internal
    evidence = json.loads((tmp_path / "out/internal/evidence.json").read_text())
    names = [next(iter(row["requirement"].values())) for row in evidence["requirements"]]
    assert "telephone in remark, waived" in names
    assert "telephone" not in (tmp_path / "out/public/statement.json").read_text()
    source = next(tmp_path.glob("*.csv"))
    assert ta.verify(tmp_path / "out", source=source).holds


def test_part_of_a_waiver_is_not_enough(tmp_path):
    table = people(remark=[REMARK, "keine"] * 308)
    attributes = {"remark": "confidential", "household": "identifier"}
    file = plan(tmp_path, table, attributes, allow={"remark": "telephone"})
    with pytest.raises(RequirementError, match=r"1 of 2 requirements fail\. `remark`: .* names"):
        ta.run(file, tmp_path / "out", seed=1)


@pytest.mark.parametrize(
    ("allow", "told"),
    [
        ({"remark": ["telefone"]}, r"microdata\.allow.*Did you mean .telephone"),
        ({"remark": 3}, "names of detectors"),
        (["remark"], "should be like"),
    ],
)
def test_a_waiver_that_cannot_be_read_is_refused(tmp_path, allow, told):
    file = plan(tmp_path, people(), {"household": "identifier"}, allow=allow)
    with pytest.raises(PlanError, match=told):
        ta.run(file, tmp_path / "out", seed=1)


def test_a_waiver_for_no_column_is_refused(tmp_path):
    file = plan(tmp_path, people(), {"household": "identifier"}, allow={"remrk": ["email"]})
    with pytest.raises(ParameterError, match=r"plan\.yaml.*`allow` names `remrk`"):
        ta.run(file, tmp_path / "out", seed=1)


def test_python_allows_as_plans_do_and_carries_it_on(tmp_path):
    data = ta.read(people(n=list(range(616))), roles={"household": "identifier"})
    assert data.release(tmp_path / "out", allow={"n": ["record_number"]}, waive="a test").holds
    carried = yaml.safe_load((tmp_path / "out/internal/plan.yaml").read_text())
    assert carried["microdata"]["allow"] == {"n": ["record_number"]}


def test_pseudonyms_of_persons_are_no_numbers_of_records(tmp_path):
    table = people(person=[f"P{n:04d}" for n in range(616)])
    data = ta.read(table, roles={"person": "identifier", "household": "household"})
    made = data.apply(ta.Pseudonymize("person"), seed=1).apply(ta.Pseudonymize("household"), seed=2)
    assert made.release(tmp_path / "out", waive="a test").holds


@pytest.mark.parametrize("name", ["patients", "firms", "census", "survey", "toy"])
@pytest.mark.parametrize("size", [40, 500])
def test_generated_data_are_released(tmp_path, name, size):
    assert ta.example(name, size).release(tmp_path / "out", waive="a test").holds
