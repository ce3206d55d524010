"""From a file to a plan that runs, whatever the file is like."""

import datetime as dt
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import yaml

import tacita as ta
from tacita.data.examples import GENERATED, generate
from tacita.data.formats import write_table
from tacita.errors import InputError, ParameterError
from tacita.inspection import inspect
from tacita.release.execute import execute

SHARED = Path(__file__).parents[3] / "shared" / "data"


def written(folder, text, name="data.csv"):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def lines(header, rows):
    return "\n".join([header, *rows, ""])


def planned(file, folder, **options):
    """Inspect a file and write its plan."""
    found = inspect(file, **options)
    (folder / "plan.yaml").write_text(found.plan(folder), encoding="utf-8")
    return found


def run(folder):
    """Run the plan without writing the release, which takes longer."""
    return execute(ta.read_plan(folder / "plan.yaml"), seed=1)


# -- plans run -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GENERATED)
def test_the_plan_of_generated_data_runs(name, tmp_path):
    file = tmp_path / f"{name}.csv"
    write_table(generate(name, 1000, 1).table, file)
    found = planned(file, tmp_path)
    waive = None if found.with_role("key") else "no key was found"
    outcome = ta.run(tmp_path / "plan.yaml", tmp_path / "out", seed=1, waive=waive)
    assert outcome.holds
    assert len(outcome.protected) >= 0.95 * 1000
    assert not set(found.with_role("identifier")) & set(outcome.protected.names)
    assert set(outcome.original.keys) == set(found.with_role("key"))
    if found.with_role("key"):
        assert ta.KAnonymity(5).check(outcome.protected).holds


@pytest.mark.parametrize(
    "path", ["adult/adult_subset.csv", "casc/testdata.csv", "casc/free1.csv", "casc/Tarragona.csv"]
)
def test_the_plan_of_a_known_file_runs(path, tmp_path):
    if not (SHARED / path).is_file():
        pytest.skip("the reference data are not here")
    planned(SHARED / path, tmp_path)
    assert run(tmp_path).holds


@pytest.mark.parametrize("suffix", ["parquet", "feather", "xlsx"])
def test_other_formats_are_planned_too(suffix, tmp_path):
    file = tmp_path / f"toy.{suffix}"
    write_table(generate("toy", 200).table.drop_columns(["languages"]), file)
    planned(file, tmp_path)
    assert run(tmp_path).holds


def test_words_for_missing_values_and_spaces_survive_being_read_as_text(tmp_path):
    rows = [
        f"{['1', '2', 'NA'][n % 3]}, {n % 4},{n % 40},{['True', 'FALSE', ''][n % 3]}"
        for n in range(600)
    ]
    found = planned(written(tmp_path, lines("sex,region,age,member", rows)), tmp_path)
    assert found["sex"].missing == ("NA",)
    assert found["sex"].hierarchy == {"tree": {"*": ["1", "2"]}}
    assert found["region"].hierarchy == {"tree": {"*": [" 0", " 1", " 2", " 3"]}}
    assert run(tmp_path).original.column("sex").null_count == 200


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_whole_numbers_stored_as_decimals_are_planned(suffix, tmp_path):
    numbers = {
        "customer_no": np.arange(600) * 7 + 4000.0,
        "caseno": np.arange(600) // 3 + 100.0,
        "zip": np.arange(600) % 50 + 10_000.0,
        "v": np.arange(600) % 5 + 1.0,
        "age": np.arange(600) % 40 + 20.0,
    }
    file = tmp_path / f"data.{suffix}"
    if suffix == "csv":
        rows = [",".join(map(str, row)) for row in zip(*numbers.values(), strict=True)]
        written(tmp_path, lines(",".join(numbers), rows))
    else:
        write_table(pa.table(numbers), file)
    found = planned(file, tmp_path)
    assert found.with_role("identifier") == ["customer_no", "caseno"]
    assert found["zip"].hierarchy == {"prefix": 7 if suffix == "csv" else 5}
    assert len(found["v"].order) == 5
    assert run(tmp_path).holds


