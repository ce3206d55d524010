"""Same plan, data and seed: the same release, whatever the number of threads."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import tacita as ta

PLAN = """\
data:
  example: {{toy: {records}}}
microdata:
  steps:
    - sample: {{fraction: 0.95}}
    - pseudonymize: id
    - anonymize: {{to: [{{k_anonymity: 3}}], suppression_limit: 0.2}}
  require:
    - k_anonymity: 3
release:
  format: {form}
"""
JSON = ("public/statement.json", "internal/evidence.json")
HTML = ("public/report.html", "internal/report.html")
RUN = re.compile(r'<section id="run">.*?</section>', re.DOTALL)
# Records enough for the kernels to share the work among threads, cut finer than usual.
MANY = 10_000
FINER = """
from importlib import import_module
from pkgutil import iter_modules
from tacita import kernels
for name in {module.name for module in iter_modules(kernels.__path__)} - {"__main__"}:
    module = import_module(f"tacita.kernels.{name}")
    for piece in {"BLOCK", "FEW", "GRAIN", "PIECE"} & set(vars(module)):
        setattr(module, piece, -(-getattr(module, piece) // 32))
"""


def written_plan(folder: Path, records: int, form: str = "csv") -> Path:
    plan = folder / f"{form}.yaml"
    plan.write_text(PLAN.format(records=records, form=form))
    return plan


def data_of(release: Path) -> bytes:
    (file,) = (release / "public").glob("data.*")
    return file.read_bytes()


def without_run(release: Path, name: str) -> Any:
    """Return a JSON file or HTML report without its `run` block, which must be there."""
    text = (release / name).read_text(encoding="utf-8")
    if name.endswith(".json"):
        said = json.loads(text)
        assert said.pop("run")
        return said
    rest, blocks = RUN.subn("", text)
    assert blocks == 1
    return rest


def assert_equal(one: Path, other: Path) -> None:
    """Compare two releases: all that is in them but for the `run` block."""
    assert data_of(one) == data_of(other)
    for name in (*JSON, *HTML):
        assert without_run(one, name) == without_run(other, name), name
    one_file, other_file = (place / "internal" / "records.parquet" for place in (one, other))
    assert pq.read_table(one_file).equals(pq.read_table(other_file))
    assert one_file.read_bytes() == other_file.read_bytes()


@pytest.fixture(scope="module", params=["csv", "parquet"])
def first(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A release of 600 records, beside its plan."""
    folder = tmp_path_factory.mktemp(request.param)
    ta.run(written_plan(folder, 600, request.param), folder / "first", seed=7)
    return folder / "first"


def plan_of(release: Path) -> Path:
    (plan,) = release.parent.glob("*.yaml")
    return plan


def test_two_runs_are_equal(first: Path, tmp_path: Path):
    ta.run(plan_of(first), tmp_path / "second", seed=7)
    assert_equal(first, tmp_path / "second")


def test_another_seed_gives_other_data(first: Path, tmp_path: Path):
    ta.run(plan_of(first), tmp_path / "other", seed=8)
    assert data_of(first) != data_of(tmp_path / "other")


def test_data_read_from_a_file_are_as_determined(first: Path, tmp_path: Path):
    (source,) = (first / "public").glob("data.*")
    plan = tmp_path / "file.yaml"
    plan.write_text(
        f"data: {{source: {source}, attributes: "
        "{id: identifier, household: household, region: key}}\n"
        "microdata: {steps: [{sample: 0.5}, {pseudonymize: id}]}\n"
    )
    for name in ("one", "other"):
        ta.run(plan, tmp_path / name, seed=7, waive="a test")
    assert_equal(tmp_path / "one", tmp_path / "other")


def started(plan: Path, out: Path, *options: str, before: str = "", **environment: str) -> Any:
    """Start a run in a process of its own, after some Python."""
    code = f"{before}\nfrom tacita.cli.main import main\nmain()"
    return subprocess.Popen(
        [sys.executable, "-c", code, "run", plan, "--out", out, "--seed", "7", *options],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: Any) -> None:
    _, err = process.communicate(timeout=900)
    assert (process.returncode, err) == (0, "")


def test_the_number_of_threads_does_not_show(tmp_path: Path):
    plan = written_plan(tmp_path, MANY)
    running = [started(plan, tmp_path / n, "--threads", n, before=FINER) for n in ("1", "2")]
    for process in running:
        finish(process)
    assert_equal(tmp_path / "1", tmp_path / "2")


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param({"NUMBA_NUM_THREADS": "1"}, id="by an environment variable"),
        pytest.param(
            {"before": "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])"},
            id="to one core",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="only on Linux"),
        ),
    ],
)
def test_a_process_that_is_held_back_gives_the_same(tmp_path: Path, limit: dict[str, str]):
    plan = written_plan(tmp_path, 600)
    process = started(plan, tmp_path / "held back", **limit)
    ta.run(plan, tmp_path / "free", seed=7)
    finish(process)
    assert_equal(tmp_path / "free", tmp_path / "held back")
