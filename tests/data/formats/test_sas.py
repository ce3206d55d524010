"""SAS files: what their formats mean, special missing values, catalogs, and damage."""

from __future__ import annotations

import datetime as dt
import struct
import subprocess

import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.attribute import Kind
from tacita.data.declaration import Declaration
from tacita.data.formats import layout_of, read_contents, read_table, write_contents
from tacita.errors import InputError

MARK = 123_456.5  # stands for a special missing value until its bytes are put in its place


@pytest.fixture
def make(tmp_path, need):
    """Make a SAS file of a frame; a labelled column gets its name and a number as its format."""

    readstat = need("readstat")

    def making(frame, *labelled):
        source, path = tmp_path / "source.dta", tmp_path / "a.sas7bdat"
        labels = {name: {0: "zero"} for name in labelled}
        pyreadstat.write_dta(frame, source, version=14, variable_value_labels=labels)
        subprocess.run([readstat, source, path], check=True, capture_output=True)
        source.unlink()
        return path

    return making


# --- transport files

FRAME = {"n": [1.0, None, 3.0], "t": ["a", "", "c d"], "x": [0.5, -1e-5, None]}


@pytest.mark.parametrize("version", [5, 8])
def test_transport_files(tmp_path, version):
    pyreadstat.write_xport(
        pl.DataFrame(FRAME),
        tmp_path / "a.xpt",
        file_format_version=version,
        column_labels={"n": "N"},
    )
    found = read_contents(tmp_path / "a.xpt")
    assert found.table.to_pydict() == {
        "n": [1, None, 3],
        "t": ["a", None, "c d"],
        "x": [0.5, -1e-5, None],
    }
    assert found.table.schema.types == [pa.int64(), pa.string(), pa.float64()]
    assert found.codebook["n"].label == "N"
    assert found.warnings == ()


words = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)
magnitudes = st.floats(1e-70, 1e70) | st.floats(-1e70, -1e-70) | st.just(0.5)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    records=st.lists(
        st.tuples(
            st.none() | st.integers(-(2**53) + 1, 2**53 - 1),
            st.none() | magnitudes,
            st.none() | words,
            st.none() | st.dates(dt.date(1582, 1, 1)),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_what_a_transport_file_holds_is_read(tmp_path, records):
    whole, numbers, texts, days = map(list, zip(*records, strict=True))
    numbers[0] = 0.5
    frame = pl.DataFrame({
        "whole": pl.Series(whole, dtype=pl.Float64),
        "number": pl.Series(numbers, dtype=pl.Float64),
        "text": pl.Series([*texts[:-1], "end"], dtype=pl.String),
        "day": pl.Series(days, dtype=pl.Date),
    })  # fmt: skip
    pyreadstat.write_xport(frame, tmp_path / "a.xpt", variable_format={"day": "DATE9"})
    found = read_table(tmp_path / "a.xpt")
    assert found.column("whole").to_pylist() == whole
    assert found.column("number").to_pylist() == numbers
    assert found.column("text").to_pylist() == [*texts[:-1], "end"]
    assert found.column("day").to_pylist() == days
    assert found.column("day").type == pa.date32()


@pytest.mark.parametrize(
    ("display", "number", "expected"),
    [
        ("DATE9", -60_000.0, dt.date(1795, 9, 22)),
        ("YYMMDD10", 0.0, dt.date(1960, 1, 1)),
        ("MONYY7", 31.0, dt.date(1960, 2, 1)),
        ("DATETIME20", -0.5, dt.datetime(1959, 12, 31, 23, 59, 59, 500_000)),
        ("DTDATE9", 86_400.0, dt.datetime(1960, 1, 2)),
        ("TIME8", 3_661.25, dt.time(1, 1, 1, 250_000)),
        ("TIME8", 90_000.0, 90_000.0),
        ("BEST12", 2.0, 2),
        ("F8.2", 2.0, 2.0),
        ("MYSEXF", 2.0, 2),
    ],
)
def test_the_format_tells_what_numbers_are(tmp_path, display, number, expected):
    frame = pl.DataFrame({"v": [number, None]})
    pyreadstat.write_xport(frame, tmp_path / "a.xpt", variable_format={"v": display})
    value = read_table(tmp_path / "a.xpt").column("v").to_pylist()[0]
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize("version", [5, 8])
@pytest.mark.parametrize("width", [3, 72])
def test_cut_transport_files_are_refused_or_told(tmp_path, version, width):
    path = tmp_path / "a.xpt"
    frame = pl.DataFrame({"n": [i + 0.5 for i in range(21)], "t": ["x" * width] * 21})
    pyreadstat.write_xport(frame, path, file_format_version=version)
    whole = path.read_bytes()
    for end in range(0, len(whole), 8):
        path.write_bytes(whole[:end])
        try:
            found = read_contents(path)
        except InputError as error:
            assert "is not a SAS transport file, or it is damaged" in str(error)  # noqa: PT017
            continue
        assert version == 5
        assert found.warnings[0].startswith("a.xpt does not say how many records it holds; check")


def test_a_complete_file_without_padding_is_told(tmp_path):
    frame = pl.DataFrame({"n": [1.0] * 10})
    pyreadstat.write_xport(frame, tmp_path / "a.xpt", file_format_version=5)
    assert read_contents(tmp_path / "a.xpt").warnings == (
        "a.xpt does not say how many records it holds; check that there should be 10.",
    )


def test_several_data_sets_in_a_transport_file(tmp_path):
    path = tmp_path / "a.xpt"
    pyreadstat.write_xport(pl.DataFrame(FRAME), path, file_format_version=5)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[whole.index(b"HEADER RECORD*******MEMBER") :])
    with pytest.raises(InputError, match="holds more than one data set; export the one"):
        read_table(path)


@pytest.mark.parametrize("name", ["a.xpt", "a.sas7bdat"])
@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n" * 100])
def test_foreign_files_are_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=r"is not a SAS (transport )?file, or it is damaged"):
        read_table(tmp_path / name)


