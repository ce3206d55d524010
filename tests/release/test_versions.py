from __future__ import annotations

import json
import shutil
import stat
from fractions import Fraction

import pytest

import tacita as ta
from tacita.errors import OutputError
from tacita.release.signing import make_keys

PLAN = """
data:
  source: people.csv
  attributes:
    id: identifier
    age: {role: key, hierarchy: {intervals: {widths: [10, 20, 40]}}}
    sex: key
    illness: {role: confidential, kind: nominal}
microdata:
  steps: [{generalize: {attribute: age, level: LEVEL}}]
  require: [{uniqueness: {at_most: 1}}]
  measure: [uniqueness]
"""


@pytest.fixture
def plan(tmp_path):
    rows = [
        f"{n},{20 + n % 37},{'fm'[n % 2]},{('flu', 'cold', 'gout', 'ulcer')[n * n % 7 % 4]}"
        for n in range(80)
    ]
    (tmp_path / "people.csv").write_text("\n".join(["id,age,sex,illness", *rows]) + "\n")
    (tmp_path / "plan.yaml").write_text(PLAN.replace("LEVEL", "2"))
    return tmp_path / "plan.yaml"


def run(plan, level, seed=2**70):
    plan.write_text(PLAN.replace("LEVEL", str(level)))
    return ta.run(plan, plan.parent / "out", seed=seed)


def files(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_earlier_releases_stay_and_can_be_verified(plan, tmp_path):
    out, source = tmp_path / "out", tmp_path / "people.csv"
    run(plan, 2)
    first = files(out)
    run(plan, 1)
    second = {name: content for name, content in files(out).items() if name.parts[0] != "versions"}
    assert files(out / "versions" / "1") == first
    run(plan, 3)
    assert files(out / "versions" / "1") == first
    assert files(out / "versions" / "2") == second
    assert stat.S_IMODE((out / "versions").stat().st_mode) == 0o700
    assert stat.S_IMODE((out / "versions/1/internal").stat().st_mode) == 0o700
    for folder in (out, out / "versions" / "1", out / "versions" / "2"):
        assert ta.verify(folder, source=source).holds, folder
    listed = json.loads((out / "internal/evidence.json").read_text())["earlier"]
    assert [row["version"] for row in listed] == ["versions/1", "versions/2"]


@pytest.mark.parametrize(
    "place",
    [
        "notes.txt",
        "public/notes.txt",
        "internal/tables/notes.txt",
        "versions/notes.txt",
        "versions/1/notes.txt",
        "versions/1/public/notes.txt",
        "versions/mine/notes.txt",
    ],
)
def test_a_folder_with_what_others_put_there_is_refused(plan, tmp_path, place):
    out = tmp_path / "out"
    run(plan, 2)
    run(plan, 1)
    (out / place).parent.mkdir(exist_ok=True)
    (out / place).write_text("mine")
    before = files(out)
    named = "mine" if "mine" in place else "notes.txt"
    with pytest.raises(
        OutputError, match=rf"{named} was not written by a release, and a run never"
    ):
        run(plan, 3)
    assert files(out) == before
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []


@pytest.fixture
def bands(tmp_path):
    """Each band of five years has an illness of its own; two cuts of ages hide it, together not."""
    illness = dict(enumerate(("flu", "cold", "gout", "ulcer")))
    rows = [f"{20 + n % 20},{illness[n % 20 // 5]}" for n in range(80)]
    (tmp_path / "bands.csv").write_text("\n".join(["age,illness", *rows]) + "\n")
    data = ta.read(tmp_path / "bands.csv", roles={"age": "key", "illness": "confidential"})
    return [data.apply(ta.Recode("age", breaks=breaks)) for breaks in ([30], [25, 35])]


ANYTHING = [{"uniqueness": {"at_most": 1}}]


def test_two_releases_are_attacked_together(bands, tmp_path):
    first, second = bands
    first.release(tmp_path / "out", require=ANYTHING)
    outcome = second.release(tmp_path / "out", require=ANYTHING)
    attacks = [one for one in outcome.measures if one.name == "several_releases"]
    assert [one.parameters.get("aim", "learn") for one in attacks] == ["learn", "reidentify"]
    assert (attacks[0].figures["naive_one_release"], attacks[0].value) == (Fraction(1, 2), 1)
    for audience in ("public", "internal"):
        assert "Several releases" in (tmp_path / "out" / audience / "report.html").read_text()
    assert ta.verify(tmp_path / "out", source=tmp_path / "bands.csv").holds


def test_what_releases_tell_together_can_be_required(bands, tmp_path):
    first, second = bands
    first.release(tmp_path / "out", require=ANYTHING)
    before = files(tmp_path / "out")
    half = [{"several_releases": {"at_most": 0.5}}]
    with pytest.raises(ta.TacitaError, match="several_releases"):
        second.release(tmp_path / "out", require=half)
    assert files(tmp_path / "out") == before
    assert second.release(tmp_path / "alone", require=half).holds


def test_releases_of_another_source_are_kept_and_not_compared(plan, tmp_path):
    run(plan, 2)
    text = (tmp_path / "people.csv").read_text()
    (tmp_path / "people.csv").write_text(text.replace("flu", "gout", 1))
    outcome = run(plan, 1)
    assert "several_releases" not in {one.name for one in outcome.measures}
    assert ta.verify(tmp_path / "out", source=tmp_path / "people.csv").holds


def test_an_earlier_release_that_is_gone_or_changed_is_told(plan, tmp_path):
    out, source = tmp_path / "out", tmp_path / "people.csv"
    run(plan, 2)
    run(plan, 1)
    data = out / "versions/1/public/data.csv"
    text = data.read_text()
    data.write_text(text.replace("flu", "cold", 1))
    assert ta.verify(out / "versions/1", source=source).verdict == "wrong"
    data.write_text(text)
    shutil.rmtree(out / "versions/1")
    found = ta.verify(out, source=source)
    assert found.verdict == "not proven"
    assert any(
        "versions/1, released earlier, is not at hand" in line.sentence for line in found.lines
    )


TAMPERED = {
    "gone": shutil.rmtree,
    "changed": lambda versions: (versions / "1/public/data.csv").write_text("x"),
    "another": lambda versions: shutil.copytree(versions / "1", versions / "7"),
    "a file": lambda versions: (versions / "evil.txt").write_text("evil"),
    "a version in a version": lambda versions: shutil.copytree(
        versions / "1" / "public", versions / "1" / "versions" / "1" / "public"
    ),
}


@pytest.mark.parametrize("tamper", TAMPERED.values(), ids=TAMPERED)
def test_what_is_done_to_earlier_releases_shows_in_later_ones(plan, tmp_path, tamper):
    private, public, _ = make_keys(tmp_path / "office")
    for level in (2, 1):
        plan.write_text(PLAN.replace("LEVEL", str(level)))
        ta.run(plan, tmp_path / "out", seed=2**70, sign=private)
    assert ta.verify(tmp_path / "out", key=public).holds
    tamper(tmp_path / "out" / "versions")
    for source in (None, tmp_path / "people.csv"):
        assert not ta.verify(tmp_path / "out", key=public, source=source).holds


@pytest.mark.parametrize("name", ["01", "1.5", "one"])
def test_only_numbers_are_names_of_versions(plan, tmp_path, name):
    run(plan, 2)
    run(plan, 1)
    shutil.copytree(tmp_path / "out/versions/1", tmp_path / "out/versions" / name)
    with pytest.raises(OutputError, match=rf"versions/{name} was not written by a release"):
        run(plan, 3)
