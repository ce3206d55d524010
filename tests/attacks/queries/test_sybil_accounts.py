from __future__ import annotations

import tacita as ta


class EachByItself:
    """A careless server: every user has a history of his own."""

    def __init__(self, guard):
        self._guard = guard
        self.guards = {}

    def ask(self, sql, *, user):
        if user not in self.guards:
            self.guards[user] = self._guard(ta.Audit())
        return self.guards[user].ask(sql, user=user)


def test_histories_of_single_users_do_not_protect(guard, victim):
    careless = EachByItself(guard)
    assert ta.SybilAccounts(accounts=3).attack(careless, victim).right
    assert len(careless.guards) <= 3
    assert not ta.IndividualTracker().attack(EachByItself(guard), victim).succeeded


def test_a_history_of_all_users_does(guard, victim):
    assert not ta.SybilAccounts().attack(guard(ta.Audit()), victim).succeeded


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.SybilAccounts())
