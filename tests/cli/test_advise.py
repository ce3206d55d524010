"""`tacita advise`: a table and a plan for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacita as ta

RunCli = Callable[..., Any]
LINKED = "distance_linkage: {at_most: 0.2}"


@pytest.fixture
def census(tmp_path: Path) -> Path:
    file = tmp_path / "census.csv"
    data = ta.example("census", 80)
    data.without(
        [name for name in data.names if name not in ("wage", "benefits", "interest")]
    ).write(file)
    return file


def test_a_plan_is_written_and_runs(run_cli: RunCli, census: Path) -> None:
    plan, drawing = census.parent / "plan.yaml", census.parent / "map.svg"
    options = ["--role", "wage=key", "--role", "benefits=key", "--require", LINKED, "--trials", 15]
    ran = run_cli("advise", census, *options, "--out", plan, "--map", drawing)
    assert ran.code == 0
    assert "Recommended is" in ran.out
    assert "15 trials" in ran.out
    assert drawing.read_text(encoding="utf-8").startswith("<svg")
    assert ta.read_plan(plan).requirements[0].to_plan() == {"distance_linkage": {"at_most": 0.2}}
    again = run_cli("advise", census, "--out", plan)
    assert again.code == 1
    assert "exists and is kept" in again.err


def test_json_for_programs(run_cli: RunCli, census: Path) -> None:
    ran = run_cli(
        "advise", census, "--role", "wage=key", "--require", LINKED, "--trials", 8, "--json"
    )
    assert ran.code == 0
    assert ran.json["holds"]
    assert ran.json["trials"] == 8
    assert ran.json["plan"][-1] == {"shuffle_records": {}}


def test_what_cannot_be_met_leaves_no_plan(run_cli: RunCli, census: Path) -> None:
    plan = census.parent / "plan.yaml"
    ran = run_cli(
        "advise",
        census,
        "--role",
        "wage=key",
        "--require",
        "il1s: {at_most: 0}",
        "--require",
        "distance_linkage: {at_most: 0}",
        "--trials",
        3,
        "--out",
        plan,
    )
    assert ran.code == 1
    assert "The nearest is" in ran.out
    assert not plan.exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--role", "wage"], "like age=key"),
        (["--require", "{"], "as plans say it"),
        (["--require", "k_anonimity: 5"], "k_anonymity"),
        (["--role", "wages=key"], "wages"),
        (["--require", "distance_linkage: {at_most: 5}"], "For 5 % say 0.05"),
        (["--require", "distance_linkage: {at_most: -1}"], "between 0 and 1"),
        (["--intruder", "{"], "`--intruder` should be as plans say it"),
        (["--intruder", ""], "`--intruder` should be as plans say it"),
        (["--intruder", "health/neighbor"], "Did you mean `neighbour`"),
        (["--intruder", "attributes: [wages]"], "wages"),
    ],
)
def test_mistakes_are_told(run_cli: RunCli, census: Path, options: list[str], told: str) -> None:
    ran = run_cli("advise", census, *options)
    assert ran.code == 1
    assert told in ran.err


WHO = "{attributes: [wage, benefits], respondents: 0.9}"


def test_advice_is_for_an_intruder(run_cli: RunCli, census: Path) -> None:
    plan = census.parent / "plan.yaml"
    asked = ["--require", LINKED, "--intruder", WHO, "--trials", 15]
    ran = run_cli("advise", census, *asked, "--out", plan)
    assert ran.code == 0
    held = "Risks are those of an intruder who holds wage, benefits of 90 % of the respondents."
    assert held in " ".join(ran.out.split())
    carried = ta.read_plan(plan).intruder
    assert carried == ta.Intruder(["wage", "benefits"], respondents=0.9)
    done = run_cli("run", plan, "--out", census.parent / "out", "--seed", 1, "--json")
    assert done.code == 0
    assert done.json["intruder"] == carried.to_plan()


def test_a_plan_is_advised_on_for_its_own_intruder(run_cli: RunCli, census: Path) -> None:
    plan, out = census.parent / "given.yaml", census.parent / "advised.yaml"
    plan.write_text(
        "data: {source: census.csv, attributes: {wage: key, benefits: key, interest: "
        f"confidential}}}}\nmicrodata:\n  intruder: {WHO}\n  require: [{LINKED}]\n"
    )
    ran = run_cli("advise", plan, "--trials", 15, "--out", out, "--json")
    assert ran.code == 0
    assert ran.json["requirements"] == [{"distance_linkage": {"at_most": 0.2}}]
    assert ran.json["intruder"] == {"attributes": ["wage", "benefits"], "respondents": 0.9}
    assert ta.read_plan(out).intruder == ta.read_plan(plan).intruder
    elsewhere = census.parent / "folder"
    elsewhere.mkdir()
    refused = run_cli("advise", plan, "--out", elsewhere / "plan.yaml")
    assert refused.code == 1
    assert "names the same files as the plan does" in refused.err
