"""Random orthogonal matrix masking: records are turned, their means and covariances stay."""

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
    Perturbed,
    Weighted,
    numbers_of,
    weights_of,
    with_numbers,
)
from tacita.preserved import Statistic, Trait, always
from tacita.validity import Change


class Romm(Method):
    """Multiply the records by a random orthogonal matrix that keeps their means.

    Z = T X with T'T = I and T 1 = 1, X being records by attributes: means and covariances of Z are
    exactly those of X. T is never written out, being as large as the square of the number of
    records; what it does to X is drawn. With the orthonormal columns U that X - m is made of and
    normal noise N, T turns U into the orthonormal columns nearest to
    sqrt(1 - strength^2) U + strength N / sqrt(n). As strength goes to 0, T goes to the identity;
    with strength 1 it is uniform over all such matrices, and the masked records have nothing of the
    original ones but their number, means and covariances.

    `strength` says how far an intruder is from the original values and is never told. It is exact
    `kim_noise` with alpha = strength^2 / (1 - strength^2). Moments are weighted if `weighted` is
    set.

    When not to use it: on skewed or discrete attributes whose shape matters, as all become more
    normal; on few records; where numbers must stay above 0.

    >>> import tacita as ta
    >>> data = ta.example("census", 500)
    >>> turned = data.apply(ta.Romm(data.names[:2], strength=0.5), seed=0)
    >>> name = data.names[0]
    >>> bool(abs(turned.numbers(name).mean() / data.numbers(name).mean() - 1) < 1e-9)
    True
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        always(Statistic.MEANS),
        always(Statistic.VARIANCES),
        always(Statistic.COVARIANCES, unless={Trait.RARE_BLANKS}),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Ting, Fienberg & Trottini, Random orthogonal matrix masking methodology for microdata "
        "release, Int. J. Information and Computer Security 2(1), 2008, pp. 86-105"
    )
    missing: ClassVar = f"{BLANKS_STAY} {BY_PATTERN}"
    example: ClassVar = {"attributes": ["age", "income"], "strength": 0.3}
    public: ClassVar = frozenset({"attributes", "weighted"})
    draws: ClassVar = True

    attributes: Perturbed
    _: KW_ONLY
    strength: Annotated[
        float,
        Field(
            description="How far from the identity the matrix is: above 0 to 1 (uniform over all).",
            gt=0,
            le=1,
        ),
    ]
    weighted: Weighted = False

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the records turned."""
        weights = weights_of(data, self.name, self.weighted)
        values = numbers_of(data, self.attributes)
        turned, pooled = masked_by_pattern(values, self.strength**2, rng, weights)
        return with_numbers(data, self.attributes, turned).noting(pooled=pooled)
