"""The other process is handed no secret, and whatever keeps it from answering refuses a release."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest
import yaml

import tacita as ta
from tacita.errors import RequirementError
from tacita.release import release as releasing
from tacita.release.red_team import process
from tacita.release.red_team.secrets import hidden

from .conftest import IDENTIFIER, NAME, PLAN, SEED, records

SPY = """#!{python}
import json, os, sys
request = sys.stdin.read()
told = dict(os.environ, argv=sys.argv, request=request, cwd=os.getcwd())
open({log!r}, "w").write(json.dumps(told))
print(json.dumps({{"findings": []}}))
"""


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "patients-2031.csv").write_text("\n".join(records()) + "\n")
    (tmp_path / "plan.yaml").write_text(PLAN.replace("FORMAT", "csv"))
    return tmp_path / "plan.yaml"


def run(plan, **options):
    return ta.run(plan, plan.parent / "out", seed=SEED, **options)


def program(path, text):
    path.write_text(text)
    path.chmod(stat.S_IRWXU)
    return str(path)


def evidence_of(plan):
    return json.loads((plan.parent / "out" / "internal" / "evidence.json").read_text())


def leak(monkeypatch, text):
    """Let the report of every release hold a text."""
    real = releasing.write_report

    def leaking(report, folder):
        real(report, folder)
        with (folder / "report.html").open("a", encoding="utf-8") as file:
            file.write(text)

    monkeypatch.setattr(releasing, "write_report", leaking)


def test_nothing_secret_is_handed_over(plan, tmp_path, monkeypatch):
    log = tmp_path / "log.json"
    spy = program(tmp_path / "spy", SPY.format(python=sys.executable, log=str(log)))
    monkeypatch.setattr(process.sys, "executable", spy)
    monkeypatch.setenv("PASSWORD", "hunter2")
    run(plan)
    told = json.loads(log.read_text())
    assert told.pop("argv")[1:] == ["-I", "-X", "utf8", "-c", process.PROGRAM]
    assert told.pop("cwd").endswith("/public")
    request = json.loads(told.pop("request"))
    assert set(told) <= {"LC_CTYPE", "__CF_USER_TEXT_ENCODING"}  # which the system sets by itself
    evidence = evidence_of(plan)
    for secret in (IDENTIFIER, NAME, str(SEED), evidence["run"]["input"]["key"], "patients-2031"):
        assert secret.lower() not in json.dumps(request).lower()
    assert all(len(hashed) == 24 for each in request["hashes"].values() for hashed in each)
    assert len(request["hashes"]["words"]) > 60


def test_two_requests_have_nothing_in_common():
    tokens = {"words": {"anna maria schmidt": "a secret"}}
    one, other = (process.request_for([], tokens)["hashes"]["words"] for _ in range(2))
    assert not set(one) & set(other)


@pytest.mark.parametrize(
    "canary",
    [IDENTIFIER, NAME, str(SEED), "patients-2031.csv", "KEY", "STEP", "PLACE"],
)
def test_a_leak_refuses_the_release(canary, plan, monkeypatch):
    if canary in {"KEY", "STEP"}:
        leak_of_run(monkeypatch, canary)
    else:
        leak(
            monkeypatch,
            f"<p>{plan.parent / 'patients-2031.csv' if canary == 'PLACE' else canary}</p>",
        )
    with pytest.raises(
        RequirementError, match=r"`public/report.html`, the text: it holds"
    ) as caught:
        run(plan)
    assert canary not in str(caught.value)
    assert not (plan.parent / "out").exists()
    assert {path.name for path in plan.parent.iterdir()} == {"plan.yaml", "patients-2031.csv"}


def leak_of_run(monkeypatch, which):
    real = releasing.write_files

    def leaking(outcome, folder, seed, run_block, tell=lambda _: None):
        real(outcome, folder, seed, run_block, tell)
        text = run_block["input"]["key"] if which == "KEY" else str(outcome.steps[0].seed)
        with (folder / "public" / "report.html").open("a", encoding="utf-8") as file:
            file.write(f"<p>{text}</p>")

    monkeypatch.setattr(releasing, "write_files", leaking)


def test_force_writes_and_the_evidence_says_so(plan, monkeypatch):
    leak(monkeypatch, IDENTIFIER)
    run(plan, force=True)
    said = evidence_of(plan)["run"]["red_team"]
    assert (
        said == ["`public/report.html`, the text: it holds a value of an identifier."]
        or len(said) > 1
    )
    assert ta.verify(plan.parent / "out", source=plan.parent / "patients-2031.csv")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import sys; sys.exit(3)", "code 3"),
        ("import os; os.kill(os.getpid(), 9)", "code -9"),
        ("print('what?')", "cannot be read"),
        ("print('{}')", "cannot be read"),
        ('print(\'{"failed": "KeyError in texts, line 3"}\')', "KeyError in texts"),
        ("import time; time.sleep(60)", "more than"),
    ],
)
def test_a_red_team_that_does_not_answer_refuses(text, reason, plan, tmp_path, monkeypatch):
    monkeypatch.setattr(process, "PROGRAM", text)
    monkeypatch.setattr(process, "TIME_LIMIT", 1.0 if "sleep" in text else 60.0)
    before = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(RequirementError, match=f"did not finish.*{reason}"):
        run(plan)
    assert {path.name for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("executable", ["", "/there/is/no/python"])
def test_a_process_that_cannot_be_started_refuses(executable, plan, monkeypatch):
    monkeypatch.setattr(process.sys, "executable", executable)
    with pytest.raises(RequirementError, match="did not finish"):
        run(plan)
    assert not (plan.parent / "out").exists()


def test_the_other_process_imports_little(house, release_of):
    program = process.LOOK + ";print(sorted(n for n in sys.modules if n.startswith('tacita.')))"
    request = process.request_for([], {}) | {"public": str(release_of("csv") / "public")}
    out = subprocess.run(
        [sys.executable, "-I", "-c", program.replace("main(r)", "0")],
        input=json.dumps(request).encode(), capture_output=True, env={}, check=True,
    ).stdout.decode()  # fmt: skip
    assert set(yaml.safe_load(out)) == {
        "tacita.exports", "tacita.release", "tacita.release.red_team",
        "tacita.release.red_team.looking", "tacita.release.red_team.tokens",
    }  # fmt: skip


def test_looking_loads_neither_a_compiler_nor_frames(release_of):
    """They would take most of its time, for files that people make by hand at least."""
    program = process.LOOK + ";print({'numba', 'pandas'} & {*sys.modules})"
    request = process.request_for([], {}) | {"public": str(release_of("csv") / "public")}
    out = subprocess.run(
        [sys.executable, "-I", "-c", program],
        input=json.dumps(request).encode(), capture_output=True, env={}, check=True,
    ).stdout.decode()  # fmt: skip
    assert out == '{"findings": []}set()\n'


def test_what_a_release_shows_on_purpose_is_no_secret(plan):
    outcome = ta.run(plan, plan.parent / "out", seed=SEED)
    key = {"input": {"key": os.urandom(32).hex(), "hmac_sha256": os.urandom(32).hex()}}
    secrets = hidden(outcome, SEED, key, ["data.csv"])
    assert "schiermonnikoog" in secrets["cell\0town"]
    assert not {"groningen", "assen", "leeuwarden"} & set(secrets["cell\0town"])
    assert IDENTIFIER.lower() in secrets["words"]
    assert "patients-2031.csv" in secrets["name"]


def test_how_the_process_takes_itself_apart_does_not_matter(plan, monkeypatch):
    """A library's threads that are just starting end a process by a crash after its answer."""
    crashing = "import atexit,os;atexit.register(os.abort);"
    monkeypatch.setattr(process, "PROGRAM", crashing + process.PROGRAM)
    run(plan)
    assert (plan.parent / "out" / "public" / "statement.json").exists()
