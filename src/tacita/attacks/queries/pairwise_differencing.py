"""Pairwise differencing: the means of two query sets that differ by one record."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.attacks.queries.intruding.register import Condition
from tacita.data.attribute import Kind
from tacita.method import Method

LARGEST_DENOMINATOR = 10_000  # of what remains when rounded means are subtracted


class PairwiseDifferencing(Method):
    """Infer a value from the means of a set with and without the victim.

    With S the set and C the victim, x = |S or C| avg(S or C) - |S and not C| avg(S and not C); the
    sizes are public. Conditions on one public attribute are tried for S, and everybody.

    It is a test that curators run against their own database before they open it.

    When not to use it: to show that a database is safe; `DeepDifferencing` finds more.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(3))
    >>> PairwiseDifferencing().attack(guard, target).succeeded
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Hoffman, L. J. and Miller, W. F. (1970). Getting a personal dossier from a statistical "
        "data bank. Datamation 16(5), 74-75."
    )
    missing: ClassVar[str] = "Means leave blanks out, so that what is inferred is wrong with them."

    tries: Annotated[int, Field(description="How many sets are tried at most.", ge=1)] = 20

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask until both means of a set are answered."""
        intruder = Intruder(database, target)
        sets = [*target.register.halves()[: self.tries], target.register.everybody()]
        values = (_difference(intruder, one) for one in sets)
        return intruder.outcome(self.name, next((one for one in values if one is not None), None))


def _difference(intruder: Intruder, around: Condition) -> Fraction | None:
    """Return what the total of a set is more with the victim than without."""
    victim = intruder.target.condition
    totals = [_total(intruder, one) for one in (around | victim, around & ~victim)]
    if totals[0] is None or totals[1] is None:
        return None
    return (totals[0] - totals[1]).limit_denominator(LARGEST_DENOMINATOR)


def _total(intruder: Intruder, condition: Condition) -> Fraction | None:
    if not condition.holds.any():
        return Fraction(0)
    mean = intruder.ask("avg({})", condition.text)
    return None if mean is None else intruder.size(condition) * mean