def test_a_second_household_number_is_dropped(tmp_path):
    rows = [f"{n // 3 + 1000},{n // 3 + 1000},{'mf'[n % 2]}" for n in range(300)]
    planned(written(tmp_path, lines("hh_id,household_number,sex", rows)), tmp_path)
    assert run(tmp_path).protected.names == ["hh_id", "sex"]


def test_blanks_that_stand_out_raise_the_limit(tmp_path):
    rows = [
        f"{'' if n % 25 == 0 else n % 9},{'' if n % 24 == 0 else 'abc'[n % 3]}" for n in range(40)
    ]
    found = planned(written(tmp_path, lines("age,region", rows)), tmp_path)
    limit = yaml.safe_load(found.plan())["microdata"]["steps"][0]["anonymize"]["suppression_limit"]
    assert limit == pytest.approx(0.08)  # 3 of 40 records, rounded up
    assert "among too few with the same keys blank" in " ".join(
        found.plan().replace("#", "").split()
    )
    assert run(tmp_path).holds


def test_keys_that_cannot_be_generalized_are_left_out_and_told(tmp_path):
    rows = [f"town {n % 3000}x,{n % 40}" for n in range(9000)]
    planned(written(tmp_path, lines("city,age", rows)), tmp_path)
    assert "These keys cannot be generalized" in (tmp_path / "plan.yaml").read_text()
    assert run(tmp_path).protected.names == ["age"]


def test_free_text_is_dropped_and_told(tmp_path):
    rows = [f"{n % 40},came in on day {n} with a cough" for n in range(100)]
    found = planned(written(tmp_path, lines("age,remark", rows)), tmp_path)
    assert found["remark"].free_text
    assert "Free text cannot be masked: remark." in found.plan()
    assert any(warning.startswith("Free text") for warning in found.warnings)
    assert run(tmp_path).protected.names == ["age"]


def test_the_layout_is_written_out(tmp_path):
    rows = [f"{n % 40},5;Reus {n % 3}" for n in range(100)]
    file = tmp_path / "daten.csv"
    file.write_bytes(lines("größe;wohnort", rows).encode("cp1252"))
    found = planned(file, tmp_path, encoding="cp1252")
    said = yaml.safe_load(found.plan(tmp_path))["data"]
    assert (said["source"], said["delimiter"], said["encoding"]) == ("daten.csv", ";", "cp1252")
    assert run(tmp_path).holds


def test_the_source_is_said_as_seen_from_the_plan(tmp_path):
    (tmp_path / "plans").mkdir()
    file = written(tmp_path, lines("age", map(str, range(20))))
    said = yaml.safe_load(inspect(file).plan(tmp_path / "plans"))["data"]
    assert said["source"] == "../data.csv"


def test_the_password_of_a_database_is_told_nowhere(monkeypatch):
    from tacita.data.formats.contents import Contents

    contents = Contents(generate("firms", 60).table)
    monkeypatch.setattr("tacita.data.read.read_contents", lambda *_, **__: contents)
    found = inspect("postgresql://ana:secret@localhost/firms", table="firms")
    said = yaml.safe_load(found.plan())["data"]
    assert (said["source"], said["table"]) == ("postgresql://ana@localhost/firms", "firms")
    assert "secret" not in found.plan() + json.dumps(found.to_dict())


def test_names_of_every_kind_can_be_planned(tmp_path):
    names = ["a: b", "#c", "yes", "-", "'q'", "{x}", "年齢", "n" * 200, "age"]
    table = pa.table({name: np.arange(60) % (n + 3) for n, name in enumerate(names)})
    write_table(table, tmp_path / "data.parquet")
    found = planned(tmp_path / "data.parquet", tmp_path)
    assert [finding.name for finding in found.attributes] == names
    assert run(tmp_path).holds


