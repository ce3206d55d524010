"""One report says which values of a text file are spelled otherwise when they are written again."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.formats import write_table

WRITTEN = (
    "code,pay,n,day,ok,same\n007,1.50,1,2020-01-02,True,a\n12,1E9,NA,,false,b\n3,2.5, 3,NA,,\n"
)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(WRITTEN)
    return path


def test_columns_are_told_with_a_count_and_an_example(source):
    columns = ta.reading_report(source).columns
    assert [column.column for column in columns] == ["pay", "n", "n", "day", "ok"]
    told = {column.column: column for column in reversed(columns)}
    assert told["pay"][1:] == (2, 1, "1.50", "1.5", "double")
    assert told["n"][1:] == (1, 2, "NA", "", "int64")
    assert columns[2][1:] == (1, 3, " 3", "3", "int64")
    assert (told["day"].written, told["day"].read) == ("NA", "")
    assert (told["ok"].written, told["ok"].read) == ("True", "true")
    assert "`n` read as int64: 'NA' becomes missing, first in record 2" in str(told["n"])


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_every_text_that_is_read_as_missing_is_counted(tmp_path_factory, data):
    """What is lost is what Python's own reader finds where nothing is read."""
    path = tmp_path_factory.getbasetemp() / "lost.csv"
    field = st.sampled_from(["", '""', "NA", " ", "7", "-3", '"5"'])
    rows = data.draw(st.lists(st.tuples(field, field), min_size=1, max_size=12))
    path.write_text("word,n,m\n" + "".join(f"w,{n},{m}\n" for n, m in [*rows, ("1", "2")]))
    table = ta.read(path).to_arrow()
    told = {one.column: one.values for one in ta.reading_report(path).columns if not one.read}
    for place, name in enumerate(["n", "m"]):
        written = [row[place] for row in rows]
        read = table[name].to_pylist()[: len(rows)]
        lost = sum(value is None and text != "" for value, text in zip(read, written, strict=True))
        assert told.get(name, 0) == lost
        assert [value is None for value in read] == [
            text in {"", '""', "NA", " "} for text in written
        ]


def test_quotes_around_nothing_are_named_where_they_are_lost(run_cli, tmp_path):
    source = tmp_path / "a.csv"
    source.write_text('name,pay\n"",1\n,""\nx,""\n')
    (lost,) = ta.reading_report(source).columns
    assert lost == ("pay", 2, 2, '""', "", "int64")
    done = run_cli("convert", source, tmp_path / "b.parquet")
    assert "2 values of `pay` read as int64: '\"\"' becomes missing, first in record 2" in done.out
    (tmp_path / "one.csv").write_text('name\nx\n""\n')
    (lost,) = ta.reading_report(tmp_path / "one.csv").columns
    assert lost == ("name", 1, 2, '""', "", "string")


@pytest.mark.parametrize("content", ["x;y\n1,50;a\n2,5;b\n", "x|y\n1.50|a\n2.5|b\n"])
def test_the_layout_that_was_found_is_kept_to(tmp_path, content):
    (tmp_path / "a.csv").write_text(content)
    (column,) = ta.reading_report(tmp_path / "a.csv").columns
    assert (column.column, column.values) == ("x", 1)


def test_what_is_written_by_us_is_read_as_it_is_written(tmp_path):
    table = pa.table({"a": [1.5, None, 1e300], "b": [1, 2, None], "c": ["x", None, "y"]})
    write_table(table, tmp_path / "a.csv")
    report = ta.reading_report(tmp_path / "a.csv")
    assert report.columns == ()
    assert repr(report).endswith("every value is read as it is written.")


def test_formats_without_spelling_and_files_without_records_change_nothing(tmp_path):
    write_table(pa.table({"a": [1.5]}), tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("a,b\n")
    for name in ("a.parquet", "b.csv"):
        assert ta.reading_report(tmp_path / name).to_dict()["columns"] == []


def test_convert_and_inspect_tell_it(run_cli, source):
    done = run_cli("convert", source, source.with_name("b.parquet"), "--json")
    assert [row["column"] for row in done.json["reading"]] == ["pay", "n", "n", "day", "ok"]
    done = run_cli("convert", source, source.with_name("c.parquet"))
    assert "2 values of `pay` read as double: '1.50' becomes 1.5" in done.out
    done = run_cli("inspect", source)
    assert "2 values of `pay` read as double: '1.50' becomes 1.5" in done.out
    rows = run_cli("inspect", source, "--json").json["reading"]
    assert rows[0] == {
        "column": "pay", "values": 2, "record": 1, "written": "1.50", "read": "1.5",
        "kind": "double",
    }  # fmt: skip
