"""`tacita map`: a table for people, JSON for programs, files as asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tacita.data.examples import generate
from tacita.data.formats import write_table

RunCli = Callable[..., Any]
SWAP = "rank_swap: {attributes: [age, income], p: [5, 20]}"
MEASURED = ("--risk", "interval_disclosure: {attributes: [age]}", "--loss", "il1s")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A small file of people."""
    file = tmp_path / "people.csv"
    write_table(generate("toy", 60).table, file)
    return file


def test_a_table_is_printed_and_files_are_written(people: Path, run_cli: RunCli) -> None:
    files = [people.parent / name for name in ("map.html", "map.csv")]
    asked = [part for file in files for part in ("--out", file)]
    ran = run_cli("map", people, "--try", SWAP, *MEASURED, *asked)
    assert ran.code == 0
    for part in ("rank_swap (p 5)", "rank_swap (p 20)", "il1s", "front", str(files[0])):
        assert part in ran.out
    assert all(file.exists() for file in files)


def test_a_program_gets_json(people: Path, run_cli: RunCli) -> None:
    steps = f"[{{{SWAP}}}, {{top_code: {{attribute: age, above: 70}}}}]"
    ran = run_cli("map", people, "--try", SWAP, "--try", steps, *MEASURED, "--seed", 2, "--json")
    assert [trial["line"] for trial in ran.json["trials"]] == [
        "rank_swap",
        "rank_swap",
        "rank_swap + top_code (above 70)",
        "rank_swap + top_code (above 70)",
    ]
    assert {trial["seed"] for trial in ran.json["trials"]} == {2}


def test_keys_are_masked_where_nobody_names_attributes(people: Path, run_cli: RunCli) -> None:
    ran = run_cli("map", people, "--key", "age", "--try", "rank_swap", *MEASURED, "--json")
    (trial,) = ran.json["trials"]
    assert trial["steps"] == [{"rank_swap": {"attributes": ["age"]}}]


def test_a_plan_is_tried_beside_the_others(tmp_path: Path, run_cli: RunCli) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "data: {example: {toy: 60}}\n"
        "microdata: {steps: [top_code: {attribute: age, above: 70}, shuffle_records]}\n"
    )
    ran = run_cli("map", plan, "--try", SWAP, *MEASURED, "--json")
    assert [trial["label"] for trial in ran.json["trials"]] == [
        "top_code + shuffle_records (above 70)",
        "rank_swap (p 5)",
        "rank_swap (p 20)",
    ]
    refused = run_cli("map", plan, "--key", "age")
    assert "leave out --key" in refused.err


def test_a_plan_says_what_it_is_compared_with(tmp_path: Path, run_cli: RunCli) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "data: {example: {toy: 60}}\n"
        "microdata:\n"
        "  steps: [top_code: {attribute: age, above: 70}]\n"
        f"  compare: {{methods: [{SWAP}], risk: exact_linkage, loss: il1s, sample: 20}}\n"
    )
    found = run_cli("map", plan, "--json").json
    assert found["axes"] == {"risk": "exact_linkage", "loss": "il1s"}
    assert [trial["line"] for trial in found["trials"]] == ["top_code", "rank_swap", "rank_swap"]
    assert {trial["records"] for trial in found["trials"]} == {60}
    said = run_cli("map", plan, "--try", "shuffle: {attributes: [age]}", *MEASURED, "--json").json
    assert [trial["line"] for trial in said["trials"]] == ["top_code", "shuffle"]
    assert said["axes"]["risk"].startswith("interval_disclosure")


def test_a_plan_that_masks_until_is_no_point(tmp_path: Path, run_cli: RunCli) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "data: {example: {toy: 60}}\n"
        "microdata:\n"
        "  steps:\n"
        "    - until: {uniqueness: {at_most: 1}}\n"
        "      rounds: [top_code: {attribute: age, above: 70}]\n"
    )
    assert "no point of a map" in run_cli("map", plan).err


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--try", "{"), "as plans say it"),
        (("--try", "rank_swp"), "Did you mean `rank_swap`"),
        (("--risk", "uniqueness"), "together"),
        (("--out", "map.gif"), "found 'map.gif'"),
        (("--intruder", "{"), "`--intruder` should be as plans say it"),
        (("--intruder", "attributes: [age]"), "says itself what is `known`"),
    ],
)
def test_what_is_wrong_is_told(people: Path, run_cli: RunCli, asked: Any, told: str) -> None:
    ran = run_cli("map", people, *asked)
    assert ran.code == 1
    assert told in ran.err


@pytest.mark.parametrize("asked", [(), ("--risk", "distance_linkage", "--loss", "il1s")])
def test_risks_are_those_of_the_plans_intruder(
    people: Path, run_cli: RunCli, asked: tuple[str, ...]
) -> None:
    plan = people.parent / "plan.yaml"
    text = """
data: {source: people.csv, attributes: {age: key, income: {role: confidential, kind: continuous}}}
microdata:
  intruder: {attributes: [age], respondents: 0.5}
  steps: [{drop: [id]}]
  compare:
    methods: {rank_swap: {attributes: [age, income], p: [5, 20]}}
    risk: distance_linkage
    loss: il1s
"""
    plan.write_text(text, encoding="utf-8")
    found = run_cli("map", plan, *asked, "--json").json
    assert found["axes"]["risk"] == "distance_linkage of the intruder"
    assert 0 < max(one["risk"] for one in found["trials"]) <= 0.5
    less = run_cli("map", plan, *asked, "--intruder", "{respondents: 0.1}", "--json").json
    assert 0 < max(one["risk"] for one in less["trials"]) <= 0.1
