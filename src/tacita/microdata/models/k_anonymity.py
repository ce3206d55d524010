"""k-anonymity: nobody stands alone."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import EquivalenceClasses, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.results import Verdict, listed


class KAnonymity(Method):
    """Every combination of key values is shared by at least k records.

    For each equivalence class C over the key attributes, |C| >= k. Whoever knows a respondent's
    key values cannot tell the respondent's record from k - 1 others: re-identification by keys
    succeeds with probability 1/k at most. A blank value agrees only with a blank, as a reader of
    the released file sees it. The model says nothing of confidential values, which may all agree
    within a class.

    >>> import tacita as ta
    >>> print(ta.KAnonymity(4).check(ta.example("conditions_4_anonymous")))
    holds: every combination of Age, Zip code, Nationality is shared by at least 4 records
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "Samarati & Sweeney, SRI International, tech. report SRI-CSL-98-04, 1998"
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    example: ClassVar = {"k": 2}
    public: ClassVar = frozenset({"k", "keys"})

    k: Annotated[
        int, Field(description="The least number of records in a class (2 or more).", ge=2)
    ]
    keys: Annotated[
        AttributeNames | None,
        Field(description="The attributes an intruder knows; by default those with the role key."),
    ] = None

    def check(self, data: Dataset) -> Verdict:
        """Tell whether the data are k-anonymous, and which class is the smallest."""
        classes = data.classes(self.keys)
        if classes.smallest >= self.k or not len(classes):
            return Verdict(self.to_plan(), True, classes.smallest or None, self._kept(classes))
        return self._broken(classes)

    def breaks(self, classes: EquivalenceClasses) -> Mask:
        """Tell for every class whether it breaks the promise."""
        return classes.counts < self.k

    def _kept(self, classes: EquivalenceClasses) -> str:
        if not len(classes):
            return "there are no records"
        least = f"at least {classes.smallest} records"
        return f"every combination of {listed(classes.keys)} is shared by {least}"

    def _broken(self, classes: EquivalenceClasses) -> Verdict:
        broken = self.breaks(classes)
        records = int(classes.counts[broken].sum())
        smallest = classes.combinations(np.array([classes.counts.argmin()])).to_pylist()[0]
        smallest.pop("weight")
        sentence = (
            f"{records:,} of {int(classes.counts.sum()):,} records share their combination of "
            f"{listed(classes.keys)} with fewer than {self.k} records"
        )
        return Verdict(self.to_plan(), False, classes.smallest, sentence, smallest)
