"""Reading and writing delimited text: what is kept, what is missing, and what is explained."""

# ruff: noqa: RUF001 - text in many alphabets

from __future__ import annotations

import codecs
import datetime as dt
import gzip
import json
from decimal import Decimal
from itertools import product

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.data.formats import (
    Layout,
    delimited,
    layout_of,
    read_contents,
    read_table,
    write_table,
)
from tacita.data.formats import csv as csv_module
from tacita.errors import InputError, OutputError


@pytest.fixture
def read(tmp_path):
    """Write bytes to a file and read them."""

    def reading(content, name="people.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(path, **options)

    return reading


@pytest.fixture
def found(tmp_path):
    """Write bytes to a file and read all there is to know of it."""

    def finding(content, name="people.csv", *, text=frozenset(), **said):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_contents(path, layout_of(said), text=text)

    return finding


def told(read, content, **options):
    """Return the sentence a file is refused with, which names the file."""
    with pytest.raises(InputError) as caught:
        read(content, **options)
    sentence = str(caught.value)
    assert "people.csv" in sentence
    assert "\n" not in sentence
    return sentence


# --- types


def test_types_are_inferred_over_the_whole_file(read):
    table = read(
        "n,x,d,t,b,s\n"
        "1,0.5,2020-01-31,2020-01-31 10:00:00,true,a\n"
        "-2,1e3,1999-12-01,2021-01-01T00:30:00,false,b\n"
    )
    assert table.schema.types == [
        pa.int64(), pa.float64(), pa.date32(), pa.timestamp("s"), pa.bool_(), pa.string(),
    ]  # fmt: skip
    second = [-2, 1000.0, dt.date(1999, 12, 1), dt.datetime(2021, 1, 1, 0, 30), False, "b"]
    assert list(table.to_pylist()[1].values()) == second


@pytest.mark.parametrize("late", ["0.5", "x", "2020-01-01", "01", "9" * 25])
@pytest.mark.parametrize("blocks", [False, True])
def test_the_last_record_can_change_a_type(read, monkeypatch, late, blocks):
    if blocks:  # types taken from the first block for granted, then found wrong
        monkeypatch.setattr(csv_module, "FIRST_BLOCK", 64)
        monkeypatch.setattr(csv_module, "BLOCK", 256)
    column = read("id,v\n" + "1,7\n" * 500 + f"1,{late}\n")["v"].to_pylist()
    assert column[0] == (7.0 if late == "0.5" else "7")
    assert column[-1] == (0.5 if late == "0.5" else late)


def test_types_of_the_first_block_are_those_of_the_whole(read, monkeypatch):
    content = "n,x,d,b,s,e\n" + "1,0.5,2020-01-31,true,NA,\n2,1.5,2020-02-01,NA,x,\n" * 500
    whole = read(content)
    monkeypatch.setattr(csv_module, "FIRST_BLOCK", 256)
    monkeypatch.setattr(csv_module, "BLOCK", 1024)
    assert read(content).equals(whole)
    assert whole.schema.types == [
        pa.int64(), pa.float64(), pa.date32(), pa.bool_(), pa.string(), pa.string(),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "code", ["01234", "00", "-07", "+5", "+5.5", "0x1F", " 01", "  -01", '"01"', '" 01"', "007.5",
             "-00.5", "9223372036854775808", "-123456789012345678901", "1e999", "12:30", "1:30:59"],
)  # fmt: skip
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_what_a_number_would_not_keep_stays_text(read, code, delimiter):
    lines = ["id", "code", "after"], ["1", "7", "8"], ["2", code, "9"]
    table = read("\n".join(delimiter.join(line) for line in lines))
    assert table["code"].to_pylist() == ["7", code.strip('"')]
    assert table["id"].to_pylist() == [1, 2]
    assert table["after"].to_pylist() == [8, 9]


def test_leading_zeros_at_the_very_start_and_end(read):
    assert read("zip,n\n01,1").to_pydict() == {"zip": ["01"], "n": [1]}
    assert read("n,zip\n1,2\n1,00").to_pydict() == {"n": [1, 1], "zip": ["2", "00"]}
    assert read("n\n00\n").to_pydict() == {"n": ["00"]}


@pytest.mark.parametrize(
    "number", ["0", "-0", "0.5", "-0.5", "10", "100.00", "1e05", "1e-05", "5 ", " 5"]
)
def test_ordinary_numbers_are_numbers(read, number):
    assert read(f"a,b\n{number},1\n")["a"].to_pylist() == [float(number)]


def test_large_integers_among_decimals_stay_text(read):
    assert read("a\n0.5\n9007199254740993\n")["a"].to_pylist() == ["0.5", "9007199254740993"]
    lost = ["0.5", "9007199254740992.5", "1e300"]
    assert read("\n".join(["a", *lost, ""]))["a"].to_pylist() == lost
    assert read("a\n0.5\n9007199254740992.0\n1e300\n")["a"].type == pa.float64()
    assert read("a\n9223372036854775807\n")["a"].to_pylist() == [2**63 - 1]


def test_zeros_inside_dates_and_text_cost_no_column(read):
    table = read(
        "d,t,n,s\n"
        '2020-01-05,2020-01-05 05:06:07,1,"room 007, 01"\n'
        "2020-02-06,2020-02-06 00:00:00,2,+1\n"
    )
    assert table.schema.types == [pa.date32(), pa.timestamp("s"), pa.int64(), pa.string()]


def test_a_code_ends_with_its_field(read):
    table = read("a\tb\tc\n1\t2\t3\n\t007\t\n")
    assert table.to_pydict() == {"a": [1, None], "b": ["2", "007"], "c": [3, None]}


def test_names_like_codes_do_not_make_text(read):
    assert read("007,+5,a\n1,2,01\n").to_pydict() == {"007": [1], "+5": [2], "a": ["01"]}


def test_ancient_dates_are_dates(read):
    assert read("d,zip\n0987-01-31,01\n")["d"].to_pylist() == [dt.date(987, 1, 31)]


def test_zeros_are_seen_wherever_blocks_are_cut(monkeypatch):
    for size in range(3, 40):
        monkeypatch.setattr(delimited, "GLANCE", size)
        for at in range(40):
            body = ("\n" + "1," * at + "05" + ",1" * 20).encode()
            assert delimited._has_marks(np.frombuffer(body, np.uint8), ord(","))


def test_dates_are_no_codes_wherever_blocks_are_cut(monkeypatch):
    body = np.frombuffer(b"\n" + b"1990-01-05,7,2020-01-05 05:00\n" * 4, np.uint8)
    for size in range(3, 60):
        monkeypatch.setattr(delimited, "GLANCE", size)
        assert not delimited._has_marks(body, ord(","))


@given(st.lists(st.text("01,\n -x2", max_size=12), max_size=8))
def test_the_look_misses_nothing_that_the_survey_finds(pieces):
    from tacita.kernels.scanning import survey

    body = np.frombuffer(("\n" + ",".join(pieces)).encode(), np.uint8)
    if survey(body[1:], ord(","), 60).codes.any():
        assert delimited._has_marks(body, ord(","))


def test_named_columns_stay_text_as_written(read):
    table = read("zip,n,x\n1234, 7,1.50\n,8,2\n", text=frozenset({"zip", "x", "no such"}))
    assert table.to_pydict() == {"zip": ["1234", None], "n": [7, 8], "x": ["1.50", "2"]}


# --- what is missing


def test_words_are_missing_only_among_values_of_another_type(read):
    table = read("n,s,d,b\nNA,NA,NA,NA\n1,x,2020-01-01,true\n.,.,,null\n   ,   ,?,\n")
    assert table["n"].to_pylist() == [None, 1, None, None]
    assert table["s"].to_pylist() == ["NA", "x", ".", "   "]
    assert table["d"].to_pylist() == [None, dt.date(2020, 1, 1), None, None]
    assert table["b"].to_pylist() == [None, True, None, None]


def test_a_column_of_one_word_is_text(read):
    assert read("country,n\nNA,1\nNA,2\n")["country"].to_pylist() == ["NA", "NA"]


def test_a_blank_column_is_text(read):
    assert read("a,b\n,1\n,2\n")["a"] == pa.chunked_array([pa.array([None, None], pa.string())])


def test_nan_is_missing_and_infinity_is_kept(read):
    assert read("x\n1.5\nNaN\nNAN\ninf\n-Infinity\n")["x"].to_pylist() == [
        1.5, None, None, float("inf"), float("-inf"),
    ]  # fmt: skip


def test_a_quoted_blank_is_a_record_and_a_blank_line_is_none(read):
    assert read('a\n1\n\n""\n\n3\n\n')["a"].to_pylist() == [1, None, 3]


# --- shapes of files


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends(read, end, last):
    content = end.join(["a,b", '1,"x', 'y"', "2,z"]) + end * last
    assert read(content).to_pydict() == {"a": [1, 2], "b": [f"x{end}y", "z"]}


def test_line_ends_inside_quotes_survive_the_cuts_between_blocks(read, monkeypatch):
    monkeypatch.setattr(csv_module, "BLOCK", 64)  # apache/arrow#51368
    for width in range(40, 70):
        value = "z" * width + "\r\nB"
        content = f'id,s\r\n1,"{value}"\r\n' + "2,plain\r\n" * 20
        assert read(content)["s"].to_pylist() == [value, *["plain"] * 20]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found_out(read, delimiter):
    lines = ["name", "a,b;c\td|e", "n"], ["x", "1,5;2\t3|4", "1"]
    content = "\n".join(delimiter.join(f'"{field}"' for field in line) for line in lines)
    assert read(content).to_pydict() == {"name": ["x"], "a,b;c\td|e": ["1,5;2\t3|4"], "n": [1]}


def test_decimal_commas_do_not_fool_the_search(read):
    assert read("a;b\n1,5;2,5\n3,5;4,5\n").column_names == ["a", "b"]


def test_quotes_in_the_header_decide(read):
    assert read('a,"b;c;d"\n1,2\n').column_names == ["a", "b;c;d"]
    assert read('"a;b","c;d"\n').column_names == ["a;b", "c;d"]


def test_any_delimiter_can_be_given(read):
    assert read("a:b\n1:2\n", delimiter=":").to_pydict() == {"a": [1], "b": [2]}
    assert read("a\tb\n1\t2\n", delimiter="\\t").to_pydict() == {"a": [1], "b": [2]}
    assert read("a\n1\n", delimiter=";").to_pydict() == {"a": [1]}


def test_a_header_alone_is_a_table_without_records(read):
    assert read("a").schema == pa.schema([("a", pa.string())])
    for content in ("a,b", "a,b\n", "a,b\r\n\r\n", '"a","b"\n'):
        table = read(content)
        assert table.schema.types == [pa.string(), pa.string()]
        assert table.num_rows == 0


def test_blank_lines_before_the_header(read):
    assert read("\n\na,b\n1,2\n").to_pydict() == {"a": [1], "b": [2]}


def test_a_header_over_two_lines(read):
    assert read('"a\nb",c\n1,2\n').to_pydict() == {"a\nb": [1], "c": [2]}


def test_names_that_count_are_names(read):
    assert read("2019,2020\n5,6\n").to_pydict() == {"2019": [5], "2020": [6]}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16"])
def test_encodings(read, encoding):
    content = "naïve,n\ncafé,01\n".encode(encoding)
    assert read(content, encoding=encoding).to_pydict() == {"naïve": ["café"], "n": ["01"]}


def test_a_byte_order_mark_is_dropped(read):
    assert read(b"\xef\xbb\xbfa,b\n1,2\n").column_names == ["a", "b"]


def test_gzip(read):
    assert read(gzip.compress(b"a,b\n01,2\n"), "people.csv.gz").to_pydict() == {
        "a": ["01"],
        "b": [2],
    }
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    for damaged in (b"a,b\n1,2\n", packed[:-10], packed[:12] + b"\xff" * 9 + packed[21:]):
        with pytest.raises(InputError, match="not a gzip file, or it is damaged or cut off"):
            read(damaged, "people.csv.gz")


def test_a_field_larger_than_a_block(read, monkeypatch):
    monkeypatch.setattr(csv_module, "BLOCK", 1024)
    assert read(f"a,b\n1,{'x' * 5000}\n" * 1)["b"].to_pylist() == ["x" * 5000]


def test_a_header_larger_than_the_sample(read, monkeypatch):
    monkeypatch.setattr(delimited, "SAMPLE", 16)
    names = ";".join(f"name {i}" for i in range(50))
    record = ";".join(["1,5"] * 50)
    assert read(f"{names}\n" + f"{record}\n" * 100).shape == (100, 50)


def test_ten_thousand_columns(read):
    names = ",".join(f"v{i}" for i in range(10_000))
    line = ",".join(str(i) for i in range(9_999))
    table = read(f"{names}\n" + f"{line},01\n" * 5)
    assert table.num_columns == 10_000
    assert table["v9999"][0].as_py() == "01"


def test_values_agree_with_polars(read, tmp_path):
    random = np.random.default_rng(3)
    frame = pl.DataFrame({
        "i": random.integers(-(10**9), 10**9, 5000),
        "f": random.normal(size=5000),
        "s": random.choice(["a", "b, c", 'd"e', "f\ng"], 5000),
    })  # fmt: skip
    assert read(frame.write_csv()).to_pydict() == frame.to_dict(as_series=False)


# --- how characters are coded


MARKED = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


@pytest.mark.parametrize("encoding", MARKED)
@pytest.mark.parametrize("given", [False, True])
def test_a_byte_order_mark_decides(found, encoding, given):
    content = MARKED[encoding] + "naïve,n\n東京,01\n".encode(encoding)
    contents = found(content, **({"encoding": encoding} if given else {}))
    assert contents.table.to_pydict() == {"naïve": ["東京"], "n": ["01"]}
    assert contents.found["encoding"] == (encoding if given else encoding[:6].rstrip("-"))
    assert contents.found["byte_order_mark"]
    assert contents.warnings == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_shows_by_its_nul_bytes(found, encoding):
    contents = found("naïve,n\ncafé,1\n".encode(encoding))
    assert contents.table.to_pydict() == {"naïve": ["café"], "n": [1]}
    assert contents.found["encoding"] == encoding
    assert f"guessed to be {encoding}" in contents.warnings[0]


WORDS = {
    "cp1252": ["Müller", "Köln", "Schäfer", "Düsseldorf", "Größe", "Würzburg", "it’s 10 €"],
    "cp1251": ["Москва", "Новосибирск", "Екатеринбург", "мужчина", "женщина", "Ольга"],
    "cp932": ["東京都", "大阪府", "北海道", "田中", "鈴木", "ソ連"],  # ソ ends like a backslash
    "gb18030": ["王伟", "李娜", "张敏", "北京市", "上海市", "广州市"],
}


@pytest.mark.parametrize("encoding", WORDS)
@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
@pytest.mark.parametrize("many", [1, 400])
def test_an_encoding_is_guessed_with_a_warning(found, monkeypatch, encoding, name, many):
    monkeypatch.setattr(csv_module, "FIRST_BLOCK", 64)
    monkeypatch.setattr(csv_module, "BLOCK", 1024)
    title, *words = WORDS[encoding]
    words *= many
    coded = "".join([f"n;{title}\n", *(f"1;{word}\n" for word in words)]).encode(encoding)
    contents = found(gzip.compress(coded) if name.endswith("gz") else coded, name)
    assert contents.table.to_pydict() == {"n": [1] * len(words), title: words}
    assert contents.found["encoding"] == encoding
    (warning,) = contents.warnings
    assert warning.startswith(f"The encoding was guessed to be {encoding}; if letters look wrong")


def test_bytes_of_characters_are_no_delimiters(found):
    text = "都市|n\nポスト|1\n東京都|2\n大阪府|3\n"  # a second byte looks like a vertical bar
    assert b"|" in "ポ".encode("cp932")
    assert found(text.encode("cp932")).table["都市"].to_pylist() == ["ポスト", "東京都", "大阪府"]


def test_a_guess_fits_the_whole_file(found):
    early = "город\n" + "".join(f"{word}\n" for word in WORDS["cp1251"] * 400)
    late = bytes(range(0x80, 0x100))  # a byte that no other encoding of the likely ones has
    contents = found(early.encode("cp1251") + late + b"\n")
    assert contents.found["encoding"] == "latin-1"
    assert contents.table.column(0)[-1].as_py() == late.decode("latin-1")


def test_damaged_utf8_is_no_other_encoding(read):
    content = "name,n\nMüller,1\nKöln,2\nGroß,3\n".encode() + b"caf\xe9,4\n"
    assert "line 5, column `name`: the byte 0xE9 is not UTF-8" in told(read, content)
    assert "line 2, column `n`: the byte 0xE9 is not UTF-8" in told(
        read, codecs.BOM_UTF8 + b"name,n\nx,\xe9\n"
    )


def test_encodings_of_something_else_than_characters(read):
    for encoding in ("base64", "undefined", "idna", "utf-7"):
        assert "encoding `" in told(read, b"a,b\n1,+2AA-\xff\n", encoding=encoding)


# --- decimal commas


@pytest.mark.parametrize("delimiter", [";", "\t", "|", ","])
@pytest.mark.parametrize("given", [None, ","])
def test_decimal_commas_make_numbers(found, delimiter, given):
    lines = (
        ["n", "x", "y", "s", "d"],
        ["1", "1,5", "-0,25", "a", "NA"],
        ["2", "7", "NA", "1,5", " 2,5e3 "],
    )
    content = "\n".join(delimiter.join(f'"{field}"' for field in line) for line in lines)
    contents = found(content, decimal=given)
    assert contents.table.to_pydict() == {
        "n": [1, 2], "x": [1.5, 7.0], "y": [-0.25, None], "s": ["a", "1,5"], "d": [None, 2500.0],
    }  # fmt: skip
    assert contents.found["decimal"] == ","
    assert contents.warnings == ()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
@settings(deadline=None)
def test_decimal_commas_give_the_nearest_double(tmp_path_factory, numbers):
    path = tmp_path_factory.getbasetemp() / "commas.csv"
    written = [f"{number!r}".replace(".", ",") for number in [0.5, *numbers]]
    path.write_text("\n".join(["x;n", *(f"{number};1" for number in written)]))
    assert read_table(path)["x"].to_pylist() == [0.5, *numbers]


@pytest.mark.parametrize(
    "values", [["1,5", "x"], ["1,5", "1,2,3"], ["1,5", "1.5"], ["01,5", "2"], ["+1,5", "2"],
               ["0,5", "9007199254740993"], ["1,5", "1e999"], ["NA", "NA"], ["12:30", "1,5"]],
)  # fmt: skip
@pytest.mark.parametrize("given", [None, ","])
def test_what_is_no_decimal_comma_stays_text(found, values, given):
    contents = found("n;v\n" + "".join(f"1;{value}\n" for value in values), decimal=given)
    assert contents.table["v"].to_pylist() == values
    assert contents.found["decimal"] == (given or ".")


def test_decimal_commas_are_never_judged_by_a_sample(found, monkeypatch):
    monkeypatch.setattr(csv_module, "LOOK", 16)
    blank, late = "1;\n" * 50 + "1;NA\n" * 50, "1;1,5\n" * 500
    assert found("n;v\n" + blank + late).table["v"].to_pylist() == [None] * 100 + [1.5] * 500
    assert found("n;v\n" + late + "1;x\n").table["v"].to_pylist() == ["1,5"] * 500 + ["x"]


def test_a_given_sign_is_obeyed(found):
    assert found("a;b\n1,5;2.5\n", decimal=".").table.to_pydict() == {"a": ["1,5"], "b": [2.5]}
    assert found("a;b\n1,5;2.5\n", decimal=",").table.to_pydict() == {"a": [1.5], "b": ["2.5"]}
    assert found('a,b\n"1,234",1\n', decimal=",").table["a"].to_pylist() == [1.234]
    kept = found("a;b\n1,5;2\n", text=frozenset({"a"}))
    assert (kept.table["a"].to_pylist(), kept.found["decimal"]) == (["1,5"], ".")


def test_commas_that_may_part_thousands(found):
    unsure = found('pay,x\n"1,234","0,5"\n"-12,500","1,25"\n999,2\n')
    assert unsure.table.to_pydict() == {"pay": ["1,234", "-12,500", "999"], "x": [0.5, 1.25, 2.0]}
    (warning,) = unsure.warnings
    assert warning.startswith("Column `pay` was kept as text")
    for sure in ("0,234", "1234,567", "1,23", "1,2345", "1,234e2"):
        assert found(f'pay,n\n"1,234",1\n"{sure}",2\n').table["pay"].type == pa.float64()


def test_thousands_in_a_file_with_another_delimiter_are_decimals(found):
    unsure = found("pay;n\n1,234;1\n12,500;2\n")
    assert unsure.table["pay"].to_pylist() == [1.234, 12.5]
    (warning,) = unsure.warnings
    assert warning.startswith("Column `pay` was read with a decimal comma")
    assert found("pay;x\n1,234;0,5\n12,500;1,5\n").warnings == ()


def test_points_and_commas_in_one_file_are_refused(read):
    sentence = told(read, "n;a;b;c\n1;1,5;1e5;2\n2;2,5;2e5;1.500\n")
    assert "column `a` has decimal commas and column `c` decimal points" in sentence
    assert "say which sign is `decimal`" in sentence


def test_floats_without_a_point_do_not_clash(found):
    table = found("a;b;c\n1,5;1e5;.\n2,5;inf;1e3\n").table
    assert table.to_pydict() == {"a": [1.5, 2.5], "b": [1e5, float("inf")], "c": [None, 1000.0]}


# --- what is told of a file


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a,b\n1,2\n", {}),
        ("a,b\n", {}),
        ("a\tb\n01\t2\n", {"delimiter": "\t"}),
        ('a,b\n1,"2"\n', {"quoting": "double quotes"}),
        ('"a",b\n1,2\n', {"quoting": "double quotes"}),
        ('a,b\n1,5" pipe\n', {}),
        ("a;b\n1;2,5\n", {"delimiter": ";", "decimal": ","}),
    ],
)
def test_the_layout_is_told(found, content, told):
    usual = {"delimiter": ",", "encoding": "utf-8", "byte_order_mark": False, "quoting": "none",
             "decimal": "."}  # fmt: skip
    assert found(content).found == {**usual, **told}
    assert json.loads(json.dumps(found(content).found)) == {**usual, **told}


