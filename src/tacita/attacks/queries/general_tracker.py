"""The general tracker: one condition that opens every query set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.attacks.queries.intruding.intruder import Asking, Formula, Outcome, Target
from tacita.attacks.queries.intruding.tracking import THE_TRACKER, tracked
from tacita.data.attribute import Kind
from tacita.method import Method


class GeneralTracker(Method):
    """Infer a value by padding the victim with a tracker and with its complement.

    If 2k <= |T| <= N - 2k, then with Q = q(T) + q(not T)
    q(C) = q(C or T) + q(C or not T) - Q, and none of the four sets has fewer than k records or more
    than N - k. Conditions on one public attribute are tried, those of about half of the records
    first.

    It is a test that curators run against their own database before they open it.

    When not to use it: to show that a database is safe; it is one attack of many.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(3))
    >>> GeneralTracker().attack(guard, target).succeeded
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = THE_TRACKER
    missing: ClassVar[str] = "A blank value is inferred as 0."

    tries: Annotated[int, Field(description="How many trackers are tried at most.", ge=1)] = 10

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask until a tracker is answered."""
        return tracked(self.name, database, target, formulas(target, self.tries))


def formulas(target: Target, tries: int) -> Iterator[Formula]:
    """Return the formula of every tracker, the most promising first."""
    victim = target.condition
    for tracker in target.register.halves()[:tries]:
        yield [(1, victim | tracker), (1, victim | ~tracker), (-1, tracker), (-1, ~tracker)]
