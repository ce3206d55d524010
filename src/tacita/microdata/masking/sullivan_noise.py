"""Noise and a non-linear transformation: every attribute keeps its distribution."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.masking.partitions.mixed import in_order
from tacita.microdata.masking.perturbing.noise import drawn_noise, noise_covariance
from tacita.microdata.masking.perturbing.numbers import BLANKS_STAY, EXCHANGED_BY_PATTERN, MOST
from tacita.microdata.masking.perturbing.patterns import FOR_RANKS, parts
from tacita.microdata.masking.perturbing.scores import normal_scores
from tacita.preserved import Statistic, always
from tacita.validity import Change


class SullivanNoise(Method):
    """Add noise to the normal scores of values, and give every score back a value of its rank.

    Of the n values of an attribute the r-th in ascending order has the score
    s = Phi^-1((r - 1/2) / n), Phi being the normal distribution function. Equal values, such as
    those of discrete attributes, have random scores in the interval of their ranks, drawn given the
    scores of the other attributes. Normal noise with the covariances alpha S of the scores is added
    to all attributes together, and the record whose sum is the r-th gets the r-th value. So every
    attribute has exactly the values it had, as often as it had them, and correlations of ranks
    stay near as far as attributes are related as normal variables cut into their values are.
    Sullivan goes back through a smoothed distribution function and corrects correlations
    afterwards; ranks are exact, and scores drawn together need no correction.

    It is the additive noise for all kinds: ordinal values move along their order, dates along time,
    nominal values between categories in alphabetical order. alpha stays in the house. Weights play
    no part.

    When not to use it: where single values must not appear at all, as all of them stay in the file;
    on many equal values that follow a rule of their own, as zeros that are as frequent wherever
    other attributes lie: rank correlations may move by a tenth, up or down; on nominal attributes
    with many categories, whose order means nothing (use `pram`).

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> masked = data.apply(ta.SullivanNoise(["DH", "Disease"], alpha=0.5), seed=0)
    >>> sorted(masked.column("Disease").to_pylist()) == sorted(data.column("Disease").to_pylist())
    True
    """

    applies_to: ClassVar = ANY_KIND - {Kind.SET_VALUED}
    keeps: ClassVar = (always(Statistic.DISTRIBUTIONS),)
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Sullivan, The use of added error to avoid disclosure in microdata releases, PhD thesis, "
        "Iowa State University, 1989"
    )
    missing: ClassVar = f"{BLANKS_STAY} {EXCHANGED_BY_PATTERN}"
    example: ClassVar = {"attributes": ["age", "income", "education"], "alpha": 0.1}
    public: ClassVar = frozenset({"attributes"})
    draws: ClassVar = True

    attributes: Annotated[AttributeNames, Field(description="The attributes to perturb.")]
    _: KW_ONLY
    alpha: Annotated[
        float,
        Field(description="The variance of the noise, in variances of the scores.", gt=0, le=MOST),
    ]

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the values of each attribute given to other records."""
        places = np.array([_places(data, name) for name in self.attributes]).T
        source = np.tile(np.arange(len(data))[:, None], len(self.attributes))
        for part in parts(places, least=FOR_RANKS):
            own = places[np.ix_(part.rows, part.columns)]
            noisy = normal_scores(own, rng)
            noisy += drawn_noise(len(own), noise_covariance(noisy, self.alpha), rng)
            for column, place, score in zip(part.columns, own.T, noisy.T, strict=True):
                known = np.flatnonzero(~np.isnan(place))
                ascending, wanted = (
                    part.rows[known[np.argsort(one[known], kind="stable")]]
                    for one in (place, score)
                )
                source[wanted, column] = ascending
        for name, rows in zip(self.attributes, source.T, strict=True):
            data = data.with_column(data.attribute(name), data.column(name).take(pa.array(rows)))
        return data


def _places(data: Dataset, name: str) -> Floats:
    """Return numbers that ascend with the values of an attribute; a blank is NaN."""
    attribute = data.attribute(name)
    if attribute.kind is Kind.CONTINUOUS:
        return data.numbers(name)
    codes = in_order(attribute, data.column(name))[0]
    return np.where(codes < 0, np.nan, codes)
