"""SPSS files: labels and missing codes survive, dates are dates, damage is noticed."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
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
    readstat,
    spss,
    write_contents,
    write_table,
)
from tacita.errors import InputError, OutputError

LARGEST = 2**53 - 1
EPOCH = dt.datetime(1970, 1, 1)
words = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=300
).filter(lambda text: not text.endswith(" "))
labels = st.text(st.characters(categories=("L", "Nd")), min_size=1, max_size=30)
moments = st.integers(-12_219_292_800_000, 253_402_300_799_999).map(
    lambda ms: EPOCH + dt.timedelta(milliseconds=ms)
)
VALUES = {
    pa.int64(): st.integers(-LARGEST, LARGEST),
    pa.float64(): st.floats(allow_nan=False, allow_infinity=False, width=64).filter(
        lambda x: abs(x) < 1.7e308
    ),
    pa.string(): words,
    pa.date32(): st.dates(dt.date(1582, 10, 15)),
    pa.timestamp("us"): moments,
    pa.time64("us"): st.times(),
}


@st.composite
def coded_columns(draw):
    """Draw whole numbers, their labels, codes of missing values, and which one each blank had."""
    codes = draw(st.lists(st.integers(-99, 99), max_size=3, unique=True))
    known = st.integers(-5, 120).filter(lambda value: value not in codes)
    values = draw(st.lists(st.none() | known, min_size=5, max_size=5))
    why = [0 if v is not None else draw(st.integers(0, len(codes))) for v in values]
    labelled = draw(st.lists(known | st.sampled_from(codes or [0]), unique=True, max_size=6))
    meaning = Meaning(
        draw(st.none() | labels), {code: draw(labels) for code in labelled}, tuple(codes)
    )
    return values, meaning, np.array(why, np.int32)


@st.composite
def contents(draw):
    """Draw five records of every type, with a coded column and one of text."""
    columns = {
        f"c{place}": pa.array(draw(st.lists(st.none() | values, min_size=5, max_size=5)), kind)
        for place, (kind, values) in enumerate(VALUES.items())
    }
    coded, meaning, why = draw(coded_columns())
    return Contents(
        pa.table({"Größe.1": pa.array(coded, pa.int64()), **columns}),
        {"Größe.1": meaning},
        {"Größe.1": why} if why.any() else {},
    )


@pytest.mark.parametrize("suffix", [".sav", ".zsav"])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(given_contents=contents())
def test_what_is_written_reads_back(tmp_path, suffix, given_contents):
    path = tmp_path / f"a{suffix}"
    write_contents(given_contents, path)
    found = read_contents(path)
    assert found.table.equals(given_contents.table)
    for name, meaning in given_contents.codebook.items():
        assert replace(found.codebook[name], display=None) == meaning
    assert found.reasons.keys() == given_contents.reasons.keys()
    for name, why in given_contents.reasons.items():
        assert found.reasons[name].tolist() == why.tolist()
        assert found.reasons[name].dtype == np.int32
    write_contents(found, path)
    again = path.read_bytes()
    write_contents(read_contents(path), path)
    assert path.read_bytes() == again


def test_long_columns_are_taken_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(readstat, "BLOCK", 4)
    for rows in (3, 4, 5, 8, 9):
        table = pa.table({"n": list(range(rows)), "x": [i + 0.5 for i in range(rows)]})
        write_table(table, tmp_path / "a.sav")
        assert read_table(tmp_path / "a.sav").equals(table)


@pytest.mark.parametrize("name", ["a.sav", "a.zsav"])
def test_a_table_without_records(tmp_path, name):
    table = pa.schema([(f"c{i}", kind) for i, kind in enumerate(VALUES)]).empty_table()
    write_table(table, tmp_path / name)
    assert read_table(tmp_path / name).equals(table)


def test_dictionaries_and_small_types(tmp_path):
    table = pa.table({
        "c": pa.array(["u", None, "u"]).dictionary_encode(),
        "n": pa.array([1, None, 3], pa.int8()),
        "f": pa.array([0.5, None, 3], pa.float32()),
        "b": [True, None, False],
        "none": pa.nulls(3),
    })  # fmt: skip
    write_table(table, tmp_path / "a.sav")
    found = read_contents(tmp_path / "a.sav")
    assert found.table.to_pydict() == {**table.to_pydict(), "b": [1, None, 0]}
    assert found.codebook["b"].value_labels == {0: "false", 1: "true"}
    assert found.said == {"b": Declaration(kind=Kind.NOMINAL)}


def test_the_time_of_writing_is_not_told(tmp_path):
    write_table(pa.table({"a": [1]}), tmp_path / "a.sav")
    assert (tmp_path / "a.sav").read_bytes()[92:109] == b"01 Jan 7000:00:00"
    year = str(dt.datetime.now(tz=dt.UTC).year).encode()
    assert year not in (tmp_path / "a.sav").read_bytes()


def test_properties_and_displays_are_kept(tmp_path):
    table = pa.table({"a": [1, 2], "x": [1.25, 2.0], "d": [dt.date(1800, 1, 1), None]})
    said = {
        "a": Meaning("A", display="COMMA12", properties={"measure": "ordinal", "width": 3}),
        "x": Meaning(display="F8.0", properties={"measure": "scale"}),
        "d": Meaning(display="SDATE10"),
    }
    write_contents(Contents(table, said), tmp_path / "a.sav")
    found = read_contents(tmp_path / "a.sav")
    assert found.table.equals(table)
    assert found.codebook == said
    assert found.said == {"a": Declaration(kind=Kind.ORDINAL, order=(1, 2))}


@pytest.mark.parametrize("display", ["DATE11", "F8.0", "%9.2f", "BEST12"])
def test_a_display_that_would_change_the_type_gives_way(tmp_path, display):
    table = pa.table({"x": [1.0, None, 3.0]})
    write_contents(Contents(table, {"x": Meaning(display=display)}), tmp_path / "a.sav")
    assert read_table(tmp_path / "a.sav").equals(table)


def test_kinds_become_measurement_levels(tmp_path):
    table = pa.table({"a": [1, 2], "b": [1, 2], "c": ["x", "y"]})
    said = {
        "a": Declaration(kind="ordinal"),
        "b": Declaration(kind="continuous"),
        "c": Declaration(kind="nominal"),
    }
    write_contents(Contents(table, said=said), tmp_path / "a.sav")
    found = read_contents(tmp_path / "a.sav")
    assert [found.codebook[name].properties for name in "abc"] == [
        {"measure": "ordinal"},
        {"measure": "scale"},
        {"measure": "nominal"},
    ]
    assert found.said["a"].order == (1, 2)
    assert set(found.said) == {"a", "c"}


# --- missing codes


def _written(tmp_path, values, meaning, why, kind=None):
    contents = Contents(
        pa.table({"v": pa.array(values, kind)}), {"v": meaning}, {"v": np.array(why, np.int32)}
    )
    write_contents(contents, tmp_path / "a.sav")
    found = read_contents(tmp_path / "a.sav")
    assert found.table.equals(contents.table)
    codes = (None, *found.codebook["v"].missing_codes)
    return found.codebook["v"], [codes[place] for place in found.reasons["v"]]


def test_ranges_of_missing_values(tmp_path):
    meaning = Meaning(
        value_labels={-1: "no", 99: "gone"},
        missing_codes=(99, -5, -1),
        missing_ranges=((float("-inf"), -1.0),),
    )
    found, why = _written(tmp_path, [None, 4, None, None, 0], meaning, [2, 0, 1, 0, 0])
    assert found.missing_ranges == meaning.missing_ranges
    assert found.missing_codes == (99, -5, -1)
    assert why == [-5, None, 99, None, None]


def test_more_than_three_codes_become_a_range(tmp_path):
    meaning = Meaning(missing_codes=(-4, -3, -2, -1))
    found, why = _written(tmp_path, [None, 4, None, None, None], meaning, [4, 0, 1, 2, 3])
    assert found.missing_ranges == ((-4.0, -1.0),)
    assert why == [-1, None, -4, -3, -2]


def test_letters_of_stata_become_numbers_below_all_values(tmp_path):
    meaning = Meaning(value_labels={-3: "low", ".a": "refused"}, missing_codes=(".a", ".z"))
    found, why = _written(tmp_path, [None, -2, None], meaning, [1, 0, 2])
    assert found.value_labels == {-3: "low", -4: "refused"}
    assert why == [-4, None, -5]


def test_a_code_that_became_a_value_gets_another_number(tmp_path):
    meaning = Meaning(value_labels={9: "refused"}, missing_codes=(9,))
    found, why = _written(tmp_path, [None, 9, 1], meaning, [1, 0, 0])
    assert found.value_labels == {-1: "refused"}
    assert why == [-1, None, None]


def test_a_range_without_values_in_it(tmp_path):
    meaning = Meaning(missing_ranges=((90.0, 99.0),))
    write_contents(Contents(pa.table({"v": [1, 2]}), {"v": meaning}), tmp_path / "a.sav")
    found = read_contents(tmp_path / "a.sav").codebook["v"]
    assert (found.missing_ranges, found.missing_codes) == (((90.0, 99.0),), ())


def test_values_that_leave_no_room_for_codes(tmp_path):
    meaning = Meaning(missing_codes=(".a",))
    with pytest.raises(OutputError, match="`v` leaves no numbers for its missing codes"):
        _written(tmp_path, [None, -1e300], meaning, [1, 0])


def test_codes_of_dates(tmp_path):
    meaning = Meaning(value_labels={".a": "unknown"}, missing_codes=(".a",))
    found, why = _written(tmp_path, [None, dt.date(1999, 1, 1)], meaning, [1, 0])
    assert found.value_labels == {-1: "unknown"}
    assert why == [-1, None]


def test_codes_in_text(tmp_path):
    meaning = Meaning(value_labels={9: "refused", ".b": "gone"}, missing_codes=(9, ".b"))
    found, why = _written(tmp_path, [None, "[30,40)", None, None], meaning, [1, 0, 2, 0])
    assert found.value_labels == {"9": "refused", ".b": "gone"}
    assert why == ["9", None, ".b", None]


def test_text_has_room_for_three_codes(tmp_path):
    meaning = Meaning(missing_codes=(5, 6, 7, 8, 9))
    found, why = _written(tmp_path, [None, "a", None, None], meaning, [2, 0, 4, 5])
    assert found.missing_codes == ("6", "8", "9")
    assert why == ["6", None, "8", "9"]
    with pytest.raises(OutputError, match="`v` is text and says in 4 ways why values are missing"):
        _written(tmp_path, [None, None, None, None], meaning, [1, 2, 3, 4], pa.string())


# --- files of others


def _from_library(path, frame, **options):
    pyreadstat.write_sav(frame, path, **options)
    return read_contents(path)


def test_labelled_codes_are_whole_numbers(tmp_path):
    frame = pl.DataFrame({"sex": [1.0, 2.0, 9.0, None], "pay": [1.0, 2.0, 3.0, 4.0]})
    found = _from_library(
        tmp_path / "a.sav",
        frame,
        variable_value_labels={"sex": {1: "m", 2: "f", 9: "refused"}, "pay": {0: "none"}},
        missing_ranges={"sex": [9]},
        column_labels={"sex": "Sex of the respondent"},
        note="kept",
        file_label="People",
    )
    assert found.table.column("sex").to_pylist() == [1, 2, None, None]
    assert found.table.schema.types == [pa.int64(), pa.int64()]
    assert found.reasons["sex"].tolist() == [0, 0, 1, 0]
    assert found.codebook["sex"].label == "Sex of the respondent"
    assert found.codebook["sex"].missing_codes == (9,)
    assert found.said == {"sex": Declaration(kind=Kind.NOMINAL)}
    assert found.found == {
        "encoding": "UTF-8",
        "file_label": "People",
        "notes": ["kept"],
        "labelled_columns": 2,
        "columns_with_missing_codes": 1,
    }


def test_text_codes(tmp_path):
    frame = pl.DataFrame({"town": ["Rome", "REF", "", "Oslo   "]})
    found = _from_library(tmp_path / "a.sav", frame, missing_ranges={"town": ["REF"]})
    assert found.table.column("town").to_pylist() == ["Rome", None, None, "Oslo"]
    assert found.reasons["town"].tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("display", "seconds", "expected"),
    [
        ("DATE11", 86_400.0, dt.date(1582, 10, 15)),
        ("MOYR8", 141_428 * 86_400.0, dt.date(1970, 1, 1)),
        ("ADATE10", 141_428 * 86_400.0 + 60, dt.datetime(1970, 1, 1, 0, 1)),
        ("DATETIME20", 141_428 * 86_400.0 + 0.25, dt.datetime(1970, 1, 1, 0, 0, 0, 250_000)),
        ("TIME8", 3_661.5, dt.time(1, 1, 1, 500_000)),
        ("TIME8", 90_000.0, 90_000.0),
        ("DATE11", 1e15, 1e15),
        ("F8.2", 2.0, 2.0),
        ("F8.0", 2.5, 2.5),
        ("F8.0", 1e16, 1e16),
        ("E10.3", 2.0, 2.0),
        ("DATE11", 86_400.1234567, 86_400.1234567),
        ("WKDAY9", 2.0, 2),
    ],
)
def test_the_display_tells_what_numbers_are(tmp_path, display, seconds, expected):
    frame = pl.DataFrame({"v": [seconds, None]})
    found = _from_library(tmp_path / "a.sav", frame, variable_format={"v": display})
    value = found.table.column("v").to_pylist()[0]
    assert value == expected
    assert type(value) is type(expected)


def test_ordinal_text_is_nominal_and_scales_are_left_alone(tmp_path):
    frame = pl.DataFrame({"t": ["a", "b"], "n": [1.0, 2.0], "o": [2.5, 1.0]})
    found = _from_library(
        tmp_path / "a.sav",
        frame,
        variable_measure={"t": "ordinal", "n": "scale", "o": "ordinal"},
        variable_value_labels={"n": {1: "one"}, "o": {3: "three"}},
    )
    assert found.said == {
        "t": Declaration(kind=Kind.NOMINAL),
        "o": Declaration(kind=Kind.ORDINAL, order=(1.0, 2.5, 3)),
    }


def test_codes_that_share_a_label(tmp_path):
    frame = pl.DataFrame({"v": [1.0, 2.0, 8.0, 9.0]})
    shared = {1: "yes", 2: "yes", 8: "gone", 9: "gone"}
    found = _from_library(
        tmp_path / "a.sav",
        frame,
        variable_value_labels={"v": shared},
        missing_ranges={"v": [{"lo": 8, "hi": 9}]},
    )
    assert found.codebook["v"].value_labels == shared
    assert found.warnings == (
        "Column `v` gives the label 'yes' to the codes 1, 2; they are kept apart, as codes.",
    )


# --- what SPSS cannot hold


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ([2**53], "9007199254740992 in record 1, which SPSS cannot hold exactly"),
        ([1.0, float("nan")], "nan in record 2"),
        ([float("inf")], "inf in record 1"),
        ([[1]], "holds list<item: int64>, which SPSS cannot"),
        (["a", ""], "record 2 that SPSS cannot keep: '' is empty"),
        (["a "], "ends in a space"),
        (["a\0b"], "holds a null character"),
        (["a" * 32_768], "is longer than 32,767 bytes"),
        ([dt.date(1582, 10, 14)], "too early"),
        ([dt.datetime(2020, 1, 1, 0, 0, 0, 1)], "too fine"),
        ([dt.datetime(2020, 1, 1, tzinfo=dt.UTC)], "in the time zone UTC"),
    ],
)
def test_values_that_are_refused(tmp_path, column, told):
    with pytest.raises(OutputError, match=f"Column `v` .*{told}"):
        write_table(pa.table({"v": column}), tmp_path / "a.sav")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["", "1a", "a b", "_a", "a.", "with", "All", "é" * 33, "a-b", "@a"]
)
def test_names_that_are_refused(tmp_path, name):
    with pytest.raises(OutputError, match="is no name of a variable in SPSS"):
        write_table(pa.table({name: [1]}), tmp_path / "a.sav")


def test_names_that_differ_in_case_only(tmp_path):
    with pytest.raises(OutputError, match="takes `age` and `Age` for one name"):
        write_table(pa.table({"age": [1], "Age": [2]}), tmp_path / "a.sav")


@pytest.mark.parametrize(
    ("meaning", "told"),
    [
        (Meaning("é" * 129), "a label of 258 bytes"),
        (Meaning(value_labels={"a": "b" * 121}), "a label of a value of 121 bytes"),
        (Meaning(value_labels={"éééé": "long"}), "labels 'éééé', which is longer than all"),
        (Meaning(missing_codes=("a",)), "missing code 'a' is longer than 8 bytes or also a value"),
        (Meaning(missing_codes=("123456789",)), "missing code '123456789' is longer"),
    ],
)
def test_meanings_that_are_refused(tmp_path, meaning, told):
    with pytest.raises(OutputError, match=f"Column `v` .*{told}"):
        write_contents(Contents(pa.table({"v": ["a"]}), {"v": meaning}), tmp_path / "a.sav")


def test_labels_of_text_among_numbers(tmp_path):
    contents = Contents(pa.table({"v": [1]}), {"v": Meaning(value_labels={"x": "what"})})
    with pytest.raises(OutputError, match="`v` holds numbers and labels 'x'"):
        write_contents(contents, tmp_path / "a.sav")


def test_no_columns_and_no_folder(tmp_path):
    with pytest.raises(OutputError, match="A table without columns"):
        write_table(pa.table({}), tmp_path / "a.sav")
    with pytest.raises(OutputError, match="Create the folder"):
        write_table(pa.table({"a": [1]}), tmp_path / "none" / "a.sav")


def test_what_the_library_refuses_is_explained(tmp_path, monkeypatch):
    def refuse(*_arguments, **_options):
        raise pyreadstat.PyreadstatError("no room.\nmore")

    monkeypatch.setattr(pyreadstat, "write_sav", refuse)
    with pytest.raises(OutputError, match=r"a\.sav cannot be written: no room\.$"):
        write_table(pa.table({"a": [1]}), tmp_path / "a.sav")
    assert list(tmp_path.iterdir()) == []


# --- damage


@pytest.mark.parametrize("name", ["a.sav", "a.zsav"])
def test_cut_files_are_refused_wherever_they_end(tmp_path, name):
    path = tmp_path / name
    table = pa.table({"n": list(range(50)), "t": [f"text {i}" for i in range(50)]})
    meaning = Meaning("N", {1: "one", 9: "gone"}, (9,))
    write_contents(Contents(table.slice(10), {"n": meaning}), path)
    whole = path.read_bytes()
    for end in [*range(0, len(whole), 7), len(whole) - 1]:
        path.write_bytes(whole[:end])
        with pytest.raises(InputError, match="is not an SPSS file, or it is damaged or cut off"):
            read_table(path)


@pytest.mark.parametrize("error", [IndexError("list index"), MemoryError(), TypeError("odd")])
def test_what_the_library_lets_out_at_damage_is_explained(tmp_path, monkeypatch, error):
    def fail(*_arguments, **_options):
        raise error

    write_table(pa.table({"a": [1]}), tmp_path / "a.sav")
    monkeypatch.setattr(pyreadstat, "read_sav", fail)
    with pytest.raises(InputError, match="is not an SPSS file, or it is damaged"):
        read_table(tmp_path / "a.sav")


def test_a_column_without_a_name_is_damage(tmp_path, monkeypatch):
    write_table(pa.table({"a": [1]}), tmp_path / "a.sav")
    meta = pyreadstat.metadata_container(column_names=[None])
    monkeypatch.setattr(pyreadstat, "read_sav", lambda *_arguments, **_options: ({}, meta))
    with pytest.raises(InputError, match="is not an SPSS file, or it is damaged"):
        read_table(tmp_path / "a.sav")


def test_foreign_files_are_refused(tmp_path):
    (tmp_path / "a.sav").write_text("a,b\n1,2\n" * 100)
    with pytest.raises(InputError, match="is not an SPSS file"):
        read_table(tmp_path / "a.sav")


def test_text_that_is_not_coded_as_the_file_says(tmp_path):
    path = tmp_path / "a.sav"
    write_table(pa.table({"t": ["Mxnchen", "Rome"]}), path)
    path.write_bytes(path.read_bytes().replace(b"Mxn", b"M\xfcn"))
    with pytest.raises(InputError, match="holds text that is not coded as the file says"):
        read_table(path)
    found = spss.read(path, Layout(encoding="latin-1"), frozenset())
    assert found.table.column("t").to_pylist() == ["München", "Rome"]


def test_an_unknown_number_of_records_is_told(tmp_path):
    path = tmp_path / "a.sav"
    write_table(pa.table({"n": [1, 2, 3]}), path)
    whole = bytearray(path.read_bytes())
    whole[80:84] = b"\xff" * 4
    path.write_bytes(whole)
    found = read_contents(path)
    assert found.table.num_rows == 3
    assert found.warnings == (
        "a.sav does not say how many records it holds; check that there should be 3.",
    )


# --- in a person's hands


def test_labels_and_reasons_survive_masking(tmp_path):
    table = pa.table({"sex": [1, 2, None, 1], "age": [31, None, 47, None]})
    codebook = {
        "sex": Meaning("Sex", {1: "male", 2: "female", 9: "refused"}, (9,)),
        "age": Meaning("Age", {99: "not known"}, (98, 99)),
    }
    reasons = {"sex": np.array([0, 0, 1, 0], np.int32), "age": np.array([0, 2, 0, 0], np.int32)}
    write_contents(Contents(table, codebook, reasons), tmp_path / "in.sav")
    people = ta.read(tmp_path / "in.sav", roles={"sex": "key", "age": "key"})
    assert people.attribute("sex").kind is Kind.NOMINAL
    people.apply(ta.Recode("age", width=10), seed=0).write(tmp_path / "out.sav")
    found = read_contents(tmp_path / "out.sav")
    assert found.table.column("sex").to_pylist() == [1, 2, None, 1]
    assert found.codebook["sex"].value_labels == codebook["sex"].value_labels
    assert found.reasons["sex"].tolist() == [0, 0, 1, 0]
    assert found.table.column("age").to_pylist() == ["[30,40)", None, "[40,50)", None]
    assert found.codebook["age"].value_labels == {"99": "not known"}
    assert found.codebook["age"].missing_codes == ("98", "99")
    assert found.reasons["age"].tolist() == [0, 2, 0, 0]
