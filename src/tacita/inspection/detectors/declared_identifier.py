"""Values of declared identifiers that stand in another column as well."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.inspection.detectors.base import Detection, Detector, Values

FEWEST = 10  # distinct values of an identifier; fewer agree with other columns by accident
AGREEING = Fraction(9, 10)  # share of the records that agree: running numbers and ages meet often


class DeclaredIdentifier(Detector):
    """Detects values of an identifier or household of the source in the same records.

    Values agree if their digits do, without zeros in front, or, where there are none, their
    letters: `HH-0012`, `12` and `0012` are the same number. Nine in ten records that have both
    values must agree, and the identifier must have ten values or more.

    >>> from tacita.inspection.columns import column_of
    >>> persons = pa.array([f"P{n:04d}" for n in range(30)])
    >>> copied = column_of("x", pa.array([n for n in range(30)]))
    >>> DeclaredIdentifier().detect(Values(copied, {"person": persons})).reason
    'those of `person`'
    """

    name: ClassVar = "declared_identifier"
    what: ClassVar = "values of a declared identifier or household of the source"
    reference: ClassVar = "Hundepool et al., Statistical Disclosure Control, 2012, section 3.2"
    hipaa: ClassVar = "R"

    def detect(self, values: Values) -> Detection | None:
        """Return how many values are those of an identifier, if nearly all records agree."""
        if not values.identifiers or not len(values.texts):
            return None
        column = values.column
        if pa.types.is_list(column.values.type) or column.distinct < FEWEST:
            return None
        own = canonical(column.values).take(pa.array(column.codes, mask=_blank(values)))
        for name, identifier in values.identifiers.items():
            other = canonical(identifier)
            if pc.count_distinct(other).as_py() < FEWEST:
                continue
            equal = pc.equal(own, other)
            agreeing = pc.sum(equal, min_count=0).as_py()
            if agreeing and agreeing >= AGREEING * (len(equal) - equal.null_count):
                shared = pc.count_distinct(own.filter(equal.fill_null(False))).as_py()
                return self.detection(values, shared, f"those of `{name}`")
        return None


def _blank(values: Values) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return values.column.codes >= values.column.distinct


def canonical(values: pa.Array) -> pa.Array:
    """Return values as text by which equal numbers are told, however they are written.

    >>> canonical(pa.array(["HH-0012", "12.0", "Ana "])).to_pylist()
    ['12', '12', 'ana']
    """
    text = pc.replace_substring_regex(values.cast(pa.string()), r"^([0-9]+)\.0+$", r"\1")
    digits = pc.replace_substring_regex(text, "[^0-9]", "")
    bare = pc.replace_substring_regex(digits, "^0+", "")
    return pc.if_else(pc.equal(digits, ""), pc.utf8_lower(pc.utf8_trim_whitespace(text)), bare)
