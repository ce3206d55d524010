"""Data shuffling: values go to records that a model finds as likely to have them."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.features import features
from tacita.microdata.masking.perturbing.numbers import BLANKS_STAY, EXCHANGED_BY_PATTERN
from tacita.microdata.masking.perturbing.patterns import FOR_RANKS, parts
from tacita.microdata.masking.swapping.copula import drawn_given
from tacita.microdata.masking.swapping.exchange import exchanged, refuse_none
from tacita.microdata.masking.swapping.ranking import ORDERED, ascending, positions
from tacita.preserved import Statistic, always
from tacita.validity import Change


class Shuffle(Method):
    """Reorder the values of attributes so that ranks relate to each other as before, by a model.

    X are the attributes, S what is `given`, both as normal scores of their ranks. With the rank
    correlations r, rho = 2 sin(pi r / 6) are the correlations of a normal copula, and new scores
    are drawn from its conditional distribution
    Y* | S* ~ N(rho_XS inverse(rho_SS) S*, rho_XX - rho_XS inverse(rho_SS) rho_SX).
    The record with the i-th smallest Y* of an attribute gets the i-th smallest of its values.
    Univariate distributions are kept exactly, rank correlations among X and with S up to chance
    where values do not tie and relate as normal variables do; given S, the released values do not
    depend on the record's own. Categories in S count as 0/1 attributes.

    When not to use it: where attributes relate otherwise than monotonically (income rises with age,
    then falls), or where relations with attributes not given must stay; parts no longer add up to
    their totals. Relations of an attribute with few different values, or with many zeros, come out
    weaker: with half of them 0, rank correlations by a sixth.

    >>> import tacita as ta
    >>> data = ta.example("toy", 500)
    >>> shuffled = data.apply(ta.Shuffle("income", given=["age", "education"]), seed=1)
    >>> sorted(shuffled.column("income").drop_null().to_pylist()) == sorted(
    ...     data.column("income").drop_null().to_pylist())
    True
    """

    applies_to: ClassVar = ORDERED
    keeps: ClassVar = (always(Statistic.DISTRIBUTIONS),)
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Muralidhar & Sarathy, Data shuffling: a new masking approach for numerical data, "
        "Management Science 52(5), 2006"
    )
    missing: ClassVar = (
        f"{BLANKS_STAY} {EXCHANGED_BY_PATTERN} A blank in `given` counts as the average, and that "
        "it is blank as a category."
    )
    example: ClassVar = {"attributes": ["income", "education"], "given": ["age", "disease"]}
    public: ClassVar = frozenset({"attributes", "given"})
    draws: ClassVar = True

    attributes: Annotated[AttributeNames, Field(description="The attributes to shuffle.")]
    _: KW_ONLY
    given: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes, of any kind, that stay and with which relations are kept."
        ),
    ] = None

    @model_validator(mode="after")
    def _apart(self) -> Self:
        both = set(self.attributes) & set(self.given or ())
        if both:
            raise ValueError(f"`shuffle` cannot shuffle `{min(both)}` and keep it; name it once.")
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that must be of a kind it applies to; those given may be of any."""
        return list(self.attributes)

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with values shuffled."""
        if not len(data):
            return data
        hidden = np.column_stack([positions(data, name) for name in self.attributes])
        given = features([data], self.given or ()).dummies()[0]
        source = np.tile(np.arange(len(data))[:, None], len(self.attributes))
        orders = [self._ascending(data, name) for name in self.attributes]
        for part in parts(hidden, least=FOR_RANKS):
            scores = drawn_given(hidden[np.ix_(part.rows, part.columns)], given[part.rows], rng)
            inside = np.zeros(len(data), np.bool_)
            inside[part.rows] = True
            for column, score in zip(part.columns, scores.T, strict=True):
                order = orders[column][inside[orders[column]]]
                known = ~np.isnan(hidden[part.rows, column])
                wanted = part.rows[known][np.argsort(score[known], kind="stable")]
                source[wanted, column] = order
        for name, rows in zip(self.attributes, source.T, strict=True):
            data = exchanged(data, [name], rows)
        return data

    def _ascending(self, data: Dataset, name: str) -> Ints:
        """Return the records that have a value by its rank, if there are several."""
        order = ascending(data, name)
        if len(order):
            refuse_none(self.name, len(order) - 1, f"`{name}` has one value only")
        return order
