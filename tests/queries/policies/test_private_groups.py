"""Groups of confidential categories: shown where many are, and otherwise as if they were not."""

from __future__ import annotations

import json
from math import exp

import pyarrow as pa
import pytest
from scipy import stats

import tacita as ta
from tacita.errors import ParameterError, QueryError
from tacita.queries.expanding import expand
from tacita.queries.guard import Guard
from tacita.queries.language.parse import parse
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.policies.private_answers import PrivateAnswers
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Statistic

ROLES = {
    "person": "identifier",
    "region": "key",
    "job": "confidential",
    "pay": "confidential",
}
BY_JOB = "SELECT job, count(*) AS n FROM people GROUP BY job"
RARE = "taxidermist"
SELDOM = 1e-9  # nearly the least delta of all noises; half of it or less shows a group of one


def people(counts: dict[str | None, int]) -> PublicClasses:
    jobs = [job for job, many in counts.items() for _ in range(many)]
    table = pa.table(
        {
            "person": [f"p{place}" for place in range(len(jobs))],
            "region": ["n" if place % 2 else "s" for place in range(len(jobs))],
            "job": pa.array(jobs, pa.string()),
            "pay": pa.array([float(place % 50) for place in range(len(jobs))]),
        }
    )
    return PublicClasses.of(ta.read(table, roles=ROLES), "people")


def private(**more) -> PrivateAnswers:
    said = {"delta": 1e-6, "share_each": 0.1, "private_categories": ["job"], **more}
    return PrivateAnswers(20.0, {"pay": (0.0, 50.0)}, **said)


@pytest.fixture(scope="module")
def data() -> PublicClasses:
    return people({"nurse": 900, "cook": 400, None: 300, RARE: 1})


NOISES = pytest.mark.parametrize("noise", ["laplace", "gaussian", "analytic_gaussian"])


@NOISES
def test_large_groups_are_shown_and_small_ones_are_as_if_they_were_not(data, noise):
    guard = Guard(data, [private(noise=noise, share_each=0.5, delta=SELDOM)])
    answer = guard.ask(BY_JOB, user="ana")
    assert [row[0] for row in answer.rows] == ["cook", "nurse", None]
    for (_, found), true in zip(answer.rows, (400, 900, 300), strict=True):
        assert abs(found - true) < 150
    assert not any(map(any, answer.refused))
    assert RARE not in json.dumps(answer.to_dict())
    assert (
        answer.cost["private_answers"]["threshold"]
        == guard.explain(BY_JOB, user="a")["private_answers"]["threshold"]
    )


@NOISES
def test_other_statistics_are_of_the_groups_that_are_shown(data, noise):
    sql = (
        "SELECT job, region, avg(pay) AS mean, median(pay) AS middle FROM people "
        "WHERE pay < 40 GROUP BY ROLLUP(job, region)"
    )
    guard = Guard(data, [private(noise=noise, share_each=0.5, delta=SELDOM)])
    answer = guard.ask(sql, user="ana")
    assert (None, None) in {row[:2] for row in answer.rows}
    assert {"cook", "nurse"} <= {row[0] for row in answer.rows}
    assert RARE not in str(answer.rows)
    assert all(0 <= value <= 50 for row in answer.rows for value in row[2:])


def test_a_group_of_one_is_shown_as_seldom_as_delta_says(chance):
    """A query's share of delta is 5 % and its noise of scale 3, so that it can be seen."""
    lonely = people({"nurse": 1})
    policy = PrivateAnswers(
        20 / 3, noise="laplace", delta=0.99999, private_categories=["job"], share_each=0.05,
        neighbours="add_remove",
    )  # fmt: skip
    watcher = policy.watch(lonely)
    cells = expand(parse(BY_JOB, lonely, permitted=watcher.permitted), lonely)
    least = watcher.explain(cells, "ana")["threshold"]
    q, many = exp(-1 / 3), 2000
    wanted = q ** (least - 1) / (1 + q)
    assert 0.03 < wanted <= 0.05
    shown = sum(not one.is_untold for _ in range(many) for one in watcher.release(cells))
    assert chance.allows(stats.binom(many, wanted), shown)


def test_nothing_told_beforehand_depends_on_the_groups(data):
    other = people({"smith": 5})
    for sql in (BY_JOB, "SELECT region, job, sum(pay) FROM people GROUP BY ROLLUP(job, region)"):
        here, there = (Guard(one, [private()]).explain(sql, user="ana") for one in (data, other))
        assert here == there
        here, there = (Guard(one, [private()]).cost([sql], user="ana") for one in (data, other))
        assert here == there


@pytest.mark.parametrize("job", ["nurse", RARE, "nobody"])
def test_probing_with_where_costs_the_same_whatever_is_there(data, job):
    policy = private(delta=SELDOM)
    guard = Guard(data, [policy])
    answer = guard.ask(
        "SELECT job, count(*) FROM people WHERE job = ? GROUP BY job", user="ana", parameters=[job]
    )
    assert guard.left("ana")["rho"] == pytest.approx(0.9 * float(policy.total))
    assert len(answer.rows) == (job == "nurse")


