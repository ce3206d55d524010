"""Budgets: of the data set, and the shares of analysts and projects in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from fractions import Fraction

OTHERS = "everybody else"


def today() -> date:
    """Return the day, the same everywhere."""
    return datetime.now(UTC).date()


@dataclass
class Budget:
    """A privacy loss that may be spent once.

    Args:
        total: how much.
        until: the last day on which it may be spent; what is left then lapses.
        spent: what was spent so far.

    >>> budget = Budget(Fraction(3, 10))
    >>> budget.spent += Fraction(1, 10)
    >>> budget.left
    Fraction(1, 5)
    """

    total: Fraction
    until: date | None = None
    spent: Fraction = field(default=Fraction(0))

    @property
    def left(self) -> Fraction:
        """What may still be spent."""
        if self.until is not None and today() > self.until:
            return Fraction(0)
        return max(self.total - self.spent, Fraction(0))


class Budgets:
    """Who pays from what: everybody from the budget of the data set, and each from a share of it.

    An analyst or project without a share pays from what no share takes, together with all others
    without one, so that another account is no other budget.

    Args:
        total: the budget of the data set.
        shares: the parts of it that are set aside, by analyst or project.
        projects: the analysts of each project.
        until: the last day on which anything may be spent.
    """

    def __init__(
        self,
        total: Fraction,
        shares: Mapping[str, Fraction],
        projects: Mapping[str, Sequence[str]],
        until: date | None,
    ) -> None:
        self._all = Budget(total, until)
        self._shares = {name: Budget(total * part, until) for name, part in shares.items()}
        if shares:
            rest = total * (1 - sum(shares.values(), Fraction(0)))
            self._shares[OTHERS] = Budget(rest, until)
        self._payers = {user: project for project, users in projects.items() for user in users}
        self._payers |= {name: name for name in shares if name not in projects}

    def take(self, cost: Fraction, user: str) -> bool:
        """Spend a cost if all budgets it is paid from have it; spend nothing otherwise."""
        if any(one.left < cost for one in self._paying(user).values()):
            return False
        self.charge(cost, user)
        return True

    def charge(self, cost: Fraction, user: str) -> None:
        """Spend a cost, come what may: it was spent before."""
        for one in self._paying(user).values():
            one.spent += cost

    def left(self, user: str) -> dict[str, Fraction]:
        """Return what is left of the budgets that a user pays from, by their names."""
        return {name: one.left for name, one in self._paying(user).items()}

    def _paying(self, user: str) -> dict[str, Budget]:
        """Return the budgets that a user pays from; that of the data set has no name."""
        if not self._shares:
            return {"": self._all}
        name = self._payers.get(user, OTHERS)
        name = name if name in self._shares else OTHERS
        return {"": self._all, name: self._shares[name]}
