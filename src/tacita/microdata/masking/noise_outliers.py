"""Noise for outliers only: who stands out is moved, all others stay as they are."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.comparing.robust import chi_square_quantile, robust_scatter, squared_distances
from tacita.microdata.comparing.sampling import drawn
from tacita.microdata.masking.partitions.scaling import scaled
from tacita.microdata.masking.perturbing.noise import (
    drawn_noise,
    noise_covariance,
    told_variances,
)
from tacita.microdata.masking.perturbing.numbers import (
    BLANKS_STAY,
    NUMERIC,
    Alpha,
    Perturbed,
    TellVariance,
    Weighted,
    complete,
    numbers_of,
    refuse_rounding,
    weights_of,
    with_numbers,
)
from tacita.preserved import Statistic, expected
from tacita.validity import Change

SAMPLE = 10_000  # records that the robust scatter is computed of


class NoiseOutliers(Method):
    """Add noise to outliers, which are recognized most easily, and to nothing else.

    - *distance*: a record is an outlier if its squared Mahalanobis distance from the centre of the
      bulk of the records is above the 1 - `share` quantile of the chi-square distribution with as
      many degrees of freedom as attributes vary. Centre and scatter are the minimum covariance
      determinant of at most 10,000 records, so that outliers cannot hide each other. All its values
      get noise, correlated as the attributes are.
    - *quantile*: a value is an outlier if it is below the `share` / 2 or above the 1 - `share` / 2
      quantile of its attribute. It alone gets noise, independent of that of others.

    The noise is normal, with the variance alpha Var(x_j) of all records. Every other value is
    exactly what it was. Variances are weighted if `weighted` is set; which records are outliers
    does not depend on weights. Which they were is never told, nor is `share`.

    Where two halves of the records lie equally close together, the robust scatter may be that of
    either, which can differ between processors.

    When not to use it: where others than outliers can be linked; an intruder who finds an exact
    match knows that it is right.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> masked = data.apply(ta.NoiseOutliers("DH", alpha=0.5, by="quantile", share=0.1), seed=0)
    >>> int((masked.numbers("DH") != data.numbers("DH")).sum())  # the 1 and the 60
    2
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        expected(Statistic.MEANS, simulated={"by": "quantile"}),
        expected(Statistic.TOTALS, simulated={"by": "quantile"}),
        expected(Statistic.COVARIANCES, given={"by": "quantile"}),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Templ & Meindl, Robustification of microdata masking methods and the comparison with "
        "existing methods, Privacy in Statistical Databases, LNCS 5262, 2008, pp. 113-126"
    )
    missing: ClassVar = (
        f"{BLANKS_STAY} For distances a blank stands at the centre of its attribute."
    )
    example: ClassVar = {"attributes": ["age", "income"], "alpha": 0.5}
    public: ClassVar = frozenset({"attributes", "by", "weighted"})
    draws: ClassVar = True

    attributes: Perturbed
    _: KW_ONLY
    alpha: Alpha
    by: Annotated[
        Literal["distance", "quantile"],
        Field(
            description="What makes an outlier: a record's robust distance (needs the extra "
            "`learning`), or a value at the ends of its attribute."
        ),
    ] = "distance"
    share: Annotated[
        float,
        Field(
            description="The share of outliers (above 0, below 1): of records if they are normal, "
            "or of each attribute's values.",
            gt=0,
            lt=1,
        ),
    ] = 0.025
    weighted: Weighted = False
    tell_variance: TellVariance = False

    def told(self) -> frozenset[str]:
        """Return what is told beside the data: the variance only by choice."""
        return self.public | ({"alpha", "variance"} if self.tell_variance else set())

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with noise added to outliers."""
        refuse_rounding(data, *self.attributes)
        weights = weights_of(data, self.name, self.weighted)
        outliers = np.zeros(len(data), np.bool_)
        variance: dict[str, float] = {}
        apart = [(name,) for name in self.attributes]
        for names in apart if self.by == "quantile" else [self.attributes]:
            values = numbers_of(data, names)
            covariances = noise_covariance(values, self.alpha, weights)
            outlying = OUTLYING[self.by](values, self.share, rng)
            noise = drawn_noise(len(data), covariances, rng)
            values[outlying] += noise[outlying]
            data = with_numbers(data, names, values)
            outliers |= outlying
            variance |= told_variances(names, covariances)
        return data.noting(variance=variance, outliers=int(np.count_nonzero(outliers)))


def _far_out(values: Floats, share: float, rng: np.random.Generator) -> Mask:
    """Tell the records far from the bulk."""
    points = scaled(list(values.T), "standardize")
    points = points[:, np.nanmax(np.abs(points), axis=0, initial=0.0) > 0]
    seed, place = rng.integers(2**32, size=2).tolist()
    whole = points[complete(points)]
    scatter = robust_scatter(whole[drawn(len(whole), SAMPLE, place)], seed)
    centred = np.where(np.isnan(points), scatter.centre, points)
    cut = chi_square_quantile(1 - share, points.shape[1]) if points.shape[1] else 0.0
    return np.asarray(squared_distances(centred, scatter) > cut)


def _at_the_ends(values: Floats, share: float, rng: np.random.Generator) -> Mask:  # noqa: ARG001
    """Tell the values of one attribute below and above all but a share of them."""
    if np.isnan(values).all():
        return np.zeros(len(values), np.bool_)
    low, high = np.nanquantile(values, [share / 2, 1 - share / 2])
    return np.asarray((values[:, 0] < low) | (values[:, 0] > high))


OUTLYING = {"distance": _far_out, "quantile": _at_the_ends}
