"""The minimum unsafe combination: how few key values tell a record from all others."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.microdata.risk.frequencies.key_subsets import MinimalUniques, minimal_uniques
from tacita.results import Measurement, listed
from tacita.validity import NON_PERTURBATIVE, Use


class MinimumUnsafeCombination(Method):
    """The share of records that a combination of few key values tells from all others.

    A record's minimum unsafe combination is the least number of attributes on which it is unique:
    MUC(r) = min {|S| : no other record has r's values of the attributes in S}. The higher it is,
    the more an intruder must know. The value is the share of records with MUC(r) <= `largest`; a
    part is the share of records that a minimal combination with that attribute makes unique.

    `per_record` is MUC(r), and 0 where no combination of at most `largest` attributes is unique.
    `details` lists the sets of attributes with the number of records that each makes unique while
    no part of it does.

    When not to use it: on perturbed keys, where combinations that masking made are no danger.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> measured = ta.MinimumUnsafeCombination(2, keys=["Sex", "MarStat"]).measure(data, data)
    >>> measured.value, measured.details.to_pylist()
    (Fraction(1, 11), [{'attributes': ['MarStat'], 'size': 1, 'records': 1}])
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.PARTS
    reference: ClassVar = (
        "Takemura, IAOS Satellite Meeting on Statistics for the Information Society, Tokyo, 2001"
    )
    missing: ClassVar = "A missing or suppressed value is never part of a combination."
    public: ClassVar = frozenset({"largest", "keys"})
    shown_by_release: ClassVar = True

    largest: Annotated[
        int, Field(description="The most attributes in a combination that is unsafe.", ge=1)
    ] = 3
    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:  # noqa: ARG002
        """Find how many key values tell each record of the protected data from all others."""
        keys = protected.classes(self.keys).keys
        found = minimal_uniques(protected, keys, self.largest)
        records, unsafe = len(protected), int(np.count_nonzero(found.smallest))
        return Measurement(
            self.name,
            self.family,
            Fraction(unsafe, records) if records else None,
            f"{unsafe:,} of {records:,} records are unique on at most {found.largest} of "
            f"{listed(keys)}",
            parts=_parts(found),
            per_record=found.smallest,
            parameters=self.parameters(),
            figures=_figures(found),
            details=_details(found),
        )


def _parts(found: MinimalUniques) -> dict[str, float | None]:
    records = found.records
    return {
        name: found.records_with(place) / records if records else None
        for place, name in enumerate(found.keys)
    }


def _figures(found: MinimalUniques) -> dict[str, Fraction | float | None]:
    """Count the records by the size of their minimum unsafe combination."""
    counts = np.bincount(found.smallest, minlength=found.largest + 1)
    return {f"records_unique_on_{k}": int(counts[k]) for k in range(1, found.largest + 1)}


def _details(found: MinimalUniques) -> pa.Table:
    """List the sets of attributes, the small and then the frequent first."""
    sets, records = found.tally.sets, found.tally.counts
    order = np.lexsort((sets, -records, found.sizes))
    named = [
        [name for place, name in enumerate(found.keys) if int(chosen) >> place & 1]
        for chosen in sets[order]
    ]
    return pa.table(
        {
            "attributes": pa.array(named, pa.list_(pa.string())),
            "size": found.sizes[order],
            "records": records[order],
        }
    )
