from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.formats import write_table
from tacita.errors import InputError
from tacita.release.verify import Status


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """A file with leading zeros, codes for missing values, sets, dates, an undeclared attribute."""
    file = tmp_path_factory.mktemp("source") / "toy.csv"
    write_table(ta.example("toy", 400, seed=3).table, file)
    return file


@pytest.fixture(scope="module")
def plan(source) -> Path:
    file = source.with_name("plan.yaml")
    file.write_text(
        """
data:
  source: toy.csv
  attributes:
    id: identifier
    age: {role: key, hierarchy: {intervals: {widths: [10, 20, 40]}}, missing: [0]}
    zip: {role: key, hierarchy: {prefix: 5}}
    languages: {kind: set_valued, role: non_confidential}
    income: confidential
    weight: weight
microdata:
  allow: {household: [household_number]}
  steps:
    - sample: 0.8
    - pseudonymize: {attribute: id}
    - anonymize: {to: {k_anonymity: 3}, suppression_limit: 0.1}
  require:
    - k_anonymity: 3
    - exact_linkage: {at_most: 0.33}
    - means: {at_most: 0.5}
"""
    )
    return file


@pytest.fixture(scope="module")
def written(plan, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("written") / "out"
    ta.run(plan, folder, seed=11)
    return folder


@pytest.fixture
def release(written, tmp_path) -> Path:
    """A copy of the release, which a test may change."""
    return Path(shutil.copytree(written, tmp_path / "out"))


def status(folder: Path, **how) -> dict[str, Status]:
    return {line.what: line.status for line in ta.verify(folder, **how).lines}


def test_the_public_files_alone_show_file_records_guarantee_and_uniqueness(release, tmp_path):
    alone = tmp_path / "alone"
    shutil.copytree(release / "public", alone)
    found = status(alone)
    shown = {what for what, how in found.items() if how is Status.REDERIVED}
    measures = {name for name, cls in ta.methods().items() if cls.shown_by_release}
    assert {"file", "records", "k_anonymity (k 3)", "uniqueness"} <= shown
    assert shown - measures == {
        *("public files", "public manifest", "file", "data.csv", "records", "order"),
        *("k_anonymity (k 3)", "format", "statement", "public/report.html", "public/report.pdf"),
    }
    assert found["exact_linkage"] is Status.NOT_PROVEN
    assert found["sample (fraction 0.8)"] is Status.NOT_PROVEN


def test_with_the_source_everything_is_computed_again(release, source):
    verification = ta.verify(release, source=source)
    assert verification.holds, str(verification)
    assert "waived" in str(verification)
    assert {line.status for line in verification.lines} == {Status.REDERIVED}
    found = {line.what for line in verification.lines}
    assert {"source", "exact_linkage", "sample (fraction 0.8)"} <= found


def test_parquet_releases_are_verified_too(plan, source, tmp_path):
    other = plan.with_name("parquet.yaml")
    other.write_text(plan.read_text() + "release: {format: parquet}\n")
    ta.run(other, tmp_path / "out", seed=2)
    assert (tmp_path / "out/public/data.parquet").is_file()
    assert ta.verify(tmp_path / "out", source=source).holds


def test_example_data_are_their_own_source(tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text("data: {example: {toy: 60}}\nmicrodata: {steps: [{sample: 0.5}]}\n")
    ta.run(plan, tmp_path / "out", seed=1, waive="a test")
    found = status(tmp_path / "out")
    assert found["sample (fraction 0.5)"] is Status.REDERIVED


def test_a_release_from_python_is_verified_against_its_file(source, tmp_path):
    roles = {"zip": "key", "id": "identifier", "household": "household"}
    data = ta.read(source, roles=roles, hierarchies={"zip": {"prefix": 5}})
    data.apply(ta.Generalize("zip", 4)).apply(ta.Sample(0.5)).release(
        tmp_path / "out", waive="a test"
    )
    assert ta.verify(tmp_path / "out", source=source).holds


def test_measures_with_parameters_are_measured_with_them_again(tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "data: {example: {toy: 60}, undeclared: drop, attributes: {income: {kind: continuous}}}\n"
        "microdata: {measure: [{uniqueness: {keys: region}}, {means: {attributes: [age]}}]}\n"
    )
    ta.run(plan, tmp_path / "out", seed=1, waive="a test")
    verification = ta.verify(tmp_path / "out")
    assert verification.holds, str(verification)
    assert status(tmp_path / "out")["uniqueness (keys ['region'])"] is Status.REDERIVED
    statement = json.loads((tmp_path / "out/public/statement.json").read_text())
    assert "income" not in {row["name"] for row in statement["attributes"]}


def test_how_a_file_was_read_is_remembered(tmp_path):
    file = tmp_path / "d.csv"
    file.write_bytes("name;n\nJosé;1\nJosé;2\n".encode("latin-1"))
    data = ta.read(file, roles={"name": "key"}, delimiter=";", encoding="latin-1")
    data.release(tmp_path / "out", waive="a test")
    assert ta.verify(tmp_path / "out", source=file).holds


def test_a_release_from_python_carries_a_plan_that_does_the_same(source, tmp_path):
    roles = {"zip": "key", "id": "identifier", "household": "household"}
    data = ta.read(source, roles=roles, hierarchies={"zip": {"prefix": 5}})
    made = data.apply(ta.Generalize("zip", 4)).release(
        tmp_path / "one", require=[{"uniqueness": {"at_most": 0.5}}]
    )
    written = tmp_path / "one/internal/plan.yaml"
    shutil.copy(source, written.parent)
    again = ta.run(written, tmp_path / "two")
    assert again.protected.table.equals(made.protected.table)
    assert [v.to_dict() for v in again.verdicts] == [v.to_dict() for v in made.verdicts]


def test_a_key_that_tells_nothing_can_be_read_again(tmp_path):
    file = tmp_path / "d.csv"
    file.write_text("sex,job\nf,1\nm,1\nf,2\nm,2\n")
    data = ta.read(file, roles={"sex": "key", "job": "confidential"})
    safe = data.anonymize(ta.KAnonymity(4))
    safe.release(tmp_path / "out", require=[ta.KAnonymity(4)])
    assert ta.verify(tmp_path / "out").verdict == "not proven"
    assert ta.verify(tmp_path / "out", source=file).holds


def test_a_changed_file_is_found(release):
    file = release / "public/data.csv"
    names, records = file.read_text().split("\n", 1)
    file.write_text(f"{names}\n{records.replace('9', '8', 1)}")
    verification = ta.verify(release)
    assert not verification.holds
    assert status(release)["file"] is Status.WRONG


def test_a_changed_statement_is_found(release):
    file = release / "public/statement.json"
    statement = json.loads(file.read_text())
    statement["guarantees"][0]["requirement"] = {"k_anonymity": {"k": 300}}
    next(m for m in statement["measures"] if m["name"] == "uniqueness")["value"] = 0.5
    file.write_text(json.dumps(statement))
    found = status(release)
    assert found["k_anonymity (k 300)"] is Status.WRONG
    assert found["uniqueness"] is Status.WRONG


def test_other_draws_of_other_versions_are_not_proven_and_the_versions_named(
    release, source, monkeypatch
):
    """A library that draws differently is no tampering; with the same versions it is."""
    from tacita.release import made_with, regeneration

    protect = regeneration.protect
    monkeypatch.setattr(
        regeneration, "protect", lambda plan, data, seed: protect(plan, data, seed + 1)
    )
    same = ta.verify(release, source=source)
    assert "public/data.csv" in {one.what for one in same.lines if one.status is Status.WRONG}
    version = made_with.version_of
    monkeypatch.setattr(
        made_with, "version_of", lambda name: "9.9" if name == "numpy" else version(name)
    )
    other = ta.verify(release, source=source)
    assert other.verdict == "not proven"
    (data,) = [one for one in other.lines if one.what == "public/data.csv"]
    assert "numpy" in data.sentence
    assert "9.9 is here" in data.sentence


def test_another_source_is_found(release, source, tmp_path):
    other = tmp_path / "other.csv"
    lines = source.read_text().splitlines(keepends=True)
    other.write_text("".join([*lines[:5], lines[6], lines[5], *lines[7:]]))
    found = status(release, source=other)
    assert found["source"] is Status.WRONG


def test_a_seed_that_was_changed_is_found(release, source):
    file = release / "internal/evidence.json"
    evidence = json.loads(file.read_text())
    evidence["steps"][0]["seed"] += 1
    file.write_text(json.dumps(evidence))
    found = status(release, source=source)
    assert found["internal/evidence.json"] is Status.WRONG
    assert status(release)["plan and evidence"] is Status.WRONG


def test_what_is_no_release_is_told(tmp_path, release, source):
    with pytest.raises(InputError, match="There is no release here"):
        ta.verify(tmp_path / "nowhere")
    shutil.rmtree(release / "internal")
    with pytest.raises(InputError, match="There is no file"):
        ta.verify(release, source=source.with_name("nowhere.csv"))


def test_the_source_without_the_internal_folder_shows_what_the_public_files_show(
    release, source, tmp_path
):
    alone = tmp_path / "alone"
    shutil.copytree(release / "public", alone)
    from_public = ta.verify(alone).lines
    with_source = ta.verify(alone, source=source)
    added = [one for one in with_source.lines if one not in from_public]
    assert len(with_source.lines) == len(from_public) + 1
    assert [(one.what, one.status) for one in added] == [("source", Status.NOT_PROVEN)]
    assert "internal folder" in added[0].sentence
    assert with_source.verdict == "not proven"
    unknown = [one for one in with_source.lines if one.what == "exact_linkage"]
    assert unknown[0].sentence == "it needs the source and the internal folder"
    data = alone / "data.csv"
    data.write_text(data.read_text().replace("0", "1", 1))
    assert ta.verify(alone, source=source).verdict == "wrong"


def test_it_prints_well(release):
    shown = str(ta.verify(release))
    assert "re-derived  file" in shown
    assert "not proven" in shown


@pytest.fixture
def sampled(tmp_path) -> Path:
    """A plan for a sample of a population whose file lies beside it."""
    people = ta.example("toy", 400, seed=3)
    write_table(people.table, tmp_path / "people.csv")
    write_table(people.table.slice(0, 200), tmp_path / "sample.csv")
    (tmp_path / "plan.yaml").write_text(
        """
data:
  source: sample.csv
  population: people.csv
  attributes:
    id: identifier
    household: household
    zip: {role: key, hierarchy: {prefix: 5}}
    age: key
    weight: weight
microdata:
  steps: [{generalize: {attribute: zip, level: 2}}]
  measure: [population_uniqueness, journalist_risk]
  require: [{population_uniqueness: {at_most: 1}}]
"""
    )
    return tmp_path


def test_a_population_beside_the_source_is_counted_in_again(sampled):
    outcome = ta.run(sampled / "plan.yaml", sampled / "out", seed=11)
    assert {row.name for row in outcome.measures} == {"population_uniqueness", "journalist_risk"}
    assert 0 < outcome.measures["population_uniqueness"].value < 1
    found = status(sampled / "out", source=sampled / "sample.csv")
    assert set(found.values()) == {Status.REDERIVED}
    evidence = json.loads((sampled / "out" / "internal" / "evidence.json").read_text())
    assert evidence["source"]["external"] == {"population": "people.csv"}


def test_a_population_that_is_gone_is_asked_for(sampled):
    ta.run(sampled / "plan.yaml", sampled / "out", seed=11)
    (sampled / "people.csv").unlink()
    with pytest.raises(InputError, match=r"population \(people.csv\) that is not at hand"):
        ta.verify(sampled / "out", source=sampled / "sample.csv")


def test_a_population_that_is_not_there_is_told_with_its_place_in_the_plan(sampled):
    plan = sampled / "plan.yaml"
    plan.write_text(plan.read_text().replace("population: people.csv", "population: nobody.csv"))
    with pytest.raises(InputError, match=r"plan.yaml.*population.*nobody.csv"):
        ta.run(plan, sampled / "out", seed=11)
    assert not (sampled / "out").exists()


def people(folder: Path, *requirements: str) -> Path:
    """Write a plan for a sample of a population, with a tree above the confidential values."""
    rows = [f"{age},{ill}" for age in (30, 40) for ill in ("flu", "cold", "ulcer", "ulcer")]
    (folder / "people.csv").write_text("\n".join(["age,ill", *rows]))
    (folder / "all.csv").write_text("\n".join(["age,ill", *rows, *rows]))
    plan = folder / "plan.yaml"
    plan.write_text(
        """
data:
  source: people.csv
  population: all.csv
  attributes:
    age: key
    ill: {role: confidential, hierarchy: {tree: {any: {airways: [flu, cold], other: [ulcer]}}}}
microdata:
  measure: []
  require:
"""
        + "".join(f"    - {one}\n" for one in requirements)
    )
    return plan


@pytest.mark.parametrize(
    "requirement",
    [
        "k_map: 8",
        "delta_presence: {minimum: 0, maximum: 0.5}",
        "limited_population_uniques: {maximum: 0, estimator: counted}",
        "t_closeness: {t: 0, distance: hierarchical}",
        "t_closeness: 0",
    ],
)
def test_a_model_of_more_than_the_file_is_attested_and_checked_with_the_source(
    requirement, tmp_path
):
    ta.run(people(tmp_path, requirement), tmp_path / "out", seed=1)
    name, source = requirement.partition(":")[0], tmp_path / "people.csv"
    for how, expected in (({}, Status.NOT_PROVEN), ({"source": source}, Status.REDERIVED)):
        found = status(tmp_path / "out", **how)
        assert Status.WRONG not in found.values()
        assert [told for what, told in found.items() if name in what] == [expected] * 2


def test_a_distribution_is_not_told_to_the_public(tmp_path):
    """That of the original, less the released one, is that of the records left out."""
    given = "{t_closeness: {t: 0.2, distribution: {flu: 12345, cold: 12345, ulcer: 24690}}}"
    plan = people(tmp_path, given)
    plan.write_text(
        plan.read_text().replace("  require", f"  steps: [anonymize: {{to: [{given}]}}]\n  require")
    )
    ta.run(plan, tmp_path / "out", seed=1)
    public = tmp_path / "out" / "public"
    assert "12345" not in (public / "report.html").read_text()
    statement = json.loads((public / "statement.json").read_text())
    assert statement["methods"][0]["parameters"]["to"] == [{"t_closeness": {"t": 0.2}}]
    assert statement["guarantees"] == []
    assert ta.verify(tmp_path / "out").verdict == "not proven"


def test_a_level_without_bound_can_be_released_by_force(tmp_path):
    plan = people(tmp_path, "delta_disclosure: 9")
    text = (tmp_path / "people.csv").read_text()
    (tmp_path / "people.csv").write_text(text + "\n50,flu")
    ta.run(plan, tmp_path / "out", seed=1, force=True)
    assert ta.verify(tmp_path / "out").verdict == "not proven"


def released(folder: Path, table: pa.Table, plan: str, **options) -> Path:
    """Write a table and release it by a plan."""
    write_table(table, folder / "people.parquet")
    (folder / "plan.yaml").write_text(plan)
    ta.run(folder / "plan.yaml", folder / "out", seed=2**70, **options)
    return folder / "out"


ANYBODY = pa.table(
    {
        "id": [f"{number:05d}" for number in range(40)],
        "age": [20 + number % 9 for number in range(40)],
        "charge": [float(number * 37 % 101) for number in range(40)],
    }
)
UNREPEATED = {
    "noise": "bounded_noise: {bounds: {charge: [0, 10000]}, epsilon: 1}",
    "clock": "anonymize: {to: {k_anonymity: 2}, suppression_limit: 0.5, time_limit: 5}",
}
SAMPLED = "compare: {methods: {rank_swap: {attributes: [age, charge], p: [5]}}, sample: 20}"


@pytest.mark.parametrize("step", UNREPEATED.values(), ids=UNREPEATED)
@pytest.mark.parametrize("compare", ["", SAMPLED], ids=["alone", "compared on a sample"])
def test_what_cannot_be_repeated_is_not_called_wrong(tmp_path, step, compare):
    plan = f"""
data:
  source: people.parquet
  attributes: {{id: identifier, age: {{role: key, kind: continuous}}, charge: confidential}}
microdata:
  steps: [{{{step}}}]
  require: [{{uniqueness: {{at_most: 1}}}}]
  measure: [uniqueness]
  {compare}
"""
    out = released(tmp_path, ANYBODY, plan)
    found = status(out, source=tmp_path / "people.parquet")
    assert Status.WRONG not in found.values()
    assert [what for what, how in found.items() if how is not Status.REDERIVED] == [
        "public/data.csv"
    ]


@pytest.mark.parametrize("form", ["csv", "xlsx", "sav", "dta", "parquet", "feather"])
def test_truths_and_narrow_numbers_keep_their_order_in_every_format(tmp_path, form):
    rng = np.random.default_rng(4)
    table = pa.table(
        {
            "age": [20 + number % 9 for number in range(60)],
            "ill": [bool(draw) for draw in rng.integers(0, 2, 60)],
            "share": pa.array(rng.random(60), pa.float32()),
        }
    )
    plan = f"""
data: {{source: people.parquet, attributes: {{age: key}}}}
microdata: {{require: [{{uniqueness: {{at_most: 1}}}}], measure: [uniqueness], allow: {{share: [record_number]}}}}
release: {{format: {form}}}
"""
    out = released(tmp_path, table, plan)
    assert ta.verify(out).verdict == "not proven"
    assert ta.verify(out, source=tmp_path / "people.parquet").holds


def test_blanks_of_a_frame_are_those_of_its_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1, 2, 3, 4] * 5, "x": [1.5, float("nan"), 2, 3] * 5})
    frame.to_parquet(tmp_path / "x.parquet")
    data = ta.read(frame, roles={"age": "key"})
    data.release(tmp_path / "out", require=[{"uniqueness": {"at_most": 1}}])
    assert ta.verify(tmp_path / "out", source=tmp_path / "x.parquet").holds


