"""Counting equivalence classes against the plain group-by of the same columns.

Four million generated hospital discharges, nine keys, nearly all combinations distinct. Each side
holds the data in memory in its own format; the count alone is timed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

from measuring import race

KEYS = ["oshpd_id", "age_yrs", "sex", "ethncty", "race", "patzip", "patcnty", "los", "adm_qtr"]


def tacita(chosen: argparse.Namespace) -> Callable[[], object]:
    from tacita.data.examples import generate

    data = generate("patients", chosen.records)
    generate("patients", 100).classes()  # the kernels are loaded, as in any running program
    # A copy has nothing counted yet.
    return lambda: replace(data).classes(KEYS).counts


def polars(chosen: argparse.Namespace) -> Callable[[], object]:
    import polars as pl

    frame = pl.from_arrow(_table(chosen))
    return lambda: frame.group_by(KEYS).len()


def duckdb(chosen: argparse.Namespace) -> Callable[[], object]:
    import duckdb as db

    connection = db.connect()
    source = _table(chosen)
    connection.execute("CREATE TABLE patients AS SELECT * FROM source")
    del source
    query = f"SELECT {', '.join(KEYS)}, count(*) AS n FROM patients GROUP BY ALL"  # noqa: S608
    return lambda: connection.execute(query).to_arrow_table()


def _table(chosen: argparse.Namespace):
    from tacita.data.examples import generate

    return generate("patients", chosen.records).table.select(KEYS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=4_000_000)
    race(__file__, {"tacita": tacita, "polars": polars, "duckdb": duckdb}, parser)
