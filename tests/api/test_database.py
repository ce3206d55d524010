"""Guarded databases as plans say them: what is wrong is said once, and leaves nothing behind."""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import Mock

import duckdb
import pyarrow as pa
import pytest

import tacita as ta
from tacita.api.database import serve_plan
from tacita.errors import ParameterError, TacitaError
from tacita.queries.ledger.keys import key_from_file
from tacita.release.execute import mask, read_source
from tacita.release.masked_input import masking_seed
from tacita.release.plan import read_plan

FIRMS = "id,sector,salary\n" + "\n".join(
    f"{i},{'IT' if i % 2 else 'HC'},{i}000" for i in range(1, 9)
)
PLAN = """data:
  source: firms.csv
  attributes:
    id: {role: identifier}
    sector: {role: key}
    salary: {role: confidential}
queries:
  view: firms
  policies: [audit]
  ledger: ledger.db
  anchor: anchor.json
  key_file: keys/ledger.key
"""
TOTAL = "SELECT sum(salary) FROM firms"
ROLES = {"sector": "key", "pay": "confidential"}

# What is written in place of what, and the place and the words of the only sentence.
BAD = [
    ("view: firms", "view: 2nd", "line 8, field `queries.view`: expected a name of letters"),
    ("[audit]", "[]", "line 9, field `queries.policies`: expected one or more; found"),
    ("[audit]", "[{audit: {k: 1}}]", "line 9, field `queries.policies.0..audit`: `k` of"),
    ("ledger.db", "no/ledger.db", "line 7, field `queries`: There is no folder for .*ledger.db"),
    ("anchor.json", "no/a.json", "line 7, field `queries`: There is no folder for .*a.json"),
    ("  anchor", "  published: SELECT\n  anchor", "`queries.published`: expected a list; found"),
    ("  anchor", "  published: [SELECT 1]\n  anchor", "line 7, field `queries`: The query needs"),
    ("  anchor", "  known: [3]\n  anchor", "line 7, field `queries`: Records that an insider"),
    ("  anchor", "  record: name\n  anchor", "line 7, field `queries`: There is no attribute"),
    ("  anchor", "  record: sector\n  anchor", "line 7, field `queries`: `sector` must name"),
    ("salary:", "pay:", "line 6, field `data.attributes.pay.role`: Attribute `pay` is declared"),
    ("firms.csv", "none.csv", "line 2, field `data.source`: There is no file"),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "firms.csv").write_text(FIRMS)
    (tmp_path / "keys").mkdir()
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


@pytest.mark.parametrize(("right", "wrong", "sentence"), BAD)
def test_a_plan_that_cannot_work_says_where_and_leaves_nothing(folder, right, wrong, sentence):
    plan = folder / "plan.yaml"
    plan.write_text(PLAN.replace(right, wrong, 1))
    before = sorted(folder.rglob("*"))
    with pytest.raises(TacitaError, match=sentence) as caught:
        serve_plan(plan)
    assert str(caught.value).count("plan.yaml") == 1
    assert sorted(folder.rglob("*")) == before


def test_without_a_home_the_place_of_the_key_is_asked_for(folder, monkeypatch):
    plan = folder / "plan.yaml"
    plan.write_text(PLAN.replace("  key_file: keys/ledger.key\n", ""))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "firms.csv"))
    with pytest.raises(TacitaError, match=r"no place at home for the key of the ledger .*key_file"):
        serve_plan(plan)
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setattr(Path, "home", Mock(side_effect=RuntimeError))
    with pytest.raises(TacitaError, match=r"no place at home for the key of the ledger .*key_file"):
        serve_plan(plan)
    assert not (folder / "ledger.db").exists()


def test_a_plan_is_taken_up_with_its_history(folder):
    for _ in range(2):
        guard = serve_plan(folder / "plan.yaml").guard
        assert guard.ask(TOTAL, user="ana").value == 36000
        guard.close()
    assert serve_plan(folder / "plan.yaml").guard.session()["queries"] == 2


def test_a_guard_without_ledger_goes_on_with_other_data():
    """Frames are read again at every refresh."""
    frame = pa.table({"sector": ["IT"] * 4, "pay": [1, 2, 3, 4]})
    with ta.guard(frame, policy=ta.Audit(), ledger=None, view="t", roles=ROLES) as database:
        assert database.ask("SELECT sum(pay) FROM t").value == 10
        assert not database.refresh()


MASKED = PLAN.replace("  view: firms", "  view: firms\n  input: masked\n  record: id").replace(
    "queries:",
    "microdata:\n  steps:\n    - add_noise: {attributes: salary, alpha: 0.2}\nqueries:",
)
BY_SECTOR = "SELECT sector, count(*), sum(salary) AS total FROM firms GROUP BY sector ORDER BY 1"


@pytest.fixture
def masked(folder):
    (folder / "plan.yaml").write_text(MASKED)
    return folder


def asked(folder, sql=BY_SECTOR):
    guard = serve_plan(folder / "plan.yaml").guard
    try:
        return guard.ask(sql, user="ana")
    finally:
        guard.close()


