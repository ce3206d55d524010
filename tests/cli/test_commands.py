"""The commands that outside checks call, and what they leave on disk."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command

import tacita as ta
from tacita.cli.main import main
from tacita.method import TableKind
from tacita.registry import methods

RunCli = Callable[..., Any]

SEED = 918273645
# The plan of the design page, without the methods that are still to come.
PLAN = """\
# Kept in the house: ward 7.
data:
  source: hospital-7f3a.csv
  attributes:
    ssn:     {role: identifier}
    age:     {role: key, kind: continuous}
    zip:     {role: key, hierarchy: {prefix: 5}}
    disease: {role: confidential, kind: nominal}
microdata:
  steps:
    - top_code: {attribute: age, above: 85}
    - anonymize: {to: [{k_anonymity: 5}]}
  require:
    - k_anonymity: 5
"""
# The same with everything that draws at random, into another format.
RANDOM = (
    PLAN.replace("{to: [{k_anonymity: 5}]}", "{to: [{k_anonymity: 5}], suppression_limit: 0.3}")
    .replace("  steps:\n", "  steps:\n    - sample: {fraction: 0.5}\n    - pseudonymize: ssn\n")
    .replace("microdata:", "release: {format: parquet}\nmicrodata:")
)
PUBLIC = {"data.csv", "manifest.json", "statement.json", "report.html", "report.pdf"}
INTERNAL = {
    "evidence.json",
    "manifest.json",
    "plan.yaml",
    "records.parquet",
    "report.html",
    "report.pdf",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the design page's patients and plan; tests write beside them."""
    folder = tmp_path_factory.mktemp("ward")
    rng = np.random.default_rng(4)
    ages, zips = rng.choice([31, 57, 86, 93], 200), rng.choice(["94138", "94141", "02139"], 200)
    rows = zip(rng.permutation(200), ages, zips, rng.choice(["flu", "HIV"], 200), strict=True)
    lines = [f"{700_000_000 + ssn},{age},{code},{disease}" for ssn, age, code, disease in rows]
    (folder / "hospital-7f3a.csv").write_text("\n".join(["ssn,age,zip,disease", *lines, ""]))
    (folder / "plan.yaml").write_text(PLAN)
    (folder / "random.yaml").write_text(RANDOM)
    return folder


@pytest.fixture(scope="module")
def released(folder: Path) -> Path:
    """A release of the plan, made by the Python interface."""
    ta.run(folder / "plan.yaml", folder / "released", seed=SEED)
    return folder / "released"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def header_and_rows(release: Path) -> tuple[str, list[str]]:
    header, *rows = (release / "public" / "data.csv").read_text().splitlines()
    return header, rows


# -- tacita methods --------------------------------------------------------------------------------


def every_command(command: Any) -> Iterator[Any]:
    yield command
    for below in getattr(command, "commands", {}).values():
        yield from every_command(below)


def test_no_help_has_words_in_brackets_that_would_be_taken_for_colours():
    helps = [
        getattr(said, "help", None) or ""
        for command in every_command(get_command(main))
        for said in (command, *command.params)
    ]
    assert len(helps) > 100
    assert [one for one in helps if re.search(r"\[[a-z#/@]", one)] == []


