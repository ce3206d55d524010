"""l-diversity: every class leaves several confidential values possible."""

from __future__ import annotations

from dataclasses import KW_ONLY
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd, prod
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.near_ties import DIGITS, MARGIN, decimal
from tacita.microdata.models.class_table import ClassTable, Histogram
from tacita.microdata.models.confidential_values import (
    breaks_values,
    check_values,
    distinct_values,
    in_any,
    judgement,
)
from tacita.microdata.models.verdicts import Confidential, Judged, Keys
from tacita.microdata.risk.diversity import entropy_diversity, recursive_diversity
from tacita.results import Verdict, exactly
from tacita.validity import ANY_CHANGE


def _as_written(l: float) -> float:  # noqa: E741
    """Return a whole number as one: plans and sentences say 2, not 2.0."""
    return int(l) if l == int(l) else l


class LDiversity(Method):
    """Every class has at least l well represented values of the confidential attribute.

    Let r_1 >= ... >= r_m be how often the m values of a class of n records occur. The class is

    - distinct l-diverse if m >= l;
    - entropy l-diverse if -sum (r_i / n) ln(r_i / n) >= ln l, for any number l above 1: two values
      with shares of 3/4 and 1/4 count as 1.75, since only equal shares of m values count as m;
    - recursively (c, l)-diverse if r_1 < c (r_l + ... + r_m): the most frequent value does not
      stand out even after l - 2 others were ruled out.

    All three are decided exactly, l being the decimal number that was written.

    When not to use it: where values are alike (three kinds of cancer), or one value is rare in the
    whole file and not in some class; t-closeness sees both.

    >>> import tacita as ta
    >>> print(ta.LDiversity(2).check(ta.example("conditions_4_anonymous")))  # doctest: +ELLIPSIS
    FAILS: 4 of 12 records are in classes of Age, Zip code, Nationality that have fewer than 2 ...
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    reference: ClassVar = (
        "Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam, ACM TKDD 1(1):3, 2007"
    )
    missing: ClassVar = (
        "The blanks of a confidential attribute are together one value; blank keys agree with one "
        "another and with nothing else."
    )
    example: ClassVar = {"l": 2}
    public: ClassVar = frozenset({"l", "attribute", "kind", "c", "keys"})
    merging_keeps: ClassVar = True  # entropy is concave; frequencies of a merger add up at most

    l: Annotated[  # noqa: E741 - the field's name for it
        float,
        AfterValidator(_as_written),
        Field(
            description="How many values must be well represented (2 or more; of entropy diversity "
            "any number above 1, such as 1.8).",
            gt=1,
        ),
    ]
    attribute: Confidential = None
    _: KW_ONLY
    kind: Annotated[
        Literal["distinct", "entropy", "recursive"],
        Field(description="What counts as well represented: distinct, entropy or recursive."),
    ] = "distinct"
    c: Annotated[
        float | None,
        Field(
            description="How often the rarer values count (above 0) against the most frequent one; "
            "of recursive diversity only.",
            gt=0,
        ),
    ] = None
    keys: Keys = None

    @model_validator(mode="after")
    def _counts_values(self) -> Self:
        if self.kind != "entropy" and not isinstance(self.l, int):
            raise ValueError(
                f"`l` of `l_diversity` counts values and must be a whole number, 2 or more; found "
                f"{self.l} with {self.kind}. A fraction goes with `kind` entropy."
            )
        return self

    @model_validator(mode="after")
    def _one_c(self) -> Self:
        if (self.kind == "recursive") != (self.c is not None):
            found = "none" if self.c is None else f"{self.c:g}"
            raise ValueError(
                "`c` of `l_diversity` goes with `kind` recursive, which needs it; found "
                f"{found} with {self.kind}."
            )
        return self

    @property
    def joining_keeps(self) -> bool:
        """Whether a class that keeps the promise does so whatever records join it."""
        return self.kind == "distinct"

    def check(self, data: Dataset) -> Verdict:
        """Tell whether every class is diverse, and which is the least."""
        return check_values(self, data, *self._sentences(), lowest=True)

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell for every class whether it breaks the promise."""
        return breaks_values(self, classes)

    def judged(self, sizes: Ints, values: Histogram) -> Judged:
        """Judge classes by how diverse the values of one attribute are."""
        if self.kind == "entropy":
            return _judged_by_entropy(sizes, values, self.l)
        levels = distinct_values(values)
        if self.c is not None:
            levels = recursive_diversity(values.classes, values.counts, levels, exactly(self.c))
        return judgement(values, levels < self.l, levels, lowest=True)

    def _sentences(self) -> tuple[str, str]:
        if self.kind == "distinct":
            return f"has at least {self.l} values", f"have fewer than {self.l} values"
        if self.kind == "entropy":
            return f"has an entropy of ln {self.l} or more", f"have an entropy below ln {self.l}"
        well = f"recursively ({self.c:g}, {self.l})-diverse values"
        return f"has {well}", f"lack {well}"


def _judged_by_entropy(sizes: Ints, values: Histogram, l: float) -> Judged:  # noqa: E741
    distinct = distinct_values(values)
    even = values.counts * distinct[values.classes] == sizes[values.classes]
    uneven = in_any(values, ~even)
    # Of equally frequent values there are exactly as many as there are.
    levels = entropy_diversity(values.classes, values.counts, sizes)
    levels = np.where(uneven, levels, distinct)
    broken, ends, bound = levels < l, values.ends, exactly(l)
    for place in np.flatnonzero(uneven & (np.abs(levels - l) <= MARGIN * l)):
        counts = values.counts[ends[place] - distinct[place] : ends[place]]
        broken[place] = not _is_diverse(counts.tolist(), bound)
    return judgement(values, broken, levels, lowest=True)


def _is_diverse(counts: list[int], l: Fraction) -> bool:  # noqa: E741
    """Tell whether the entropy is at least ln l, that is prod c^c l^n <= n^n.

    Logarithms of many digits tell all but ties. There the whole numbers are compared, less the
    powers that the common divisor of the counts takes out, which leaves little of a tie.

    >>> _is_diverse([4, 1, 1, 1, 1], Fraction(4)), _is_diverse([5, 1, 1, 1, 1], Fraction(4))
    (True, False)
    """
    n, common = sum(counts), gcd(*counts)
    with localcontext(prec=DIGITS):
        gap = n * (Decimal(n).ln() - decimal(l).ln()) - sum(c * Decimal(c).ln() for c in counts)
        if abs(gap) > Decimal(n).scaleb(12 - DIGITS):  # far above what rounding adds
            return bool(gap > 0)
    left = prod(count ** (count // common) for count in counts) * l.numerator ** (n // common)
    return bool(left <= (n * l.denominator) ** (n // common))
