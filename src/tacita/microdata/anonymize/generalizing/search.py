"""The search for the best node of a lattice: what a node tells of those below and above it.

A node that leaves out too many records rules out all nodes below it; one that will do shows that
all above it do (where the promises allow it). The node that could cost least is followed upwards
as long as nodes could still be the best, and the place where nodes begin to do is found on that way
by bisection. No node is looked at whose bound is above the cost of the best one found.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.microdata.anonymize.generalizing.judging import Judge
from tacita.microdata.anonymize.generalizing.levels import Levels, heights
from tacita.microdata.anonymize.generalizing.measures import Heights, Measure
from tacita.microdata.anonymize.generalizing.tables import Tables

PATIENCE = 2  # keys that turn out to be needed before no further one is tried
ROUNDING = 1e-12  # relative; costs that are closer are the same


class Limits(NamedTuple):
    """When to stop before the best is known: after so many nodes, or at a time."""

    nodes: float = inf
    deadline: float = inf

    def are_reached(self, nodes: int) -> bool:
        """Tell whether no further node may be looked at."""
        return nodes >= self.nodes or time.monotonic() >= self.deadline


class Node(NamedTuple):
    """A node that will do."""

    levels: Levels
    left_out: int
    cost: float

    @property
    def rank(self) -> tuple[int, int, Levels]:
        """The order of nodes that cost the same: low ones first, then those that keep more."""
        return sum(self.levels), self.left_out, self.levels


class Found(NamedTuple):
    """What a search found.

    Args:
        nodes: the best node or, of minimal ones, all, the best first; empty if none will do.
        bound: no node costs less.
        is_complete: whether every node was decided.
        checked: how many nodes were looked at.
    """

    nodes: tuple[Node, ...]
    bound: float
    is_complete: bool
    checked: int


@dataclass(eq=False)
class Search:
    """A lattice during the search.

    Args:
        tables: the class tables.
        judge: who tells what must be left out.
        measure: what a node costs.
        limits: when to stop.
        is_for_minimal: whether all nodes are wanted below which none will do.
    """

    tables: Tables
    judge: Judge
    measure: Measure
    limits: Limits
    is_for_minimal: bool = False
    best: Node | None = None
    minimal: list[Node] = field(default_factory=list)
    checked: int = 0

    def __post_init__(self) -> None:
        shape = self.tables.shape
        self.least = self.measure.least()  # what a node costs at least; infinite once decided
        self.left_out: Ints = np.zeros(shape, np.int64)  # so many records at least
        self.will_do: Mask = np.zeros(shape, np.bool_)  # known before it was looked at
        self.heights = heights(shape)

    def run(self) -> Found:
        """Look at nodes, the most promising ones first, until no other can be better."""
        self._rule_out()
        self._look_at(tuple(size - 1 for size in self.tables.shape))
        while (node := self._next()) is not None:
            if self.limits.are_reached(self.checked):
                return self._found(float(self.least[node]), is_complete=False)
            self._follow(node)
        return self._found(inf, is_complete=True)

    def _rule_out(self) -> None:
        """Rule out the nodes where steady promises alone leave out too many records."""
        steady = None if self.judge.is_monotone else self.judge.steady_part()
        if steady is None:
            return
        heights = Heights(self.tables)
        first = Search(self.tables, steady, heights, self.limits, is_for_minimal=True)
        first.run()
        self.checked, self.left_out = first.checked, first.left_out
        self.least[self.left_out > self.judge.allowed] = inf

    def _found(self, bound: float, *, is_complete: bool) -> Found:
        if self.is_for_minimal:
            nodes = _without_higher(self.minimal)
        else:
            nodes = () if self.best is None else (self.best,)
        bound = min([bound, *(node.cost for node in nodes)])
        return Found(nodes, bound, is_complete, self.checked)

    def _next(self) -> Levels | None:
        """Return the node that could cost least, unless none can be the best any more."""
        flat = int(self.least.argmin())
        least = float(self.least.flat[flat])
        if least < inf and (self.best is None or least < self.best.cost * (1 - ROUNDING)):
            return self._at(flat)
        if self.best is None or least > self._cutoff:
            return None
        equals = (self.least <= self._cutoff) & (self.heights <= sum(self.best.levels))
        return self._at(int(equals.argmax())) if equals.any() else None

    @property
    def _cutoff(self) -> float:
        """The cost above which a node cannot be the best."""
        return inf if self.best is None else self.best.cost * (1 + ROUNDING)

    def _open(self) -> Mask:
        """Tell the nodes that may still be looked at."""
        return np.asarray((self.least <= self._cutoff) & (self.least < inf))

    def _at(self, flat: int) -> Levels:
        return tuple(int(level) for level in np.unravel_index(flat, self.tables.shape))

    def _follow(self, node: Levels) -> None:
        """Decide a node, and find on the way up from it where nodes begin to do."""
        if not self.judge.is_monotone or self.will_do[node]:
            self._look_at(node)
            return
        path = list(self._path(node))
        first, last = 0, len(path)
        at = last - 1  # mostly nothing on the way will do, and the last node tells
        while first < last and not self.limits.are_reached(self.checked):
            is_known = self.left_out[path[at]] > self.judge.allowed
            if self._does(path[at]):
                last = at
            else:
                first = at + 1
                if not is_known:
                    self._widen(path[at])
            at = (first + last) // 2

    def _does(self, node: Levels) -> bool:
        """Tell whether a node will do, and look at it only if that is not known."""
        if self.will_do[node] or self.left_out[node] > self.judge.allowed:
            return bool(self.will_do[node])
        return self._look_at(node)

    def _widen(self, node: Levels) -> None:
        """Find out which keys already rule a node out, whatever the levels of the others."""
        missed = 0
        for key in sorted(range(len(node)), key=lambda key: self.tables.entropy(key, node[key])):
            up = (*node[:key], self.tables.shape[key] - 1, *node[key + 1 :])
            if missed == PATIENCE or self.limits.are_reached(self.checked):
                return
            if self._does(up):
                missed += 1
            else:
                node = up

    def _path(self, node: Levels) -> Iterator[Levels]:
        """Go up by the cheapest steps as long as nodes are undecided and could be the best."""
        while True:
            yield node
            above = [
                (*node[:a], level + 1, *node[a + 1 :])
                for a, level in enumerate(node)
                if level + 1 < self.tables.shape[a]
            ]
            able = [up for up in above if self.least[up] <= self._cutoff and not self.will_do[up]]
            able = [up for up in able if self.least[up] < inf]
            if not able:
                return
            node = min(able, key=lambda up: float(self.least[up]))

    def _look_at(self, levels: Levels) -> bool:
        """Judge a node, and note what it tells of others; returns whether it will do."""
        table = self.tables.at(levels, self._open)
        judged = self.judge.judged(table)
        self.checked += 1
        self._note_below(levels, judged.below)
        above = tuple(slice(level, None) for level in levels)
        np.maximum(self.least[above], self.measure.least_above(table), out=self.least[above])
        self.least[levels] = inf
        if judged.left_out > self.judge.allowed:
            return False
        if self.judge.is_monotone:
            self.will_do[above] = True
        self._note(Node(levels, judged.left_out, self.measure.cost(table, judged.broken)))
        return True

    def _note_below(self, levels: Levels, left_out: int) -> None:
        """Note how many records are at least left out at a node and below."""
        below = tuple(slice(level + 1) for level in levels)
        if not left_out:
            return
        np.maximum(self.left_out[below], left_out, out=self.left_out[below])
        if left_out > self.judge.allowed:
            self.least[below] = inf
        else:
            bounds = self.measure.least_without(below, self.left_out[below])
            if bounds is not None:
                np.maximum(self.least[below], bounds, out=self.least[below])

    def _note(self, node: Node) -> None:
        """Note a node that will do."""
        if self.is_for_minimal:
            self.minimal.append(node)
            self.least[tuple(slice(level, None) for level in node.levels)] = inf
        elif self.best is None or self._is_better(node, self.best):
            self.best = node

    def _is_better(self, node: Node, best: Node) -> bool:
        if node.cost < best.cost * (1 - ROUNDING):
            return True
        return node.cost <= self._cutoff and node.rank < best.rank


def _without_higher(nodes: list[Node]) -> tuple[Node, ...]:
    """Return the nodes below which there is no other, the best first."""
    minimal = [
        node
        for node in nodes
        if not any(_is_below(other.levels, node.levels) for other in nodes if other is not node)
    ]
    return tuple(sorted(minimal, key=lambda node: node.rank))


def _is_below(one: Levels, other: Levels) -> bool:
    return all(map(int.__le__, one, other))
