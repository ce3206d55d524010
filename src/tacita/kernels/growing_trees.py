"""Trees that divide records until the classes of a target are as alike as can be within a leaf.

Every feature is cut into bins. A node is divided at the bin of a feature after which

    sum_k s_k(left)^2 / w(left) + sum_k s_k(right)^2 / w(right)

is greatest, where w is the weight of the records and s_k that of class k (so that Gini's impurity
falls most) or, for classes in an order, of all classes up to k (the ranked probability score).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Bins = npt.NDArray[np.int16]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LEAF = -1
LARGEST_BIN = 255
ROUNDING = 1e-12  # of all impurity: what is smaller is rounding


class Tree(NamedTuple):
    """The nodes of a tree, the root first."""

    feature: Ints  # by which a node is divided; -1 of a leaf
    bin: Ints  # the last bin that goes left
    left: Ints
    right: Ints


class Target(NamedTuple):
    """What the leaves are to tell."""

    classes: Ints
    weights: Floats
    number: int  # of classes
    is_ordered: bool


class Limits(NamedTuple):
    """When a node is divided no further."""

    leaf: int  # the records that a leaf has at least
    gain: float  # what a division takes away at least, of the impurity that all records have
    chance: float  # and how many times what a division takes away that means nothing


class Room(NamedTuple):
    """Working space for one division."""

    order: Ints  # the node's records by their bin
    ends: Ints
    left: Floats  # s_k of the records on each side
    right: Floats


def grown(bins: Bins, target: Target, limits: Limits) -> tuple[Tree, Ints]:
    """Grow a tree; return it and the leaf of every record.

    Of equally good divisions the one by the first feature, and there at the lowest bin, is made.

    >>> bins = np.array([[0, 0, 1, 1]], np.int16)
    >>> target = Target(np.array([0, 0, 1, 1]), np.ones(4), 2, False)
    >>> tree, leaves = grown(bins, target, Limits(1, 0.0, 0.0))
    >>> tree.feature.tolist(), leaves.tolist()
    ([0, -1, -1], [1, 1, 2, 2])

    Args:
        bins: features by records, from 0 to 255.
        target: the class and weight of every record.
        limits: when to stop.
    """
    size = len(target.classes)
    most = 2 * (size // max(limits.leaf, 1)) + 1
    tree = Tree(*(np.full(most, LEAF) for _ in range(4)))
    leaves = np.zeros(size, np.int64)
    room = Room(
        np.zeros(size, np.int64),
        np.zeros(LARGEST_BIN + 2, np.int64),
        np.zeros(target.number),
        np.zeros(target.number),
    )
    fixed = Target(
        frozen(target.classes, np.int64),
        frozen(target.weights, np.float64),
        target.number,
        target.is_ordered,
    )
    nodes = _grow(frozen(bins, np.int16), fixed, limits, tree, leaves, room)
    return Tree(*(part[:nodes] for part in tree)), leaves


def leaf_of(tree: Tree, bins: Bins) -> Ints:
    """Return the leaf of every record.

    Args:
        tree: the tree.
        bins: features by records, cut as those it was grown on.
    """
    leaves = np.zeros(bins.shape[1], np.int64)
    _descend(Tree(*(frozen(part, np.int64) for part in tree)), frozen(bins, np.int16), leaves)
    return leaves


def warm_up() -> None:
    """Compile the kernels of this module."""
    bins = np.zeros((1, 2), np.int16)
    target = Target(np.zeros(2, np.int64), np.ones(2), 1, False)
    leaf_of(grown(bins, target, Limits(1, 0.0, 0.0))[0], bins)


@kernel
def _grow(bins: Bins, target: Target, limits: Limits, tree: Tree, leaves: Ints, room: Room) -> int:
    """Divide nodes, those on the left first; return how many there are."""
    rows = np.arange(len(leaves))
    waiting = [(0, 0, len(rows))]
    nodes, whole = 1, -1.0
    while len(waiting) > 0:
        node, start, stop = waiting.pop()
        for place in range(start, stop):
            leaves[rows[place]] = node
        if stop - start < 2 * limits.leaf:
            continue
        impurity = _sides(rows, start, stop, target, room)
        if whole < 0.0:
            whole = impurity
        needed = max(limits.gain * whole, limits.chance * impurity / (stop - start))
        needed = max(needed, ROUNDING * whole)
        feature, edge = _best(bins, rows, start, stop, target, limits.leaf, needed, room)
        if feature == LEAF:
            continue
        middle = _divide(bins[feature], edge, rows, start, stop, room.order)
        tree.feature[node], tree.bin[node] = feature, edge
        tree.left[node], tree.right[node] = nodes, nodes + 1
        waiting.append((nodes + 1, middle, stop))
        waiting.append((nodes, start, middle))
        nodes += 2
    return nodes


@kernel
def _sides(rows: Ints, start: int, stop: int, target: Target, room: Room) -> float:
    """Put all records of a node on the right side; return their impurity times their weight."""
    room.left[:] = 0.0
    room.right[:] = 0.0
    weight = 0.0
    for place in range(start, stop):
        row = rows[place]
        room.right[target.classes[row]] += target.weights[row]
        weight += target.weights[row]
    if target.is_ordered:
        for k in range(1, target.number):
            room.right[k] += room.right[k - 1]
    squares, impurity = 0.0, 0.0
    for k in range(target.number):
        squares += room.right[k] * room.right[k]
        impurity += room.right[k] * (weight - room.right[k]) / weight
    return impurity if target.is_ordered else weight - squares / weight


@kernel
def _best(
    bins: Bins,
    rows: Ints,
    start: int,
    stop: int,
    target: Target,
    leaf: int,
    needed: float,
    room: Room,
) -> tuple[int, int]:
    """Find the feature and the bin by which a node is divided best; -1 if none takes enough."""
    feature, edge = LEAF, 0
    whole = room.right.copy()
    weight = 0.0
    for place in range(start, stop):
        weight += target.weights[rows[place]]
    least = (whole * whole).sum() / weight + needed
    for one in range(len(bins)):
        _sort(bins[one], rows, start, stop, room)
        room.left[:] = 0.0
        room.right[:] = whole
        most, found = _cut(bins[one], stop - start, target, leaf, weight, least, room)
        if found >= 0:
            least, feature, edge = most, one, found
    return feature, edge


@kernel
def _sort(bins: npt.NDArray[np.int16], rows: Ints, start: int, stop: int, room: Room) -> None:
    """Order the records of a node by their bin."""
    room.ends[:] = 0
    for place in range(start, stop):
        room.ends[bins[rows[place]] + 1] += 1
    for one in range(1, len(room.ends)):
        room.ends[one] += room.ends[one - 1]
    for place in range(start, stop):
        one = bins[rows[place]]
        room.order[room.ends[one]] = rows[place]
        room.ends[one] += 1


@kernel
def _cut(
    bins: npt.NDArray[np.int16],
    size: int,
    target: Target,
    leaf: int,
    weight: float,
    least: float,
    room: Room,
) -> tuple[float, int]:
    """Move records to the left side, bin by bin; return the best sum above the least, and where."""
    left, right = 0.0, (room.right * room.right).sum()
    moved, found = 0.0, -1
    for place in range(size - leaf):
        row = room.order[place]
        one, last = target.classes[row], target.classes[row] + 1
        if target.is_ordered:
            last = target.number
        own = target.weights[row]
        for k in range(one, last):
            left += own * (2.0 * room.left[k] + own)
            right -= own * (2.0 * room.right[k] - own)
            room.left[k] += own
            room.right[k] -= own
        moved += own
        if place + 1 < leaf or bins[row] == bins[room.order[place + 1]]:
            continue
        total = left / moved + right / (weight - moved)
        if total > least:
            least, found = total, bins[row]
    return least, found


@kernel
def _divide(
    bins: npt.NDArray[np.int16], edge: int, rows: Ints, start: int, stop: int, order: Ints
) -> int:
    """Move the records up to a bin before the others, both in their order; return where."""
    middle, later = start, 0
    for place in range(start, stop):
        row = rows[place]
        if bins[row] <= edge:
            rows[middle] = row
            middle += 1
        else:
            order[later] = row
            later += 1
    for place in range(later):
        rows[middle + place] = order[place]
    return middle


@kernel
def _descend(tree: Tree, bins: Bins, leaves: Ints) -> None:
    for row in range(len(leaves)):
        node = 0
        while tree.feature[node] != LEAF:
            goes_left = bins[tree.feature[node], row] <= tree.bin[node]
            node = tree.left[node] if goes_left else tree.right[node]
        leaves[row] = node
