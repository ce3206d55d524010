"""Microaggregation of all keys together: alike records get the same keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.anonymize.clusters.merging import Clusters, reached
from tacita.microdata.anonymize.clusters.space import key_space, microaggregated
from tacita.microdata.anonymize.promises import Models, keys_of, promises_of
from tacita.microdata.masking.partitions.scaling import Scale
from tacita.preserved import Statistic, Trait, always
from tacita.validity import Change

ClusterSize = Annotated[
    int | None,
    Field(
        description="The least number of records in a cluster before clusters are merged; by "
        "default the largest k, l or p of the models, and 2 at least.",
        ge=1,
    ),
]
Unit = Annotated[
    Scale,
    Field(description="The unit of distances: standard deviations, ranges or as they are."),
]


class Microaggregation(Method):
    """Reach privacy models by giving clusters of alike records the same keys, their centroid.

    All keys are microaggregated together by MDAV (maximum distance to average vector): clusters of
    k to 2k - 1 records around the records farthest from the average. The centroid has the mean of
    numbers and dates, the median of ordinal values, and the value most central in meaning of others
    (without a hierarchy, the most frequent). So every class has at least k records, and no key
    loses its scale. Clusters that break another model, the smallest first, are merged with the
    nearest until all models hold; no record is left out.

    The time is O(n log n) or so for numbers and dates, O(n^2 / k) with other kinds, and O(c d) for
    every cluster to merge, with c clusters and d keys.

    When not to use it: where released keys must be true, if coarse, values; generalize then.

    >>> import tacita as ta
    >>> safe = ta.example("conditions").apply(ta.Microaggregation(ta.KAnonymity(4)), seed=0)
    >>> ta.KAnonymity(4).check(safe).holds, safe.notes["groups"][0]["smallest"]
    (True, 4)
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        always(Statistic.RECORDS),
        always(Statistic.MEANS, of="keys that are numbers", unless={Trait.RARE_BLANKS}),
    )
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = (
        "Domingo-Ferrer & Torra, Ordinal, continuous and heterogeneous k-anonymity through "
        "microaggregation, Data Mining and Knowledge Discovery 11(2), 2005"
    )
    missing: ClassVar = (
        "A blank key is far from every value; it stays, and where it shares a cluster with values, "
        "these are suppressed, so that all records of a cluster have the same blanks."
    )
    example: ClassVar = {"to": [{"k_anonymity": {"k": 3, "keys": ["age", "born"]}}]}
    public: ClassVar = frozenset({"to", "k", "scale"})

    to: Models
    _: KW_ONLY
    k: ClusterSize = None
    scale: Unit = "standardize"

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the keys of every cluster replaced by their centroid."""
        space = key_space(data, keys_of(promises_of(self.to, data)), self.scale)
        if not len(data):
            return data
        labels = microaggregated(space, self.k or least_size(self.to))
        return reached(data, Clusters(space, labels), self.to)


def least_size(models: Sequence[Method]) -> int:
    """Return how many records a cluster needs at least for some models, and 2 anyway."""
    return max(2, *(getattr(model, name, 0) for model in models for name in ("k", "l", "p")))
