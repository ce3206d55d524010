"""Sorted clusters: neighbours in one sorted row share their ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from tacita.data.attribute import Kind
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, ProtectionError
from tacita.method import ANY_KIND, Method, refuse_kind
from tacita.microdata.anonymize.promises import Models, named
from tacita.microdata.masking.partitions.ordering import fixed_runs
from tacita.microdata.masking.ranges.hulls import ascending_axis, released_as_ranges
from tacita.microdata.masking.ranges.line import Line
from tacita.microdata.models.k_anonymity import KAnonymity
from tacita.preserved import Statistic, always
from tacita.validity import Change


class SortedClusters(Method):
    """Reach k-anonymity by sorting the records once and releasing k in a row as ranges.

    Records are sorted by their standardized distance to the record of zeros, the root of the sum
    over keys of (a_j / sigma_j)^2 (ties by record number). Every k in a row are a cluster, the last
    one has k to 2k - 1, and each key is released as `[min;max]` of its cluster, or as the value
    itself where all agree. The order of the records stays, none is left out. Numbers and codes of
    as many digits each count as numbers, dates as days from the first one on, categories as their
    place in their order, their tree or the alphabet.

    Takes one sort, so that millions of records are a matter of seconds.

    When not to use it: where utility matters more than time; records that are as far from zero need
    not be alike.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> safe = data.apply(ta.SortedClusters(ta.KAnonymity(3, keys=["DH"])), seed=0)
    >>> safe.column("DH").to_pylist()[:3]
    ['[1;3]', '[1;3]', '[7;60]']
    """

    applies_to: ClassVar = ANY_KIND - {Kind.SET_VALUED}
    keeps: ClassVar = (always(Statistic.RECORDS),)
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = (
        "Sanchez, Martinez & Domingo-Ferrer, Science 351(6279):1274, 2016, Algorithm S2"
    )
    missing: ClassVar = (
        "Records with blanks are sorted after the others; where one record of a cluster is blank, "
        "all become blank."
    )
    example: ClassVar = {"to": [{"k_anonymity": {"k": 2}}]}
    public: ClassVar = frozenset({"to"})

    to: Models

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the keys of every cluster as ranges."""
        model = self._model()
        keys = chosen_keys(data, model.keys)
        refuse_unsuitable(self, data, keys, model.k)
        lines = [Line.of(data, name) for name in keys]
        cluster = fixed_runs(ascending_axis(lines, len(data)), model.k)
        clusters = len(data) // model.k
        released = released_as_ranges(data, lines, cluster, clusters) if len(data) else data
        return released.noting(clusters=clusters, cluster_size=model.k, suppressed_records=0)

    def _model(self) -> KAnonymity:
        if len(self.to) == 1 and isinstance(self.to[0], KAnonymity):
            return self.to[0]
        raise ParameterError(
            f"`{self.name}` reaches one k_anonymity and nothing else; found {named(self.to)}. "
            "`close_clusters` adds t_closeness, `lattice` reaches any models."
        )


def chosen_keys(data: Dataset, said: Sequence[str] | None) -> tuple[str, ...]:
    """Return the keys that a model looks at; no classes are counted for it.

    Raises:
        InputError: nobody said which attributes are keys.
    """
    keys = tuple(data.keys if said is None else said)
    return keys or data.classes(keys).keys


def refuse_unsuitable(method: Method, data: Dataset, keys: tuple[str, ...], k: int) -> None:
    """Refuse keys that have no ranges, and fewer records than one cluster needs.

    Raises:
        ParameterError: a key holds sets.
        ProtectionError: there are fewer than k records.
    """
    for name in keys:
        refuse_kind(method, data, name)
    if 0 < len(data) < k:
        raise ProtectionError(
            f"A cluster needs {k} records and there are only {len(data)}: lower `k` or add records."
        )
