"""Inspecting a file, from reading it to the plan, against the 30 seconds it may take.

One million generated records of fifty attributes: counts, amounts, categories, codes with leading
zeros, dates, one free text, one e-mail address. The file is written to a temporary folder first;
reading it is timed, writing is not.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from measuring import clock

ALLOWED = 30.0  # seconds
WORDS = ["patient", "came", "with", "severe", "pain", "after", "fall", "from", "stairs", "at home"]
DISTRICTS = [f"{place:03d}" for place in range(1, 400)]


def table(records: int, rng: np.random.Generator) -> pa.Table:
    columns = {
        "email": _numbered("person", records, "@example.org"),
        "remark": _remarks(records, rng),
        "age": pa.array(rng.integers(0, 100, records)),
        "sex": pa.array(["female", "male"]).take(pa.array(rng.integers(0, 2, records))),
        "postcode": _codes(rng.integers(0, 10_000, records), 5),
        "birth_date": _days(rng.integers(-20_000, 15_000, records)),
        "district": pa.array(DISTRICTS).take(pa.array(rng.integers(0, len(DISTRICTS), records))),
        "income": pa.array(np.round(rng.lognormal(10, 1, records), 2)),
    }
    for place in range(12):
        columns[f"grade_{place}"] = pa.array(rng.integers(1, 6, records))
        columns[f"amount_{place}"] = pa.array(np.round(rng.normal(0, 1000, records), 3))
    for place in range(6):
        columns[f"count_{place}"] = pa.array(rng.poisson(20, records))
        columns[f"category_{place}"] = _categories(rng.integers(0, 5 + 20 * place, records))
    for place in range(3):
        columns[f"visited_{place}"] = _days(rng.integers(15_000, 20_000, records))
        columns[f"code_{place}"] = _codes(rng.integers(0, 100_000, records), 6)
    return pa.table(columns)


def _numbered(word: str, records: int, end: str = "") -> pa.Array:
    return pc.binary_join_element_wise(word, pa.array(np.arange(records)).cast("string"), end, "")


def _remarks(records: int, rng: np.random.Generator) -> pa.Array:
    words = [pa.array(WORDS).take(pa.array(rng.integers(0, len(WORDS), records))) for _ in range(7)]
    return pc.binary_join_element_wise(*words, " ")


def _codes(numbers: np.ndarray, width: int) -> pa.Array:
    return pc.utf8_lpad(pa.array(numbers).cast("string"), width, "0")


def _days(numbers: np.ndarray) -> pa.Array:
    return pa.array(numbers.astype(np.int32), pa.int32()).cast(pa.date32())


def _categories(numbers: np.ndarray) -> pa.Array:
    return pc.binary_join_element_wise("category", pa.array(numbers).cast("string"), " ")


def measure(records: int) -> None:
    from tacita.inspection import inspect

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "people.csv"
        written = table(records, np.random.default_rng(0))
        csv.write_csv(written, file)
        size = file.stat().st_size / 2**20
        print(f"{records:,} records x {written.num_columns} attributes, {size:,.0f} MB")
        del written
        spent = clock(lambda: inspect(file).plan(folder))
    print(f"{'wall s':>10}{'CPU s':>10}{'peak MB':>10}")
    print(f"{spent['wall']:>10.2f}{spent['cpu']:>10.2f}{spent['peak_mb']:>10.0f}")
    print(f"ratio to the {ALLOWED:g} s it may take, wall: {spent['wall'] / ALLOWED:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    measure(parser.parse_args().records)
