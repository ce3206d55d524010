"""Partial imputation: chosen values of chosen records drawn from a predictive model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.synthesis.imputing.frame import columns_of
from tacita.microdata.synthesis.imputing.predicting import ModelName
from tacita.microdata.synthesis.imputing.replacing import Replacement, predictors
from tacita.microdata.synthesis.making.rules import Rules, RuleTexts
from tacita.validity import Change

BLANKS_STAY = "A blank stays blank; in a predictor it counts as a value of its own."


class PartialImputation(Method):
    """Replace attributes, of all records or of some, by draws from a model given the others.

    The attributes Y_1, Y_2, ... are drawn one after the other: Y_j from a model given X and
    Y_1, ..., Y_{j-1}, whose parameters are drawn from their posterior distribution. X, all other
    attributes or those `given`, is released as it is. Where `where` chooses records (`income >
    100000`), the models are learnt from these alone: what is drawn for them must be distributed as
    they are. Numbers and dates have linear regressions with normal residuals, rounded as the data
    are; categories a chain of logistic ones; or all of them trees. The sampling weight is one of
    the predictors. One use gives one copy; `tacita.synthesize` makes several, and combines what
    they say.

    A drawn value may happen to be the record's own: to draw it again would be a wrong model, and
    tell what it was not. The notes count such values.

    When not to use it: where what stays identifies respondents; with regressions, on numbers that
    are far from normal or have bounds (not kept unless `rules` say so; use trees).

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> made = data.apply(ta.PartialImputation("income", where="income > 30000"), seed=1)
    >>> made.notes["replaced"], made.column("age") == data.column("age")
    (53, True)
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Reiter, Inference for partially synthetic, public use microdata sets, Survey Methodology "
        "29(2):181-188, 2003; Little, J. Official Statistics 9(2):407-426, 1993"
    )
    missing: ClassVar = BLANKS_STAY
    example: ClassVar = {"attributes": ["income", "disease"], "given": ["age", "education"]}
    public: ClassVar = frozenset({"attributes", "given", "model", "rules"})
    draws: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes to replace; by default the confidential ones."),
    ] = None
    _: KW_ONLY
    given: Annotated[
        AttributeNames | None,
        Field(description="The attributes that predict them; by default all others."),
    ] = None
    where: Annotated[
        str | None,
        Field(description="Which records, as rules say it: `income > 100000`; by default all."),
    ] = None
    model: ModelName = "regression"
    rules: RuleTexts = ()

    @model_validator(mode="after")
    def _apart(self) -> Self:
        both = set(self.attributes or ()) & set(self.given or ())
        if both:
            raise ValueError(f"`{min(both)}` is replaced and given; name it once.")
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the attributes replaced."""
        targets = self._targets(data)
        rows = self._rows(data)
        if not len(rows):
            return data.noting(replaced=0)
        given = self.given or predictors(data, targets)
        return Replacement(targets, given, rows, rows, self.model, self.rules).of(data, rng)

    def _targets(self, data: Dataset) -> Sequence[str]:
        targets = self.attributes or data.confidential
        if not targets:
            raise InputError(
                "`partial_imputation` replaces confidential attributes, and none has that role; "
                "say which `attributes`."
            )
        return targets

    def _rows(self, data: Dataset) -> Ints:
        if self.where is None:
            return np.arange(len(data))
        chosen = Rules.about(data, [self.where]).rules[0]
        return np.flatnonzero(chosen.says(columns_of(data, chosen.names)).yes)
