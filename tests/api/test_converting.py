"""The law of converting: there and back gives the same data, or a sentence that names what is lost."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.formats import FORMATS, write_table
from tacita.errors import TacitaError

DATABASES = (".duckdb", ".sqlite")
TARGETS = (".csv", ".tsv", ".csv.gz", ".feather", ".xlsx", ".sav", ".dta", ".asc", *DATABASES)

WORDS = st.one_of(
    st.text('ab1|0.+- ,;"\n\té', max_size=4),
    st.sampled_from(
        ["", "1", "01", "1.50", "NA", "nan", "true", "2020-01-01", "12:30", "1e5", "x"]
    ),
)
COLUMNS = {
    "text": (pa.string(), WORDS),
    "whole": (pa.int64(), st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9)),
    "small": (pa.int8(), st.integers(-128, 127)),
    "unsigned": (pa.uint64(), st.integers(0, 2**64 - 1)),
    "float": (pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
    "single": (pa.float32(), st.floats(width=32, allow_nan=False, allow_infinity=False)),
    "decimal": (
        pa.decimal128(25, 3),
        st.decimals(-(10**20), 10**20, places=3, allow_nan=False, allow_infinity=False),
    ),
    "boolean": (pa.bool_(), st.booleans()),
    "date": (pa.date32(), st.dates()),
    "moment": (pa.timestamp("us"), st.datetimes()),
    "set": (pa.list_(pa.string()), st.lists(WORDS, max_size=2)),
}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    records = draw(st.integers(1, 4))
    columns = {}
    for place, kind in enumerate(
        draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3))
    ):
        form, values = COLUMNS[kind]
        held = draw(st.lists(st.none() | values, min_size=records, max_size=records))
        columns[f"{kind}{place}"] = pa.array(held, form)
    return pa.table(columns)


def kind(value: Any) -> str:
    """Say what a value is, by means other than those of the code under test."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float | Decimal):
        return "number"
    if isinstance(value, dt.datetime):
        return "moment"
    return type(value).__name__


def same(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    if kind(one) != kind(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if kind(one) == "number":
        return Decimal(shortest(one)) == Decimal(shortest(other))
    return bool(one == other)


def shortest(number: Any) -> str:
    return repr(float(number)) if isinstance(number, float) else str(number)


def values(table: pa.Table, name: str) -> list[Any]:
    column = table.column(name)
    if pa.types.is_float32(column.type):
        return [None if v is None else float(str(np.float32(v))) for v in column.to_pylist()]
    return column.to_pylist()


def refused(source: Path, target: Path, options: dict[str, str]) -> str:
    """Convert a file, and return the sentence if it is refused."""
    try:
        assert ta.convert(source, target, **options).changes == ()
    except TacitaError as error:
        return str(error)
    return ""


@pytest.mark.law
@pytest.mark.parametrize("suffix", TARGETS)
@settings(deadline=None)
@given(table=tables())
def test_there_and_back_is_the_same_or_a_sentence(tmp_path_factory, suffix, table):
    folder = tmp_path_factory.mktemp("c")
    source, target, back = folder / "a.parquet", folder / f"b{suffix}", folder / "c.parquet"
    write_table(table, source)
    inside = {"to_table": "t"} if suffix in DATABASES else {}
    outside = {"table": "t"} if suffix in DATABASES else {}
    refusal = refused(source, target, inside)
    if refusal:
        assert not target.exists()
        named = any(f"`{name}`" in refusal for name in table.column_names)
        # A sentence on a whole record or line names no column.
        others = ("blank in every column", "would not be read back")
        assert named or any(said in refusal for said in others), refusal
        return
    ta.convert(target, back, **outside)
    returned = ta.read(back).to_arrow()
    before = ta.read(source).to_arrow()  # what is not a number is missing there
    assert returned.column_names == table.column_names
    for name in table.column_names:
        assert all(map(same, values(before, name), values(returned, name))), name


def test_every_writable_file_format_is_under_the_law():
    modules = {known.module for known in FORMATS.values() if known.writes is not None}
    assert {FORMATS[suffix].module for suffix in TARGETS} == modules - {"parquet"}


def test_numbers_that_are_none_are_missing_on_both_sides(tmp_path):
    write_table(pa.table({"a": [math.nan, 1.0]}), tmp_path / "a.parquet")
    assert ta.convert(tmp_path / "a.parquet", tmp_path / "b.csv").changes == ()


def test_more_changes_than_a_sentence_holds_are_counted(tmp_path):
    write_table(pa.table({f"c{i}": ["1"] for i in range(9)}), tmp_path / "a.parquet")
    with pytest.raises(TacitaError, match="and 4 more attributes"):
        ta.convert(tmp_path / "a.parquet", tmp_path / "b.csv")
    done = ta.convert(tmp_path / "a.parquet", tmp_path / "b.csv", accept_loss=True)
    assert len(done.changes) == len(done.to_dict()["changes"]) == 9
    assert repr(done).count("Note: ") == 9


def test_what_is_not_read_back_at_all_is_a_sentence(tmp_path):
    # A header of numbers that do not count up is taken for a record.
    write_table(pa.table({"7": ["a"], "3": ["b"]}), tmp_path / "a.parquet")
    with pytest.raises(TacitaError, match="would not be read back as it is written") as refused:
        ta.convert(tmp_path / "a.parquet", tmp_path / "b.csv")
    assert str(tmp_path / "b.csv") in str(refused.value)
    assert ".tacita-" not in str(refused.value)
