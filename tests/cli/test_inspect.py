"""`tacita inspect`: tables for people, JSON for programs, a plan that is never overwritten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacita as ta
from tacita.data.examples import generate
from tacita.data.formats import write_table

RunCli = Callable[..., Any]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A small file of people."""
    file = tmp_path / "people.csv"
    write_table(generate("toy", 300).table, file)
    return file


def test_tables_and_notes_are_printed(people: Path, run_cli: RunCli) -> None:
    ran = run_cli("inspect", people)
    assert ran.code == 0
    for part in (
        "300 records, 12 attributes.",
        "Attributes",
        "identifier",
        "Combinations",
        "Note:",
        "--out",
    ):
        assert part in ran.out
    assert list(people.parent.iterdir()) == [people]


def test_the_plan_is_written_and_runs(people: Path, run_cli: RunCli) -> None:
    plan = people.parent / "plan.yaml"
    ran = run_cli("inspect", people, "--out", plan)
    assert ran.code == 0
    assert f"The plan is in {plan}" in ran.out
    assert ta.run(plan, people.parent / "out", seed=1).holds


def test_a_plan_is_never_overwritten(people: Path, run_cli: RunCli) -> None:
    plan = people.parent / "plan.yaml"
    plan.write_text("mine")
    ran = run_cli("inspect", people, "--out", plan)
    assert (ran.code, ran.out) == (1, "")
    assert "exists and is kept" in ran.err
    assert plan.read_text() == "mine"


def test_a_plan_that_came_into_being_meanwhile_is_kept(
    people: Path, run_cli: RunCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = people.parent / "plan.yaml"
    from tacita.inspection.result import Inspection

    def written(*_: object) -> str:
        plan.write_text("theirs")
        return "ours"

    monkeypatch.setattr(Inspection, "plan", written)
    assert run_cli("inspect", people, "--out", plan).code == 1
    assert plan.read_text() == "theirs"
    assert sorted(people.parent.iterdir()) == [people, plan]


def test_json(people: Path, run_cli: RunCli) -> None:
    found = run_cli("inspect", people, "--json", "--combinations", "2").json
    assert found["records"] == 300
    roles = {attribute["name"]: attribute["role"] for attribute in found["attributes"]}
    assert roles["id"] == ["identifier"]
    assert max(len(one["attributes"]) for one in found["combinations"]) == 2


def test_the_layout_can_be_said(tmp_path: Path, run_cli: RunCli) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes("größe;wohnort\n1,5;Reus\n1,7;Salou\n".encode("cp1252"))
    options = ("--delimiter", ";", "--encoding", "cp1252", "--decimal", ",")
    found = run_cli("inspect", file, "--json", *options).json
    assert found["layout"] == {"delimiter": ";", "encoding": "cp1252", "decimal": ","}
    assert [attribute["kind"] for attribute in found["attributes"]] == ["continuous", "nominal"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nowhere.csv",), "There is no file"),
        (("people.csv", "--table", "people"), "`table` means nothing for a CSV file"),
        (("people.csv", "--sheet", "1"), "`sheet` means nothing for a CSV file"),
        (("people.csv", "--encoding", "klingon"), "`encoding`: expected"),
        (("people.csv", "--out", "no/such/folder/plan.yaml"), "Cannot write"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    arguments: tuple[str, ...],
    told: str,
    people: Path,
    run_cli: RunCli,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(people.parent)
    ran = run_cli("inspect", *arguments)
    assert ran.code == 1
    assert told in ran.err
    assert ran.err.count("\n") == 1
    assert list(people.parent.iterdir()) == [people]
