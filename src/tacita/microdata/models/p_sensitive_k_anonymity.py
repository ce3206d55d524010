"""p-sensitive k-anonymity: classes large enough, each with several confidential values."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.models.class_table import ClassTable, Histogram
from tacita.microdata.models.confidential_values import (
    breaks_values,
    check_values,
    distinct_values,
    judgement,
)
from tacita.microdata.models.verdicts import Confidential, Judged, K, Keys
from tacita.results import Verdict
from tacita.validity import ANY_CHANGE


class PSensitiveKAnonymity(Method):
    """Every class has at least k records and at least p values of the confidential attribute.

    For each equivalence class C over the keys, |C| >= k, and the records of C have at least p
    different values of every confidential attribute. With p above k, the p counts.

    When not to use it: where a few of the p values hold nearly all records of a class; entropy or
    recursive l-diversity sees that.

    >>> import tacita as ta
    >>> ta.PSensitiveKAnonymity(1, 4).check(ta.example("conditions_4_anonymous")).holds
    True
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    reference: ClassVar = "Truta & Vinay, Proc. ICDE Workshops 2006"
    missing: ClassVar = (
        "The blanks of a confidential attribute are together one value; blank keys agree with one "
        "another and with nothing else."
    )
    example: ClassVar = {"p": 2, "k": 3}
    public: ClassVar = frozenset({"p", "k", "attribute", "keys"})
    merging_keeps: ClassVar = True
    joining_keeps: ClassVar = True

    p: Annotated[int, Field(description="The least number of values in a class (1 or more).", ge=1)]
    k: K
    attribute: Confidential = None
    _: KW_ONLY
    keys: Keys = None

    def check(self, data: Dataset) -> Verdict:
        """Tell whether every class is large and sensitive enough, and which is the least so."""
        kept = f"has at least {self.k} records and at least {self.p} values"
        missed = f"have fewer than {self.k} records or fewer than {self.p} values"
        return check_values(self, data, kept, missed, lowest=True)

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell for every class whether it breaks the promise."""
        return breaks_values(self, classes)

    def judged(self, sizes: Ints, values: Histogram) -> Judged:
        """Judge classes by their sizes and how many values of one attribute they have."""
        distinct = distinct_values(values)
        broken = (sizes < self.k) | (distinct < self.p)
        return judgement(values, broken, distinct, lowest=True)
