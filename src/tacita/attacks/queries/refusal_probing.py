"""Refusal probing: what refusals tell by themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from tacita.attacks.queries.extremes_walking import company, walked
from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.attacks.queries.intruding.register import Condition
from tacita.data.attribute import Kind
from tacita.method import Method

STATISTICS = ("max({})", "min({})", "sum({})")
# Somebody with whom the victim exchanges confidential values: the public values, and which of those
# who have them, from 0 on.
Person = tuple[Mapping[str, Any], int]
# Makes a copy of the database without any history, before or after such an exchange.
Copies = Callable[[Person | None], Asking]


class RefusalProbing(Method):
    """Find out whether refusals depend on confidential values.

    An audit that looks at the true answer refuses max(a, b) after max(a, b, c) = 9 just if c = 9:
    the refusal tells the value. For random sets L, a statistic of L with the victim and then of L
    alone is asked, of a copy of the database and of another one in which the victim has exchanged
    values with one of L. The first answers are the same; if the second decisions are not, a refusal
    tells who has which value. Where nothing is refused, the answers give the value away.

    The copies are the curator's to make. Without them only the answers are looked at.

    It is a test that curators run against their own database before they open it.

    When not to use it: on a server whose copies one cannot make.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.AuditExtremes("max"))
    >>> RefusalProbing().attack(guard, target).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Kenthapadi, K., Mishra, N. and Nissim, K. (2013). Denials leak information: simulatable "
        "auditing. Journal of Computer and System Sciences 79(8), 1322-1340."
    )
    missing: ClassVar[str] = "A blank answer counts as a refusal."

    sets: Annotated[int, Field(description="How many random sets are asked about.", ge=1)] = 5
    seed: Annotated[int, Field(description="Where the random sets come from.", ge=0)] = 0

    def attack(self, database: Asking, target: Target, copies: Copies | None = None) -> Outcome:
        """Ask about random sets.

        Args:
            database: the database.
            target: whom the questions are about.
            copies: makes copies of the database, to compare decisions.
        """
        intruder = Intruder(database, target)
        sets = list(company(target, self.sets, np.random.default_rng(self.seed)))
        told = 0 if copies is None else sum(_tells(target, one, copies) for one in sets)
        findings = [f"refusals about {told} of {len(sets)} sets tell who has which value"]
        return intruder.outcome(
            self.name, walked(intruder, sets), findings=findings if told else ()
        )


def _tells(target: Target, others: Condition, copies: Copies) -> bool:
    """Tell whether a decision about a set depends on who has the victim's value."""
    register = target.register
    persons = [
        (dict(zip(register.names, values, strict=True)), place)
        for values, size, yes in zip(register.classes, register.sizes, others.holds, strict=True)
        for place in range(size if yes else 0)
    ]
    for statistic in STATISTICS:
        true = _decisions(Intruder(copies(None), target), statistic, others)
        for person in persons:
            if _decisions(Intruder(copies(person), target), statistic, others) != true:
                return True
    return False


def _decisions(intruder: Intruder, statistic: str, others: Condition) -> list[bool]:
    """Tell whether a statistic is answered of a set with the victim, and then without."""
    sets = (others | intruder.target.condition, others)
    return [intruder.ask(statistic, one.text) is not None for one in sets]
