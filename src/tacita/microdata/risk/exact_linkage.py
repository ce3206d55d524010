"""Exact linkage: the intruder looks respondents up by their key values."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset, paired_rows
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.representation import common_codes, recoded
from tacita.microdata.risk.linking.links import Links
from tacita.results import Measurement, listed, show


class ExactLinkage(Method):
    """The share of respondents whom an intruder links to their own record by key values alone.

    The intruder knows the true key values of every respondent in the released file and, as the
    worst case, how values were recoded (which the file itself shows), but not any noise: where all
    equal original values became one and the same released value, by more than chance, the
    intruder's values are recoded alike; elsewhere they are compared as they are. An intruder who
    finds c records with the known values picks one at random: the expected share of right links is
    (1/n) sum_i 1/c_i over the respondents whose own record is among the c_i.

    When not to use it: as the only attack on perturbed numbers, where the nearest record is taken.

    >>> import tacita as ta
    >>> data = ta.example("conditions")
    >>> blurred = data.apply(ta.Generalize("Zip code", level=5), seed=0)
    >>> print(ta.ExactLinkage().measure(data, blurred).value)
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
    known, released = original.column(name), protected.column(name)
    coded = recoded(known, own, released, original.attribute(name).kind)
    ours, theirs = common_codes(coded.take(pa.array(own)), released)
    return np.asarray(ours == theirs)
