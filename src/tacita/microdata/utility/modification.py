"""Modification: how many values are not what they were."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa

from tacita.data.classes import Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.comparing.representation import as_text
from tacita.microdata.utility.distributions import same_codes
from tacita.microdata.utility.suppression import Attributes
from tacita.results import Measurement, counted


class Modification(Method):
    """The share of released records in which at least one value is not what it was.

    Recoded and blanked values count as changed; a number written as text, or text in other
    capitals, does not. An attribute that was left out is changed in every record. Exact.

    When not to use it: to tell how much a change matters; every change counts the same.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.Modification().measure(data, data.apply(ta.TopCode("DH", 30), seed=0)).value
    Fraction(2, 11)
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "Hundepool et al., Statistical Disclosure Control, Wiley 2012"
    missing: ClassVar = "A blank that stays blank is unchanged; one that was filled is changed."
    public: ClassVar = frozenset({"attributes"})

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Count the changed values."""
        names = list(self.attributes or shared([original]))
        before, records = paired(original, protected), len(protected)
        changed = {name: _changed(before, protected, name) for name in names}
        counts = np.sum([np.zeros(records, np.int64), *changed.values()], axis=0)
        modified, cells = int(np.count_nonzero(counts)), int(counts.sum())
        return Measurement(
            self.name,
            self.family,
            Fraction(modified, records) if records else None,
            f"{counted(modified, 'record')} of {records:,} have a changed value, "
            f"{counted(cells, 'value')} in all",
            {name: float(mask.mean()) if records else None for name, mask in changed.items()},
            per_record=counts,
            parameters=self.parameters(),
            figures={"modified_records": Fraction(modified), "modified_cells": Fraction(cells)},
        )


def _changed(before: Dataset, protected: Dataset, name: str) -> Mask:
    if name not in protected.attributes:
        return np.ones(len(protected), np.bool_)
    known, released = before.column(name), protected.column(name)
    if pa.types.is_list(known.type) or pa.types.is_list(released.type):
        known, released = as_text(known), as_text(released)
    if pa.types.is_timestamp(known.type) and pa.types.is_date(released.type):
        released = released.cast(known.type)  # a day is another value than a time of it
    ours, theirs = same_codes(known, released)
    return np.asarray(ours != theirs)
