"""Sets that stand for clusters: their most frequent members, by noisy counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Ints, Mask
from tacita.mechanisms.secure_noise import noised
from tacita.microdata.anonymize.private_clusters.attribute import Clusters, spread_out
from tacita.microdata.anonymize.private_clusters.categories import PublicMeaning


@dataclass(frozen=True, eq=False)
class ClusteredSets:
    """Sets of possible members, a few each.

    Args:
        held: which members each record has, records by members.
        most: how many members a record has at most.
        meaning: the possible members.
    """

    held: Mask
    most: int
    meaning: PublicMeaning

    @classmethod
    def of(cls, column: pa.Array, most: int, meaning: PublicMeaning) -> ClusteredSets:
        """Look which members are in the sets; of too many, the first declared ones count.

        What is no declared member is left out, and a blank counts as an empty set.
        """
        members = pc.index_in(pc.list_flatten(column), value_set=meaning.categories)
        known = np.asarray(members.is_valid())
        owners = np.asarray(pc.list_parent_indices(column))[known]
        held = np.zeros((len(column), len(meaning.categories)), np.bool_)
        held[owners, np.asarray(members.drop_null())] = True
        most = min(most, len(meaning.categories))
        return cls(held & (held.cumsum(axis=1) <= most), most, meaning)

    @property
    def places(self) -> Ints:
        """The mean place of the members in the order of all; an empty set comes first."""
        numbers = self.held.sum(axis=1)
        sums = (self.held * self.meaning.position).sum(axis=1)
        means: Ints = spread_out(sums, 1) // np.maximum(numbers * (self.held.shape[1] - 1), 1)
        return means

    @property
    def ties(self) -> Ints:
        """The rank of every set among all, member by member."""
        if not self.held.shape[1]:
            return np.zeros(len(self.held), np.int64)
        ranks: Ints = np.unique(self.held, axis=0, return_inverse=True)[1]
        return ranks.reshape(-1)

    def private_values(self, clusters: Clusters, epsilon: Fraction) -> pa.Array:
        """Return for every cluster as many members as its records have on average.

        These are the most frequent ones by noisy counts. Where a set A becomes a set B, the counts
        of the members and their total move by |A| + |B| - 2 |A and B| + ||A| - |B||, which is
        2 max(|A|, |B|) at most.
        """
        sizes, many = clusters.sizes, self.held.shape[1]
        counts = np.zeros((len(sizes), many + 1), np.int64)
        np.add.at(counts[:, :many], clusters.labels, self.held)
        counts[:, many] = counts.sum(axis=1)
        sensitivity = 2 * self.most * len(sizes)
        noisy = np.array(noised(counts.ravel().tolist(), sensitivity, float(epsilon)))
        frequencies, totals = np.split(noisy.reshape(counts.shape), [many], axis=1)
        wanted = np.clip(np.rint(totals[:, 0] / sizes), 0, self.most)
        rank = np.argsort(np.argsort(-frequencies, axis=1, kind="stable"), axis=1)
        chosen = (rank < wanted[:, None]) & (frequencies > 0)
        ends = np.append(0, np.cumsum(chosen.sum(axis=1)))
        members = self.meaning.categories.take(pa.array(np.nonzero(chosen)[1]))
        return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), members)
