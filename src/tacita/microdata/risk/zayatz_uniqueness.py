"""Zayatz uniqueness: population uniques as if the population's classes were the sample's."""

from __future__ import annotations

from typing import ClassVar

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.microdata.risk.populations.population_models import (
    MISSING,
    PUBLIC,
    PopulationSize,
    SamplingFraction,
    estimated,
    population_of,
    zayatz,
)
from tacita.results import Measurement
from tacita.validity import NON_PERTURBATIVE, Use


class ZayatzUniqueness(Method):
    """The share of released records expected to be population uniques, by Zayatz's model.

    The share of classes with j records is taken to be the same in population and sample, s_j / u.
    A sample unique then is a population unique with probability s_1 h_1 / sum_j s_j h_j, where h_j
    = C(j, 1) C(N - j, n - 1) / C(N, n) is the probability that a class of j records leaves one in
    the sample of n; the estimate is that probability times s_1 / n.

    When not to use it: for small samples (under a tenth of the population), whose classes are much
    smaller than those of the population, so that it says too much; on perturbed keys.

    >>> import tacita as ta
    >>> data = ta.example("toy", 10_000)
    >>> zayatz = ta.ZayatzUniqueness(["age", "zip", "region"], fraction=0.5)
    >>> round(zayatz.measure(data, data).value, 4)
    0.0123
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = "Zayatz, Statistical Research Division RR-91/08, US Census Bureau, 1991"
    missing: ClassVar = MISSING
    public: ClassVar = PUBLIC

    keys: Keys = None
    population_size: PopulationSize = None
    fraction: SamplingFraction = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Estimate from the class sizes of the protected data."""
        classes = protected.classes(self.keys)
        population = population_of(original, len(protected), self.population_size, self.fraction)
        return estimated(self, zayatz, classes, population)