# --- what is explained


def test_empty_files(read):
    assert told(read, "").endswith("is empty; expected a header with the names of the attributes.")
    for content in ("\n\n", "\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"):
        assert "has no header" in told(read, content)


def test_no_header(read):
    sentence = told(read, "5,3.5,7\n6,2.5,8\n")
    assert "has no header: line 1 holds only numbers (5, 3.5, 7, ...)" in sentence
    assert "has no header" in told(read, "5;3,5;7\n6;2,5;8\n")
    assert "has no header" in told(read, f"{'7' * 5000},2\n")


def test_repeated_and_empty_names(read):
    sentence = told(read, "a,b,a,c,b,a\n1,2,3,4,5,6\n")
    assert (
        "`a` is given to columns 1, 3 and 6; the name `b` is given to columns 2 and 5" in sentence
    )
    assert "column 2 of 3 has no name" in told(read, "a,,c\n1,2,3\n")
    assert "column 3 of 3 has no name" in told(read, "a,b,\n1,2,\n")


def test_wrong_delimiter(read):
    sentence = told(read, "a;b\n1;2\n", delimiter=",")
    assert "wrong delimiter; expected fields parted by a comma" in sentence
    assert "2 fields parted by a semicolon. Give the delimiter ';', or none." in sentence
    with pytest.raises(InputError, match="one ASCII character that is no quote; found 'ab'"):
        read("a\n1\n", delimiter="ab")


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        ("a,b\n1,2\n3\n", 3, 1),
        ("a,b\n1,2\n3,4,5\n6,7\n", 3, 3),
        ("a,b\r\n\r\n1,2\r\n3,4,5\r\n", 4, 3),
        ('a,b\n"x\ny\n",2\n1,"2\n3",4\n', 5, 3),
        ('"a\nb",c\n1,2\n3\n', 4, 1),
        ("a,b\n" + "1,2\n" * 5000 + "1,2,", 5002, 3),
    ],
)
def test_ragged_records(read, content, line, found):
    sentence = told(read, content)
    assert f"line {line}: expected 2 fields as in the header, found {found}." in sentence