def test_a_masked_copy_is_answered_from_and_is_the_same_at_every_opening(masked):
    """The answers are those of SQL on the copy that the ledger's key gives, and not the truth."""
    told = asked(masked)
    seed = masking_seed(key_from_file(masked / "keys" / "ledger.key"))
    plan = read_plan(masked / "plan.yaml")
    copy, _ = mask(read_source(plan), plan, seed)
    database = duckdb.connect()
    database.register("firms", copy.to_arrow())
    expected = database.execute(BY_SECTOR).fetchall()
    assert [row[:2] for row in told.rows] == [row[:2] for row in expected]
    assert [row[2] for row in told.rows] == pytest.approx([row[2] for row in expected])
    assert [row[2] for row in told.rows] != [20000, 16000]
    lines = (masked / "firms.csv").read_text().splitlines()
    (masked / "firms.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]))
    assert asked(masked).rows == told.rows  # whatever order the source has
    (masked / "keys" / "ledger.key").unlink()
    (masked / "ledger.db").unlink()
    (masked / "anchor.json").unlink()
    assert asked(masked).rows != told.rows  # with another key


def test_answers_say_what_masked_the_data_as_far_as_it_may_be_told(masked):
    said = asked(masked).guarantees["input"]
    assert said == (
        'Computed on masked data, not on the true ones: add_noise {"attributes": ["salary"]}.'
    )  # how large the noise is stays in the house


def test_policies_judge_a_masked_copy_like_other_data(masked):
    told = asked(masked, "SELECT sum(salary) FROM firms WHERE sector IN ('IT', 'HC')")
    assert not told.is_refused
    plan = (masked / "plan.yaml").read_text().replace("[audit]", "[{audit: {k: 5}}]")
    (masked / "plan.yaml").write_text(plan)
    told = asked(masked, "SELECT sum(salary) FROM firms WHERE sector = 'IT'")
    assert told.is_refused
    assert set(told.guarantees) == {"input", "audit"}


# What is written in place of what, and the place and the words of the only sentence.
BAD_COPIES = [
    ("input: masked", "input: maskd", "`queries.input`: input should be 'original' or 'masked'"),
    (
        "alpha: 0.2}",
        "alpha: 0.2}\n    - bounded_noise: {bounds: {salary: [0, 9000]}, epsilon: 1}",
        "steps[1].bounded_noise`: `bounded_noise` draws other noise",
    ),
    ("steps:", "measure: []\n  steps: []\n#", "`queries.input`: nothing masks the data"),
    ("  record", "  versions: kept\n  record", "`queries.versions`: a masked copy is made once"),
    ("queries:", "  require: [{k_anonymity: 5}]\nqueries:", "The masked copy cannot be guarded: "),
]


@pytest.mark.parametrize(("right", "wrong", "sentence"), BAD_COPIES)
def test_a_copy_that_cannot_be_guarded_is_refused_once(masked, right, wrong, sentence):
    text = MASKED.replace(right, wrong, 1)
    text = text.replace("#\n    - add_noise", "#    - add_noise")
    (masked / "plan.yaml").write_text(text)
    with pytest.raises(TacitaError, match=re.escape(sentence)) as caught:
        serve_plan(masked / "plan.yaml")
    assert str(caught.value).count("plan.yaml") == 1
    assert not (masked / "ledger.db").exists()


def test_a_copy_of_data_that_changed_needs_a_new_ledger(masked):
    asked(masked)
    with (masked / "firms.csv").open("a") as file:
        file.write("\n9,IT,9000")
    with pytest.raises(TacitaError, match="not those that were answered from before"):
        serve_plan(masked / "plan.yaml")


def test_masked_microdata_at_hand_are_guarded_and_said_to_be_masked():
    masked = ta.example("toy", 50).apply(ta.AddNoise("income", alpha=0.1), seed=3)
    with ta.guard(masked, policy=ta.QuerySetSize(3), ledger=None, view="toy") as database:
        told = database.ask("SELECT sum(income) FROM toy")
        total = sum(filter(None, masked.column("income").to_pylist()))
        assert told.value == pytest.approx(total)
        assert told.guarantees["input"].startswith("Computed on masked data")
        assert not database.refresh()
    original = ta.guard(ta.example("toy", 50), policy=ta.QuerySetSize(3), ledger=None)
    assert "input" not in original.ask("SELECT count(*) FROM data").guarantees
    with pytest.raises(ParameterError, match="Microdata at hand have roles"):
        ta.guard(masked, policy=ta.QuerySetSize(3), ledger=None, roles={"income": "key"})


def test_a_database_whose_ledger_was_cut_off_does_not_open(folder, tmp_path):
    from contextlib import closing
    from sqlite3 import connect

    said = {
        "policy": ta.Audit(),
        "view": "firms",
        "ledger": tmp_path / "l.db",
        "roles": {"salary": "confidential"},
    }
    with ta.guard(folder / "firms.csv", **said) as database:
        for bound in range(3):
            database.ask(f"SELECT count(*) FROM firms WHERE salary > {bound}")  # noqa: S608
    with closing(connect(tmp_path / "l.db")) as connection:
        connection.execute("DROP TRIGGER nothing_goes")
        connection.execute(
            "DELETE FROM entries WHERE number > (SELECT max(number) FROM entries) - 2"
        )
        connection.commit()
    with pytest.raises(TacitaError, match="missing at the end: the ledger was cut off"):
        ta.guard(folder / "firms.csv", **said)
