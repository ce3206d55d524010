from __future__ import annotations

import tacita as ta


def test_two_means_tell_the_value(guard, victim):
    outcome = ta.PairwiseDifferencing().attack(guard(ta.QuerySetSize(3)), victim)
    assert (outcome.lower, outcome.right) == (150000, True)


def test_an_audit_takes_means_for_sums(guard, victim):
    assert not ta.PairwiseDifferencing().attack(guard(ta.Audit()), victim).succeeded


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.PairwiseDifferencing())
