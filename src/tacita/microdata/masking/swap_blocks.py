"""Block swapping: pairs of alike records exchange some of their values together."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.masking.swapping.exchange import changed, exchanged, pairs_for, refuse_none
from tacita.microdata.masking.swapping.pairing import Pairs, paired_apart, partners
from tacita.preserved import Statistic, always
from tacita.results import listed
from tacita.validity import Change


class SwapBlocks(Method):
    """Let pairs of records that agree on some attributes exchange all values of a block of others.

    Of n records, round(rate n / 2) pairs are drawn, at least one; both records of a pair agree on
    `match`, and x'_i = x_j, x'_j = x_i for all attributes of the block together. Within the block,
    and between it and `match`, every joint distribution is kept exactly; between the block and all
    other attributes they fade as the rate grows. Records that find nobody who agrees stay as they
    are, and where fewer pairs can be made than asked for, all of these are.

    When not to use it: where subdomains by other attributes than `match` are studied. Sampling
    weights are not looked at: name the weight in `match` where weighted totals must stay.

    >>> import tacita as ta
    >>> block = ["Disease", "DH", "Chol", "Temp"]
    >>> method = ta.SwapBlocks(block, match=["Sex", "MarStat"], rate=0.5)
    >>> ta.example("medical").apply(method, seed=1).column("Disease").to_pylist()[8:]
    ['Obesity', 'Chest pain', 'Short breath']
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        always(
            Statistic.JOINT_DISTRIBUTION,
            of="the block and `match`",
            about=("attributes", "match"),
        ),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Dalenius & Reiss, Data-swapping: a technique for disclosure control, Proc. ASA Section on "
        "Survey Research Methods, 1978; Reiss, Post & Dalenius, PODS 1982 (continuous attributes)"
    )
    missing: ClassVar = (
        "Blanks stay where they are: records are paired with those that have the same blanks in "
        "the block. In `match`, a blank agrees with a blank."
    )
    example: ClassVar = {"attributes": ["income", "disease"], "match": ["region"]}
    public: ClassVar = frozenset({"attributes", "match"})
    draws: ClassVar = True

    attributes: Annotated[
        AttributeNames, Field(description="The block of attributes that is exchanged.")
    ]
    _: KW_ONLY
    match: Annotated[
        AttributeNames | None,
        Field(description="What both records of a pair agree on; any two match when left out."),
    ] = None
    rate: Annotated[
        float,
        Field(description="The share of records that are swapped (above 0 to 1).", gt=0, le=1),
    ] = 0.1

    @model_validator(mode="after")
    def _apart(self) -> Self:
        both = set(self.attributes) & set(self.match or ())
        if both:
            raise ValueError(
                f"`swap_blocks` cannot exchange `{min(both)}`, which pairs agree on; name it once."
            )
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with blocks exchanged between pairs of records."""
        if not len(data):
            return data
        firsts, seconds = self._pairs(data, rng)
        why = f"no two of {len(data):,} records agree" + (
            f" on {listed(self.match)}; match on fewer attributes" if self.match else ""
        )
        refuse_none(self.name, len(firsts), why)
        wanted = pairs_for(self.rate, len(data))
        chosen = rng.permutation(len(firsts))[:wanted]
        source = partners(len(data), (firsts[chosen], seconds[chosen]))
        told = {"records": 2 * len(chosen), "changed": changed(data, self.attributes, source)}
        return exchanged(data, self.attributes, source).noting(swapped=told)

    def _pairs(self, data: Dataset, rng: np.random.Generator) -> Pairs:
        """Pair all records that find one that agrees with them and has the same blanks."""
        from tacita.kernels.grouping import group

        agreed = [data.classes(self.match).of_record] if self.match else []
        blank = [np.asarray(data.column(name).is_null()) for name in self.attributes]
        cells, each = group([*agreed, *blank]).ids, np.arange(len(data))
        return paired_apart(cells, each, np.zeros(len(data), np.bool_), rng)
