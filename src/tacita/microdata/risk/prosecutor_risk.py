"""Prosecutor risk: the intruder knows that the target is in the file."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.class_risks import Threshold, risk_figures
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.results import Measurement, listed
from tacita.validity import NON_PERTURBATIVE, Use


class ProsecutorRisk(Method):
    """The highest probability with which an intruder finds a respondent known to be in the file.

    The intruder knows the target's key values, finds f records with them and picks one: the risk
    of each is 1/f. The value is the highest; `average` is the share of all records that would be
    found (the success rate), `share_at_risk` the share of records with a risk above `threshold`.

    When not to use it: on perturbed keys, where the target's own record may be in another class.

    >>> import tacita as ta
    >>> data = ta.example("conditions")
    >>> blurred = data.apply(ta.Generalize("Zip code", level=5), seed=0)
    >>> found = ta.ProsecutorRisk().measure(data, blurred)
    >>> print(found.value, found.figures["average"])
    1 11/12
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = "El Emam & Dankar, J Am Med Inform Assoc 15(5):627-637, 2008"
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    public: ClassVar = frozenset({"keys", "threshold"})
    shown_by_release: ClassVar = True

    keys: Keys = None
    threshold: Threshold = 0.2

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:  # noqa: ARG002
        """Find the smallest class of the protected data."""
        classes = protected.classes(self.keys)
        sizes = classes.size_of_record
        figures = risk_figures(sizes, self.threshold)
        return Measurement(
            self.name,
            self.family,
            figures["highest"],
            f"whoever is known to be in the release is found among at least {classes.smallest:,} "
            f"records by {listed(classes.keys)}",
            per_record=1 / sizes,
            parameters=self.parameters(),
            figures={
                **figures,
                "classes": len(classes),
                "average_class_size": Fraction(len(protected), len(classes))
                if len(sizes)
                else None,
            },
        )
