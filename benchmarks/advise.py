"""How soon `advise` has a first answer, and how it improves.

Files of a hundred thousand records are written, read, inspected and searched, as the command line
does it, with the keys given: one of numbers (census), one of mixed keys (patients), one of
categories and dates (survey). Every better answer is printed with the wall and CPU seconds since
the start; a first answer is wanted within a minute on two cores. No other tool advises. What can be
compared with is a plain grid over the same lines on all records (`--grid`): it stops when it has an
answer at least as good.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def elapsed() -> Callable[[], str]:
    """Return what tells the wall and CPU seconds since now."""
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)

    def told() -> str:
        used = resource.getrusage(resource.RUSAGE_SELF)
        cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        peak = used.ru_maxrss / 1024
        return f"{time.perf_counter() - begun:7.1f} s  {cpu:7.1f} s CPU  {peak:6.0f} MB"

    return told


def search(file: Path, keys: list[str], chosen: argparse.Namespace) -> float:
    """Print every better answer; return the loss of the last."""
    import tacita as ta

    roles = dict.fromkeys(keys, "key")

    told, loss = elapsed(), float("inf")
    for advice in ta.advising(file, roles=roles, time_limit=chosen.time):
        best = advice.recommended
        if best is not None and best.loss < loss:
            loss = best.loss
            print(f"  {told()}  {len(advice.tried):4} trials  {loss:.4f}  {best.steps}", flush=True)
    return loss


def grid(file: Path, keys: list[str], wanted: float, chosen: argparse.Namespace) -> None:
    """Try every rung of every line on all records until one is as good as what was wanted."""
    from tacita.tradeoff.advising.judging import Judge
    from tacita.tradeoff.advising.lines import lines_of
    from tacita.tradeoff.advising.setting import setting_of

    told, started = elapsed(), time.perf_counter()
    setting = setting_of(file, None, None, dict.fromkeys(keys, "key"), None, None, {})
    judge = Judge(setting.data, setting.requirements, None, 0, lambda *_: None)
    for line in lines_of(setting.data, setting.masked(), setting.models):
        for rung in range(1, line.height + 1):
            if time.perf_counter() - started > chosen.time:
                print(f"  {told()}  grid: {len(judge.trials)} trials, none as good")
                return
            one = judge.tried(line, line.at(rung), len(setting.data))
            if one.loss <= wanted and judge.is_sure(line, line.at(rung)):
                print(f"  {told()}  grid: {len(judge.trials)} trials, {one.loss:.4f} {one.steps}")
                return


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--time", type=float, default=120.0)
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--data", nargs="*", default=["census", "patients", "survey"])
    asked = parser.parse_args()

    import tacita as ta

    with tempfile.TemporaryDirectory() as folder:
        for name in asked.data:
            place = Path(folder) / f"{name}.csv"
            data = ta.example(name, asked.records)
            data.write(place)
            print(f"{name}, {asked.records:,} records")
            reached = search(place, data.keys, asked)
            if asked.grid:
                grid(place, data.keys, reached, asked)
