"""Differential privacy through microaggregation: noise for averages instead of records."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import Annotated, ClassVar, Self

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset, Guarantee
from tacita.errors import ProtectionError
from tacita.mechanisms.secure_noise import (
    STEPS,
    Bounds,
    Epsilon,
    noised,
    off_grid,
    on_grid,
    refuse_bounds,
    refuse_mixed,
)
from tacita.method import Method
from tacita.microdata.masking.partitions.ordering import fixed_runs
from tacita.preserved import Statistic, always
from tacita.validity import Change


class PrivateMicroaggregation(Method):
    """Release differentially private averages of clusters of at least k records.

    Records are put in an order that depends on each record alone: by their distance from the corner
    of lowest values, in units of the declared ranges. Runs of k are the clusters, n / k of them.
    Where one record changes, every cluster changes in one record at most, so that the sum of an
    attribute over a cluster moves by its range D at most, and its average by D / k. Laplace noise
    of scale p (n / k) (D / k) / epsilon is added to the averages of p attributes, epsilon / p for
    each. So noise is smaller than for single records, p D / epsilon, if k is above the root of n.
    With one attribute, clusters only pass the values next to their edges on, all sums together move
    by D at most, and the scale is (D / k) / epsilon whatever n is.

    What is released are n records with these attributes only, each cluster's average once for every
    member, cluster by cluster: where a record lay in the original file does not show. Values are
    clamped to the bounds, which must not come from the data, and so are the released averages. The
    number of records is no secret. Noise is OpenDP's discrete Laplace on whole numbers (values are
    rounded to 2^-20 of the range), drawn from the system's secure source: the seed does not matter
    and no run can be repeated.

    When not to use it: on files that were changed elsewhere by looking at them (records left out,
    values suppressed), where the guarantee would not hold, and which is refused after such a step;
    with few records.

    >>> import tacita as ta
    >>> private = ta.PrivateMicroaggregation({"age": (0, 120)}, epsilon=1, k=50)
    >>> safe = ta.example("toy", 300).apply(private)
    >>> len(safe), safe.names, safe.guarantees[0].epsilon
    (300, ['age'], 1.0)
    """

    applies_to: ClassVar = frozenset({Kind.CONTINUOUS})
    keeps: ClassVar = (always(Statistic.RECORDS), always(Statistic.EPSILON))
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Soria-Comas, Domingo-Ferrer, Sanchez & Martinez, Enhancing data utility in differential "
        "privacy via microaggregation-based k-anonymity, VLDB Journal 23(5), 2014"
    )
    missing: ClassVar = (
        "A blank counts as the middle of the bounds and is filled, as it must not show who had one."
    )
    example: ClassVar = {"bounds": {"age": [0, 120]}, "epsilon": 1.0, "k": 10}
    public: ClassVar = frozenset({"bounds", "epsilon", "k"})
    draws: ClassVar = True
    repeatable: ClassVar = False

    bounds: Bounds
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

    @model_validator(mode="after")
    def _are_bounds(self) -> Self:
        refuse_bounds(self.name, self.bounds)
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that are released."""
        return list(self.bounds)

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return private averages instead of the records."""
        refuse_mixed(self.name, data)
        bare = data.without(set(data.names) - set(self.bounds))
        if not len(data):
            return bare
        if len(data) < self.k:
            raise ProtectionError(
                f"`{self.name}` needs at least k = {self.k} records; found {len(data)}."
            )
        whole = np.column_stack(
            [on_grid(data.numbers(name), bounds) for name, bounds in self.bounds.items()]
        )
        labels = insensitive_clusters(whole, self.k)
        order = np.argsort(labels, kind="stable")
        private = replace(bare.take(order), suppressed_cells={}, missing_reasons={})
        for name, column in zip(self.bounds, whole.T, strict=True):
            found = self._private_means(name, column, labels)
            values = pa.array(found[labels[order]])
            private = private.with_column(data.attribute(name), values)
        promised = Guarantee(self.name, tuple(self.bounds), self.epsilon)
        return replace(
            private,
            origin=replace(data.origin, index=None),  # row labels would tell who is where
            guarantees=(*data.guarantees, promised),
        ).noting(clusters=int(labels.max()) + 1)

    def _private_means(self, name: str, column: Ints, labels: Ints) -> Floats:
        sizes = np.bincount(labels)
        sums = np.bincount(labels, column).astype(np.int64)  # exact: far below 2^53
        together = 1 if len(self.bounds) == 1 else len(sizes)
        noisy = noised(sums.tolist(), STEPS * together, self.epsilon / len(self.bounds))
        return off_grid(np.array(noisy) / sizes, self.bounds[name])


def insensitive_clusters(records: Ints, k: int) -> Ints:
    """Group records by k so that a change of one record changes each cluster in one at most.

    They are ordered by their distance from the origin, then by their values: records that are at
    the same place in this order are equal.

    >>> insensitive_clusters(np.array([[3, 0], [0, 1], [0, 3], [1, 0]]), k=2)
    array([1, 0, 1, 0])

    Args:
        records: records by attributes, in whole numbers from 0 to STEPS.
        k: the size of clusters; the last has up to 2k - 1.
    """
    # In floating point, as many attributes may be too far away for whole numbers; the distance of
    # a record still depends on that record alone.
    away = np.square(records.astype(np.float64)).sum(axis=1)
    rank = np.empty(len(records))
    rank[np.lexsort((*records.T, away))] = np.arange(len(records))
    return fixed_runs(rank, k)
