from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.app.projects import HISTORY, Project, Projects, Variant, in_yaml
from tacita.app.workplace import Workplace
from tacita.errors import InputError, OutputError, PlanError

TOY = {"data": {"example": {"toy": 50}}}


def with_step(k: int) -> dict:
    return {**TOY, "microdata": {"steps": [{"sample": k / 100}]}}


@pytest.fixture
def projects(tmp_path) -> Projects:
    return Projects(Workplace.at(tmp_path))


def test_undo_redo_and_branches_lose_nothing(projects):
    name = projects.begin("toy", TOY, "made").identifier
    projects.change(name, with_step(10), "ten")
    projects.change(name, with_step(20), "twenty")
    assert projects.undo(name).variant.change == "ten"
    assert projects.undo(name).current == 0
    assert projects.undo(name).current == 0
    assert projects.redo(name).variant.change == "ten"
    branched = projects.change(name, with_step(30), "thirty")
    assert projects.redo(name) == branched  # a change ends what could be done again
    assert [one.change for one in branched.children(1)] == ["twenty", "thirty"]
    assert [one.change for one in branched.path()] == ["made", "ten", "thirty"]
    assert projects.goto(name, 2).variant.plan == with_step(20)


def test_two_tabs_make_branches(projects):
    name = projects.begin("toy", TOY, "made").identifier
    projects.change(name, with_step(10), "first tab", parent=0)
    project = projects.change(name, with_step(20), "second tab", parent=0)
    assert [one.parent for one in project.variants] == [None, 0, 0]
    assert [one.beside for one in project.variants] == [None, None, 1]
    assert Projects(projects.workplace).get(name) == project
    with pytest.raises(InputError, match="has no variant 7"):
        projects.change(name, with_step(20), "none", parent=7)


def test_a_restart_finds_everything_even_after_a_torn_line(projects):
    project = projects.begin("toy", TOY, "made")
    projects.change(project.identifier, with_step(10), "ten")
    last = projects.undo(project.identifier)
    history = projects.folder_of(project) / HISTORY
    assert Projects(projects.workplace).get(project.identifier) == last
    with history.open("a") as file:
        file.write('{"kind": "variant", "pa')
    again = Projects(projects.workplace)
    assert again.get(project.identifier) == last
    # What is done after the crash is there after the next start too.
    changed = again.change(project.identifier, with_step(30), "after the crash")
    assert Projects(projects.workplace).get(project.identifier) == changed


@given(st.integers(0, 10_000))
def test_wherever_a_crash_cuts_the_history_the_beginning_is_there(cut):
    with TemporaryDirectory() as place:
        projects = Projects(Workplace.at(Path(place)))
        project = projects.begin("tö\u2028y", TOY, "made\x85 \u2028")
        changed = [projects.change(project.identifier, with_step(k), "ü") for k in (10, 20)]
        states = [project, *changed]
        history = projects.folder_of(project) / HISTORY
        whole = history.read_bytes()
        history.write_bytes(whole[: cut % (len(whole) + 1)])
        again = Projects(projects.workplace)
        found = again.all()
        lines = history.read_bytes().count(b"\n")
        assert found == ([states[lines - 2]] if lines > 1 else [])
        if found:
            later = again.change(project.identifier, with_step(40), "later")
            assert Projects(projects.workplace).all() == [later]


def test_letters_that_end_lines_elsewhere_lose_nothing(projects):
    odd = "a\u2028b\u2029c\x85d\x1ce"
    plan = {"data": {"source": "a.csv", "attributes": {odd: {"role": "key"}}}}
    made = projects.begin(odd, plan, odd)
    assert Projects(projects.workplace).get(made.identifier) == made


def test_a_full_disk_tears_no_line(projects, monkeypatch):
    project = projects.begin("toy", TOY, "made")
    history = projects.folder_of(project) / HISTORY
    before = history.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="Free some space"):
        projects.change(project.identifier, with_step(10), "lost")
    assert history.read_bytes() == before
    assert projects.get(project.identifier) == project
    monkeypatch.undo()
    changed = projects.change(project.identifier, with_step(10), "kept")
    assert Projects(projects.workplace).get(project.identifier) == changed


def test_a_plan_that_cannot_run_changes_nothing(projects):
    project = projects.begin("toy", TOY, "made")
    with pytest.raises(PlanError, match="smple"):
        projects.change(
            project.identifier, {**TOY, "microdata": {"steps": [{"smple": 1}]}}, "wrong"
        )
    assert projects.get(project.identifier) == project


