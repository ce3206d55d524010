from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest

import tacita as ta


class Numbered:
    """A database whose answers have entries, as if there were a ledger."""

    def __init__(self, ask, entries):
        self._ask, self._entries = ask, entries

    def ask(self, sql, *, user):
        return replace(self._ask(sql, user=user), entry=next(self._entries))


def test_deciding_before_remembering_is_found_out(guard, victim):
    """Every question is judged as if nothing had been answered before."""
    forgetful = Numbered(lambda sql, user: guard(ta.Audit()).ask(sql, user=user), count(1))
    outcome = ta.Races().attack(forgetful, victim, guard(ta.Audit()))
    assert outcome.right
    assert "refused one after the other" in outcome.findings[0]


def test_a_guard_decides_one_after_the_other(guard, victim):
    database = Numbered(guard(ta.Audit()).ask, count(1))
    outcome = ta.Races().attack(database, victim, guard(ta.Audit()))
    assert not outcome.succeeded
    assert outcome.asked >= 50
    assert outcome.refused < outcome.asked


def test_answers_without_an_entry_are_found_out(guard, victim):
    outcome = ta.Races(clients=5).attack(guard(ta.Audit()), victim)
    assert "no entry in the ledger" in outcome.findings[0]


def test_entries_that_stand_for_several_are_found_out(guard, victim):
    database = Numbered(guard(ta.Audit()).ask, iter([7] * 1000))
    outcome = ta.Races(clients=5).attack(database, victim)
    assert outcome.findings == ("1 entries of the ledger stand for several",)


def test_what_a_client_meets_is_not_hidden(victim):
    class Broken:
        def ask(self, sql, *, user):
            raise OSError("broken")

    with pytest.raises(OSError, match="broken"):
        ta.Races(clients=3).attack(Broken(), victim)


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.Races())
