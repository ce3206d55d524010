"""Running contenders, each alone in a process of its own, and printing them side by side."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable


def clock(work: Callable[[], object]) -> dict[str, float]:
    """Run some work once: wall seconds, CPU seconds, and the process's peak memory in MB."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    begun = time.perf_counter()
    work()
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": wall, "cpu": cpu, "peak_mb": after.ru_maxrss / 1024}


def best(rows: list[dict[str, float]]) -> dict[str, float]:
    """Return the best time of several runs and the highest peak."""
    return {
        "wall": min(row["wall"] for row in rows),
        "cpu": min(row["cpu"] for row in rows),
        "peak_mb": max(row["peak_mb"] for row in rows),
    }


def race(
    script: str,
    contenders: dict[str, Callable[[argparse.Namespace], Callable[[], object]]],
    parser: argparse.ArgumentParser,
    repeats: int = 5,
) -> None:
    """Let contenders do the same work, each in a fresh process, and print the ratios.

    A contender is a function that prepares (not timed) and returns the work (timed, best of some).
    The first contender is ours.
    """
    parser.add_argument("--contender", choices=contenders, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.contender:
        work = contenders[chosen.contender](chosen)
        print(json.dumps(best([clock(work) for _ in range(repeats)])))
        return
    rows = {name: _alone(script, name) for name in contenders}
    show(rows)


def _alone(script: str, contender: str) -> dict[str, float]:
    command = [sys.executable, script, *sys.argv[1:], "--contender", contender]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return row


def show(rows: dict[str, dict[str, float]]) -> None:
    """Print the contenders and the ratio of ours, the first, to the fastest other."""
    print(f"{'':<16}{'wall s':>10}{'CPU s':>10}{'peak MB':>10}")
    for name, row in rows.items():
        print(f"{name:<16}{row['wall']:>10.3f}{row['cpu']:>10.3f}{row['peak_mb']:>10.0f}")
    ours, *others = rows.values()
    for measure in ("wall", "cpu"):
        ratio = ours[measure] / min(other[measure] for other in others)
        print(f"ratio to the fastest other, {measure}: {ratio:.2f}")
