"""Cholesky synthesis: normal records with exactly the original means and covariances."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import ClassVar

import numpy as np
import pyarrow as pa

from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.masking.perturbing.numbers import NUMERIC
from tacita.microdata.synthesis.making.records import Modelled, Records, modelled, synthetic
from tacita.microdata.synthesis.making.rules import RuleTexts, refuse_rules
from tacita.microdata.synthesis.making.weights import Weighted
from tacita.microdata.synthesis.matching_moments.columns import (
    known_in_all,
    refuse_few,
    some_of,
    weights_among,
)
from tacita.microdata.synthesis.matching_moments.drawing import drawn_with, moments_of
from tacita.preserved import Statistic, Trait, always
from tacita.validity import Change


class Cholesky(Method):
    """Make normal records with exactly the means, variances and covariances of the original ones.

    C = U'U is the Cholesky decomposition of the covariances of the data (dividing by n - 1; it may
    be singular) and R a random matrix whose columns have mean 0 and the identity as covariances.
    The synthetic records are X' = R U + means, whose means and covariances are those of the data up
    to rounding: whatever is computed of them (regressions, principal components, factors) comes out
    the same. Where the data have blanks, all of this is of the records without one: their means are
    not those of all known values. There may be any number of records above that of the attributes.
    Time is linear in it: one covariance and one multiplication. Where there are weights the moments
    are the weighted ones, which the synthetic records have without weights.

    All numbers are drawn from a continuous distribution and released as doubles, so that no record
    is the copy of a respondent's. Only moments of first and second order are those of the data.

    When not to use it: where shapes, bounds or whole numbers matter, as everything becomes normal;
    where rules must hold (use `gaussian_copula`); for subdomains, whose means are lost (use
    `microhybrid`); where means and covariances themselves tell too much.

    >>> import tacita as ta
    >>> data = ta.example("census", 500)
    >>> made = data.apply(ta.Cholesky(records=200), seed=0)
    >>> name = data.names[0]
    >>> len(made), bool(abs(made.numbers(name).mean() / data.numbers(name).mean() - 1) < 1e-9)
    (200, True)
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        always(Statistic.MEANS, unless={Trait.BLANKS}),
        always(Statistic.VARIANCES, unless={Trait.BLANKS}),
        always(Statistic.COVARIANCES, unless={Trait.BLANKS}),
    )
    changes: ClassVar = frozenset({Change.SYNTHESIS})
    reference: ClassVar = (
        "Mateo-Sanz, Martinez-Balleste & Domingo-Ferrer, Fast generation of accurate synthetic "
        "microdata, Privacy in Statistical Databases, LNCS 3050, 2004, pp. 298-306"
    )
    missing: ClassVar = (
        "Moments are those of the records without a blank; synthetic records have none."
    )
    example: ClassVar = {"attributes": ["age", "income"]}
    public: ClassVar = frozenset({"attributes", "records", "weighted"})
    draws: ClassVar = True
    instead: ClassVar = "`gaussian_copula`"

    attributes: Modelled = None
    _: KW_ONLY
    records: Records = None
    weighted: Weighted = None
    rules: RuleTexts = ()

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return a data set of synthetic records."""
        refuse_rules(self, self.rules)
        names = modelled(self, data, self.attributes)
        records = len(data) if self.records is None else self.records
        if not records:
            return synthetic(data, {name: data.column(name) for name in names}, 0)
        known = known_in_all(data, names)
        columns = some_of([data.numbers(name) for name in names], known)
        refuse_few(self.name, len(columns[0]))
        wanted = moments_of(columns, weights_among(self.name, data, self.weighted, known))
        made = drawn_with(wanted, records, rng)
        return synthetic(data, dict(zip(names, map(pa.array, made), strict=True)), records)
