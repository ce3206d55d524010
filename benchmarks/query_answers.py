"""A GROUP BY through a guard against plain DuckDB: the same statistics of a million records.

Ours parses, expands to cells, audits every cell against the history of all answers, computes and
presents, with the ledger left out (see ledger.py) as the other side records nothing. Both sides
answer the same queries in turn in one process, on one thread and on all that DuckDB takes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median

import duckdb
import numpy as np
import pyarrow as pa

import tacita as ta

ROLES = {"region": "key", "sector": "key", "age": "key", "salary": "confidential"}
QUERIES = {
    "20 groups": "SELECT region, count(*), sum(salary), avg(salary) FROM people GROUP BY region",
    "20 groups, WHERE": (
        "SELECT region, avg(salary) FROM people WHERE sector IN ('s1', 's2', 's3') GROUP BY region"
    ),
    "one mean": "SELECT avg(salary) FROM people WHERE region = 'r3'",
}
Ask = Callable[[str], object]


def people(records: int) -> pa.Table:
    """Make records of twenty regions, twelve sectors and seventy ages."""
    rng = np.random.default_rng(0)
    named = {"region": ("r", 20), "sector": ("s", 12)}
    columns = {
        name: np.char.add(letter, rng.integers(0, many, records).astype(str))
        for name, (letter, many) in named.items()
    }
    columns["age"] = rng.integers(18, 88, records)
    columns["salary"] = rng.lognormal(10, 0.5, records).round()
    return pa.table(columns)


def plain(table: pa.Table, threads: int) -> Ask:
    """Return what asks a bare DuckDB that holds the records in a table of its own."""
    database = duckdb.connect(config={"threads": threads})
    database.register("arrow", table)
    database.execute("CREATE TABLE people AS SELECT * FROM arrow")
    return lambda sql: database.execute(sql).fetchall()


def guarded(table: pa.Table, k: int) -> Ask:
    """Return what asks a guarded database."""
    opened = ta.guard(table, policy=ta.Audit(k=k), ledger=None, view="people", roles=ROLES)
    return lambda sql: opened.ask(sql).rows


def timed(ask: Ask, sql: str, repeats: int) -> tuple[float, float]:
    """Return the median wall and CPU milliseconds of a question."""
    wall, cpu = [], []
    for _ in range(repeats):
        begun = time.perf_counter(), time.process_time()
        ask(sql)
        wall.append(time.perf_counter() - begun[0])
        cpu.append(time.process_time() - begun[1])
    return median(wall) * 1000, median(cpu) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=51)
    chosen = parser.parse_args()
    table = people(chosen.records)
    sides = {"guard, k = 2": guarded(table, 2), "guard, k = 3": guarded(table, 3)}
    sides |= {"DuckDB, 1 thread": plain(table, 1), "DuckDB, 2 threads": plain(table, 2)}
    for name, sql in QUERIES.items():
        print(f"{name:<20}{'p50 wall ms':>14}{'p50 CPU ms':>14}")
        found = {side: timed(ask, sql, chosen.repeats) for side, ask in sides.items()}
        for side, (wall, cpu) in found.items():
            print(f"  {side:<18}{wall:>14.2f}{cpu:>14.2f}")
        ours = max(wall for side, (wall, _) in found.items() if side.startswith("guard"))
        others = min(wall for side, (wall, _) in found.items() if side.startswith("DuckDB"))
        print(f"  ratio of the slower of ours to the faster of DuckDB, wall: {ours / others:.2f}")


if __name__ == "__main__":
    main()
