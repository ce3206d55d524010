"""Numbers of households and other small groups of records."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Role
from tacita.inspection.detectors.base import Detection, Detector, Values
from tacita.inspection.detectors.record_number import is_explained, serial_numbers
from tacita.inspection.respondents import are_long_codes
from tacita.inspection.vocabulary.words import NUMBERING

FEWEST = 20  # records below which runs say nothing
FEWEST_GROUPS = 8
MEAN_SIZES = (Fraction(5, 4), Fraction(8))  # records of a group on average
LARGEST = 20  # records of a group
REPEATED = Fraction(1, 100)  # share of the runs whose value came before
DENSE = 10  # how much wider than the number of its values the range of the numbers may be


class HouseholdNumber(Detector):
    """Detects numbers that adjacent records of the source share, and no others.

    They are detected when runs of equal values in the order of the source have 1.25 to 8 records on
    average and at most 20, at most one run in a hundred has a value that came before, and the
    numbers rise or leave few out, are long codes, or the column's name says a number or a
    household. What else households share (an income, a weight) leaves wide gaps.

    >>> from tacita.inspection.columns import column_of
    >>> import pyarrow as pa
    >>> numbers = pa.array([70 + n // 3 for n in range(90)])
    >>> HouseholdNumber().detect(Values(column_of("x", numbers))).matches
    30
    """

    name: ClassVar = "household_number"
    what: ClassVar = "numbers of households or other small groups"
    reference: ClassVar = "Hundepool et al., Statistical Disclosure Control, 2012, section 3.2"
    hipaa: ClassVar = "R"

    def detect(self, values: Values) -> Detection | None:
        """Return how many values number a small group, if they do."""
        column = values.column
        if not (column.is_integer or column.is_text) or column.filled < FEWEST:
            return None
        if is_explained(values) or not _are_runs(values):
            return None
        numbers = serial_numbers(column)
        called = bool(values.name_words & NUMBERING) or _says_household(values)
        numbered = numbers is not None and (called or _is_dense(numbers))
        if not numbered and not are_long_codes(column):
            return None
        return self.detection(values, column.distinct, "each in records that stand together")


def _says_household(values: Values) -> bool:
    return values.meant is not None and values.meant.concept.role is Role.HOUSEHOLD


def _are_runs(values: Values) -> bool:
    """Tell whether equal values stand together in small groups."""
    column = values.column
    if not values.in_source_order or column.distinct < FEWEST_GROUPS:
        return False
    least, most = MEAN_SIZES
    if not least * column.distinct <= column.filled <= most * column.distinct:
        return False
    if int(values.counts.max()) > LARGEST:
        return False
    codes = column.codes[column.codes < column.distinct]
    runs = 1 + int(np.count_nonzero(np.diff(codes)))
    return runs - column.distinct <= REPEATED * runs


def _is_dense(numbers: pa.Array) -> bool:
    whole = numbers.to_numpy(zero_copy_only=False)
    return int(whole.max()) - int(whole.min()) + 1 <= DENSE * len(whole)
