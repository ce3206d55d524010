"""Rounding and recoding against NumPy doing the same passes, in turns in one process.

    python benchmarks/masking_rounding.py [--records 4000000]

NumPy starts from an array and ends with an array of numbers or labels; Tacita starts from a data
set and ends with one. The bounds to keep are 1.5 times NumPy, and 3 times the columns touched
(before and after) as the memory that a step needs, which is measured in a process of its own.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from measuring import clock

REPEATS = 9
BREAKS = [5_000.0, 10_000.0, 20_000.0, 40_000.0, 80_000.0]
POINTS = np.array([5_000.0, 15_000.0, 30_000.0, 60_000.0, 120_000.0])
MIDDLES = (POINTS[1:] + POINTS[:-1]) / 2
WIDTH = 20_000
GROUPS = {"low": ["a", "b", "c"], "high": ["d", "e", "f", "g"]}
Work = Callable[[], object]


def intervals(bounds: np.ndarray) -> np.ndarray:
    """Name the intervals between bounds."""
    inner = [f"[{low:g},{high:g})" for low, high in pairwise(bounds)]
    return np.array([f"<{bounds[0]:g}", *inner, f">={bounds[-1]:g}"])


def cut(values: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    return intervals(bounds)[np.searchsorted(bounds, values, side="right")]


def evenly(values: np.ndarray) -> np.ndarray:
    steps = np.floor(values / WIDTH).astype(np.int64)
    lows = np.arange(steps.min(), steps.max() + 1)
    names = np.array([f"[{low * WIDTH},{(low + 1) * WIDTH})" for low in lows])
    return names[steps - lows[0]]


def by_quantiles(values: np.ndarray) -> np.ndarray:
    ascending = np.sort(values)
    return cut(values, ascending[np.arange(1, 5) * len(values) // 5])


def by_classes(values: np.ndarray) -> np.ndarray:
    low, high = values.min(), values.max()
    return cut(values, low + np.arange(1, 5) * (high - low) / 5)


def merged(values: np.ndarray) -> np.ndarray:
    for new, old in GROUPS.items():
        values = np.where(np.isin(values, old), new, values)
    return values


def cases() -> dict[str, tuple[str, dict[str, Any], Callable[[np.ndarray], np.ndarray]]]:
    """Return for each case our method, its parameters, and NumPy's way."""
    return {
        "round, base": ("RoundValues", {"base": 0.05}, lambda x: np.floor(x / 0.05 + 0.5) * 0.05),
        "round, points": (
            "RoundValues",
            {"points": POINTS},
            lambda x: POINTS[np.searchsorted(MIDDLES, x, side="right")],
        ),
        "breaks": ("Recode", {"breaks": BREAKS}, lambda x: cut(x, np.array(BREAKS))),
        "width": ("Recode", {"width": WIDTH}, evenly),
        "classes": ("Recode", {"classes": 5}, by_classes),
        "quantiles": ("Recode", {"quantiles": 5}, by_quantiles),
        "groups": ("Recode", {"groups": GROUPS}, merged),
    }


def sides(chosen: argparse.Namespace) -> dict[str, Work]:
    import pyarrow as pa

    import tacita as ta

    ta.use_threads(chosen.threads)
    rng = np.random.default_rng(0)
    if chosen.case == "groups":
        letters = rng.integers(0, 10, chosen.records)
        values = np.array(list("abcdefghij"))[letters]
        column = pa.array(list("abcdefghij")).take(pa.array(letters))
    else:
        values = rng.lognormal(9.5, 0.7, chosen.records)
        column = pa.array(values)
    data = ta.read(pa.table({"x": column}))
    name, parameters, numpy_way = cases()[chosen.case]
    method = getattr(ta, name)("x", **parameters)
    method.mask(data.take(np.arange(100)), None)  # the kernels are loaded
    return {"tacita": lambda: method.mask(data, None), "numpy": lambda: numpy_way(values)}


def in_turns(chosen: argparse.Namespace) -> dict[str, float]:
    work = sides(chosen)
    taken: dict[str, list[dict[str, float]]] = {side: [] for side in work}
    for turn in range(REPEATS + 1):
        for side, run in work.items():
            gc.collect()
            clocked = clock(run)
            if turn:
                taken[side].append(clocked)
    return {
        f"{side} {what}": min(row[what] for row in rows)
        for side, rows in taken.items()
        for what in ("wall", "cpu")
    }


def memory(chosen: argparse.Namespace) -> dict[str, float]:
    """Return by how much the peak grows, over the size of the column before and after."""
    work = sides(chosen)["tacita"]
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = peak_mb()
    column = work().column("x")  # type: ignore[attr-defined]
    touched = (8 * chosen.records + column.nbytes) / 2**20
    return {"memory": (peak_mb() - before) / touched}


def peak_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def alone(case: str, what: str) -> dict[str, float]:
    command = [sys.executable, __file__, *sys.argv[1:], "--case", case, "--what", what]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return row


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--case", choices=cases(), help=argparse.SUPPRESS)
    parser.add_argument("--what", choices=("time", "memory"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case:
        print(json.dumps(in_turns(given) if given.what == "time" else memory(given)))
        sys.exit()
    heads = ("wall s", "NumPy", "ratio", "CPU s", "NumPy", "ratio", "memory")
    print(f"{'':<15}" + "".join(f"{head:>9}" for head in heads))
    for case in cases():
        row = alone(case, "time") | alone(case, "memory")
        wall, cpu = (
            [row[f"{side} {what}"] for side in ("tacita", "numpy")] for what in ("wall", "cpu")
        )
        shown = (*wall, wall[0] / wall[1], *cpu, cpu[0] / cpu[1], row["memory"])
        print(f"{case:<15}" + "".join(f"{number:>9.3f}" for number in shown))
