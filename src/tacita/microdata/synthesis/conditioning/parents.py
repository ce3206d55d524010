"""Parents: the attributes that tell most of another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tacita.arithmetic import log
from tacita.data.classes import Floats, Ints

Parents = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Search:
    """A search for the parents of attributes by what they tell and what they cost.

    n I(X; P) - c (|X| - 1) |P| is the score of parents P of X: the information that they tell of X,
    in all n records, less a cost for each probability that is to be known, where |P| counts the
    combinations that occur. With c = log(n) / 2 it is Schwarz' criterion.

    Args:
        classes: the class of every record, from 0 on, one array an attribute.
        weights: how much every record counts, 1 on average.
        most: how many parents an attribute has at most.
    """

    classes: Sequence[Ints]
    weights: Floats
    most: int
    scores: dict[tuple[int, Parents], float] = field(default_factory=dict)

    def network(self) -> list[tuple[int, Parents]]:
        """Return every attribute with its parents, all of which come before it.

        The first is the attribute that tells most of any other one; then the one comes that those
        before it tell most of. Equal ones come in the order of the attributes.
        """
        waiting = list(range(len(self.classes)))
        found: list[tuple[int, Parents]] = []
        while waiting:
            placed = [child for child, _ in found]
            best = {child: self._parents(child, placed) for child in waiting}
            worth = best if placed else {one: self._most_told(one) for one in waiting}
            child = max(waiting, key=lambda one: self._worth(one, worth[one]))
            found.append((child, best[child]))
            waiting.remove(child)
        return found

    def _worth(self, child: int, parents: Parents) -> float:
        return self._score(child, parents) if parents else 0.0

    def _most_told(self, one: int) -> Parents:
        others = [other for other in range(len(self.classes)) if other != one]
        return (max(others, key=lambda other: self._score(one, (other,))),) if others else ()

    def _parents(self, child: int, placed: Sequence[int]) -> Parents:
        """Add the best parent to those found, as long as the score rises."""
        chosen: Parents = ()
        while len(chosen) < self.most:
            left = [(*chosen, one) for one in placed if one not in chosen]
            more = max(left, key=lambda parents: self._score(child, parents), default=())
            if self._worth(child, more) <= self._worth(child, chosen):
                break
            chosen = more
        return chosen

    def _score(self, child: int, parents: Parents) -> float:
        known = child, tuple(sorted(parents))
        if known not in self.scores:
            self.scores[known] = self._found(*known)
        return self.scores[known]

    def _found(self, child: int, parents: Parents) -> float:
        size = int(self.classes[child].max(initial=0)) + 1
        group = combined([self.classes[one] for one in parents])
        groups = int(group.max(initial=-1)) + 1
        cells = group * size + self.classes[child]
        table = np.bincount(cells, self.weights, groups * size).astype(np.float64)
        of_both = table.reshape(groups, size)
        told = _entropy(of_both.sum(axis=0)) + _entropy(of_both.sum(axis=1)) - _entropy(table)
        records = len(self.weights)
        cost = float(log(max(records, 2))) / 2
        return records * told - cost * (size - 1) * groups


def combined(classes: Sequence[Ints]) -> Ints:
    """Return a number for every combination of classes that occurs, in ascending order.

    >>> combined([np.array([0, 2, 0]), np.array([1, 0, 1])]).tolist()
    [0, 1, 0]
    """
    found = classes[0]
    for other in classes[1:]:
        pairs = found * (int(other.max(initial=0)) + 1) + other
        found = np.unique(pairs, return_inverse=True)[1]
    return np.asarray(np.unique(found, return_inverse=True)[1], np.int64)


def _entropy(table: Floats) -> float:
    shares = table[table > 0] / max(float(table.sum()), 1e-300)
    return float(-(shares * log(shares)).sum())
