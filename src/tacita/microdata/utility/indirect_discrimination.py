"""Indirect discrimination: what rules about no group prove of groups, and what is left of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, ClassVar

import pyarrow as pa
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.discrimination import (
    BLANKS_ARE_VALUES,
    Alpha,
    Cells,
    Decision,
    Support,
    redlining_of,
)
from tacita.microdata.utility.discriminating import (
    PAPERS,
    Decided,
    Keys,
    Lifted,
    Pair,
    Protected,
    decided_attributes,
    measured,
)
from tacita.results import Measurement


class IndirectDiscrimination(Method):
    """The share of redlining rules that are in the original or the protected data only.

    A rule D, B -> C about no group, such as neighbourhood -> credit denied, discriminates against a
    group A if most of D are of A. Whoever knows how groups are spread over D, in a context B,

        beta1 = conf(A, B -> D), beta2 = conf(D, B -> A), gamma = conf(D, B -> C),
        delta = conf(B -> C),

    knows that elift(A, B -> C) >= elb = (beta1 / beta2) (beta2 + gamma - 1) / delta, or 0 if that
    is negative. The rule is redlining if elb is alpha or more for some group of `protected`
    attributes. In numbers of records, by which it is decided exactly,

        elb = (n(A B D) + n(D B C) - n(D B)) n(B) / (n(A B) n(B C)).

    Groups are those of the original records in both files, however they are released: others may
    know who is in them, also where the release generalizes or drops the attribute. So records must
    be paired. D and B are values of the other keys, as they are released, `length` of them at most.

    With R the redlining rules of the original and R' those of the release, the number is
    1 - |R and R'| / |R or R'|. Figures and `details` are as for `direct_discrimination`, with elb
    as the lift.

    When not to use it: where nobody can know who is in the groups.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> measured = ta.IndirectDiscrimination(1.2, "region", "disease").measure(data, data)
    >>> measured.value
    Fraction(0, 1)
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = PAPERS
    missing: ClassVar = BLANKS_ARE_VALUES
    example: ClassVar = {"alpha": 1.2, "protected": ["region"], "attribute": ["disease"]}
    public: ClassVar = frozenset(
        {"alpha", "protected", "attribute", "decision", "support", "length", "keys"}
    )
    costly: ClassVar = True

    alpha: Alpha = 1.2
    protected: Protected = None
    attribute: Decided = None
    decision: Decision = None
    support: Support = 0.01
    length: Annotated[
        int, Field(description="The most values in D and B together (1 or more).", ge=1)
    ] = 2
    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Look for the redlining rules of both data sets."""
        attributes = decided_attributes(original, self.attribute)
        pair = Pair.of(original, protected, self.keys, self.protected, attributes)
        rows = pa.array(paired_rows(original, protected))
        known = {name: (before, before.take(rows)) for name, (before, _) in pair.groups.items()}
        pair = replace(pair, groups=known)
        return measured(
            self, "redlining rule", ("group", "context", "redline"), pair, attributes, self._lifted
        )

    def _lifted(
        self, cells: Cells, protected: Sequence[str], others: Sequence[str]
    ) -> Iterator[Lifted]:
        for rules in redlining_of(cells, self.length, self.support):
            parts = (
                tuple(protected[place] for place in rules.group),
                tuple(others[place] for place in rules.context),
                tuple(others[place] for place in rules.redline),
            )
            yield Lifted(
                parts, rules.decision, rules.first, rules.tops, rules.bottoms, rules.counts
            )
