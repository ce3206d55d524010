from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

import tacita as ta
from tacita.attacks.queries.intruding.intruder import (
    Intruder,
    Outcome,
    Target,
    number,
    success_rate,
)
from tacita.errors import InputError
from tacita.queries.answer import Answer


def test_a_target_is_one_record(victim):
    with pytest.raises(InputError, match="one record; 3 are like sector Fin"):
        Target({"sector": "Fin"}, "salary", victim.register)


def test_nothing_is_asked_twice(guard, victim):
    intruder = Intruder(guard(ta.Unprotected()), victim)
    assert intruder.total(victim.condition) == intruder.total(victim.condition) == 150000
    assert intruder.asked == 1
    assert intruder.total(~victim.register.everybody()) == 0
    assert intruder.asked == 1


def test_what_is_no_statistical_query_counts_as_refused(guard, victim):
    intruder = Intruder(guard(ta.Unprotected()), victim)
    assert intruder.ask("list({})", "1 = 1") is None
    assert (intruder.asked, intruder.refused) == (1, 1)


@pytest.mark.parametrize("value", [None, "flu", math.inf, math.nan])
def test_only_numbers_are_read(value):
    assert number(Answer(("x",), ((value,),), ((False,),))) is None
    assert number(Answer(("x",), (), ())) is None
    assert number(Answer(("x",), ((0.1,),), ((False,),))) == Fraction(1, 10)


def test_accounts_take_turns(victim, guard):
    users = []

    class Listening:
        def ask(self, sql, *, user):
            users.append(user)
            return guard(ta.Unprotected()).ask(sql, user=user)

    intruder = Intruder(Listening(), victim, ["a", "b"])
    for one in range(3):
        intruder.ask("sum({})", f"{one} = {one}")
    assert users == ["a", "b", "a"]


def test_outcomes_print_and_become_json():
    found = Outcome("padding", 3, 2, 5.0, 7.5, False, ("a weakness",))
    told = "padding: succeeded; the value is between 5 and 7.5, which is wrong; a weakness"
    assert repr(found) == f"{told} (3 queries, 2 refused)"
    assert json.loads(json.dumps(found.to_dict()))["findings"] == ["a weakness"]
    assert repr(Outcome("padding", 1, 1)) == "padding: failed (1 query, 1 refused)"
    unchecked = Outcome("padding", 3, 2, 5.0, 5.0)
    assert "the value is 5, unchecked" in repr(unchecked)
    assert [one.is_unchecked for one in (unchecked, found)] == [True, False]


def test_success_is_a_right_value_or_a_weakness():
    assert Outcome("x", 1, 0, 5.0, 5.0).succeeded
    assert Outcome("x", 1, 0, 5.0, 5.0, True).succeeded
    assert not Outcome("x", 1, 0, 5.0, 5.0, False).succeeded
    assert Outcome("x", 1, 0, findings=("y",)).succeeded


def test_rates():
    outcomes = [Outcome("x", 1, 0, 5.0, 5.0), Outcome("x", 1, 1), Outcome("x", 1, 1)]
    assert success_rate(outcomes) == Fraction(1, 3)
    with pytest.raises(InputError, match="at least one attack"):
        success_rate([])
