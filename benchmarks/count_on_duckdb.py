"""Counting equivalence classes on the DuckDB engine against the same count in plain SQL.

    python benchmarks/count_on_duckdb.py [--records 20000000] [--repeats 5] [--folder DIR]

Both sides read the same Parquet file of nine keys and give the classes as an Arrow table. They take
turns in one process, so that a busy machine slows both alike. The file is generated once.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

from larger_than_memory import prepared
from measuring import best, clock, show

Count = Callable[[], object]


def on_the_engine(path: Path, keys: list[str]) -> Count:
    from tacita.engines import open_records

    records = open_records(path, "duckdb", memory_limit="16GB")
    return lambda: records.classes(keys).to_arrow()


def in_plain_sql(path: Path, keys: list[str]) -> Count:
    import duckdb

    connection = duckdb.connect(config={"memory_limit": "16GB"})
    connection.read_parquet(str(path)).create_view("people")
    query = f"SELECT {', '.join(keys)}, count(*) FROM people GROUP BY ALL"  # noqa: S608
    return lambda: connection.sql(query).to_arrow_table()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=20_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    given = parser.parse_args()
    path = prepared(given.folder, given.records)
    keys = pq.read_schema(path).names
    sides = {"engine": on_the_engine(path, keys), "plain DuckDB": in_plain_sql(path, keys)}
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
    for _ in range(given.repeats):
        for name, count in sides.items():
            rows[name].append(clock(count))
    show({name: best(costs) for name, costs in rows.items()})
    print("asked for: at most 1.2")


if __name__ == "__main__":
    main()