def test_methods_as_json(run_cli: RunCli):
    ran = run_cli("methods", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert [row["name"] for row in ran.json] == list(methods())
    kinds = {kind.value for kind in (*ta.Kind, *TableKind)}
    for row in ran.json:
        assert {"name", "family", "applies_to", "parameters", "reference"} <= set(row)
        assert row["family"] in {
            "masking", "synthesis", "anonymization", "model", "risk", "utility", "attack",
            "rule", "protection", "perturbation", "table risk", "table utility", "table attack",
            "policy", "query attack",
        }  # fmt: skip
        assert row["applies_to"]
        assert set(row["applies_to"]) <= kinds
        assert isinstance(row["parameters"], dict)
        assert row["reference"]


def test_methods_for_people(run_cli: RunCli):
    ran = run_cli("methods")
    assert (ran.code, ran.err) == (0, "")
    assert all(name in ran.out for name in methods())


def test_one_method_with_its_parameters(run_cli: RunCli):
    ran = run_cli("methods", "k_anonymity")
    assert (ran.code, ran.err) == (0, "")
    assert "The least number of records in a class" in ran.out
    assert "Samarati" in ran.out
    one = run_cli("methods", "k_anonymity", "--json").json
    assert one["parameters"]["k"]["required"] is True


# -- tacita run ------------------------------------------------------------------------------------


def test_run_as_json(run_cli: RunCli, folder: Path):
    out = folder / "json"
    ran = run_cli("run", folder / "plan.yaml", "--out", out, "--seed", SEED, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["requirements_hold"] is True
    assert ran.json["records"] == {"original": 200, "protected": 200}
    (requirement,) = ran.json["requirements"]
    assert requirement["requirement"] == {"k_anonymity": {"k": 5}}
    assert requirement["holds"] is True
    assert {row["name"] for row in ran.json["measures"]} >= {"uniqueness", "exact_linkage"}
    assert Path(ran.json["public"]) == out / "public"
    assert Path(ran.json["internal"]) == out / "internal"


def test_run_for_people(run_cli: RunCli, folder: Path):
    out = folder / "people"
    ran = run_cli("run", folder / "plan.yaml", "--out", out, "--seed", SEED)
    assert (ran.code, ran.err) == (0, "")
    assert "200 records in, 200 records out." in ran.out
    assert "holds" in ran.out
    assert "exact_linkage" in ran.out
    assert str(out / "public") in ran.out
    assert (out / "internal" / "report.html").is_file()
    assert "\x1b" not in ran.out, "colours where no terminal is"


def test_the_example_of_the_design_page_does_what_it_says(released: Path):
    header, rows = header_and_rows(released)
    assert header == "age,zip,disease"
    assert len(rows) == 200
    assert {row.split(",")[0] for row in rows} == {"31", "57", "85"}
    keys = [row.rpartition(",")[0] for row in rows]
    assert min(keys.count(key) for key in keys) >= 5


def test_a_release_holds_the_documented_files_and_no_others(released: Path):
    assert names(released) == {"public", "internal"}
    assert names(released / "public") == PUBLIC
    assert names(released / "internal") == INTERNAL
    assert (released / "internal" / "plan.yaml").read_text() == PLAN


def test_a_release_in_another_format(run_cli: RunCli, folder: Path):
    out = folder / "random"
    ran = run_cli("run", folder / "random.yaml", "--out", out, "--seed", SEED)
    assert (ran.code, ran.err) == (0, "")
    assert names(out / "public") == PUBLIC - {"data.csv"} | {"data.parquet"}


@pytest.mark.parametrize(("plan", "data"), [("plan", "data.csv"), ("random", "data.parquet")])
def test_command_line_and_python_release_the_same_data(
    run_cli: RunCli, folder: Path, plan: str, data: str
):
    one, other = folder / f"{plan}-cli", folder / f"{plan}-python"
    file = folder / f"{plan}.yaml"
    assert run_cli("run", file, "--out", one, "--seed", SEED).code == 0
    outcome = ta.run(file, other, seed=SEED)
    assert (one / "public" / data).read_bytes() == (other / "public" / data).read_bytes()
    assert outcome.protected.to_arrow().num_rows == len(outcome.protected)


def test_an_earlier_release_becomes_a_version(run_cli: RunCli, folder: Path):
    out = folder / "again"
    assert run_cli("run", folder / "random.yaml", "--out", out, "--seed", SEED).code == 0
    assert run_cli("run", folder / "plan.yaml", "--out", out, "--seed", SEED).code == 0
    assert names(out / "public") == PUBLIC
    earlier = names(out / "versions/1/public")
    assert earlier - PUBLIC == {"data.parquet"}
    assert len(earlier) == len(PUBLIC)
    assert not list(folder.glob(".again.*"))


def test_what_fails_a_requirement_is_written_only_by_force_and_says_so(
    run_cli: RunCli, folder: Path
):
    plan, out = folder / "strict.yaml", folder / "strict"
    plan.write_text(PLAN.replace("    - k_anonymity: 5", "    - k_anonymity: 500"))
    refused = run_cli("run", plan, "--out", out, "--json")
    assert (refused.code, out.exists()) == (1, False)
    assert refused.json["requirements_hold"] is False
    assert [row["holds"] for row in refused.json["requirements"]] == [False]
    assert refused.err.startswith("tacita: Nothing was released: ")
    forced = run_cli("run", plan, "--out", out, "--force", "--json")
    assert forced.code == 0
    assert forced.json["requirements_hold"] is False
    for file in ("public/statement.json", "internal/evidence.json"):
        assert json.loads((out / file).read_text())["requirements_hold"] is False
    assert json.loads((out / "public" / "statement.json").read_text())["guarantees"] == []
    assert "FAILS" in run_cli("run", plan, "--out", out, "--force").out


def test_without_a_seed_every_run_draws_its_own(run_cli: RunCli, folder: Path):
    seeds = set()
    for name in ("fresh-1", "fresh-2"):
        assert run_cli("run", folder / "plan.yaml", "--out", folder / name).code == 0
        evidence = json.loads((folder / name / "internal" / "evidence.json").read_text())
        seeds.add(evidence["seed"])
    assert len(seeds) == 2
    assert min(seeds) > 2**64, "a seed that can be guessed"


# -- nothing secret in public ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def secrets_of(folder: Path) -> dict[str, set[str]]:
    """What an intruder would like to find in the public folder of a release."""
    ta.run(folder / "random.yaml", folder / "secret", seed=SEED)
    evidence = json.loads((folder / "secret" / "internal" / "evidence.json").read_text())
    people = (folder / "hospital-7f3a.csv").read_text().splitlines()[1:]
    return {
        "seed": {str(SEED), *(str(step["seed"]) for step in evidence["steps"])},
        "key and hash of the input": set(evidence["run"]["input"].values()),
        "plan": {"ward 7", "plan.yaml", "random.yaml"},
        "source": {"hospital-7f3a", str(folder)},
        "identifiers": {line.partition(",")[0] for line in people},
    }


@pytest.mark.parametrize(
    "what", ["seed", "key and hash of the input", "plan", "source", "identifiers"]
)
def test_nothing_secret_is_public(folder: Path, secrets_of: dict[str, set[str]], what: str):
    for file in (folder / "secret" / "public").iterdir():
        text = file.read_bytes().decode("utf-8", "replace")
        assert not [secret for secret in secrets_of[what] if secret in text], file.name


def test_nothing_secret_is_printed_in_public(
    folder: Path, secrets_of: dict[str, set[str]], need: Callable[[str], str]
):
    file = folder / "secret" / "public" / "report.pdf"
    shown = subprocess.run([need("pdftotext"), file, "-"], capture_output=True, check=True)
    text = shown.stdout.decode() + shown.stdout.decode().replace("\n", "")
    every = set().union(*secrets_of.values())
    assert not [secret for secret in every if secret in text]


def test_what_is_secret_is_kept_in_the_house(folder: Path, secrets_of: dict[str, set[str]]):
    evidence = (folder / "secret" / "internal" / "evidence.json").read_text()
    for what in ("seed", "key and hash of the input"):
        assert all(secret in evidence for secret in secrets_of[what])


# -- tacita verify ---------------------------------------------------------------------------------


def statuses(verified: dict[str, Any]) -> set[str]:
    return {line["how"] for line in verified["lines"]}


def test_verify_with_the_source_derives_everything_again(
    run_cli: RunCli, folder: Path, released: Path
):
    source = folder / "hospital-7f3a.csv"
    ran = run_cli("verify", released, "--source", source, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["verdict"] == "holds"
    assert {"what", "how", "sentence"} == set(ran.json["lines"][0])
    assert statuses(ran.json) == {"re-derived"}
    assert "source" in {line["what"] for line in ran.json["lines"]}


@pytest.mark.parametrize("part", ["", "public"], ids=["the release", "the public folder"])
def test_verify_without_the_source_says_what_is_not_proven(
    run_cli: RunCli, released: Path, part: str
):
    ran = run_cli("verify", released / part, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert statuses(ran.json) == {"re-derived", "not proven"}
    assert run_cli("verify", released / part, "--strict").code == 1
    status = {line["what"].split(" ")[0]: line["how"] for line in ran.json["lines"]}
    assert status["file"] == status["k_anonymity"] == status["uniqueness"] == "re-derived"
    assert status["top_code"] == status["exact_linkage"] == "not proven"


def test_verify_a_public_folder_alone_and_elsewhere(
    run_cli: RunCli, released: Path, tmp_path: Path
):
    shutil.copytree(released / "public", tmp_path / "download")
    ran = run_cli("verify", tmp_path / "download", "--json")
    assert (ran.code, ran.json["verdict"]) == (0, "not proven")


def test_verify_for_people(run_cli: RunCli, released: Path):
    ran = run_cli("verify", released)
    assert (ran.code, ran.err) == (0, "")
    assert "re-derived" in ran.out
    assert "Nothing is wrong, but" in ran.out
    assert "are not proven by what is at hand" in ran.out


def test_a_signed_release_is_attested_without_its_source(run_cli: RunCli, folder: Path):
    assert run_cli("keys", "make", folder / "office").code == 0
    private, public = folder / "office.pem", folder / "office.pub.pem"
    name = run_cli("keys", "name", public).out.strip()
    out = folder / "signed"
    assert run_cli("run", folder / "plan.yaml", "--out", out, "--sign", private).code == 0
    ran = run_cli("verify", out / "public", "--key", public, "--strict", "--json")
    assert (ran.code, ran.json["verdict"]) == (0, "holds")
    assert statuses(ran.json) == {"re-derived", "attested"}
    (line,) = [line for line in ran.json["lines"] if line["what"] == "signature"]
    assert name[:16] in line["sentence"]
    again = run_cli("keys", "make", folder / "office")
    assert (again.code, "keys are never overwritten" in again.err) == (1, True)


def test_verify_random_masking_with_the_source(run_cli: RunCli, folder: Path):
    out = folder / "verified"
    assert run_cli("run", folder / "random.yaml", "--out", out).code == 0
    ran = run_cli("verify", out, "--source", folder / "hospital-7f3a.csv", "--json")
    assert (ran.code, statuses(ran.json)) == (0, {"re-derived"})


# -- tacita demo -----------------------------------------------------------------------------------


def test_demo_as_json_and_for_people(run_cli: RunCli, tmp_path: Path):
    ran = run_cli("demo", "--out", tmp_path / "demo", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["requirements_hold"] is True
    assert ran.json["records"]["original"] == 20_000
    assert names(tmp_path / "demo" / "public") == PUBLIC | {"tables"}
    assert names(tmp_path / "demo" / "internal") == INTERNAL | {"tables"}
    assert [(table["name"], table["safe"]) for table in ran.json["tables"]] == [("charges", True)]
    verified = run_cli("verify", tmp_path / "demo", "--json")
    assert verified.code == 0
    assert "wrong" not in statuses(verified.json)
    again = run_cli("demo", "--out", tmp_path / "demo")
    assert (again.code, again.err) == (0, "")
    assert "20,000 records in" in again.out
    assert "charges" in again.out


# -- as a process ----------------------------------------------------------------------------------


def test_the_installed_command_runs_from_anywhere_and_is_quiet(folder: Path, tmp_path: Path):
    command = [Path(sys.executable).with_name("tacita"), "run", folder / "plan.yaml", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert Path(json.loads(ran.stdout)["public"]) == Path("out", "public")
    assert names(tmp_path / "out" / "public") == PUBLIC
