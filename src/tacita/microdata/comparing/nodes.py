"""Nodes of a hierarchy: how far apart two values are in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from tacita.arithmetic import log2
from tacita.data.classes import Floats, Ints
from tacita.data.hierarchies import Hierarchy
from tacita.data.hierarchies.tree import Tree

Metric = Literal["ancestors", "level"]


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

    def chain(self, word: str) -> list[str]:
        """Return a node and all that lies above it, up to the root.

        A label that stands on several levels counts once, on the highest.
        """
        level, path = self.paths[word]
        chain = [word]
        while level < self.height:
            chain.append(path[level + 1])
            level, path = self.paths[chain[-1]]
        return chain


@dataclass(frozen=True, eq=False)
class Ancestry:
    """Some nodes by number, with all that lies above them: distances of many pairs at once.

    - `ancestors`: d(a, b) = log2(1 + |T(a) xor T(b)| / |T(a) or T(b)|), T being a node and all
      that lies above it (Sanchez, Batet, Isern & Valls, Expert Systems with Applications 39:7718,
      2012). Neighbours low in a hierarchy are closer than neighbours high up in it, and a parent
      is closer to its children than these are to each other.
    - `level`: the level of the lowest common ancestor over the height, as of `Nodes.distance`.

    Both are distances in the strict sense, from 0 to 1.

    Args:
        above: for every node and level, the number of the highest node up to this level that is
            the node itself or lies above it.
        depth: how many labels lie above every node; by `level`, how many levels.
        terms: the distance of two nodes, by their depths and that of their lowest common ancestor.
    """

    above: Ints
    depth: Ints
    terms: Floats

    @classmethod
    def of(cls, nodes: Nodes, words: Sequence[str], metric: Metric) -> tuple[Ancestry, list[str]]:
        """Give numbers to some nodes, and behind them to the labels above, returned too."""
        found = {label for word in words for label in nodes.chain(word)}
        levels = {label: nodes.paths[label][0] for label in found}
        labels = sorted(found - set(words), key=lambda label: (levels[label], label))
        chains = [nodes.chain(word) for word in (*words, *labels)]
        number = {chain[0]: place for place, chain in enumerate(chains)}
        above = np.empty((len(chains), nodes.height + 1), np.int64)
        for place, chain in enumerate(chains):
            above[place] = place
            for label in chain[1:]:
                above[place, levels[label] :] = number[label]
        steps = [len(chain) - 1 for chain in chains]
        own = [nodes.height - levels[chain[0]] for chain in chains]
        depth = np.array(own if metric == "level" else steps, np.int64)
        return cls(above, depth, _terms(nodes.height, metric)), labels

    @classmethod
    def flat(cls, size: int) -> Ancestry:
        """Give numbers to nodes that share nothing: 0 from themselves, 1 from all others."""
        # A root without a name, number `size`, is all they share.
        above = np.column_stack([np.arange(size + 1), np.full(size + 1, size)])
        return cls(above, np.append(np.ones(size, np.int64), 0), _terms(1, "level"))

    def between(self, ones: Ints, others: Ints) -> Floats:
        """Return the distance of every node to its partner; numpy's broadcasting pairs them."""
        shared = np.zeros(np.broadcast_shapes(ones.shape, others.shape), np.int64)
        for level in reversed(range(self.above.shape[1])):  # the lowest common one is found last
            mine, theirs = self.above[ones, level], self.above[others, level]
            shared = np.where(mine == theirs, self.depth[mine], shared)
        distances: Floats = self.terms[self.depth[ones], self.depth[others], shared]
        return distances


def _terms(height: int, metric: Metric) -> Floats:
    """Tabulate the distance by the depths of two nodes and of their lowest common ancestor."""
    one, other, shared = np.indices((height + 1,) * 3)
    if metric == "level":
        return np.where((one == shared) & (other == shared), 0.0, (height - shared) / height)
    shared = np.minimum(shared, np.minimum(one, other))  # what lies deeper is no common ancestor
    return np.asarray(log2(1 + (one + other - 2 * shared) / (one + other - shared + 1)))
