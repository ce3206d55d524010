"""Average class size: how many records share a combination of key values."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.utility.generalized import Keys, Sizes, class_sizes, exact_loss
from tacita.results import Measurement, listed


class AverageClassSize(Method):
    """How many records share a combination of key values, on average.

    AECS = N / (classes + 1 if any record is suppressed), of N original records; suppressed are
    those left out or with every key blank or `*`. The value is (AECS - AECS0) / (N - AECS0), AECS0
    being that of the original data: 0 for them, 1 when one class is left. The figure `aecs` is the
    AECS itself; over k it is the C_AVG of LeFevre et al. The figure `aecs_kept` leaves suppressed
    records out, as ARX does where it tells quality; suppressing more can then seem to cost less.

    When not to use it: on uneven classes; `discernibility` weighs the large ones.

    >>> import tacita as ta
    >>> data = ta.example("conditions")
    >>> ta.AverageClassSize(["Nationality"]).measure(data, data).figures["aecs"]
    Fraction(4, 3)
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "LeFevre, DeWitt & Ramakrishnan, Proc. ICDE 2006"
    missing: ClassVar = "Missing and suppressed values agree with one another."
    public: ClassVar = frozenset({"keys"})

    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Find the average size of the classes."""
        keys = original.classes(self.keys).keys
        records = len(original)
        sizes = [class_sizes(original, data, keys) for data in (original, protected)]
        before, after = (_average(one, records) for one in sizes)
        return Measurement(
            self.name,
            self.family,
            exact_loss(after, before, Fraction(records)) if records else None,
            f"average number of records that share {listed(keys)}, from that of the original data "
            "to that of all records",
            parameters=self.parameters(),
            figures={"aecs": after, "aecs_original": before, "aecs_kept": _kept(sizes[1])},
        )


def _average(sizes: Sizes, records: int) -> Fraction:
    classes = sum(sizes.kept.values()) + (sizes.suppressed > 0)
    return Fraction(records, classes) if classes else Fraction(0)


def _kept(sizes: Sizes) -> Fraction:
    classes = sum(sizes.kept.values())
    records = sum(size * count for size, count in sizes.kept.items())
    return Fraction(records, classes) if classes else Fraction(0)
