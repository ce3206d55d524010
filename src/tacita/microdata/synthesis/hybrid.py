"""Hybrid masking: every record mixed with the synthetic record nearest to it."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import Method
from tacita.microdata.masking.partitions.blanks import cells_of
from tacita.microdata.masking.perturbing.numbers import (
    BLANKS_STAY,
    NUMERIC,
    Weighted,
    complete,
    numbers_of,
    refuse_overflow,
    units_of,
    weights_of,
    with_numbers,
)
from tacita.microdata.synthesis.arranging.hypercube import hypercube
from tacita.microdata.synthesis.arranging.strata import Margin
from tacita.microdata.synthesis.matching_moments.columns import ToSynthesize, refuse_few
from tacita.microdata.synthesis.matching_moments.drawing import drawn_with, moments_of

REFINEMENTS = 20  # of the rank correlations of Latin hypercubes


class Hybrid(Method):
    """Mix every record with the synthetic record that is nearest to it.

    As many synthetic records X_s as there are original ones are generated, by a Latin hypercube
    (which keeps distributions and rank correlations) or by the Cholesky decomposition (which keeps
    means and covariances). Each original record X is paired with the nearest of them, by the
    Euclidean distance in standard deviations, and released as

    - *additive*: z = alpha x + (1 - alpha) x_s;
    - *multiplicative*: z = x^alpha x_s^(1 - alpha), for numbers above 0; it is additive in
      logarithms, in which also the synthetic records are made and paired.

    With alpha = 1 the data are the original ones, with alpha = 0 each record is the synthetic one
    near it. alpha and the synthetic records stay in the house. With `weighted` the synthetic
    records are made by weighted statistics.

    When not to use it: alone against linkage where alpha is large, as pairs are near; where moments
    must stay exactly (use `microhybrid`); where numbers must stay whole.

    >>> import tacita as ta
    >>> data = ta.example("census", 500)
    >>> made = data.apply(ta.Hybrid(data.names[:3], alpha=0.4), seed=0)
    >>> name = data.names[0]
    >>> float(np.corrcoef(made.numbers(name), data.numbers(name))[0, 1]) > 0.95
    True
    """

    applies_to: ClassVar = NUMERIC
    reference: ClassVar = (
        "Dandekar, Domingo-Ferrer & Sebe, LHS-based hybrid microdata vs rank swapping and "
        "microaggregation for numeric microdata protection, Inference Control in Statistical "
        "Databases, LNCS 2316, 2002, pp. 153-162"
    )
    missing: ClassVar = (
        f"{BLANKS_STAY} Synthetic records are made of those without a blank, and pairing goes by "
        "the attributes that a record has."
    )
    example: ClassVar = {"attributes": ["age"], "alpha": 0.3, "generator": "cholesky"}
    public: ClassVar = frozenset({"attributes", "generator", "combine", "weighted"})
    draws: ClassVar = True

    attributes: ToSynthesize
    _: KW_ONLY
    alpha: Annotated[
        float, Field(description="What the original record counts: 0 to below 1.", ge=0, lt=1)
    ] = 0.5
    combine: Annotated[
        Literal["additive", "multiplicative"],
        Field(description="How a pair is combined: as a sum or as a product of powers."),
    ] = "additive"
    generator: Annotated[
        Literal["latin_hypercube", "cholesky"],
        Field(description="How the synthetic records are made."),
    ] = "latin_hypercube"
    weighted: Weighted = False

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with every record mixed."""
        values = numbers_of(data, self.attributes)
        if np.isnan(values).all():
            return data
        if self.combine == "multiplicative":
            values = np.log(self._positive(values))
        known = complete(values)
        refuse_few(self.name, int(known.sum()))
        weights = weights_of(data, self.name, self.weighted)
        made = self._made(values[known], rng, None if weights is None else weights[known])
        mixed = self.alpha * values + (1 - self.alpha) * _nearest(values, made)
        mixed = np.exp(mixed) if self.combine == "multiplicative" else mixed
        return with_numbers(data, self.attributes, mixed)

    def _positive(self, values: Floats) -> Floats:
        """Return the values, if all are above 0.

        Raises:
            InputError: some are not.
        """
        for name, column in zip(self.attributes, values.T, strict=True):
            if (column <= 0).any():
                raise InputError(
                    f"Multiplicative `hybrid` needs numbers above 0; `{name}` is "
                    f"{np.nanmin(column):g} in record {np.nanargmin(column) + 1:,}. Combine "
                    "additively, or leave it out."
                ).about(name)
        return values

    def _made(self, values: Floats, rng: np.random.Generator, weights: Floats | None) -> Floats:
        """Return as many synthetic records."""
        columns = [np.ascontiguousarray(column) for column in values.T]
        if self.generator == "cholesky":
            return drawn_with(moments_of(columns, weights), len(values), rng).T
        margins = [Margin(column, None, pa.float64()) for column in columns]
        return np.array(hypercube(margins, len(values), REFINEMENTS, rng, weights)[0]).T


def _nearest(values: Floats, made: Floats) -> Floats:
    """Return for every record the nearest synthetic one, by the attributes that it has."""
    from scipy.spatial import KDTree

    with np.errstate(over="ignore"):
        units = units_of(np.diag(refuse_overflow(np.nanvar(values, axis=0))))
    found = np.full_like(values, np.nan)
    for rows, there in cells_of(~np.isnan(values), np.zeros(len(values), np.int64)):
        tree = KDTree(made[:, there] / units[there])
        found[rows] = made[tree.query(values[np.ix_(rows, there)] / units[there])[1]]
    return found
