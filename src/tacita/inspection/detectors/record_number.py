"""Numbers of records and respondents."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Role
from tacita.inspection.columns import Column
from tacita.inspection.detectors.base import Detection, Detector, Values
from tacita.inspection.respondents import are_long_codes
from tacita.inspection.vocabulary.words import NUMBERING

FEWEST = 20  # records below which distinct values say nothing
UNIQUE = Fraction(95, 100)  # share of the values that are distinct
DENSE = 10  # how much wider than the number of its values the range of a rising number may be
CODE = r"^[\p{L}_./#-]*[0-9]+[\p{L}_-]{0,3}$"
TEXT = r"^[^|;]*\p{L}{2}[^|;]*$"
LONG_TEXT = 8  # signs of a text on average; codes of diseases, activities and regions are shorter
DATE = r"^[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}"


class RecordNumber(Detector):
    """Detects numbers and codes of which every record has another one.

    They are detected when at least 95 % of the values are distinct and they count up without gaps,
    rise with the records of the source with few gaps, are codes of one length of eight signs or
    more, are texts of eight signs on average, or the column's name says a number. Amounts are
    distinct, too, but leave wide gaps. A name that says what else the values are (an age, an
    income, a year) is believed.

    >>> from tacita.inspection.columns import column_of
    >>> import pyarrow as pa
    >>> [
    ...     RecordNumber().detect(Values(column_of("x", pa.array(values)))) is not None
    ...     for values in (range(1000, 1100), [n * n * 37 for n in range(100)])
    ... ]
    [True, False]
    """

    name: ClassVar = "record_number"
    what: ClassVar = "numbers or texts of single records"
    reference: ClassVar = "45 CFR 164.514(b)(2)(i)(R)"
    hipaa: ClassVar = "R"

    def detect(self, values: Values) -> Detection | None:
        """Return how many values number a record, if they do."""
        column = values.column
        if column.filled < FEWEST or column.distinct < UNIQUE * column.filled:
            return None
        if is_explained(values) or not (column.is_integer or column.is_text):
            return None
        numbers = serial_numbers(column)
        called = bool(values.name_words & NUMBERING)
        if numbers is None:
            is_code = not _are_dates(column) and (are_long_codes(column) or _are_own_texts(column))
        else:
            is_code = (
                called or _counts_up(numbers) or _rises(values, numbers) or are_long_codes(column)
            )
        if not is_code:
            return None
        return self.detection(values, column.distinct, "another one in each record")


def is_explained(values: Values) -> bool:
    """Tell whether the column's name says that its values are no numbers of records."""
    meant = values.meant
    if meant is None or meant.concept.vague or values.name_words & NUMBERING:
        return False
    return meant.concept.role not in (Role.IDENTIFIER, Role.HOUSEHOLD)


def serial_numbers(column: Column) -> pa.Array | None:
    """Return the whole numbers that stand in values, after letters; None where some have none.

    >>> from tacita.inspection.columns import column_of
    >>> serial_numbers(column_of("x", pa.array(["HH-0012", "HH-0013"]))).to_pylist()
    [12, 13]
    """
    if column.is_integer:
        return column.values.cast(pa.int64(), safe=False)
    if not column.is_text or not len(column.values):
        return None
    if not pc.all(pc.match_substring_regex(column.values, CODE)).as_py():
        return None
    digits = pc.replace_substring_regex(column.values, "[^0-9]", "")
    if pc.max(pc.utf8_length(digits)).as_py() > 18:  # noqa: PLR2004 - digits of a 64-bit number
        return None
    return digits.cast(pa.int64())


def _counts_up(numbers: pa.Array) -> bool:
    ends = pc.min_max(numbers)
    width = ends["max"].as_py() - ends["min"].as_py() + 1
    return bool(10 * width <= 11 * len(numbers))


def _are_own_texts(column: Column) -> bool:
    """Tell whether values are texts with letters, longer than codes of things, and no sets."""
    if not column.is_text:
        return False
    lengths = pc.mean(pc.utf8_length(column.values)).as_py()
    worded = pc.sum(pc.match_substring_regex(column.values, TEXT)).as_py()
    return bool(lengths >= LONG_TEXT and 10 * worded >= 9 * len(column.values))


def _are_dates(column: Column) -> bool:
    return bool(pc.all(pc.match_substring_regex(column.values.cast(pa.string()), DATE)).as_py())


def _rises(values: Values, numbers: pa.Array) -> bool:
    """Tell whether numbers rise with the records of the source, and leave few out."""
    if not values.in_source_order:
        return False
    codes = values.column.codes
    present = numbers.to_numpy(zero_copy_only=False)[codes[codes < len(numbers)]]
    width = int(present.max()) - int(present.min()) + 1
    return bool(np.all(np.diff(present) > 0)) and width <= DENSE * len(present)
