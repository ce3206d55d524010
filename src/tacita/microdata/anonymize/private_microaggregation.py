"""Differential privacy through microaggregation: noise for averages instead of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, replace
from math import isfinite
from typing import Annotated, ClassVar, Self

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset, Guarantee
from tacita.errors import ProtectionError, load_extra
from tacita.method import Method
from tacita.microdata.masking.partitions.ordering import fixed_runs

STEPS = 2**20  # parts of an attribute's range that values are rounded to
ROUNDING = 1 + 1e-9  # by which scales are raised, so that no rounding costs privacy


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

    bounds: Annotated[
        dict[str, tuple[float, float]],
        Field(
            description="The attributes to release, each with its lowest and highest possible "
            "value, known without looking at the data.",
            min_length=1,
        ),
    ]
    _: KW_ONLY
    epsilon: Annotated[
        float, Field(description="The privacy loss of all attributes together (above 0).", gt=0)
    ]
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
        for name, (low, high) in self.bounds.items():
            if not (low < high and isfinite(high - low)):
                raise ValueError(
                    f"`bounds` of `{self.name}` needs a lowest and a higher value for `{name}`; "
                    f"found {low:g} and {high:g}."
                )
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that are released."""
        return list(self.bounds)

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return private averages instead of the records."""
        self._refuse_mixed(data)
        bare = data.without(set(data.names) - set(self.bounds))
        if not len(data):
            return bare
        if len(data) < self.k:
            raise ProtectionError(
                f"`{self.name}` needs at least k = {self.k} records; found {len(data)}."
            )
        whole = np.column_stack([self._on_grid(data, name) for name in self.bounds])
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

    def _refuse_mixed(self, data: Dataset) -> None:
        """Refuse data in which a record may tell of others: noise for one would not be enough."""
        if data.mixed_by is not None and not data.guarantees:
            raise ProtectionError(
                f"`{self.name}` guarantees nothing after `{data.mixed_by}`, which looked at "
                "more than one record at a time; mask with it first."
            )

    def _on_grid(self, data: Dataset, name: str) -> Ints:
        """Return values as whole numbers from 0 at the lower to STEPS at the upper bound."""
        low, high = self.bounds[name]
        values = np.clip(data.numbers(name), low, high)
        share = np.where(np.isnan(values), 0.5, (values - low) / (high - low))
        whole: Ints = np.rint(share * STEPS).astype(np.int64)
        return whole

    def _private_means(self, name: str, column: Ints, labels: Ints) -> Floats:
        low, high = self.bounds[name]
        sizes = np.bincount(labels)
        sums = np.bincount(labels, column).astype(np.int64)  # exact: far below 2^53
        together = 1 if len(self.bounds) == 1 else len(sizes)
        noisy = noised(sums.tolist(), STEPS * together, self.epsilon / len(self.bounds))
        share = np.array(noisy) / sizes / STEPS
        return np.clip(low + share * (high - low), low, high)


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


def noised(numbers: Sequence[int], sensitivity: int, epsilon: float) -> list[int]:
    """Add Laplace noise to whole numbers that all together move by a sensitivity at most."""
    dp = load_extra("opendp.prelude", "privacy")
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    scale = sensitivity / epsilon * ROUNDING
    noise = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=scale)
    found: list[int] = noise(list(numbers))
    return found
