"""Races: many clients ask at once what none may learn one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import chain, cycle, islice
from threading import Barrier
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.attacks.queries import general_tracker, individual_tracker
from tacita.attacks.queries.deep_differencing import determined
from tacita.attacks.queries.intruding.intruder import (
    Asking,
    Intruder,
    Outcome,
    Target,
    number,
)
from tacita.attacks.queries.intruding.register import Condition
from tacita.data.attribute import Kind
from tacita.errors import QueryError
from tacita.method import Method
from tacita.queries.answer import Answer


class Races(Method):
    """Let many clients ask the parts of trackers at the same moment.

    A guard that decides before it remembers lets parts through together that it would not answer
    one after the other. It succeeds if the victim's value follows from the answers; if an answer
    has no entry in the ledger, or shares one; or if, one after the other, a fresh copy of the
    database refuses some of what was answered.

    It is a test that curators run against their own database before they open it.

    When not to use it: against a server with a low rate limit, which answers too few at once.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(3))
    >>> Races().attack(guard, target).succeeded
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Bishop, M. and Dilger, M. (1996). Checking for race conditions in file accesses. "
        "Computing Systems 9(2), 131-152."
    )
    missing: ClassVar[str] = "A blank value is inferred as 0."

    clients: Annotated[int, Field(description="How many clients ask at once.", ge=2)] = 50

    def attack(self, database: Asking, target: Target, fresh: Asking | None = None) -> Outcome:
        """Ask all at once.

        Args:
            database: the database.
            target: whom the trackers are about.
            fresh: a copy of the database without any history, to compare with.
        """
        intruder = Intruder(database, target)
        sets = _parts(target)
        racing = list(islice(cycle(sets), max(self.clients, len(sets))))
        answers = self._raced(database, [intruder.sql("sum({})", one.text) for one in racing])
        told = [None if one is None else number(one) for one in answers]
        intruder.asked, intruder.refused = len(told), told.count(None)
        answered = [one for one in answers if one is not None and number(one) is not None]
        findings = _unrecorded(answered)
        if fresh is not None:
            findings += _not_in_turn(Intruder(fresh, target), racing, told)
        return intruder.outcome(self.name, _inferred(target, racing, told), findings=findings)

    def _raced(self, database: Asking, queries: Sequence[str]) -> list[Answer | None]:
        """Ask all queries, as many at the same moment as there are clients."""
        start = Barrier(self.clients)

        def client(place: int) -> list[Answer | None]:
            start.wait()
            return [_asked(database, sql, place) for sql in queries[place :: self.clients]]

        with ThreadPoolExecutor(self.clients) as clients:
            told = list(clients.map(client, range(self.clients)))
        return [told[place % self.clients][place // self.clients] for place in range(len(queries))]


def _asked(database: Asking, sql: str, client: int) -> Answer | None:
    try:
        return database.ask(sql, user=f"client-{client}")
    except QueryError:
        return None


def _parts(target: Target) -> list[Condition]:
    """Return the sets of all trackers, every one once."""
    trackers = chain(individual_tracker.formulas(target), general_tracker.formulas(target, 5))
    sets = {one.text: one for formula in trackers for _, one in formula if one.holds.any()}
    return [*sets.values(), target.condition]


def _inferred(
    target: Target, sets: Sequence[Condition], told: Sequence[Fraction | None]
) -> Fraction | None:
    known = [(one.holds, total) for one, total in zip(sets, told, strict=True) if total is not None]
    found = determined([holds for holds, _ in known], [total for _, total in known])
    return found.get(target.register.class_of(target.condition))


def _unrecorded(answered: Sequence[Answer]) -> list[str]:
    """Tell of answers that the ledger does not know."""
    entries = Counter(one.entry for one in answered)
    missing = entries.pop(None, 0)
    findings = [f"{missing} answers have no entry in the ledger"] if missing else []
    shared = sum(count > 1 for count in entries.values())
    return [*findings, *([f"{shared} entries of the ledger stand for several"] if shared else [])]


def _not_in_turn(
    intruder: Intruder, sets: Sequence[Condition], told: Sequence[Fraction | None]
) -> list[str]:
    """Tell of sums that are not all answered when they are asked one after the other."""
    raced = [one for one, total in zip(sets, told, strict=True) if total is not None]
    refused = sum(intruder.total(one) is None for one in raced)
    return [f"{refused} answers are refused one after the other"] if refused else []
