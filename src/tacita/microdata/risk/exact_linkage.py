"""Exact linkage: the intruder looks respondents up by their key values."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.coverage import coverage
from tacita.microdata.comparing.representation import as_text, common_codes
from tacita.microdata.risk.linking.agreement import Column, column_of
from tacita.microdata.risk.linking.links import Links
from tacita.results import Measurement, listed, show
from tacita.validity import OF_RESPONDENTS, Use

MASKED = r"[^*]\*+$"  # a code whose last letters are left out
RANGE = r"^\s*([\[\](<>≤≥{]|[-+]?\d)"  # begins as intervals, lists and calendar units do
NOTHING = r"^\*+$"  # says as little as a blank


class ExactLinkage(Method):
    """The share of respondents whom an intruder links to their own record by key values alone.

    The intruder knows the true key values of every respondent in the released file and, as the
    worst case, how values were recoded (which the file itself shows), but not any noise: where
    equal original values became one and the same released value, all or most of them and by more
    than chance, the intruder's values are recoded alike; elsewhere they are compared as they are. A
    known value also agrees with a released interval, masked code or label of the hierarchy that
    stands for it, but with `*` no more than with a blank. An intruder who finds c records with the
    known values picks one at random: the expected share of right links is (1/n) sum_i 1/c_i over
    the respondents whose own record is among the c_i. Where released labels overlap, c counts only
    those that are released with the same labels, and the share is an upper bound.

    When not to use it: as the only attack on perturbed numbers, where the nearest record is taken.

    >>> import tacita as ta
    >>> data = ta.example("conditions")
    >>> blurred = data.apply(ta.Generalize("Zip code", level=5), seed=0)
    >>> print(ta.ExactLinkage().measure(data, blurred).value)
    11/12
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.COUNTS
    links_records: ClassVar = True
    opens: ClassVar = True
    reference: ClassVar = (
        "Domingo-Ferrer & Torra, in Confidentiality, Disclosure and Data Access, 2001"
    )
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    public: ClassVar = frozenset({"keys"})

    keys: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default those with the role key."),
    ] = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Link every respondent of the protected data."""
        keys = list(protected.keys if self.keys is None else self.keys)
        classes = protected.classes(self.keys)
        own = paired_rows(original, protected)
        linked = np.ones(len(protected), np.bool_)
        for name in keys:
            linked &= _agree(original, protected, own, name)
        sizes = classes.size_of_record
        links = Links(linked.astype(np.int64), sizes, len(protected))
        return links.measurement(
            self,
            f"{show(links.expected)} of {len(protected):,} respondents are expected to be linked "
            f"to their own record by {listed(keys)}",
        )


def _agree(original: Dataset, protected: Dataset, own: Ints, name: str) -> Mask:
    """Tell where what the intruder knows, coded as the release shows it, is what was released.

    A value that is blank in the release for some of those who have it was suppressed there: it
    agrees with nothing the intruder knows. One blank for all of them was recoded to a blank.
    """
    column = column_of(original, protected, own, name)
    ours, theirs = common_codes(column.known.take(pa.array(own)), column.released)
    agree = np.asarray(ours == theirs)
    if _are_plain(column) or (agree | (theirs < 0)).all():
        return agree
    return agree | _fits_label(original, protected, name)


def _fits_label(original: Dataset, protected: Dataset, name: str) -> Mask:
    """Tell where a label that anybody can read stands for what the intruder knows."""
    text = as_text(protected.column(name))
    in_tree = original.attribute(name).hierarchy is not None
    is_range, is_masked = _matching(text, RANGE), _matching(text, MASKED)
    if not (in_tree or is_range.any() or is_masked.any()):
        return is_masked
    found = coverage(original, protected, name)
    several = (found.leaves > 1) | (found.lower < found.upper)[found.of_record]
    is_label = np.asarray(text.is_valid()) & ~_matching(text, NOTHING)
    return found.holds & is_label & (in_tree | is_masked | (is_range & several))


def _matching(text: pa.Array, pattern: str) -> Mask:
    return np.asarray(pc.match_substring_regex(text, pattern).fill_null(False))


def _are_plain(column: Column) -> bool:
    """Tell whether numbers were released as numbers or days as days, which stand for themselves."""
    return column.kind is Kind.CONTINUOUS or (
        column.kind is Kind.DATE and pa.types.is_temporal(column.released.type)
    )
