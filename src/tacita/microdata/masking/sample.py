"""Sampling: only some of the records are published."""

from __future__ import annotations

from dataclasses import KW_ONLY
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from tacita.data.attribute import Attribute, Kind, Role
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.preserved import Statistic, always, expected
from tacita.validity import Change


class Sample(Method):
    """Publish a sample of the records, so that an intruder cannot be sure that somebody is in it.

    *simple*: n of N records at random. *stratified*: n_h of the N_h records of each stratum,
    proportionally, at least one each. *systematic*: every (N/n)-th record after a random start.
    Records keep their order. Sampling weights are multiplied by N_h / n_h, so that weighted totals
    stay unbiased.

    When not to use it: alone, on continuous attributes; a continuous value is nearly always unique.

    >>> import tacita as ta
    >>> len(ta.example("salary").apply(ta.Sample(fraction=0.4), seed=1))
    6
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        always(Statistic.VALUES, of="all attributes but the weight"),
        expected(
            Statistic.TOTALS,
            of="numbers, by the weights that it makes",
            simulated={"weight": "made", "by": None},
        ),
        expected(
            Statistic.SHARES,
            of="the population, by the weights that it makes",
            simulated={"weight": "made", "by": None},
        ),
    )
    changes: ClassVar = frozenset({Change.SAMPLING})
    reference: ClassVar = "Willenborg & de Waal, Elements of Statistical Disclosure Control, 2001"
    missing: ClassVar = (
        "Values do not matter; records with a missing stratum are a stratum of their own."
    )
    example: ClassVar = {"fraction": 0.5}
    public: ClassVar = frozenset({"fraction", "size", "design", "by", "weight"})
    draws: ClassVar = True

    fraction: Annotated[
        float | None,
        Field(description="The share of records to keep (above 0, at most 1).", gt=0, le=1),
    ] = None
    _: KW_ONLY
    size: Annotated[
        int | None, Field(description="The number of records to keep instead.", ge=1)
    ] = None
    design: Annotated[
        Literal["simple", "stratified", "systematic"],
        Field(description="How records are drawn."),
    ] = "simple"
    by: Annotated[
        AttributeNames | None,
        Field(description="The attributes that make the strata; by default the role stratum."),
    ] = None
    weight: Annotated[
        str | None,
        Field(description="A weight attribute to add where the data have none."),
    ] = None

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        if (self.fraction is None) == (self.size is None):
            raise ValueError("`sample` needs one of `fraction` and `size`.")
        if self.by is not None and self.design != "stratified":
            raise ValueError(f"`by` of `sample` needs the stratified design; found {self.design}.")
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the sample."""
        if not len(data):
            return data
        if self.size is not None and self.size > len(data):
            raise ParameterError(f"`sample` cannot draw {self.size:,} of {len(data):,} records.")
        chosen, factor = DESIGNS[self.design](self, data, rng)
        order = np.argsort(chosen)
        sample = data.take(chosen[order]).noting(sampled=len(chosen), of=len(data))
        return self._weighted(sample, factor[order])

    def count(self, records: int) -> int:
        """Return how many of some records are kept: the nearest whole number, at least one."""
        if self.size is not None:
            return self.size
        return max(1, round(Fraction(str(self.fraction)) * records))

    def _weighted(self, sample: Dataset, factor: Floats) -> Dataset:
        held = sample.with_role(Role.WEIGHT)
        if held:
            values = pa.array(sample.numbers(held[0]) * factor)
            return sample.with_column(sample.attribute(held[0]), values)
        if self.weight is None:
            return sample
        if self.weight in sample.attributes:
            raise ParameterError(
                f"`weight` of `sample` names `{self.weight}`, which is in the data already."
            )
        added = Attribute(self.weight, frozenset({Role.WEIGHT}), Kind.CONTINUOUS)
        return sample.with_new_column(added, pa.array(factor))


Draw = tuple[Ints, Floats]


def _simple(method: Sample, data: Dataset, rng: np.random.Generator) -> Draw:
    n = method.count(len(data))
    return rng.choice(len(data), n, replace=False), np.full(n, len(data) / n)


def _systematic(method: Sample, data: Dataset, rng: np.random.Generator) -> Draw:
    n = method.count(len(data))
    step = len(data) / n
    places = np.floor((np.arange(n) + rng.random()) * step).astype(np.int64)
    return np.minimum(places, len(data) - 1), np.full(n, step)


def _stratified(method: Sample, data: Dataset, rng: np.random.Generator) -> Draw:
    names = data.with_role(Role.STRATUM) if method.by is None else list(method.by)
    if not names:
        raise ParameterError(
            "The stratified `sample` needs strata: say `by`, or give an attribute the role."
        )
    strata = data.classes(names)
    wanted = _allocate(method, strata.counts)
    shuffled = rng.permutation(len(data))
    stratum = strata.of_record[shuffled]
    by_stratum = np.argsort(stratum, kind="stable")
    # Within its stratum a record's turn is its place among the shuffled ones.
    starts = np.concatenate([[0], np.cumsum(strata.counts)[:-1]])
    turn = np.arange(len(data)) - starts[stratum[by_stratum]]
    chosen = shuffled[by_stratum[turn < wanted[stratum[by_stratum]]]]
    return chosen, (strata.counts / wanted)[strata.of_record[chosen]]


def _allocate(method: Sample, counts: Ints) -> Ints:
    """Share the sample out over the strata, proportionally and at least one each."""
    if method.size is None:
        return np.array([method.count(int(count)) for count in counts], np.int64)
    if method.size < len(counts):
        raise ParameterError(
            f"`sample` needs at least one record for each of {len(counts)} strata."
        )
    share = counts * (method.size / counts.sum())
    wanted: Ints = np.maximum(np.floor(share).astype(np.int64), 1)
    while (left := method.size - int(wanted.sum())) != 0:
        # The largest remainder gets one more; the stratum furthest above its share gives one back.
        behind = np.where(wanted < counts, share - wanted, -np.inf)
        ahead = np.where(wanted > 1, wanted - share, -np.inf)
        wanted[int(np.argmax(behind if left > 0 else ahead))] += 1 if left > 0 else -1
    return wanted


DESIGNS = {"simple": _simple, "systematic": _systematic, "stratified": _stratified}