# --- SAS files


def _special(tag):
    """Return the bytes of a special missing value, `.A` to `.Z` or `._`."""
    number = 0 if tag == "_" else ord(tag) - ord("A") + 2
    return bytes(5) + bytes([0xFF - number]) + b"\xff\xff"


def test_sas_files(make):
    frame = pl.DataFrame({
        "n": [1.0, None, 3.0],
        "x": [0.5, None, 1.0],
        "t": ["a", "", "é"],
        "date": [-60_000.0, None, 0.0],
        "datetime": [-0.5, None, 0.0],
    })  # fmt: skip
    found = read_contents(make(frame, "date", "datetime"))
    assert found.codebook["date"].display == "date0"
    assert found.table.to_pydict() == {
        "n": [1, None, 3],
        "x": [0.5, None, 1.0],
        "t": ["a", None, "é"],
        "date": [dt.date(1795, 9, 22), None, dt.date(1960, 1, 1)],
        "datetime": [dt.datetime(1959, 12, 31, 23, 59, 59, 500_000), None, dt.datetime(1960, 1, 1)],
    }
    assert found.reasons == {}


def test_special_missing_values_are_kept_and_written(make, tmp_path):
    path = make(pl.DataFrame({"v": [1.0, MARK, MARK + 1, None, MARK + 2], "w": [1.5] * 5}))
    content = path.read_bytes()
    for place, tag in enumerate("AZ_"):
        mark = struct.pack("<d", MARK + place)
        assert content.count(mark) == 1
        content = content.replace(mark, _special(tag))
    path.write_bytes(content)
    found = read_contents(path)
    assert found.table.column("v").to_pylist() == [1, None, None, None, None]
    assert found.codebook["v"].missing_codes == (".A", ".Z", "._")
    assert found.reasons["v"].tolist() == [0, 1, 2, 0, 3]
    write_contents(found, tmp_path / "a.dta")
    again = read_contents(tmp_path / "a.dta")
    assert again.codebook["v"].missing_codes == (".a", ".b", ".z")
    assert again.reasons["v"].tolist() == [0, 1, 3, 0, 2]
    write_contents(found, tmp_path / "a.sav")
    again = read_contents(tmp_path / "a.sav")
    assert again.codebook["v"].missing_codes == (-1, -2, -3)
    assert again.reasons["v"].tolist() == [0, 1, 2, 0, 3]


def test_cut_sas_files_are_refused(make):
    path = make(pl.DataFrame({"n": [float(i) for i in range(300)], "t": ["text"] * 300}))
    whole = path.read_bytes()
    for end in [*range(0, len(whole), 101), len(whole) - 1]:
        path.write_bytes(whole[:end])
        with pytest.raises(InputError, match="is not a SAS file, or it is damaged or cut off"):
            read_table(path)


# --- catalogs


@pytest.fixture
def catalog(monkeypatch):
    """Let the library find labels in every catalog: there is no program here that writes one."""
    meta = pyreadstat.metadata_container()
    meta.value_labels = {"sex0": {1.0: "male", 2.0: "female", "A": "refused"}}
    monkeypatch.setattr(pyreadstat, "read_sas7bcat", lambda *_arguments, **_options: ({}, meta))


@pytest.mark.usefixtures("catalog")
def test_the_catalog_beside_a_file_labels_its_codes(make, tmp_path):
    path = make(pl.DataFrame({"sex": [1.0, 2.0], "n": [1.0, 2.0]}), "sex")
    assert read_contents(path).said == {}
    (tmp_path / "a.SAS7BCAT").touch()
    found = read_contents(path)
    assert found.codebook["sex"].value_labels == {1: "male", 2: "female", ".A": "refused"}
    assert found.said == {"sex": Declaration(kind=Kind.NOMINAL)}
    assert found.warnings == ()
    assert ta.read(path).attribute("sex").kind is Kind.NOMINAL


@pytest.mark.usefixtures("catalog")
def test_a_catalog_of_other_formats_is_told(make, tmp_path):
    path = make(pl.DataFrame({"n": [1.0, 2.0]}))
    (tmp_path / "other.sas7bcat").touch()
    assert read_contents(path).warnings == ()
    found = read_contents(path, layout_of({"metadata": str(tmp_path / "other.sas7bcat")}))
    assert found.warnings == (
        "other.sas7bcat labels no column of a.sas7bdat: none has one of its formats.",
    )


def test_catalogs_that_cannot_be_read(make, tmp_path):
    path = make(pl.DataFrame({"n": [1.0, 2.0]}))
    missing = layout_of({"metadata": str(tmp_path / "none.sas7bcat")})
    with pytest.raises(InputError, match=r"There is no catalog .*none\.sas7bcat; correct"):
        read_contents(path, missing)
    (tmp_path / "a.sas7bcat").write_bytes(b"no catalog" * 500)
    with pytest.raises(InputError, match=r"a\.sas7bcat is not a SAS catalog, or it is damaged"):
        read_contents(path)
