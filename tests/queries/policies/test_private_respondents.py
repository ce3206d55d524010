"""Respondents with several records: how many of them count, which, and what is said about it."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita as ta
from tacita.api.database import serve_plan
from tacita.errors import ParameterError, QueryError
from tacita.queries.policies.private_answers import PrivateAnswers

PLAN = """
data:
  source: visits.parquet
  attributes:
    person: {role: identifier}
    ward: {role: key}
    days: {role: confidential, kind: continuous}
    why: {role: confidential, kind: nominal}
queries:
  view: visits
  policies:
    - private_answers:
        epsilon: 1000000000000
        delta: 0.000001
        bounds: {days: [0, 7]}
        respondent: person
        records_each: 2
        private_categories: [why]
  ledger: ledger.db
  key_from: VISITS_KEY
"""
VISITS = pa.table(
    {
        "person": ["a"] * 30 + [f"p{place}" for place in range(10)],
        "ward": ["w1", "w2"] * 20,
        "days": [float(place % 7) for place in range(40)],
        "why": ["flu"] * 20 + ["fall"] * 20,
    }
)
OF_VISITS = {
    "person": "identifier",
    "ward": "key",
    "days": "confidential",
    "why": "confidential",
}
VISITORS = "SELECT count(*), count(DISTINCT person), sum(days), median(days) FROM visits"


def visited(ledger=None, table=VISITS, **more):
    said = {"respondent": "person", "records_each": 2, "share_each": 0.1, **more}
    policy = PrivateAnswers(10.0**12, {"days": (0.0, 7.0)}, **said)
    return ta.guard(
        table, policy=policy, ledger=ledger, view="visits", roles=OF_VISITS, key_from="VISITS_KEY"
    )


@pytest.mark.parametrize(
    "more", [{}, {"delta": 1e-6}, {"delta": 1e-6, "noise": "analytic_gaussian"}]
)
def test_no_more_records_of_a_respondent_count_than_are_said_to(more):
    with visited(**more) as database:
        answer = database.ask(VISITORS)
        # The least noise there is goes to one or two, in one of many runs.
        assert answer.rows[0][:2] == pytest.approx((12, 11), abs=3)
        assert answer.cost["private_answers"]["bound"] == "2 records of each person, enforced"
        assert "all records of one `person`, of which 2 count, changed" in str(answer.guarantees)
        assert "left_out" not in str(answer.to_dict())
        assert database.session()["evidence"]["private_answers"]["records_left_out"] == 28


def test_the_same_records_count_at_every_opening_and_with_another_key_others(tmp_path, monkeypatch):
    def told(key: str, name: str) -> float:
        monkeypatch.setenv("VISITS_KEY", key * 32)
        with visited(tmp_path / f"{name}.db", records_each=5) as database:
            return round(database.ask("SELECT sum(days) FROM visits").value, 3)

    assert told("k", "one") == told("k", "one") == told("k", "two")
    assert len({told(key, f"of {key}") for key in "abcdef"}) > 1


def test_learned_bounds_are_of_the_records_that_count():
    """One respondent with half of the records cannot widen the bounds unless all of them count."""
    table = pa.table(
        {
            "person": ["a"] * 30 + [f"p{place}" for place in range(30)],
            "ward": ["w"] * 60,
            "days": [1e6] * 30 + [3.0] * 30,
            "why": ["flu"] * 60,
        }
    )
    found = {}
    for respondent in ("person", None):
        policy = PrivateAnswers(1e9, learn={"days": 0.5}, share_each=0.1, respondent=respondent)
        with ta.guard(table, policy=policy, ledger=None, view="v", roles=OF_VISITS) as database:
            cost = database.ask("SELECT sum(days) FROM v").cost["private_answers"]
        found[respondent] = cost["bounds"]["days"]
    assert found == {"person": [0.0, 4.0], None: [0.0, 2.0**20]}


def test_without_a_named_respondent_it_is_a_promise_and_nobody_can_be_counted():
    with visited(respondent=None) as database:
        answer = database.ask("SELECT count(*) FROM visits")
        assert answer.value == 40
        assert "promised, not enforced" in answer.guarantees["private_answers"]
        assert "promised" in answer.cost["private_answers"]["bound"]
        with pytest.raises(QueryError, match="identifiers cannot be named"):
            database.ask("SELECT count(DISTINCT person) FROM visits")


@pytest.mark.parametrize(
    "sql", ["SELECT min(person) FROM visits", "SELECT count(person) FROM visits"]
)
def test_of_the_respondent_nothing_but_the_number_can_be_asked(sql):
    with visited() as database, pytest.raises(QueryError, match="identifiers cannot be named"):
        database.ask(sql)


def test_exact_policies_do_not_count_respondents_behind_its_back():
    """Where another policy has a say, it decides as well; the audit knows no such statistic."""
    policies = [PrivateAnswers(1.0, respondent="person"), ta.Audit(unbounded=["days"])]
    with ta.guard(VISITS, policy=policies, ledger=None, view="v", roles=OF_VISITS) as database:
        assert database.ask("SELECT count(DISTINCT person) FROM v").is_refused


def test_a_plan_says_it(tmp_path, monkeypatch):
    monkeypatch.setenv("VISITS_KEY", "k" * 32)
    pq.write_table(VISITS, tmp_path / "visits.parquet")
    (tmp_path / "plan.yaml").write_text(PLAN)
    served = serve_plan(tmp_path / "plan.yaml")
    with served.guard as guard:
        answer = guard.ask("SELECT ward, count(*), sum(days) FROM visits GROUP BY ward", user="ana")
        assert sum(row[1] for row in answer.rows) == 12
        assert guard.ask("SELECT why, count(*) FROM visits GROUP BY why", user="ana").cost


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"respondent": "ward"}, "`ward` is none"),
        ({"respondent": "persn"}, "Did you mean `person`"),
        ({"table": VISITS.set_column(0, "person", pa.array([None, *["b"] * 39]))}, "blank in 1"),
    ],
)
def test_a_respondent_that_cannot_be_told(more, said):
    with pytest.raises(ParameterError, match=said):
        visited(**more)


def test_data_without_respondents_are_refused_before_they_are_in_the_history(tmp_path, monkeypatch):
    """A version that no opening could take up would close the ledger for good."""
    monkeypatch.setenv("VISITS_KEY", "k" * 32)
    policy = PrivateAnswers(1.0, respondent="person")
    place = tmp_path / "visits.parquet"

    def opened():
        return ta.guard(
            place,
            policy=policy,
            ledger=tmp_path / "ledger.db",
            view="visits",
            roles={**OF_VISITS, "visit": "identifier"},
            key_from="VISITS_KEY",
            record="visit",
            versions=tmp_path / "versions",
        )

    named = VISITS.append_column("visit", pa.array(range(40)))
    pq.write_table(named, place)
    with opened() as database:
        pq.write_table(named.set_column(0, "person", pa.array([None, *["b"] * 39])), place)
        with pytest.raises(ParameterError, match="blank in 1"):
            database.refresh()
        assert database.ask("SELECT count(*) FROM visits").value is not None
    pq.write_table(named, place)
    with opened() as database:
        assert database.left()["epsilon"] == 0.99


@pytest.mark.parametrize(
    "other", [{"neighbours": "add_remove"}, {"records_each": 3}, {"respondent": None}]
)
def test_what_was_promised_about_other_neighbours_leaves_nothing(tmp_path, monkeypatch, other):
    """Losses of one relation say nothing about another: they cannot be added up."""
    monkeypatch.setenv("VISITS_KEY", "k" * 32)
    sql = "SELECT count(*) FROM visits"
    with visited(tmp_path / "l.db") as database:
        database.ask(sql)
    with visited(tmp_path / "l.db") as database:
        assert database.left()["epsilon"] == 0.9 * 10**12
    with visited(tmp_path / "l.db", **other) as database:
        assert database.left()["epsilon"] == 0
        assert database.ask(sql).is_refused