def test_when_the_budget_is_spent_no_group_is_named(data):
    guard = Guard(data, [private(share_each=1.0)])
    guard.ask(BY_JOB, user="ana")
    answer = guard.ask(BY_JOB, user="ana")
    assert (answer.rows, answer.refused) == (((None, None),), ((False, True),))
    assert answer.is_refused


def test_what_has_no_private_form_is_refused_without_naming_groups(data):
    answer = Guard(data, [private()]).ask("SELECT job, max(pay) FROM people GROUP BY job", user="a")
    assert (answer.rows, answer.cost) == (((None, None),), {})


def test_the_ledger_tells_nothing_of_the_groups_and_is_taken_up(data, tmp_path):
    with open_ledger(tmp_path / "l.db", b"k" * 32) as ledger:
        Guard(data, [private()], ledger=ledger).ask(BY_JOB, user="ana")
        told = [json.loads(one.payload) for one in ledger.entries()][1:]
        assert {one["cells"] for one in told} == {1}
        assert RARE not in str(told)
        assert told[0]["costs"]["private_answers"]["delta"] == "1/20000000"
    with open_ledger(tmp_path / "l.db", b"k" * 32) as ledger:
        again = Guard(data, [private()], ledger=ledger)
        again.replay(one for one in ledger.entries() if one.kind in ("debit", "answer"))
        assert again.left("ana")["delta"] == pytest.approx(4.5e-7)
        assert again.session()["queries"] == 1


def test_only_a_policy_that_can_show_groups_may_have_a_say(data):
    both = Guard(data, [private(), ta.QuerySetSize(3)])
    with pytest.raises(QueryError, match="only where one policy, with a budget"):
        both.ask(BY_JOB, user="ana")
    sums = Guard(data, [private(statistics=[Statistic.SUM]), ta.Audit(statistics=["count"])])
    with pytest.raises(QueryError, match="has a say about count"):
        sums.ask(BY_JOB, user="ana")
    assert sums.ask("SELECT job, sum(pay) FROM people GROUP BY job", user="ana").rows


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT upper(job), count(*) FROM people GROUP BY upper(job)", "as it is, not by an exp"),
        ("SELECT pay, count(*) FROM people GROUP BY pay", "`pay`, which is confidential"),
        ("SELECT count(DISTINCT job) FROM people", "not of `job`"),
        ("SELECT person, count(*) FROM people GROUP BY person", "no attribute 'person'"),
    ],
)
def test_what_cannot_be_grouped_by_is_refused_with_the_reason(data, sql, reason):
    with pytest.raises(QueryError, match=reason) as caught:
        Guard(data, [private()]).ask(sql, user="ana")
    assert RARE not in str(caught.value)


def test_the_view_shows_no_value(data):
    view = Guard(data, [private(respondent="person")]).view
    assert view["confidential"]["job"] == {"kind": "nominal"}
    assert view["permitted"] == {"group_by": ["job"], "count_distinct": ["person"]}
    assert "permitted" not in Guard(data, [private(private_categories=[])]).view


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"delta": 0.0}, "need a `delta`"),
        ({"private_categories": ["pay"]}, "no confidential category"),
        ({"private_categories": ["region"]}, "no confidential category"),
        ({"private_categories": ["jbo"]}, "Did you mean `job`"),
    ],
)
def test_categories_that_cannot_be(data, said, reason):
    with pytest.raises(ParameterError, match=reason):
        private(**said).watch(data)


def test_without_the_policy_saying_so_categories_stay_what_they_are(data):
    with pytest.raises(QueryError, match="`job`, which is confidential"):
        Guard(data, [private(private_categories=[])]).ask(BY_JOB, user="ana")


def test_groups_of_dropped_records_only_are_not_shown():
    """A respondent with many jobs has as many groups as records count, not as many as there are."""
    jobs = [f"j{place}" for place in range(200)]
    table = pa.table(
        {"person": ["p"] * 200, "region": ["n"] * 200, "job": jobs, "pay": [1.0] * 200}
    )
    own = PublicClasses.of(ta.read(table, roles=ROLES), "people")
    # So small a threshold that every group with noise is shown now and then.
    policy = PrivateAnswers(
        10.0, delta=0.9, noise="laplace", share_each=1.0, private_categories=["job"],
        respondent="person", records_each=2,
    )  # fmt: skip
    for _ in range(20):
        assert len(Guard(own, [policy]).ask(BY_JOB, user="ana").rows) <= 2


def test_explaining_a_statistic_without_a_private_form_says_so(data):
    guard = Guard(data, [private()])
    told = guard.explain("SELECT job, min(pay) FROM people GROUP BY job", user="ana")
    assert told["private_answers"]["no private form"] == "min(pay)"
    assert "threshold" not in told["private_answers"]
