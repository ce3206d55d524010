"""Hybrid masking: every record mixed with a synthetic record near it, each with another."""

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
    complete,
    numbers_of,
    refuse_overflow,
    units_of,
    with_numbers,
)
from tacita.microdata.synthesis.arranging.hypercube import hypercube
from tacita.microdata.synthesis.arranging.partners import partners
from tacita.microdata.synthesis.arranging.strata import Margin
from tacita.microdata.synthesis.making.drawing import ROUNDS
from tacita.microdata.synthesis.making.rules import Rules, RuleTexts
from tacita.microdata.synthesis.making.weights import Weighted, model_weights
from tacita.microdata.synthesis.matching_moments.columns import ToSynthesize, refuse_few
from tacita.microdata.synthesis.matching_moments.drawing import drawn_with, moments_of
from tacita.preserved import Statistic, Trait, always
from tacita.validity import Change

REFINEMENTS = 20  # of the rank correlations of Latin hypercubes
FEW = 30  # records with the same blanks, below which they have no synthetic records of their own


class Hybrid(Method):
    """Mix every record with a synthetic record near it, each with another.

    As many synthetic records X_s as there are original ones are generated, by a Latin hypercube
    (which keeps means and variances, and distributions and rank correlations nearly) or by the
    Cholesky decomposition (which keeps means and covariances). Original and synthetic records are
    paired one to one, so that the sum of the squared distances in standard deviations is the
    smallest (beyond 1,000 records: within parts that are cut at middle ranks), and released is

    - *additive*: z = alpha x + (1 - alpha) x_s;
    - *multiplicative*: z = x^alpha x_s^(1 - alpha), for numbers above 0; it is additive in
      logarithms, in which also the synthetic records are made and paired.

    With alpha near 1 the data are nearly the original ones, with alpha = 0 each record is the
    synthetic one near it. Means stay (of the logarithms where multiplicative), as both generators
    keep them; those of few records with the same blanks do not. Of an attribute with variance s^2
    and correlation r between paired values, the variance becomes
    s^2 (1 - 2 alpha (1 - alpha) (1 - r)), which is less; `rescale` moves all values away from the
    mean until it is s^2 again. Where there are weights, synthetic records follow the weighted
    distribution, and all values are moved by the same, so that weighted means stay; weighted
    variances may become less or more, as partners do not share weights, and `rescale` restores
    them. alpha and the synthetic records stay in the house.

    A record that breaks `rules` is paired with the nearest synthetic record instead, then with the
    next nearest, and so on, even if others are paired with it, and the means are then no longer
    exact; bounds that the original and the synthetic records keep hold by themselves unless values
    are moved.

    When not to use it: alone against linkage where alpha is large, as pairs are near; where
    covariances must stay exactly (use `microhybrid`); where numbers must stay whole.

    >>> import tacita as ta
    >>> data = ta.example("census", 500)
    >>> made = data.apply(ta.Hybrid(data.names[:3], alpha=0.4), seed=0)
    >>> name = data.names[0]
    >>> float(np.corrcoef(made.numbers(name), data.numbers(name))[0, 1]) > 0.95
    True
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        always(
            Statistic.MEANS, given={"combine": "additive", "rules": ()}, unless={Trait.RARE_BLANKS}
        ),
        always(Statistic.VARIANCES, given={"combine": "additive", "rescale": True, "rules": ()}),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Dandekar, Domingo-Ferrer & Sebe, LHS-based hybrid microdata vs rank swapping and "
        "microaggregation for numeric microdata protection, Inference Control in Statistical "
        "Databases, LNCS 2316, 2002, pp. 153-162"
    )
    missing: ClassVar = (
        f"{BLANKS_STAY} Records that lack the same attributes have synthetic records of their own; "
        "where they are fewer than 30, or than two for each attribute, the nearest of those of "
        "complete records."
    )
    example: ClassVar = {"attributes": ["age"], "alpha": 0.3, "generator": "cholesky"}
    public: ClassVar = frozenset(
        {"attributes", "generator", "combine", "rescale", "weighted", "rules"}
    )
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
    rescale: Annotated[
        bool, Field(description="Whether variances are brought back to those of the data.")
    ] = False
    weighted: Weighted = None
    rules: RuleTexts = ()

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with every record mixed."""
        values = numbers_of(data, self.attributes)
        if np.isnan(values).all():
            return data
        if self.combine == "multiplicative":
            values = log(self._positive(values))
        weights = model_weights(data, self.name, self.weighted)
        return self._released(data, values, self._partners(values, rng), weights)

    def _partners(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Return the synthetic record of every record, NaN where that has a blank."""
        units, found = _units(values), np.full_like(values, np.nan)
        whole = complete(values)
        patterns = cells_of(~np.isnan(values), np.zeros(len(values), np.int64))
        patterns.sort(key=lambda pattern: not pattern[1].all())  # complete records come first
        for rows, there in patterns:
            own, unit = values[np.ix_(rows, there)], units[there]
            enough = len(rows) >= max(FEW, 2 * len(unit))
            if there.all() or enough or len(rows) > np.count_nonzero(whole):
                refuse_few(self.name, len(rows))
                made = self._made(own, rng)
            else:
                made = found[whole][:, there]
            found[np.ix_(rows, there)] = made[partners(own / unit, made / unit)]
        return found

    def _released(
        self, data: Dataset, values: Floats, made: Floats, weights: Floats | None
    ) -> Dataset:
        """Mix every record with its synthetic one, or with the nearest that lets it keep the rules.

        Raises:
            ProtectionError: with none of the nearest hundred some records do.
        """
        rules, near, broke = Rules.about(data, self.rules), Nearness(values, made), []
        made = made.copy()
        for place in range(ROUNDS):
            released = with_numbers(data, self.attributes, self._mixed(values, made, weights))
            rows = np.flatnonzero(rules.broken(released.table))
            broke.append(len(rows))
            if not len(rows):
                return released.noting(broke_rules=broke[0])
            made[rows] = near.of(rows, place)
        raise ProtectionError(
            f"{len(rows):,} of {len(values):,} records break the rules, whatever synthetic record "
            "they are mixed with; check whether the original ones keep them."
        )

    def _mixed(self, values: Floats, made: Floats, weights: Floats | None) -> Floats:
        mixed = self.alpha * values + (1 - self.alpha) * made
        if self.rescale or weights is not None:
            for own, column in zip(values.T, mixed.T, strict=True):
                self._restore(own, column, weights)
        return exp(mixed) if self.combine == "multiplicative" else mixed

    def _restore(self, own: Floats, mixed: Floats, weights: Floats | None) -> None:
        """Bring the mean, and the variance where that is wanted, of a column back to its own."""
        known = ~np.isnan(own)
        mass = None if weights is None else weights[known]
        if np.count_nonzero(known) < 2:  # noqa: PLR2004 - a variance needs two
            return
        before, after = (moments_of([column[known]], mass) for column in (own, mixed))
        spread = float(after.covariance[0, 0])
        factor = 1.0
        if self.rescale and spread > 0:
            factor = float(np.sqrt(before.covariance[0, 0] / spread))
        mixed[:] = before.means[0] + factor * (mixed - after.means[0])

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

    def _made(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Return as many synthetic records."""
        columns = [np.ascontiguousarray(column) for column in values.T]
        if self.generator == "cholesky":
            return drawn_with(moments_of(columns), len(values), rng).T
        margins = [Margin(column, None, pa.float64()) for column in columns]
        return np.array(hypercube(margins, len(values), REFINEMENTS, rng)[0]).T


def _units(values: Floats) -> Floats:
    """Return the standard deviation of every attribute, 1 where it does not vary."""
    with np.errstate(over="ignore"):
        variances = [np.var(column[~np.isnan(column)]) for column in values.T]
        return units_of(np.diag(refuse_overflow(np.array(variances))))


class Nearness:
    """Which synthetic records are near each record, by the attributes that it has.

    Args:
        values: the records, NaN where they are blank.
        made: the synthetic ones, NaN where the record that each is paired with is blank.
    """

    def __init__(self, values: Floats, made: Floats) -> None:
        self.units = _units(values)
        self.values, self.made = values / self.units, made.copy()

    def of(self, rows: Ints, place: int) -> Floats:
        """Return for some records the nearest synthetic one, or the one at a later place."""
        from scipy.spatial import KDTree

        wanted = self.values[rows]
        found = np.full_like(wanted, np.nan)
        for part, there in cells_of(~np.isnan(wanted), np.zeros(len(rows), np.int64)):
            made = self.made[:, there]
            made = made[complete(made)]
            tree = KDTree(made / self.units[there])
            which = min(place, len(made) - 1) + 1
            nearest = tree.query(wanted[np.ix_(part, there)], k=[which])[1][:, 0]
            found[np.ix_(part, there)] = made[nearest]
        return found
