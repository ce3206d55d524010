"""Junction trees: sets of attributes in which a graphical model can be computed exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

Clique = tuple[int, ...]
NO_PARENT = -1


@dataclass(frozen=True)
class JunctionTree:
    """Cliques of attributes, each with the parent that holds all it shares with those before it.

    Args:
        cliques: sets of attributes in ascending order; a parent comes before its children.
        parents: the place of each clique's parent; that of the root, the first, is -1.

    >>> tree = JunctionTree.of([(0, 1), (1, 2), (0, 2), (2, 3)], [2, 2, 2, 9])
    >>> tree.cliques, tree.separator(1)
    (((0, 1, 2), (2, 3)), (2,))
    """

    cliques: tuple[Clique, ...]
    parents: tuple[int, ...]

    @classmethod
    def of(cls, sets: Iterable[Clique], sizes: Sequence[int]) -> JunctionTree:
        """Return a tree of which every set lies in a clique, and every attribute too."""
        return _spanning(_maximal_cliques(_neighbours(sets, len(sizes)), sizes))

    def separator(self, place: int) -> Clique:
        """Return the attributes that a clique shares with its parent."""
        if self.parents[place] == NO_PARENT:
            return ()
        return _shared(self.cliques[place], self.cliques[self.parents[place]])

    def holds(self, attributes: Clique) -> bool:
        """Tell whether a clique holds all of some attributes."""
        return any(set(attributes) <= set(clique) for clique in self.cliques)

    def home(self, attributes: Clique) -> int:
        """Return the place of the first clique that holds all of some attributes."""
        wanted = set(attributes)
        return next(at for at, clique in enumerate(self.cliques) if wanted <= set(clique))

    def cells(self, sizes: Sequence[int]) -> int:
        """Return how many cells the cliques have together."""
        return sum(prod(sizes[one] for one in clique) for clique in self.cliques)

    def around(self, attributes: Clique) -> list[int]:
        """Return the places of the smallest part of the tree that holds some attributes."""
        left = list(range(len(self.cliques)))
        while (leaf := self._spare(left, set(attributes))) is not None:
            left.remove(leaf)
        return left

    def _spare(self, places: Sequence[int], wanted: set[int]) -> int | None:
        """Return a leaf of a part of the tree without which it still holds some attributes."""
        for place in reversed(places):
            if len(places) > 1 and self._is_leaf(place, places):
                others = {one for at in places if at != place for one in self.cliques[at]}
                if wanted & set(self.cliques[place]) <= others:
                    return place
        return None

    def _is_leaf(self, place: int, places: Sequence[int]) -> bool:
        links = sum(self.parents[at] == place for at in places)
        return links + (self.parents[place] in places) == 1


def _shared(one: Clique, other: Clique) -> Clique:
    return tuple(sorted(set(one) & set(other)))


def _neighbours(sets: Iterable[Clique], attributes: int) -> list[set[int]]:
    beside: list[set[int]] = [set() for _ in range(attributes)]
    for one in sets:
        for left, right in combinations(one, 2):
            beside[left].add(right)
            beside[right].add(left)
    return beside


def _maximal_cliques(beside: list[set[int]], sizes: Sequence[int]) -> list[Clique]:
    """Make the graph chordal by taking out, again and again, what makes the smallest clique."""
    found: list[set[int]] = []
    left = set(range(len(beside)))
    while left:
        chosen = min(left, key=lambda one: (_cells(beside[one] | {one}, sizes), one))
        clique = beside[chosen] | {chosen}
        if not any(clique <= other for other in found):
            found.append(clique)
        for one in beside[chosen]:
            beside[one] |= beside[chosen] - {one}
            beside[one].discard(chosen)
        left.remove(chosen)
    return sorted(tuple(sorted(clique)) for clique in found)


def _cells(clique: Iterable[int], sizes: Sequence[int]) -> int:
    return prod(sizes[one] for one in clique)


def _spanning(cliques: Sequence[Clique]) -> JunctionTree:
    """Join cliques to a tree of the largest separators, which makes it a junction tree."""
    placed, parents = [cliques[0]], [NO_PARENT]
    waiting = list(cliques[1:])
    while waiting:
        clique, parent = max(
            ((clique, at) for clique in waiting for at in range(len(placed))),
            key=lambda pair: len(_shared(pair[0], placed[pair[1]])),
        )
        placed.append(clique)
        parents.append(parent)
        waiting.remove(clique)
    return JunctionTree(tuple(placed), tuple(parents))