def test_a_ragged_record_over_lines_hints_at_quotes(read):
    assert "line 2: expected 2 fields as in the header, found 3. It runs to line 3" in told(
        read, 'a,b\n1,"x\ny",3\n'
    )


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('a,b\n1,"x\n2,y\n', 2),
        ('a,b\n1,x\n2,"y', 3),
        ('a,b\n1,x\n2,"5', 3),
        ('a,b\n1,x\n"2\n', 3),
        ('a,"b\n1,2\n', 1),
        ('"a,b', 1),
        ('a,b\n"x\ny",1\n2,"z\n', 4),
        ("a,b\n" + "1,2\n" * 3000 + '1,"z\n' + "1,2\n" * 3000, 3002),
    ],
)
@pytest.mark.parametrize("block", [2**22, 1024])
def test_unclosed_quotes(read, monkeypatch, content, line, block):
    monkeypatch.setattr(csv_module, "BLOCK", block)
    assert f"line {line}: a quote is opened and never closed" in told(read, content)


def test_an_endless_quote_in_the_header(read):
    assert "line 1: a quote is opened and never closed" in told(read, '"a,b\n' + "1,2\n" * 50_000)


def test_quotes_inside_fields_are_text(read):
    assert read('a,b\n5" pipe,1\nx"y",2\n"p""q",3')["a"].to_pylist() == ['5" pipe', 'x"y"', 'p"q']


