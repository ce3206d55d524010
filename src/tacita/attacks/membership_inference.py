"""Membership inference: whether somebody's record was among those a release was made from."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.confidence import CONFIDENCE
from tacita.microdata.comparing.nearness import known_in_terms, points
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn, told
from tacita.results import Interval, Measurement, counted, show
from tacita.validity import ANY_CHANGE, Use

FALSE_ALARMS = {"found_at_1_percent": Fraction(1, 100), "found_at_10_percent": Fraction(1, 10)}


class MembershipInference(Method):
    """How well an intruder who knows a whole record tells whether it is behind the release.

    The intruder calls records members that lie close to a released record. AUC is the probability
    that an original record lies closer to the release than a holdout record (a tie is a half); the
    number is 2 AUC - 1, at least 0: 0 for guessing, 1 for certainty. Figures: `auc` and the shares
    of members found while at most 1 % and 10 % of the others are taken for members. Numbers and
    dates count in standard deviations, other values 0 if the same and 1 if not. The interval is
    Newcombe's for the AUC (method 5, Statistics in Medicine 25:559, 2006), which also holds where
    the AUC is 0 or 1.

    When not to use it: on a holdout from another population, which is told from the data anyway.

    >>> import tacita as ta
    >>> data = ta.example("toy", 200)
    >>> beside = data.with_external(holdout=ta.example("toy", 200, seed=1))
    >>> ta.MembershipInference().measure(beside, data).value
    Fraction(1, 1)
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    uses: ClassVar = Use.VALUES
    at_everything: ClassVar = True
    reference: ClassVar = (
        "Stadler, Oprisanu & Troncoso, Synthetic data - anonymisation groundhog day, USENIX "
        "Security 2022"
    )
    missing: ClassVar = "A blank is as far from a value as another category, and equal to a blank."
    needs: ClassVar = frozenset({"holdout"})
    by_contents: ClassVar = True
    public: ClassVar = frozenset({"attributes"})

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default all that tell of people."),
    ] = None
    sample: SampleSize = 2_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare how close members and others lie to the release."""
        names, *before = known_in_terms(original, protected, self.attributes)
        targets = [data.take(drawn(len(data), self.sample, self.seed)) for data in before]
        *known, released = points([*targets, protected], names)
        members, others = (target.closest(released)[0] for target in known)
        area = _area(members, others)
        if area is None:
            return Measurement(self.name, self.family, None, "there are no records to tell apart")
        bounds = _interval(float(area), len(members), len(others))
        return Measurement(
            self.name,
            self.family,
            _advantage(area),
            f"by {counted(len(names), 'attribute')}, {len(members):,} members are told from "
            f"{len(others):,} others with AUC {show(area)}, of which 0.5 is guessing"
            f"{told(len(members), len(original))}",
            parameters=self.parameters(),
            figures={"auc": area, **_found(members, others)},
            interval=Interval(*(float(_advantage(Fraction(bound))) for bound in bounds)),
        )


def _advantage(area: Fraction) -> Fraction:
    return max(Fraction(0), 2 * area - 1)


def _area(members: Floats, others: Floats) -> Fraction | None:
    """Return the probability that a member is closer than another; a tie is a half."""
    pairs = len(members) * len(others)
    ordered = np.sort(others)
    closer = len(others) - np.searchsorted(ordered, members, side="right")
    not_farther = len(others) - np.searchsorted(ordered, members, side="left")
    return Fraction(int(closer.sum() + not_farther.sum()), 2 * pairs) if pairs else None


def _found(members: Floats, others: Floats) -> dict[str, Fraction]:
    """Return the share of members closer than all but a few of the others."""
    ordered = np.sort(others)
    limits = {name: ordered[floor(share * len(others))] for name, share in FALSE_ALARMS.items()}
    return {
        name: Fraction(int(np.count_nonzero(members < limit)), len(members))
        for name, limit in limits.items()
    }


def _interval(area: float, members: int, others: int) -> tuple[float, float]:
    """Return the areas that are as far from the observed one as chance allows."""
    from scipy.special import ndtri

    quantile = float(ndtri((1 + CONFIDENCE) / 2))
    weight = (members + others) / 2 - 1

    def too_far(true: float) -> bool:
        spread = 1 + weight * ((1 - true) / (2 - true) + true / (1 + true))
        variance = true * (1 - true) * spread / (members * others)
        return (area - true) ** 2 > quantile**2 * variance

    return _edge(too_far, 0.0, area), _edge(too_far, 1.0, area)


def _edge(too_far: Callable[[float], bool], outside: float, inside: float) -> float:
    """Halve the way between a number that is too far and one that is not until they meet."""
    for _ in range(60):
        middle = (outside + inside) / 2
        outside, inside = (middle, inside) if too_far(middle) else (outside, middle)
    return inside
