"""Differential privacy of a microdata release: a promise of the way in which it was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from fractions import Fraction
from math import exp, inf, nextafter
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from tacita.data.attribute import Role
from tacita.data.dataset import Dataset, Guarantee
from tacita.method import ANY_KIND, Method
from tacita.results import Verdict, exactly, listed, show
from tacita.validity import ANY_CHANGE

NEIGHBOURS = {
    "change-one": "that differ in the values of one record",
    "add-remove": "of which one has a record more",
}


class DifferentialPrivacy(Method):
    """What is released hardly depends on any one record: (epsilon, delta)-differential privacy.

    For all data sets D and D' that differ in one record and every set S of releases,
    Pr[M(D) in S] <= exp(epsilon) Pr[M(D') in S] + delta. It is a promise of the mechanism M, which
    no data set shows: the check never looks at values but adds up what the masking steps guarantee
    (sequential composition). An attribute that none of them covers breaks the promise, whatever
    else was done to it; identifiers, which no release holds, are not asked for.

    Guarantees for data sets of which one has a record more are, where others are for data sets
    that differ in the values of one record, counted as (2 epsilon, (1 + exp(epsilon)) delta) of
    these. Data that were read from a file carry no evidence, and fail.

    When not to use it: on data that were masked elsewhere.

    >>> import tacita as ta
    >>> ta.DifferentialPrivacy(1.0).check(ta.example("conditions")).worst
    {'attributes': ['Age', 'Zip code', 'Nationality', 'Condition']}
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    reference: ClassVar = "Dwork, McSherry, Nissim & Smith, Proc. TCC 2006, pp. 265-284"
    missing: ClassVar = "Missing and suppressed values are not looked at, as no others are."
    example: ClassVar = {"epsilon": 1.0}
    public: ClassVar = frozenset({"epsilon", "delta"})
    from_evidence: ClassVar = True

    epsilon: Annotated[float, Field(description="The largest privacy loss (0 or more).", ge=0)]
    _: KW_ONLY
    delta: Annotated[
        float,
        Field(
            description="The probability with which it may be larger (0 to below 1).", ge=0, lt=1
        ),
    ] = 0.0

    def check(self, data: Dataset) -> Verdict:
        """Tell whether the guarantees that the data carry are enough."""
        released = [n for n, one in data.attributes.items() if not one.is_a(Role.IDENTIFIER)]
        used = [one for one in data.guarantees if set(one.attributes) & set(released)]
        covered = {name for one in used for name in one.attributes}
        bare = [name for name in released if name not in covered]
        if bare:
            sentence = (
                f"nothing shows that {listed(bare)} were released by a differentially private "
                "mechanism"
            )
            return Verdict(self.to_plan(), False, None, sentence, {"attributes": bare})
        if not used:
            return Verdict(self.to_plan(), True, None, "no attribute is released")
        spent = _composed(used)
        holds = spent.epsilon <= exactly(self.epsilon) and spent.delta <= exactly(self.delta)
        return Verdict(
            self.to_plan(), holds, spent.epsilon, self._sentence(used, spent), _largest(used)
        )

    def _sentence(self, used: Sequence[Guarantee], spent: _Loss) -> str:
        mechanisms = listed(list(dict.fromkeys(one.mechanism for one in used)))
        delta = f", delta {show(spent.delta)}" if spent.delta or self.delta else ""
        allowed = f", delta {show(exactly(self.delta))}" if delta else ""
        return (
            f"epsilon {show(spent.epsilon)}{delta} by {mechanisms}, for data sets "
            f"{NEIGHBOURS[spent.neighbours]}; asked for are epsilon {show(exactly(self.epsilon))}"
            f"{allowed}"
        )


class _Loss(NamedTuple):
    epsilon: Fraction
    delta: Fraction
    neighbours: str


def _composed(used: Sequence[Guarantee]) -> _Loss:
    """Add up guarantees, in terms of one kind of neighbours."""
    kinds = {one.neighbours for one in used}
    if kinds == {"add-remove"}:
        neighbours, parts = "add-remove", [_said(one) for one in used]
    else:
        neighbours, parts = "change-one", [_of_changes(one) for one in used]
    epsilon, delta = (sum(part, start=Fraction(0)) for part in zip(*parts, strict=True))
    return _Loss(epsilon, delta, neighbours)


def _said(one: Guarantee) -> tuple[Fraction, Fraction]:
    return exactly(one.epsilon), exactly(one.delta)


def _of_changes(one: Guarantee) -> tuple[Fraction, Fraction]:
    """Return what is guaranteed for a changed record: one removed and another one added."""
    epsilon, delta = _said(one)
    if one.neighbours == "change-one":
        return epsilon, delta
    growth = Fraction(nextafter(exp(one.epsilon), inf)) if delta else Fraction(0)
    return 2 * epsilon, (1 + growth) * delta


def _largest(used: Sequence[Guarantee]) -> dict[str, Any]:
    """Return the guarantee that costs the most."""
    most = max(used, key=lambda one: one.epsilon)
    return {
        "mechanism": most.mechanism,
        "attributes": list(most.attributes),
        "epsilon": most.epsilon,
        "delta": most.delta,
        "neighbours": most.neighbours,
    }
