"""Limited sample uniques: few records stand alone in the release."""

from __future__ import annotations

from dataclasses import KW_ONLY
from fractions import Fraction
from math import ceil
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.models.class_table import ClassTable
from tacita.microdata.models.fitting import Semantics, fitting_of
from tacita.microdata.models.verdicts import Keys, class_told
from tacita.results import Verdict, exactly, listed, show
from tacita.validity import NON_PERTURBATIVE


class LimitedSampleUniques(Method):
    """At most a share `maximum` of the records is unique on the keys.

    A record is unique if no other has its combination of key values: |{r : f(r) = 1}| / n <=
    maximum. By `fitting` semantics, for files whose values were generalized record by record, it is
    unique if among the combinations of values behind its ranges there is one that no other record
    fits. A bound of 0 is 2-anonymity.

    When not to use it: where each single respondent must be safe; take k-anonymity.

    >>> import tacita as ta
    >>> print(ta.LimitedSampleUniques(0.1).check(ta.example("conditions")))
    FAILS: 12 of 12 records are unique on Age, Zip code, Nationality, more than a share of 0.1
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    reference: ClassVar = "Skinner & Elliot, J Royal Statistical Society B 64(4):855-867, 2002"
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else; by fitting "
        "semantics they stand for every value."
    )
    example: ClassVar = {"maximum": 0.1}
    public: ClassVar = frozenset({"maximum", "keys", "semantics"})
    merging_keeps: ClassVar = True

    maximum: Annotated[
        float, Field(description="The largest share of unique records (0 to 1).", ge=0, le=1)
    ]
    keys: Keys = None
    _: KW_ONLY
    semantics: Semantics = "equality"

    def check(self, data: Dataset) -> Verdict:
        """Tell whether few enough records are unique, and name one of them."""
        classes = data.classes(self.keys)
        if not len(classes):
            return Verdict(self.to_plan(), True, None, "there are no records")
        alone, undecided = classes.counts == 1, 0
        if self.semantics == "fitting":
            found = fitting_of(classes, 2)
            alone, undecided = found.broken, found.undecided
        uniques = int(np.count_nonzero(alone))
        share = Fraction(uniques, len(data))
        holds = share <= exactly(self.maximum)
        sentence = (
            f"{uniques:,} of {len(data):,} records are unique on {listed(classes.keys)}, "
            f"{'at most' if holds else 'more than'} a share of {show(exactly(self.maximum))}"
            f"{f'; {undecided:,} of them undecided' if undecided else ''}"
        )
        worst = class_told(classes, int(alone.argmax())) if uniques else {}
        return Verdict(self.to_plan(), holds, share, sentence, worst)

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell the unique records that must go, as few as can be, so that the rest keeps it."""
        unique = np.flatnonzero(classes.sizes == 1)
        most = exactly(self.maximum)
        gone = 0 if most == 1 else ceil((len(unique) - most * classes.records) / (1 - most))
        broken = np.zeros(len(classes), np.bool_)
        broken[unique[: max(gone, 0)]] = True
        return broken
