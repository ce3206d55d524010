"""Journalist risk: the intruder wants to find anybody, to show that it can be done."""

from __future__ import annotations

from typing import ClassVar

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.class_risks import Threshold, risk_figures
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.microdata.risk.frequencies.population_counts import Frequencies
from tacita.results import Measurement, listed, show
from tacita.validity import NON_PERTURBATIVE, Use


class JournalistRisk(Method):
    """The highest probability with which a released record is matched to the right person.

    The intruder looks up the key values of a released record in a register of the population,
    finds F persons with them and picks one: the risk is 1/F. F is counted in the population given
    beside the data (`with_external`). Without one it is the sum of the sampling weights, an
    estimate, and without weights the number f of released records, so that the risk is bounded by
    that of the prosecutor. The value is the highest risk; `average` is the share of records that
    would be matched rightly, `share_at_risk` the share with a risk above `threshold`.

    When not to use it: on perturbed keys; and by weights, take `individual_risk`, which counts that
    an estimated F may be smaller.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> people = ta.read(pa.table({"job": ["nurse", "nurse", "judge", "judge", "judge"]}),
    ...                  roles={"job": "key"})
    >>> sample = people.take([0, 2]).with_external(population=people)
    >>> print(ta.JournalistRisk().measure(sample, sample).value)
    1/2
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = "El Emam & Dankar, J Am Med Inform Assoc 15(5):627-637, 2008"
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    public: ClassVar = frozenset({"keys", "threshold"})

    keys: Keys = None
    threshold: Threshold = 0.2

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Find how many share the key values of each released record."""
        found = Frequencies.of(original, protected, self.keys)
        figures = risk_figures(found.of_record, self.threshold)
        least = show(float(found.of_record.min())) if len(protected) else "no"
        return Measurement(
            self.name,
            self.family,
            figures["highest"],
            f"the {listed(protected.classes(self.keys).keys)} of every released record are shared "
            f"by at least {least} records{found.told}",
            per_record=1 / found.of_record,
            parameters=self.parameters(),
            figures=figures,
        )