@pytest.mark.parametrize(
    ("content", "place", "byte", "encoding"),
    [
        (b"name,n\ncaf\xe9,1\n", "line 2, column `name`", "0xE9", "latin-1"),
        (b"n,name\n1,a\n2,it\x92s\n", "line 3, column `name`", "0x92", "cp1252"),
        (b'n,name\n1,"a\nb"\n2,"x\ncaf\xe9"\n', "line 5, column `name`", "0xE9", "latin-1"),
        (b"n,caf\xe9\n1,2\n", "line 1, column 2", "0xE9", "latin-1"),
        (
            b"n,name\n" + b"1,ok\n" * 500 + b"1,caf\xe9",
            "line 502, column `name`",
            "0xE9",
            "latin-1",
        ),
    ],
)
@pytest.mark.parametrize("text", [frozenset(), frozenset({"name"})])
def test_bytes_that_are_not_utf8(read, monkeypatch, content, place, byte, encoding, text):
    monkeypatch.setattr(csv_module, "FIRST_BLOCK", 64)
    monkeypatch.setattr(csv_module, "BLOCK", 1024)
    sentence = told(read, content, text=text, encoding="utf-8")
    assert f"{place}: the byte {byte} is not UTF-8." in sentence
    assert f"the encoding {encoding}" in sentence


