"""How far the confidential values of clusters are from those of the whole file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.microdata.anonymize.clusters.merging import Clusters
from tacita.microdata.models.class_table import Domain


@dataclass(frozen=True, eq=False)
class Spread:
    """The values of a confidential attribute in their order, which clusters should be spread like.

    The distance of a cluster with cumulated shares F from the whole file's Q is the ordered earth
    mover's: sum_i |F_i - Q_i| / (m - 1) over the m values. It is computed in doubles, as it only
    guides the search; whether a promise is kept is for the model to say.

    Args:
        codes: for every record, the place of its value.
        counts: for every value, how many records have it.
        t: the largest distance wanted.
    """

    codes: Ints
    counts: Ints
    t: float

    @classmethod
    def of(cls, data: Dataset, name: str, t: float) -> Spread:
        """Look at an attribute of all records."""
        domain, codes = Domain.of(data, name)
        return cls(codes, np.bincount(codes, minlength=len(domain)), t)

    @cached_property
    def steps(self) -> int:
        """How far the first value is from the last."""
        return max(len(self.counts) - 1, 1)

    def distances(self, labels: Ints) -> Floats:
        """Return the distance of every cluster."""
        from tacita.kernels.by_group import count_codes_per_group
        from tacita.kernels.earth_movers import Histograms, work_on_line

        sizes = np.bincount(labels)
        found = count_codes_per_group(labels, self.codes, len(sizes), len(self.counts))
        work = work_on_line(Histograms(*found), self.counts)
        distances: Floats = (work.own / sizes - work.whole / len(self.codes)) / self.steps
        return distances

    def distance(self, rows: Ints) -> float:
        """Return the distance of one cluster."""
        from tacita.kernels.earth_movers import Histograms, work_on_line

        codes, counts = np.unique(self.codes[rows], return_counts=True)
        work = work_on_line(Histograms(np.array([len(codes)]), codes, counts), self.counts)
        apart = work.own[0] / len(rows) - work.whole[0] / len(self.codes)
        return float(apart) / self.steps

    def least_size(self, k: int) -> int:
        """Return the least size, k or more, with which any cluster can be within t.

        Of a cluster of s records, every F_i is some c / s, so that |F_i - Q_i| is at least the
        distance of Q_i from the nearest such number. Where more than half of the records are
        needed, all of them are.
        """
        total, cumulated = len(self.codes), np.cumsum(self.counts)
        for size in range(k, total // 2 + 1):
            beyond = size * cumulated % total
            work = np.minimum(beyond, total - beyond).sum() / (size * total)
            if work <= self.t * self.steps:
                return size
        return max(k, total)


def merge_until_close(clusters: Clusters, spread: Spread) -> None:
    """Merge the cluster that is farthest from the whole file with the nearest until all are close.

    Soria-Comas et al. 2015, Algorithm 1. The time is O(n log n + c d) for every merging, with c
    clusters and d keys.
    """
    far = spread.distances(clusters.labels)
    while len(clusters) > 1 and far.max() > spread.t:
        one = int(far.argmax())
        other = clusters.nearest(one)
        kept = clusters.merge(one, other)
        far[[one, other]] = -1.0
        far[kept] = spread.distance(clusters.members[kept])
