"""Groups of at least k near points: MDAV and V-MDAV, exactly, in a tree instead of all distances.

MDAV (maximum distance to average vector; Domingo-Ferrer & Torra 2005) takes two groups of k away at
a time, around the point farthest from the centroid and around the point farthest from that one.
V-MDAV (Solanas & Martinez-Balleste 2006) takes one group at a time, which may grow up to 2k - 1.
Looking at all points for each group takes time in the order of n^2 / k; a tree from which points
are taken finds the very same points.

The points lie in leaves, the leaves in nested boxes that stay tight as points leave. A subtree is
left out when the bound on its distances is too small (farthest) or too large (nearest). A distance
is the sum of the squared differences from the first coordinate to the last. The bound by a box adds
the same terms in the same order, hence never errs even by rounding: a subtree whose bound equals
the best distance matters only if it has a point with a lower number. Of points equally far, the one
with the lowest number is found.

In many dimensions the corners of boxes reach far beyond the points. So every box also knows how far
from a common centre c its points reach. From |x - p|^2 = |x - c|^2 - 2 (x - c)(p - c) + |p - c|^2
follows a second bound on the farthest point from p, in which only the middle term is taken at a
corner. For the centroid, which moves slowly, this term almost vanishes as long as the centre
follows it now and then; for a point at the edge it still cuts off what corners add.

Sums for centroids carry along what rounding lost, so that they do not drift as points leave. All
that compiled functions share is in this file: their cache does not see changes in another one.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel
from tacita.kernels.nesting import nested

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FAN = 8  # children of a node at most
LEAF = 32  # points in a leaf at most
WAITING = 2048  # children that wait at a time: below FAN on each of at most 150 levels or so
# How much the bound by the centre is enlarged, for every pair of coordinates.
ROUNDING = 64 * float(np.finfo(np.float64).eps)
REPLANTED = 2  # the tree is planted anew when only one in so many points is left
# The centre follows the centroid when so many nodes for each leaf were looked into.
RECENTRED = 2.0


class Tree(NamedTuple):
    """Points in nested boxes; the first six arrays are those of a nest."""

    members: Ints  # leaf by leaf the numbers of the points, in a leaf those that are left first
    starts: Ints
    stops: Ints
    homes: Ints
    parents: Ints
    children: Ints
    counts: Ints  # for each leaf, how many points are left
    values: Floats  # of the points, leaf by leaf, in a leaf coordinate by coordinate
    leaf_of: Ints  # for each point, its leaf
    low: Floats  # nodes by coordinates by children: the smallest value
    high: Floats
    reach: Floats  # nodes by children: the largest squared distance from the centre
    first: Ints  # nodes by children: the lowest number; if no point is left, the number of all
    centre: Floats


class Queue(NamedTuple):
    """Children that wait to be looked into, the next on top."""

    nodes: Ints  # or ~leaf
    bounds: Floats  # on their keys, from below
    first: Ints  # their lowest number


# -- the public functions -------------------------------------------------------------------------


def mdav(points: Floats, k: int, tail: Literal["group", "nearest"] = "group") -> Ints:
    """Partition points into groups of k by maximum distance to the average vector.

    While at least 3k points are left, r is the farthest from their centroid; r and its k - 1
    nearest are a group; s is the farthest from r of the others; s and its k - 1 nearest are a
    group. If 2k to 3k - 1 points are left then, the farthest from their centroid and its k - 1
    nearest are a group. The k to 2k - 1 points that are left in the end are the last group.
    Fewer than 2k points are one group.

    As s is sought after the group of r is taken away, it is well defined even if all points are
    equal. Seeking it before finds the same distance, since no point of the group is farther than
    one outside.

    >>> mdav(np.array([[0.0], [9.0], [1.0], [10.0], [20.0]]), 2).tolist()
    [1, 1, 1, 0, 0]

    Args:
        points: points by coordinates, without NaN; scaled as distances should count them.
        k: the least number of points in a group, at least 1.
        tail: what becomes of the last k to 2k - 1 points: one "group", as published; or a group of
            k around the farthest from their centroid, while each of the others joins the group with
            the "nearest" centroid.

    Returns:
        For each point the number of its group, in the order in which groups were formed.
    """
    points, labels = frozen(points, np.float64), np.full(len(points), -1)
    sums = _sum_rows(points)
    groups, left, least = 0, len(points), 2 * k if tail == "group" else k + 1
    while left >= least:
        tree = _plant(points, np.flatnonzero(labels < 0), sums.sum(axis=0) / left)
        soon = max(least, left // REPLANTED + 1)
        groups = _form_groups(tree, points, k, soon, sums, labels, groups)
        left = len(points) - k * groups
    if groups and left < k:
        _join_nearest(points, labels)
    labels[labels < 0] = groups
    return labels


def v_mdav(points: Floats, k: int, gamma: float) -> Ints:
    """Partition points into groups of k to 2k - 1 that grow where points lie close to them.

    While at least k points are left: the farthest from the centroid of all points and its k - 1
    nearest are a group. As long as it has fewer than 2k - 1 points, look at the point that is
    nearest to any of them: it joins if this distance is less than gamma times its distance to the
    nearest of the other points that are left. In the end, each of the fewer than k points that are
    left joins the group with the nearest centroid, even beyond 2k - 1. Fewer are one group.

    >>> v_mdav(np.array([[0.0], [9.0], [1.0], [10.0], [2.0]]), 2, 1.1).tolist()
    [1, 0, 1, 0, 1]

    Args:
        points: points by coordinates, without NaN; scaled as distances should count them.
        k: the least number of points in a group, at least 1.
        gamma: how readily groups grow; with 0 they never do. The authors advise 0.2 for scattered
            and 1.1 for clustered points.

    Returns:
        For each point the number of its group, in the order in which groups were formed.
    """
    points, labels = frozen(points, np.float64), np.full(len(points), -1)
    groups, left = 0, len(points)
    centroid = _sum_rows(points).sum(axis=0) / max(left, 1)
    while left >= k:
        tree = _plant(points, np.flatnonzero(labels < 0), centroid)
        soon = max(k, left // REPLANTED + 1)
        groups = _form_growing(tree, points, k, float(gamma), soon, labels, groups)
        left = int(np.count_nonzero(labels < 0))
    if groups:
        _join_nearest(points, labels)
    labels[labels < 0] = groups
    return labels


def warm_up() -> None:
    """Compile the kernels of this module and of the tree."""
    points = np.arange(8.0)[:, None]
    mdav(points, 2)
    v_mdav(points, 2, 1.0)


# -- planting and taking away ---------------------------------------------------------------------


def _plant(points: Floats, chosen: Ints, centre: Floats) -> Tree:
    """Put the chosen points (ascending, at least one) into a tree."""
    nest = nested(points, chosen, FAN, LEAF)
    nodes, dimensions = len(nest.children), points.shape[1]
    tree = Tree(
        *nest,
        counts=nest.stops - nest.starts,
        values=np.empty(len(chosen) * dimensions),
        leaf_of=np.full(len(points), -1),
        low=np.full((nodes, dimensions, FAN), np.inf),
        high=np.full((nodes, dimensions, FAN), -np.inf),
        reach=np.full((nodes, FAN), -1.0),
        first=np.full((nodes, FAN), len(points)),
        centre=centre.copy(),
    )
    _fill(tree, points)
    _recentre(tree, centre)
    return tree


@kernel
def _fill(tree: Tree, points: Floats) -> None:
    """Copy the points into their leaves."""
    for leaf in range(tree.starts.size):
        start, size = tree.starts[leaf], tree.counts[leaf]
        for at in range(size):
            point = tree.members[start + at]
            tree.leaf_of[point] = leaf
            for j in range(points.shape[1]):
                tree.values[start * points.shape[1] + j * size + at] = points[point, j]


@kernel
def _recentre(tree: Tree, centre: Floats) -> None:
    """Measure reaches from another centre, and tighten all boxes."""
    tree.centre[:] = centre
    for leaf in range(tree.starts.size):
        _tighten_leaf(tree, leaf)
    for node in range(tree.parents.size - 1, 0, -1):
        _tighten_node(tree, node)


@kernel
def _tighten_leaf(tree: Tree, leaf: int) -> None:
    """Fit the box around a leaf to the points that are left."""
    node, child = divmod(tree.homes[leaf], FAN)
    start, count, squares = tree.starts[leaf], tree.counts[leaf], np.empty(LEAF)
    size, dimensions = tree.stops[leaf] - start, tree.centre.size
    values = tree.values[start * dimensions : (start + size) * dimensions]
    _measure(values, count, tree.centre, squares)
    first, reach = tree.leaf_of.size, -1.0
    for at in range(count):
        first, reach = min(first, tree.members[start + at]), max(reach, squares[at])
    tree.first[node, child], tree.reach[node, child] = first, reach
    for j in range(dimensions):
        low, high = np.inf, -np.inf
        for at in range(j * size, j * size + count):
            low, high = min(low, values[at]), max(high, values[at])
        tree.low[node, j, child], tree.high[node, j, child] = low, high


@kernel
def _tighten_node(tree: Tree, node: int) -> bool:
    """Fit the box around a node to those of its children; returns whether anything changed."""
    parent, child = divmod(tree.parents[node], FAN)
    first, reach = tree.leaf_of.size, -1.0
    for i in range(FAN):
        first, reach = min(first, tree.first[node, i]), max(reach, tree.reach[node, i])
    changed: bool = tree.first[parent, child] != first or tree.reach[parent, child] != reach
    tree.first[parent, child], tree.reach[parent, child] = first, reach
    for j in range(tree.centre.size):
        low, high = np.inf, -np.inf
        for i in range(FAN):
            low, high = min(low, tree.low[node, j, i]), max(high, tree.high[node, j, i])
        changed |= tree.low[parent, j, child] != low or tree.high[parent, j, child] != high
        tree.low[parent, j, child], tree.high[parent, j, child] = low, high
    return changed


@kernel
def _take(tree: Tree, point: int) -> None:
    """Take a point away."""
    leaf, at = tree.leaf_of[point], 0
    start, last = tree.starts[leaf], tree.counts[leaf] - 1
    size, dimensions = tree.stops[leaf] - start, tree.centre.size
    while tree.members[start + at] != point:
        at += 1
    tree.members[start + at] = tree.members[start + last]
    for row in range(start * dimensions, (start + size) * dimensions, size):
        tree.values[row + at] = tree.values[row + last]
    tree.counts[leaf] = last
    _tighten_leaf(tree, leaf)
    node = tree.homes[leaf] // FAN
    while node and _tighten_node(tree, node):
        node = tree.parents[node] // FAN


# -- searching ------------------------------------------------------------------------------------
# What a search calls again and again is handed single arrays instead of the tree: numba counts the
# references to every array that a function gets.


@kernel
def _measure(values: Floats, count: int, point: Floats, squares: Floats) -> None:
    """Find the squared distances from a point to the first points of a leaf."""
    size = values.size // point.size
    squares[:count] = 0.0
    for j in range(point.size):
        row, value = values[j * size : j * size + count], point[j]
        for at in range(row.size):
            gap = row[at] - value
            squares[at] += gap * gap


@kernel
def _near_bounds(low: Floats, high: Floats, point: Floats, bounds: Floats) -> None:
    """Bound the squared distances from a point to those in each child of a node from below."""
    bounds[:FAN] = 0.0
    for j in range(point.size):
        value = point[j]
        for child in range(FAN):
            gap = max(low[j, child] - value, value - high[j, child], 0.0)
            bounds[child] += gap * gap


@kernel
def _away_bounds(
    low: Floats, high: Floats, reach: Floats, centre: Floats, point: Floats, bounds: Floats
) -> None:
    """Bound the negative squared distances from a point to those in each child from below."""
    products, length = np.zeros(FAN), 0.0
    bounds[:FAN] = 0.0
    for j in range(point.size):
        value, origin = point[j], centre[j]
        step = value - origin
        length += step * step
        for child in range(FAN):
            below, above = low[j, child] - value, high[j, child] - value
            bounds[child] += max(below * below, above * above)
            one, other = low[j, child] - origin, high[j, child] - origin
            products[child] += min(step * one, step * other)
    slack = ROUNDING * (point.size + 1) ** 2
    for child in range(FAN):
        by_centre = reach[child] - 2.0 * products[child] + length
        by_centre += slack * (reach[child] + length)
        # A child without points has no reach.
        bounds[child] = -min(bounds[child], by_centre) if reach[child] >= 0.0 else np.inf


@kernel
def _precedes(key: float, number: int, other_key: float, other_number: int) -> bool:
    """Say whether a key comes before another; the numbers decide where they are equal."""
    return key < other_key or (key == other_key and number < other_number)


@kernel
def _put(keys: Floats, numbers: Ints, key: float, number: int) -> None:
    """Put a key and its number among ascending ones; the last falls out."""
    at = keys.size - 1
    while at and _precedes(key, number, keys[at - 1], numbers[at - 1]):
        keys[at], numbers[at] = keys[at - 1], numbers[at - 1]
        at -= 1
    keys[at], numbers[at] = key, number


@kernel
def _look_at_leaf(members: Ints, squares: Floats, sign: float, keys: Floats, numbers: Ints) -> None:
    """Put the points of a leaf among those found so far, if they come before the last of them."""
    for at in range(members.size):
        key, number = sign * squares[at], members[at]
        if _precedes(key, number, keys[-1], numbers[-1]):
            _put(keys, numbers, key, number)


@kernel
def _look_at_node(
    children: Ints, lowest: Ints, bounds: Floats, limit: float, number: int, queue: Queue, size: int
) -> int:
    """Let the children that come before a limit wait, the first on top; returns how many wait."""
    bottom = size
    for child in range(FAN):
        bound, first, at = bounds[child], lowest[child], size
        if not _precedes(bound, first, limit, number):
            continue
        while at > bottom and _precedes(queue.bounds[at - 1], queue.first[at - 1], bound, first):
            queue.nodes[at] = queue.nodes[at - 1]
            queue.bounds[at], queue.first[at] = queue.bounds[at - 1], queue.first[at - 1]
            at -= 1
        queue.nodes[at], queue.bounds[at], queue.first[at] = children[child], bound, first
        size += 1
    return size


@kernel
def _search(tree: Tree, point: Floats, sign: float, keys: Floats, numbers: Ints) -> int:
    """Find the lowest keys, squared distances times the sign; returns the number of nodes seen."""
    queue = Queue(np.empty(WAITING, np.int64), np.empty(WAITING), np.empty(WAITING, np.int64))
    low, high, reach, squares = tree.low, tree.high, tree.reach, np.empty(LEAF)
    keys[:], numbers[:] = np.inf, tree.leaf_of.size
    queue.nodes[0], queue.bounds[0], queue.first[0], size, visits = 0, -np.inf, 0, 1, 0
    while size:
        size -= 1
        node, last, number = queue.nodes[size], keys[-1], numbers[-1]
        if not _precedes(queue.bounds[size], queue.first[size], last, number):
            continue
        if node < 0:
            start, stop, count = tree.starts[~node], tree.stops[~node], tree.counts[~node]
            values = tree.values[start * point.size : stop * point.size]
            _measure(values, count, point, squares)
            _look_at_leaf(tree.members[start : start + count], squares, sign, keys, numbers)
            continue
        if sign < 0.0:
            _away_bounds(low[node], high[node], reach[node], tree.centre, point, squares)
        else:
            _near_bounds(low[node], high[node], point, squares)
        children, first = tree.children[node], tree.first[node]
        size = _look_at_node(children, first, squares, last, number, queue, size)
        visits += 1
    return visits


@kernel
def _farthest(tree: Tree, point: Floats) -> tuple[int, int]:
    """Find the farthest point; returns it, and how many nodes were looked into."""
    keys, numbers = np.empty(1), np.empty(1, np.int64)
    visits = _search(tree, point, -1.0, keys, numbers)
    return numbers[0], visits


@kernel
def _nearest(tree: Tree, point: Floats, squares: Floats, numbers: Ints) -> None:
    """Find as many nearest points as there is room for; too few leave infinite distances."""
    _search(tree, point, 1.0, squares, numbers)


# -- forming groups -------------------------------------------------------------------------------


def _join_nearest(points: Floats, labels: Ints) -> None:
    """Let each point without a group join the one whose centroid, so far, is the nearest."""
    formed = labels >= 0
    of_group = labels[formed]
    sums = [np.bincount(of_group, column) for column in points[formed].T]
    centroids = np.column_stack(sums) / np.bincount(of_group)[:, None]
    for point in np.flatnonzero(~formed):
        labels[point] = np.square(centroids - points[point]).sum(axis=1).argmin()


@kernel
def _add(sums: Floats, point: Floats, sign: float) -> None:
    """Add a point to sums; what each addition loses in rounding is summed beside them."""
    for j in range(point.size):
        term, before = sign * point[j], sums[0, j]
        total = before + term
        part = total - before
        sums[0, j] = total
        sums[1, j] += (before - (total - part)) + (term - part)


@kernel
def _sum_rows(points: Floats) -> Floats:
    sums = np.zeros((2, points.shape[1]))
    for row in points:
        _add(sums, row, 1.0)
    return sums


@kernel
def _take_group(
    tree: Tree, seed: Floats, group: int, labels: Ints, squares: Floats, members: Ints
) -> None:
    """Make the nearest points to a seed, as many as there is room for, a group."""
    _nearest(tree, seed, squares, members)
    for member in members:
        labels[member] = group
        _take(tree, member)


@kernel
def _form_groups(
    tree: Tree, points: Floats, k: int, soon: int, sums: Floats, labels: Ints, groups: int
) -> int:
    """Form groups of k as long as there are so many points; returns the number of groups."""
    squares, members = np.empty(k), np.empty(k, np.int64)
    left, visits = labels.size - k * groups, 0
    while left >= soon:
        centroid = (sums[0] + sums[1]) / left
        if visits > RECENTRED * tree.starts.size:
            _recentre(tree, centroid)
            visits = 0
        seed, looked = _farthest(tree, centroid)
        visits += looked
        for second in range(1 + (left >= 3 * k)):
            if second:
                seed = _farthest(tree, points[seed].copy())[0]
            _take_group(tree, points[seed].copy(), groups, labels, squares, members)
            for member in members:
                _add(sums, points[member], -1.0)
            groups, left = groups + 1, left - k
    return groups


@kernel
def _closest(tree: Tree, points: Floats, group: Ints) -> tuple[float, int]:
    """Find the nearest of the points that are left to any of a group, and its squared distance."""
    square, number = np.empty(1), np.empty(1, np.int64)
    least, closest = np.inf, tree.leaf_of.size
    for member in group:
        _nearest(tree, points[member].copy(), square, number)
        if _precedes(square[0], number[0], least, closest):
            least, closest = square[0], number[0]
    return least, closest


@kernel
def _form_growing(
    tree: Tree, points: Floats, k: int, gamma: float, soon: int, labels: Ints, groups: int
) -> int:
    """Form growing groups as long as there are so many points; returns the number of groups."""
    group, squares, pair = np.empty(2 * k - 1, np.int64), np.empty(k), np.empty(2, np.int64)
    around, left = np.empty(2), tree.members.size
    while left >= soon:
        seed = _farthest(tree, tree.centre)[0]
        _take_group(tree, points[seed].copy(), groups, labels, squares, group[:k])
        size, left = k, left - k
        while size < 2 * k - 1 and left:
            inside, point = _closest(tree, points, group[:size])
            _nearest(tree, points[point].copy(), around, pair)
            outside = around[1] if pair[0] == point else around[0]
            if not np.sqrt(inside) < gamma * np.sqrt(outside):
                break
            group[size], labels[point] = point, groups
            _take(tree, point)
            size, left = size + 1, left - 1
        groups += 1
    return groups
