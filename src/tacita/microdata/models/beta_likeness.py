"""beta-likeness: no class raises the share of any confidential value by much."""

from __future__ import annotations

from collections.abc import Callable
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
from tacita.microdata.comparing.near_ties import above, decimal, exceeds, quotients_above
from tacita.microdata.models.class_table import ClassTable, Histogram
from tacita.microdata.models.confidential_values import (
    breaks_values,
    check_values,
    highest,
    in_any,
    judgement,
)
from tacita.microdata.models.references import Beside, Distribution, beside_whole
from tacita.microdata.models.verdicts import Confidential, Judged, Keys
from tacita.results import Verdict, exactly
from tacita.validity import ANY_CHANGE


class BetaLikeness(Method):
    """In no class a confidential value is much more frequent than in the whole file.

    With p the share of a value in a class and q that in the whole file, (p - q) / q <= beta for
    every value and every class. The enhanced kind asks for (p - q) / q <= min(beta, -ln q), which
    binds frequent values too, that could otherwise become certain. What becomes less frequent is
    no disclosure here.

    When not to use it: where the absence of a value tells as much as its presence; delta-disclosure
    bounds both.

    >>> import tacita as ta
    >>> ta.BetaLikeness(2).check(ta.example("conditions_4_anonymous")).value
    Fraction(7, 5)
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    reference: ClassVar = "Cao & Karras, Proc. VLDB Endowment 5(11), 2012"
    missing: ClassVar = (
        "The blanks of a confidential attribute are together one value; blank keys agree with one "
        "another and with nothing else."
    )
    example: ClassVar = {"beta": 2}
    public: ClassVar = frozenset({"beta", "attribute", "kind", "keys"})
    merging_keeps: ClassVar = True

    beta: Annotated[
        float,
        Field(description="How many times its own share a share may grow by (above 0).", gt=0),
    ]
    attribute: Confidential = None
    _: KW_ONLY
    kind: Annotated[
        Literal["basic", "enhanced"],
        Field(description="The bound: beta (basic), or also -ln of the share (enhanced)."),
    ] = "basic"
    distribution: Distribution = None
    keys: Keys = None

    def check(self, data: Dataset) -> Verdict:
        """Tell whether shares grow little, and in which class the most."""
        other = "whole file's" if self.distribution is None else "given"
        most = f"{self.beta:g}" if self.kind == "basic" else f"min({self.beta:g}, -ln share)"
        ending = f"{most} times the {other} shares"
        return check_values(self, data, f"adds at most {ending}", f"add more than {ending}")

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell for every class whether it breaks the promise."""
        return breaks_values(self, classes)

    def judged(self, sizes: Ints, values: Histogram) -> Judged:
        """Judge classes by how much the shares of one attribute's values exceed the whole's."""
        beside = beside_whole(values, self.distribution)
        entries = beside.values
        tops = entries.counts * beside.total
        bottoms = sizes[entries.classes] * beside.whole[entries.codes]
        most = highest(entries, tops / bottoms)
        broken = quotients_above(tops[most], bottoms[most], 1 + exactly(self.beta))
        if self.kind == "enhanced":
            broken |= in_any(entries, _above_logarithm(tops, bottoms, beside))
        return judgement(
            values,
            broken,
            (tops / bottoms)[most],
            exact=lambda c: Fraction(int(tops[most[c]]), int(bottoms[most[c]])) - 1,
        )


def _above_logarithm(tops: Ints, bottoms: Ints, beside: Beside) -> Mask:
    """Tell for which entries (p - q) / q is above -ln q; never where q is 1."""
    shares = beside.whole / beside.total
    codes = beside.values.codes

    def is_above(places: Ints) -> Mask:
        found = [
            exceeds(Fraction(int(tops[at]), int(bottoms[at])), _bound(beside, int(codes[at])))
            for at in places
        ]
        return np.array(found, np.bool_)

    able = np.flatnonzero(shares[codes] < 1)
    gaps = (tops / bottoms)[able] - 1 + log(shares[codes[able]])
    found = np.zeros(len(codes), np.bool_)
    found[able] = above(gaps, Fraction(0), lambda near: is_above(able[near]))
    return found


def _bound(beside: Beside, code: int) -> Callable[[], Decimal]:
    share = Fraction(int(beside.whole[code]), beside.total)
    return lambda: 1 - decimal(share).ln()
