"""`tacita scenarios`: listed, one in words, and on somebody's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tacita as ta
from tacita.cli.main import main

RUNNER = CliRunner()


def said(*words: str) -> str:
    result = RUNNER.invoke(main, ["scenarios", *words])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def file(tmp_path: Path) -> str:
    ta.example("survey", 20).write(tmp_path / "survey.csv")
    return str(tmp_path / "survey.csv")


def test_all_are_listed() -> None:
    listed = said()
    assert all(one.name in listed for one in ta.scenarios())
    assert len(json.loads(said("--json"))) == len(ta.scenarios())
    assert {row["domain"] for row in json.loads(said("health", "--json"))} == {"health"}


def test_one_is_told_in_words() -> None:
    told = said("health/voter_list")
    assert "Sweeney" in told
    assert "postcode: wrong for 10 %" in told


def test_they_are_looked_for_in_a_file(file: str) -> None:
    assert "birth_date" in said("household_survey", "--data", file)
    row = json.loads(said("household_survey/population_register", "--data", file, "--json"))[0]
    assert row["intruder"]["attributes"][:2] == ["region", "urban"]
    assert row["notes"]


def test_a_file_without_any_of_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("v1,v2\n1,2\n3,4\n")
    assert "None of what the" in said("business", "--data", str(tmp_path / "x.csv"))
    row = json.loads(said("business/competitor", "--data", str(tmp_path / "x.csv"), "--json"))[0]
    assert row["intruder"] is None


def test_a_misspelt_name_is_one_sentence() -> None:
    result = RUNNER.invoke(main, ["scenarios", "heath"])
    assert result.exit_code == 1
    assert "Did you mean `health`?" in result.stderr
