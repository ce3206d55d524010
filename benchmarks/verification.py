"""Verifying a release: with its source against the run it checks, and without.

The same plan on generated discharges of patients: the run, `tacita verify --source`, which makes
every file of the release again, and `tacita verify`, which makes again what the files themselves
show. Each in a process of its own. Asked: at most 1.3 times the run with the source, at most 2
seconds without for 100,000 records.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import tacita as ta
from measuring import clock

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


def main() -> None:
    """Print seconds and ratios."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--records", type=int, default=100_000)
    options.add_argument("--work", choices=["run", "source", "alone"], help=argparse.SUPPRESS)
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.work:
        print(json.dumps(_measured(given.work, given.folder)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        ta.example("patients", given.records).write(folder / "patients.csv")
        (folder / "plan.yaml").write_text(PLAN)
        rows = {work: _alone(work, folder) for work in ("run", "source", "alone")}
    for work, row in rows.items():
        print(f"{work:>8} {row['wall']:7.2f} s {row['cpu']:7.2f} CPU s {row['peak_mb']:7.0f} MB")
    ratio = {unit: rows["source"][unit] / rows["run"][unit] for unit in ("wall", "cpu")}
    print(f"with the source {ratio['wall']:.2f}x the run ({ratio['cpu']:.2f}x CPU), asked 1.3")
    print(f"without {rows['alone']['wall']:.2f} s, asked 2")


def _alone(work: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--work", work, "--folder", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return row


def _measured(work: str, folder: Path) -> dict[str, float]:
    out, source = folder / "out", folder / "patients.csv"
    if work == "run":
        return clock(lambda: ta.run(folder / "plan.yaml", out, seed=2**80))
    expected = "holds" if work == "source" else "not proven"

    def verify() -> None:
        found = ta.verify(out, source=source if work == "source" else None)
        assert found.verdict == expected, str(found)

    return clock(verify)


if __name__ == "__main__":
    main()
