from __future__ import annotations

import tacita as ta
from tacita.attacks.queries.individual_tracker import formulas


def test_two_sums_tell_the_value(guard, victim):
    """TGN has 350000; without finance it has 200000."""
    outcome = ta.IndividualTracker().attack(guard(ta.QuerySetSize(3)), victim)
    assert (outcome.lower, outcome.upper, outcome.right) == (150000, 150000, True)
    assert (outcome.asked, outcome.refused) == (2, 0)


def test_every_way_to_split_gives_the_value(victim, holds):
    assert holds(formulas(victim)) == 3


def test_an_audit_refuses_the_second_sum(guard, victim):
    outcome = ta.IndividualTracker().attack(guard(ta.Audit()), victim)
    assert not outcome.succeeded
    assert outcome.refused == 3


def test_a_wrong_value_is_no_success(guard, victim):
    """The victim's value is taken for another one."""
    from dataclasses import replace

    outcome = ta.IndividualTracker().attack(guard(ta.Unprotected()), replace(victim, truth=1.0))
    assert outcome.right is False
    assert not outcome.succeeded


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.IndividualTracker())
