"""Direct discrimination: which groups rules of a file decide about, before and after protection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.discrimination import (
    BLANKS_ARE_VALUES,
    Alpha,
    Cells,
    Decision,
    LiftName,
    Support,
    rules_of,
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


class DirectDiscrimination(Method):
    """The share of discriminating rules that are in the original or the protected data only.

    A rule A, B -> C says how often records with the values A of `protected` attributes (a group)
    and B of other keys (a context) have the decision C. It discriminates where its lift is alpha or
    more; with conf the share of records that have C, the lift is

        elift = conf(A, B -> C) / conf(B -> C), or slift = conf(A, B -> C) / conf(not A, B -> C).

    With D the discriminating rules of the original and D' those of the release, the number is
    1 - |D and D'| / |D or D'|. Whether a lift reaches alpha is decided in whole numbers.

    Figures: the highest lift of both (none where it has no bound), how many rules count and how
    many discriminate, `prevented`, the share of D that is not in D', and `preserved`, the share of
    the other rules of the original that do not discriminate in the release either (DDPD and DDPP of
    the papers). `details` has all rules of D and D' with both lifts. Generalized values are others.
    Records count one each, whatever their weights.

    When not to use it: to require that a release does not discriminate; `alpha_protection` does.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> measured = ta.DirectDiscrimination(1.5, "region", "disease").measure(data, data)
    >>> measured.value, measured.figures["prevented"]
    (Fraction(0, 1), Fraction(0, 1))
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = PAPERS
    missing: ClassVar = BLANKS_ARE_VALUES
    example: ClassVar = {"alpha": 1.5, "protected": ["region"], "attribute": ["disease"]}
    public: ClassVar = frozenset(
        {"alpha", "protected", "attribute", "decision", "lift", "support", "length", "keys"}
    )
    costly: ClassVar = True

    alpha: Alpha = 1.2
    protected: Protected = None
    attribute: Decided = None
    decision: Decision = None
    lift: LiftName = "elift"
    support: Support = 0.01
    length: Annotated[int, Field(description="The most values in a context (0 or more).", ge=0)] = 2
    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Look for the rules of both data sets that discriminate."""
        attributes = decided_attributes(original, self.attribute)
        pair = Pair.of(original, protected, self.keys, self.protected, attributes)
        return measured(
            self, "discriminating rule", ("group", "context"), pair, attributes, self._lifted
        )

    def _lifted(
        self, cells: Cells, protected: Sequence[str], others: Sequence[str]
    ) -> Iterator[Lifted]:
        for rules in rules_of(cells, self.length, self.support):
            parts = (
                tuple(protected[place] for place in rules.group),
                tuple(others[place] for place in rules.context),
            )
            yield Lifted(
                parts, rules.decision, rules.first, *rules.quotients(self.lift), rules.counts
            )
