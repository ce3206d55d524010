"""Slide negative binomial uniqueness: population uniques by a shifted negative binomial."""

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
)
from tacita.microdata.risk.populations.slide_negative_binomial import slide_negative_binomial
from tacita.results import Measurement
from tacita.validity import NON_PERTURBATIVE, Use


class SnbUniqueness(Method):
    """The share of released records expected to be population uniques, by the SNB model.

    In each of K classes of the population, the size less one is negative binomial (the slide
    negative binomial): P(F = j) = C(alpha + j - 2, j - 1) beta^alpha (1 - beta)^(j - 1). K is the
    modified Shlosser estimate; alpha and beta are such that a sample of the fraction pi is expected
    to have as many classes of one and of two records as there are. With q = (1 - beta)(1 - pi):
    s_1 = K pi (beta / (1 - q))^alpha (1 + alpha q / (1 - q)) and
    s_2 = K pi^2 / 2 alpha (1 - beta) beta^alpha (2 - (1 - alpha) q) / (1 - q)^(alpha + 2).
    The estimate is K beta^alpha / N. For each beta the ratio of the two gives alpha in closed form,
    and beta is found by bisection to 1e-12. (ARX multiplies by the last power where the formula
    divides, and takes 1 off in the wrong place of Shlosser's sum; it finds no solution then.)

    When not to use it: where no class has two records, or for samples under a tenth of the
    population (`pitman_uniqueness` is nearer); on perturbed keys.

    >>> import tacita as ta
    >>> data = ta.example("toy", 10_000)
    >>> snb = ta.SnbUniqueness(["age", "zip", "region"], fraction=0.5)
    >>> round(snb.measure(data, data).value, 4)
    0.0187
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.COUNTS
    reference: ClassVar = (
        "Chen & Keller-McNulty, Journal of Official Statistics 14(1):79-95, 1998; classes: Haas & "
        "Stokes, Journal of the American Statistical Association 93(444):1475-1487, 1998"
    )
    missing: ClassVar = MISSING
    public: ClassVar = PUBLIC

    keys: Keys = None
    population_size: PopulationSize = None
    fraction: SamplingFraction = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Estimate from the class sizes of the protected data."""
        classes = protected.classes(self.keys)
        population = population_of(original, len(protected), self.population_size, self.fraction)
        return estimated(self, slide_negative_binomial, classes, population)
