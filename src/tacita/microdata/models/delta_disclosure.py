"""delta-disclosure privacy: no class changes the odds of any confidential value by much."""

from __future__ import annotations

from dataclasses import KW_ONLY
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.arithmetic import log
from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.models.class_table import ClassTable, Histogram
from tacita.microdata.models.confidential_values import (
    breaks_values,
    check_values,
    distinct_values,
    highest,
    in_any,
    judgement,
)
from tacita.microdata.models.near_ties import above, decimal, exceeds
from tacita.microdata.models.references import Distribution, beside_whole
from tacita.microdata.models.verdicts import Confidential, Judged, Keys
from tacita.results import Verdict, exactly


class DeltaDisclosure(Method):
    """In every class the share of every confidential value is nearly that in the whole file.

    With p the share of a value in a class and q that in the whole file, |ln(p / q)| < delta for
    every value of the file and every class: knowing the class multiplies or divides the odds of a
    guess by less than e^delta. A class that lacks a value breaks the promise, whatever delta is.

    When not to use it: for attributes with rare values, which would have to be in every class.

    >>> import tacita as ta
    >>> ta.DeltaDisclosure(1.5).check(ta.example("conditions_4_anonymous")).holds
    False
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "Brickell & Shmatikov, Proc. KDD 2008"
    missing: ClassVar = (
        "The blanks of a confidential attribute are together one value; blank keys agree with one "
        "another and with nothing else."
    )
    example: ClassVar = {"delta": 1.5}
    public: ClassVar = frozenset({"delta", "attribute", "keys"})
    merging_keeps: ClassVar = True

    delta: Annotated[
        float,
        Field(description="Above every logarithm of a ratio of shares (above 0).", gt=0),
    ]
    attribute: Confidential = None
    _: KW_ONLY
    distribution: Distribution = None
    keys: Keys = None

    def check(self, data: Dataset) -> Verdict:
        """Tell whether shares change little, and in which class the most."""
        other = "whole file's" if self.distribution is None else "given"
        ending = f"a factor e^{self.delta:g} of the {other} shares"
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
        levels = np.abs(log(tops / bottoms))

        def is_above(places: Ints) -> Mask:
            ratios = [Fraction(int(tops[at]), int(bottoms[at])) for at in places]
            found = [
                exceeds(max(ratio, 1 / ratio), lambda: decimal(delta).exp()) for ratio in ratios
            ]
            return np.array(found, np.bool_)

        lacking = distinct_values(entries) < len(entries.domain)
        broken = in_any(entries, above(levels, delta, is_above)) | lacking
        furthest = np.where(lacking, np.inf, levels[highest(entries, levels)])
        return judgement(values, broken, furthest)
