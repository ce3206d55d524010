"""Sequential trees: every attribute drawn from the leaves of a tree that the earlier ones grow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.synthesis.growing.model import Growth, SequenceOfTrees
from tacita.microdata.synthesis.making.copies import Copies
from tacita.microdata.synthesis.making.drawing import Proper, Wanted, learnt_from
from tacita.microdata.synthesis.making.records import (
    BLANKS_ARE_MODELLED,
    Modelled,
    Records,
    modelled,
)
from tacita.microdata.synthesis.making.rules import RuleTexts
from tacita.validity import Change

Smoothing = Literal["gaps", "none"]


class SequentialTrees(Method):
    """Draw records attribute by attribute, each from a tree on the attributes before it.

    The joint distribution is a product, f(x_1) f(x_2 | x_1) ... f(x_p | x_1, ..., x_{p-1}), in the
    order of `visit`. Each factor is a classification and regression tree: the records are divided
    by earlier attributes as long as their values of x_j become more alike (Gini's impurity, for
    values in an order the ranked probability score) and both parts keep `leaf` records. A synthetic
    record goes down the tree by its own values so far, and takes the value of a record drawn from
    the leaf it comes to, by the sampling weights. Numbers and dates that fewer than `leaf` records
    have are smoothed: drawn between the middles of the gaps to their neighbours in the leaf,
    rounded as the data are, never outside their range. A division must take away `chance` times as
    much impurity as one that means nothing does on average, so that trees do not learn respondents
    by heart. With `proper`, trees grow on a bootstrap sample, so that several copies differ by the
    uncertainty of the model too, as inference from them assumes.

    When not to use it: where single records must be protected whatever they are: values of leaves
    are respondents' values (see `private_marginals`). On attributes that sum up to others.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> made = data.apply(ta.SequentialTrees(rules=["age < 16 -> education = 'primary'"]), seed=1)
    >>> len(made), made.is_synthetic
    (300, True)
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.SYNTHESIS})
    reference: ClassVar = (
        "Reiter, Using CART to generate partially synthetic public use microdata, J. Official "
        "Statistics 21(3):441-462, 2005; Nowok, Raab & Dibben, synthpop, J. Statistical Software "
        "74(11), 2016"
    )
    missing: ClassVar = BLANKS_ARE_MODELLED
    public: ClassVar = frozenset({"attributes", "visit", "records", "rules", "proper"})
    draws: ClassVar = True

    attributes: Modelled = None
    _: KW_ONLY
    records: Records = None
    visit: Annotated[
        AttributeNames | None,
        Field(description="The attributes to begin with; the others follow in their order."),
    ] = None
    leaf: Annotated[
        int, Field(description="The records that a leaf has at least (2 or more).", ge=2)
    ] = 5
    chance: Annotated[
        float,
        Field(
            description="How many times as much as chance a division must tell (0: any tells).",
            ge=0,
        ),
    ] = 3.0
    smoothing: Annotated[
        Smoothing, Field(description="Whether rare numbers are drawn within gaps, or kept.")
    ] = "gaps"
    proper: Proper = False
    rules: RuleTexts = ()
    copies: Copies = "redraw"

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return records drawn from trees."""
        names = self._visited(modelled(self, data, self.attributes))
        wanted = Wanted(self.records, self.rules, self.copies)
        if not len(data):
            return wanted.of_nothing(data, names)
        growth = Growth(self.leaf, self.chance)
        model = SequenceOfTrees.of(learnt_from(data, self.proper, rng), names, growth)
        rare = self.leaf if self.smoothing == "gaps" else 0
        return wanted.drawn(data, names, lambda records: model.drawn(records, rare, rng))

    def _visited(self, names: Sequence[str]) -> list[str]:
        """Return the attributes in the order in which they are drawn."""
        first = list(self.visit or ())
        for name in first:
            if name not in names:
                raise ParameterError(
                    f"`visit` of `sequential_trees` names `{name}`, which is not synthesized."
                )
        return first + [name for name in names if name not in first]
