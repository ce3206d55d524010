"""Averaging: noise that is drawn often enough is no noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY
from fractions import Fraction
from statistics import mean, stdev
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.attacks.queries.intruding.chance import distinct, random_sets
from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.data.attribute import Kind
from tacita.method import Method

ERRORS = 3  # standard errors on both sides: 99.7 % of normal means are within


class Averaging(Method):
    """Average the difference of two sums, with and without the victim, over many pairs of sets.

    For a random set A, sum(A or victim) - sum(A and not victim) is the victim's value plus the
    noise of two answers. Every pair is asked several times, by several accounts, in case noise is
    drawn anew; and there are many pairs, in case it belongs to the set. The mean over n pairs has
    an error of sd / sqrt(n). It succeeds if three standard errors are a small part of the value.

    It is a test that curators run against their own database before they open it.

    When not to use it: on a budget that others need.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(3))
    >>> Averaging(10).attack(guard, target).succeeded
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = frozenset({Kind.CONTINUOUS})
    reference: ClassVar[str] = (
        "Asghar, H. J. and Kaafar, D. (2020). Averaging attacks on bounded noise-based disclosure "
        "control algorithms. Proceedings on Privacy Enhancing Technologies 2020(2), 358-378."
    )
    missing: ClassVar[str] = "A blank value is inferred as 0."

    pairs: Annotated[int, Field(description="How many pairs of sets are asked for.", ge=2)] = 40
    _: KW_ONLY
    repeats: Annotated[int, Field(description="How often each is asked for.", ge=1)] = 2
    within: Annotated[
        float,
        Field(description="The largest error, as a part of the value, that is a success.", gt=0),
    ] = 0.1
    seed: Annotated[int, Field(description="What the random sets are drawn with.", ge=0)] = 0

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask for all pairs, and average."""
        intruder = Intruder(database, target, [f"intruder-{one}" for one in range(self.repeats)])
        told = [one for one in self._differences(intruder) if one is not None]
        if not told or len(told) == 1:
            return intruder.outcome(self.name, told[0] if told else None)
        centre, error = mean(told), ERRORS * stdev(told) / len(told) ** 0.5
        if not error:
            return intruder.outcome(self.name, centre)
        found = (float(centre) - error, float(centre) + error)
        small = error <= self.within * abs(float(centre))
        return intruder.outcome(self.name, between=found if small else None)

    def _differences(self, intruder: Intruder) -> Iterator[Fraction | None]:
        victim = intruder.target.condition
        sets = random_sets(intruder.target.register, self.seed)
        for one in distinct((one & ~victim for one in sets), self.pairs):
            pair = [self._mean(intruder, part.text) for part in (one | victim, one)]
            yield None if None in pair else pair[0] - pair[1]  # type: ignore[operator]

    def _mean(self, intruder: Intruder, where: str) -> Fraction | None:
        """Return the mean of the same sum, asked for again and again."""
        sql = intruder.sql("sum({})", where)
        told = [one for _ in range(self.repeats) if (one := intruder.again(sql)) is not None]
        return mean(told) if told else None
