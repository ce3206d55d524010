"""Binary search: a value by counts of those who have more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.attacks.queries.individual_tracker import splits
from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.data.attribute import Kind
from tacita.method import Method
from tacita.queries.language.writing import quoted

# The number of victims, 0 or 1, of whom a condition on the confidential attribute holds.
Counting = Callable[[str], Fraction | None]
LARGEST = 2.0**60


class CountBinarySearch(Method):
    """Enclose a value by counting the victims (one or none) who have more than a bound.

    Every `count(*) WHERE victim AND x > c` halves the interval. Where such small sets are refused,
    the count is padded with a tracker: with C = A and B and T = A and not B,
    count(C and x > c) = count(T or (A and x > c)) - count(T).

    It is a test that curators run against their own database before they open it.

    When not to use it: against policies that refuse conditions on confidential attributes.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.Audit())
    >>> CountBinarySearch().attack(guard, target).succeeded
    False
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Schloerer, J. (1975). Identification and retrieval of personal records from a statistical "
        "data bank. Methods of Information in Medicine 14(1), 7-13."
    )
    missing: ClassVar[str] = "A blank value is not found: no bound is below it."

    lower: Annotated[float, Field(description="What everybody knows that no value is below.")] = 0
    precision: Annotated[float, Field(description="How narrow the interval shall be.", gt=0)] = 1

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Halve the interval by the first way of counting that is answered to the end."""
        intruder = Intruder(database, target)
        found = (self._enclosed(counting, target) for counting in _countings(intruder))
        between = next((one for one in found if one is not None), None)
        return intruder.outcome(self.name, between=between)

    def _enclosed(self, counting: Counting, target: Target) -> tuple[float, float] | None:
        """Return bounds of the value; None as soon as a count is refused."""
        column = quoted(target.attribute)
        if counting(f"{column} >= {self.lower!r}") != 1:
            return None
        lower, upper = self.lower, max(2 * abs(self.lower), 1.0)
        while (above := counting(f"{column} > {upper!r}")) == 1 and upper < LARGEST:
            lower, upper = upper, 2 * upper
        while above is not None and upper - lower > self.precision:
            middle = (lower + upper) / 2
            above = counting(f"{column} > {middle!r}")
            lower, upper = (middle, upper) if above else (lower, middle)
        return None if above is None else (lower, upper)


def _countings(intruder: Intruder) -> Iterator[Counting]:
    """Return the ways to count: the victim alone, then behind every tracker."""
    victim = intruder.target.condition.text
    yield lambda more: intruder.ask("count(*)", f"{victim} AND {more}")
    for around, tracker in splits(intruder.target):
        yield _tracked(intruder, around.text, tracker.text)


def _tracked(intruder: Intruder, around: str, tracker: str) -> Counting:
    def counting(more: str) -> Fraction | None:
        inside = intruder.ask("count(*)", tracker)
        both = intruder.ask("count(*)", f"({tracker} OR ({around} AND {more}))")
        return None if inside is None or both is None else both - inside

    return counting
