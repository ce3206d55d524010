"""What the README shows can be run."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.formats import write_table

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found, f"the README has no {language} block"
    return found.group(1)


@pytest.mark.no_cover  # other tests do, with fewer records
def test_the_python_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(block("python"), {})  # noqa: S102 - our own words
    assert ta.verify("out").verdict == "not proven"  # without the source, unsigned


def test_the_plan_of_the_readme_runs_and_verifies(tmp_path):
    rng = np.random.default_rng(1)
    people = {
        "ssn": [f"{i:09d}" for i in range(2000)],
        "age": rng.integers(0, 100, 2000),
        "zip": rng.choice(["02138", "02139", "94138", "94139"], 2000),
        "disease": rng.choice(["flu", "cold"], 2000),
    }
    write_table(pa.table(people), tmp_path / "patients.csv")
    (tmp_path / "plan.yaml").write_text(block("yaml"))
    ta.run(tmp_path / "plan.yaml", tmp_path / "out")
    assert ta.verify(tmp_path / "out", source=tmp_path / "patients.csv").holds
    assert "ssn" not in (tmp_path / "out/public/data.csv").read_text().splitlines()[0]


def test_its_picture_is_there():
    for path in re.findall(r"!\[.*?\]\((.*?)\)", README):
        assert (Path(__file__).parents[1] / path).is_file()
