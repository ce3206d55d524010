from __future__ import annotations

import tacita as ta
from tacita.attacks.queries.intruding.intruder import Target, asked_register


def test_two_means_tell_the_value(guard, victim):
    outcome = ta.PairwiseDifferencing().attack(guard(ta.QuerySetSize(3)), victim)
    assert (outcome.lower, outcome.right) == (150000, True)


def test_sizes_that_the_register_guesses_are_asked_for(guard, victim):
    """Two are in finance in BCN, which a refused count leaves open."""
    database = guard(ta.QuerySetSize(3))
    register = asked_register(database, "firms", ["sector", "region"], "intruder")
    assert (register.records, register.is_sure) == (14, False)
    target = Target(victim.known, victim.attribute, register, victim.truth)
    outcome = ta.PairwiseDifferencing().attack(database, target)
    assert (outcome.lower, outcome.right) == (150000, True)


def test_an_audit_takes_means_for_sums(guard, victim):
    assert not ta.PairwiseDifferencing().attack(guard(ta.Audit()), victim).succeeded


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.PairwiseDifferencing())
