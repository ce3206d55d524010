"""Coding of outliers: records far out in several attributes together move to the edge."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.nearness import spread_of
from tacita.microdata.comparing.robust import Scatter, squared_distances
from tacita.microdata.masking.perturbing.numbers import (
    NUMERIC,
    complete,
    covariance,
    numbers_of,
    refuse_overflow,
    refuse_rounding,
    with_numbers,
)
from tacita.validity import Change


class CodeOutliers(Method):
    """Top and bottom code several attributes together: pull outlying records back to an ellipsoid.

    With the mean m and the covariance matrix S of the attributes, the Mahalanobis distance of a
    record is d(x) = sqrt((x - m)' S^-1 (x - m)). Where it exceeds the limit c, the record becomes
    x' = m + (x - m) c / d(x): the same direction, at distance c. The limit is said itself
    (`distance`), or as the `share` of records that may be beyond it. One attribute is clipped to
    m - cs and m + cs. In directions in which nothing varies (singular S) nothing is measured, and
    sampling weights play no part.

    When not to use it: on strongly skewed attributes, whose mean and covariance the outliers make;
    take their limits one by one (`top_bottom_code`). It hides how far out a record is and not that
    it is out.

    >>> import tacita as ta
    >>> coded = ta.example("medical").apply(ta.CodeOutliers(["DH", "Chol"], share=0.1), seed=0)
    >>> [round(days, 2) for days in coded.column("DH").to_pylist()[6:8]]
    [5.0, 46.38]
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Khan, Van Aelst & Zamar, Robust linear model selection based on least angle regression, "
        "J. American Statistical Association 102(480), 2007, sec. 4 (multivariate winsorization)"
    )
    missing: ClassVar = (
        "Blanks stay, and records with a blank in these attributes stay as they are; mean and "
        "covariance are those of the others."
    )
    example: ClassVar = {"attributes": ["age", "income"], "share": 0.02}
    public: ClassVar = frozenset({"attributes", "distance", "share"})

    attributes: Annotated[
        AttributeNames, Field(description="The attributes that are coded together: numbers.")
    ]
    _: KW_ONLY
    distance: Annotated[
        float | None,
        Field(description="The limit: the largest Mahalanobis distance that stays.", gt=0),
    ] = None
    share: Annotated[
        float | None,
        Field(description="The share of records to move at most (0 to 1).", gt=0, lt=1),
    ] = None

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        if (self.distance is None) == (self.share is None):
            found = "none" if self.distance is None else "both"
            raise ValueError(f"`code_outliers` needs one of `distance` and `share`; found {found}.")
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with outlying records moved to the edge."""
        refuse_rounding(data, *self.attributes)
        values = numbers_of(data, self.attributes)
        known = np.flatnonzero(complete(values))
        if len(known) < 2:  # noqa: PLR2004 - one record has no spread
            return data
        with np.errstate(all="ignore"):
            middle = refuse_overflow(values[known].mean(axis=0))
        distances = _distances(values[known] - middle)
        limit = self._limit(distances)
        far = distances > limit
        shrunk = (values[known[far]] - middle) * (limit / distances[far])[:, None]
        values[known[far]] = middle + shrunk
        return with_numbers(data, self.attributes, values).noting(limit=limit, moved=int(far.sum()))

    def _limit(self, distances: Floats) -> float:
        if self.share is None:
            return float(self.distance or 0.0)
        beyond = int(self.share * len(distances))
        return float(np.sort(distances)[len(distances) - 1 - beyond])


def _distances(centred: Floats) -> Floats:
    """Return Mahalanobis distances from 0; in units of their own, so that none is lost."""
    spread = np.array([spread_of(column) or 1.0 for column in centred.T])
    scatter = Scatter(np.zeros(len(spread)), covariance(centred / spread))
    return np.asarray(np.sqrt(squared_distances(centred / spread, scatter)))
