"""Sybil accounts: a tracker whose queries come from different users."""

from __future__ import annotations

from itertools import chain
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.attacks.queries import general_tracker, individual_tracker
from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.data.attribute import Kind
from tacita.method import Method


class SybilAccounts(Method):
    """Infer a value by trackers of which every account asks one part only.

    An audit that remembers what each user was told lets every part through; one that remembers what
    was told to anybody does not. The trackers are those of `IndividualTracker` and
    `GeneralTracker`.

    It is a test that curators run against their own database before they open it. Against a server,
    give it as many tokens as there are accounts.

    When not to use it: to show that a database is safe; it is one attack of many.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.Audit())
    >>> SybilAccounts().attack(guard, target).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Douceur, J. R. (2002). The Sybil attack. Peer-to-Peer Systems (IPTPS), LNCS 2429, 251-260."
    )
    missing: ClassVar[str] = "A blank value is inferred as 0."

    accounts: Annotated[int, Field(description="How many accounts there are.", ge=2)] = 4

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask until a tracker is answered, every query by the next account."""
        users = [f"sybil-{number}" for number in range(self.accounts)]
        intruder = Intruder(database, target, users)
        trackers = chain(individual_tracker.formulas(target), general_tracker.formulas(target, 10))
        return intruder.outcome(self.name, intruder.first(trackers))
