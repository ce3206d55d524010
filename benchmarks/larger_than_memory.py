"""Count, recode and write a file that does not fit the memory allowed for it.

    python benchmarks/larger_than_memory.py [--records 200000000] [--folder DIR]

A generated census of nine keys lies in a Parquet file. A child process, held to 2 GB, counts its
equivalence classes on DuckDB, generalizes some keys, counts again and writes the protected file.
The file is generated once and found again in the folder; the protected one is removed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from measuring import clock

RECORDS = 200_000_000
CHUNK = 2_000_000  # records generated together, a row group each
ALLOWED_MB = 2000
HIERARCHIES = {
    "zip": {"prefix": 5},
    "age": {"intervals": {"widths": [5, 10, 20]}},
    "birthplace": {"prefix": 4},
}
LEVELS = {"zip": 2, "age": 2, "birthplace": 2}
Draws = npt.NDArray[np.int64]


# -- the file ---------------------------------------------------------------------------------


def generate(path: Path, records: int) -> int:
    """Write the file chunk by chunk; return the bytes its columns take in memory."""
    size, writer = 0, None
    unfinished = path.with_suffix(".unfinished")
    for number, start in enumerate(range(0, records, CHUNK)):
        table = chunk(number, min(CHUNK, records - start))
        writer = writer or pq.ParquetWriter(unfinished, table.schema, compression="zstd")
        writer.write_table(table)
        size += table.nbytes
    if writer is not None:
        writer.close()
    unfinished.rename(path)
    return size


def chunk(number: int, records: int) -> pa.Table:
    """Generate some persons; the same number gives the same persons."""
    random = np.random.default_rng([7, number])
    region = skewed(random, 52, records)
    place = region * 20 + skewed(random, 20, records)
    return pa.table(
        {
            "zip": codes(10_000 + 83 * place, "{:05d}"),
            "age": np.minimum(random.gamma(3.2, 12.5, records).astype(np.int64), 99),
            "sex": codes(random.integers(0, 2, records), "sex-{:d}"),
            "marital": codes(skewed(random, 5, records), "marital-{:d}"),
            "education": codes(skewed(random, 7, records), "isced-{:d}"),
            "birthplace": codes(7 * np.minimum(random.zipf(2.6, records), 120), "{:04d}"),
            "occupation": codes(skewed(random, 12, records), "isco-{:02d}"),
            "household": skewed(random, 8, records),
            "quarter": codes(random.integers(1, 5, records), "2024-Q{:d}"),
        }
    )


def skewed(random: np.random.Generator, values: int, records: int) -> Draws:
    """Draw values below a bound, of which few are common and many are rare."""
    chances = np.arange(1, values + 1) ** -1.6
    return random.choice(values, records, p=chances / chances.sum())


def codes(numbers: Draws, form: str) -> pa.Array:
    """Write numbers as the text of their codes."""
    known, place = np.unique(numbers, return_inverse=True)
    return pa.array([form.format(number) for number in known]).take(pa.array(place))


# -- the work, in a process of its own ----------------------------------------------------------


def work(source: Path, target: Path) -> Iterator[tuple[str, dict[str, float], str]]:
    """Do the parts one after the other: what it was, what it took, what came out."""
    from tacita.api.scan import Scan, scan

    roles = dict.fromkeys(pq.read_schema(source).names, "key")
    people = scan(source, roles=roles, hierarchies=HIERARCHIES, temporary_folder=target.parent)
    found: list[object] = []
    masked: list[Scan] = []
    yield "count classes", clock(lambda: found.append(people.classes())), str(found[-1])
    yield "generalize", clock(lambda: masked.append(people.generalize(LEVELS))), str(LEVELS)
    yield "count again", clock(lambda: found.append(masked[0].classes())), str(found[-1])
    yield "recode, write", clock(lambda: masked[0].write(target)), size_of(target)


def size_of(path: Path) -> str:
    """Say how large a Parquet file is."""
    rows = pq.read_metadata(path).num_rows
    return f"{rows:,} records, {path.stat().st_size / 1e9:.2f} GB on disk"


def run(source: Path, target: Path) -> None:
    """Print each part as a line of JSON as it is done."""
    for name, cost, outcome in work(source, target):
        print(json.dumps({"part": name, **cost, "outcome": outcome}), flush=True)


# -- the page that is printed ---------------------------------------------------------------------


def show(lines: Iterator[str]) -> None:
    """Print what each part took."""
    print(f"{'':<16}{'wall s':>10}{'CPU s':>10}{'peak MB':>10}")
    peak = 0.0
    for line in lines:
        row = json.loads(line)
        peak = max(peak, row["peak_mb"])
        print(f"{row['part']:<16}{row['wall']:>10.1f}{row['cpu']:>10.1f}{row['peak_mb']:>10.0f}")
        print("    " + row["outcome"].replace("\n", "\n    "), flush=True)
    print(f"peak resident memory of the process: {peak:.0f} MB (asked for: below {ALLOWED_MB})")


def prepared(folder: Path, records: int) -> Path:
    """Generate the file unless it is there, and say what it is."""
    path = folder / f"census-{records}.parquet"
    if not path.exists():
        print(f"generating {path} ...", flush=True)
        generate(path, records)
    in_memory = chunk(0, 100_000).nbytes / 100_000 * records
    print(f"{size_of(path)}, {in_memory / 1e9:.1f} GB as Arrow columns in memory", flush=True)
    return path


def measure(folder: Path, records: int) -> None:
    """Let the child work, and print what it says."""
    source = prepared(folder, records)
    target = folder / "protected.parquet"
    command = [sys.executable, __file__, "--work", str(source), "--target", str(target)]
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            show(iter(child.stdout))
    finally:
        target.unlink(missing_ok=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--target", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        run(given.work, given.target)
    else:
        measure(given.folder, given.records)


if __name__ == "__main__":
    main()
