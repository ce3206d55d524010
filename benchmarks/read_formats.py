"""How long each format takes to read: Tacita, to a data set, against the library under it.

    python benchmarks/read_formats.py [--records 1000000] [--repeats 3] [--only sav dta]

Each reading runs in a process of its own, for the second time there; the readers take turns, and
the best of the repeats counts. Where a format cannot be made on this machine, that is said.
PostgreSQL is a server that this script starts and stops.
"""

from __future__ import annotations

import argparse
import json
import runpy
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from measuring import best, clock
from tacita.data.codebook import Meaning
from tacita.data.formats import Contents

Reader = Callable[[str], Any]
SHARE_MISSING = 0.05
SERVER = Path(__file__).parents[1] / "tests" / "data" / "formats" / "conftest.py"
LARGEST_SHEET = 200_000  # records; a workbook is slow to make


def people(records: int, seed: int = 1) -> pa.Table:
    """Return records of numbers, codes, text and dates, some of them missing."""
    random = np.random.default_rng(seed)
    regions = pa.array([f"R{code:03d}" for code in range(400)])
    days = random.integers(-10_000, 20_000, records).astype("datetime64[D]")
    columns: dict[str, Any] = {
        "id": pa.array(np.arange(records)),
        "born": pa.array(days),
        "region": regions.take(pa.array(random.integers(0, 400, records))),
    }
    for place in range(6):
        missing = random.random(records) < SHARE_MISSING
        columns[f"code{place}"] = pa.array(random.integers(1, 9, records), mask=missing)
        columns[f"pay{place}"] = pa.array(random.lognormal(10, 1, records).round(2), mask=missing)
    return pa.table(columns)


# --- the libraries


def with_arrow_csv() -> Reader:
    from pyarrow import csv

    return csv.read_csv


def with_parquet() -> Reader:
    from pyarrow import parquet

    return parquet.read_table


def with_feather() -> Reader:
    from pyarrow import feather

    return feather.read_table


def with_fastexcel() -> Reader:
    import fastexcel

    return lambda path: fastexcel.read_excel(path).load_sheet(0).to_arrow()


def with_pyreadstat(function: str) -> Callable[[], Reader]:
    def prepared() -> Reader:
        import pyreadstat

        return getattr(pyreadstat, function)

    return prepared


def with_polars_slices() -> Reader:
    """Cut the lines of a fixed-width file with Polars, the quickest library that does it."""
    import polars as pl

    def read(path: str) -> Any:
        lines = pl.read_csv(
            path, has_header=False, separator="\x01", quote_char=None, new_columns=["line"]
        )
        return lines.select(_cut(*field) for field in described(path))

    def _cut(name: str, start: int, width: int, numeric: bool) -> Any:
        text = pl.col("line").str.slice(start - 1, width).str.strip_chars().alias(name)
        return text.cast(pl.Float64, strict=False) if numeric else text

    return read


def described(path: str) -> list[tuple[str, int, int, bool]]:
    """Return name, start, width of every variable, and whether it is a number."""
    lines = Path(path).with_suffix(".rda").read_text().splitlines()
    return [
        (line.split()[0], int(line.split()[1]), int(line.split()[2]), "NUMERIC" in following)
        for line, following in pairwise([*lines, ""])
        if line[:1].isalpha()
    ]


def with_duckdb() -> Reader:
    import duckdb

    def read(path: str) -> Any:
        with duckdb.connect(path, read_only=True) as connection:
            return connection.sql("SELECT * FROM people").to_arrow_table()

    return read


def with_adbc(driver: str) -> Callable[[], Reader]:
    def prepared() -> Reader:
        from importlib import import_module

        dbapi = import_module(f"adbc_driver_{driver}.dbapi")

        def read(place: str) -> Any:
            with dbapi.connect(place) as connection, connection.cursor() as cursor:
                cursor.execute("SELECT * FROM people")
                return cursor.fetch_arrow_table()

        return read

    return prepared


