"""How long reading a CSV of integers takes: Tacita against Polars, DuckDB and plain Arrow.

    python benchmarks/read_csv.py [--records 4000000] [--repeats 3]

Each reading runs in a process of its own, imports not counted; the best of the repeats is shown,
and the readers take turns, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

Reader = Callable[[str], Any]

RANGES = {
    "hospital": (100_000, 999_999),
    "age": (0, 99),
    "sex": (1, 2),
    "ethnicity": (1, 3),
    "race": (1, 6),
    "zip": (90_001, 96_162),
    "county": (1, 58),
    "los": (0, 60),
    "quarter": (1, 4),
    "charge": (500, 200_000),
}
BLOCK = 200_000  # records written together


class Cost(NamedTuple):
    """What one reading took."""

    wall: float
    cpu: float
    peak: float  # MB


def generate(path: Path, records: int, seed: int = 1) -> None:
    """Write hospital stays as a CSV of integers."""
    random = np.random.default_rng(seed)
    with path.open("w", encoding="ascii", newline="\n") as file:
        file.write(",".join(RANGES) + "\n")
        for start in range(0, records, BLOCK):
            file.write(_lines(random, min(BLOCK, records - start)))


def _lines(random: np.random.Generator, records: int) -> str:
    columns = [random.integers(low, high + 1, records) for low, high in RANGES.values()]
    return "\n".join(map(",".join, np.column_stack(columns).astype("U6").tolist())) + "\n"


def with_tacita() -> Reader:
    """Read as a person does: to a data set, attributes and all."""
    import tacita

    return tacita.read


def with_polars() -> Reader:
    import polars as pl

    return pl.read_csv


def with_duckdb() -> Reader:
    import duckdb

    return lambda path: duckdb.read_csv(path).to_arrow_table()


def with_arrow() -> Reader:
    from pyarrow import csv

    return cast("Reader", csv.read_csv)


READERS = {
    "tacita": with_tacita,
    "polars": with_polars,
    "duckdb": with_duckdb,
    "pyarrow": with_arrow,
}


def measure(reader: str, path: str) -> Cost:
    """Read once in this process."""
    read = READERS[reader]()
    cpu, wall = time.process_time(), time.perf_counter()
    read(path)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Cost(wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def measured(reader: str, path: Path) -> Cost:
    """Read once in a process of its own."""
    command = [sys.executable, __file__, "--reader", reader, "--path", str(path)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return Cost(*json.loads(answer.stdout))


def best(costs: list[Cost]) -> Cost:
    """Take the best of each figure: what is above it is the machine's noise."""
    figures: npt.NDArray[np.float64] = np.min(costs, axis=0)
    return Cost(*figures.tolist())


def report(path: Path, costs: dict[str, Cost]) -> None:
    """Print the table and the ratios."""
    print(f"{path.stat().st_size / 1e6:.0f} MB")
    print(f"{'reader':<10}{'wall s':>10}{'CPU s':>10}{'peak MB':>10}")
    for reader, cost in costs.items():
        print(f"{reader:<10}{cost.wall:>10.3f}{cost.cpu:>10.3f}{cost.peak:>10.0f}")
    others = best([cost for reader, cost in costs.items() if reader != "tacita"])
    ratios = [own / other for own, other in zip(costs["tacita"], others, strict=True)]
    print(f"{'ratio':<10}" + "".join(f"{ratio:>10.2f}" for ratio in ratios))


def compare(records: int, repeats: int) -> None:
    """Generate the file and compare the readers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stays.csv"
        generate(path, records)
        found: dict[str, list[Cost]] = {reader: [] for reader in READERS}
        for _ in range(repeats):
            for reader, costs in found.items():
                costs.append(measured(reader, path))
        report(path, {reader: best(costs) for reader, costs in found.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--reader", choices=READERS, help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.reader:
        print(json.dumps(measure(given.reader, given.path)))
    else:
        compare(given.records, given.repeats)


if __name__ == "__main__":
    main()
