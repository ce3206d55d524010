"""The individual tracker: a set around the victim, with and without the victim."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import ClassVar

from tacita.attacks.queries.intruding.intruder import Asking, Formula, Outcome, Target
from tacita.attacks.queries.intruding.register import Condition
from tacita.attacks.queries.intruding.tracking import tracked
from tacita.data.attribute import Kind
from tacita.method import Method

MOST = 3  # attributes of A; with more of them the tracker gets small


class IndividualTracker(Method):
    """Infer a value by a tracker made of what is known of the victim.

    The condition C = A and B isolates the victim. The tracker is T = A and not B, so that
    q(C) = q(A) - q(T): two sets that can both be large. Every way to split what is known into A, of
    up to three attributes, and B is tried, those first that are farthest from too small and large.

    It is a test that curators run against their own database before they open it.

    When not to use it: to show that a database is safe; it is one attack of many.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.Audit())
    >>> IndividualTracker().attack(guard, target).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Schloerer, J. (1975). Identification and retrieval of personal records from a statistical "
        "data bank. Methods of Information in Medicine 14(1), 7-13."
    )
    missing: ClassVar[str] = "A blank value is inferred as 0."

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask until a tracker is answered."""
        return tracked(self.name, database, target, formulas(target))


def formulas(target: Target) -> Iterator[Formula]:
    """Return the differences that leave the victim, the most promising first."""
    for around, tracker in splits(target):
        yield [(1, around), (-1, tracker)]


def splits(target: Target) -> list[tuple[Condition, Condition]]:
    """Return every A with its tracker, A and not B, the most promising first."""
    register, known = target.register, target.known
    found = []
    for taken in range(min(len(known), MOST + 1)):
        for names in combinations(known, taken):
            around = register.all_of({name: known[name] for name in names})
            rest = {name: value for name, value in known.items() if name not in names}
            found.append((around, around & ~register.all_of(rest)))

    def room(split: tuple[Condition, Condition]) -> int:
        return min(register.size(split[1]), register.records - register.size(split[0]))

    return sorted(found, key=room, reverse=True)
