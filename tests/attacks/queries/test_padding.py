from __future__ import annotations

import pytest

import tacita as ta
from tacita.attacks.queries.padding import PADDED


def test_nobody_is_added(guard, victim):
    """Every padding chooses the victim only, and none makes the database fail."""
    database = guard(ta.Unprotected())
    for words in PADDED:
        where = words.format(victim=victim.condition.text, a='"sector"', x='"salary"')
        sql = f"SELECT count(*), sum(salary) FROM firms WHERE {where}"  # noqa: S608
        assert database.ask(sql, user="ana").rows == ((1, 150000),), words


def test_one_door_left_open_is_found(guard, victim):
    class OnlyReadsTheStart:
        def ask(self, sql, *, user):
            policy = ta.Unprotected() if "OR NULL = NULL" in sql else ta.Audit()
            return guard(policy).ask(sql, user=user)

    outcome = ta.Padding().attack(OnlyReadsTheStart(), victim)
    assert outcome.right
    assert outcome.refused == outcome.asked - 1


@pytest.mark.parametrize("policy", [ta.QuerySetSize(2), ta.Audit(), ta.AuditExtremes("max")])
def test_policies_look_at_sets(guard, victim, policy):
    outcome = ta.Padding().attack(guard(policy), victim)
    assert not outcome.succeeded
    assert outcome.refused == outcome.asked


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.Padding())
