"""Differential privacy through microaggregation: noise for clusters instead of records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, replace
from typing import Annotated, ClassVar, Self

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from tacita.data.attribute import Kind
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset, Guarantee
from tacita.errors import ParameterError, ProtectionError
from tacita.mechanisms.private.accounting import exact
from tacita.mechanisms.secure_noise import Epsilon, refuse_bounds, refuse_mixed
from tacita.method import AttributeNames, Method
from tacita.microdata.anonymize.private_clusters.attribute import ClusteredAttribute, Clusters
from tacita.microdata.anonymize.private_clusters.categories import (
    ClusteredCategories,
    PublicMeaning,
)
from tacita.microdata.anonymize.private_clusters.numbers import ClusteredNumbers
from tacita.microdata.anonymize.private_clusters.sets import ClusteredSets
from tacita.microdata.masking.partitions.ordering import fixed_runs
from tacita.microdata.synthesis.measuring_marginals.domain import (
    PublicCategories,
    not_public,
    public_attribute,
    public_values,
)
from tacita.preserved import Statistic, always
from tacita.validity import Change

OF_CATEGORIES = frozenset({Kind.ORDINAL, Kind.NOMINAL, Kind.SET_VALUED})


class PrivateMicroaggregation(Method):
    """Release differentially private values of clusters of at least k records.

    Records are put in an order that depends on each record alone: by their distance from the corner
    of lowest values, in units of the declared ranges. Runs of k are the clusters, n / k of them.
    Where one record changes, every cluster changes in one record at most. Of p attributes each has
    epsilon / p, and epsilon / p / (n / k) for a cluster:

    - Numbers get noisy averages. The sum of an attribute over a cluster moves by its range D at
      most, its average by D / k, and gets Laplace noise of scale p (n / k) (D / k) / epsilon. So
      noise is smaller than for single records, p D / epsilon, if k is above the root of n.
    - Categories get one of all possible categories c, with a probability that falls with
      exp(-s(c) epsilon / (2 p (n / k) D)), where s(c) is the sum of its distances to the members,
      and D by how much one member moves it at most. Distances are between ranks if there is an
      order, else by the hierarchy or ontology, else 0 or 1. The order of categories without one is
      a tour from the most marginal one to the nearest that is left.
    - Sets get as many members as the cluster's have on average, the most frequent ones, both by
      counts with Laplace noise of scale 2 `members` p (n / k) / epsilon: of a set, so many members
      count. It lies by the mean place of its members.

    With a single attribute of numbers or categories, clusters only pass the values next to their
    edges on, and all sums together move by the range, or by the length of the way through all
    categories: there is no factor n / k for numbers, and often a small one for categories.

    What is released are n records with these attributes only, each cluster's value once for every
    member, cluster by cluster: where a record lay in the original file does not show. Values are
    clamped to the bounds, which must not come from the data, and so are the released averages;
    categories and members of sets must be declared (an order, a tree of categories, `categories`).
    The number of records is no secret. Noise and choices are OpenDP's, on whole numbers (values are
    rounded to 2^-20 of the range), from the system's secure source: the seed does not matter and no
    run can be repeated. Choices are made by permute-and-flip, which errs less than the exponential
    mechanism for the same loss.

    When not to use it: on files that were changed elsewhere by looking at them (records left out,
    values suppressed), where the guarantee would not hold, and which is refused after such a step;
    with few records; for several categorical attributes whose relations matter, see
    `private_marginals`.

    >>> import tacita as ta
    >>> private = ta.PrivateMicroaggregation({"age": (0, 120)}, epsilon=1, k=50)
    >>> safe = ta.example("toy", 300).apply(private)
    >>> len(safe), safe.names, safe.guarantees[0].epsilon
    (300, ['age'], 1.0)
    >>> by_meaning = ta.PrivateMicroaggregation(attributes="disease", epsilon=1, k=50)
    >>> len(ta.example("toy", 300).apply(by_meaning).column("disease").unique()) <= 6
    True
    """

    applies_to: ClassVar = frozenset({Kind.CONTINUOUS, *OF_CATEGORIES})
    keeps: ClassVar = (always(Statistic.RECORDS), always(Statistic.EPSILON))
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Soria-Comas, Domingo-Ferrer, Sanchez & Martinez, Enhancing data utility in differential "
        "privacy via microaggregation-based k-anonymity, VLDB Journal 23(5), 2014; McKenna & "
        "Sheldon, Permute-and-flip, NeurIPS 2020; Batet, Erola, Sanchez & Castella-Roca, "
        "Information Sciences 242:110-123, 2013 (sets)"
    )
    missing: ClassVar = (
        "A blank counts as the middle of the bounds, as the category nearest to all others or as "
        "an empty set, and is filled, as it must not show who had one."
    )
    example: ClassVar = {"bounds": {"age": [0, 120]}, "epsilon": 1.0, "k": 10}
    public: ClassVar = frozenset({"bounds", "attributes", "categories", "members", "epsilon", "k"})
    draws: ClassVar = True
    repeatable: ClassVar = False

    bounds: Annotated[
        dict[str, tuple[float, float]],
        Field(
            description="The numbers to release, each with its lowest and highest possible value, "
            "known without looking at the data."
        ),
    ] = Field(default_factory=dict)
    _: KW_ONLY
    epsilon: Epsilon
    k: Annotated[
        int,
        Field(
            description="The least number of records in a cluster (1 or more); the root of the "
            "number of records or more where several attributes are released.",
            ge=1,
        ),
    ]
    attributes: Annotated[
        AttributeNames | None,
        Field(description="The categories and sets to release."),
    ] = None
    categories: PublicCategories = Field(default_factory=dict)
    members: Annotated[
        int,
        Field(
            description="How many members of a set count at most (1 or more): those that are "
            "declared first.",
            ge=1,
        ),
    ] = 5

    @model_validator(mode="after")
    def _are_declared(self) -> Self:
        refuse_bounds(self.name, self.bounds)
        if not self.named_attributes():
            raise ValueError(f"`{self.name}` needs `bounds` of numbers, or `attributes`.")
        both = set(self.bounds) & set(self.attributes or ())
        if both:
            raise ValueError(
                f"`{min(both)}` has `bounds`, as numbers have; leave it out of `attributes`."
            )
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that are released."""
        return [*self.bounds, *(self.attributes or ())]

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return private values of clusters instead of the records."""
        refuse_mixed(self.name, data)
        names = self.named_attributes()
        bare = data.without(set(data.names) - set(names))
        clustered = self._clustered(bare)
        if not len(data):
            return bare
        if len(data) < self.k:
            raise ProtectionError(
                f"`{self.name}` needs at least k = {self.k} records; found {len(data)}."
            )
        labels = _labels(clustered, self.k)
        clusters = Clusters(labels, alone=len(names) == 1)
        rows = np.sort(labels)
        private = replace(
            bare.take(np.argsort(labels, kind="stable")), suppressed_cells={}, missing_reasons={}
        )
        share = exact(self.epsilon) / len(names)
        for name, attribute in clustered.items():
            values = attribute.private_values(clusters, share)
            private = private.with_column(
                public_attribute(data.attribute(name), values), values.take(pa.array(rows))
            )
        promised = Guarantee(self.name, tuple(names), self.epsilon)
        return replace(
            private,
            origin=replace(data.origin, index=None),  # row labels would tell who is where
            guarantees=(*data.guarantees, promised),
        ).noting(clusters=int(labels.max()) + 1)

    def _clustered(self, data: Dataset) -> Mapping[str, ClusteredAttribute]:
        """Return the attributes as they are clustered, of which only the domain was declared."""
        for name in self.categories:
            if name not in (self.attributes or ()):
                raise ParameterError(
                    f"`categories` of `{self.name}` names `{name}`; name it in `attributes`, too."
                )
        found: dict[str, ClusteredAttribute] = {}
        for name, bounds in self.bounds.items():
            self._refuse_kind(data, name, frozenset({Kind.CONTINUOUS}), "`attributes`")
            found[name] = ClusteredNumbers.of(data.numbers(name), bounds)
        for name in self.attributes or ():
            self._refuse_kind(data, name, OF_CATEGORIES, "`bounds`")
            column, meaning = data.column(name), self._meaning(data, name)
            if data.attribute(name).kind is Kind.SET_VALUED:
                found[name] = ClusteredSets.of(column, self.members, meaning)
            else:
                found[name] = ClusteredCategories.of(column, meaning)
        return found

    def _refuse_kind(self, data: Dataset, name: str, able: frozenset[Kind], instead: str) -> None:
        kind = data.attribute(name).kind
        if kind not in able:
            raise ParameterError(
                f"`{name}` is {kind.value}; of `{self.name}`, it belongs to {instead}."
            )

    def _meaning(self, data: Dataset, name: str) -> PublicMeaning:
        attribute, kind = data.attribute(name), data.column(name).type
        if pa.types.is_list(kind):
            kind = kind.value_type
        values = public_values(self.name, attribute, kind, self.categories.get(name))
        if values is None:
            raise not_public(self.name, name, "its `categories`, an order or a tree")
        return PublicMeaning.of(attribute, values)


def _labels(attributes: Mapping[str, ClusteredAttribute], k: int) -> Ints:
    columns = attributes.values()
    return insensitive_clusters(
        np.column_stack([one.places for one in columns]),
        k,
        np.column_stack([one.ties for one in columns]),
    )


def insensitive_clusters(records: Ints, k: int, ties: Ints | None = None) -> Ints:
    """Group records by k so that a change of one record changes each cluster in one at most.

    They are ordered by their distance from the origin, then by their values: records that are at
    the same place in this order are equal.

    >>> insensitive_clusters(np.array([[3, 0], [0, 1], [0, 3], [1, 0]]), k=2)
    array([1, 0, 1, 0])

    Args:
        records: records by attributes, in whole numbers from 0 to STEPS.
        k: the size of clusters; the last has up to 2k - 1.
        ties: what tells records apart that have the same numbers, without being equal.
    """
    # In floating point, as many attributes may be too far away for whole numbers; the distance of
    # a record still depends on that record alone.
    away = np.square(records.astype(np.float64)).sum(axis=1)
    rank = np.empty(len(records))
    apart = () if ties is None else tuple(ties.T)
    rank[np.lexsort((*apart, *records.T, away))] = np.arange(len(records))
    return fixed_runs(rank, k)
