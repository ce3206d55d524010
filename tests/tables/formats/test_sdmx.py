"""SDMX-CSV: codes in, codes out, and no value of a suppressed cell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError, OutputError, ParameterError
from tacita.tables.dimension import Dimension
from tacita.tables.formats import sdmx, write_table
from tacita.tables.ready import ready_table

REASONS = ["minimum_frequency", "dominance", "p_percent", "pq", "request_rule", "given"]
LONG = 10**12  # so that nothing else in a file is one of the values


@pytest.fixture(scope="module")
def flagged():
    span = Dimension.flat("GEO", list("abcdefgh"), "_T")
    return ready_table(
        "turn over",
        [span],
        {"GEO": span.codes},
        {
            "value": [36.5, 1.5, 2, 3, 4, 5, 6, 7, 8],
            "status": [0, 1, 1, 1, 1, 1, 1, 2, 3],
            "reason": np.array(["", *REASONS, "", ""], object),
        },
    )


def test_suppressed_cells_are_blank_with_their_reason(flagged, tmp_path):
    sdmx.write(flagged, tmp_path / "t.csv", flags="reason")
    about = "dataflow,TACITA:TURN_OVER(1.0),I"
    assert (tmp_path / "t.csv").read_text().splitlines() == [
        "STRUCTURE,STRUCTURE_ID,ACTION,GEO,OBS_VALUE,OBS_STATUS,CONF_STATUS",
        f"{about},_T,36.5,A,F",
        f"{about},a,,Q,A",
        f"{about},b,,Q,G",
        f"{about},c,,Q,M",
        f"{about},d,,Q,M",
        f"{about},e,,Q,C",
        f"{about},f,,Q,C",
        f"{about},g,,Q,D",
        f"{about},h,8.0,A,F",
    ]


def test_version_one_names_the_dataflow_once(flagged, tmp_path):
    sdmx.write(flagged, tmp_path / "t.csv", version="1.0", dataflow="X:Y(2.1)", delimiter=";")
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[0] == "DATAFLOW;GEO;OBS_VALUE;OBS_STATUS;CONF_STATUS"
    assert lines[2] == "X:Y(2.1);a;;Q;C"
    read = sdmx.read(tmp_path / "t.csv")
    assert read.cells.status.tolist() == [0, 1, 1, 1, 1, 1, 1, 1, 0]


@pytest.mark.parametrize("options", [{}, {"view": "internal", "flags": "alike"}])
def test_the_public_flags_are_alike(flagged, tmp_path, options):
    sdmx.write(flagged, tmp_path / "t.csv", **options)
    told = [line.split(",")[-1] for line in (tmp_path / "t.csv").read_text().splitlines()[1:]]
    assert told == ["F", *"CCCCCCC", "F"]


def test_the_internal_view_sends_values_with_their_flags(flagged, tmp_path):
    sdmx.write(flagged, tmp_path / "t.csv", view="internal")
    assert ",a,1.5,A,A" in (tmp_path / "t.csv").read_text()
    read = sdmx.read(tmp_path / "t.csv")
    np.testing.assert_array_equal(read.cells.value, flagged.cells.value)
    assert read.cells.sensitive.sum() == 6


@given(st.integers(0, 2**32), st.integers(1, 3))
def test_what_a_reader_sees_comes_back(
    random_table, given_away, tmp_path_factory, seed, dimensions
):
    table = random_table(seed, dimensions=dimensions, most=LONG)
    path = tmp_path_factory.mktemp("sdmx") / "random.csv"
    sdmx.write(table, path, flags="reason")
    spans = {dimension.name: dimension for dimension in table.dimensions}
    read = sdmx.read(path, by=list(spans), hierarchies=spans)
    np.testing.assert_array_equal(read.places, table.places)
    np.testing.assert_array_equal(read.cells.status, table.cells.status)
    np.testing.assert_array_equal(read.cells.value, table.published().cells.value)
    assert not given_away(table, path.read_text())


def read_text(path, text, **options):
    path.write_text(text)
    return sdmx.read(path, **options)


def test_other_messages_are_understood(tmp_path):
    table = read_text(
        tmp_path / "t.csv",
        "DATAFLOW,FREQ,GEO,SEX,OBS_VALUE,OBS_STATUS,CONF_STATUS,NOTE\n"
        "E:F(1),A,_T,_T,9,A,F,\n"
        "E:F(1),A,NA,_T,,Q,O,kept apart\n"
        "E:F(1),A,01,_T,4,A,,\n"
        "E:F(1),A,FR,_T,,L,,\n"
        "E:F(1),A,DE,_T,,M,,\n"
        "E:F(1),A,_T,F,NaN,Q,S,\n",
    )
    assert [dimension.name for dimension in table.dimensions] == ["GEO", "SEX"]
    assert table.dimensions[0].codes == ("_T", "NA", "01", "FR")
    found = {
        table.codes_of(row): (int(table.cells.status[row]), table.cells.reason[row])
        for row in range(len(table))
    }
    assert found == {
        ("_T", "_T"): (0, ""),
        ("_T", "F"): (2, "given"),
        ("NA", "_T"): (1, "dominance"),
        ("01", "_T"): (0, ""),
        ("FR", "_T"): (2, "given"),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("GEO,VALUE\n_T,1\n", "has a column OBS_VALUE"),
        ("GEO,OBS_VALUE,CONF_STATUS\n_T,1,F\na,,Z\n", "CONF_STATUS says 'Z' in row 2"),
        ("ACTION,GEO,OBS_VALUE\nI,_T,1\nD,a,\n", "deletes observations"),
        ("GEO,OBS_VALUE\na,1\nb,2\n", "for its total"),
    ],
)
def test_what_is_no_message_is_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_text(tmp_path / "t.csv", text)


def test_what_cannot_be_written_is_refused(flagged, tmp_path):
    with pytest.raises(ParameterError, match=r"`version` is 1\.0 or 2\.0"):
        write_table(flagged, tmp_path / "t.csv", form="sdmx", version="3.0")
    with pytest.raises(ParameterError, match="`flags` is reason or alike"):
        write_table(flagged, tmp_path / "t.csv", form="sdmx", flags="none")
    span = Dimension.flat("ACTION", ["a"])
    table = ready_table("t", [span], {"ACTION": span.codes}, {"value": [1, 1]})
    with pytest.raises(OutputError, match="rename it"):
        sdmx.write(table, tmp_path / "t.csv")


@pytest.mark.parametrize("name", ["status", "reason", "value"])
def test_attributes_may_be_called_like_columns_of_other_files(tmp_path, name):
    span = Dimension.flat(name, ["a", "b"])
    known = {"value": [7, 3, 4], "status": [0, 1, 2]}
    sdmx.write(ready_table("t", [span], {name: span.codes}, known), tmp_path / "t.csv")
    read = sdmx.read(tmp_path / "t.csv")
    assert read.dimensions[0].name == name
    np.testing.assert_array_equal(read.cells.value, [7, np.nan, np.nan])


@pytest.mark.parametrize("view", ["public", "internal"])
def test_what_the_table_shows_is_observed(tmp_path, view):
    span = Dimension.flat("GEO", ["a"], "_T")
    table = ready_table(
        "t", [span], {"GEO": span.codes}, {"value": [8, 8], "shown": [2, 2]}, statistic="mean"
    )
    sdmx.write(table, tmp_path / "t.csv", view=view)
    assert ",_T,2,A,F" in (tmp_path / "t.csv").read_text()


@pytest.mark.parametrize(
    ("by", "message"), [(["GEOO"], "no column `GEOO`.*Did you mean `GEO`"), ("GEO", "a list of")]
)
def test_attributes_that_are_not_there_are_refused(tmp_path, by, message):
    with pytest.raises((InputError, ParameterError), match=message):
        read_text(tmp_path / "t.csv", "GEO,OBS_VALUE\n_T,1\na,1\n", by=by)
