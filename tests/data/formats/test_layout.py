"""What can be said of a source, and what is refused."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tacita.data.formats import layout_of, read_table, shown_place, write_table
from tacita.errors import InputError, OutputError


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"delimiter": "ab"}, "`delimiter`: expected one ASCII character"),
        ({"delimiter": '"'}, "that is no quote; found '\"'"),
        ({"delimiter": 1}, "`delimiter`: expected one ASCII character that is no quote; found 1"),
        ({"encoding": "utf-99"}, "`encoding`: expected like utf-8 or latin-1; found 'utf-99'"),
        ({"encoding": 8}, "`encoding`: expected like utf-8 or latin-1; found 8"),
        ({"decimal": ";"}, "`decimal`: expected a point or a comma; found ';'"),
        ({"delimeter": ";"}, "There is no option `delimeter`; .* Did you mean `delimiter`"),
        ({"sheet": [1]}, "`sheet`: expected the name of a sheet"),
        ({"table": "a", "query": "SELECT 1"}, "Expected one of `table` and `query`; found both"),
    ],
)
def test_what_cannot_be_is_told(said, sentence):
    with pytest.raises(InputError, match=sentence):
        layout_of(said)


def test_what_was_left_out_is_not_given():
    assert layout_of({"delimiter": "\\t", "sheet": None}).given == {"delimiter": "\t"}
    assert layout_of({"encoding": "Latin-1"}).encoding == "iso8859-1"


def test_what_means_nothing_for_a_format_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    write_table(pa.table({"a": [1]}), path)
    with pytest.raises(InputError, match=r"`delimiter` means nothing for a Parquet file"):
        read_table(path, delimiter=";")
    with pytest.raises(InputError, match=r"`table` means nothing for a CSV file"):
        write_table(pa.table({"a": [1]}), tmp_path / "a.csv", table="x")
    assert not (tmp_path / "a.csv").exists()


def test_unknown_addresses_are_told_without_their_password():
    with pytest.raises(InputError, match=r"begins with postgresql://.*found oracle://ana@host/x"):
        read_table("oracle://ana:secret@host/x")
    with pytest.raises(OutputError, match=r"found oracle://ana@host/x"):
        write_table(pa.table({"a": [1]}), "oracle://ana:secret@host/x")
    assert shown_place("postgresql://ana:a@b:c@host/x") == "postgresql://ana@host/x"
    assert shown_place("postgresql://host/x?password=b&user=ana") == "postgresql://host/x?user=ana"
    assert shown_place("postgresql://host/x?password=b") == "postgresql://host/x"
    assert shown_place("mysql://ana:se?cret@h/db") == "mysql://ana@h/db"
    assert shown_place("postgresql://h/x?sslpassword=b&a=1") == "postgresql://h/x?a=1"
