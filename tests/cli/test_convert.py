"""`tacita convert`: in one format, out another, with what is known of the data."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import tacita as ta


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("id;zip;pay\n1;01234;1,5\n2;;2,25\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["b.parquet", "b.feather", "b.xlsx", "b.sav", "b.dta", "b.tsv"])
def test_values_arrive_in_every_format(run_cli, people: Path, name: str):
    target = people.with_name(name)
    done = run_cli("convert", str(people), str(target))
    assert done.code == 0, done.err
    assert "2 records, 3 attributes" in done.out
    rows = ta.read(target, kinds={"zip": "nominal"}).to_arrow().to_pylist()
    assert [row["pay"] for row in rows] == [1.5, 2.25]
    assert [row["zip"] or None for row in rows] == ["01234", None]


def test_a_database_and_back(run_cli, people: Path):
    database = people.with_name("all.duckdb")
    done = run_cli("convert", str(people), str(database), "--to-table", "people")
    assert done.code == 0, done.err
    query = "SELECT zip FROM people WHERE pay < 2"
    back = people.with_name("back.csv")
    done = run_cli("convert", str(database), str(back), "--query", query)
    assert done.code == 0, done.err
    assert back.read_text(encoding="utf-8") == "zip\n01234\n"
    again = run_cli("convert", str(people), str(database), "--to-table", "people")
    assert again.code == 1
    assert "has a table people already" in again.err
    assert len(again.err.strip().splitlines()) == 1


def test_what_a_format_cannot_say_is_told(run_cli, people: Path):
    from tacita.data.codebook import Meaning
    from tacita.data.formats import Contents, write_contents

    sex = Meaning("Sex", {1: "male", 2: "female"})
    survey = people.with_name("survey.sav")
    write_contents(Contents(pa.table({"sex": [1, 2], "n": [3, 4]}), {"sex": sex}), survey)
    done = run_cli("convert", str(survey), str(people.with_name("b.csv")))
    assert "Note: labels and missing codes of sex have no place in" in done.out
    done = run_cli("convert", str(survey), str(people.with_name("b.dta")))
    assert "Note" not in done.out


def test_what_is_read_only_is_told(run_cli, people: Path):
    done = run_cli("convert", str(people), str(people.with_name("b.sas7bdat")))
    assert done.code == 1
    assert "does not write one" in done.err
    assert not people.with_name("b.sas7bdat").exists()


def test_an_option_of_another_format_is_told(run_cli, people: Path):
    done = run_cli("convert", str(people), str(people.with_name("b.csv")), "--sheet", "2")
    assert done.code == 1
    assert "`sheet` means nothing for a CSV file" in done.err
