"""`tacita convert`: in one format, out another, with what is known of the data."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.formats import write_table


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


# -- what a format cannot hold ---------------------------------------------------------------------


@pytest.fixture
def typed(tmp_path: Path) -> Path:
    path = tmp_path / "typed.parquet"
    columns = {
        "blank": ["", "x", None],
        "list": [["a", "b"], None, []],
        "text": ["1", "2", None],
        "n": [1, 2, 3],
    }
    write_table(pa.table(columns), path)
    return path


def test_values_that_would_come_back_otherwise_are_refused(run_cli, typed: Path):
    target = typed.with_name("b.csv")
    done = run_cli("convert", typed, target)
    assert done.code == 1
    for told in (
        "`list` (the first in record 1: [a, b] becomes the text 'a|b')",
        "`text` (the first in record 1: the text '1' becomes the number 1)",
        "--accept-loss",
    ):
        assert told in done.err
    assert "`n`" not in done.err
    assert "`blank`" not in done.err
    assert sorted(path.name for path in typed.parent.iterdir()) == ["typed.parquet"]


def test_an_accepted_loss_is_written_and_told(run_cli, typed: Path):
    target = typed.with_name("b.csv")
    done = run_cli("convert", typed, target, "--accept-loss")
    assert done.code == 0
    assert "Note: " in done.out
    assert "does not hold `text`" in done.out
    assert target.exists()
    done = run_cli("convert", typed, target, "--accept-loss", "--overwrite", "--json")
    assert [change["column"] for change in done.json["changes"]] == ["list", "text"]


def test_a_database_takes_no_table_that_it_cannot_hold(run_cli, tmp_path: Path):
    source, target = tmp_path / "a.parquet", tmp_path / "b.db"
    moments = pa.array([0, 1], pa.timestamp("ns"))
    write_table(pa.table({"a": [1, 2], "when": moments}), source)
    done = run_cli("convert", source, target, "--to-table", "t")
    assert (done.code, target.exists()) in {(1, False), (0, True)}
    if done.code == 0:
        assert ta.read(target, table="t").column("when").to_pylist() == moments.to_pylist()


# -- what is never written over --------------------------------------------------------------------


@pytest.mark.parametrize("alias", ["itself", "symbolic", "hard", "spelling"])
def test_the_source_is_never_written_over(run_cli, people: Path, alias: str):
    before, target = people.read_bytes(), people.with_name("other.csv")
    if alias == "symbolic":
        target.symlink_to(people)
    elif alias == "hard":
        target.hardlink_to(people)
    else:
        target = (
            people if alias == "itself" else people.parent / ".." / people.parent.name / people.name
        )
    done = run_cli("convert", people, target, "--overwrite")
    assert done.code == 1
    assert "is read here, and would be lost" in done.err
    assert people.read_bytes() == before


def test_another_file_is_kept_unless_it_may_be_replaced(run_cli, people: Path):
    target = people.with_name("b.parquet")
    target.write_bytes(b"somebody's")
    done = run_cli("convert", people, target)
    assert done.code == 1
    assert "b.parquet exists and is kept" in done.err
    assert "--overwrite" in done.err
    assert target.read_bytes() == b"somebody's"
    assert run_cli("convert", people, target, "--overwrite").code == 0
    assert len(ta.read(target)) == 2


def test_a_file_beside_the_target_is_kept_too(run_cli, people: Path):
    description = people.with_name("b.rda")
    description.write_text("somebody's")
    done = run_cli("convert", people, people.with_name("b.asc"))
    assert done.code == 1
    assert "b.rda exists and is kept" in done.err
    assert description.read_text() == "somebody's"
    assert not people.with_name("b.asc").exists()


@pytest.mark.parametrize(("answer", "code"), [(True, 0), (False, 1)])
def test_somebody_at_a_terminal_is_asked(run_cli, people: Path, monkeypatch, answer, code):
    target = people.with_name("b.parquet")
    target.write_bytes(b"somebody's")
    asked = []

    def confirm(question: str, *, err: bool) -> bool:
        asked.append(question)
        return answer

    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", confirm)
    assert run_cli("convert", people, target).code == code
    assert asked == [f"{target} exists. Replace it?"]
    assert (target.read_bytes() == b"somebody's") is not answer


TABLE = "row,column,value\nTotal,Total,10\nTotal,u,6\nTotal,v,4\nx,Total,10\nx,u,6\nx,v,4\n"
OTHERS = (
    "tables convert in.csv kept.csv --by row --by column",
    "tables perturb in.csv --by row --by column --set base=5 --out kept.csv",
    "tables protect in.csv --by row --by column --out kept.csv",
    "tables audit in.csv --by row --by column --html kept.csv",
    "map in.csv --out kept.csv",
    "advise in.csv --map kept.csv",
    "optimize in.csv --original in.csv --out kept.csv",
)


@pytest.mark.parametrize("command", OTHERS)
def test_no_command_writes_over_a_file_unless_it_is_meant(
    run_cli, tmp_path: Path, monkeypatch, command: str
):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(TABLE)
    Path("kept.csv").write_text("somebody's")
    done = run_cli(*command.split())
    assert done.code == 1
    assert "kept.csv exists and is kept" in done.err
    done = run_cli(
        *command.replace("kept.csv", "in.csv").split(),
        *(() if "advise" in command else ("--overwrite",)),
    )
    assert done.code == 1
    assert "in.csv is read here, and would be lost" in done.err or "exists and is kept" in done.err
    assert (Path("in.csv").read_text(), Path("kept.csv").read_text()) == (TABLE, "somebody's")
