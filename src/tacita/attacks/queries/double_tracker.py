"""The double tracker: two nested conditions, where no single one opens the database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.attacks.queries.intruding.intruder import Asking, Formula, Outcome, Target
from tacita.attacks.queries.intruding.register import Condition, Register
from tacita.attacks.queries.intruding.tracking import THE_TRACKER, tracked
from tacita.data.attribute import Kind
from tacita.method import Method


class DoubleTracker(Method):
    """Infer a value by a pair of trackers T within U, also where a third of all is the least size.

    If k <= |T| <= N - 2k and 2k <= |U| <= N - k, then
    q(C) = q(U) + q(C or T) - q(T) - q(not (C and T) and U),
    and none of the four sets has fewer than k records or more than N - k. U is a condition on one
    public attribute or two joined by OR, T one of its parts.

    It is a test that curators run against their own database before they open it.

    When not to use it: to show that a database is safe; it is one attack of many.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(4))
    >>> DoubleTracker().attack(guard, target).succeeded
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = THE_TRACKER
    missing: ClassVar[str] = "A blank value is inferred as 0."

    tries: Annotated[int, Field(description="How many pairs are tried at most.", ge=1)] = 10

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask until a pair of trackers is answered."""
        return tracked(self.name, database, target, formulas(target, self.tries))


def formulas(target: Target, tries: int) -> Iterator[Formula]:
    """Return the formula of every pair of trackers, the most promising first."""
    victim = target.condition
    for inner, outer in _pairs(target.register)[:tries]:
        yield [(1, outer), (1, victim | inner), (-1, inner), (-1, ~(victim & inner) & outer)]


def _pairs(register: Register) -> list[tuple[Condition, Condition]]:
    """Return conditions T within U, |T| near a third and |U| near two thirds of all first."""
    halves = register.halves()[:12]  # pairs of the others are no better
    pairs = [
        (inner, inner | other)
        for inner in halves
        for other in halves
        if (other.holds & ~inner.holds).any()
    ]

    def distance(pair: tuple[Condition, Condition]) -> float:
        thirds = (register.records / 3, 2 * register.records / 3)
        return max(abs(register.size(one) - ideal) for one, ideal in zip(pair, thirds, strict=True))

    return sorted(pairs, key=distance)
