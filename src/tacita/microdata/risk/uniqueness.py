"""Uniqueness: the records that stand alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.results import Measurement, listed


class Uniqueness(Method):
    """The share of released records whose combination of key values nobody else has.

    risk(D, Q) = unique records(D, Q) / records(D). In a file that holds a whole population a unique
    record can be re-identified with certainty by whoever knows its key values; in a sample, unique
    records are those at risk of being unique in the population.

    When not to use it: on perturbed keys, whose combinations say nothing of the population.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.disclosure_risk(data, data)["uniqueness"].value
    Fraction(1, 1)
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "Sanchez, Martinez & Domingo-Ferrer, Science 351(6279):1274, 2016, eq. 1"
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    public: ClassVar = frozenset({"keys"})
    shown_by_release: ClassVar = True

    keys: Annotated[
        AttributeNames | None,
        Field(description="The attributes an intruder knows; by default those with the role key."),
    ] = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:  # noqa: ARG002
        """Count the unique records of the protected data."""
        classes = protected.classes(self.keys)
        alone = classes.size_of_record == 1
        count, records = int(np.count_nonzero(alone)), len(protected)
        return Measurement(
            self.name,
            self.family,
            Fraction(count, records) if records else None,
            f"{count:,} of {records:,} records are unique on {listed(classes.keys)}",
            per_record=alone,
            parameters=self.parameters(),
        )
