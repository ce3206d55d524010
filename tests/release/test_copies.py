"""Several synthetic copies in one release: what differs between them, what is told, verification."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml
from pyarrow import csv

import tacita as ta
from tacita.errors import OutputError, PlanError, RequirementError
from tacita.release.signing import make_keys

STEPS = [
    {"add_noise": {"attributes": "age", "alpha": 0.1}},
    {"partial_imputation": {"attributes": "income", "given": ["age", "education"]}},
]
PLAN = {
    "data": {"example": {"toy": 120}},
    "microdata": {"copies": 3, "steps": STEPS, "measure": ["means", "distance_linkage"]},
}


def written(folder, **changed):
    """Write a plan, with other parts of `microdata`."""
    file = folder / "plan.yaml"
    file.write_text(yaml.safe_dump({**PLAN, "microdata": {**PLAN["microdata"], **changed}}))
    return file


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A release of three copies: its outcome and its folder."""
    folder = tmp_path_factory.mktemp("copies")
    return ta.run(written(folder), folder / "out", seed=1, waive="a test"), folder / "out"


def data_of(folder, number):
    return csv.read_csv(folder / f"copy-{number}" / "public" / "data.csv")


def statement_of(folder, number):
    return json.loads((folder / f"copy-{number}" / "public" / "statement.json").read_text())


def test_every_copy_is_a_release_of_its_own(released):
    outcome, folder = released
    assert sorted(one.name for one in folder.iterdir()) == ["copy-1", "copy-2", "copy-3"]
    assert len(outcome.copies) == 3
    assert outcome.copy.number == 1
    for number in (1, 2, 3):
        said = statement_of(folder, number)["copy_of"]
        assert (said["number"], said["of"], said["rule"]) == (number, 3, "partial")
        assert "b / m + v" in said["sentence"]


def test_copies_differ_in_what_the_generator_draws_and_in_nothing_else(released):
    """Noise that differed between the copies could be averaged out."""
    tables = [data_of(released[1], number) for number in (1, 2, 3)]
    for name in tables[0].column_names:
        columns = [sorted(table[name].to_pylist(), key=str) for table in tables]
        if name == "household":  # numbered anew by what is in it
            columns = [sorted(Counter(column).values()) for column in columns]
        if name == "income":
            assert columns[0] != columns[1] != columns[2] != columns[0]
        else:
            assert columns[0] == columns[1] == columns[2], name
    original = ta.example("toy", 120).numbers("age")
    assert not np.allclose(np.sort(tables[0]["age"]), np.sort(original))


def test_the_first_copy_is_what_a_plan_without_copies_gives(released, tmp_path):
    ta.run(written(tmp_path, copies=1), tmp_path / "out", seed=1, waive="a test")
    alone = tmp_path / "out" / "public"
    assert (alone / "data.csv").read_bytes() == (
        released[1] / "copy-1" / "public" / "data.csv"
    ).read_bytes()
    assert "copy_of" not in json.loads((alone / "statement.json").read_text())


def test_the_reports_tell_how_to_combine(released):
    for audience in ("public", "internal"):
        report = (released[1] / "copy-2" / audience / "report.html").read_text()
        assert "This is copy 2 of 3" in report
        assert "By the rule" in report


def test_copies_tell_what_share_of_the_population_was_sampled(tmp_path):
    steps = [{"multiple_imputation": {"attributes": ["income", "education"], "population": 600}}]
    plan = written(tmp_path, steps=steps, copies=2, measure=["means"])
    ta.run(plan, tmp_path / "out", seed=1, waive="a test")
    said = statement_of(tmp_path / "out", 2)["copy_of"]
    data = ta.example("toy", 120)
    effective = data.weight.sum() ** 2 / (data.weight**2).sum()
    assert said["sampled"] == pytest.approx(effective / 600)
    assert f"s = {said['sampled']:.6g} is the share of the population" in said["sentence"]
    assert sum(data_of(tmp_path / "out", 1)["weight"].to_pylist()) == pytest.approx(600)
    assert ta.verify(tmp_path / "out").holds