def test_wrong_and_unknown_encodings(read):
    assert "line 2: the byte 0xE9 means nothing in the encoding `ascii`" in told(
        read, b"a,b\n1,caf\xe9\n", encoding="ascii"
    )
    with pytest.raises(
        InputError, match="`encoding`: expected like utf-8 or latin-1; found 'latin-99'"
    ):
        read("a\n1\n", encoding="latin-99")


def test_nul_bytes(read):
    assert "line 3: found a NUL byte" in told(read, b"a,b\n1,2\n3,\0\n")
    assert "line 1: found a NUL byte" in told(read, b"a\0b\n1\0002\n")
    assert "line 1: found a NUL byte" in told(read, bytes(64) + b"a,b\n1,2\n")
    late = b"a,b\n" + b"1,2\n" * 2**17
    assert f"line {2**17 + 2}: found a NUL byte" in told(read, late + b"3,\0\n")
    assert f"line {2**17 + 3}: found a NUL byte" in told(read, late + b'"3",4\n\0,5\n')
    assert "the encoding utf-16" in told(read, "a,b\n1,2\n".encode("utf-16"), encoding="utf-8")


def test_other_refusals_of_arrow_are_one_sentence(read, monkeypatch):
    def refuse(*_arguments):
        raise pa.ArrowInvalid("something new.\nwith details")

    monkeypatch.setattr(csv_module, "_arrow_parsed", refuse)
    assert told(read, "a,b\n1,2\n").endswith("people.csv cannot be read: something new.")


