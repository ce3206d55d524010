"""The price as an oracle: what a query would cost tells whether anybody is in it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Annotated, Any, ClassVar

from pydantic import Field

from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.attacks.queries.intruding.invented import all_invented
from tacita.data.attribute import Kind
from tacita.errors import QueryError
from tacita.method import ANY_KIND, Method
from tacita.queries.language.writing import quoted


class PriceOracle(Method):
    """Tell who is in the data by what queries about them would cost, before any is paid.

    Where a price depends on what a query finds (how many groups there are, whether there are any),
    EXPLAIN PRIVACY is an oracle that is free and never runs dry. Prices are compared between a
    query by groups under the condition that all public attributes are the victim's, and the same
    about people who are invented. It succeeds if the prices tell them apart, as long as those of
    two invented people are the same.

    It is a test that curators run against their own database before they open it.

    When not to use it: against databases without prices, which it says nothing about.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.PrivateAnswers(1.0, delta=1e-6))
    >>> PriceOracle().attack(guard, target).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Haeberlen, A., Pierce, B. C. and Narayan, A. (2011). Differential privacy under fire. "
        "USENIX Security 2011."
    )
    missing: ClassVar[str] = "A blank is a value like others."

    invented: Annotated[
        int, Field(description="How many invented people prices are compared with.", ge=2)
    ] = 3

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask what queries about the victim, and about invented people, would cost."""
        intruder = Intruder(database, target)
        others = [
            tuple(_price(intruder, one, name) for name in target.known)
            for one in islice(all_invented(target), self.invented)
        ]
        if len(others) < 2:  # noqa: PLR2004 - two that are alike
            return intruder.outcome(self.name)
        own = tuple(_price(intruder, target.known, name) for name in target.known)
        tells = len(set(others)) == 1 and own not in others
        found = ["what a query would cost tells that the victim is in the data"]
        return intruder.outcome(self.name, findings=found if tells else ())


def _price(intruder: Intruder, known: Mapping[str, Any], name: str) -> tuple[Any, ...]:
    """Return what grouping a person by one attribute would cost, in whatever words."""
    register = intruder.target.register
    sql = (
        f"EXPLAIN PRIVACY SELECT {quoted(name)}, count(*) FROM {quoted(register.view)} "  # noqa: S608
        f"WHERE {register.all_of(known).text} GROUP BY {quoted(name)}"
    )
    intruder.asked += 1
    try:
        return intruder.database.ask(sql, user="intruder").rows
    except QueryError:
        intruder.refused += 1
        return ("error",)
