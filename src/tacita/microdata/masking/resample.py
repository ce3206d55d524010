"""Resampling: each value becomes the average of the values of its rank in several samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import Method
from tacita.microdata.masking.perturbing.numbers import (
    BLANKS_STAY,
    NUMERIC,
    Perturbed,
    numbers_of,
    refuse_overflow,
    weights_of,
    with_numbers,
)
from tacita.microdata.masking.perturbing.resampling import (
    SAMPLES_OF_KNOWN,
    Original,
    Weighted,
    chances_of,
    refuse_no_change,
)
from tacita.preserved import Statistic, always, expected
from tacita.validity import Change


class Resample(Method):
    """Replace the j-th smallest value by the average of the j-th smallest of t samples.

    S_1, ..., S_t are samples of as many values as the attribute has, drawn with replacement from
    its values or from those of the population; S_1 is the attribute itself unless `original` is
    no. Each is sorted, and x'(j) = (S_1(j) + ... + S_t(j)) / t takes the place of the j-th smallest
    original value, of equal ones in the order of the records. Attributes are sampled apart.

    When not to use it: where single values are confidential; ranks stay, and the averages of many
    samples lie near the original values. On heavy tails, whose largest values stay recognizable.

    >>> import tacita as ta
    >>> safe = ta.example("medical").apply(ta.Resample("Chol", samples=4), seed=1)
    >>> safe.column("Chol").to_pylist()[:3]
    [250.0, 170.0, 196.25]
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        always(Statistic.ORDER),
        expected(Statistic.MEANS, given={"source": "data", "weighted": False}),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Domingo-Ferrer & Mateo-Sanz, On resampling for statistical confidentiality in contingency "
        "tables, Computers & Mathematics with Applications 38(11-12), 1999"
    )
    missing: ClassVar = f"{BLANKS_STAY} {SAMPLES_OF_KNOWN}"
    example: ClassVar = {"attributes": ["income"]}
    public: ClassVar = frozenset({"attributes", "samples", "original", "source"})
    draws: ClassVar = True

    attributes: Perturbed
    _: KW_ONLY
    samples: Annotated[
        int, Field(description="The number of samples (1 to 10,000).", ge=1, le=10_000)
    ] = 4
    original: Original = True
    source: Annotated[
        Literal["data", "population"],
        Field(description="What samples are drawn from."),
    ] = "data"
    weighted: Weighted = False

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        refuse_no_change(self.name, self.samples, original=self.original)
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the attributes resampled."""
        values = numbers_of(data, self.attributes)
        for place, name in enumerate(self.attributes):
            there = ~np.isnan(values[:, place])
            if there.any():
                own = values[there, place]
                values[there, place] = resampled(own, self._drawn(data, name, own, rng))
        return with_numbers(data, self.attributes, values)

    def _drawn(
        self, data: Dataset, name: str, own: Floats, rng: np.random.Generator
    ) -> Iterator[Floats]:
        """Draw the samples, one after the other."""
        source = self._source(data)
        values = source.numbers(name)
        known = ~np.isnan(values)
        if not known.any():
            raise InputError(f"The population has no value of `{name}` to draw.").about(name)
        chances = chances_of(weights_of(source, self.name, self.weighted), known)
        if self.original:
            yield own
        for _ in range(self.samples - self.original):
            yield values[known][rng.choice(np.count_nonzero(known), len(own), p=chances)]

    def _source(self, data: Dataset) -> Dataset:
        if self.source == "data":
            return data
        if data.external.population is None:
            raise InputError(
                "`resample` draws from the population, and the data have none beside them; give "
                "one, or draw from the data."
            )
        return data.external.population


def resampled(values: Floats, samples: Iterable[Floats]) -> Floats:
    """Replace values by the averages of what has their rank in samples of as many values.

    >>> resampled(np.array([5.0, 1.0, 5.0]), [np.array([4.0, 1.0, 2.0]), np.array([0.0, 9.0, 4.0])])
    array([3. , 0.5, 6.5])
    """
    total, number = np.zeros(len(values)), 0
    with np.errstate(over="ignore"):
        for sample in samples:
            total += np.sort(sample)
            number += 1
    released = np.empty(len(values))
    released[np.argsort(values, kind="stable")] = refuse_overflow(total) / number
    return released
