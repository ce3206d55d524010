from __future__ import annotations

from fractions import Fraction

import tacita as ta
from tacita.attacks.queries.union_tracker import formulas


def test_sectors_are_a_partition(guard, victim):
    outcome = ta.UnionTracker().attack(guard(ta.QuerySetSize(3)), victim)
    assert outcome.right
    assert outcome.refused == 0


def test_every_partition_gives_the_value(victim, holds):
    """Two and three parts by sectors, two by regions."""
    assert holds(formulas(victim, 5)) == 3


def test_parts_are_a_partition(victim):
    for formula in formulas(victim, 5):
        parts = [one.holds for coefficient, one in formula if coefficient < 0]
        assert (sum(part.astype(int) for part in parts) == 1).all()
        assert {abs(coefficient) for coefficient, _ in formula} == {Fraction(1, len(parts) - 1)}


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.UnionTracker())
