"""Points cut into runs of near ones, and these into runs: the shape of a tree of boxes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SMALL = 16  # so few points are not cut
LEAST = 8  # a part of a cut has at least one in so many of the points


class Nest(NamedTuple):
    """A tree whose leaves are runs of points."""

    members: Ints  # leaf by leaf, the numbers of the points
    starts: Ints  # for each leaf, the place of its first member
    stops: Ints
    homes: Ints  # for each leaf, the fan times its node plus its place among the children
    parents: Ints  # the same for each node; the first node is the root
    children: Ints  # nodes by children: another node, or ~leaf; 0 where there are fewer


def nested(points: Floats, chosen: Ints, fan: int, largest: int) -> Nest:
    """Cut the chosen points (at least one) at medians of the coordinate that varies most.

    >>> nest = nested(np.array([[5.0], [1.0], [4.0], [0.0]] * 9), np.arange(36), 2, 20)
    >>> nest.members[:4], nest.starts, nest.stops, nest.children
    (array([1, 3, 5, 7]), array([ 0, 18]), array([18, 36]), array([[-1, -2]]))

    Args:
        points: points by coordinates.
        chosen: the numbers of those that are meant; where the coordinates do not tell them apart,
            they stay in their order.
        fan: the number of a node's children at most.
        largest: the number of a leaf's points at most; not below SMALL.
    """
    points, members = frozen(points, np.float64), chosen.copy()
    # The smallest parts come from runs just above SMALL; no node has a single child but the root.
    most = 1 + LEAST * len(chosen) // SMALL
    children, parents = np.zeros((most, fan), np.int64), np.zeros(most, np.int64)
    runs, homes = np.empty((most, 2), np.int64), np.empty(most, np.int64)
    nodes, leaves = _cut(points, members, largest, children, parents, runs, homes)
    starts, stops = runs[:leaves].T.copy()
    of_nodes = parents[:nodes].copy(), children[:nodes].copy()
    return Nest(members, starts, stops, homes[:leaves].copy(), *of_nodes)


def warm_up() -> None:
    """Compile the kernels of this module."""
    nested(np.zeros((2, 1)), np.arange(2), 2, 2)


@kernel
def _widest(points: Floats, members: Ints) -> int:
    """Find the coordinate with the largest variance."""
    widest, most = 0, -1.0
    for j in range(points.shape[1]):
        origin, total, squares = points[members[0], j], 0.0, 0.0
        for i in members:
            gap = points[i, j] - origin
            total += gap
            squares += gap * gap
        if squares - total * total / members.size > most:
            widest, most = j, squares - total * total / members.size
    return widest


@kernel
def _select(keys: Floats, middle: int) -> float:
    """Find the key that would be in the middle of sorted ones (Hoare's selection)."""
    left, right = 0, keys.size - 1
    while left < right:
        pivot, up, down = keys[middle], left, right
        while up <= down:
            while keys[up] < pivot:
                up += 1
            while keys[down] > pivot:
                down -= 1
            if up <= down:
                keys[up], keys[down] = keys[down], keys[up]
                up, down = up + 1, down - 1
        left, right = up if down < middle else left, down if middle < up else right
    key: float = keys[middle]
    return key


@kernel
def _halve(points: Floats, members: Ints) -> int:
    """Move members with smaller values to the front; returns how many.

    The cut is between two values where one lies near the median, so that boxes become narrow in
    coordinates with few values. The order of members is kept on both sides.
    """
    j, middle = _widest(points, members), members.size // 2
    keys = np.empty(members.size)
    for at in range(members.size):
        keys[at] = points[members[at], j]
    value = _select(keys.copy(), middle)
    below, upto = 0, 0
    for key in keys:
        below, upto = below + int(key < value), upto + int(key <= value)
    cut = below if middle - below <= upto - middle else upto
    if min(cut, keys.size - cut) * LEAST < keys.size:
        cut = middle
    equal, front, back, before = cut - below, 0, cut, members.copy()
    for at in range(keys.size):
        if keys[at] < value or (keys[at] == value and equal > 0):
            equal -= keys[at] == value
            members[front] = before[at]
            front += 1
        else:
            members[back] = before[at]
            back += 1
    return cut


@kernel
def _cut_node(points: Floats, members: Ints, edges: Ints) -> int:
    """Cut the largest part in two again and again; returns the number of parts."""
    edges[0], edges[1], parts = 0, members.size, 1
    while parts < edges.size - 1:
        part = 0
        for other in range(1, parts):
            if edges[other + 1] - edges[other] > edges[part + 1] - edges[part]:
                part = other
        start, stop = edges[part], edges[part + 1]
        if stop - start <= SMALL:
            break
        for at in range(parts, part, -1):
            edges[at + 1] = edges[at]
        edges[part + 1] = start + _halve(points, members[start:stop])
        parts += 1
    return parts


@kernel
def _cut(
    points: Floats,
    members: Ints,
    largest: int,
    children: Ints,
    parents: Ints,
    leaves: Ints,
    homes: Ints,
) -> tuple[int, int]:
    """Arrange the members so that every leaf is a run; returns the numbers of nodes and leaves."""
    fan = children.shape[1]
    runs, edges = np.empty_like(leaves), np.empty(fan + 1, np.int64)
    runs[0, 0], runs[0, 1], node, nodes, leaf = 0, members.size, 0, 1, 0
    while node < nodes:
        start = runs[node, 0]
        parts = _cut_node(points, members[start : runs[node, 1]], edges)
        for part in range(parts):
            if edges[part + 1] - edges[part] <= largest:
                leaves[leaf, 0], leaves[leaf, 1] = start + edges[part], start + edges[part + 1]
                homes[leaf], children[node, part] = fan * node + part, ~leaf
                leaf += 1
            else:
                runs[nodes, 0], runs[nodes, 1] = start + edges[part], start + edges[part + 1]
                parents[nodes], children[node, part] = fan * node + part, nodes
                nodes += 1
        node += 1
    return nodes, leaf
