from __future__ import annotations

import json
import sqlite3

import pytest
import typer
from typer.testing import CliRunner

from tacita.cli.ledger import COMMANDS
from tacita.cli.main import told
from tacita.queries.ledger.anchor import Anchor
from tacita.queries.ledger.keys import key_from_file, key_from_variable
from tacita.queries.ledger.ledger import open_ledger

SECRET = "a secret of the tests"  # noqa: S105


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    monkeypatch.setenv("TACITA_LEDGER_KEY", SECRET)
    key = key_from_variable("TACITA_LEDGER_KEY")
    with open_ledger(tmp_path / "ledger.db", key, tmp_path / "anchor.json") as opened:
        opened.append("answer", {"user": "ana", "query": "SELECT [count](*) FROM firms"}).wait()
        opened.append("refusal", {"user": "ben", "query": "SELECT max(salary) FROM firms"}).wait()
    return tmp_path / "ledger.db"


def tacita(*words: object):
    app = typer.Typer()
    for command in COMMANDS:
        app.command()(told(command))
    return CliRunner().invoke(app, [str(word) for word in words])


def cut(ledger):
    with sqlite3.connect(ledger) as connection:
        connection.execute("DROP TRIGGER nothing_goes")
        connection.execute("DELETE FROM entries WHERE number = 3")
    connection.close()


def test_verify(ledger, tmp_path):
    done = tacita("verify", ledger, "--anchor", tmp_path / "anchor.json")
    assert done.exit_code == 0
    assert done.stdout.startswith("holds: 3 entries follow from the first. Nothing was changed")
    assert "no entry up to that one was taken away" in done.stdout
    found = json.loads(tacita("verify", ledger, "--json").stdout)
    assert (found["holds"], found["entries"], found["broken"]) == (True, 3, None)


def test_what_was_cut_off_is_found_with_a_head(ledger, tmp_path):
    head = tacita("head", ledger).stdout.strip()
    assert head == tacita("anchor", ledger).stdout.strip()
    cut(ledger)
    assert tacita("verify", ledger).exit_code == 0
    for kept in (("--head", head), ("--anchor", tmp_path / "anchor.json")):
        done = tacita("verify", ledger, *kept)
        assert done.exit_code == 1
        assert "BROKEN: Entry 3 is missing at the end" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--head", "3"), "Expected the head of a ledger, NUMBER:DIGEST"),
        (("--anchor", "nowhere.json"), "There is no anchor nowhere.json"),
        (("--key-from", "UNSET"), "environment variable UNSET, which is not set"),
        (("--key-file", "nowhere"), "No such file"),
    ],
)
def test_what_verify_is_given_wrongly(ledger, words, told):
    done = tacita("verify", ledger, *words)
    assert done.exit_code == 1
    assert told in " ".join(done.output.split())


def test_a_key_from_a_file(tmp_path):
    (tmp_path / "keys").mkdir()
    file, ledger = tmp_path / "keys" / "key", tmp_path / "ledger.db"
    open_ledger(ledger, key_from_file(file, new_for=ledger)).close()
    done = tacita("verify", ledger, "--key-file", file)
    assert "holds: 1 entries" in done.stdout


def test_an_anchor_is_written_anew_only_on_the_chain(ledger, tmp_path):
    anchor, elsewhere = tmp_path / "anchor.json", tmp_path / "elsewhere.json"
    head = tacita("anchor", ledger, "--to", elsewhere).stdout.strip()
    assert str(Anchor(elsewhere).read()) == head
    cut(ledger)
    done = tacita("anchor", ledger, "--to", anchor)
    assert done.exit_code == 1
    assert "missing at the end" in done.output
    assert str(Anchor(anchor).read()) == head


def test_backup_and_restore(ledger, tmp_path):
    copy, anchor = tmp_path / "copy.db", tmp_path / "anchor.json"
    assert tacita("backup", ledger, copy).stdout == "3 entries.\n"
    assert "none is written over" in tacita("restore", copy, ledger).output
    done = tacita("restore", copy, tmp_path / "new.db", "--anchor", anchor)
    assert done.stdout == "4 entries, the last of which says so.\n"
    late = tacita("restore", copy, tmp_path / "late.db", "--anchor", anchor)
    assert late.exit_code == 1
    assert "--accept-loss" in late.output
    lost = tacita("restore", copy, tmp_path / "late.db", "--anchor", anchor, "--accept-loss")
    assert (
        lost.stdout == "4 entries, the last of which says so; 1 that were anchored are given up.\n"
    )


def test_show(ledger):
    told = tacita("show", ledger).stdout
    assert "query: SELECT max(salary) FROM firms, user: ben" in " ".join(told.split())
    assert "[count](*)" in told
    (last,) = json.loads(tacita("show", ledger, "--most", 1, "--json").stdout)
    assert (last["number"], last["kind"], last["payload"]["user"]) == (3, "refusal", "ben")
    (second,) = json.loads(tacita("show", ledger, "--after", 1, "--most", 1, "--json").stdout)
    assert (second["number"], second["kind"]) == (2, "answer")
    assert "There is no ledger" in tacita("show", "nowhere.db").output


def test_what_somebody_asked_does_not_reach_the_terminal(tmp_path):
    with open_ledger(tmp_path / "ledger.db", b"k" * 32) as opened:
        opened.append("language", {"query": "\x1b[2J \x9b31m \ud800"}).wait()
    told = tacita("show", tmp_path / "ledger.db").stdout
    assert r"query: \x1b[2J \x9b31m \ud800" in told
    told = tacita("show", tmp_path / "ledger.db", "--json").stdout
    assert json.loads(told)[1]["payload"] == {"query": "\x1b[2J \x9b31m \ud800"}
    assert told.isascii()


def test_the_head_of_a_ledger_without_entries(tmp_path):
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE x (y)").connection.close()
    assert "no such table: entries" in tacita("head", tmp_path / "other.db").output
