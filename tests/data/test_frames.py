"""Data frames of every make: what is taken as it is, what becomes text, what is refused."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.attribute import Kind
from tacita.data.formats import write_table
from tacita.errors import InputError


def not_utf8() -> pa.Array:
    """Text of which Arrow does not know that one value is Latin-1."""
    offsets = pa.py_buffer(np.array([0, 1, 2], np.int32))
    return pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"\xe9a")])


def test_intervals_as_categories_are_text_in_their_order():
    data = ta.read(pd.DataFrame({"age": pd.cut([9, 1, np.nan], [0, 4, 10])}))
    assert data.column("age").to_pylist() == ["(4, 10]", "(0, 4]", None]
    assert data.attribute("age").kind is Kind.ORDINAL
    assert data.attribute("age").order == ("(0, 4]", "(4, 10]")
    assert list(data.to_native()["age"].cat.categories) == ["(0, 4]", "(4, 10]"]


def test_periods_as_categories_are_text():
    months = pd.Categorical(pd.period_range("2020-01", periods=2, freq="M"))
    assert ta.read(pd.DataFrame({"m": months})).column("m").to_pylist() == ["2020-01", "2020-02"]


def test_the_frame_that_came_in_is_not_changed():
    frame = pd.DataFrame({"age": pd.cut([1, 9], [0, 4, 10]), "n": pd.arrays.SparseArray([0, 1])})
    before = frame.copy(deep=True)
    ta.read(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_sparse_columns_are_filled_in():
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0, 0, 1]), "b": [1, 2, 3]})
    assert ta.read(frame).table.to_pydict() == {"a": [0, 0, 1], "b": [1, 2, 3]}


def test_columns_with_names_of_several_levels_come_back():
    frame = pd.DataFrame({("a", "x"): [1], ("a", "y"): pd.arrays.SparseArray([2])})
    data = ta.read(frame)
    assert data.names == ["('a', 'x')", "('a', 'y')"]
    assert list(data.to_native().columns) == [("a", "x"), ("a", "y")]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            pd.DataFrame({"x": [1, 2], "id": [10**20, 1]}),
            "`id` holds whole numbers of more than 64",
        ),
        (pd.DataFrame({"x": [1, 2], "y": [1, "a"]}), "`y` mixes types that have no common one"),
        (pd.DataFrame({"x": [1], "y": [1 + 2j]}), "`y` mixes types .* or holds one that is not"),
        (pd.DataFrame({"x": [1], "y": pd.Categorical([(1, 2)])}), "`y` holds dictionary"),
        (pl.DataFrame({"y": pl.Series([2**100], dtype=pl.Int128)}), "`y` mixes types"),
        (pa.table({"x": [1, 2], "y": not_utf8()}), "`y` of the data frame holds text that is not"),
        (
            pa.table({"y": pa.DictionaryArray.from_arrays(pa.array([0, 1]), not_utf8())}),
            "`y` of the data frame holds text that is not UTF-8",
        ),
        (
            pa.table({"y": pa.ListArray.from_arrays(pa.array([0, 2]), not_utf8())}),
            "`y` of the data frame holds text that is not UTF-8",
        ),
        (pd.DataFrame({"y": [dt.datetime(2020, 1, 1), "a"]}), "`y` mixes types"),
    ],
)
def test_a_column_that_cannot_be_read_is_named(frame, message):
    with pytest.raises(InputError, match=message) as caught:
        ta.read(frame)
    assert caught.value.attribute in {"id", "y"}


def half_floats(make):
    return make(np.array([1.5, 65504, -(2.0**-24)], np.float16))


@pytest.mark.parametrize(
    "frame",
    [
        half_floats(lambda values: pd.DataFrame({"a": values})),
        half_floats(lambda values: pa.table({"a": pa.array(values)})),
    ],
    ids=["pandas", "pyarrow"],
)
def test_half_floats_keep_their_values(frame):
    data = ta.read(frame)
    assert data.to_arrow().column("a").to_pylist() == [1.5, 65504.0, -(2.0**-24)]
    assert data.attribute("a").kind == "continuous"


def test_half_floats_in_files_and_lists_keep_their_values(tmp_path):
    table = pa.table({"a": pa.array([[1.5], None], pa.list_(pa.float16()))})
    for suffix in ("parquet", "feather"):
        write_table(table, tmp_path / f"a.{suffix}")
        assert ta.read(tmp_path / f"a.{suffix}").column("a").to_pylist() == [[1.5], None]
