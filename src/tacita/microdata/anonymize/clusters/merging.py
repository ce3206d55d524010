"""Merging clusters with their nearest until all keep what was promised."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.errors import ProtectionError
from tacita.method import Method
from tacita.microdata.anonymize.clusters.space import is_plain
from tacita.microdata.anonymize.promises import broken_records, keys_of, named, promises_of
from tacita.microdata.comparing.semantics import Semantics
from tacita.microdata.masking.microaggregate import Microaggregate
from tacita.microdata.masking.partitions.grouping import Grouping
from tacita.microdata.masking.partitions.mixed import MixedSpace
from tacita.results import counted


class Clusters:
    """Clusters of records that may be merged; each has a centre, by which the nearest is found.

    The centre has the mean of numbers and ranks and the semantic centroid of other values. Of two
    clusters that are merged, the one with the lower number goes on.

    Args:
        space: the records.
        labels: the cluster of every record, from 0, each with a record.
    """

    def __init__(self, space: MixedSpace, labels: Ints) -> None:
        from tacita.kernels.by_group import sum_by_group

        sizes = np.bincount(labels)
        sums = [sum_by_group(labels, column, len(sizes)) for column in space.numbers.T]
        empty = np.zeros((len(sizes), 0))
        codes = [part.centroids(labels) for part in space.semantics]
        self.space = space
        self.members = np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes)[:-1])
        self.numbers = np.column_stack([empty, *(total / sizes for total in sums)])
        self.codes = np.column_stack([empty.astype(np.int64), *codes])
        self.live = np.arange(len(sizes))

    def __len__(self) -> int:
        return len(self.live)

    @property
    def labels(self) -> Ints:
        """The cluster of every record, numbered anew from 0."""
        labels = np.empty(len(self.space.numbers), np.int64)
        for number, cluster in enumerate(self.live.tolist()):
            labels[self.members[cluster]] = number
        return labels

    def nearest(self, one: int, taken: Collection[int] = ()) -> int:
        """Return the cluster with the nearest centre; of equally near ones the first not taken."""
        from tacita.kernels.mixed_distance import squared_distances

        tables = [self.space.squares(place, int(c)) for place, c in enumerate(self.codes[one])]
        others = self.live[self.live != one]
        away = squared_distances(self.numbers, self.codes, others, self.numbers[one], tables)
        near = others[away == away.min()].tolist()
        return int(next((cluster for cluster in near if cluster not in taken), near[0]))

    def merge(self, one: int, other: int) -> int:
        """Make one cluster of two, and return its number."""
        kept, gone = min(one, other), max(one, other)
        sizes = len(self.members[kept]), len(self.members[gone])
        self.members[kept] = np.concatenate([self.members[kept], self.members[gone]])
        self.live = self.live[self.live != gone]
        self.numbers[kept] = np.average(self.numbers[[kept, gone]], axis=0, weights=sizes)
        for place, part in enumerate(self.space.semantics):
            self.codes[kept, place] = _centroid(part, self.members[kept])
        return kept


def _centroid(part: Semantics, rows: Ints) -> int:
    some = replace(part, codes=part.codes[rows])
    return int(some.centroids(np.zeros(len(rows), np.int64))[0])


def reached(data: Dataset, clusters: Clusters, models: Sequence[Method]) -> Dataset:
    """Release the centroids of clusters, merged until the released data keep all promises.

    In every round each cluster with a record that breaks a promise, the smallest first, is merged
    with the nearest, unless one of the two was merged in this round already.

    Raises:
        ProtectionError: even one cluster of all records breaks a promise.
    """
    keys = tuple(keys_of(promises_of(models, data)))
    while True:
        labels = clusters.labels
        masked = released(data, keys, labels, clusters.space)
        broken = broken_records(masked, models)
        if not broken.any():
            return masked
        if len(clusters) == 1:
            wanting = [model for model in models if broken_records(masked, [model]).any()]
            raise ProtectionError(
                f"Even one cluster of all {counted(len(data), 'record')} breaks {named(wanting)}; "
                "ask for less."
            )
        sizes = np.bincount(labels)
        wrong = np.flatnonzero(np.bincount(labels, broken) > 0)
        _merge_some(clusters, clusters.live[wrong[np.argsort(sizes[wrong], kind="stable")]])


def _merge_some(clusters: Clusters, wrong: Ints) -> None:
    taken: set[int] = set()
    for one in wrong.tolist():
        if one in taken:
            continue
        other = clusters.nearest(one, taken)
        if other not in taken:
            clusters.merge(one, other)
            taken |= {one, other}


def released(data: Dataset, keys: tuple[str, ...], labels: Ints, space: MixedSpace) -> Dataset:
    """Give the records of every cluster the same keys: its centroid, or a blank if one has it."""
    known = np.column_stack([np.asarray(data.column(name).is_valid()) for name in keys])
    sizes = np.bincount(labels)
    full = [np.bincount(labels, there)[labels] == sizes[labels] for there in known.T]
    points = space.numbers if is_plain(space) and space.names == keys else np.zeros((len(data), 0))
    grouping = Grouping(keys, known, np.column_stack(full), points, labels)
    unused = np.random.default_rng(0)  # centroids draw nothing
    masked = Microaggregate(keys).replaced(data.without_reasons(keys), grouping, None, unused)
    return masked.noting(groups=[grouping.described()], suppressed_records=0)
