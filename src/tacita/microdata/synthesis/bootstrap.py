"""Bootstrap synthesis: records from a distribution whose parameters come from resamples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.masking.perturbing.numbers import NUMERIC
from tacita.microdata.synthesis.making.copies import Copies
from tacita.microdata.synthesis.making.drawing import Wanted
from tacita.microdata.synthesis.making.records import Modelled, Records, modelled
from tacita.microdata.synthesis.making.rules import RuleTexts
from tacita.microdata.synthesis.making.weights import Weighted
from tacita.microdata.synthesis.matching_moments.columns import (
    known_in_all,
    refuse_few,
    some_of,
    weights_among,
)
from tacita.microdata.synthesis.matching_moments.drawing import (
    Moments,
    moments_of,
    triangular_root,
    white_noise,
)
from tacita.preserved import Statistic, Trait, expected
from tacita.validity import Change


class Bootstrap(Method):
    """Fit a p-variate distribution to resamples of the records, and draw synthetic ones from it.

    Records are drawn with replacement, n of them, `resamples` times; the means m* and covariances
    S* (dividing by n - 1) are the averages over the resamples. One resample, the default, has the
    uncertainty that the parameters have; many bring them back to those of the data. Where there are
    weights, each record keeps its own: moments are weighted, and x is drawn by them. Drawn is

    - *smoothed*: x' = m* + (x - m* + h e) / sqrt(1 + h^2) with x a record of the resamples, e
      normal with the covariances S* and h = (4 / ((p + 2) n))^(1 / (p + 4)) times `bandwidth`: the
      distribution function smoothed by a kernel, with the moments m* and S*.
    - *normal*: x' normal with m* and S*.

    Numbers are released as doubles; rules hold, as records that break them are drawn again.

    When not to use it: on categories (use `sequential_trees`); where means and covariances must be
    exact (use `cholesky`); smoothed with a small bandwidth, as records lie close to original ones.

    >>> import tacita as ta
    >>> data = ta.example("census", 500)
    >>> made = data.apply(ta.Bootstrap(data.names[:3], records=1000), seed=0)
    >>> len(made), made.notes["copies_found"]
    (1000, 0)
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        expected(Statistic.MEANS, unless={Trait.BLANKS}),
        expected(Statistic.VARIANCES, unless={Trait.BLANKS}),
        expected(Statistic.COVARIANCES, unless={Trait.BLANKS}),
    )
    changes: ClassVar = frozenset({Change.SYNTHESIS})
    reference: ClassVar = (
        "Fienberg, A radical proposal for the provision of micro-data samples and the preservation "
        "of confidentiality, Technical Report 611, Carnegie Mellon University, 1994"
    )
    missing: ClassVar = (
        "The distribution is that of the records without a blank; synthetic records have none."
    )
    example: ClassVar = {"attributes": ["age", "income"]}
    public: ClassVar = frozenset(
        {"attributes", "records", "distribution", "resamples", "weighted", "rules", "copies"}
    )
    draws: ClassVar = True
    instead: ClassVar = "`sequential_trees`"

    attributes: Modelled = None
    _: KW_ONLY
    records: Records = None
    distribution: Annotated[
        Literal["smoothed", "normal"],
        Field(description="What is fitted: a smoothed distribution of records, or a normal one."),
    ] = "smoothed"
    resamples: Annotated[
        int,
        Field(description="How many resamples the parameters are averaged over.", ge=1, le=10_000),
    ] = 1
    bandwidth: Annotated[
        float,
        Field(description="How much is smoothed, in units of the usual bandwidth.", gt=0, le=100),
    ] = 1.0
    weighted: Weighted = None
    rules: RuleTexts = ()
    copies: Copies = "redraw"

    @property
    def proper(self) -> bool:
        """Whether several copies differ by the uncertainty of the parameters: with one resample."""
        return self.resamples == 1

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return a data set of synthetic records."""
        names = modelled(self, data, self.attributes)
        wanted = Wanted(self.records, self.rules, self.copies)
        if not len(data):
            return wanted.drawn(data, names, lambda _: {})
        known = known_in_all(data, names)
        columns = some_of([data.numbers(name) for name in names], known)
        refuse_few(self.name, len(columns[0]))
        weights = weights_among(self.name, data, self.weighted, known)
        fitted = _fitted(columns, self.resamples, rng, weights)
        width = self._bandwidth(columns) if self.distribution == "smoothed" else None

        def draw(records: int) -> dict[str, pa.Array]:
            made = (
                fitted.normal(records, rng)
                if width is None
                else fitted.smoothed(records, rng, width)
            )
            return dict(zip(names, map(pa.array, made), strict=True))

        return wanted.drawn(data, names, draw)

    def _bandwidth(self, columns: Sequence[Floats]) -> float:
        size, records = len(columns), len(columns[0])
        return float(self.bandwidth * (4 / ((size + 2) * records)) ** (1 / (size + 4)))


class _Fitted(NamedTuple):
    """What resamples say of the distribution of records: its moments, and how often each came."""

    moments: Moments
    columns: Sequence[Floats]
    shares: Floats

    def normal(self, records: int, rng: np.random.Generator) -> Floats:
        """Draw from the normal distribution."""
        return self.moments.means[:, None] + self._noise(records, rng)

    def smoothed(self, records: int, rng: np.random.Generator, width: float) -> Floats:
        """Draw from the records smoothed by a normal kernel, with the same moments."""
        chosen = rng.choice(len(self.shares), records, p=self.shares)
        means = self.moments.means[:, None]
        about = np.stack([column[chosen] for column in self.columns]) - means
        spread = np.sqrt(1 + width**2)
        return np.asarray(means + (about + width * self._noise(records, rng)) / spread)

    def _noise(self, records: int, rng: np.random.Generator) -> Floats:
        from tacita.kernels.linear_maps import mapped

        root = triangular_root(self.moments.covariance)
        if not root.shape[1]:
            return np.zeros((len(root), records))
        noise = white_noise(root.shape[1], records, rng)
        return mapped(root, list(noise), np.zeros(root.shape[1]), np.zeros(len(root)))


def _fitted(
    columns: Sequence[Floats], resamples: int, rng: np.random.Generator, weights: Floats | None
) -> _Fitted:
    """Average the moments of resamples."""
    records = len(columns[0])
    means, covariance = np.zeros(len(columns)), np.zeros((len(columns), len(columns)))
    shares = np.zeros(records)
    for _ in range(resamples):
        came = _resampled(records, weights, rng)
        found = moments_of(columns, came)
        means += found.means / resamples
        covariance += found.covariance / resamples
        shares += came / came.sum()
    return _Fitted(Moments(means, covariance), columns, shares / shares.sum())


def _resampled(records: int, weights: Floats | None, rng: np.random.Generator) -> Floats:
    """Draw records with replacement, all alike, and count what they weigh together.

    Drawn by their weights, so many records would tell more than the sample does.
    """
    while True:
        counts = np.bincount(rng.choice(records, records), minlength=records).astype(np.float64)
        came = counts if weights is None else counts * weights
        if came.any():
            return came
