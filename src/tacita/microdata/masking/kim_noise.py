"""Noise and a linear transformation: means and covariances are those of the original."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.masking.perturbing.matching import masked_by_pattern
from tacita.microdata.masking.perturbing.numbers import (
    BLANKS_STAY,
    BY_PATTERN,
    NUMERIC,
    Alpha,
    Perturbed,
    TellVariance,
    Weighted,
    numbers_of,
    weights_of,
    with_numbers,
)
from tacita.preserved import Statistic, Trait, always, expected
from tacita.validity import Change


class KimNoise(Method):
    """Add correlated noise to numbers, then move them linearly so that their moments stay.

    z = x + e with Cov(e) = alpha S, S being the covariances of x, and g = c z + (1 - c) m with
    c = 1 / sqrt(1 + alpha) and the means m. The covariances of g are unbiased for those of x
    (Kim 1986). By default they are also made the same: g = m + A (z - mean of z) with the matrix A,
    near c times the identity, that gives the masked records exactly the means and covariances of
    the original ones. Analyses that rest on these, such as regressions, are the same.

    The means of a subgroup move towards those of all, by the factor c. Who knows alpha undoes the
    transformation and is left with plain noise: it is told beside the data only where
    `tell_variance` says so. Moments are weighted if `weighted` is set.

    When not to use it: on skewed attributes whose shape matters, as it becomes more normal; on few
    records; where numbers must stay above 0 or whole.

    >>> import tacita as ta
    >>> data = ta.example("census", 500)
    >>> masked = data.apply(ta.KimNoise(data.names[:2], alpha=0.2), seed=0)
    >>> name = data.names[0]
    >>> bool(abs(masked.numbers(name).var() / data.numbers(name).var() - 1) < 1e-9)
    True
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        always(Statistic.MEANS, given={"exact": True}),
        always(Statistic.VARIANCES, given={"exact": True}),
        always(Statistic.COVARIANCES, given={"exact": True}, unless={Trait.RARE_BLANKS}),
        expected(Statistic.MEANS, given={"exact": False}),
        expected(Statistic.VARIANCES, given={"exact": False}),
        expected(Statistic.COVARIANCES, given={"exact": False}, unless={Trait.RARE_BLANKS}),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Kim, A method for limiting disclosure in microdata based on random noise and "
        "transformation, Proc. Section on Survey Research Methods, ASA, 1986, pp. 303-308"
    )
    missing: ClassVar = f"{BLANKS_STAY} {BY_PATTERN}"
    example: ClassVar = {"attributes": ["age", "income"], "alpha": 0.1}
    public: ClassVar = frozenset({"attributes", "exact", "weighted"})
    draws: ClassVar = True

    attributes: Perturbed
    _: KW_ONLY
    alpha: Alpha
    exact: Annotated[
        bool,
        Field(description="Whether moments are kept exactly and not only in expectation."),
    ] = True
    weighted: Weighted = False
    tell_variance: TellVariance = False

    def told(self) -> frozenset[str]:
        """Return what is told beside the data: the variance only by choice."""
        return self.public | ({"alpha"} if self.tell_variance else set())

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with noise added and the moments put back."""
        weights = weights_of(data, self.name, self.weighted)
        values = numbers_of(data, self.attributes)
        # c z + (1 - c) m is the blend in which noise has the share alpha c^2 of the variance.
        share = self.alpha / (1 + self.alpha)
        noisy, pooled = masked_by_pattern(values, share, rng, weights, exact=self.exact)
        return with_numbers(data, self.attributes, noisy).noting(pooled=pooled)
