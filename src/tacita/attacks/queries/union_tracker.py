"""The union tracker: a partition of everybody, padded with the victim part by part."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from pydantic import Field

from tacita.attacks.queries.intruding.intruder import Asking, Formula, Outcome, Target
from tacita.attacks.queries.intruding.register import Register
from tacita.attacks.queries.intruding.tracking import tracked
from tacita.data.attribute import Kind
from tacita.method import Method


class UnionTracker(Method):
    """Infer a value by a partition of the records, whatever size control allows.

    With T1, ..., Tu a partition of all records, each of k to N - 2k + 1 records,
    q(C) = [sum of q(C or Ti) - sum of q(Ti)] / (u - 1). The parts are sets of values of one public
    attribute, made as equal as they get.

    It is a test that curators run against their own database before they open it.

    When not to use it: to show that a database is safe; it is one attack of many.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(2))
    >>> UnionTracker().attack(guard, target).succeeded
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Denning, D. E. and Schloerer, J. (1980). A fast procedure for finding a tracker in a "
        "statistical database. ACM TODS 5(1), 88-102."
    )
    missing: ClassVar[str] = "A blank value is inferred as 0."

    parts: Annotated[int, Field(description="The most parts of a partition.", ge=2)] = 5

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask until a partition is answered."""
        return tracked(self.name, database, target, formulas(target, self.parts))


def formulas(target: Target, most: int) -> Iterator[Formula]:
    """Return the formula of every partition."""
    register, victim = target.register, target.condition
    for name in register.names:
        for parts in range(2, min(most, len(register.values(name))) + 1):
            one = Fraction(1, parts - 1)
            among = [register.where(name, part) for part in _parted(register, name, parts)]
            yield [term for part in among for term in ((one, victim | part), (-one, part))]


def _parted(register: Register, name: str, parts: int) -> list[list[Any]]:
    """Return the values of an attribute in parts of about as many records."""
    chosen: list[list[Any]] = [[] for _ in range(parts)]
    sizes = [0] * parts
    values = register.values(name)
    for value in sorted(values, key=values.__getitem__, reverse=True):
        smallest = sizes.index(min(sizes))
        chosen[smallest].append(value)
        sizes[smallest] += values[value]
    return chosen
