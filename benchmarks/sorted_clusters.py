"""Algorithms S2 and S4 on generated hospital discharges, each alone in a process of its own.

Timed are the clusters with their ranges (and for S4 the exact distances and repairs), the Parquet
file, and the uniqueness of the result in the semantics of fitting. The original took a Java heap of
7 GB; the bounds to keep are 30 s and 3 GB with the file written, and 60 s for the uniqueness.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import clock

WAYS = {"S2": "sorted_clusters", "S4": "close_clusters"}


def measured(chosen: argparse.Namespace) -> dict[str, dict[str, float]]:
    import tacita as ta

    ta.use_threads(chosen.threads)
    models = [ta.KAnonymity(chosen.k)]
    if chosen.way == "S4":
        models.append(ta.TCloseness(chosen.t, "charge"))
    ta.example("patients", 100).anonymize(*models, by=WAYS[chosen.way])  # the kernels are loaded
    data, held = ta.example("patients", chosen.records), {}

    def protect() -> None:
        held["safe"] = data.anonymize(*models, by=WAYS[chosen.way])

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "safe.parquet"
        rows = {"protect": clock(protect), "write": clock(lambda: held["safe"].write(file))}
        rows["file"] = {"mb": file.stat().st_size / 1e6}
    rows["fitting"] = clock(lambda: ta.FittingUniqueness().measure(data, held["safe"]))
    return rows


def show(way: str, rows: dict[str, dict[str, float]]) -> None:
    size = rows.pop("file")["mb"]
    for stage, row in rows.items():
        print(f"{way} {stage:<10}{row['wall']:>10.2f}{row['cpu']:>10.2f}{row['peak_mb']:>10.0f}")
    together = [rows[stage] for stage in ("protect", "write")]
    wall, cpu = (sum(row[of] for row in together) for of in ("wall", "cpu"))
    peak = max(row["peak_mb"] for row in together)
    print(f"{way} with file {wall:>9.2f}{cpu:>10.2f}{peak:>10.0f}   (Parquet {size:.0f} MB)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=3_985_166)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--t", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        print(json.dumps(measured(given)))
        sys.exit()
    print(f"{'':<13}{'wall s':>10}{'CPU s':>10}{'peak MB':>10}")
    for way in WAYS:
        command = [sys.executable, __file__, *sys.argv[1:], "--way", way]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        show(way, json.loads(done.stdout.splitlines()[-1]))
