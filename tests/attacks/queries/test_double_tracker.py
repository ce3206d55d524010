from __future__ import annotations

import tacita as ta
from tacita.attacks.queries.double_tracker import formulas


def test_it_opens_what_no_general_tracker_opens(guard, victim):
    """With k = 4, N = 15 no set of 8 to 7 records exists; T = 6 and U = 10 or more do."""
    control = ta.QuerySetSize(4)
    assert ta.DoubleTracker(tries=50).attack(guard(control), victim).right


def test_every_pair_gives_the_value(victim, holds):
    assert holds(formulas(victim, 1000)) > 10


def test_the_inner_tracker_lies_within_the_outer(victim):
    for (_, outer), _, (_, inner), _ in formulas(victim, 1000):
        assert not (inner.holds & ~outer.holds).any()


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.DoubleTracker())
