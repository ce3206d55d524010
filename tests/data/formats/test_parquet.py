"""Parquet files: types kept, equal bytes for equal tables, damage explained."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacita.data.formats import parquet, read_table, write_table
from tacita.errors import InputError, OutputError


@pytest.fixture
def table():
    return pa.table({
        "n": pa.array([1, None, 3], pa.int16()),
        "x": [0.1, float("inf"), None],
        "d": [dt.date(2020, 1, 1), None, dt.date(1900, 2, 3)],
        "s": ["", "01", None],
        "c": pa.array(["u", "v", "u"]).dictionary_encode(),
        "l": [["a", "b"], [], None],
    })  # fmt: skip


@pytest.mark.parametrize("name", ["people.parquet", "people.pq", "PEOPLE.PARQUET"])
def test_what_is_written_reads_back(table, tmp_path, name):
    write_table(table, tmp_path / name)
    assert read_table(tmp_path / name).equals(table)
    assert read_table(tmp_path / name).schema.equals(table.schema)


def test_a_table_without_records(table, tmp_path):
    write_table(table.slice(0, 0), tmp_path / "none.parquet")
    assert read_table(tmp_path / "none.parquet").equals(table.slice(0, 0))


def test_equal_tables_give_equal_bytes(table, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "ROW_GROUP", 64)
    long = pa.concat_tables([table] * 50)
    marked = long.replace_schema_metadata({"made": "yesterday by ana"})
    pieces = pa.concat_tables([marked.slice(0, 7), marked.slice(7, 90), marked.slice(97)])
    noted = pieces.schema.field("n").with_metadata({"note": "x"})
    pieces = pieces.cast(pieces.schema.set(0, noted))
    for name, one in {"one": long, "two": pieces, "three": long.combine_chunks()}.items():
        write_table(one, tmp_path / f"{name}.parquet")
    contents = {path.read_bytes() for path in tmp_path.iterdir()}
    assert len(contents) == 1
    assert b"ana" not in contents.pop()


def test_the_row_labels_of_pandas_are_not_written(tmp_path):
    frame = pa.Table.from_pandas(pd.DataFrame({"a": [1]}, index=pd.Index(["ana"], name="who")))
    write_table(frame, tmp_path / "a.parquet")
    assert pq.read_schema(tmp_path / "a.parquet").metadata is None
    assert (
        pq.ParquetFile(tmp_path / "a.parquet").metadata.row_group(0).column(0).compression == "ZSTD"
    )


def test_folder_names_are_no_columns(table, tmp_path):
    folder = tmp_path / "year=2020"
    folder.mkdir()
    write_table(table, folder / "a.parquet")
    assert read_table(folder / "a.parquet").column_names == table.column_names


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "hole"])
def test_damaged_files(table, tmp_path, damage):
    path = tmp_path / "people.parquet"
    write_table(pa.table({"n": list(range(100_000))}), path)
    whole = path.read_bytes()
    hole = whole[:1000] + bytes(2000) + whole[3000:]
    path.write_bytes({"empty": b"", "text": b"a,b\n1,2\n", "cut": whole[:-9], "hole": hole}[damage])
    with pytest.raises(
        InputError, match=r"people\.parquet is not a Parquet file, or it is damaged"
    ):
        read_table(path)


def not_utf8() -> pa.Array:
    """Text of which Arrow does not know that one value is Latin-1."""
    offsets = pa.py_buffer(np.array([0, 1, 2], np.int32))
    return pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"\xe9a")])


@pytest.mark.parametrize(
    "broken",
    [
        not_utf8(),
        pa.DictionaryArray.from_arrays(pa.array([1, 0]), not_utf8()),
        pa.ListArray.from_arrays(pa.array([0, 1, 2]), not_utf8()),
    ],
    ids=["text", "dictionary", "list"],
)
def test_text_that_is_not_utf8(tmp_path, broken):
    path = tmp_path / "old.parquet"
    pq.write_table(pa.table({"n": [1, 2], "s": ["a", "b"], "name": broken}), path)
    with pytest.raises(InputError, match=r"`name` of .*old\.parquet holds text that is not UTF-8"):
        read_table(path)


def test_repeated_names(tmp_path):
    path = tmp_path / "twice.parquet"
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), path)
    with pytest.raises(InputError, match="the name `a` is given to columns 1 and 2"):
        read_table(path)


def test_what_parquet_cannot_hold(tmp_path):
    union = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])
    with pytest.raises(OutputError, match="cannot hold this table"):
        write_table(pa.table({"u": union}), tmp_path / "u.parquet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_names_that_are_no_text_are_a_fault_of_the_file(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    write_table(pa.table({"abcd": [1]}), path)
    path.write_bytes(path.read_bytes().replace(b"abcd", b"\xff\xfe\x80d"))
    with pytest.raises(InputError, match="it is damaged or cut off"):
        read_table(path)
