"""Camouflaged sums and means against plain ones: the same queries of a million records.

The camouflaged guard answers from the class sums of its K vertices, the other one from the class
sums of the truth; the rest of the way (parsing, expanding, presenting) is the same. Then the bare
aggregates of both, over all classes and over every other one, without the way. Both sides take
turns in one process. Below, what drawing the set takes once, and the costlier statistics.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np
import pyarrow as pa

import tacita as ta
from tacita.queries.answering import true_value
from tacita.queries.camouflage.answering import interval_of
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.guard import Guard
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic

ROLES = {"region": "key", "sector": "key", "age": "key", "salary": "confidential"}
QUERIES = {
    "20 groups": "SELECT region, sum(salary), avg(salary) FROM people GROUP BY region",
    "one sum": "SELECT sum(salary) FROM people WHERE region = 'r3'",
    "one mean": "SELECT avg(salary) FROM people WHERE sector IN ('s1', 's2', 's3')",
}
INSIDERS = (1, 3, 8)  # for K = 3, 5 and 10 vertices
COSTLY = (
    "stddev(salary)",
    "max(salary)",
    "median(salary)",
    "regr_slope(salary, age)",
)
Work = Callable[[], object]


def people(records: int) -> PublicClasses:
    """Make records of twenty regions, twelve sectors and seventy ages."""
    rng = np.random.default_rng(0)
    columns = {
        "region": np.char.add("r", rng.integers(0, 20, records).astype(str)),
        "sector": np.char.add("s", rng.integers(0, 12, records).astype(str)),
        "age": rng.integers(18, 88, records),
        "salary": rng.lognormal(10, 0.5, records).round() + 1,
    }
    return PublicClasses.of(ta.read(pa.table(columns), roles=ROLES), "people")


def compared(name: str, plain: Work, ours: Work, repeats: int) -> None:
    """Run both sides in turn; print their median times and the ratio."""
    times: dict[str, list[tuple[float, float]]] = {"plain": [], "camouflage": []}
    for _ in range(repeats):
        for side, work in (("plain", plain), ("camouflage", ours)):
            begun = time.perf_counter(), time.process_time()
            work()
            spent = time.perf_counter() - begun[0], time.process_time() - begun[1]
            times[side].append(spent)
    wall, cpu = (
        {side: median(one[place] for one in found) * 1000 for side, found in times.items()}
        for place in (0, 1)
    )
    for side in times:
        print(f"{name:<26}{side:<12}{wall[side]:>10.3f}{cpu[side]:>10.3f}")
    print(f"{'':<26}{'ratio, wall':<12}{wall['camouflage'] / wall['plain']:>10.2f}")


def aggregates(data: PublicClasses, repeats: int) -> None:
    """Compare the bare sums and means, over all classes and over every other one."""
    for insiders in INSIDERS:
        policy = ta.Camouflage(insiders=insiders)
        camouflage = policy.drawn(data, "salary", b"k" * 32)
        for name, step in {"all": 1, "half": 2}.items():
            members = QuerySet(data, places=np.arange(0, len(data), step))
            for statistic in (Statistic.SUM, Statistic.AVG):
                cell = Cell(Asked(statistic, "salary"), members)
                plain, ours = partial(true_value, cell), partial(interval_of, cell, camouflage)
                about = f"K = {policy.vertices}: {statistic}, {name}"
                compared(about, plain, ours, repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=51)
    chosen = parser.parse_args()
    data = people(chosen.records)
    plain = Guard(data, [ta.Unprotected()])
    begun = time.perf_counter()
    ours = Guard(data, [ta.Camouflage()])
    print(f"drawing the set, once: {time.perf_counter() - begun:.1f} s; K = 3")
    print(f"{'':<38}{'wall ms':>10}{'CPU ms':>10}")
    for name, sql in QUERIES.items():
        sides = [partial(one.ask, sql, user="ana") for one in (plain, ours)]
        compared(name, *sides, chosen.repeats)
    aggregates(data, chosen.repeats)
    for what in COSTLY:
        sql = f"SELECT {what} FROM people"  # noqa: S608 - the text is the benchmark's own
        sides = [partial(one.ask, sql, user="ana") for one in (plain, ours)]
        compared(what, *sides, 3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory: {peak:.0f} MB")


if __name__ == "__main__":
    main()
