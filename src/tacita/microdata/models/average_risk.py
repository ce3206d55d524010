"""Average risk: the share of records that an intruder matches rightly stays below a bound."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.models.class_table import ClassTable
from tacita.microdata.models.verdicts import Keys, class_told
from tacita.results import Verdict, exactly, listed, show
from tacita.validity import NON_PERTURBATIVE


class AverageRisk(Method):
    """A record is matched to its respondent with probability `maximum` or less, on average.

    Whoever knows the key values of all respondents and links each of them to a record of its class
    at random gets one record of every class right: the average risk is the number of classes over
    the number of records, J / n (the prosecutor's average, El Emam 2013). Some classes may be
    small if others are large.

    When not to use it: where each single respondent must be safe; take k-anonymity, which bounds
    the highest risk by 1/k and with it the average.

    >>> import tacita as ta
    >>> print(ta.AverageRisk(0.25).check(ta.example("conditions_4_anonymous")))
    holds: the average risk on Age, Zip code, Nationality is 0.25, at most 0.25
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    reference: ClassVar = (
        "El Emam, Guide to the De-Identification of Health Data, CRC, 2013, ch. 16"
    )
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    example: ClassVar = {"maximum": 0.2}
    public: ClassVar = frozenset({"maximum", "keys"})
    merging_keeps: ClassVar = True

    maximum: Annotated[
        float, Field(description="The highest average risk allowed (above 0 to 1).", gt=0, le=1)
    ]
    keys: Keys = None

    def check(self, data: Dataset) -> Verdict:
        """Tell whether the average risk is low enough, and which class is the smallest."""
        classes = data.classes(self.keys)
        if not len(classes):
            return Verdict(self.to_plan(), True, None, "there are no records")
        risk = Fraction(len(classes), len(data))
        holds = risk <= exactly(self.maximum)
        sentence = (
            f"the average risk on {listed(classes.keys)} is {show(risk)}, "
            f"{'at most' if holds else 'more than'} {show(exactly(self.maximum))}"
        )
        worst = class_told(classes, int(classes.counts.argmin()))
        return Verdict(self.to_plan(), holds, risk, sentence, worst)

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell the smallest classes that must go, as few as can be, so that the rest keeps it."""
        held = np.flatnonzero(classes.sizes)
        order = held[np.argsort(classes.sizes[held], kind="stable")]
        broken = np.zeros(len(classes), np.bool_)
        broken[order[: self._too_many(classes.sizes[order])]] = True
        return broken

    def _too_many(self, ascending: Ints) -> int:
        """Return how many of the smallest classes must go.

        Without a class smaller than 1 / maximum the average falls, without all of them it is low
        enough: in between a bisection finds the place.
        """
        left = np.append(ascending.sum(), ascending.sum() - np.cumsum(ascending)).tolist()
        most = exactly(self.maximum)
        helping = int(np.searchsorted(ascending, float(1 / most) + 1))
        return bisect_left(
            range(helping),
            True,
            key=lambda gone: len(ascending) - gone <= most * left[gone],
        )
