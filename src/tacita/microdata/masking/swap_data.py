"""Data swapping: values exchanged so that all margins up to an order stay exactly as they are."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.attribute import Kind
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.method import AttributeNames, Method
from tacita.microdata.masking.swapping.cubes import exchanges_of
from tacita.microdata.masking.swapping.exchange import exchanged, pairs_for, refuse_none
from tacita.microdata.masking.swapping.pairing import Pairs, partners
from tacita.preserved import Statistic, always
from tacita.validity import Change


class SwapData(Method):
    """Exchange values of categories so that every t-way table stays exactly the same.

    Dalenius and Reiss: a data set is t-order equivalent to another one if all counts of
    combinations of t attributes agree. One attribute after the other, values are exchanged between
    records in steps that each keep all t-way tables of `attributes` and `keep` together. A step of
    order 1 exchanges two different values. A step of order t takes 2^t records: two opposite cubes
    along t - 1 attributes drawn at random, which change the tables by amounts that cancel; of
    order 2, (a, b, c), (a', b', c), (a', b, d), (a, b', d) become (a', b, c), (a, b', c),
    (a, b, d), (a', b', d). Steps are drawn until a share of the records has another value of the
    attribute, or none is found any more; how many records have is told in the evidence.

    When not to use it: for tables of more than t attributes, or with attributes not named, which
    are distorted; with so many attributes that hardly two records differ in one only. Records are
    counted, not their sampling weights.

    >>> import tacita as ta
    >>> data = ta.example("toy", 500).without(["weight"])
    >>> swapped = data.apply(ta.SwapData("disease", keep=["region", "stratum"], rate=0.2), seed=1)
    >>> names = ["disease", "region", "stratum"]
    >>> ta.ContingencyTables(names, dimension=2).measure(data, swapped).value
    0.0
    >>> round(ta.ContingencyTables(names, dimension=3).measure(data, swapped).value, 3)
    0.008
    """

    applies_to: ClassVar = frozenset({Kind.ORDINAL, Kind.NOMINAL})
    keeps: ClassVar = (
        always(Statistic.TABLES, of="`attributes` and `keep`", about=("attributes", "keep")),
        always(Statistic.DISTRIBUTIONS),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Dalenius & Reiss, Data-swapping: a technique for disclosure control, J. Statistical "
        "Planning and Inference 6, 1982; Fienberg & McIntyre, PSD 2004, LNCS 3050 (moves)"
    )
    missing: ClassVar = (
        "A blank is not exchanged; in the tables it is a category of its own, which stays as "
        "frequent as it is."
    )
    example: ClassVar = {"attributes": ["disease"], "keep": ["region", "stratum"]}
    public: ClassVar = frozenset({"attributes", "keep", "t"})
    draws: ClassVar = True

    attributes: Annotated[
        AttributeNames, Field(description="The attributes whose values are exchanged, each apart.")
    ]
    _: KW_ONLY
    keep: Annotated[
        AttributeNames | None,
        Field(description="Further attributes of the tables that are kept; they do not change."),
    ] = None
    t: Annotated[
        int,
        Field(
            description="How many attributes the kept tables have (1 or more, fewer than there "
            "are in all).",
            ge=1,
        ),
    ] = 2
    rate: Annotated[
        float,
        Field(
            description="The share of records that get another value of each attribute (above 0 "
            "to 1), if so many can.",
            gt=0,
            le=1,
        ),
    ] = 0.1

    @model_validator(mode="after")
    def _enough(self) -> Self:
        both = set(self.attributes) & set(self.keep or ())
        if both:
            raise ValueError(f"`swap_data` cannot both swap and keep `{min(both)}`; name it once.")
        named = len(self.attributes) + len(self.keep or ())
        if self.t >= max(named, 2):
            raise ValueError(
                f"`t` of `swap_data` must be below the number of attributes; found {self.t} for "
                f"{named}. Add some to `keep`, or exchange blocks between records that agree "
                "(`swap_blocks`)."
            )
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with values exchanged."""
        told = {}
        for name in self.attributes:
            known = np.flatnonzero(np.asarray(data.column(name).is_valid()))
            if len(known):
                pairs = self._pairs(data, name, known, rng)
                data = exchanged(data, [name], partners(len(data), pairs))
                told[name] = 2 * len(pairs[0])
        return data.noting(swapped=told)

    def _pairs(self, data: Dataset, name: str, known: Ints, rng: np.random.Generator) -> Pairs:
        """Return the records that exchange their values of an attribute."""
        tables = [one for one in (*self.attributes, *(self.keep or ())) if one != name]
        values, *others = (data.classes([one]).of_record[known] for one in (name, *tables))
        wanted = 2 * pairs_for(self.rate, len(known))
        ones, twos = exchanges_of(values, others, self.t, wanted, rng)
        why = f"no values of `{name}` can change places so that all {self.t}-way tables stay"
        refuse_none(self.name, len(ones), f"{why}; lower `t` or name fewer attributes")
        return known[ones], known[twos]
