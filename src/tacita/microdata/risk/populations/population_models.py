"""Population models: how many of the unique records of a sample are unique in the population.

A model says how many equivalence classes of each size a population has; a sample of known size
shows its parameters. All estimates here read nothing but the sizes of the classes in the sample
and the size of the population, and hold for a simple random sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated

import numpy as np
from pydantic import Field

from tacita.arithmetic import product
from tacita.data.classes import EquivalenceClasses, Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError
from tacita.method import Method
from tacita.results import Interval, Measurement, Number, listed, show

MISSING = "Missing and suppressed values agree with one another and with nothing else."
PUBLIC = frozenset({"keys", "population_size", "fraction"})
TOLERANCE = 1e-12  # of parameters that are solved for
LARGEST = 10**15  # of populations: doubles hold every number up to it
LOGITS = (-30.0, 20.0)  # of parameters between 0 and 1; beyond them a model is at its edge

PopulationSize = Annotated[
    int | None,
    Field(
        description="How many records the population has; by default as many as the population "
        "beside the data, or the sum of the sampling weights.",
        ge=1,
    ),
]
SamplingFraction = Annotated[
    float | None,
    Field(description="The share of the population that was sampled.", gt=0, le=1),
]


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """How many classes of each size a sample has, and how large its population is.

    Args:
        sizes: the different class sizes, ascending.
        counts: how many classes have each of them.
        population: the number of records in the population, at least that of the sample.
    """

    sizes: Ints
    counts: Ints
    population: int

    @classmethod
    def of(cls, classes: EquivalenceClasses, population: int) -> ClassSizes:
        """Count the classes of a sample by their size."""
        sizes, counts = np.unique(classes.counts, return_counts=True)
        return cls(sizes.astype(np.int64), counts.astype(np.int64), population)

    @property
    def records(self) -> int:
        """The number of records in the sample."""
        return int(self.sizes @ self.counts)

    @property
    def classes(self) -> int:
        """The number of classes in the sample."""
        return int(self.counts.sum())

    def of_size(self, size: int) -> int:
        """Return the number of classes with so many records."""
        return int(self.counts[self.sizes == size].sum())

    @property
    def fraction(self) -> float:
        """The sampling fraction."""
        return self.records / self.population


@dataclass(frozen=True)
class Estimate:
    """What a model says of a sample.

    Args:
        share: the share of population uniques; None when the model says nothing of these data.
        why_not: why it says nothing.
        figures: the model's parameters and what else it gives.
        interval: where the share lies if the model is right.
    """

    share: Number | None
    why_not: str = ""
    figures: Mapping[str, Number | None] = field(default_factory=dict)
    interval: Interval | None = None


Model = Callable[[ClassSizes], Estimate]


def population_of(original: Dataset, records: int, size: int | None, fraction: float | None) -> int:
    """Return the number of records in the population that some records are a sample of.

    Args:
        original: the data before masking, with weights or the population beside them.
        records: how many records the sample has.
        size: the size of the population, where somebody says it.
        fraction: the sampling fraction, where somebody says it.

    Raises:
        InputError: nobody says it, or the population would be smaller than the sample.
    """
    population = original.external.population
    people = None if population is None else len(population)
    nobody_says = size is None and fraction is None and people is None
    weights = original.weight if nobody_says else None
    return population_size_of(records, size, fraction, people, weights)


def population_size_of(
    records: int,
    size: int | None,
    fraction: float | None,
    people: int | None,
    weights: Floats | None,
) -> int:
    """Return the size of a population from whatever is known of it.

    Args:
        records: how many records the sample has.
        size: the size of the population, where somebody says it.
        fraction: the sampling fraction, where somebody says it.
        people: how many records of the population there are, if they are at hand.
        weights: sampling weights that add up to it.

    Raises:
        InputError: nobody says it, or the population would be smaller than the sample.
    """
    if size is not None and fraction is not None:
        raise ParameterError("Give `population_size` or `fraction`, not both.")
    population = size if size is not None else _said(records, fraction, people, weights)
    if population > LARGEST:
        raise InputError("A population of more than 10^15 records is none; give its true size.")
    if population < records:
        raise InputError(
            f"A population of {population:,} cannot hold a sample of {records:,} records; "
            "give its true `population_size`."
        )
    return population


def _said(records: int, fraction: float | None, people: int | None, weights: Floats | None) -> int:
    if fraction is not None:
        return round(records / Fraction(str(fraction)))
    if people is not None:
        return people
    if weights is None:
        raise InputError(
            "The size of the population is not known: give `population_size`, `fraction`, "
            "sampling weights or the population itself."
        )
    return round(math.fsum(np.minimum(weights, LARGEST + 1)))


def estimated(
    method: Method, model: Model, classes: EquivalenceClasses, population: int
) -> Measurement:
    """Measure the share of released records that a model expects to be population uniques."""
    found = ClassSizes.of(classes, population)
    estimate = share_of(found, model)
    alone = classes.size_of_record == 1
    given_unique = _given_unique(estimate, found)
    per_record = None if given_unique is None else np.where(alone, given_unique, 0.0)
    return Measurement(
        method.name,
        method.family,
        estimate.share,
        _sentence(estimate, found, classes),
        per_record=per_record,
        parameters=method.parameters(),
        figures={**_common_figures(estimate, found, given_unique), **estimate.figures},
        interval=estimate.interval,
    )


def share_of(found: ClassSizes, model: Model) -> Estimate:
    """Ask a model, where there is something to ask, and refuse what cannot be.

    A population unique that was sampled is a sample unique: an estimate above the share of sample
    uniques shows that the model does not fit.
    """
    records, unique = found.records, found.of_size(1)
    if not records:
        return Estimate(None, "there are no records")
    if not unique:
        return Estimate(Fraction(0))
    if found.population == records:
        return Estimate(Fraction(unique, records))
    estimate, most = model(found), Fraction(unique, records)
    if estimate.share is None:
        return estimate
    if not 0 <= estimate.share <= most * (1 + TOLERANCE):
        why_not = "it expects more population uniques among the records than are unique"
        return Estimate(None, why_not, estimate.figures)
    # A share that was only rounded up beyond all sample uniques is all of them.
    return replace(estimate, share=min(estimate.share, most))


def _given_unique(estimate: Estimate, found: ClassSizes) -> float | None:
    """Return the probability that a sample unique is a population unique."""
    if estimate.share is None or not found.of_size(1):
        return None
    return min(float(estimate.share) * found.records / found.of_size(1), 1.0)


def _common_figures(
    estimate: Estimate, found: ClassSizes, given_unique: float | None
) -> dict[str, Number | None]:
    share = estimate.share
    return {
        "population_size": found.population,
        "sampling_fraction": Fraction(found.records, found.population or 1),
        "sample_uniques": found.of_size(1),
        "population_uniques": None if share is None else share * found.population,
        "given_sample_unique": given_unique,
        "valid": int(share is not None),
    }


def _sentence(estimate: Estimate, found: ClassSizes, classes: EquivalenceClasses) -> str:
    if estimate.share is None:
        return f"the estimate is not valid: {estimate.why_not}"
    expected = show(estimate.share * found.records)
    return (
        f"{expected} of {found.records:,} records are expected to be unique on "
        f"{listed(classes.keys)} in a population of {found.population:,}"
    )


def share_of_logit(logit: float) -> float:
    """Return the share with some log odds."""
    return 1 / (1 + math.exp(-logit))


def zayatz(found: ClassSizes) -> Estimate:
    """Estimate as Zayatz: as if the population had classes of each size as often as the sample."""
    unique = found.of_size(1)
    # The probability that a class of each size leaves one record, over that of a class of one.
    leaves_one = found.sizes * _alone(found)
    given_unique = unique / float(product(found.counts, leaves_one))
    return Estimate(unique * given_unique / found.records)


def _alone(found: ClassSizes) -> Floats:
    """Return, for each class size j, how likely the j - 1 others of a sampled record stay out.

    C(N - j, n - 1) / C(N - 1, n - 1) = product over i < j of 1 - (n - 1) / (N - i).
    """
    others = np.arange(1, int(found.sizes.max()))
    stays_out = 1 - (found.records - 1) / (found.population - others)
    chance = np.concatenate([[1.0], np.cumprod(np.maximum(stays_out, 0.0))])
    return np.asarray(chance[found.sizes - 1])
