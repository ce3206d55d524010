"""Checking k-anonymity, l-diversity and t-closeness against the group-by that they begin with.

Hospital discharges with nine keys, in nearly as many classes as records, or with the ZIP codes and
hospitals left out, in few. A check is timed from data whose classes nobody has counted, and begins
with the group-by: the ratio is that of the whole check to the group-by alone, of medians of runs
that take turns. It is told for the group-by of the keys, and for that of the keys and of the values
that the model is about, which have to be counted, too.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from dataclasses import replace
from statistics import median
from typing import Any

from measuring import clock

FEW = ("age_yrs", "sex", "ethncty", "race", "adm_qtr")
REPEATS = 7


def models(keys: tuple[str, ...] | None) -> dict[str, Any]:
    import tacita as ta

    return {
        "k": ta.KAnonymity(5, keys=keys),
        "l, charge": ta.LDiversity(3, "charge", keys=keys),
        "l, diag_p": ta.LDiversity(3, "diag_p", keys=keys),
        "l entropy, diag_p": ta.LDiversity(3, "diag_p", kind="entropy", keys=keys),
        "l recursive, diag_p": ta.LDiversity(3, "diag_p", kind="recursive", c=4, keys=keys),
        "t ordered, charge": ta.TCloseness(0.2, "charge", keys=keys),
        "t equal, diag_p": ta.TCloseness(0.2, "diag_p", distance="equal", keys=keys),
    }


def measured(chosen: argparse.Namespace) -> dict[str, float]:
    """Time one check and the group-bys in turns, in one process.

    Memory is handed out differently from process to process, and all sides must meet the same.
    """
    import tacita as ta

    ta.use_threads(chosen.threads)
    data = ta.example("patients", chosen.records)
    keys = FEW if chosen.few else tuple(data.keys)
    model = models(keys)[chosen.check]
    values = getattr(model, "attribute", None) or ()
    sides = {
        "keys": lambda fresh: fresh.classes(keys),
        "values": lambda fresh: fresh.classes([*keys, *values]),
        "check": model.check,
    }
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
    return {"wall": wall, "peak_mb": peak, **cpu}


def show(rows: dict[str, dict[str, float]]) -> None:
    heads = ("wall s", "CPU s", "peak MB", "keys", "ratio", "values too", "ratio")
    print(f"{'':<22}" + "".join(f"{head:>11}" for head in heads))
    for name, row in rows.items():
        told = f"{row['wall']:>11.3f}{row['check']:>11.3f}{row['peak_mb']:>11.0f}"
        for base in ("keys", "values"):
            told += f"{row[base]:>11.3f}{row['check'] / row[base]:>11.2f}"
        print(f"{name:<22}{told}")


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
    for name in models(None):
        command = [sys.executable, __file__, *sys.argv[1:], "--check", name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows[name] = json.loads(done.stdout.splitlines()[-1])
    show(rows)


if __name__ == "__main__":
    main()