def test_how_a_source_is_laid_out_does_not_matter(release, source, tmp_path):
    other = tmp_path / "other.csv"
    other.write_bytes(b"\xef\xbb\xbf" + source.read_bytes())
    assert ta.verify(release, source=other).holds


PRIVATE = """
data:
  source: toy.csv
  attributes:
    age: {role: key, kind: continuous}
    region: {role: confidential, kind: nominal}
  undeclared: drop
microdata:
  steps:
    - private_marginals:
        epsilon: 2
        bounds: {age: [0, 120]}
        categories: {region: [Hills, Lakes, Plain, Harbour]}
        rules: ["age >= 18"]
  require: [{differential_privacy: {epsilon: 2, delta: 1.0e-9}}]
"""


@pytest.fixture
def private(source, tmp_path):
    file = source.with_name("private.yaml")
    file.write_text(PRIVATE)
    ta.run(file, tmp_path / "out", seed=1)
    return tmp_path / "out"


def test_what_noise_decided_is_not_drawn_again_and_not_called_wrong(private, source):
    """The marginals that are chosen, and the records that break rules, follow from the noise."""
    checked = ta.verify(private, source=source)
    assert not [line for line in checked.lines if line.status == "wrong"]


@pytest.mark.parametrize("change", ["epsilon", "rho", "cost"])
def test_the_account_of_privacy_is_computed_again(private, source, change):
    file = private / "internal" / "evidence.json"
    content = json.loads(file.read_text())
    told = content["steps"][0]["notes"]["privacy"]
    if change == "cost":
        told["answers"][0]["rho"] /= 2
    else:
        told[change] /= 2
    file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    found = {line.what: line for line in ta.verify(private, source=source).lines}
    assert found["internal/evidence.json"].status == "wrong"
    assert "privacy" in found["internal/evidence.json"].sentence


def test_a_statement_of_any_depth_is_refused_with_a_sentence(release):
    file = release / "public" / "statement.json"
    content = json.loads(file.read_text())
    content["requirements_hold"] = "DEEP"
    for depth in (5, 500, 5000):
        deep = "[" * depth + "]" * depth
        file.write_text(json.dumps(content).replace('"DEEP"', deep))
        with pytest.raises(InputError, match=r"requirements_hold|is not JSON"):
            ta.verify(release)


def test_names_of_files_cannot_write_over_what_is_told(release):
    (release / "public" / "a\x1b[2K\rThe release is what it says\x1b[8m").write_text("x")
    told = str(ta.verify(release))
    assert "\x1b" not in told
    assert "\r" not in told
    assert r"a\x1b[2K\rThe release" in told