# -- files that are hard to look at ----------------------------------------------------------------


def test_a_file_without_records(tmp_path):
    found = planned(written(tmp_path, "age,email\n"), tmp_path)
    assert found["email"].roles == ("identifier",)
    assert "no records" in found.warnings[0]
    ta.read_plan(tmp_path / "plan.yaml")


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(InputError):
        inspect(written(tmp_path, ""))


def test_one_column_of_identifiers(tmp_path):
    planned(written(tmp_path, lines("email", (f"p{n}@example.org" for n in range(50)))), tmp_path)
    with pytest.raises(ta.TacitaError, match="No attribute is left"):
        run(tmp_path)


def test_too_few_records_are_not_released(tmp_path):
    planned(written(tmp_path, "age,sex\n1,m\n2,f\n"), tmp_path)
    assert not run(tmp_path).holds


def test_blank_and_constant_columns(tmp_path):
    planned(written(tmp_path, lines("age,sex,v", (f",m,{n % 7}" for n in range(60)))), tmp_path)
    assert run(tmp_path).holds


def test_very_many_columns_are_bounded_and_told():
    rng = np.random.default_rng(0)
    table = pa.table({f"v{n}": rng.integers(0, 2 if n % 10 else 20, 300) for n in range(2000)})
    found = inspect(table)
    assert len(found.attributes) == 2000
    assert 0 < len(found.combinations) <= 20
    assert any("Only combinations of" in warning for warning in found.warnings)
    assert any("too many pairs" in warning for warning in found.warnings)


@pytest.mark.parametrize("wrong", [0, -1, True, 2.5, "3"])
def test_a_wrong_number_of_combinations_is_refused(wrong):
    with pytest.raises(ParameterError, match="combinations"):
        inspect(pa.table({"a": [1]}), combinations=wrong)


def test_dates_in_other_orders_are_told():
    days = [dt.date(1950, 1, 1) + dt.timedelta(37 * n) for n in range(90)]
    found = inspect(pa.table({"born": [f"{day:%d.%m.%Y}" for day in days]}))
    assert found["born"].kind == "nominal"
    assert "write them so in the file" in found["born"].warnings[0]


# -- what is given back ----------------------------------------------------------------------------


def test_the_same_data_give_the_same_findings():
    data = generate("survey", 500)
    assert inspect(data.to_arrow()).to_dict() == inspect(data.to_arrow()).to_dict()


def test_frames_and_data_sets_are_taken():
    data = generate("toy", 200)
    assert inspect(data.to_pandas())["zip"].hierarchy == {"prefix": 5}
    found = inspect(data)
    assert found["age"].roles == ("key",)
    assert "save them and say here where they are" in found.plan()


def test_findings_become_frames_json_and_text():
    found = inspect(generate("toy", 200).to_arrow(), combinations=2)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["records"] == 200
    assert found.to_arrow().num_rows == 12
    assert found.to_polars().shape[0] == len(found.to_pandas()) == 12
    assert max(len(one.attributes) for one in found.combinations) == 2
    shown = repr(found)
    for part in (
        "200 records, 12 attributes",
        "Combinations that single",
        "give a key away",
        "zip",
    ):
        assert part in shown


def test_an_unknown_attribute_is_told():
    with pytest.raises(KeyError, match="Did you mean `age`"):
        inspect(pa.table({"age": [1, 2]}))["agee"]


def test_the_proposal_can_be_read_with():
    found = inspect(generate("firms", 300).to_arrow())
    said = found.declarations()
    assert said["firm_id"].role == {"identifier"}
    assert said["size_class"].order[0] == "1-9"


def test_values_of_identifiers_are_not_told():
    found = inspect(pa.table({"v": [f"secret{n}@example.org" for n in range(50)]}))
    assert "secret" not in repr(found) + found.plan() + json.dumps(found.to_dict())
