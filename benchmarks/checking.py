"""Checking k-anonymity, l-diversity and t-closeness against the group-by that they begin with.

Hospital discharges with nine keys, in nearly as many classes as records, or with the ZIP codes and
hospitals left out, in few. A check is timed from data whose classes nobody has counted, and begins
with the group-by: the ratio is that of the whole check to the group-by alone, of medians of runs
that take turns.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from statistics import median

from measuring import clock

FEW = ("age_yrs", "sex", "ethncty", "race", "adm_qtr")
REPEATS = 7


def checks(keys: tuple[str, ...] | None) -> dict[str, Callable[[object], object]]:
    import tacita as ta

    models = {
        "k": ta.KAnonymity(5, keys=keys),
        "l, charge": ta.LDiversity(3, "charge", keys=keys),
        "l, diag_p": ta.LDiversity(3, "diag_p", keys=keys),
        "l entropy, diag_p": ta.LDiversity(3, "diag_p", kind="entropy", keys=keys),
        "l recursive, diag_p": ta.LDiversity(3, "diag_p", kind="recursive", c=4, keys=keys),
        "t ordered, charge": ta.TCloseness(0.2, "charge", keys=keys),
        "t equal, diag_p": ta.TCloseness(0.2, "diag_p", distance="equal", keys=keys),
    }
    return {"group-by": lambda data: data.classes(keys)} | {
        name: model.check for name, model in models.items()
    }


def measured(chosen: argparse.Namespace) -> dict[str, float]:
    """Time one check and the group-by in turns, in one process.

    Memory is handed out differently from process to process, and both sides must meet the same.
    """
    import tacita as ta

    ta.use_threads(chosen.threads)
    work = checks(FEW if chosen.few else None)
    sides = {"base": work["group-by"], "check": work[chosen.check]}
    data = ta.example("patients", chosen.records)
    taken: dict[str, list[dict[str, float]]] = {side: [] for side in sides}
    for turn in range(REPEATS + 1):
        for side, run in sides.items():
            gc.collect()  # what the run before left behind is no part of this one
            clocked = clock(lambda run=run: run(replace(data)))  # type: ignore[misc]
            if turn:  # the kernels are loaded by then
                taken[side].append(clocked)
    cpu = {side: median(one["cpu"] for one in clocked) for side, clocked in taken.items()}
    wall = median(one["wall"] for one in taken["check"])
    peak = max(one["peak_mb"] for one in taken["check"])
    return {"wall": wall, "cpu": cpu["check"], "base": cpu["base"], "peak_mb": peak}


def show(rows: dict[str, dict[str, float]]) -> None:
    heads = ("wall s", "CPU s", "peak MB", "group-by", "CPU ratio")
    print(f"{'':<22}" + "".join(f"{head:>10}" for head in heads))
    for name, row in rows.items():
        told = f"{row['wall']:>10.3f}{row['cpu']:>10.3f}{row['peak_mb']:>10.0f}"
        print(f"{name:<22}{told}{row['base']:>10.3f}{row['cpu'] / row['base']:>10.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--few", action="store_true", help="fewer keys, and thus few classes")
    parser.add_argument("--check", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.check:
        print(json.dumps(measured(chosen)))
        return
    rows = {}
    for name in list(checks(None))[1:]:
        command = [sys.executable, __file__, *sys.argv[1:], "--check", name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows[name] = json.loads(done.stdout.splitlines()[-1])
    show(rows)


if __name__ == "__main__":
    main()
