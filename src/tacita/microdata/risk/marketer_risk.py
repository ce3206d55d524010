"""Marketer risk: the intruder wants as many right links as possible."""

from __future__ import annotations

from typing import ClassVar

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.class_risks import Threshold, risk_figures
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.microdata.risk.frequencies.population_counts import Frequencies
from tacita.results import Measurement, listed, show
from tacita.validity import NON_PERTURBATIVE, Use


class MarketerRisk(Method):
    """The expected share of released records that are matched to the right person.

    The intruder looks up the key values of every released record in a register of the population
    and picks one of the F persons with them: (1/n) sum_i 1/F_i over the n released records. F is
    counted, estimated or bounded as for `journalist_risk`; the value is never above that one's.

    When not to use it: as the only measure, since an average hides the records at high risk; on
    perturbed keys.

    >>> import tacita as ta
    >>> data = ta.example("conditions")
    >>> blurred = data.apply(ta.Generalize("Zip code", level=5), seed=0)
    >>> print(ta.MarketerRisk().measure(data, blurred).value)
    11/12
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = "Dankar & El Emam, PAIS 2010, EDBT/ICDT Workshops"
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    public: ClassVar = frozenset({"keys", "threshold"})

    keys: Keys = None
    threshold: Threshold = 0.2

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Average the risk over the released records."""
        found = Frequencies.of(original, protected, self.keys)
        figures = risk_figures(found.of_record, self.threshold)
        average, records = figures["average"], len(protected)
        expected = show(0 if average is None else average * records)
        return Measurement(
            self.name,
            self.family,
            average,
            f"{expected} of {records:,} records are expected to be matched rightly, going by how "
            f"many share their {listed(protected.classes(self.keys).keys)}{found.told}",
            per_record=1 / found.of_record,
            parameters=self.parameters(),
            figures=figures,
        )
