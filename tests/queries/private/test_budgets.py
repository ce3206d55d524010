from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.queries.private import budgets
from tacita.queries.private.budgets import Budgets

pytestmark = pytest.mark.numeric

TENTH = Fraction(1, 10)


def shared(**shares: Fraction) -> Budgets:
    return Budgets(
        Fraction(1), shares, {"wages": ["cleo", "dan"]} if "wages" in shares else {}, None
    )


def test_everybody_shares_one_budget_so_that_accounts_gain_nothing():
    paying = shared()
    assert sum(paying.take(TENTH, f"sybil{i}") for i in range(50)) == 10
    assert paying.left("ana") == {"": 0}


def test_shares_are_set_aside():
    paying = shared(ana=Fraction(1, 2))
    assert sum(paying.take(TENTH, f"sybil{i}") for i in range(50)) == 5
    assert sum(paying.take(TENTH, "ana") for _ in range(50)) == 5
    assert paying.left("ana") == {"": 0, "ana": 0}


def test_a_project_pays_together():
    paying = shared(wages=Fraction(3, 10))
    assert [paying.take(TENTH, user) for user in ("cleo", "dan", "cleo", "dan")] == [
        *(True,) * 3,
        False,
    ]
    assert paying.take(TENTH, "wages")  # nobody is a project: it pays with all others
    assert paying.left("wages")[budgets.OTHERS] == Fraction(6, 10)


def test_nothing_is_taken_where_one_budget_is_short():
    paying = shared(ana=Fraction(1, 4))
    assert not paying.take(Fraction(1, 3), "ana")
    assert paying.left("ana") == {"": 1, "ana": Fraction(1, 4)}


def test_what_is_left_lapses_and_never_comes_back(monkeypatch):
    paying = Budgets(Fraction(1), {}, {}, date(2030, 6, 30))
    monkeypatch.setattr(budgets, "today", lambda: date(2030, 6, 30))
    assert paying.take(TENTH, "ana")
    monkeypatch.setattr(budgets, "today", lambda: date(2030, 7, 1))
    assert not paying.take(TENTH, "ana")
    assert paying.left("ana") == {"": 0}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.fractions(0, 1)), max_size=30))
def test_no_budget_is_ever_exceeded(asked):
    paying = Budgets(Fraction(1), {"a": Fraction(1, 3)}, {}, None)
    taken = {"a": Fraction(0), "b": Fraction(0), "c": Fraction(0)}
    for user, cost in asked:
        if paying.take(cost, user):
            taken[user] += cost
    assert taken["a"] <= Fraction(1, 3)
    assert taken["b"] + taken["c"] <= Fraction(2, 3)


@pytest.mark.parametrize("cost", [Fraction(1), Fraction(5)])
def test_what_was_spent_before_is_spent_come_what_may(cost):
    paying = shared()
    paying.charge(cost, "ana")
    assert paying.left("ben") == {"": 0}
