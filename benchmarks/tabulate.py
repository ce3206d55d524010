"""Tabulating with hierarchies against DuckDB's GROUP BY with the same grouping sets.

    python benchmarks/tabulate.py [--records 10000000] [--repeats 3]

Both sides hold the same generated records in memory, each in its own form, and give every cell of a
table of four attributes, in 48 combinations of levels: the count and the sum. We keep the three
largest contributions and the sum of sizes besides. DuckDB has the levels as columns, made before.
They take turns in one process, so that a busy machine slows both alike.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from measuring import best, clock, show

BRANCHES = {"nace": (5, 25, 100), "region": (8, 40), "size": (8,), "legal": (5,)}
Work = Callable[[], Any]


def generated(records: int) -> pa.Table:
    """Return records with one column a level, the finest last, and a value."""
    rng = np.random.default_rng(1)
    columns: dict[str, pa.Array] = {}
    for name, counts in BRANCHES.items():
        leaf = rng.integers(0, counts[-1], records, np.int32)
        for level, count in enumerate(counts):
            codes = pa.array([f"{name}{level}-{number}" for number in range(count)])
            columns[f"{name}{level}"] = codes.take(pa.array(leaf * count // counts[-1]))
    columns["turnover"] = pa.array(rng.lognormal(5, 2, records).round(2))
    return pa.table(columns)


def by_us(table: pa.Table) -> Work:
    from tacita.data.declaration import Declaration
    from tacita.data.hierarchies.tree import Tree
    from tacita.data.read import declare
    from tacita.tables.tabulate import tabulate

    finest = [f"{name}{len(counts) - 1}" for name, counts in BRANCHES.items()]
    said = {}
    for name, counts in BRANCHES.items():
        if len(counts) > 1:
            levels = [f"{name}{level}" for level in reversed(range(len(counts)))]
            rows = table.select(levels).group_by(levels).aggregate([]).to_pylist()
            paths = tuple((*(row[level] for level in levels), "Total") for row in rows)
            said[levels[0]] = Declaration(hierarchy=Tree(paths))
    data = declare(table.select([*finest, "turnover"]), said)
    return lambda: tabulate(data, finest, value="turnover")


def by_duckdb(table: pa.Table) -> Work:
    import duckdb

    connection = duckdb.connect(config={"memory_limit": "8GB"})
    arrow = connection.from_arrow(table)
    arrow.create("firms")
    sets = [
        f"ROLLUP({', '.join(f'{name}{level}' for level in range(len(counts)))})"
        for name, counts in BRANCHES.items()
    ]
    levels = [f"{name}{level}" for name, counts in BRANCHES.items() for level in range(len(counts))]
    query = (
        f"SELECT {', '.join(levels)}, count(*) AS n, sum(turnover) AS value "  # noqa: S608 - ours
        f"FROM firms GROUP BY {', '.join(sets)}"
    )
    return lambda: connection.sql(query).to_arrow_table()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    table = generated(given.records)
    sides = {"tacita": by_us(table), "DuckDB": by_duckdb(table)}
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
    for _ in range(given.repeats):
        for name, work in sides.items():
            rows[name].append(clock(work))
    cells = [len(work()) for work in sides.values()]
    if cells[0] != cells[1]:
        raise SystemExit(f"the two differ in their number of cells: {cells}")
    print(f"{given.records:,} records, {cells[0]:,} cells")
    show({name: best(costs) for name, costs in rows.items()})
    print("asked for: at most 2")


if __name__ == "__main__":
    main()
