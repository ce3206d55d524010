"""Categories that stand for clusters, chosen by how near they are in meaning to the members."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute
from tacita.data.classes import Ints
from tacita.mechanisms.private.mechanisms import Laplace, Sensitivity
from tacita.microdata.anonymize.private_clusters.attribute import Clusters, spread_out
from tacita.microdata.comparing.semantics import Semantics

GRID = 2**16  # parts of the largest distance that distances are rounded to


@dataclass(frozen=True, eq=False)
class PublicMeaning:
    """The possible categories, how far apart they are, and an order in which near ones are near.

    Args:
        categories: the categories, as they were declared.
        distances: that of every two, in whole parts of the largest one.
        position: the position of every category in the order.
    """

    categories: pa.Array
    distances: Ints
    position: Ints

    @classmethod
    def of(cls, attribute: Attribute, categories: pa.Array) -> PublicMeaning:
        """Compare declared categories by rank if they have an order, else by their meaning.

        >>> PublicMeaning.of(Attribute("x", order=("a", "b", "c")), pa.array(["a", "b", "c"])).path
        65536
        """
        size = len(categories)
        if attribute.order is not None:
            ranks = np.arange(size)
            gaps = np.abs(ranks[:, None] - ranks)
            return cls(categories, gaps * GRID // max(size - 1, 1), ranks)
        semantics = Semantics.of(attribute, categories)
        apart = semantics.distances(semantics.codes, semantics.codes)
        distances = np.rint(apart * GRID).astype(np.int64)
        return cls(categories, distances, _tour(distances))

    @property
    def middle(self) -> int:
        """The category that is nearest to all others; what is not known counts as it."""
        return int(self.distances.sum(axis=0).argmin())

    @property
    def step(self) -> int:
        """By how much one record, replaced, moves the sum of the distances to a category."""
        return max((int(self._moves(at).max()) for at in range(len(self.categories))), default=0)

    @property
    def path(self) -> int:
        """By how much records move such sums together that follow each other in the order."""
        order = np.argsort(self.position)
        return sum(int(self._moves(here)[there]) for here, there in pairwise(order.tolist()))

    def _moves(self, category: int) -> Ints:
        """Return, for all others in its stead, the largest difference of distances."""
        moves: Ints = np.abs(self.distances - self.distances[category]).max(axis=1)
        return moves


@dataclass(frozen=True, eq=False)
class ClusteredCategories:
    """Categories of records.

    Args:
        codes: the number of every record's category.
        meaning: the categories.
    """

    codes: Ints
    meaning: PublicMeaning

    @classmethod
    def of(cls, column: pa.Array, meaning: PublicMeaning) -> ClusteredCategories:
        """Find the categories; what is blank, or not declared, counts as the middle one."""
        found = pc.index_in(column, value_set=meaning.categories, skip_nulls=True)
        return cls(np.asarray(found.fill_null(meaning.middle)).astype(np.int64), meaning)

    @property
    def places(self) -> Ints:
        """The places of the categories in their order."""
        return spread_out(self.meaning.position[self.codes], len(self.meaning.categories) - 1)

    @property
    def ties(self) -> Ints:
        """Every category has its own number."""
        return self.codes

    def private_values(self, clusters: Clusters, epsilon: Fraction) -> pa.Array:
        """Choose for every cluster a category that is near to all its members.

        The score of a category is the sum of its distances to the members, below 0. A choice loses
        as much as a score moves: by `step` where a record of the cluster is replaced. Alone, the
        records that clusters pass on follow each other in the order, so that all scores together
        move by `path`.
        """
        size, sizes = len(self.meaning.categories), clusters.sizes
        cells = clusters.labels * size + self.codes
        members = np.bincount(cells, minlength=len(sizes) * size).reshape(-1, size)
        scores = -(members @ self.meaning.distances)
        together = self.meaning.step * len(sizes)
        if clusters.alone:
            together = min(together, self.meaning.path)
        if not together:  # a single category, or none that is apart from another
            return self.meaning.categories.take(pa.array(np.zeros(len(sizes), np.int64)))
        moved = Sensitivity(together, float(together))
        chosen = [Laplace().chosen(one, moved, epsilon) for one in scores.tolist()]
        return self.meaning.categories.take(pa.array(chosen, pa.int64()))


def _tour(distances: Ints) -> Ints:
    """Return the position of every category on a tour that always goes on to the nearest one.

    It starts at the category that is farthest from all others; the first one is taken on ties.

    >>> _tour(np.array([[0, 9, 1], [9, 0, 9], [1, 9, 0]])).tolist()
    [1, 0, 2]
    """
    position = np.zeros(len(distances), np.int64)
    left = np.ones(len(distances), np.bool_)
    here = int(distances.sum(axis=0).argmax()) if len(distances) else 0
    for place in range(len(distances)):
        position[here], left[here] = place, False
        here = int(np.where(left, distances[here], np.iinfo(np.int64).max).argmin())
    return position
