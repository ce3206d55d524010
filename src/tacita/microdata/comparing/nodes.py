"""Nodes of a hierarchy: how far apart two values are in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats
from tacita.data.hierarchies import Hierarchy
from tacita.data.hierarchies.tree import Tree


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a hierarchy over some leaves: every value and every generalization of one.

    The distance of two nodes is the level of their lowest common ancestor over the height: 0 of a
    value to itself, 1 of values that only the root has in common, and of a value to the label that
    stands for it the share of the hierarchy that it climbed.

    >>> jobs = Tree.from_nested({"any": {"care": ["nurse", "doctor"], "law": ["judge"]}})
    >>> nodes = Nodes.of(jobs, pa.array(["nurse", "judge"]))
    >>> nodes.distance(["nurse", "nurse"], ["doctor", "care"])
    array([0.5, 0.5])
    """

    paths: dict[str, tuple[int, tuple[str, ...]]]
    height: int

    @classmethod
    def of(cls, hierarchy: Hierarchy, leaves: pa.Array) -> Nodes:
        """Gather the nodes over the leaves that the data hold, and over all leaves of a tree."""
        tree = hierarchy if isinstance(hierarchy, Tree) else Tree.over(hierarchy, leaves)
        paths: dict[str, tuple[int, tuple[str, ...]]] = {}
        for path in tree.paths:
            for level in range(tree.height, -1, -1):
                paths.setdefault(path[level], (level, path))
        return cls(paths, tree.height)

    def distance(self, ones: Sequence[str | None], others: Sequence[str | None]) -> Floats:
        """Return the distance of each of some values to each of as many others.

        A blank stands for the root, which stands for every value; a value that the hierarchy does
        not know is as far as can be from all others.
        """
        pairs = zip(ones, others, strict=True)
        return np.array([self._distance(one, other) for one, other in pairs], np.float64)

    def _distance(self, one: str | None, other: str | None) -> float:
        if one is None or other is None:
            return 0.0 if one is other else 1.0
        if one == other:
            return 0.0
        if one not in self.paths or other not in self.paths:
            return 1.0
        (low, path), (high, beside) = self.paths[one], self.paths[other]
        for level in range(max(low, high), self.height):
            if path[level] == beside[level]:
                return level / self.height
        return 1.0
