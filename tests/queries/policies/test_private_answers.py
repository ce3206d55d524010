"""Private answers behind the guard: what others got wrong, and laws of the budget and the noise."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from math import exp, log

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import tacita as ta
from tacita.errors import ParameterError
from tacita.queries.answer import REFUSAL
from tacita.queries.expanding import expand
from tacita.queries.guard import Guard
from tacita.queries.language.parse import parse
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.policies.private_answers import PrivateAnswers
from tacita.queries.private import budgets
from tacita.queries.public_classes import PublicClasses
from tacita.queries.updating import updated

SALARY = {"salary": (0.0, 600_000.0)}
COUNT = "SELECT count(*) FROM salaries"
TOTAL = "SELECT sum(salary) FROM salaries"
FIVE = (
    "SELECT count(*) FROM salaries WHERE salary > 100000",
    "SELECT sum(salary) FROM salaries WHERE sector = 'Fin' AND region = 'BCN'",
    "SELECT avg(salary) FROM salaries WHERE sector = 'IT'",
    "SELECT sector, region, sum(salary) FROM salaries GROUP BY CUBE(sector, region)",
    "SELECT median(salary) FROM salaries",
)


GROUPS = {"sector": ["Fin", "HC", "IT"], "region": ["BCN", "TGN"]}


def private(epsilon=1.0, bounds=SALARY, **more) -> PrivateAnswers:
    return PrivateAnswers(epsilon, bounds, **{"share_each": 0.1, "groups": GROUPS, **more})


@pytest.fixture
def ledger(tmp_path):
    with open_ledger(tmp_path / "ledger.db", b"k" * 32) as opened:
        yield opened


def entries(ledger) -> list[tuple[str, dict]]:
    return [(one.kind, json.loads(one.payload)) for one in ledger.entries()][1:]


# -- budgets -------------------------------------------------------------------------------------


def test_the_budget_lasts_for_as_many_queries_as_it_says_and_then_refuses(salaries):
    guard = Guard(salaries, [private()])
    answers = [guard.ask(COUNT, user=f"sybil{i}") for i in range(12)]
    assert [one.is_refused for one in answers] == [False] * 10 + [True] * 2
    assert answers[9].left == {"epsilon": 0}
    assert answers[11].to_dict()["notice"] == REFUSAL


def test_debit_stands_in_the_ledger_before_the_answer(salaries, ledger):
    Guard(salaries, [private()], ledger=ledger).ask(TOTAL, user="ana")
    (debit, paid), (answer, told) = entries(ledger)
    assert (debit, answer, told["refused"]) == ("debit", "answer", 0)
    assert paid["costs"]["private_answers"] == {
        "epsilon": "1/10",
        "neighbours": "change_one",
        "bound": "1 record of a respondent, promised, not enforced",
        "groups": [],
    }


def test_a_refusal_is_recorded_and_costs_nothing(salaries, ledger):
    guard = Guard(salaries, [private(bounds={})], ledger=ledger)
    answer = guard.ask(TOTAL, user="ana")
    assert answer.is_refused
    assert answer.left == {"epsilon": 1}
    assert [(kind, told["refused"]) for kind, told in entries(ledger)] == [("answer", 1)]


def test_what_fails_is_paid_all_the_same(salaries, ledger, monkeypatch):
    guard = Guard(salaries, [private()], ledger=ledger)
    monkeypatch.setattr("tacita.mechanisms.private.mechanisms.Laplace.noised", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        guard.ask(TOTAL, user="ana")
    assert guard.left("ana") == {"epsilon": 0.9}
    assert [kind for kind, _ in entries(ledger)] == ["debit", "failure"]


def test_exactly_one_of_many_at_once_is_answered_with_a_budget_for_one(salaries, ledger):
    guard = Guard(salaries, [private(share_each=1)], ledger=ledger)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda i: guard.ask(COUNT, user=f"u{i}"), range(32)))
    assert sum(not one.is_refused for one in answers) == 1
    assert [kind for kind, _ in entries(ledger)].count("debit") == 1


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_budget_is_what_it_was_after_a_restart(salaries, tmp_path, delta):
    for left in (0.7, 0.4, 0.1):
        with open_ledger(tmp_path / "l.db", b"k" * 32) as ledger:
            guard = Guard(salaries, [private(delta=delta)], ledger=ledger)
            whole = float(private(delta=delta).total)
            guard.replay(one for one in ledger.entries() if one.kind in ("debit", "answer"))
            for _ in range(3):
                guard.ask(COUNT, user="ana")
            assert next(iter(guard.left("ana").values())) == pytest.approx(left * whole)


def test_a_crash_after_the_debit_keeps_it(salaries, ledger):
    Guard(salaries, [private()], ledger=ledger).ask(COUNT, user="ana")
    again = Guard(salaries, [private()])
    again.replay(one for one in ledger.entries() if one.kind == "debit")  # the answer never came
    assert again.left("ben") == {"epsilon": 0.9}


def test_a_lapsed_budget_answers_nothing(salaries, monkeypatch):
    guard = Guard(salaries, [private(until=date(2030, 1, 1))])
    monkeypatch.setattr(budgets, "today", lambda: date(2030, 1, 2))
    assert guard.ask(COUNT, user="ana").is_refused


def test_analysts_have_their_shares(salaries):
    guard = Guard(salaries, [private(shares={"ana": 0.2})])
    assert [guard.ask(COUNT, user="ana").is_refused for _ in range(3)] == [False, False, True]
    assert guard.left("ana") == {"epsilon": 0.8, "epsilon of ana": 0}
    assert guard.left("ben") == {"epsilon": 0.8, "epsilon of everybody else": 0.8}


def test_a_ledger_of_another_measure_leaves_nothing(salaries):
    watcher = private(delta=1e-6).watch(salaries)
    watcher.charge({"epsilon": "1/10"}, "ana")
    assert watcher.left("ana")["rho"] == 0


# -- what it costs, told beforehand ---------------------------------------------------------------


def test_explain_costs_nothing_and_names_missing_bounds(salaries):
    guard = Guard(salaries, [private(bounds={})])
    told = guard.explain(TOTAL, user="ana")["private_answers"]
    assert told["bounds missing"] == "salary"
    answer = guard.ask(f"EXPLAIN PRIVACY {COUNT}", user="ana")
    assert ("private_answers", "epsilon", 0.1) in answer.rows
    assert guard.left("ana") == {"epsilon": 1}


def test_explain_tells_the_error_that_intervals_then_have(salaries):
    guard = Guard(salaries, [private()])
    error = guard.explain(TOTAL, user="ana")["private_answers"]["error of sum(salary)"]
    low, high = guard.ask(TOTAL, user="ana").interval
    assert (high - low) / 2 == pytest.approx(error)
    assert error == pytest.approx(600_000 / 0.1 * log(20), rel=1e-3)


def test_what_has_no_private_form_is_refused_and_said(salaries):
    guard = Guard(salaries, [private()])
    assert guard.ask("SELECT max(salary) FROM salaries", user="ana").is_refused
    told = guard.explain("SELECT max(salary) FROM salaries", user="ana")
    assert told["private_answers"]["no private form"] == "max(salary)"
    assert guard.left("ana") == {"epsilon": 1}


# -- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("question", FIVE)
def test_the_five_queries_say_who_answered_and_what_holds(salaries, question, delta):
    answer = Guard(salaries, [private(delta=delta)]).ask(question, user="ana")
    assert not any(map(any, answer.refused))
    assert "one record of one respondent changed" in answer.guarantees["private_answers"]
    assert set(answer.cost) == {"private_answers"}


def test_cubes_add_up(salaries):
    answer = Guard(salaries, [private()]).ask(FIVE[3], user="ana")
    value = {(sector, region): total for sector, region, total in answer.rows}
    for sector in ("IT", "HC", "Fin"):
        assert value[sector, "BCN"] + value[sector, "TGN"] == value[sector, None]
    assert value[None, "BCN"] + value[None, "TGN"] == value[None, None]


BANDS = (
    "SELECT CASE WHEN salary < 50000 THEN 'low' WHEN salary < 100000 THEN 'middle' "
    "WHEN salary < 1000000 THEN 'high' ELSE 'none' END AS band, count(*) AS n "
    "FROM salaries GROUP BY 1"
)


def test_histograms_of_confidential_values_cost_as_much_as_a_count(salaries):
    guard = Guard(salaries, [private(1e9)])
    answer = guard.ask(BANDS, user="ana")
    assert answer.left == {"epsilon": 0.9e9}
    assert answer.rows == (("high", 5), ("low", 10), ("middle", 0), ("none", 0))
    error = [
        guard.explain(sql, user="ana")["private_answers"]["error of count(*)"]
        for sql in (BANDS, "SELECT sector, count(*) FROM salaries GROUP BY sector")
    ]
    assert error[0] == error[1]


def test_histograms_of_confidential_values_are_refused_by_the_audit(salaries):
    assert Guard(salaries, [ta.Audit()]).ask(BANDS, user="ana").is_refused


def test_the_same_question_gets_other_noise_and_is_paid_again(salaries):
    guard = Guard(salaries, [private()])
    found = {guard.ask(TOTAL, user="ana").value for _ in range(10)}
    assert len(found) > 5
    assert guard.left("ana") == {"epsilon": 0}


def test_answers_are_whole_units_whatever_the_data(salaries):
    """Noise of doubles would show in the last bits what it was added to."""
    guard = Guard(salaries, [private(share_each=0.01)])
    found = [guard.ask(TOTAL, user="ana").value for _ in range(50)]
    unit = 2.0**-4  # 600,000 in steps of which there are fewer than 2^24
    assert all((one / unit).is_integer() for one in map(float, found))


def test_one_policy_for_sums_and_another_for_counts(salaries):
    policies = [private(statistics=["sum"]), ta.QuerySetSize(3)]
    guard = Guard(salaries, policies)
    count = guard.ask(COUNT, user="ana")
    assert (count.value, count.cost, set(count.guarantees)) == (15, {}, {"query_set_size"})
    assert set(guard.ask(TOTAL, user="ana").cost) == {"private_answers"}


def test_beside_private_sums_no_exact_count_names_confidential_values(salaries):
    """Counts of those who earn more than this, and than that, would halve an interval for free."""
    guard = Guard(salaries, [private(statistics=["sum"]), ta.QuerySetSize(3)])
    halved = "SELECT count(*) FROM salaries WHERE salary > 100000"
    assert guard.ask(halved, user="ana").is_refused
    assert not Guard(salaries, [ta.QuerySetSize(3)]).ask(halved, user="ana").is_refused
    assert not Guard(salaries, [private(), ta.QuerySetSize(3)]).ask(halved, user="ana").is_refused


def test_learned_bounds_are_paid_once_and_known_after_a_restart(toy, ledger):
    data = PublicClasses.of(toy, "toy")
    policy = PrivateAnswers(100.0, learn={"income": 0.5}, share_each=0.1)
    guard = Guard(data, [policy], ledger=ledger)
    sql = "SELECT sum(income) FROM toy"
    assert guard.explain(sql, user="ana")["private_answers"]["bounds to learn"] == "income"
    first = guard.ask(sql, user="ana")
    assert first.left == {"epsilon": 40}
    (low, high) = first.cost["private_answers"]["bounds"]["income"]
    assert (low, high) == (0, 2.0**16)  # one in a hundred earns more, one in nine over 2^15
    again = Guard(data, [policy])
    again.replay(one for one in ledger.entries() if one.kind in ("debit", "answer"))
    assert again.ask(sql, user="ana").left == {"epsilon": 30}


def test_what_was_decided_before_an_update_is_answered_from_the_old_data(employees, salaries):
    watcher = private(10.0**12).watch(salaries)
    (cell,) = expand(parse(TOTAL, salaries), salaries)
    watcher.debit([cell], "ana")
    watcher.move(updated(salaries, employees, employees.take(np.arange(4)), by="id"))
    assert watcher.release([cell])[0].value == pytest.approx(1_916_000, abs=1)


# -- the law of differential privacy ---------------------------------------------------------------


def counts(policy: PrivateAnswers, data: PublicClasses, many: int) -> np.ndarray:
    watcher = policy.watch(data)
    cells = expand(parse("SELECT count(*) FROM firms WHERE pay > 5", data), data)
    return np.array([watcher.release(cells)[0].value for _ in range(many)])


def neighbour(pay: float) -> PublicClasses:
    table = pa.table({"sector": ["a"] * 6, "pay": [1.0, 2.0, 7.0, 8.0, 9.0, pay]})
    return PublicClasses.of(ta.read(table, roles={"sector": "key", "pay": "confidential"}), "firms")


def test_empirical_epsilon_of_neighbours_is_what_is_said(chance):
    """Chances of an event are exp(epsilon) apart: 1 / (1 + q) and q / (1 + q), q = exp(-epsilon)."""
    many, epsilon = 2000, 1.0
    policy = private(epsilon, {}, share_each=1, groups={})
    here, there = (counts(policy, neighbour(pay), many) for pay in (1.0, 9.0))
    often = 1 / (1 + exp(-epsilon))
    assert chance.allows(stats.binom(many, often), (here <= 3).sum())
    assert chance.allows(stats.binom(many, 1 - often), (there <= 3).sum())


# -- what holds ---------------------------------------------------------------------------------


def test_group_privacy_is_stated(salaries):
    pure, both, rho = (
        Guard(salaries, [one]).policies[0]["guarantee"]
        for one in (private(), private(delta=1e-6), private(None, rho=0.5))
    )
    assert "with k times epsilon." in pure
    assert "k times epsilon and k exp(k epsilon) times delta" in both
    assert "k^2 times rho" in rho


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_analytic_noise_is_the_smaller_for_few_queries_and_pays_with_delta(salaries, share):
    few, many = (
        Guard(salaries, [private(delta=1e-6, share_each=share, noise=noise)])
        for noise in ("analytic_gaussian", "gaussian")
    )
    error = "error of count(*)"
    told = [one.explain(COUNT, user="ana")["private_answers"] for one in (few, many)]
    assert told[0][error] < told[1][error] or share < 1
    answer = few.ask(COUNT, user="ana")
    # Half of the delta is for groups that nobody declared.
    assert answer.left == pytest.approx({"epsilon": 1 - share, "delta": (1 - share / 2) * 1e-6})
    assert answer.cost["private_answers"]["delta"] in ("1/2000000", "1/4000000")


# -- parameters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"epsilon": 0.0}, "`epsilon`"),
        ({"epsilon": None}, "either `epsilon`"),
        ({"rho": 0.1}, "either `epsilon`"),
        ({"epsilon": None, "rho": 0.1, "delta": 0.1}, "either `epsilon`"),
        ({"bounds": {"salary": (5.0, 1.0)}}, "needs a lowest and a higher value"),
        ({"shares": {"ana": 0.7, "ben": 0.7}}, "at most 1 together"),
        ({"projects": {"wages": ["ana"]}}, "has no share"),
        ({"shares": {"ana": 0.5, "w": 0.1}, "projects": {"w": ["ana"]}}, "one share"),
        ({"learn": {"salary": 0.1}}, "no bounds of it"),
        ({"neighbours": "nearby"}, "`neighbours`"),
        ({"noise": "gaussian"}, "needs `epsilon` and `delta`; without them it is `laplace`"),
        ({"noise": "analytic_gaussian"}, "needs `epsilon` and `delta`"),
        ({"epsilon": None, "rho": 0.1, "noise": "laplace"}, "without them it is `gaussian`"),
        ({"private_categories": ["sector"]}, "need a `delta`"),
        ({"records_each": 0}, "`records_each`"),
    ],
)
def test_wrong_parameters_are_said_in_a_sentence(wrong, said):
    with pytest.raises(ParameterError, match=said):
        private(**wrong)


def test_bounds_of_what_the_data_do_not_have_are_refused(salaries):
    with pytest.raises(ParameterError, match=r"`salry`, which is no numeric.*`salary`"):
        private(bounds={"salry": (0, 1)}).watch(salaries)
    with pytest.raises(ParameterError, match="`sector`, which is no numeric"):
        private(bounds={}, learn={"sector": 0.1}).watch(salaries)


def test_a_delta_too_small_for_its_noise_is_refused_at_once(salaries):
    policy = private(delta=1e-9, share_each=0.01, noise="analytic_gaussian")
    with pytest.raises(ParameterError, match="too small for this noise"):
        policy.watch(salaries)


def test_rho_may_be_the_budget(salaries):
    guard = Guard(salaries, [private(None, rho=0.5)])
    answer = guard.ask(TOTAL, user="ana")
    assert (answer.left, answer.cost["private_answers"]["rho"]) == ({"rho": 0.45}, "1/20")
    assert "(rho = 0.5)" in answer.guarantees["private_answers"]