@given(st.binary(max_size=60), st.sampled_from(["utf-8", "latin-1"]))
@settings(max_examples=150, deadline=None)
def test_any_bytes_give_a_table_or_a_sentence(tmp_path_factory, content, encoding):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(content)
    try:
        table = read_table(path, encoding=encoding)
    except InputError as error:
        assert "\n" not in str(error).replace(str(path), "")  # noqa: PT017
    else:
        assert not any(pa.types.is_binary(kind) for kind in table.schema.types)


VALUES = st.sampled_from(["", " ", "NA", "x", '"', "a,b", "l\nm", "007", None])


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=20), st.sampled_from(",;\t|"))
@settings(max_examples=100, deadline=None)
def test_empty_text_and_missing_text_come_back_as_they_were(tmp_path_factory, rows, delimiter):
    path = tmp_path_factory.getbasetemp() / "empty.csv"
    names = ["word", "other", "n"]
    columns = [[one for one, _ in rows], [two for _, two in rows], list(range(len(rows)))]
    columns = [["w", *columns[0]], ["v", *columns[1]], [0, *columns[2]]]  # text, whatever is drawn
    table = pa.table(dict(zip(names, columns, strict=True)))
    write_table(table, path, delimiter=delimiter)
    again = read_table(path, delimiter=delimiter)
    assert again.to_pydict() == table.to_pydict()
    before = path.read_bytes()
    write_table(again, path, delimiter=delimiter)
    assert path.read_bytes() == before


def test_quotes_around_nothing_beyond_the_first_block_are_empty_text(tmp_path):
    words = ["x", "", None] * 400_000
    path = tmp_path / "long.csv"
    write_table(pa.table({"word": words, "n": list(range(len(words)))}), path)
    assert path.stat().st_size > 2**22
    column = read_table(path)["word"]
    assert (column.null_count, pc.sum(pc.equal(column, "")).as_py()) == (400_000, 400_000)


def test_quotes_around_nothing_are_warned_of_where_nothing_else_is_blank(found):
    (told,) = found('"a","b"\n"","1"\n"x",""\n').warnings
    assert told.startswith('Quotes around nothing ("") were read as empty text in `a`; if they')
    assert found('a,b\n"",1\n,2\n').warnings == ()
    assert found('a,b\n,1\nx,""\n').warnings == ()


