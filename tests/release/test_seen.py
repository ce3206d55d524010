"""What is judged is what the reader of the released file sees."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.codebook import Meaning
from tacita.data.formats import Contents, read_contents, write_contents
from tacita.errors import RequirementError

FORMATS = ["csv", "parquet", "feather", "xlsx"]


def released(table: pa.Table, folder: Path, file_format: str = "csv", **options) -> pa.Table:
    """Release a table, verify it, and return what its reader sees."""
    data = ta.read(table, roles=dict.fromkeys(table.column_names, "key"), **options)
    data.release(folder, format=file_format, force=True, waive="a test")
    found = ta.verify(folder)
    assert found.verdict == "not proven", str(found)
    return read_contents(folder / "public" / f"data.{file_format}").table


@pytest.mark.parametrize("file_format", FORMATS)
def test_there_is_one_zero(tmp_path, file_format):
    table = pa.table({"x": [0.0, -0.0, 1.5], "n": [1, 2, 3]})
    seen = released(table, tmp_path / "out", file_format, kinds={"x": "nominal"})
    assert "-" not in "".join(map(str, seen.column("x").to_pylist()))


def test_a_text_file_does_not_tell_empty_from_missing(tmp_path):
    table = pa.table({"a": ["x", "x", None, "", ""]})
    data = ta.read(table, roles={"a": "key"})
    outcome = data.release(tmp_path / "out", require=[ta.KAnonymity(2)])
    assert sorted(outcome.protected.classes().counts.tolist()) == [2, 3]
    assert ta.verify(tmp_path / "out").verdict == "not proven"
    apart = data.release(tmp_path / "apart", format="parquet", force=True, waive="a test")
    assert sorted(apart.protected.classes().counts.tolist()) == [1, 2, 2]


def test_sets_have_no_order_that_tells_records_apart(tmp_path):
    table = pa.table({"langs": [["fr", "en"], ["en", "fr", "en"]], "n": [1, 1]})
    data = ta.read(table, roles={"langs": "key"})
    data.release(tmp_path / "out", require=[ta.KAnonymity(2)])
    lines = (tmp_path / "out/public/data.csv").read_text().splitlines()
    assert lines[1] == lines[2] == "en|fr,1"


def test_an_order_of_dates_is_written_as_text(tmp_path):
    days = pa.array([dt.date(2020, 1, 2), dt.date(2020, 1, 1)])
    said = {"kinds": {"d": "ordinal"}, "orders": {"d": ["2020-01-01", "2020-01-02"]}}
    seen = released(pa.table({"d": days}), tmp_path / "out", "parquet", **said)
    assert sorted(seen.column("d").to_pylist()) == sorted(days.to_pylist())


SMOKES = Meaning(
    "Smokes",
    {1: "yes", 2: "no", 3: "only the bishop of Oslo", -9: "refused"},
    missing_codes=(-9, -50, -77),
    missing_ranges=((-100.0, -20.0),),
)


@pytest.fixture
def survey(tmp_path) -> Path:
    """An SPSS file with a range of missing values, in which somebody's value lies."""
    import numpy as np

    contents = Contents(
        pa.table({"smokes": [1, 2, None, None, 3], "age": [30, 31, 32, 33, 34]}),
        codebook={"smokes": SMOKES},
        reasons={"smokes": np.array([0, 0, 1, 3, 0], np.int32)},
    )
    write_contents(contents, tmp_path / "survey.sav")
    return tmp_path / "survey.sav"


def reader_sees(folder: Path) -> tuple[list, Meaning]:
    contents = read_contents(folder / "public" / "data.sav")
    meaning = contents.meaning("smokes")
    places = contents.reasons["smokes"].tolist()
    codes = [meaning.missing_codes[place - 1] if place else None for place in places]
    return codes, meaning


def test_what_lies_in_a_missing_range_is_not_passed_by_by_masking(survey, tmp_path):
    data = ta.read(survey, kinds={"smokes": "continuous"})
    assert -77 in data.attribute("smokes").meaning.missing_codes
    masked = data.apply(ta.TopCode("smokes", 2))
    masked.release(tmp_path / "out", format="sav", force=True, waive="a test")
    codes, meaning = reader_sees(tmp_path / "out")
    assert sorted(codes, key=str) == [-9, None, None, None, None]
    assert -77 not in meaning.missing_codes
    assert ta.verify(tmp_path / "out", source=survey).holds


def test_labels_of_values_that_nobody_has_stay_behind(survey, tmp_path):
    masked = ta.read(survey, kinds={"smokes": "continuous"}).apply(ta.TopCode("smokes", 2))
    masked.release(tmp_path / "out", format="sav", force=True, waive="a test")
    assert "bishop" not in str(reader_sees(tmp_path / "out")[1])
    masked.write(tmp_path / "masked.sav")
    assert "bishop" not in str(read_contents(tmp_path / "masked.sav").meaning("smokes"))
    ta.read(survey).write(tmp_path / "copy.sav")  # unmasked data keep their whole code book
    assert "bishop" in str(read_contents(tmp_path / "copy.sav").meaning("smokes"))


def test_masking_does_not_hide_what_the_format_will_not_show(tmp_path):
    import numpy as np

    age = Meaning("Age", {}, missing_codes=(-9, -8))
    contents = Contents(
        pa.table({"age": [30, 30, None, None, 40, 40]}),
        codebook={"age": age},
        reasons={"age": np.array([0, 0, 1, 2, 0, 0], np.int32)},
    )
    write_contents(contents, tmp_path / "age.sav")
    (tmp_path / "plan.yaml").write_text(
        "data:\n  source: age.sav\n  attributes:\n"
        "    age: {role: key, hierarchy: {intervals: {widths: [10]}}}\n"
        "microdata:\n  steps: [anonymize: {to: [{k_anonymity: 2}]}]\n"
        "  require: [k_anonymity: 2]\nrelease: {format: FORMAT}\n"
    )
    plan = (tmp_path / "plan.yaml").read_text()
    (tmp_path / "plan.yaml").write_text(plan.replace("FORMAT", "csv"))
    outcome = ta.run(tmp_path / "plan.yaml", tmp_path / "out", seed=1)
    assert outcome.protected.column("age").to_pylist() == [30, 30, None, None, 40, 40]
    assert ta.verify(tmp_path / "out", source=tmp_path / "age.sav").holds
    (tmp_path / "plan.yaml").write_text(plan.replace("FORMAT", "sav"))
    with pytest.raises((RequirementError, ta.TacitaError)):
        ta.run(tmp_path / "plan.yaml", tmp_path / "told", seed=1)


def test_whole_numbers_of_an_order_may_lose_their_point(tmp_path):
    data = ta.read(
        pa.table({"rank": [1.0, 2.0, 3.0]}),
        kinds={"rank": "ordinal"},
        orders={"rank": [1.0, 2.0, 3.0]},
    )
    data.release(tmp_path / "out", format="xlsx", force=True, waive="a test")
    assert ta.verify(tmp_path / "out").verdict == "not proven"