def test_all_copies_verify_together(released, tmp_path):
    found = ta.verify(released[1])
    assert found.holds
    masked = [one for one in found.lines if "masking the source again gives" in one.sentence]
    assert [one.what.partition(":")[0] for one in masked] == [
        f"copy-{number}" for number in (1, 1, 2, 2, 3, 3)
    ]
    less = shutil.copytree(released[1], tmp_path / "less")
    shutil.rmtree(less / "copy-3")
    lacking = ta.verify(less)
    assert [one.what for one in lacking.lines if one.status == "wrong"] == ["copy-3"]
    file = less / "copy-2" / "public" / "data.csv"
    file.write_text(file.read_text().replace("1", "2", 1))
    assert any(
        one.what == "copy-2: file" and one.status == "wrong" for one in ta.verify(less).lines
    )


def test_copies_held_in_python_tell_the_same(tmp_path):
    people = ta.example("toy", 60)
    made = ta.synthesize(people, ta.SequentialTrees(["age", "income"]), copies=2, seed=1)
    made.release(tmp_path / "out", waive="a test")
    said = [statement_of(tmp_path / "out", number)["copy_of"] for number in (1, 2)]
    assert [(one["number"], one["rule"]) for one in said] == [(1, "plug_in"), (2, "plug_in")]
    assert ta.verify(tmp_path / "out").verdict == "not proven"


def test_nothing_is_written_if_one_copy_fails(tmp_path):
    require = [{"k_anonymity": 50}]
    with pytest.raises(RequirementError, match="1 of 1 requirements of copy 1 fail"):
        ta.run(written(tmp_path, require=require), tmp_path / "out", seed=1)
    assert not (tmp_path / "out").exists()
    outcome = ta.run(written(tmp_path, require=require), tmp_path / "out", seed=1, force=True)
    assert not outcome.holds
    assert not statement_of(tmp_path / "out", 3)["requirements_hold"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"copies": 0}, "a whole number, 1 or more; found 0"),
        ({"copies": "many"}, "a whole number, 1 or more; found 'many'"),
        ({"steps": STEPS[:1]}, "one step of the family synthesis; found 0"),
        ({"steps": [STEPS[1], STEPS[1]]}, "one step of the family synthesis; found 2"),
        (
            {"steps": [{"private_histogram": {"attributes": "education", "epsilon": 1}}]},
            "spend its privacy budget again",
        ),
    ],
)
def test_refuses_copies_that_cannot_be_made(changed, said, tmp_path):
    with pytest.raises(PlanError, match=rf"field `microdata.copies`.*{said}"):
        ta.read_plan(written(tmp_path, **changed))


def signed_copies(folder: Path, seed: int, private: Path) -> Path:
    folder.mkdir()
    ta.example("toy", 60, seed=seed).write(folder / "toy.csv")
    (folder / "plan.yaml").write_text(
        """
data: {source: toy.csv, attributes: {age: key, income: confidential}, undeclared: drop}
microdata:
  copies: 2
  steps: [{sequential_trees: {attributes: [age, income]}}]
  require: [{total_variation: {at_most: 1}}]
  measure: []
"""
    )
    ta.run(folder / "plan.yaml", folder / "out", seed=seed, sign=private)
    return folder / "out"


def test_copies_of_two_sets_are_not_taken_for_one(tmp_path):
    private, public, _ = make_keys(tmp_path / "office")
    one, other = (signed_copies(tmp_path / str(seed), seed, private) for seed in (1, 2))
    assert ta.verify(one, key=public).holds
    shutil.rmtree(one / "copy-2")
    (one / "copy-2").symlink_to(other / "copy-2")
    assert ta.verify(one, key=public).verdict == "wrong"
    (one / "copy-2").unlink()
    shutil.copytree(other / "copy-2", one / "copy-2")
    mixed = ta.verify(one, key=public)
    assert [line.what for line in mixed.lines if line.status == "wrong"] == ["copies"]


def test_a_file_among_copies_is_not_moved_by_the_next_run(tmp_path):
    private, _, _ = make_keys(tmp_path / "office")
    out = signed_copies(tmp_path / "1", 1, private)
    (out / "copy-1" / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"notes\.txt was not written by a release"):
        ta.run(tmp_path / "1" / "plan.yaml", out, seed=3)
    assert (out / "copy-1" / "notes.txt").read_text() == "mine"