LIBRARIES: dict[str, Callable[[], Reader]] = {
    "csv": with_arrow_csv,
    "parquet": with_parquet,
    "feather": with_feather,
    "xlsx": with_fastexcel,
    "sav": with_pyreadstat("read_sav"),
    "dta": with_pyreadstat("read_dta"),
    "sas7bdat": with_pyreadstat("read_sas7bdat"),
    "asc": with_polars_slices,
    "duckdb": with_duckdb,
    "sqlite": with_adbc("sqlite"),
    "postgresql": with_adbc("postgresql"),
}
CODED = {"sav", "dta"}  # formats that say what codes mean and why values are missing
TABLES = {"duckdb", "sqlite", "postgresql"}


def with_tacita(kind: str) -> Reader:
    """Read as a person does: to a data set, with labels, reasons and attributes."""
    import tacita

    options = {"table": "people"} if kind in TABLES else {}
    return lambda place: tacita.read(place, **options)


# --- the sources


def coded(records: pa.Table) -> Contents:
    """Give codes labels, and let half of the missing ones say why they are missing."""
    names = [name for name in records.column_names if name.startswith("code")]
    labels = {code: f"answer {code}" for code in range(1, 9)}
    meaning = Meaning("An answer", {**labels, 99: "refused"}, missing_codes=(99,))
    odd = np.arange(len(records)) % 2 == 1
    reasons = {n: (np.asarray(records[n].is_null()) & odd).astype(np.int32) for n in names}
    return Contents(records, dict.fromkeys(names, meaning), reasons)


@contextmanager
def made(table: pa.Table, kind: str, folder: Path) -> Iterator[str | None]:
    """Write the records in a format; None where it cannot be made here."""
    from tacita.data.formats import layout_of, write_contents

    layout = layout_of({"table": "people"} if kind in TABLES else {})
    with address(kind, folder) as place:
        if place is None:
            yield None
            return
        records = table.slice(0, LARGEST_SHEET) if kind == "xlsx" else table
        target = f"{folder}/source.dta" if kind == "sas7bdat" else place
        write_contents(coded(records) if kind in CODED else Contents(records), target, layout)
        if kind == "sas7bdat":
            command = ["readstat", f"{folder}/source.dta", place]
            subprocess.run(command, check=True, capture_output=True)
        yield place


@contextmanager
def address(kind: str, folder: Path) -> Iterator[str | None]:
    """Give the path or the address of a source; None where nothing can make it."""
    if kind == "postgresql":
        server = runpy.run_path(str(SERVER))
        if server["binaries"]() is None:
            yield None
            return
        with server["running_server"]() as running:
            yield running.address()
    else:
        able = kind != "sas7bdat" or shutil.which("readstat") is not None
        yield str(folder / f"people.{kind}") if able else None


# --- the race


def compare(kind: str, records: int, repeats: int) -> None:
    """Make a source, let both sides take turns at reading it, and print the ratio."""
    with (
        tempfile.TemporaryDirectory() as folder,
        made(people(records), kind, Path(folder)) as place,
    ):
        if place is None:
            print(f"{kind:<12} cannot be made on this machine")
            return
        rows: dict[str, list[dict[str, float]]] = {"tacita": [], "library": []}
        for _ in range(repeats):
            for side, costs in rows.items():
                costs.append(alone(side, kind, place))
        ours, theirs = best(rows["tacita"]), best(rows["library"])
        cells = (ours["wall"], theirs["wall"], ours["wall"] / theirs["wall"])
        cells += (ours["cpu"], theirs["cpu"], ours["cpu"] / theirs["cpu"])
        print(f"{kind:<12}" + "".join(f"{cell:>10.2f}" for cell in cells), flush=True)


def alone(side: str, kind: str, place: str) -> dict[str, float]:
    """Read once in a process of its own."""
    command = [sys.executable, __file__, "--side", side, "--kind", kind, "--place", place]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    cost: dict[str, float] = json.loads(done.stdout)
    return cost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=LIBRARIES, default=list(LIBRARIES))
    for hidden in ("--side", "--kind", "--place"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.side:
        read = with_tacita(given.kind) if given.side == "tacita" else LIBRARIES[given.kind]()
        read(given.place)  # imports and the system's file cache, which neither side should pay for
        print(json.dumps(clock(lambda: read(given.place))))
        return
    titles = ("wall s", "library", "ratio", "CPU s", "library", "ratio")
    print(" " * 12 + "".join(f"{title:>10}" for title in titles))
    for kind in given.only:
        compare(kind, given.records, given.repeats)


if __name__ == "__main__":
    main()
