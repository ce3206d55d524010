from __future__ import annotations

import pytest

import tacita as ta
from tacita.attacks.queries.general_tracker import formulas


@pytest.mark.parametrize("k", [1, 2, 3])
def test_size_control_up_to_a_quarter_is_opened(guard, victim, k):
    """There is a tracker just if 2k <= |T| <= N - 2k; half of 15 is 7."""
    outcome = ta.GeneralTracker().attack(guard(ta.QuerySetSize(k)), victim)
    assert outcome.right
    assert outcome.asked == 4


def test_a_quarter_of_all_is_too_much(guard, victim):
    assert not ta.GeneralTracker().attack(guard(ta.QuerySetSize(7)), victim).succeeded


def test_every_tracker_gives_the_value(victim, holds):
    """Sectors IT, HC and Fin, regions BCN and TGN; the first sector up to a half is Fin."""
    assert holds(formulas(victim, 100)) >= 5


def test_tries_are_kept(guard, victim):
    class Refusing:
        asked = 0

        def ask(self, sql, *, user):
            self.asked += 1
            return guard(ta.QuerySetSize(8)).ask(sql, user=user)

    database = Refusing()
    assert not ta.GeneralTracker(tries=2).attack(database, victim).succeeded
    assert database.asked <= 8


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.GeneralTracker())
