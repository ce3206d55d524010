"""Discernibility: how many records every record looks like."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.utility.generalized import Keys, Sizes, class_sizes, exact_loss
from tacita.results import Measurement, listed


class Discernibility(Method):
    """How many records every record cannot be told from: the discernibility metric.

    DM = sum over the classes of size^2 + N x suppressed records, of N original records; suppressed
    are those left out or with every key blank or `*`. The value is (DM - DM0) / (N^2 - DM0), DM0
    being the DM of the original data: 0 for them, 1 when all records look alike. The figure `dm`
    is the DM itself.

    When not to use it: to choose between recodings of equal classes, which it cannot tell apart.

    >>> import tacita as ta
    >>> data = ta.example("conditions")
    >>> ta.Discernibility(["Nationality"]).measure(data, data).value
    Fraction(0, 1)
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "Bayardo & Agrawal, Proc. ICDE 2005, pp. 217-228"
    missing: ClassVar = "Missing and suppressed values agree with one another."
    public: ClassVar = frozenset({"keys"})

    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Count the pairs of records that look alike."""
        keys = original.classes(self.keys).keys
        records = len(original)
        before, after = (
            _cost(class_sizes(original, data, keys), records) for data in (original, protected)
        )
        return Measurement(
            self.name,
            self.family,
            exact_loss(after, before, Fraction(records**2)) if records else None,
            f"share of the pairs of records that {listed(keys)} told apart before and no more",
            parameters=self.parameters(),
            figures={"dm": after, "dm_original": before},
        )


def _cost(sizes: Sizes, records: int) -> Fraction:
    kept = sum(count * size**2 for size, count in sizes.kept.items())
    return Fraction(kept + records * sizes.suppressed)
