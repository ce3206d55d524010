from __future__ import annotations

import numpy as np

import tacita as ta
from tacita.attacks.queries.extremes_walking import company, moved
from tacita.attacks.queries.intruding.intruder import Intruder


def test_the_maximum_moves_with_the_victim(guard, victim):
    """IT in TGN earns 35000 at most, and with the victim 150000; HC in BCN earns 300000."""
    intruder = Intruder(guard(ta.Unprotected()), victim)
    register = victim.register
    low = register.all_of({"sector": "IT", "region": "TGN"})
    high = register.all_of({"sector": "HC", "region": "BCN"})
    assert moved(intruder, "max", low) == 150000
    assert moved(intruder, "max", high) is None
    assert moved(intruder, "min", low) is None


def test_company_is_without_the_victim(victim):
    for one in company(victim, 9, np.random.default_rng(0)):
        assert one.holds.any()
        assert not (one.holds & victim.condition.holds).any()


def test_walking_finds_the_value_where_extremes_are_answered(guard, victim):
    assert ta.ExtremesWalking().attack(guard(ta.Unprotected()), victim).right


def test_size_control_answers_no_extremes(guard, victim):
    assert not ta.ExtremesWalking().attack(guard(ta.QuerySetSize(3)), victim).succeeded


def test_simulatable_auditing_stops_it(guard, victim):
    assert not ta.ExtremesWalking().attack(guard(ta.AuditExtremes("max")), victim).succeeded


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.ExtremesWalking())
