"""t-closeness through microaggregation: clusters of alike records with unlike values."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.method import ANY_KIND, Method
from tacita.microdata.anonymize.close_clusters import cluster_size
from tacita.microdata.anonymize.clusters.closeness import Spread, merge_until_close
from tacita.microdata.anonymize.clusters.k_anonymity_first import k_anonymity_first
from tacita.microdata.anonymize.clusters.merging import Clusters, reached
from tacita.microdata.anonymize.clusters.space import key_space, microaggregated
from tacita.microdata.anonymize.clusters.t_closeness_first import t_closeness_first
from tacita.microdata.anonymize.microaggregation import ClusterSize, Unit, least_size
from tacita.microdata.anonymize.promises import Models, Promise, keys_of, promises_of
from tacita.microdata.masking.partitions.mixed import MixedSpace
from tacita.microdata.models.t_closeness import TCloseness
from tacita.preserved import Statistic, Trait, always
from tacita.results import exactly
from tacita.validity import Change

ORDERED = frozenset({Kind.CONTINUOUS, Kind.ORDINAL, Kind.DATE})


class TCloseMicroaggregation(Method):
    """Reach t-closeness, and other models, by giving clusters of records the same keys.

    As in `Microaggregation` the keys of a cluster are replaced by their centroid, so that every
    class has at least k records. Clusters are formed so that their confidential values, which have
    an order, are spread as in the whole file:

    - *merging*: MDAV, as if there were no confidential values;
    - *k_anonymity_first*: the same, and members of a cluster that is too far from the whole file
      are exchanged for other near records as it is formed;
    - *t_closeness_first*: the values are cut into k quantiles, k at least n / (2 (n - 1) t + 1),
      and each cluster takes the nearest record of each, which bounds its distance by
      (n - k) / (2 (n - 1) k) if all values differ. It loses the least by far where t is small.

    Afterwards the cluster that is farthest from the whole file is merged with the nearest until all
    are within t, and then those that break another model; no record is left out. Clusters start
    with so many records as any needs at least that is within t. The first t-closeness named guides
    the clusters; others are reached by merging.

    The time is O(n^2 d / k) for d keys: with 30,000 records of 8 keys and k = 5, *merging* and
    *t_closeness_first* take a few seconds, *k_anonymity_first* half a minute.

    When not to use it: where values have no order (use `Microaggregation`), or released keys must
    be true.

    >>> import tacita as ta
    >>> models = [ta.KAnonymity(3), ta.TCloseness(0.2, "Salary")]
    >>> safe = ta.example("salary").apply(ta.TCloseMicroaggregation(models), seed=0)
    >>> all(model.check(safe) for model in models)
    True
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        always(Statistic.RECORDS),
        always(Statistic.MEANS, of="keys that are numbers", unless={Trait.RARE_BLANKS}),
    )
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = (
        "Soria-Comas, Domingo-Ferrer, Sanchez & Martinez, t-Closeness through microaggregation: "
        "strict privacy with enhanced utility preservation, IEEE TKDE 27(11), 2015"
    )
    missing: ClassVar = (
        "A blank key is far from every value; it stays, and where it shares a cluster with values, "
        "these are suppressed. A blank confidential value is a value, the last in their order."
    )
    example: ClassVar = {
        "to": [
            {"k_anonymity": {"k": 100, "keys": ["age"]}},
            {"t_closeness": {"t": 0.4, "attribute": ["income"], "keys": ["age"]}},
        ],
        "algorithm": "merging",
    }
    public: ClassVar = frozenset({"to", "algorithm", "k", "scale"})

    to: Models
    _: KW_ONLY
    algorithm: Annotated[
        Literal["merging", "k_anonymity_first", "t_closeness_first"],
        Field(description="What comes first as clusters are formed."),
    ] = "t_closeness_first"
    k: ClusterSize = None
    scale: Unit = "standardize"

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the keys of every cluster replaced by their centroid."""
        promises = promises_of(self.to, data)
        name, t = self._guide(data, promises)
        space = key_space(data, keys_of(promises), self.scale)
        if not len(data):
            return data
        spread = Spread.of(data, name, t)
        clusters = Clusters(space, self._formed(space, spread))
        merge_until_close(clusters, spread)
        return reached(data, clusters, self.to)

    def _guide(self, data: Dataset, promises: list[Promise]) -> tuple[str, float]:
        """Return the attribute whose values guide the clusters, and how close they must be.

        Raises:
            ParameterError: none of the models is t-closeness of values with an order.
        """
        for promise in promises:
            model, name = promise.model, promise.attribute
            if name is None or not isinstance(model, TCloseness):
                continue
            if model.distance in (None, "ordered") and data.attribute(name).kind in ORDERED:
                return name, model.t
        raise ParameterError(
            f"`{self.name}` reaches `t_closeness` of numbers, dates and ordinal attributes, by "
            "their order, and found none in `to`; use `microaggregation` for other models."
        )

    def _formed(self, space: MixedSpace, spread: Spread) -> Ints:
        """Return the cluster of every record before any are merged."""
        n, k = len(spread.codes), self.k or least_size(self.to)
        least = spread.least_size(k)
        if n < 2 * least or not space.names:
            return np.zeros(n, np.int64)
        if self.algorithm == "merging":
            return microaggregated(space, least)
        if self.algorithm == "k_anonymity_first":
            return k_anonymity_first(space, spread, least)
        return t_closeness_first(space, spread.codes, cluster_size(n, k, exactly(spread.t)))
