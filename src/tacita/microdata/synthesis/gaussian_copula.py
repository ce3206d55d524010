"""Gaussian copula: attributes of any distribution, related as normal variables are."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.synthesis.coupling.model import Copula
from tacita.microdata.synthesis.making.copies import Copies
from tacita.microdata.synthesis.making.drawing import Wanted
from tacita.microdata.synthesis.making.records import Modelled, Records, modelled
from tacita.microdata.synthesis.making.rules import RuleTexts
from tacita.preserved import Statistic, expected
from tacita.validity import Change


class GaussianCopula(Method):
    """Draw records whose attributes have their own distributions and are related as normal ones.

    Behind every attribute lies a standard normal variable Z_j, with x_j = F_j^-1(Phi(Z_j)) by the
    distribution F_j of the attribute; a category has the part of Z_j that its share is, in the
    order that tells most of the other attributes. The correlations rho of Z are such that the
    normal scores of the attributes correlate as they do in the data: with ties, by Mehler's
    formula, sum_m a_m b_m rho^m = r, where a_m and b_m are the Hermite coefficients of the two
    scores. Where an attribute has blanks, whether it is blank has a variable of its own. Numbers
    and dates that fewer than `rare` records have are drawn between the middles of the gaps to
    their neighbours, rounded as the data are, never outside their range.

    When not to use it: where attributes relate otherwise than monotonically, or three at a time;
    of categories, only what one order of them tells is kept. `sequential_trees` keeps more.

    >>> import tacita as ta
    >>> made = ta.example("toy", 300).apply(ta.GaussianCopula(["age", "income"]), seed=1)
    >>> made.names, len(made)
    (['age', 'income', 'weight'], 300)
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        expected(
            Statistic.SHARES,
            given={"copies": "report", "rules": ()},
            simulated={"attributes": ["income", "education", "region"]},
        ),
    )
    changes: ClassVar = frozenset({Change.SYNTHESIS})
    reference: ClassVar = (
        "Nelsen, An Introduction to Copulas, Springer 2006; Cario & Nelson, Modeling and "
        "generating random vectors with arbitrary marginal distributions and correlation matrix, "
        "Northwestern University 1997"
    )
    missing: ClassVar = (
        "Whether a value is blank is modelled by a variable of its own, related to all others."
    )
    public: ClassVar = frozenset({"attributes", "records", "rules"})
    draws: ClassVar = True

    attributes: Modelled = None
    _: KW_ONLY
    records: Records = None
    rare: Annotated[
        int,
        Field(
            description="How many records must have a number for it to stay as it is (1 or more).",
            ge=1,
        ),
    ] = 5
    rules: RuleTexts = ()
    copies: Copies = "redraw"

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return records drawn from the copula."""
        names = modelled(self, data, self.attributes)
        wanted = Wanted(self.records, self.rules, self.copies)
        if not len(data):
            return wanted.of_nothing(data, names)
        model = Copula.of(data, names)
        return wanted.drawn(data, names, lambda records: model.drawn(records, self.rare, rng))
