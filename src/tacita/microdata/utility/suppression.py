"""Suppression: how many values are gone."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.utility.generalized import is_suppressed, left_out
from tacita.results import Measurement, counted

Attributes = Annotated[
    AttributeNames | None,
    Field(
        description="The attributes to compare; by default all but identifiers, weights and "
        "households."
    ),
]


class Suppression(Method):
    """The share of the original values that the released data no longer hold.

    (blanked values + values of records and attributes left out) / values that were not blank. A
    value released as `*` (or more stars) counts as blanked. Exact. Figures: the records that were
    left out, the values blanked in records that stayed, and the records that stayed but lost a
    value.

    When not to use it: alone, on recoded or perturbed data, which keep every value in some form.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> ta.Suppression().measure(data, data.take(np.arange(75))).figures["suppressed_records"]
    Fraction(25, 1)
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "Hundepool et al., Statistical Disclosure Control, Wiley 2012"
    missing: ClassVar = "Values that were blank in the original data do not count."
    public: ClassVar = frozenset({"attributes"})

    attributes: Attributes = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Count the values that are gone."""
        names = list(self.attributes or shared([original]))
        before, gone_records = paired(original, protected), left_out(original, protected)
        away = {name: _held(original, name, gone_records) for name in names}
        known = {name: away[name] + _held(before, name) for name in names}
        blanked = {name: _blanked(before, protected, name) for name in names}
        gone = {name: away[name] + int(blanked[name].sum()) for name in names}
        cells, lost = sum(known.values()), sum(gone.values())
        touched = np.logical_or.reduce([np.zeros(len(protected), np.bool_), *blanked.values()])
        return Measurement(
            self.name,
            self.family,
            Fraction(lost, cells) if cells else Fraction(0),
            f"{counted(lost, 'value')} of {cells:,} are gone",
            {name: gone[name] / known[name] if known[name] else 0.0 for name in names},
            per_record=np.sum([np.zeros(len(protected)), *blanked.values()], axis=0),
            parameters=self.parameters(),
            figures={
                "suppressed_records": Fraction(int(gone_records.sum())),
                "suppressed_cells": Fraction(sum(int(mask.sum()) for mask in blanked.values())),
                "modified_records": Fraction(int(touched.sum())),
            },
        )


def _blanked(before: Dataset, protected: Dataset, name: str) -> Mask:
    """Tell the records that had a value and have none any more."""
    had = np.asarray(before.column(name).is_valid())
    if name not in protected.attributes:
        return had
    new = is_suppressed(protected.column(name)) & ~is_suppressed(before.column(name))
    return np.asarray(had & new)


def _held(data: Dataset, name: str, records: Mask | slice = slice(None)) -> int:
    """Count the values of some records that are not blank."""
    return int(np.count_nonzero(np.asarray(data.column(name).is_valid())[records]))
