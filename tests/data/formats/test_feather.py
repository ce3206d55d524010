"""Arrow files: types kept, equal bytes for equal tables, streams read, damage explained."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import ipc

from tacita.data.formats import feather, read_table, write_table
from tacita.errors import InputError, OutputError


@pytest.fixture
def table():
    return pa.table({
        "n": pa.array([1, None, 3], pa.int16()),
        "x": [0.1, float("inf"), None],
        "d": [dt.date(2020, 1, 1), None, dt.date(1900, 2, 3)],
        "t": pa.array([dt.datetime(2020, 1, 1, 5), None, None], pa.timestamp("us", "Europe/Paris")),
        "s": ["", "01", None],
        "c": pa.array(["u", "v", "u"]).dictionary_encode(),
        "l": [["a", "b"], [], None],
    })  # fmt: skip


@pytest.mark.parametrize("name", ["a.feather", "a.arrow", "a.ipc", "A.FEATHER"])
def test_what_is_written_reads_back(table, tmp_path, name):
    write_table(table, tmp_path / name)
    read = read_table(tmp_path / name)
    assert read.equals(table)
    assert read.schema.equals(table.schema)


@given(
    values=st.lists(st.one_of(st.none(), st.text(max_size=4)), max_size=8),
    numbers=st.lists(st.one_of(st.none(), st.floats(allow_nan=False)), max_size=8),
)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_values_read_back(tmp_path, values, numbers):
    size = min(len(values), len(numbers))
    table = pa.table({
        "s": pa.array(values[:size], pa.string()),
        "x": pa.array(numbers[:size], pa.float64()),
    })  # fmt: skip
    write_table(table, tmp_path / "any.arrow")
    assert read_table(tmp_path / "any.arrow").equals(table)


def test_a_table_without_records(table, tmp_path):
    write_table(table.slice(0, 0), tmp_path / "none.feather")
    assert read_table(tmp_path / "none.feather").equals(table.slice(0, 0))


def test_streams_are_read(table, tmp_path):
    with ipc.new_stream(str(tmp_path / "a.arrow"), table.schema) as writer:
        writer.write_table(table, 2)
    assert read_table(tmp_path / "a.arrow").equals(table)


def test_equal_tables_give_equal_bytes(table, tmp_path, monkeypatch):
    monkeypatch.setattr(feather, "BATCH", 64)
    long = pa.concat_tables([table] * 50)
    marked = long.replace_schema_metadata({"made": "yesterday by ana"})
    pieces = pa.concat_tables([marked.slice(0, 7), marked.slice(7, 90), marked.slice(97)])
    noted = pieces.schema.field("n").with_metadata({"note": "x"})
    pieces = pieces.cast(pieces.schema.set(0, noted))
    for name, one in {"one": long, "two": pieces, "three": long.combine_chunks()}.items():
        write_table(one, tmp_path / f"{name}.arrow")
    contents = {path.read_bytes() for path in tmp_path.iterdir()}
    assert len(contents) == 1
    assert b"ana" not in contents.pop()


def test_what_lies_outside_a_slice_is_not_written(tmp_path):
    secret = pa.table({"s": ["known", "x" * 40 + "secret"]})
    write_table(secret.slice(0, 1), tmp_path / "a.arrow")
    write_table(pa.table({"s": ["known"]}), tmp_path / "b.arrow")
    assert (tmp_path / "a.arrow").read_bytes() == (tmp_path / "b.arrow").read_bytes()


def test_what_lies_beneath_a_suppressed_value_is_not_written(tmp_path):
    wages = pa.array([987_654_321, 2], pa.int64())
    hidden = pc.if_else(pa.array([True, False]), pa.scalar(None, pa.int64()), wages)
    assert (987_654_321).to_bytes(4, "little") in hidden.buffers()[1].to_pybytes()
    write_table(pa.table({"wage": hidden}), tmp_path / "a.arrow")
    write_table(pa.table({"wage": pa.array([None, 2], pa.int64())}), tmp_path / "b.arrow")
    assert (tmp_path / "a.arrow").read_bytes() == (tmp_path / "b.arrow").read_bytes()


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "start"])
def test_damaged_files(tmp_path, damage):
    path = tmp_path / "people.feather"
    write_table(pa.table({"n": list(range(10_000)), "s": [str(n) for n in range(10_000)]}), path)
    whole = path.read_bytes()
    path.write_bytes(
        {"empty": b"", "text": b"a,b\n1,2\n", "cut": whole[:-9], "start": whole[:400]}[damage]
    )
    with pytest.raises(InputError, match=r"people\.feather is not an Arrow file, or it is damaged"):
        read_table(path)


def test_a_cut_stream(table, tmp_path):
    with ipc.new_stream(str(tmp_path / "a.arrow"), table.schema) as writer:
        writer.write_table(table)
    whole = (tmp_path / "a.arrow").read_bytes()
    (tmp_path / "a.arrow").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="damaged or cut off"):
        read_table(tmp_path / "a.arrow")


def test_a_file_of_the_first_version(tmp_path):
    (tmp_path / "old.feather").write_bytes(b"FEA1" + bytes(100))
    with pytest.raises(InputError, match="Feather file of version 1"):
        read_table(tmp_path / "old.feather")


def test_repeated_names(tmp_path):
    twice = pa.table([[1], [2]], names=["a", "a"])
    with ipc.new_file(str(tmp_path / "twice.arrow"), twice.schema) as writer:
        writer.write_table(twice)
    with pytest.raises(InputError, match="the name `a` is given to columns 1 and 2"):
        read_table(tmp_path / "twice.arrow")


def test_what_cannot_be_written(tmp_path):
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([1]))
    with pytest.raises(OutputError, match=r"a\.arrow cannot hold this table"):
        write_table(pa.table({"r": runs}), tmp_path / "a.arrow")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_a_file_that_cannot_be_written(table, tmp_path):
    with pytest.raises(OutputError, match="Create the folder"):
        write_table(table, tmp_path / "none" / "a.arrow")
    assert list(tmp_path.iterdir()) == []
