"""(alpha, k)-anonymity: classes large enough, in none of which a confidential value dominates."""

from __future__ import annotations

from dataclasses import KW_ONLY
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow.compute as pc
from pydantic import BeforeValidator, Field

from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.near_ties import quotients_above
from tacita.microdata.models.class_table import ClassTable, Domain, Histogram
from tacita.microdata.models.confidential_values import breaks_values, check_values, judgement
from tacita.microdata.models.references import values_of
from tacita.microdata.models.verdicts import Confidential, Judged, K, Keys
from tacita.results import Verdict, exactly
from tacita.validity import ANY_CHANGE


def _in_words(said: Any) -> Any:
    return [str(value) for value in said] if isinstance(said, list | tuple) else said


class AlphaKAnonymity(Method):
    """Every class has at least k records, and no confidential value more than a share alpha of it.

    For each equivalence class C over the keys, |C| >= k, and for every sensitive value s, at most
    alpha |C| records of C have s. Sensitive are the `values`, or all where none are named. A value
    that no record has asks for nothing: a release may have lost it.

    When not to use it: where the confidential attribute is continuous and nearly all values differ;
    t-closeness sees that they may still be close.

    >>> import tacita as ta
    >>> data = ta.example("conditions_4_anonymous")
    >>> ta.AlphaKAnonymity(0.5, 4).check(data).worst["level"]
    1.0
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    reference: ClassVar = "Wong, Li, Fu & Wang, Proc. KDD 2006"
    missing: ClassVar = (
        "The blanks of a confidential attribute are together one value; blank keys agree with one "
        "another and with nothing else."
    )
    example: ClassVar = {"alpha": 0.5, "k": 2}
    public: ClassVar = frozenset({"alpha", "k", "attribute", "values", "keys"})
    merging_keeps: ClassVar = True

    alpha: Annotated[
        float,
        Field(description="The largest share of a value in a class (above 0, to 1).", gt=0, le=1),
    ]
    k: K
    attribute: Confidential = None
    _: KW_ONLY
    values: Annotated[
        tuple[str, ...] | None,
        Field(description="The sensitive values; by default every value.", min_length=1),
        BeforeValidator(_in_words),
    ] = None
    keys: Keys = None

    def check(self, data: Dataset) -> Verdict:
        """Tell whether classes are large and mixed enough, and which is the least so."""
        which = "any value" if self.values is None else "any sensitive value"
        kept = f"has at least {self.k} records and at most a share {self.alpha:g} of {which}"
        missed = f"have fewer than {self.k} records or more than a share {self.alpha:g} of {which}"
        return check_values(self, data, kept, missed)

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell for every class whether it breaks the promise."""
        return breaks_values(self, classes)

    def judged(self, sizes: Ints, values: Histogram) -> Judged:
        """Judge classes by their sizes and the most frequent sensitive value of one attribute."""
        counts = np.where(self._is_sensitive(values.domain)[values.codes], values.counts, 0)
        most = np.maximum.reduceat(counts, np.append(0, values.ends[:-1]))
        broken = (sizes < self.k) | quotients_above(most, sizes, exactly(self.alpha))
        return judgement(
            values, broken, most / sizes, exact=lambda c: Fraction(int(most[c]), int(sizes[c]))
        )

    def _is_sensitive(self, domain: Domain) -> Mask:
        if self.values is None:
            return np.ones(len(domain), np.bool_)
        sensitive = values_of(domain.attribute, self.values, domain.values.type)
        return np.asarray(pc.is_in(domain.values, sensitive), np.bool_)
