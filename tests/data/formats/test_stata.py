"""Stata files: labels and extended missing values survive, dates are dates, damage is noticed."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.attribute import Kind
from tacita.data.codebook import Meaning
from tacita.data.declaration import Declaration
from tacita.data.formats import (
    Contents,
    Layout,
    read_contents,
    read_table,
    stata,
    write_contents,
    write_table,
)
from tacita.errors import InputError, OutputError

LARGEST = 2**53 - 1
words = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=60
)
labels = st.text(st.characters(categories=("L", "Nd")), min_size=1, max_size=80)
VALUES = {
    pa.int64(): st.integers(-LARGEST, LARGEST),
    pa.float64(): st.floats(-8.9e307, 8.9e307),
    pa.string(): words,
    pa.date32(): st.dates(dt.date(100, 1, 1)),
    pa.timestamp("us"): st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
    pa.time64("us"): st.times(),
}


@st.composite
def coded_columns(draw):
    """Draw numbers, their labels, letters of missing values, and which one each blank had."""
    codes = sorted(draw(st.sets(st.sampled_from([".a", ".b", ".m", ".z"]))))
    known = st.integers(-5, 120)
    values = draw(st.lists(st.none() | known, min_size=5, max_size=5))
    why = [0 if v is not None else draw(st.integers(0, len(codes))) for v in values]
    labelled = draw(st.lists(known | st.sampled_from(codes or [0]), unique=True, max_size=6))
    found = [code for place, code in enumerate(codes, start=1) if place in why or code in labelled]
    places = {codes.index(code) + 1: place for place, code in enumerate(found, start=1)}
    used = tuple(found)
    meaning = Meaning(draw(st.none() | labels), {code: draw(labels) for code in labelled}, used)
    return values, meaning, np.array([places.get(place, 0) for place in why], np.int32)


@st.composite
def contents(draw):
    """Draw five records of every type, with a column of coded whole numbers and one of dates."""
    columns = {
        f"c{place}": pa.array(draw(st.lists(st.none() | values, min_size=5, max_size=5)), kind)
        for place, (kind, values) in enumerate(VALUES.items())
    }
    coded, meaning, why = draw(coded_columns())
    return Contents(
        pa.table({"größe_1": pa.array(coded, pa.int64()), **columns}),
        {"größe_1": meaning},
        {"größe_1": why} if why.any() else {},
    )


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(given_contents=contents())
def test_what_is_written_reads_back(tmp_path, given_contents):
    path = tmp_path / "a.dta"
    write_contents(given_contents, path)
    found = read_contents(path)
    assert found.table.equals(given_contents.table)
    for name, meaning in given_contents.codebook.items():
        assert replace(found.codebook[name], display=None) == meaning
    assert found.reasons.keys() == given_contents.reasons.keys()
    for name, why in given_contents.reasons.items():
        assert found.reasons[name].tolist() == why.tolist()
        assert found.reasons[name].dtype == np.int32
    first = path.read_bytes()
    write_contents(found, path)
    assert path.read_bytes() == first


def test_another_reader_sees_the_same(tmp_path):
    table = pa.table({"sex": [1, None, 2], "pay": [1.5, None, None], "t": ["ü", "b" * 3000, None]})
    meanings = {
        "sex": Meaning("Sex", {1: "m", 2: "f", ".a": "refused"}, (".a",)),
        "pay": Meaning(missing_codes=(".b", ".z")),
    }
    why = {"sex": np.array([0, 1, 0], np.int32), "pay": np.array([0, 2, 0], np.int32)}
    write_contents(Contents(table, meanings, why), tmp_path / "a.dta")
    with pd.read_stata(tmp_path / "a.dta", iterator=True) as reader:
        frame = reader.read(convert_categoricals=False, convert_missing=True)
        assert reader.value_labels() == {"sex0": {1: "m", 2: "f", 2147483622: "refused"}}
        assert reader.variable_labels()["sex"] == "Sex"
    assert [str(value) for value in frame["sex"]] == ["1", ".a", "2"]
    assert [str(value) for value in frame["pay"]] == ["1.5", ".z", "."]
    assert frame["t"].tolist() == ["ü", "b" * 3000, ""]


def test_a_table_without_records(tmp_path):
    table = pa.schema([(f"c{i}", kind) for i, kind in enumerate(VALUES)]).empty_table()
    write_table(table, tmp_path / "a.dta")
    assert read_table(tmp_path / "a.dta").equals(table)


def test_the_time_of_writing_is_not_told(tmp_path):
    write_table(pa.table({"a": [1]}), tmp_path / "a.dta")
    assert b"<timestamp>\x1101 Jan 1970 00:00</timestamp>" in (tmp_path / "a.dta").read_bytes()


def test_codes_of_spss_become_letters(tmp_path):
    meaning = Meaning(value_labels={1.0: "yes", 9: "refused"}, missing_codes=(8, 9, ".A", "._"))
    table = pa.table({"v": [1, None, None, None, None]})
    why = {"v": np.array([0, 2, 1, 3, 4], np.int32)}
    write_contents(Contents(table, {"v": meaning}, why), tmp_path / "a.dta")
    found = read_contents(tmp_path / "a.dta")
    assert found.codebook["v"].missing_codes == (".a", ".b", ".c", ".d")
    assert found.codebook["v"].value_labels == {1: "yes", ".c": "refused"}
    assert found.reasons["v"].tolist() == [0, 3, 2, 1, 4]


def test_displays_are_kept(tmp_path):
    table = pa.table({"m": [720, 721], "x": [1.25, 2.0], "d": [dt.date(1800, 1, 1), None]})
    said = {
        "m": Meaning(display="%tm"),
        "x": Meaning(display="%9.0f"),
        "d": Meaning(display="%tdD_m_Y"),
    }
    write_contents(Contents(table, said), tmp_path / "a.dta")
    found = read_contents(tmp_path / "a.dta")
    assert found.table.equals(table)
    assert found.codebook == said


@pytest.mark.parametrize("display", ["%td", "%9.0f", "F8.2"])
def test_a_display_that_would_change_the_type_gives_way(tmp_path, display):
    table = pa.table({"x": [1.0, None, 3.0]})
    write_contents(Contents(table, {"x": Meaning(display=display)}), tmp_path / "a.dta")
    assert read_table(tmp_path / "a.dta").equals(table)


def test_blanks_with_letters_only(tmp_path):
    table = pa.table({"v": pa.array([None, None], pa.int64())})
    why = {"v": np.array([1, 0], np.int32)}
    write_contents(Contents(table, {"v": Meaning(missing_codes=(".q",))}, why), tmp_path / "a.dta")
    found = read_contents(tmp_path / "a.dta")
    assert found.table.equals(table)
    assert found.codebook["v"].missing_codes == (".q",)


# --- files of others


@pytest.mark.parametrize(
    ("display", "number", "expected"),
    [
        ("%td", 0.0, dt.date(1960, 1, 1)),
        ("%d", -1.0, dt.date(1959, 12, 31)),
        ("%tdCCYY-NN-DD", -60_000.0, dt.date(1795, 9, 22)),
        ("%td", 0.5, dt.datetime(1960, 1, 1, 12)),
        ("%tc", -1.5, dt.datetime(1959, 12, 31, 23, 59, 59, 998_500)),
        ("%tcDDmonCCYY_HH:MM", 60_000.0, dt.datetime(1960, 1, 1, 0, 1)),
        ("%tcHH:MM", 60_000.0, dt.time(0, 1)),
        ("%tcHH:MM", 1e9, 1e9),
        ("%tC", 60_000.0, 60_000.0),
        ("%10.0g", 2.0, 2.0),
        ("%12.0f", 2.0, 2),
        ("%12.0f", 2.5, 2.5),
        ("%td", 1e9, 1e9),
    ],
)
def test_the_display_tells_what_numbers_are(tmp_path, display, number, expected):
    frame = pl.DataFrame({"v": [number, None]})
    pyreadstat.write_dta(frame, tmp_path / "a.dta", variable_format={"v": display})
    value = read_table(tmp_path / "a.dta").column("v").to_pylist()[0]
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize("version", [8, 10, 12, 13, 14, 15])
def test_files_of_many_versions(tmp_path, version):
    frame = pl.DataFrame({
        "sex": pl.Series([1, "a", None, 2], dtype=pl.Object),
        "x": pl.Series([1.5, "b", None, "z"], dtype=pl.Object),
        "t": ["a", "", "b ", "c"],
    })  # fmt: skip
    pyreadstat.write_dta(
        frame,
        tmp_path / "a.dta",
        version=version,
        missing_user_values={"sex": ["a"], "x": ["b", "z"]},
        variable_value_labels={"sex": {1: "m", 2: "f", "a": "refused"}},
    )
    found = read_contents(tmp_path / "a.dta")
    assert found.table.to_pydict() == {
        "sex": [1, None, None, 2],
        "x": [1.5, None, None, None],
        "t": ["a", None, "b ", "c"],
    }
    assert found.reasons["sex"].tolist() == [0, 1, 0, 0]
    assert found.reasons["x"].tolist() == [0, 1, 0, 2]
    assert found.codebook["sex"].missing_codes == (".a",)
    assert found.codebook["x"].missing_codes == (".b", ".z")
    assert found.said == {"sex": Declaration(kind=Kind.NOMINAL)}


# --- what Stata cannot hold


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ([-(2**53)], "-9007199254740992 in record 1, which Stata cannot hold exactly"),
        ([1.0, float("nan")], "nan in record 2"),
        ([8.99e307], r"8\.99e\+307 in record 1"),
        ([{"a": 1}], "holds struct<a: int64>, which Stata cannot"),
        (["a", ""], "record 2 that Stata cannot keep: '' is empty"),
        (["a\0b"], "holds a null character"),
        ([dt.date(99, 12, 31)], "too early"),
    ],
)
def test_values_that_are_refused(tmp_path, column, told):
    with pytest.raises(OutputError, match=f"Column `v` .*{told}"):
        write_table(pa.table({"v": column}), tmp_path / "a.dta")
    assert list(tmp_path.iterdir()) == []


def test_nanoseconds_are_refused(tmp_path):
    column = pa.array([1], pa.timestamp("ns"))
    with pytest.raises(OutputError, match=r"Column `v` .*too fine"):
        write_table(pa.table({"v": column}), tmp_path / "a.dta")


@pytest.mark.parametrize("name", ["", "1a", "a b", "a.b", "a" * 33, "int", "str12", "strL", "with"])
def test_names_that_are_refused(tmp_path, name):
    with pytest.raises(OutputError, match="is no name of a variable in Stata"):
        write_table(pa.table({name: [1]}), tmp_path / "a.dta")


@pytest.mark.parametrize(
    ("column", "meaning", "told"),
    [
        ([1], Meaning("x" * 81), "has a label of 81 characters; Stata has room for 80"),
        ([1], Meaning(value_labels={0.5: "half"}), "labels 0.5; Stata labels whole numbers"),
        ([1], Meaning(value_labels={2**31: "big"}), "labels 2147483648"),
        ([1], Meaning(value_labels={1: "x" * 32_001}), "more than 32,000 bytes"),
        (["a"], Meaning(value_labels={"a": "b"}), "labels text, which Stata cannot"),
        ([1], Meaning(missing_codes=tuple(range(2, 29))), "has 27 codes of missing values"),
    ],
)
def test_meanings_that_are_refused(tmp_path, column, meaning, told):
    with pytest.raises(OutputError, match=f"Column `v` .*{told}"):
        write_contents(Contents(pa.table({"v": column}), {"v": meaning}), tmp_path / "a.dta")


def test_reasons_in_text_are_refused(tmp_path):
    contents = Contents(
        pa.table({"v": ["a", None]}),
        {"v": Meaning(missing_codes=(9,))},
        {"v": np.array([0, 1], np.int32)},
    )
    with pytest.raises(OutputError, match=r"says why text is missing, .* use SPSS"):
        write_contents(contents, tmp_path / "a.dta")


def test_long_names_with_labels_are_refused(tmp_path):
    name = "a" * 32
    contents = Contents(pa.table({name: [1]}), {name: Meaning(value_labels={1: "one"})})
    with pytest.raises(OutputError, match="too long for a column with value labels"):
        write_contents(contents, tmp_path / "a.dta")
    write_table(contents.table, tmp_path / "a.dta")
    assert read_table(tmp_path / "a.dta").column_names == [name]


# --- damage


def test_cut_files_are_refused_wherever_they_end(tmp_path):
    path = tmp_path / "a.dta"
    table = pa.table(
        {"n": list(range(20)), "t": ["long" * 600 if i == 3 else "x" for i in range(20)]}
    )
    write_contents(Contents(table, {"n": Meaning("N", {1: "one", 2: "two"})}), path)
    whole = path.read_bytes()
    for end in [*range(0, len(whole), 13), *range(len(whole) - 200, len(whole))]:
        path.write_bytes(whole[:end])
        with pytest.raises(InputError, match="is not a Stata file, or it is damaged or cut off"):
            read_table(path)


def test_cut_files_of_old_versions_are_refused_or_told(tmp_path):
    path = tmp_path / "a.dta"
    frame = pl.DataFrame({"n": pl.Series(range(20), dtype=pl.Int32)})
    labelled = {"n": {1: "one", 2: "two"}}
    pyreadstat.write_dta(frame, path, version=12, variable_value_labels=labelled)
    whole = path.read_bytes()
    told = 0
    for end in range(0, len(whole), 5):
        path.write_bytes(whole[:end])
        try:
            found = read_contents(path)
        except InputError as error:
            assert "is not a Stata file" in str(error)  # noqa: PT017
            continue
        assert found.table.column("n").to_pylist() == list(range(20))
        assert "refers to the value labels `n0`, which the file does not" in found.warnings[0]
        told += 1
    assert told > 0


def test_foreign_files_are_refused(tmp_path):
    (tmp_path / "a.dta").write_text("a,b\n1,2\n" * 100)
    with pytest.raises(InputError, match="is not a Stata file"):
        read_table(tmp_path / "a.dta")


def test_text_of_old_files_may_need_its_encoding(tmp_path):
    path = tmp_path / "a.dta"
    pyreadstat.write_dta(pl.DataFrame({"t": ["Wxrzburg"]}), path, version=12)
    path.write_bytes(path.read_bytes().replace(b"Wxr", b"W\x81r"))
    with pytest.raises(InputError, match="holds text that is not coded as the file says"):
        read_table(path)
    found = stata.read(path, Layout(encoding="cp437"), frozenset())
    assert found.table.column("t").to_pylist() == ["Würzburg"]


def test_repeated_names(tmp_path):
    path = tmp_path / "a.dta"
    write_table(pa.table({"aa": [1], "ab": [2]}), path)
    path.write_bytes(path.read_bytes().replace(b"ab\0\0", b"aa\0\0"))
    with pytest.raises(InputError, match="two columns have one name"):
        read_table(path)


# --- in a person's hands


def test_labels_and_reasons_survive_masking(tmp_path):
    table = pa.table({"sex": [1, 2, None, 1], "pay": [10, None, 99, None]})
    codebook = {
        "sex": Meaning("Sex", {1: "male", 2: "female", ".a": "refused"}, (".a",)),
        "pay": Meaning("Pay", {".b": "not known"}, (".b",)),
    }
    reasons = {"sex": np.array([0, 0, 1, 0], np.int32), "pay": np.array([0, 1, 0, 0], np.int32)}
    write_contents(Contents(table, codebook, reasons), tmp_path / "in.dta")
    people = ta.read(tmp_path / "in.dta", roles={"sex": "key", "pay": "confidential"})
    people.apply(ta.TopCode("pay", above=50), seed=0).write(tmp_path / "out.dta")
    found = read_contents(tmp_path / "out.dta")
    assert found.table.column("sex").to_pylist() == [1, 2, None, 1]
    assert found.codebook["sex"].value_labels == codebook["sex"].value_labels
    assert found.codebook["pay"].value_labels == {".b": "not known"}
    assert found.reasons["sex"].tolist() == [0, 0, 1, 0]
    assert found.reasons["pay"].tolist() == [0, 1, 0, 0]
