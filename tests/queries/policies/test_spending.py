"""What one query shall cost, said by whoever asks it."""

from __future__ import annotations

from fractions import Fraction
from math import inf, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import QueryError
from tacita.queries.guard import Guard
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.policies.private_answers import PrivateAnswers
from tacita.queries.private.spending import Spending

COUNT = "SELECT count(*) FROM salaries"
BY_SECTOR = "SELECT sector, count(*) FROM salaries GROUP BY sector"


def private(epsilon=1.0, **more) -> PrivateAnswers:
    return PrivateAnswers(epsilon, {"salary": (0.0, 600_000.0)}, **{"share_each": 0.1, **more})


def database(employees, policy, ledger=None):
    return ta.guard(employees, policy=policy, ledger=ledger, view="salaries")


def test_a_query_costs_what_is_said_and_is_so_much_the_more_exact(employees):
    with database(employees, private()) as opened:
        told = opened.cost([COUNT, COUNT], user="ana", epsilon=0.35)["private_answers"]
        assert (told["epsilon"], told["enough"]) == (0.7, True)
        answer = opened.ask(COUNT, user="ana", epsilon=0.5)
        assert answer.left == {"epsilon": 0.5}
        assert answer.cost["private_answers"]["epsilon"] == "1/2"
        low, high = answer.interval
        assert (high - low) / 2 == pytest.approx(log(20) / 0.5 + 0.5, abs=0.01)
        assert opened.ask(COUNT, user="ana").left == {"epsilon": 0.4}
        assert opened.ask(COUNT, user="ana", epsilon=0.41).is_refused
        assert opened.left(user="ana") == {"epsilon": 0.4}


def test_explaining_tells_the_price_that_is_said(employees):
    with database(employees, private()) as opened:
        rows = opened.ask(f"EXPLAIN PRIVACY {COUNT}", user="ana", epsilon=0.25).rows
        assert ("private_answers", "epsilon", 0.25) in rows
        assert opened.left(user="ana") == {"epsilon": 1.0}


def test_shares_bound_what_can_be_said(salaries):
    guard = Guard(salaries, [private(shares={"ana": 0.2})])
    assert guard.ask(COUNT, user="ana", spending=Spending(0.3)).is_refused
    assert not guard.ask(COUNT, user="ana", spending=Spending(0.2)).is_refused
    assert not guard.ask(COUNT, user="ben", spending=Spending(0.8)).is_refused


@pytest.mark.parametrize("noise", ["laplace", "analytic_gaussian"])
def test_delta_goes_with_the_cost_or_is_said(salaries, noise):
    guard = Guard(salaries, [private(delta=1e-6, noise=noise)])
    groups = Fraction(1, 10**6) / (1 if noise == "laplace" else 2)
    of_noise = Fraction(1, 10**6) - groups
    for spending, shown in ((Spending(0.2), groups / 5), (Spending(0.2, delta=1e-9), None)):
        paid = guard.ask(BY_SECTOR, user="ana", spending=spending).cost["private_answers"]
        assert Fraction(paid["delta"]) == of_noise / 5 + (shown or Fraction(1, 10**9))
    more, less = (
        guard.explain(BY_SECTOR, user="a", spending=Spending(0.2, delta=delta))["private_answers"]
        for delta in (1e-7, 1e-9)
    )
    assert less["threshold"] > more["threshold"]
    assert guard.ask(BY_SECTOR, user="ana", spending=Spending(0.1, delta=1e-5)).is_refused


def test_budgets_in_rho_are_spent_in_rho(salaries):
    guard = Guard(salaries, [private(None, rho=0.5)])
    assert guard.ask(COUNT, user="ana", spending=Spending(rho=0.2)).left == {"rho": 0.3}
    with pytest.raises(QueryError, match=r"counted in rho; say .* as `rho`, not as `epsilon`"):
        guard.ask(COUNT, user="ana", spending=Spending(0.1))


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"epsilon": 0}, "`epsilon` of a query is a number above 0; found 0"),
        ({"epsilon": -1.0}, "above 0"),
        ({"epsilon": inf}, "above 0"),
        ({"rho": nan}, "`rho`"),
        ({"epsilon": "much"}, "above 0; found 'much'"),
        ({"epsilon": True}, "above 0"),
        ({"delta": 1}, "between 0 and 1"),
        ({"epsilon": 1e-12}, "a billionth of the budget at least"),
    ],
)
def test_what_cannot_be_spent_is_said_in_a_sentence_and_costs_nothing(employees, said, reason):
    with database(employees, private()) as opened:
        with pytest.raises(QueryError, match=reason):
            opened.ask(COUNT, user="ana", **said)
        assert opened.left(user="ana") == {"epsilon": 1.0}


def test_without_a_budget_nothing_can_be_spent(employees):
    with database(employees, ta.Audit()) as opened:
        with pytest.raises(QueryError, match="none of its policies has a budget"):
            opened.ask(COUNT, user="ana", epsilon=0.1)
        assert opened.ask(COUNT, user="ana").value == 15


def test_noise_that_a_delta_cannot_pay_for_is_refused_before_it_is_paid(salaries):
    guard = Guard(salaries, [private(delta=1e-9, noise="analytic_gaussian", share_each=0.9)])
    with pytest.raises(QueryError, match="too small for this noise"):
        guard.ask(COUNT, user="ana", spending=Spending(0.01))
    assert guard.left("ana")["epsilon"] == 1


@pytest.mark.numeric
@given(costs=st.lists(st.one_of(st.none(), st.floats(1e-6, 0.6)), max_size=12))
def test_all_that_is_paid_is_within_the_budget_and_in_the_ledger(salaries, costs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("l")
    policy = private()
    with open_ledger(folder / "l.db", b"k" * 32) as ledger:
        guard = Guard(salaries, [policy], ledger=ledger)
        spent, left = Fraction(0), Fraction(1)
        for cost in costs:
            asked = Fraction(1, 10) if cost is None else Fraction(repr(cost))
            answer = guard.ask(COUNT, user="ana", spending=cost and Spending(cost))
            assert answer.is_refused == (asked > left)
            if not answer.is_refused:
                spent, left = spent + asked, left - asked
                assert Fraction(answer.cost["private_answers"]["epsilon"]) == asked
        paid = [one.content["costs"] for one in ledger.entries() if one.kind == "debit"]
        losses = [Fraction(one["private_answers"]["epsilon"]) for one in paid]
        assert sum(losses) == spent <= 1
        again = Guard(salaries, [policy])
        again.replay(one for one in ledger.entries() if one.kind == "debit")
        assert again.left("ana") == guard.left("ana")
