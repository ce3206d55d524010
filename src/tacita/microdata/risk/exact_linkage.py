"""Exact linkage: the intruder looks respondents up by their key values."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.classes import Ints, Mask, comparable
from tacita.data.dataset import Dataset, paired_rows
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.representation import common_codes
from tacita.results import Measurement, listed, show


class ExactLinkage(Method):
    """The share of respondents whom an intruder links to their own record by key values alone.

    The intruder knows the true key values of every respondent in the released file and, as the
    worst case, how values were recoded (which the file itself shows), but not any noise: where all
    equal original values became one and the same released value, the intruder's values are recoded
    alike; elsewhere they are compared as they are. An intruder who finds c records with the known
    values picks one at random: the expected share of right links is (1/n) sum_i 1/c_i over the
    respondents whose own record is among the c_i.

    When not to use it: as the only attack on perturbed numbers, where the nearest record is taken.

    >>> import tacita as ta
    >>> data = ta.example("conditions")
    >>> blurred = data.apply(ta.Generalize("Zip code", level=5), seed=0)
    >>> print(blurred.risk()["exact_linkage"].value)
    11/12
    """

    applies_to: ClassVar = ANY_KIND
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
        own = pa.array(paired_rows(original, protected))
        linked = np.ones(len(protected), np.bool_)
        for name in keys:
            linked &= _agree(original.column(name).take(own), protected.column(name))
        sizes = classes.size_of_record
        expected = _expected(sizes[linked])
        records = len(protected)
        return Measurement(
            self.name,
            self.family,
            expected / records if records else None,
            f"{show(expected)} of {records:,} respondents are expected to be linked to their "
            f"own record by {listed(keys)}",
            per_record=np.where(linked, 1 / np.maximum(sizes, 1), 0.0),
            parameters=self.parameters(),
        )


def _expected(sizes: Ints) -> Fraction:
    """Sum 1/c exactly: there are few different class sizes."""
    values, counts = np.unique(sizes, return_counts=True)
    return sum((Fraction(int(n), int(c)) for c, n in zip(values, counts, strict=True)), Fraction(0))


def _agree(known: pa.Array, released: pa.Array) -> Mask:
    """Tell where what the intruder knows, recoded if that is possible, is what was released.

    A value that is blank in the release for some of those who have it was suppressed there: it
    agrees with nothing the intruder knows. One blank for all of them was recoded to a blank.
    """
    there = np.asarray(pc.is_valid(released))
    before, after = _numbered(known), _numbered(released)
    if not _is_function(before[there], after[there]):
        ours, theirs = common_codes(known, released)
        return np.asarray(ours == theirs)
    kept = np.zeros(int(before.max(initial=-1)) + 2, np.bool_)
    kept[before[there]] = True
    return there | ~kept[before]


def _numbered(column: pa.Array) -> Ints:
    """Give the values numbers; a blank gets -1."""
    from tacita.kernels.grouping import factorize

    return factorize(*comparable(column))[0]


def _is_function(before: Ints, after: Ints) -> bool:
    """Tell whether every original value became one released value."""
    place = np.full(int(before.max(initial=-1)) + 2, -2, np.int64)
    place[before] = after
    return bool((place[before] == after).all())