@pytest.mark.parametrize(
    "data",
    [
        {"source": "/etc/passwd"},
        {"source": "../secret.csv"},
        {"source": "sqlite:////etc/secret.db", "table": "t"},
        {"source": "a.csv", "population": "/etc/secret.csv"},
        {"source": "a.csv", "attributes": {"a": {"hierarchy": {"file": "/etc/passwd"}}}},
        {"source": "a.csv", "attributes": {"a": {"hierarchy": {"file": {"path": "../x.hrc"}}}}},
        {"source": "duckdb:///../secret.duckdb", "table": "t"},
        {"source": "a.csv", "metadata": "/etc/passwd"},
    ],
)
def test_a_plan_reaches_no_file_elsewhere(projects, data):
    with pytest.raises(InputError, match="is not in the folder of the workbench"):
        projects.begin("wrong", {"data": data}, "opened")
    assert projects.all() == []


@pytest.mark.parametrize(
    "address",
    [
        "sqlite://a.db?x:////etc/secret.db",  # what reads it would take the second address
        "sqlite://a.db",
        "duckdb://..",
        "file:///etc/passwd",
        "http://127.0.0.1/a.csv",
    ],
)
def test_an_address_that_could_be_mistaken_is_refused(projects, address):
    with pytest.raises(InputError, match="Expected"):
        projects.begin("wrong", {"data": {"source": address, "table": "t"}}, "opened")


@pytest.mark.parametrize(
    "said",
    [
        {"perturb": {"cell_key_counts": {"p_table": "/etc/passwd"}}, "keys": "k"},
        {"compare": [{"cell_key_counts": {"p_table": "../p.csv"}}], "keys": "k"},
        {"given": "/etc/passwd"},
        {
            "waivers": {"file": "../w.csv", "on": "2026-01-31"},
            "contributor": "c",
            "rules": [{"minimum_frequency": 3}],
        },
    ],
)
def test_a_table_reaches_no_file_elsewhere(projects, said):
    table = {"name": "t", "by": ["sex"], **said}
    with pytest.raises(InputError, match="is not in the folder of the workbench"):
        projects.begin("wrong", {**TOY, "tables": [table]}, "opened")


@pytest.mark.parametrize("source", ["duckdb:///a.duckdb", "a.duckdb"])
def test_a_query_of_its_own_is_refused_where_it_could_read_any_file(projects, source):
    data = {"source": source, "query": "SELECT * FROM '/etc/passwd'"}
    with pytest.raises(InputError, match="could read any file"):
        projects.begin("wrong", {"data": data}, "opened")


def test_a_project_that_is_not_there_is_refused(projects):
    with pytest.raises(InputError, match="no such project"):
        projects.get("../../etc")


moves = st.lists(st.sampled_from(["change", "undo", "redo", "goto"]), max_size=30)


@given(moves)
def test_moves_never_lose_a_variant(done):
    project = Project("p", "p", 1, (Variant(0, None, TOY, "made", 0.0),))
    for number, kind in enumerate(done):
        before = project
        if kind == "change":
            event = {"kind": "variant", "parent": project.current, "plan": TOY,
                     "change": str(number), "made": 0.0}  # fmt: skip
        elif kind == "undo" and project.can_undo:
            event = {"kind": "undo", "to": project.variant.parent}
        elif kind == "redo" and project.undone:
            event = {"kind": "redo", "to": project.undone[-1]}
        else:
            event = {"kind": "goto", "to": number % len(project.variants)}
        project = project.following(json.loads(json.dumps(event)))
        assert project.variants[: len(before.variants)] == before.variants
        assert project.path()[0].number == 0
        if event["kind"] == "undo":
            back = {"kind": "redo", "to": project.undone[-1]}
            assert project.following(back) == before


def test_what_another_tab_did_is_not_undone(projects):
    name = projects.begin("toy", TOY, "made").identifier
    projects.change(name, with_step(10), "ten")
    projects.change(name, with_step(20), "in another tab")
    for move in (projects.undo, projects.redo):
        with pytest.raises(InputError, match="another tab"):
            move(name, seen=1)
    assert projects.get(name).current == 2
    assert projects.undo(name, seen=2).current == 1
    assert projects.redo(name, seen=1).current == 2


def test_a_plan_is_written_as_its_file_says_it():
    assert in_yaml(TOY) == "data:\n  example:\n    toy: 50\n"
