"""Local suppression: single values are blanked until nobody's combination of keys is rare."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, replace
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.dataset import Dataset
from tacita.data.read import as_dataset
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.method import ANY_KIND, AttributeName, AttributeNames, Method
from tacita.microdata.masking.suppressing.households import choose_alike
from tacita.microdata.masking.suppressing.problem import MOST_UNITS, as_meant
from tacita.microdata.masking.suppressing.recoding import (
    Levels,
    best_levels,
    recoded,
    recoding_cost,
)
from tacita.microdata.masking.suppressing.records import (
    Chosen,
    Task,
    blank_in,
    blanked,
    choose,
    strata_of,
)
from tacita.microdata.masking.suppressing.search import Depth, Matching, Search
from tacita.microdata.masking.suppressing.suppressed import Suppressed
from tacita.preserved import Statistic, always
from tacita.results import listed, show
from tacita.solvers.integer import Effort
from tacita.validity import Change

MOST_KEYS = 62  # a pattern is a number of so many bits
NODES: dict[Depth, int | None] = {"fast": None, "thorough": 100, "proven": None}
SYMMETRIC = (
    "A blank that matches anything protects little: k - 1 records without any value would make "
    "every file k-anonymous. Use the strict matching."
)


class LocalSuppression(Method):
    """Blank as few key values as possible, so that every combination is shared by k records.

    Each record r is released under a pattern P of blanked keys; what is minimized is the sum of
    importance(j) over all blanked values. *Strict* matching (the default): a blank matches only a
    blank, so that the released file is k-anonymous to whoever reads it. *One-sided*: a record with
    blanks may be counted in any class it fits, the others not: every record fits, wherever it is
    not blank, some class of k records. *Symmetric*: a blank matches anything, for compatibility
    only, with a warning.

    Files of some thousand combinations (of a few dozen where matching is symmetric, of some hundred
    with `search="proven"`) are solved by integer programming, strata apart, mostly
    with a proof. For larger ones, cells are opened where that costs each rare record least. A lower
    bound is always given: `find(data)` tells the values suppressed of each attribute, cost, bound
    and whether it is optimal; a release keeps them in its internal evidence.

    `subsets=m` asks for k records in every combination of up to m keys only; `by` for k records
    within each stratum; `households="alike"` blanks attributes that households share in all members
    alike; `recoding=f` moves keys up their hierarchies first where that is cheaper, each value at
    level l of h counting as f x l / h of a suppressed one.

    When not to use it: on continuous keys, whose values are nearly all unique; recode them first.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> data = ta.read(pa.table({"sex": list("ffffmm"), "job": list("aaabab")}),
    ...                roles={"sex": "key", "job": "key"})
    >>> ta.LocalSuppression(k=2).find(data)
    4 suppressed values, cost 4 (the least possible)
      sex  4
      job  0
    >>> safe = data.apply(ta.LocalSuppression(k=2))
    >>> ta.KAnonymity(2).check(safe).holds
    True
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        always(Statistic.VALUES, of="all attributes, where not blanked", given={"recoding": None}),
    )
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = (
        "Willenborg & de Waal, Elements of Statistical Disclosure Control, Springer 2001, ch. 6"
    )
    missing: ClassVar = (
        "A missing value counts as suppressed already; one missing for a stated reason is a value."
    )
    example: ClassVar = {"k": 2, "attributes": ["education", "region"]}
    public: ClassVar = frozenset({"k", "attributes", "matching", "subsets", "by", "households"})

    k: Annotated[
        int, Field(description="The least number of records that share a combination.", ge=2)
    ] = 3
    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes whose values may be blanked; by default the keys."),
    ] = None
    _: KW_ONLY
    importance: Annotated[
        Mapping[AttributeName, Annotated[float, Field(gt=0)]] | None,
        Field(description="What a value of an attribute costs (above 0); 1 where nothing is said."),
    ] = None
    matching: Annotated[
        Matching, Field(description="What a blank matches: strict, one_sided or symmetric.")
    ] = "strict"
    subsets: Annotated[
        int | None,
        Field(description="How many attributes are combined at most; all when left out.", ge=1),
    ] = None
    by: Annotated[
        AttributeNames | None,
        Field(description="The attributes that make strata, within which records are counted."),
    ] = None
    recoding: Annotated[
        float | None,
        Field(
            description="What a value at the top of its hierarchy counts, as a share of a "
            "suppressed one (0 or more); nothing is recoded when left out.",
            ge=0,
        ),
    ] = None
    households: Annotated[
        Literal["apart", "alike"],
        Field(description="Whether what members of a household share is blanked in all alike."),
    ] = "apart"
    search: Annotated[
        Depth,
        Field(
            description="How hard the optimum is looked for: fast (never), thorough (where the "
            "file is small enough), proven (as long as it takes)."
        ),
    ] = "thorough"
    time_limit: Annotated[
        float | None,
        Field(
            gt=0,
            description="The seconds after which the best found so far is taken; none when left "
            "out. What a clock stops may differ from run to run.",
        ),
    ] = None
    node_limit: Annotated[
        int | None,
        Field(
            ge=1,
            description="The nodes of the search tree after which the best found so far is taken, "
            "the same in every run; by default 100 of a thorough search, none of a proven one.",
        ),
    ] = None

    @model_validator(mode="after")
    def _together(self) -> Self:
        if self.matching == "symmetric" and self.subsets is not None:
            raise ValueError("`subsets` of `local_suppression` needs strict or one_sided matching.")
        again = set(self.attributes or ()) & set(self.by or ())
        if again:
            raise ValueError(
                f"`local_suppression` cannot blank `{min(again)}`, which makes the strata."
            )
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with values suppressed."""
        found = self.find(data)
        return found.data.noting(**found.to_dict())

    def find(self, data: Dataset) -> Suppressed:
        """Suppress values, and tell what that costs and what it must cost at least.

        Raises:
            ProtectionError: there are fewer than k records, or in a stratum.
        """
        data = as_dataset(data)
        task = self._task(data)
        if not len(data):
            return Suppressed(data, dict.fromkeys(task.names, 0), 0.0, 0.0)
        _refuse_few(data, task)
        if self.matching == "symmetric":
            warnings.warn(SYMMETRIC, UserWarning, stacklevel=2)
        nodes = self.node_limit or NODES[self.search]
        search = Search(self.matching, self.subsets, self.search, Effort(nodes, self.time_limit))
        levels = self._levels(data, task, search)
        start = recoded(data, levels)
        way = choose if self.households == "apart" else choose_alike
        return self._told(start, task, way(start, task, search), levels)

    def _task(self, data: Dataset) -> Task:
        by, importance = self.by or (), self.importance or {}
        names = self.attributes or [key for key in data.keys if key not in by]
        if not names:
            raise InputError(
                "`local_suppression` needs attributes to blank: give some the role `key`, or name "
                "them in `attributes`."
            )
        if len(names) > MOST_KEYS:
            raise ParameterError(
                f"`local_suppression` combines at most {MOST_KEYS} attributes; found {len(names)}."
            )
        for name in importance:
            if name not in names:
                raise ParameterError(
                    f"`importance` of `local_suppression` names `{name}`, which is not among the "
                    f"attributes to blank ({listed(names)})."
                )
        weights = {name: importance.get(name, 1.0) for name in names}
        least, most = min(weights.values()), max(weights.values())
        if most / MOST_UNITS > least:
            raise ParameterError(
                f"`importance` of `local_suppression` can span a factor of {MOST_UNITS:,}; found "
                f"{show(least)} to {show(most)}, where 1 is what nothing is said of."
            )
        return Task(self.k, weights, by)

    def _levels(self, data: Dataset, task: Task, search: Search) -> Levels:
        if self.recoding is None:
            return {}
        fast, factor = replace(search, depth="fast"), self.recoding

        def cost(levels: Levels) -> Fraction:
            spent = recoding_cost(data, levels, task.weights, factor)
            return spent + choose(recoded(data, levels), task, fast).cost

        return best_levels(data, task.names, cost)

    def _told(self, data: Dataset, task: Task, chosen: Chosen, levels: Levels) -> Suppressed:
        released = blanked(data, task.names, chosen.patterns)
        values = {
            name: int(np.count_nonzero(blank_in(released, name) & ~blank_in(data, name)))
            for name in task.names
        }
        cost = sum(as_meant(task.weights[name]) * number for name, number in values.items())
        return Suppressed(
            released,
            values,
            float(cost),
            float(chosen.bound),
            is_reproducible=not chosen.is_timed,
            levels={name: level for name, level in levels.items() if level},
            warning=SYMMETRIC if self.matching == "symmetric" else None,
        )


def _refuse_few(data: Dataset, task: Task) -> None:
    strata = strata_of(data, task).counts
    if strata.min() < task.k:
        where = f"a stratum of {listed(task.by)} has" if task.by else "there are"
        raise ProtectionError(
            f"No combination can be shared by {task.k} records where {where} only {strata.min()}: "
            "lower `k` or merge strata."
        )
