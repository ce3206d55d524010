"""Minimum spanning trees of points, and how they fall apart into pieces of at least k points."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def spanning_tree(points: Floats) -> tuple[Ints, Floats, Ints]:
    """Return a tree over all points whose edges have the least possible total length (Prim 1957).

    Of equally short edges the one to the point with the lowest number is taken. The time is
    O(n^2 d), the memory O(n).

    >>> parents, squares, order = spanning_tree(np.array([[0.0], [5.0], [1.0]]))
    >>> parents.tolist(), squares.tolist(), order.tolist()
    ([-1, 2, 0], [0.0, 16.0, 1.0], [0, 2, 1])

    Returns:
        for each point its parent (-1 for point 0, the root), the square of its edge's length, and
        the points in an order in which parents stand before their children.
    """
    size = len(points)
    parents, squares = np.full(size, -1), np.full(size, np.inf)
    order = np.empty(size, np.int64)
    _grow(frozen(points, np.float64), parents, squares, order)
    return parents, squares, order


def pruned(parents: Ints, squares: Floats, order: Ints, k: int) -> Ints:
    """Cut edges, the longest first, wherever both pieces keep at least k points.

    Of equally long edges, the one to the point with the lowest number is tried first.

    >>> pruned(*spanning_tree(np.array([[0.0], [9.0], [1.0], [10.0]])), k=2).tolist()
    [0, 1, 0, 1]

    Args:
        parents: for each point its parent; -1 for a root.
        squares: for each point the square of the length of the edge to its parent.
        order: the points, parents before children.
        k: the least number of points in a piece, at least 1.

    Returns:
        for each point the number of its piece, from 0.
    """
    longest = np.argsort(-squares, kind="stable")
    labels = np.empty(len(parents), np.int64)
    _prune(frozen(parents), frozen(order), frozen(longest), k, labels)
    return labels


def warm_up() -> None:
    """Compile the kernels of this module."""
    pruned(*spanning_tree(np.arange(4.0)[:, None]), 2)


@kernel
def _grow(points: Floats, parents: Ints, squares: Floats, order: Ints) -> None:
    """Join the point nearest to the tree, again and again."""
    size, dimensions = points.shape
    outside = np.arange(size)
    left, newest = size, 0
    if size:
        squares[0] = 0.0
    for place in range(size):
        order[place] = newest
        left -= 1
        for at in range(left + 1):  # those outside stay in ascending order
            if outside[at] == newest:
                outside[at:left] = outside[at + 1 : left + 1]
                break
        following, least = -1, np.inf
        for at in range(left):
            point = outside[at]
            square = 0.0
            for j in range(dimensions):
                gap = points[point, j] - points[newest, j]
                square += gap * gap
            if square < squares[point]:
                squares[point], parents[point] = square, newest
            if squares[point] < least:
                following, least = point, squares[point]
        newest = following


@kernel
def _prune(parents: Ints, order: Ints, longest: Ints, k: int, labels: Ints) -> None:
    """Cut edges in an order, and number the pieces."""
    below = np.ones(parents.size, np.int64)  # a point and what hangs on it in its piece
    is_cut = np.zeros(parents.size, np.bool_)
    for place in range(parents.size - 1, 0, -1):
        if parents[order[place]] >= 0:
            below[parents[order[place]]] += below[order[place]]
    for child in longest:
        if parents[child] < 0 or below[child] < k:
            continue
        root = parents[child]
        while parents[root] >= 0 and not is_cut[root]:
            root = parents[root]
        if below[root] - below[child] < k:
            continue
        is_cut[child] = True
        above = child
        while above != root:
            above = parents[above]
            below[above] -= below[child]
    pieces = 0
    for point in order:
        if parents[point] < 0 or is_cut[point]:
            labels[point] = pieces
            pieces += 1
        else:
            labels[point] = labels[parents[point]]
