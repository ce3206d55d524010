"""Extremes walking: a maximum that grows when the victim joins is the victim's value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.attacks.queries.intruding.register import Condition
from tacita.data.attribute import Kind
from tacita.method import Method

MOST = 5  # records of the largest sets, unless single classes have more


class ExtremesWalking(Method):
    """Infer a value by maxima and minima of sets that the victim joins.

    If max(L or C) > max(L), then the victim C has max(L or C); likewise with minima. The victim
    alone is asked first, then small random sets L of other public classes.

    It is a test that curators run against their own database before they open it.

    When not to use it: against databases that answer no extremes.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.AuditExtremes("max"))
    >>> ExtremesWalking().attack(guard, target).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Kenthapadi, K., Mishra, N. and Nissim, K. (2013). Denials leak information: simulatable "
        "auditing. Journal of Computer and System Sciences 79(8), 1322-1340."
    )
    missing: ClassVar[str] = "A blank value is not found: it is no extreme."

    sets: Annotated[int, Field(description="How many random sets are walked through.", ge=1)] = 20
    seed: Annotated[int, Field(description="Where the random sets come from.", ge=0)] = 0

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Walk until an extreme moves."""
        intruder = Intruder(database, target)
        others = company(target, self.sets, np.random.default_rng(self.seed))
        return intruder.outcome(self.name, walked(intruder, others))


def walked(intruder: Intruder, others: Iterable[Condition]) -> Fraction | None:
    """Return the victim's value, asked for outright or told by an extreme that moves."""
    value = intruder.ask("max({})", intruder.target.condition.text)
    if value is not None:
        return value
    steps = (moved(intruder, extreme, one) for one in others for extreme in ("max", "min"))
    return next((one for one in steps if one is not None), None)


def company(target: Target, sets: int, rng: np.random.Generator) -> Iterator[Condition]:
    """Return random sets of other public classes, of at least one to five records in turn."""
    register = target.register
    others = np.flatnonzero(~target.condition.holds)
    for number in range(sets if others.size else 0):
        order = rng.permutation(others)
        enough = np.cumsum(register.sizes[order]) > number % MOST
        yield register.any_of(order[: np.argmax(enough) + 1] if enough.any() else order)


def moved(intruder: Intruder, extreme: str, others: Condition) -> Fraction | None:
    """Return the extreme that the victim brings; None if it does not move, or is refused."""
    with_victim = intruder.ask(f"{extreme}({{}})", (others | intruder.target.condition).text)
    without = intruder.ask(f"{extreme}({{}})", others.text)
    if with_victim is None or without is None or with_victim == without:
        return None
    return with_victim
