"""Reading and writing delimited text: what is kept, what is missing, and what is explained."""

from __future__ import annotations

import datetime as dt
import gzip
import time

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.data.formats import csv as csv_module
from tacita.data.formats import delimited, read_table, write_table
from tacita.errors import InputError, OutputError


@pytest.fixture
def read(tmp_path):
    """Write bytes to a file and read them."""

    def reading(content, name="people.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(path, **options)

    return reading


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
    assert read("a\n0.5\n9007199254740992.5\n1e300\n")["a"].type == pa.float64()
    assert read("a\n9223372036854775807\n")["a"].to_pylist() == [2**63 - 1]


def test_zeros_inside_dates_and_text_cost_no_column(read):
    table = read(
        "d,t,n,s\n"
        '2020-01-05,2020-01-05 05:06:07,1,"room 007, 01"\n'
        "2020-02-06,2020-02-06 00:00:00,2,+1\n"
    )
    assert table.schema.types == [pa.date32(), pa.timestamp("s"), pa.int64(), pa.string()]


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
    started = time.perf_counter()
    table = read(f"{names}\n" + f"{line},01\n" * 5)
    assert time.perf_counter() - started < 10
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


# --- what is explained


def test_empty_files(read):
    assert told(read, "").endswith("is empty; expected a header with the names of the attributes.")
    for content in ("\n\n", "\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"):
        assert "has no header" in told(read, content)


def test_no_header(read):
    sentence = told(read, "5,3.5,7\n6,2.5,8\n")
    assert "has no header: line 1 holds only numbers (5, 3.5, 7, ...)" in sentence


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
    with pytest.raises(InputError, match="one ASCII character and no quote; found 'ab'"):
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
    sentence = told(read, content, text=text)
    assert f"{place}: the byte {byte} is not UTF-8." in sentence
    assert f"the encoding {encoding}" in sentence


def test_wrong_and_unknown_encodings(read):
    assert "line 2: the byte 0xE9 means nothing in the encoding `ascii`" in told(
        read, b"a,b\n1,caf\xe9\n", encoding="ascii"
    )
    with pytest.raises(InputError, match="There is no encoding `latin-99`"):
        read("a\n1\n", encoding="latin-99")


def test_nul_bytes(read):
    assert "line 3: found a NUL byte" in told(read, b"a,b\n1,2\n3,\0\n")
    late = b"a,b\n" + b"1,2\n" * 2**17
    assert f"line {2**17 + 2}: found a NUL byte" in told(read, late + b"3,\0\n")
    assert f"line {2**17 + 3}: found a NUL byte" in told(read, late + b'"3",4\n\0,5\n')
    assert "the encoding utf-16" in told(read, "a,b\n1,2\n".encode("utf-16"))


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


def test_what_text_cannot_hold(tmp_path):
    with pytest.raises(OutputError, match="Column `s` holds struct"):
        write_table(pa.table({"s": [{"a": 1}]}), tmp_path / "out.csv")
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


@st.composite
def tables(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(1, 5))
    columns = []
    for _ in names:
        kind, values = draw(st.sampled_from(COLUMNS))
        some = st.lists(st.none() | values, min_size=rows - 1, max_size=rows - 1)
        columns.append(pa.array([draw(values), *draw(some)], kind))
    return pa.table(columns, names=names)


@given(tables())
@settings(deadline=None)
def test_what_is_written_reads_back(tmp_path_factory, table):
    path = tmp_path_factory.getbasetemp() / "round.csv"
    write_table(table, path)
    text = frozenset(name for name in table.column_names if table[name].type == pa.string())
    assert read_table(path, text=text).equals(table)
