"""Verifying a release: with its source against the run it checks, and without.

The same plan on generated discharges of patients: the run, `tacita verify --source`, which makes
every file of the release again, and `tacita verify`, which makes again what the files themselves
show; and the same of a release of few records, which is the start alone. Each in a process of its
own, with Python's own start, after one that compiled what is imported. Asked: at most 1.3 times the
run with the source, at most 2 seconds without for 100,000 records.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tacita as ta

PLAN = """
data:
  source: patients.csv
  attributes:
    oshpd_id: identifier
    age_yrs: {role: key, hierarchy: {intervals: {widths: [5, 10, 20, 40]}}}
    patzip: {role: key, hierarchy: {prefix: 5}}
    sex: key
    race: key
    diag_p: {role: confidential, kind: nominal}
  undeclared: keep
microdata:
  steps:
    - anonymize: {to: {k_anonymity: 5}, suppression_limit: 0.04}
  require:
    - k_anonymity: 5
"""


FEW = 100  # records of which a release takes no time but that of its start


def main() -> None:
    """Print seconds and ratios."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--records", type=int, default=100_000)
    records = options.parse_args().records
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        many, few = _prepared(folder / "many", records), _prepared(folder / "few", FEW)
        # What starts first compiles what is imported, once after an installation.
        _alone(folder, "run", few / "plan.yaml", "--out", few / "out")
        _alone(folder, "verify", few / "out")
        source = ("--source", many / "patients.csv")
        rows = {
            "start": _alone(folder, "verify", few / "out"),
            "run": _alone(folder, "run", many / "plan.yaml", "--out", many / "out"),
            "source": _alone(folder, "verify", many / "out", *source),
            "alone": _alone(folder, "verify", many / "out"),
        }
    for work, row in rows.items():
        print(f"{work:>8} {row['wall']:7.2f} s {row['cpu']:7.2f} CPU s")
    ratio = {unit: rows["source"][unit] / rows["run"][unit] for unit in ("wall", "cpu")}
    print(f"with the source {ratio['wall']:.2f}x the run ({ratio['cpu']:.2f}x CPU), asked 1.3")
    print(f"without {rows['alone']['wall']:.2f} s, asked 2; {rows['start']['wall']:.2f} s of a few")


def _prepared(folder: Path, records: int) -> Path:
    """Return a folder with records and a plan."""
    folder.mkdir()
    ta.example("patients", records).write(folder / "patients.csv")
    (folder / "plan.yaml").write_text(PLAN)
    return folder


def _alone(folder: Path, *command: object) -> dict[str, float]:
    """Run a command of `tacita` as a person does, with its start."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tacita.cli", *map(str, command)],
        env=environment, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": wall, "cpu": cpu}


if __name__ == "__main__":
    main()
