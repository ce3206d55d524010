"""Pitman uniqueness: population uniques by Pitman's sampling formula."""

from __future__ import annotations

from typing import ClassVar

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.microdata.risk.populations.pitman_model import pitman
from tacita.microdata.risk.populations.population_models import (
    MISSING,
    PUBLIC,
    PopulationSize,
    SamplingFraction,
    estimated,
    population_of,
)
from tacita.results import Measurement
from tacita.validity import NON_PERTURBATIVE, Use


class PitmanUniqueness(Method):
    """The share of released records expected to be population uniques, by Pitman's model.

    The sizes of the classes follow Pitman's sampling formula with parameters theta and alpha, which
    are estimated by maximum likelihood (Newton steps until they move by less than 1e-12). In a
    population of N records the share of uniques is Gamma(theta + 1) / Gamma(theta + alpha)
    N^(alpha - 1), as Hoshino gives it for large N; the figure `exact_expectation` is the model's
    own expectation for N records. With a simple random sample that is the share of the population
    as well as that of the released records. The interval comes from the observed information and
    covers sampling error only, not that of the model. An estimate is not valid, and its value
    undefined, where the likelihood has no maximum or the model expects more population uniques than
    there are sample uniques.

    When not to use it: for samples of more than a tenth of the population, where
    `zayatz_uniqueness` and `snb_uniqueness` are nearer; for keys of few categories, whose
    combinations are soon exhausted; on perturbed keys, whose combinations say
    nothing of the population; where weights differ much, because the sample counts as simple.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> pitman = ta.PitmanUniqueness(["age", "zip", "education"], population_size=30_000)
    >>> round(pitman.measure(data, data).value, 4)
    0.2604
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = "Hoshino, Journal of Official Statistics 17(4):499-520, 2001"
    missing: ClassVar = MISSING
    public: ClassVar = PUBLIC

    keys: Keys = None
    population_size: PopulationSize = None
    fraction: SamplingFraction = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Estimate from the class sizes of the protected data."""
        classes = protected.classes(self.keys)
        population = population_of(original, len(protected), self.population_size, self.fraction)
        return estimated(self, pitman, classes, population)
