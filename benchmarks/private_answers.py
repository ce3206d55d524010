"""Differentially private answers against plain DuckDB: the same statistics of a million records.

Ours parses, expands to cells, debits the budget, measures with noise and presents; with `--ledger`
it also waits until every debit and answer is on disk. DuckDB clamps to the same bounds and adds no
noise. All sides answer the same queries in turn in one process. With `--http` counts a second are
measured as well, over HTTP with every debit on disk, as `query_server.py` does.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

import duckdb
import pyarrow as pa

import tacita as ta
from query_answers import ROLES, Ask, people, timed
from query_server import added, race
from tacita.queries.guard import Guard
from tacita.queries.ledger.ledger import Ledger, open_ledger
from tacita.queries.policies.private_answers import PrivateAnswers
from tacita.queries.public_classes import PublicClasses

BOUNDS = {"salary": (0.0, 200_000.0)}
GROUPS = {"region": [f"r{at}" for at in range(20)], "sector": [f"s{at}" for at in range(5000)]}
MANY = "SELECT region, sector, count(*) FROM people GROUP BY region, sector"  # 100,000 groups
CLAMPED = "greatest(least(salary, 200000), 0)"
QUERIES = {
    "20 groups": "SELECT region, count(*), avg(salary) FROM people GROUP BY region",
    "one count": "SELECT count(*) FROM people WHERE region = 'r3'",
    "one sum": "SELECT sum(salary) FROM people WHERE region = 'r3' AND sector <> 's1'",
    "confidential": "SELECT count(*) FROM people WHERE salary > 50000",
    "20 medians": "SELECT region, median(salary) FROM people GROUP BY region",
}


def plain(table: pa.Table, threads: int) -> Ask:
    """Return what asks a bare DuckDB that holds the records in a table of its own."""
    database = duckdb.connect(config={"threads": threads})
    database.register("arrow", table)
    database.execute("CREATE TABLE people AS SELECT * FROM arrow")
    clamped = {sql: sql.replace("(salary)", f"({CLAMPED})") for sql in QUERIES.values()}
    return lambda sql: database.execute(clamped[sql]).fetchall()


def guarded(data: PublicClasses, delta: float, ledger: Ledger | None) -> Ask:
    """Return what asks a guarded database with a budget that lasts."""
    policy = PrivateAnswers(1.0, BOUNDS, delta=delta, share_each=1e-6, groups=GROUPS)
    guard = Guard(data, [policy], ledger=ledger)
    return lambda sql: guard.ask(sql, user="ana").rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=21)
    parser.add_argument("--ledger", action="store_true", help="record every debit and answer")
    parser.add_argument("--http", action="store_true", help="count over HTTP as well")
    chosen = added(parser).parse_args()
    table = people(chosen.records)
    data = PublicClasses.of(ta.read(table, roles=ROLES), "people")
    with tempfile.TemporaryDirectory() as folder:
        ledger = open_ledger(Path(folder) / "ledger.db", b"k" * 32) if chosen.ledger else None
        sides = {"Laplace": guarded(data, 0.0, ledger), "Gaussian": guarded(data, 1e-6, ledger)}
        sides |= {"DuckDB, 1 thread": plain(table, 1), "DuckDB, 2 threads": plain(table, 2)}
        for name, sql in QUERIES.items():
            compare(name, {side: timed(ask, sql, chosen.repeats) for side, ask in sides.items()})
        for side in ("Laplace", "Gaussian"):
            wall, cpu = timed(sides[side], MANY, 3)
            print(f"100,000 declared groups, {side}: {wall:,.0f} ms wall, {cpu:,.0f} ms CPU")
        if ledger is not None:
            ledger.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of both sides: {peak:,.0f} MB")
    if chosen.http:
        race(chosen)


def compare(name: str, found: dict[str, tuple[float, float]]) -> None:
    """Print the sides of one question, and the ratio of ours to the faster DuckDB."""
    print(f"{name:<20}{'p50 wall ms':>14}{'p50 CPU ms':>14}")
    for side, (wall, cpu) in found.items():
        print(f"  {side:<18}{wall:>14.2f}{cpu:>14.2f}")
    ours = (found["Laplace"], found["Gaussian"])
    others = [cost for side, cost in found.items() if side.startswith("DuckDB")]
    for place, measure in enumerate(("wall", "CPU")):
        ratio = max(one[place] for one in ours) / min(one[place] for one in others)
        print(f"  ratio of the slower of ours to the faster DuckDB, {measure}: {ratio:.2f}")


if __name__ == "__main__":
    main()
