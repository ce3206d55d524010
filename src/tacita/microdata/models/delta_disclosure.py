"""delta-disclosure privacy: no class changes the odds of any confidential value by much."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.arithmetic import log
from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.near_ties import above, decimal, exceeds
from tacita.microdata.models.class_table import ClassTable, Histogram
from tacita.microdata.models.confidential_values import (
    breaks_values,
    check_values,
    distinct_values,
    highest,
    in_any,
    judgement,
)
from tacita.microdata.models.references import Distribution, beside_whole
from tacita.microdata.models.verdicts import Confidential, Judged, Keys
from tacita.results import Verdict, exactly
from tacita.validity import ANY_CHANGE


class DeltaDisclosure(Method):
    """In every class the share of every confidential value is nearly that in the whole file.

    With p the share of a value in a class and q that in the whole file, |log(p / q)| < delta for
    every value of the file and every class: knowing the class multiplies or divides the odds of a
    guess by less than e^delta. A class that lacks a value of the file breaks the promise, whatever
    delta is: its logarithm is infinite, and whoever is in the class is known not to have the value.

    The paper says neither which logarithm is meant nor what becomes of absent values, and systems
    differ. `logarithm="binary"` bounds the ratio by 2^delta; `absent="ignored"` looks only at the
    values that a class has, which promises nothing of the others. ARX takes both, pycanon the
    natural logarithm and ignores absent values. What ignores absent values may break when classes
    are merged, so that all nodes of a lattice must be looked at.

    When not to use it: for attributes with rare values, which would have to be in every class.

    >>> import tacita as ta
    >>> ta.DeltaDisclosure(1.5).check(ta.example("conditions_4_anonymous")).holds
    False
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    reference: ClassVar = "Brickell & Shmatikov, Proc. KDD 2008"
    missing: ClassVar = (
        "The blanks of a confidential attribute are together one value; blank keys agree with one "
        "another and with nothing else."
    )
    example: ClassVar = {"delta": 1.5}
    public: ClassVar = frozenset({"delta", "attribute", "keys", "logarithm", "absent"})

    delta: Annotated[
        float,
        Field(description="Above every logarithm of a ratio of shares (above 0).", gt=0),
    ]
    attribute: Confidential = None
    _: KW_ONLY
    distribution: Distribution = None
    keys: Keys = None
    logarithm: Annotated[
        Literal["natural", "binary"],
        Field(description="Whether delta is a natural logarithm or one to the base 2."),
    ] = "natural"
    absent: Annotated[
        Literal["refused", "ignored"],
        Field(description="Whether a class that lacks a value of the file breaks the promise."),
    ] = "refused"

    @property
    def merging_keeps(self) -> bool:
        """Whether a class made of classes that keep the promise keeps it, too.

        A share that is low in one class and absent from the other is lower in both together.
        """
        return self.absent == "refused"

    def check(self, data: Dataset) -> Verdict:
        """Tell whether shares change little, and in which class the most."""
        other = "whole file's" if self.distribution is None else "given"
        base = "e" if self.logarithm == "natural" else "2"
        ending = f"a factor {base}^{self.delta:g} of the {other} shares"
        return check_values(self, data, f"is within {ending}", f"are not within {ending}")

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell for every class whether it breaks the promise."""
        return breaks_values(self, classes)

    def judged(self, sizes: Ints, values: Histogram) -> Judged:
        """Judge classes by how far the shares of one attribute's values are from the whole's."""
        beside = beside_whole(values, self.distribution).without_absent()
        entries, delta = beside.values, exactly(self.delta)
        tops = entries.counts * beside.total
        bottoms = sizes[entries.classes] * beside.whole[entries.codes]
        levels = np.abs(log(tops / bottoms)) / self._unit

        def is_above(places: Ints) -> Mask:
            ratios = [Fraction(int(tops[at]), int(bottoms[at])) for at in places]
            return np.array([self._reaches(max(ratio, 1 / ratio)) for ratio in ratios], np.bool_)

        broken = in_any(entries, above(levels, delta, is_above))
        furthest = levels[highest(entries, levels)]
        if self.absent == "refused":
            lacking = distinct_values(entries) < len(entries.domain)
            broken, furthest = broken | lacking, np.where(lacking, np.inf, furthest)
        return judgement(values, broken, furthest)

    @property
    def _unit(self) -> float:
        return 1.0 if self.logarithm == "natural" else math.log(2)

    def _reaches(self, ratio: Fraction) -> bool:
        """Tell whether the logarithm of a ratio is delta or more, exactly.

        e^delta is no fraction, and neither is 2^delta but for whole numbers.
        """
        delta = exactly(self.delta)
        if self.logarithm == "natural":
            return exceeds(ratio, lambda: decimal(delta).exp())
        if delta.denominator == 1:
            return ratio >= Fraction(2) ** delta.numerator
        return exceeds(ratio, lambda: Decimal(2) ** decimal(delta))
