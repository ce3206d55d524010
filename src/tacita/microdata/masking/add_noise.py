"""Additive noise: every number is moved by a random amount."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.masking.perturbing.noise import (
    Distribution,
    drawn_noise,
    noise_covariance,
    told_variances,
)
from tacita.microdata.masking.perturbing.numbers import (
    BLANKS_STAY,
    MOST,
    NUMERIC,
    Perturbed,
    TellVariance,
    Weighted,
    numbers_of,
    weights_of,
    with_numbers,
)
from tacita.preserved import Statistic, Trait, expected
from tacita.validity import Change


class AddNoise(Method):
    """Add random noise to numbers, with a variance in proportion to theirs.

    z_j = x_j + e_j with mean 0 and Var(e_j) = alpha Var(x_j), the variances dividing by n; or, by
    its standard deviation, sd(e_j) = deviation sd(x_j), so that alpha = deviation^2.

    - *uncorrelated*: the noises of different attributes are independent. Means and covariances are
      kept in expectation, variances grow by 1 + alpha and correlations shrink by as much.
    - *correlated*: the noise of a record has the covariances alpha S of the attributes, so that
      correlations are kept in expectation too. S may be singular: where attributes that are blank
      in the same records add up to others, the masked ones do as well.

    Who knows alpha can correct variances and regressions for the noise, and an intruder filters
    some of it away; it is told beside the data only where `tell_variance` says so. Numbers are
    released as doubles. Moments are of the records as they are, or weighted if `weighted` is set.

    When not to use it: alone against linkage, as values stay close to the original ones, outliers
    most of all; on categories; where numbers must stay above 0 or whole.

    >>> import tacita as ta
    >>> masked = ta.example("medical").apply(ta.AddNoise("DH", alpha=0.1), seed=0)
    >>> masked.notes["variance"]  # 0.1 times 328.36
    {'DH': 32.8}
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        expected(Statistic.MEANS),
        expected(Statistic.TOTALS),
        expected(Statistic.COVARIANCES, given={"kind": "uncorrelated"}),
        expected(Statistic.CORRELATIONS, given={"kind": "correlated"}, unless={Trait.BLANKS}),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Brand, Microdata protection through noise addition, Inference Control in Statistical "
        "Databases, LNCS 2316, 2002, pp. 97-116"
    )
    missing: ClassVar = (
        f"{BLANKS_STAY} Variances are those of an attribute's known values, covariances those of "
        "the records known in both, lessened as far as no numbers have all of them together."
    )
    example: ClassVar = {"attributes": ["age", "income"], "alpha": 0.1}
    public: ClassVar = frozenset({"attributes", "kind", "distribution", "weighted"})
    draws: ClassVar = True

    attributes: Perturbed
    _: KW_ONLY
    alpha: Annotated[
        float | None,
        Field(
            description="The variance of the noise, in variances of the attribute.", gt=0, le=MOST
        ),
    ] = None
    deviation: Annotated[
        float | None,
        Field(
            description="Instead of `alpha`, the standard deviation of the noise, in standard "
            "deviations of the attribute.",
            gt=0,
            le=MOST,
        ),
    ] = None
    kind: Annotated[
        Literal["uncorrelated", "correlated"],
        Field(description="Whether the noise has the correlations of the attributes."),
    ] = "uncorrelated"
    distribution: Annotated[
        Distribution,
        Field(description="What the noise is drawn from; a uniform one has a largest value."),
    ] = "normal"
    weighted: Weighted = False
    tell_variance: TellVariance = False

    @model_validator(mode="after")
    def _one_amount(self) -> Self:
        if (self.alpha is None) == (self.deviation is None):
            raise ValueError("`add_noise` needs one of `alpha` and `deviation`.")
        return self

    def told(self) -> frozenset[str]:
        """Return what is told beside the data: the variance only by choice."""
        by_choice = {"alpha", "deviation", "variance"} if self.tell_variance else set()
        return self.public | by_choice

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with noise added."""
        weights = weights_of(data, self.name, self.weighted)
        apart = [(name,) for name in self.attributes]
        variance: dict[str, float] = {}
        for names in apart if self.kind == "uncorrelated" else [self.attributes]:
            values = numbers_of(data, names)
            covariances = noise_covariance(values, self._alpha, weights)
            values += drawn_noise(len(data), covariances, rng, self.distribution)
            data = with_numbers(data, names, values)
            variance |= told_variances(names, covariances)
        return data.noting(variance=variance)

    @property
    def _alpha(self) -> float:
        return float(self.alpha or (self.deviation or 0.0) ** 2)
