from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tacita.app.hands import work as module
from tacita.app.hands.tasks import table_export
from tacita.app.hands.work import Memory, Work

PLAN = {
    "data": {"source": "a.csv", "attributes": {"age": {"role": "key", "kind": "continuous"}}},
    "microdata": {"steps": [{"top_code": {"attribute": "age", "above": 50}}]},
}


@pytest.fixture
def file(tmp_path) -> Path:
    file = tmp_path / "a.csv"
    file.write_text("age\n30\n40\n")
    return file


@pytest.fixture
def work(tmp_path, file):
    memory = Memory()

    def made(**arguments) -> Work:
        place = tmp_path / "plan.yaml"
        return Work(yaml.safe_dump(PLAN), place, 1, arguments, lambda _: None, memory)

    return made


def ages(data) -> list[int]:
    return data.column("age").to_pylist()


def test_a_file_that_is_replaced_while_it_is_read_is_read_again(work, file, monkeypatch):
    read = module.read_source

    def late(plan):
        file.rename(file.with_suffix(".before"))
        file.write_text("age\n60\n70\n80\n")
        return read(plan)

    monkeypatch.setattr(module, "read_source", late)
    assert ages(work().original) == [60, 70, 80]
    monkeypatch.undo()
    file.with_suffix(".before").replace(file)  # size and time are those of before
    assert ages(work().original) == [30, 40]


@pytest.mark.parametrize("sample", [False, True])
def test_what_is_masked_belongs_to_the_data_that_were_read(work, file, monkeypatch, sample):
    monkeypatch.setattr(module, "SAMPLE", 1)
    before = work(sample=sample)
    assert len(before.original) == (1 if sample else 2)
    file.write_text("age\n60\n61\n62\n")
    assert max(ages(before.masked[0])) <= 40
    after = work(sample=sample)
    assert min(ages(after.original)) >= 60
    assert set(ages(after.masked[0])) == {50}


def test_a_file_of_the_moment_lies_where_the_next_start_removes_it(work, tmp_path, monkeypatch):
    (tmp_path / "session" / "incoming").mkdir(parents=True)
    one = work(export="csv")
    one.session = tmp_path / "session"
    places = []

    def written(_, place, word):
        places.append(place)
        (place / f"table.{word}").write_text("cells")

    monkeypatch.setattr(table_export, "tabled", lambda _: None)
    monkeypatch.setattr(table_export, "_write", written)
    assert table_export.run(one)["name"] == "table.csv"
    assert places[0].parent == tmp_path / "session" / "incoming"
    assert not places[0].exists()
