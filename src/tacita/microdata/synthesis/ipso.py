"""IPSO: values drawn anew about their regression on what is released as it is."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Self

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from tacita.data.attribute import Kind
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.features import features
from tacita.microdata.masking.perturbing.numbers import BLANKS_STAY, NUMERIC
from tacita.microdata.synthesis.making.records import with_synthetic
from tacita.microdata.synthesis.making.rules import RuleTexts, refuse_rules
from tacita.microdata.synthesis.making.weights import Weighted
from tacita.microdata.synthesis.matching_moments.columns import (
    ToSynthesize,
    known_in_all,
    some_of,
    weights_among,
)
from tacita.microdata.synthesis.matching_moments.regressing import Regression, Variant, regressed
from tacita.preserved import Statistic, Trait, always, expected
from tacita.validity import Change


class Ipso(Method):
    """Draw attributes anew given others, so that the regression of one on the other stays.

    Y are the attributes, X what is `given` and released unaltered (categories as 0/1 attributes),
    and Y = X B + E the least squares regression with the residual covariances S. (X, Y') is
    released:

    - *A*: Y' = X B + N with normal noise N of covariances S: B and S are kept in expectation.
    - *B*: N is freed from its own regression on X: the coefficients B, and the means, stay exactly.
    - *C*: what is left of N is brought to exactly the covariances S: all the sufficient statistics
      of the multivariate normal regression (B and S) stay, and with them the means and covariances
      of Y, and those of Y with X. Whoever regresses Y on X, or tests it, gets the same numbers.

    Given X, the released values do not depend on the record's own. Y may be the keys and X what is
    confidential, or the other way round. Where there are weights, what stays is weighted. Values
    are released as doubles drawn from a continuous distribution.

    When not to use it: where attributes relate otherwise than linearly, or shapes, bounds and whole
    numbers matter; for relations with attributes that are not given; where X identifies
    respondents, as X is released; where rules must hold (use `sequential_trees`).

    >>> import tacita as ta
    >>> data = ta.example("census", 500)
    >>> first, second = data.names[:2]
    >>> made = data.apply(ta.Ipso(first, given=second), seed=0)
    >>> slopes = [np.polyfit(d.numbers(second), d.numbers(first), 1)[0] for d in (data, made)]
    >>> bool(abs(slopes[0] / slopes[1] - 1) < 1e-9)
    True
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        always(Statistic.MEANS, given={"variant": frozenset({"B", "C"})}, unless={Trait.BLANKS}),
        always(
            Statistic.VARIANCES,
            given={"variant": "C"},
            unless={Trait.BLANKS},
        ),
        always(
            Statistic.COVARIANCES,
            of="them with each other and with `given`",
            given={"variant": "C"},
            unless={Trait.BLANKS},
            about=("attributes", "given"),
        ),
        always(
            Statistic.COEFFICIENTS,
            of="the attributes on `given`",
            given={"variant": frozenset({"B", "C"})},
            unless={Trait.BLANKS},
            about=("given",),
        ),
        expected(
            Statistic.COEFFICIENTS,
            of="the attributes on `given`",
            given={"variant": "A"},
            unless={Trait.BLANKS},
            about=("given",),
        ),
        expected(Statistic.MEANS, given={"variant": "A"}, unless={Trait.BLANKS}),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Burridge, Information preserving statistical obfuscation, Statistics and Computing 13, "
        "2003, pp. 321-327"
    )
    missing: ClassVar = (
        f"{BLANKS_STAY} The records without a blank keep the regression; the others are drawn from "
        "it. A blank in `given` counts as the average, and that it is blank as a category."
    )
    example: ClassVar = {"attributes": ["income"], "given": ["age", "disease"]}
    public: ClassVar = frozenset({"attributes", "given", "variant", "weighted"})
    draws: ClassVar = True
    instead: ClassVar = "`partial_imputation`"

    attributes: ToSynthesize
    _: KW_ONLY
    given: Annotated[
        AttributeNames,
        Field(description="The attributes, of any kind, on which they are regressed; they stay."),
    ]
    variant: Annotated[
        Variant,
        Field(description="What stays exactly: nothing (A), coefficients (B), residuals too (C)."),
    ] = "C"
    weighted: Weighted = None
    rules: RuleTexts = ()

    @model_validator(mode="after")
    def _apart(self) -> Self:
        both = set(self.attributes) & set(self.given)
        if both:
            raise ValueError(f"`ipso` cannot draw `{min(both)}` and keep it; name it once.")
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that must be of a kind it applies to; those given may be of any."""
        return list(self.attributes)

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the attributes drawn anew."""
        refuse_rules(self, self.rules)
        known = known_in_all(data, self.attributes)
        given = _columns(data, self.given)
        if not len(data) or (known is not None and not known.any()):
            return data
        hidden = some_of([data.numbers(name) for name in self.attributes], known)
        weights = weights_among(self.name, data, self.weighted, known)
        regression = regressed(some_of(given, known), hidden, weights)
        regression.refuse_saturated(self.name, self.attributes)
        made = self._drawn(regression, some_of(given, known), weights, rng)
        if known is not None:
            every = regression.drawn(given, len(data), rng)
            every[:, known] = made
            made = every
        columns = zip(self.attributes, map(pa.array, made), strict=True)
        return with_synthetic(data, dict(columns))

    def _drawn(
        self,
        regression: Regression,
        given: list[Floats],
        weights: Floats | None,
        rng: np.random.Generator,
    ) -> Floats:
        if self.variant == "A":
            return regression.drawn(given, len(given[0]), rng)
        return regression.kept(given, rng, weights, residuals=self.variant == "C")


def _columns(data: Dataset, names: AttributeNames) -> list[Floats]:
    """Return attributes as numbers: categories as 0/1 columns, blanks by a column of their own."""
    found: list[Floats] = []
    for name in names:
        column = data.column(name)
        if data.attribute(name).kind is Kind.CONTINUOUS and not column.null_count:
            found.append(data.numbers(name))
        else:
            found += [*features([data], [name]).dummies()[0].T]
    return found or [np.zeros(len(data))]
