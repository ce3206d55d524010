"""Groups of at least k near records from trees that join records to near ones."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.microdata.masking.partitions.improving import cut_large
from tacita.threads import threads

if TYPE_CHECKING:
    from tacita.kernels.mdav import Lattice

ROOT = -1


def minimum_spanning_tree(points: Floats, k: int) -> Ints:
    """Group records that stay together when long edges of their minimum spanning tree are cut.

    Edges are cut, the longest first, wherever both pieces keep at least k records; pieces of 2k and
    more are cut by MDAV (Laszlo & Mukherjee 2005). Fewer than 2k records are one group.

    >>> minimum_spanning_tree(np.array([[0.0], [9.0], [1.0], [10.0], [2.0]]), 2).tolist()
    [0, 1, 0, 1, 0]

    Args:
        points: records by attributes in one unit.
        k: the least number of records in a group.
    """
    from tacita.kernels.spanning import pruned, spanning_tree

    return cut_large(points, pruned(*spanning_tree(points), k), k)


def mu_approx(points: Floats, k: int) -> Ints:
    """Group records so that the squares within groups are at most 9/2 k (k - 1)^2 times the least.

    A forest is grown in which every tree has at least k records: again and again, the root of a
    smaller tree becomes a child of the nearest record outside of it, the shortest edge first. The
    trees are taken apart from their leaves on into groups of at least k, and what has 2k records
    or more is cut by MDAV (Domingo-Ferrer, Sebe & Solanas 2008, who take trees apart otherwise).

    The bound. A tree of fewer than k records lacks one of the k - 1 nearest of its root, so that
    the edge e_u of record u is no longer than the distance d_u to the farthest of these. In a
    partition with the least squares, a group of g records has squares sum_u sum_v |u - v|^2 / 2g;
    the mean over v does not grow when only the k nearest, u among them, are taken; so it is
    sum_u d_u^2 / 2k at least. Here, a group of m records hangs together by edges of its records
    alone, perhaps over one record more; its squares are sum |u - v|^2 / m over pairs, |u - v|^2 is
    at most m times the squares along the path (Cauchy-Schwarz), and an edge is on at most m^2 / 4
    paths: they are at most m^2 / 4 sum e_u^2. As m <= 3k - 3, the ratio is 9/2 k (k - 1)^2 at most,
    and cutting groups does not raise it.

    >>> mu_approx(np.array([[0.0], [9.0], [1.0], [10.0], [2.0]]), 2).tolist()
    [1, 0, 1, 0, 1]

    Args:
        points: records by attributes in one unit, at least k.
        k: the least number of records in a group.
    """
    parents = _forest(points, k)
    squares = np.square(points - points[np.maximum(parents, 0)]).sum(axis=1)
    labels = _taken_apart(parents.tolist(), squares, k)
    return cut_large(points, np.unique(labels, return_inverse=True)[1], k)


def laid_out(exact: Lattice) -> Floats:
    """Return points that are a function of each record alone, once their unit is known.

    Sums in standardized numbers may differ in the last digit with the order of the records.
    """
    heaviest = max(exact.weights, default=0) or 1
    steps = np.sqrt(np.array([weight / heaviest for weight in exact.weights]))
    return np.asarray(exact.whole * steps)


def _forest(points: Floats, k: int) -> Ints:
    """Return the parent of every record (-1: a root), in trees of at least k records."""
    near, squares = _nearest(points, k - 1)
    trees = _Trees(len(points))
    waiting = [(squares[record][0], record, 0) for record in range(len(points))] if k > 1 else []
    heapify(waiting)
    while waiting:
        _, root, place = heappop(waiting)
        if trees.size_of(root) >= k:
            continue
        while trees.are_joined(root, near[root][place]):  # the nearest outside is among these
            place += 1
        square = squares[root][place]
        if waiting and (square, root, place) > waiting[0]:
            heappush(waiting, (square, root, place))
        else:
            trees.hang(root, near[root][place])
    return np.array(trees.parents, np.int64)


def _nearest(points: Floats, count: int) -> tuple[list[list[int]], list[list[float]]]:
    """Return so many nearest others of every record, ascending, and their squared distances."""
    from scipy.spatial import cKDTree

    size = len(points)
    if not count:
        return [[]] * size, [[]] * size
    tree = cKDTree(points, balanced_tree=False, compact_nodes=False)
    found = tree.query(points, np.arange(1, count + 2), workers=threads())[1]
    others = found != np.arange(size)[:, None]
    others[others.all(axis=1), -1] = False  # a record behind its many twins
    near = found[others].reshape(size, count)
    squares = np.square(points[near] - points[:, None, :]).sum(axis=2)
    order = np.argsort(squares, axis=1, kind="stable")
    pair = (np.take_along_axis(part, order, 1).tolist() for part in (near, squares))
    return next(pair), next(pair)


class _Trees:
    """Trees that grow together: disjoint sets, and who hangs on whom."""

    def __init__(self, size: int) -> None:
        self.parents = [ROOT] * size
        self._above = list(range(size))
        self._sizes = [1] * size

    def _set_of(self, record: int) -> int:
        above = self._above
        while above[record] != record:
            above[record] = above[above[record]]
            record = above[record]
        return record

    def size_of(self, record: int) -> int:
        """Return how many records are in the tree of one."""
        return self._sizes[self._set_of(record)]

    def are_joined(self, one: int, other: int) -> bool:
        """Tell whether two records are in one tree."""
        return self._set_of(one) == self._set_of(other)

    def hang(self, root: int, parent: int) -> None:
        """Make a root the child of a record of another tree."""
        self.parents[root] = parent
        small, large = self._set_of(root), self._set_of(parent)
        if self._sizes[small] > self._sizes[large]:
            small, large = large, small
        self._above[small] = large
        self._sizes[large] += self._sizes[small]


def _taken_apart(parents: Sequence[int], squares: Floats, k: int) -> Ints:
    """Return groups of k to 3k - 3 records that hang together in their tree.

    What hangs on a record and has fewer than k records waits there; as soon as k are together, the
    farthest first, they are a group, and so is the record with the rest if these are k. What is
    left at a root joins a group that hangs on it.
    """
    children: list[list[int]] = [[] for _ in parents]
    for record, parent in enumerate(parents):
        if parent != ROOT:
            children[parent].append(record)
    waiting: list[list[int]] = [[] for _ in parents]  # what waits at a record, itself included
    beside = np.full(len(parents), -1)  # a group that hangs on what waits
    labels, groups = np.full(len(parents), -1), 0
    for record in reversed(_downwards(parents, children)):
        together: list[int] = []
        for child in sorted(children[record], key=lambda child: (-squares[child], child)):
            together += waiting[child]
            beside[record] = max(beside[record], beside[child])
            if len(together) >= k:
                labels[together], beside[record] = groups, groups
                together, groups = [], groups + 1
        together.append(record)
        if len(together) == k:
            labels[together], beside[record] = groups, groups
            together, groups = [], groups + 1
        elif parents[record] == ROOT:
            labels[together] = beside[record]
        waiting[record] = together
    return labels


def _downwards(parents: Sequence[int], children: Sequence[Sequence[int]]) -> list[int]:
    """Return all records, parents before their children."""
    order = [record for record, parent in enumerate(parents) if parent == ROOT]
    for record in order:
        order += children[record]
    return order