@given(st.text('a1,"\n\r; 0+', max_size=40))
@settings(max_examples=150, deadline=None)
def test_any_text_gives_a_table_or_a_sentence(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "text.csv"
    path.write_text(content, newline="")
    try:
        assert read_table(path).num_columns
    except InputError as error:
        assert str(path) in str(error)  # noqa: PT017


# --- writing


def test_what_is_written(tmp_path):
    table = pa.table({
        "n": [1, None], "x": [1.0, 0.1], "d": [dt.date(2020, 1, 31), None], "b": [True, False],
        "s": ['a "b", c', ""], "l": [["x", None, "y,z"], []],
        "c": pa.array(["u", "v"]).dictionary_encode(), "a;b": [float("nan"), float("inf")],
    })  # fmt: skip
    write_table(table, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes().decode() == (
        '"n","x","d","b","s","l","c","a;b"\n'
        '1,1.0,2020-01-31,true,"a ""b"", c","x||y,z",u,\n'
        ',0.1,,false,"","",v,inf\n'
    )


def test_sliced_lists_are_written_whole(tmp_path):
    table = pa.table({"n": [1, 2, 3], "l": [["a"], ["b", "c"], None]}).slice(1)
    write_table(table, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "n,l\n2,b|c\n3,\n"


def test_tabs_and_packing(tmp_path):
    table = pa.table({"a": ["x\ty", "u,v"], "b": [1, 2]})
    write_table(table, tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text() == 'a\tb\n"x\ty"\t1\nu,v\t2\n'
    for name in ("one.csv.gz", "two.csv.gz"):
        write_table(table, tmp_path / name)
        assert read_table(tmp_path / name).equals(table)
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()


def test_chunks_do_not_show(tmp_path):
    table = pa.table({"a": list(range(100)), "s": [str(i) * 2 for i in range(100)]})
    write_table(table, tmp_path / "one.csv")
    pieces = pa.concat_tables([table.slice(0, 7), table.slice(7, 50), table.slice(57)])
    write_table(pieces, tmp_path / "two.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([{"a": 1}], "struct"),
        ([dt.timedelta(hours=30)], "duration"),
        ([[dt.timedelta(hours=30)]], "list<.*duration"),
    ],
)
def test_what_text_cannot_hold(tmp_path, values, kind):
    with pytest.raises(OutputError, match=f"Column `s` holds {kind}"):
        write_table(pa.table({"s": values}), tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_table_without_columns_is_no_text(tmp_path):
    with pytest.raises(OutputError, match="at least one column; found none"):
        write_table(pa.table({}), tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_decimal_commas_and_delimiters_are_obeyed(tmp_path):
    path = tmp_path / "out.csv"
    table = pa.table({
        "n": [1, -2], "x": [1.0, 0.25], "e": [1e300, None], "s": ["1,5", "a;b"],
        "t": [dt.datetime(2020, 1, 31, 10), None], "m": [Decimal("1.50"), None],
    })  # fmt: skip
    write_table(table, path, decimal=",")
    assert path.read_text() == (
        'n,x,e,s,t,m\n1,"1,0",1e+300,"1,5",2020-01-31 10:00:00.000000,"1,50"\n-2,"0,25",,a;b,,\n'
    )
    write_table(table, path, decimal=",", delimiter=";")
    assert path.read_text() == (
        'n;x;e;s;t;m\n1;1,0;1e+300;1,5;2020-01-31 10:00:00.000000;1,50\n-2;0,25;;"a;b";;\n'
    )
    write_table(table.select(["n", "x", "t"]), path, delimiter="-")
    assert path.read_text() == 'n-x-t\n1-1.0-"2020-01-31 10:00:00.000000"\n"-2"-0.25-\n'


def test_a_delimiter_goes_before_the_name_of_the_file(tmp_path):
    write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "out.tsv", delimiter=";")
    assert (tmp_path / "out.tsv").read_text() == "a;b\n1;2\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "utf-16-be", "cp1252"])
def test_encodings_are_obeyed(tmp_path, monkeypatch, encoding):
    monkeypatch.setattr(csv_module, "CELLS", 4)  # a mark is written once
    table = pa.table({"naïve": ["café", "b", "ü", "d"], "n": [1, 2, 3, 4]})
    write_table(table, tmp_path / "out.csv", encoding=encoding)
    text = "naïve,n\ncafé,1\nb,2\nü,3\nd,4\n"
    assert (tmp_path / "out.csv").read_bytes() == text.encode(encoding)


@pytest.mark.parametrize(
    ("table", "encoding", "column", "character"),
    [
        ({"n": [1], "s": ["Łódź"]}, "cp1252", "s", "'Ł'"),
        ({"n": [1], "Łódź": ["x"]}, "cp1252", "Łódź", "'Ł'"),
        ({"n": [1], "s": ["¥"]}, "shift_jis", "s", "'¥'"),  # it would become a backslash
        ({"n": [1], "s": ["a\0b"]}, "utf-8", "s", r"'\x00'"),
        ({"n": [1], "s": [["x", "é"]]}, "ascii", "s", "'é'"),
    ],
)
def test_characters_that_an_encoding_lacks(tmp_path, table, encoding, column, character):
    with pytest.raises(OutputError) as caught:
        write_table(pa.table(table), tmp_path / "out.csv", encoding=encoding)
    assert f"Column `{column}` has the character {character}" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("encoding", ["base64", "undefined", "punycode", "idna"])
def test_encodings_that_hold_no_table(tmp_path, encoding):
    with pytest.raises(OutputError, match="cannot be written in the encoding"):
        write_table(pa.table({"a": [1]}), tmp_path / "out.csv", encoding=encoding)
    assert list(tmp_path.iterdir()) == []


INTEGERS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False)
DATES = st.dates()
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
NUMBERS_AS_TEXT = st.one_of(
    INTEGERS.map(str), FLOATS.map(repr), st.from_regex(r"[0-9+]{1,4}", fullmatch=True)
)
NAMES = st.text(st.sampled_from('ab ,;|\t"\n\ré'), min_size=1).filter(str.strip)
COLUMNS = [
    (pa.int64(), INTEGERS),
    (pa.float64(), FLOATS),
    (pa.date32(), DATES),
    (pa.string(), TEXT),
    (pa.string(), NUMBERS_AS_TEXT),
]


BOOLEANS = (pa.bool_(), st.booleans())


@st.composite
def tables(draw, names=NAMES, columns=COLUMNS, least=1):
    chosen = draw(st.lists(names, min_size=least, max_size=4, unique=True))
    rows = draw(st.integers(1, 5))
    arrays = []
    for _ in chosen:
        kind, values = draw(st.sampled_from(columns))
        some = st.lists(st.none() | values, min_size=rows - 1, max_size=rows - 1)
        arrays.append(pa.array([draw(values), *draw(some)], kind))
    return pa.table(arrays, names=chosen)


def text_columns(table):
    return frozenset(field.name for field in table.schema if field.type == pa.string())


@given(tables())
@settings(deadline=None)
def test_what_is_written_reads_back(tmp_path_factory, table):
    path = tmp_path_factory.getbasetemp() / "round.csv"
    write_table(table, path)
    assert read_table(path, text=text_columns(table)).equals(table)


UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1}  # microseconds
ZONES = [None, "UTC", "Europe/Oslo"]


@given(
    st.lists(st.none() | st.datetimes(dt.datetime(1, 1, 3), dt.datetime(9999, 12, 29)), min_size=1),
    st.sampled_from(list(UNITS)),
    st.sampled_from(ZONES),
)
@settings(deadline=None)
def test_times_of_all_years_read_back(tmp_path_factory, moments, unit, zone):
    path = tmp_path_factory.getbasetemp() / "times.csv"
    moments = [moments[0] or dt.datetime(2300, 1, 1, 5), *moments[1:]]
    column = pa.array(moments, pa.timestamp("us", zone)).cast(pa.timestamp(unit, zone), safe=False)
    write_table(pa.table({"t": column}), path)
    again = read_table(path)["t"]
    assert pa.types.is_timestamp(again.type)
    assert again.cast(pa.timestamp("us", zone)).to_pylist() == column.to_pylist()


def test_times_beyond_nanoseconds_keep_to_the_rules_of_times(read):
    table = read("t,u,v\n2300-01-01 05:00:00.5,2300-01-01 05:00:00.1234567,x\nNA,,2300-01-01\n")
    assert table["t"].to_pylist() == [dt.datetime(2300, 1, 1, 5, 0, 0, 500_000), None]
    assert table["u"].to_pylist() == ["2300-01-01 05:00:00.1234567", None]
    assert table["v"].to_pylist() == ["x", "2300-01-01"]
    kept = read("t\n2300-01-01 05:00:00.5\n", text=frozenset({"t"}))
    assert kept["t"].to_pylist() == ["2300-01-01 05:00:00.5"]
    later = "".join(f"2300-01-01 05:00:00.{i}\n" for i in range(200))
    assert read(f"t\n{later}soon\n")["t"].to_pylist()[-1] == "soon"


def tables_in(encoding):
    letters = st.characters(codec=encoding, exclude_categories=["Cs"], exclude_characters="\0")
    text = (pa.string(), st.text(letters, min_size=1))
    return tables(columns=[*(c for c in COLUMNS if c[1] is not TEXT), text, BOOLEANS], least=2)


LAYOUTS = list(product(",;\t|: -", ".,", ["utf-8", "cp1252", "utf-16"]))


@pytest.mark.parametrize(("delimiter", "decimal", "encoding"), LAYOUTS)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_what_is_written_in_a_layout_reads_back(
    tmp_path_factory, data, delimiter, decimal, encoding
):
    path = tmp_path_factory.getbasetemp() / "layout.csv"
    table, said = data.draw(tables_in(encoding)), {"decimal": decimal, "encoding": encoding}
    write_table(table, path, delimiter=delimiter, **said)
    text = text_columns(table)
    assert read_table(path, text=text, delimiter=delimiter, **said).equals(table)
    if delimiter not in delimited.DELIMITERS:
        return
    guess = {"encoding": encoding} if encoding == "cp1252" else {}
    seen = read_contents(path, Layout(**guess), text=text)
    if not any("kept as text" in warning for warning in seen.warnings):
        assert seen.table.equals(table)
