"""Hybrid masking: every record mixed with the synthetic record nearest to it."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.arithmetic import exp, log
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ProtectionError
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
from tacita.microdata.synthesis.making.drawing import ROUNDS
from tacita.microdata.synthesis.making.rules import Rules, RuleTexts
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
    records are made by weighted statistics. A record that breaks `rules` is paired with the next
    nearest synthetic record, and so on; bounds that the original and the synthetic records keep
    hold by themselves.

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
    public: ClassVar = frozenset({"attributes", "generator", "combine", "weighted", "rules"})
    draws: ClassVar = True
    instead: ClassVar = "`partial_imputation`"

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
    rules: RuleTexts = ()

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with every record mixed."""
        values = numbers_of(data, self.attributes)
        if np.isnan(values).all():
            return data
        if self.combine == "multiplicative":
            values = log(self._positive(values))
        known = complete(values)
        refuse_few(self.name, int(known.sum()))
        weights = weights_of(data, self.name, self.weighted)
        made = self._made(values[known], rng, None if weights is None else weights[known])
        return self._paired(data, values, made)

    def _paired(self, data: Dataset, values: Floats, made: Floats) -> Dataset:
        """Mix every record with the nearest synthetic one with which it keeps the rules.

        Raises:
            ProtectionError: with none of the nearest hundred some records do.
        """
        rules = Rules.about(data, self.rules)
        near, rows = Nearness(values, made), np.arange(len(values))
        mixed, broke = np.full_like(values, np.nan), []
        for place in range(min(ROUNDS, len(made))):
            mixed[rows] = self._mixed(values[rows], near.of(rows, place))
            released = with_numbers(data, self.attributes, mixed)
            rows = np.flatnonzero(rules.broken(released.table))
            broke.append(len(rows))
            if not len(rows):
                return released.noting(broke_rules=broke[0])
        raise ProtectionError(
            f"{len(rows):,} of {len(values):,} records break the rules, whatever synthetic record "
            "they are mixed with; check whether the original ones keep them."
        )

    def _mixed(self, values: Floats, made: Floats) -> Floats:
        found = self.alpha * values + (1 - self.alpha) * made
        return exp(found) if self.combine == "multiplicative" else found

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


class Nearness:
    """Which synthetic records are near each record, by the attributes that it has.

    Args:
        values: the records, NaN where they are blank.
        made: the synthetic ones.
    """

    def __init__(self, values: Floats, made: Floats) -> None:
        with np.errstate(over="ignore"):
            units = units_of(np.diag(refuse_overflow(np.nanvar(values, axis=0))))
        self.values, self.made = values / units, made
        self._made = made / units

    def of(self, rows: Ints, place: int) -> Floats:
        """Return for some records the nearest synthetic one, or the one at a later place."""
        from scipy.spatial import KDTree

        wanted = self.values[rows]
        found = np.full_like(wanted, np.nan)
        for part, there in cells_of(~np.isnan(wanted), np.zeros(len(rows), np.int64)):
            tree = KDTree(self._made[:, there])
            nearest = tree.query(wanted[np.ix_(part, there)], k=[place + 1])[1][:, 0]
            found[part] = self.made[nearest]
        return found
