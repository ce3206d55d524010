"""Population uniqueness: who stands alone in the sample and in the population."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.microdata.risk.frequencies.population_counts import PopulationCounts
from tacita.results import Measurement, listed
from tacita.validity import NON_PERTURBATIVE, Use


class PopulationUniqueness(Method):
    """The share of unique released records that are unique in the population as well.

    Pr(PU | SU) = sum_j I(f_j = 1, F_j = 1) / sum_j I(f_j = 1), over the combinations j of key
    values that f_j released records and F_j of the population have; 0 when no released record is
    unique. `population_uniques_share` is Pr(PU) = sum_j I(F_j = 1) / N. The numbers of single
    records are 1/F_j. The population is given beside the data (`with_external`); where keys were
    recoded it is recoded alike. A combination that the population holds fewer of than the release
    contradicts it: it counts as the release holds it, and the sentence says how many there are.

    When not to use it: on perturbed keys, since perturbing makes and unmakes unique combinations.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> people = ta.read(pa.table({"job": ["nurse", "nurse", "judge"]}), roles={"job": "key"})
    >>> sample = people.take([1, 2]).with_external(population=people)
    >>> print(ta.PopulationUniqueness().measure(sample, sample).value)
    1/2
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = "Skinner & Holmes, J Official Statistics 14(4):361-372, 1998"
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    needs: ClassVar = frozenset({"population"})
    public: ClassVar = frozenset({"keys"})

    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Look the unique released records up in the population."""
        found = PopulationCounts.of(original, protected, self.keys)
        classes = protected.classes(self.keys)
        alone = classes.size_of_record == 1
        uniques = int(np.count_nonzero(alone))
        both = int(np.count_nonzero(alone & (found.of_record == 1)))
        people = int(found.sizes.sum())
        in_population = int(np.count_nonzero(found.sizes == 1))
        return Measurement(
            self.name,
            self.family,
            Fraction(both, max(uniques, 1)) if len(protected) else None,
            f"{both:,} of {uniques:,} records that are unique in the release on "
            f"{listed(classes.keys)} are unique in the population of {people:,}{found.told()}",
            per_record=1 / found.of_record,
            parameters=self.parameters(),
            figures={
                "sample_uniques": uniques,
                "population_uniques": in_population,
                "population_uniques_share": Fraction(in_population, people) if people else None,
                "both_unique": both,
                "records_lacking": found.lacking,
                "population": people,
            },
        )
