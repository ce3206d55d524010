"""Budget race: many clients spend one budget at the same moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY
from itertools import islice
from threading import Barrier
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.attacks.queries.intruding.chance import random_sets
from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target, number
from tacita.data.attribute import Kind
from tacita.errors import QueryError
from tacita.method import ANY_KIND, Method
from tacita.queries.answer import Answer

SLACK = 1e-9


class BudgetRace(Method):
    """Let many clients ask at the same moment for more than is left of the budget.

    A database that looks at the budget, answers, and takes the cost afterwards answers all who came
    between. A first answer tells what is left and a second one what a query costs; then all clients
    ask at once, by one account. It succeeds if what they were answered costs more than was left, or
    if less was taken than that. Where there is no budget there is nothing to overspend.

    It is a test that curators run against their own database before they open it, with a budget
    that a few queries exhaust; it spends all of it.

    When not to use it: against a database that is in use.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(3))
    >>> BudgetRace().attack(guard, target).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Haeberlen, A., Pierce, B. C. and Narayan, A. (2011). Differential privacy under fire. "
        "USENIX Security 2011."
    )
    missing: ClassVar[str] = "Records with a blank count like others."

    clients: Annotated[int, Field(description="How many clients ask at once.", ge=2)] = 20
    _: KW_ONLY
    seed: Annotated[int, Field(description="What the random sets are drawn with.", ge=0)] = 0

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Learn what a query costs, then ask all at once."""
        intruder = Intruder(database, target)
        sets = islice(random_sets(target.register, self.seed), self.clients + 3)
        queries = [intruder.sql("count(*)", one.text) for one in sets]
        first, second = (_asked(database, sql) for sql in queries[:2])
        raced = self._raced(database, queries[2:-1])
        last = _asked(database, queries[-1])
        told = [first, second, *raced, last]
        intruder.asked = len(told)
        intruder.refused = sum(not _is_answered(one) for one in told)
        findings = _overspent(first, second, raced, last)
        return intruder.outcome(self.name, findings=findings)

    def _raced(self, database: Asking, queries: Sequence[str]) -> list[Answer | None]:
        start = Barrier(len(queries))

        def client(sql: str) -> Answer | None:
            start.wait()
            return _asked(database, sql)

        with ThreadPoolExecutor(len(queries)) as clients:
            return list(clients.map(client, queries))


def _asked(database: Asking, sql: str) -> Answer | None:
    try:
        return database.ask(sql, user="intruder")
    except QueryError:
        return None


def _is_answered(answer: Answer | None) -> bool:
    return answer is not None and number(answer) is not None


def _overspent(
    first: Answer | None, second: Answer | None, raced: Sequence[Answer | None], last: Answer | None
) -> list[str]:
    """Tell of budgets from which more was answered than there was, or less taken than it cost."""
    if first is None or second is None or last is None:
        return []
    answered = sum(map(_is_answered, raced))
    findings = []
    for name, left in second.left.items():
        cost = first.left.get(name, left) - left
        findings += _found(name, left, cost * answered, last.left)
    return findings


def _found(name: str, left: float, spent: float, after: Mapping[str, float]) -> list[str]:
    slack = SLACK * max(1.0, abs(left))
    if spent > left + slack:
        return [f"answers cost {spent:g} of {name}, of which {left:g} was left"]
    if after.get(name, left) > left - spent + slack:
        return [f"answers cost {spent:g} of {name}, and less was taken"]
    return []
