"""Membership: whether somebody is in the data, told by counts with and without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from fractions import Fraction
from statistics import mean, stdev
from typing import Annotated, Any, ClassVar

from pydantic import Field

from tacita.attacks.queries.intruding.chance import distinct, random_sets
from tacita.attacks.queries.intruding.intruder import Asking, Intruder, Outcome, Target
from tacita.attacks.queries.intruding.invented import invented
from tacita.data.attribute import Kind
from tacita.method import ANY_KIND, Method

ERRORS = 3  # standard errors
FEWEST = 2  # differences, for a standard error


class QueryMembership(Method):
    """Tell those who are in the data from those who are not, by differences of counts.

    For a random set A, count(A or x) - count(A and not x) is 1 plus noise if somebody with the
    public attributes x is in the data, and noise otherwise. Over many sets the mean tells. Where
    noise belongs to the records, it is simpler: without such a record both sets are the same, and
    so are the answers. It succeeds if the victim is found to be in the data, and somebody invented,
    with public attributes that nobody has, not to be.

    It is a test that curators run against their own database before they open it.

    When not to use it: where everybody knows who is in the data, as of a census.

    >>> import tacita as ta
    >>> from tacita.attacks.queries.intruding.example import example_guard
    >>> guard, target = example_guard(ta.QuerySetSize(3))
    >>> QueryMembership(10).attack(guard, target).findings
    ('the counts tell that the victim is in the data',)
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Homer, N. et al. (2008). Resolving individuals contributing trace amounts of DNA to "
        "highly complex mixtures. PLoS Genetics 4(8), e1000167; Pyrgelis, A., Troncoso, C. and De "
        "Cristofaro, E. (2018). Knock knock, who's there? NDSS 2018."
    )
    missing: ClassVar[str] = "A blank is a value like others."

    pairs: Annotated[int, Field(description="How many pairs of sets are asked for.", ge=2)] = 40
    _: KW_ONLY
    seed: Annotated[int, Field(description="What the random sets are drawn with.", ge=0)] = 0

    def attack(self, database: Asking, target: Target) -> Outcome:
        """Ask for the counts with and without the victim, and somebody invented."""
        intruder = Intruder(database, target)
        nobody = invented(target)
        if nobody is None:
            return intruder.outcome(self.name)
        told = [self._differences(intruder, one) for one in (target.known, nobody)]
        found = ["the counts tell that the victim is in the data"]
        findings = found if _are_apart(*told) else []
        return intruder.outcome(self.name, findings=findings)

    def _differences(self, intruder: Intruder, known: Mapping[str, Any]) -> list[Fraction]:
        register = intruder.target.register
        one = register.all_of(known)
        told = []
        sets = random_sets(register, self.seed)
        for others in distinct((around & ~one for around in sets), self.pairs):
            pair = [intruder.ask("count(*)", part.text) for part in (others | one, others)]
            if pair[0] is not None and pair[1] is not None:
                told.append(pair[0] - pair[1])
        return told


def _are_apart(there: Sequence[Fraction], invented: Sequence[Fraction]) -> bool:
    """Tell whether differences are those of somebody who is there, and of somebody who is not."""
    if not (there and invented):
        return False
    if not any(invented):
        return any(there)  # the sets without anybody are the same, and so are their counts
    return _bounds(there)[0] > _bounds(invented)[1]


def _bounds(differences: Sequence[Fraction]) -> tuple[float, float]:
    if len(differences) < FEWEST:
        return (float("-inf"), float("inf"))
    centre, error = float(mean(differences)), ERRORS * stdev(differences) / len(differences) ** 0.5
    return (centre - error, centre + error)
