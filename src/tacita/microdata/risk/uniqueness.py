"""Uniqueness: the records that stand alone, and how well keys tell records apart."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa

from tacita.data.classes import EquivalenceClasses
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.results import Measurement, Number, listed
from tacita.validity import NON_PERTURBATIVE, Use


class Uniqueness(Method):
    """The share of released records whose combination of key values nobody else has.

    risk(D, Q) = unique records(D, Q) / records(D). In a file that holds a whole population a unique
    record can be re-identified with certainty by whoever knows its key values; in a sample, unique
    records are those at risk of being unique in the population.

    `distinction` is the number of different combinations over the number of records, `separation`
    the share of pairs of records that differ in some key: how far the keys go towards identifying
    everybody. The details give the same for each key alone.

    When not to use it: on perturbed keys, whose combinations say nothing of the population.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.disclosure_risk(data, data)["uniqueness"].value
    Fraction(1, 1)
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = "Sanchez, Martinez & Domingo-Ferrer, Science 351(6279):1274, 2016, eq. 1"
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    public: ClassVar = frozenset({"keys"})
    shown_by_release: ClassVar = True

    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:  # noqa: ARG002
        """Count the unique records of the protected data."""
        classes = protected.classes(self.keys)
        alone = classes.size_of_record == 1
        told = distinguished(classes)
        count, records = int(np.count_nonzero(alone)), len(protected)
        return Measurement(
            self.name,
            self.family,
            Fraction(count, records) if records else None,
            f"{count:,} of {records:,} records are unique on {listed(classes.keys)}",
            per_record=alone,
            parameters=self.parameters(),
            figures=told,
            details=_each_alone(protected, classes.keys),
        )


def distinguished(classes: EquivalenceClasses) -> dict[str, Number | None]:
    """Return how well some attributes tell records apart, exactly.

    Distinction and separation are those of Motwani & Xu, Proc. VLDB 2007.
    """
    records = len(classes.of_record)
    together = int((classes.counts * (classes.counts - 1)).sum())
    pairs = records * (records - 1)
    return {
        "unique_records": int(np.count_nonzero(classes.counts == 1)),
        "classes": len(classes),
        "distinction": Fraction(len(classes), records) if records else None,
        "separation": 1 - Fraction(together, pairs) if pairs else None,
    }


def _each_alone(data: Dataset, keys: tuple[str, ...]) -> pa.Table:
    rows = [
        {figure: None if value is None else float(value) for figure, value in told.items()}
        for told in (distinguished(data.classes([name])) for name in keys)
    ]
    return pa.table({"attribute": list(keys)} | {f: [row[f] for row in rows] for f in rows[0]})
