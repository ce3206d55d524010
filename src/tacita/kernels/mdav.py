"""Groups of at least k near points: MDAV and V-MDAV, exactly, in a tree instead of all distances.

MDAV (maximum distance to average vector; Domingo-Ferrer & Torra 2005) takes two groups of k away at
a time, around the point farthest from the centroid and around the point farthest from that one.
V-MDAV (Solanas & Martinez-Balleste 2006) takes one group at a time, which may grow up to 2k - 1.
Looking at all points for each group takes time in the order of n^2 / k; a tree from which points
are taken finds the very same points.

The points lie in leaves, the leaves in nested boxes that stay tight as points leave. A subtree is
left out when the bound on its distances is too small (farthest) or too large (nearest). A distance
is the sum of the squared differences from the first coordinate to the last. The bound by a box adds
the same terms in the same order, hence never errs by more than distances do. Of points equally far,
the one with the lowest number is found.

Points are whole numbers, and a squared distance weighs the square of each coordinate by a whole
number, so that it is known exactly which of two is larger. Doubles decide as long as they differ by
more than rounding can do; what lies closer is decided in whole numbers of any size, held in limbs.
A subtree whose bound lies that close to the best distance matters only if the corner of its box
does not lose to it, or ties with it and has a point with a lower number.

In many dimensions the corners of boxes reach far beyond the points. So every box also knows how far
from a common centre c its points reach. From |x - p|^2 = |x - c|^2 - 2 (x - c)(p - c) + |p - c|^2
follows a second bound on the farthest point from p, in which only the middle term is taken at a
corner. For the centroid, which moves slowly, this term almost vanishes as long as the centre
follows it now and then; for a point at the edge it still cuts off what corners add.

Sums for centroids are whole numbers, too, so that they do not drift as points leave. All that
compiled functions share is in this file: their cache does not see changes in another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
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
LARGEST = 2**48  # of a coordinate: its double tells it after scaling back and forth
LIMB = 31  # bits of a limb: products of two are added up in 64 bits
ONES = (1 << LIMB) - 1
ROOM = 8  # limbs that a sum may have beyond those of a weight


class Lattice(NamedTuple):
    """Points in whole numbers.

    Args:
        whole: points by coordinates; those of one coordinate are fewer than LARGEST apart.
        weights: what the squared difference of each coordinate counts in a squared distance, 0 or
            more.
    """

    whole: Ints
    weights: tuple[int, ...]


class Space(NamedTuple):
    """Points as doubles, and what they are exactly."""

    points: Floats  # the whole numbers times the roots of the weights
    whole: Ints
    steps: Floats  # for each coordinate, the double that stands for 1
    weights: Ints  # for each coordinate its weight in limbs, the lowest first
    slack: float  # squared distances that are farther apart differ


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


def mdav(points: Floats | Lattice, k: int, tail: Literal["group", "nearest"] = "group") -> Ints:
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
        points: points by coordinates, without NaN, scaled as distances should count them (see
            `lattice`); or what they are in whole numbers.
        k: the least number of points in a group, at least 1.
        tail: what becomes of the last k to 2k - 1 points: one "group", as published; or a group of
            k around the farthest from their centroid, while each of the others joins the group with
            the "nearest" centroid.

    Returns:
        For each point the number of its group, in the order in which groups were formed.
    """
    space = _space(points if isinstance(points, Lattice) else lattice(points))
    size, sums = len(space.points), _sum_rows(space)
    labels, groups, left, least = np.full(size, -1), 0, size, 2 * k if tail == "group" else k + 1
    while left >= least:
        tree = _plant(space.points, np.flatnonzero(labels < 0), _mean(space, sums, left))
        soon = max(least, left // REPLANTED + 1)
        groups = _form_groups(tree, space, k, soon, sums, labels, groups)
        left = size - k * groups
    if groups and left < k:
        _join_nearest(space, labels)
    labels[labels < 0] = groups
    return labels


def v_mdav(points: Floats | Lattice, k: int, gamma: float) -> Ints:
    """Partition points into groups of k to 2k - 1 that grow where points lie close to them.

    While at least k points are left: the farthest from the centroid of all points and its k - 1
    nearest are a group. As long as it has fewer than 2k - 1 points, look at the point that is
    nearest to any of them: it joins if this distance is less than gamma times its distance to the
    nearest of the other points that are left. In the end, each of the fewer than k points that are
    left joins the group with the nearest centroid, even beyond 2k - 1. Fewer are one group.

    >>> v_mdav(np.array([[0.0], [9.0], [1.0], [10.0], [2.0]]), 2, 1.1).tolist()
    [1, 0, 1, 0, 1]

    Args:
        points: points by coordinates, without NaN, scaled as distances should count them (see
            `lattice`); or what they are in whole numbers.
        k: the least number of points in a group, at least 1.
        gamma: how readily groups grow; with 0 they never do. The authors advise 0.2 for scattered
            and 1.1 for clustered points.

    Returns:
        For each point the number of its group, in the order in which groups were formed.
    """
    found = points if isinstance(points, Lattice) else lattice(points)
    space, ratio = _space(found), Fraction(str(gamma)) ** 2
    # Inside and outside side by side, so that gamma is decided as a comparison of two points.
    both = [ratio.denominator * weight for weight in found.weights]
    both += [ratio.numerator * weight for weight in found.weights]
    bounds, size, sums = _limbs(both), len(space.points), _sum_rows(space)
    labels, groups, left = np.full(size, -1), 0, size
    while left >= k:
        tree = _plant(space.points, np.flatnonzero(labels < 0), _mean(space, sums, size))
        soon = max(k, left // REPLANTED + 1)
        groups = _form_growing(tree, space, k, float(gamma), bounds, soon, sums, labels, groups)
        left = int(np.count_nonzero(labels < 0))
    if groups:
        _join_nearest(space, labels)
    labels[labels < 0] = groups
    return labels


def lattice(points: Floats) -> Lattice:
    """Return points in whole numbers of one unit, 2^-47 of a power of two above all of them.

    Numbers with no digit below the unit stay what they are.
    """
    largest = float(np.abs(points).max(initial=0.0))
    exponent = LARGEST.bit_length() - 2 - int(np.frexp(largest)[1])
    whole = np.rint(np.ldexp(points, exponent)).astype(np.int64)
    return Lattice(whole, (1,) * points.shape[1])


def warm_up() -> None:
    """Compile the kernels of this module and of the tree."""
    points = np.arange(8.0)[:, None]
    mdav(points, 2)
    v_mdav(points, 2, 1.0)


# -- whole numbers and their doubles --------------------------------------------------------------


def _space(found: Lattice) -> Space:
    """Lay points out as doubles around the middle of their range."""
    middle = found.whole.min(axis=0, initial=0) // 2 + found.whole.max(axis=0, initial=0) // 2
    whole = found.whole - middle
    heaviest = max(found.weights, default=0) or 1
    steps = np.sqrt(np.array([weight / heaviest for weight in found.weights]))
    points: Floats = frozen(whole * steps)
    reach = float(np.square(np.abs(points).max(axis=0, initial=0.0)).sum())
    # A difference is off by 8 half units in the last place of the reach at most, its square by 32
    # in that of the square, besides what adding up loses; two distances are compared.
    slack = (64 + 8 * len(steps)) * float(np.finfo(np.float64).eps) * reach
    return Space(points, frozen(whole), steps, _limbs(found.weights), slack)


def _limbs(numbers: Sequence[int]) -> Ints:
    """Write numbers of any size, 0 or more, in as many limbs each."""
    width = max(1, -(-max(numbers, default=0).bit_length() // LIMB))
    rows = [[number >> LIMB * at & ONES for at in range(width)] for number in numbers]
    return np.array(rows, np.int64).reshape(-1, width)


@kernel
def _add(sums: Ints, row: Ints, sign: int) -> None:
    """Add a point to sums, which are held in two words each: of the low limb and of the rest."""
    for j in range(row.size):
        sums[0, j] += sign * (row[j] & ONES)
        sums[1, j] += sign * (row[j] >> LIMB)


def _sum_rows(space: Space) -> Ints:
    return np.stack([(space.whole & ONES).sum(axis=0), (space.whole >> LIMB).sum(axis=0)])


@kernel
def _mean(space: Space, sums: Ints, count: int) -> Floats:
    """Return the double next to a centroid."""
    found: Floats = (sums[1] * float(ONES + 1) + sums[0]) / max(count, 1) * space.steps
    return found


@kernel
def _offset(total: int, count: int, low: int, high: int) -> tuple[int, int]:
    """Return a total times a count less twice a sum, in two words; the low one is not negative."""
    below = count * (total & ONES) - 2 * low
    return below & ONES, count * (total >> LIMB) - 2 * high + (below >> LIMB)


@kernel
def _compare(weights: Ints, sums: Ints, count: int, one: Ints, other: Ints) -> int:
    """Return the sign of how much farther from a centroid, sums / count, one point is than another.

    As |x - s/m|^2 - |y - s/m|^2 is the sum over coordinates of (x - y) (m (x + y) - 2 s) / m.
    """
    totals = np.zeros((2, weights.shape[1] + ROOM), np.int64)
    apart, away, product = np.empty(2, np.int64), np.empty(3, np.int64), np.empty(5, np.int64)
    for j in range(one.size):
        gap = one[j] - other[j]
        low, high = _offset(one[j] + other[j], count, sums[0, j], sums[1, j])
        if gap == 0 or (low == 0 and high == 0):
            continue
        side = int((gap < 0) != (high < 0))
        if high < 0:
            low, high = (ONES + 1 - low, -high - 1) if low else (0, -high)
        gap = abs(gap)
        apart[0], apart[1] = gap & ONES, gap >> LIMB
        away[0], away[1], away[2] = low, high & ONES, high >> LIMB
        product[:] = 0
        _add_product(product, apart, away)
        _add_product(totals[side], product, weights[j])
    for at in range(totals.shape[1] - 1, -1, -1):
        if totals[0, at] != totals[1, at]:
            return 1 if totals[0, at] > totals[1, at] else -1
    return 0


@kernel
def _add_product(total: Ints, left: Ints, right: Ints) -> None:
    """Add the product of two numbers to a third; all are in limbs."""
    for i in range(left.size):
        carry = 0
        if left[i] == 0:
            continue
        for at in range(right.size):
            carry += total[i + at] + left[i] * right[at]
            total[i + at] = carry & ONES
            carry >>= LIMB
        at = i + right.size
        while carry:
            carry += total[at]
            total[at] = carry & ONES
            carry >>= LIMB
            at += 1


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
def _look_at_leaf(
    members: Ints,
    squares: Floats,
    first: int,
    sign: float,
    slack: float,
    keys: Floats,
    numbers: Ints,
) -> int:
    """Put the points of a leaf among those found so far, if they come before the last of them.

    Returns the place of the first whose key is too close to another one for doubles to decide.
    """
    limit = keys[-1] + slack
    for at in range(first, members.size):
        key, place = sign * squares[at], keys.size
        if key > limit:
            continue
        while place and key + slack < keys[place - 1]:
            place -= 1
        if place and key - slack <= keys[place - 1]:
            return at
        _shift(keys, numbers, place)
        keys[place], numbers[place] = key, members[at]
        limit = keys[-1] + slack
    return members.size


@kernel
def _shift(keys: Floats, numbers: Ints, place: int) -> None:
    """Make room at a place; the last key falls out."""
    for at in range(keys.size - 1, place, -1):
        keys[at], numbers[at] = keys[at - 1], numbers[at - 1]


@kernel
def _put_exactly(
    space: Space,
    origin: Ints,
    count: int,
    number: int,
    key: float,
    sign: float,
    keys: Floats,
    numbers: Ints,
) -> None:
    """Put a point among those found so far, by whole numbers where doubles are too close."""
    place, row = keys.size, space.whole[number]
    while place:
        gap = keys[place - 1] - key
        if abs(gap) <= space.slack:
            other = space.whole[numbers[place - 1]]
            gap = -sign * _compare(space.weights, origin, count, row, other)
            gap = gap or float(numbers[place - 1] - number)
        if gap < 0.0:
            break
        place -= 1
    if place < keys.size:
        _shift(keys, numbers, place)
        keys[place], numbers[place] = key, number


@kernel
def _look_closely(
    space: Space,
    origin: Ints,
    count: int,
    members: Ints,
    squares: Floats,
    at: int,
    sign: float,
    keys: Floats,
    numbers: Ints,
) -> None:
    """Put the points of a leaf, from a place on, among those found so far."""
    while at < members.size:
        _put_exactly(space, origin, count, members[at], sign * squares[at], sign, keys, numbers)
        at = _look_at_leaf(members, squares, at + 1, sign, space.slack, keys, numbers)


@kernel
def _corner_precedes(
    tree: Tree, space: Space, origin: Ints, count: int, node: int, sign: float, number: int
) -> bool:
    """Say whether the corner of a box that is to be looked at first comes before a point."""
    home = tree.homes[~node] if node < 0 else tree.parents[node]
    corner = np.empty(space.steps.size, np.int64)
    for j in range(corner.size):
        low = _whole(tree.low[home // FAN, j, home % FAN], space.steps[j])
        high = _whole(tree.high[home // FAN, j, home % FAN], space.steps[j])
        if sign < 0.0:
            is_above = _offset(low + high, count, origin[0, j], origin[1, j])[1] >= 0
            corner[j] = high if is_above else low
        else:  # the origin is a point
            corner[j] = min(max(origin[1, j] << LIMB | origin[0, j], low), high)
    return sign * _compare(space.weights, origin, count, corner, space.whole[number]) < 0.0


@kernel
def _whole(value: float, step: float) -> int:
    """Return the whole number that a double stands for."""
    return int(np.rint(value / step)) if step else 0


@kernel
def _look_at_node(
    children: Ints, lowest: Ints, bounds: Floats, limit: float, queue: Queue, size: int
) -> int:
    """Let the children that come before a limit wait, the first on top; returns how many wait."""
    bottom = size
    for child in range(FAN):
        bound, first, at = bounds[child], lowest[child], size
        if bound > limit or bound == np.inf:
            continue
        while at > bottom and _precedes(queue.bounds[at - 1], queue.first[at - 1], bound, first):
            queue.nodes[at] = queue.nodes[at - 1]
            queue.bounds[at], queue.first[at] = queue.bounds[at - 1], queue.first[at - 1]
            at -= 1
        queue.nodes[at], queue.bounds[at], queue.first[at] = children[child], bound, first
        size += 1
    return size


@kernel
def _search(
    tree: Tree,
    space: Space,
    point: Floats,
    origin: Ints,
    count: int,
    sign: float,
    keys: Floats,
    numbers: Ints,
) -> int:
    """Find the lowest keys, squared distances times the sign; returns the number of nodes seen.

    Args:
        tree: the points that are left.
        space: all points.
        point: where distances are measured from.
        origin: what that is exactly, times the count, in two words.
        count: the count.
        sign: 1 for the nearest, -1 for the farthest.
        keys: room for the keys; too few points leave infinite ones.
        numbers: room for the numbers of the points.
    """
    queue = Queue(np.empty(WAITING, np.int64), np.empty(WAITING), np.empty(WAITING, np.int64))
    low, high, reach, squares = tree.low, tree.high, tree.reach, np.empty(LEAF)
    keys[:], numbers[:], slack = np.inf, tree.leaf_of.size, space.slack
    queue.nodes[0], queue.bounds[0], queue.first[0], size, visits = 0, -np.inf, 0, 1, 0
    while size:
        size -= 1
        node, bound, last, number = queue.nodes[size], queue.bounds[size], keys[-1], numbers[-1]
        if bound > last + slack:
            continue
        is_close = bound >= last - slack and queue.first[size] > number
        if is_close and not _corner_precedes(tree, space, origin, count, node, sign, number):
            continue
        if node < 0:
            start, stop, size_here = tree.starts[~node], tree.stops[~node], tree.counts[~node]
            values = tree.values[start * point.size : stop * point.size]
            _measure(values, size_here, point, squares)
            members = tree.members[start : start + size_here]
            at = _look_at_leaf(members, squares, 0, sign, slack, keys, numbers)
            if at < size_here:
                _look_closely(space, origin, count, members, squares, at, sign, keys, numbers)
            continue
        if sign < 0.0:
            _away_bounds(low[node], high[node], reach[node], tree.centre, point, squares)
        else:
            _near_bounds(low[node], high[node], point, squares)
        children, first = tree.children[node], tree.first[node]
        size = _look_at_node(children, first, squares, last + slack, queue, size)
        visits += 1
    return visits


@kernel
def _farthest(tree: Tree, space: Space, point: Floats, origin: Ints, count: int) -> tuple[int, int]:
    """Find the farthest point; returns it, and how many nodes were looked into."""
    keys, numbers = np.empty(1), np.empty(1, np.int64)
    visits = _search(tree, space, point, origin, count, -1.0, keys, numbers)
    return numbers[0], visits


@kernel
def _nearest(tree: Tree, space: Space, number: int, squares: Floats, numbers: Ints) -> None:
    """Find as many nearest points as there is room for; too few leave infinite distances."""
    point = space.points[number].copy()
    _search(tree, space, point, _origin(space, number), 1, 1.0, squares, numbers)


@kernel
def _origin(space: Space, number: int) -> Ints:
    """Return a point in two words."""
    words = np.zeros((2, space.steps.size), np.int64)
    _add(words, space.whole[number], 1)
    return words


# -- forming groups -------------------------------------------------------------------------------


def _join_nearest(space: Space, labels: Ints) -> None:
    """Let each point without a group join the one whose centroid, so far, is the nearest."""
    formed = labels >= 0
    of_group = labels[formed]
    sums = [np.bincount(of_group, column) for column in space.points[formed].T]
    centroids = np.column_stack(sums) / np.bincount(of_group)[:, None]
    before = labels.copy()
    for point in np.flatnonzero(~formed).tolist():
        squares = np.square(centroids - space.points[point]).sum(axis=1)
        close = np.flatnonzero(squares <= squares.min() + space.slack).tolist()
        if len(close) > 1:
            close.sort(key=lambda group: _square(space, point, np.flatnonzero(before == group)))
        labels[point] = close[0]


def _square(space: Space, point: int, members: Ints) -> Fraction:
    """Return the exact squared distance from a point to the centroid of some others."""
    weights = [
        sum(limb << LIMB * at for at, limb in enumerate(row)) for row in space.weights.tolist()
    ]
    own, others = space.whole[point].tolist(), space.whole[members].T.tolist()
    gaps = [len(members) * x - sum(column) for x, column in zip(own, others, strict=True)]
    total = sum(weight * gap**2 for weight, gap in zip(weights, gaps, strict=True))
    return Fraction(total, len(members) ** 2)


@kernel
def _take_group(
    tree: Tree, space: Space, seed: int, group: int, labels: Ints, squares: Floats, members: Ints
) -> None:
    """Make the nearest points to a seed, as many as there is room for, a group."""
    _nearest(tree, space, seed, squares, members)
    for member in members:
        labels[member] = group
        _take(tree, member)


@kernel
def _form_groups(
    tree: Tree, space: Space, k: int, soon: int, sums: Ints, labels: Ints, groups: int
) -> int:
    """Form groups of k as long as there are so many points; returns the number of groups."""
    squares, members = np.empty(k), np.empty(k, np.int64)
    left, visits = labels.size - k * groups, 0
    while left >= soon:
        centroid = _mean(space, sums, left)
        if visits > RECENTRED * tree.starts.size:
            _recentre(tree, centroid)
            visits = 0
        seed, looked = _farthest(tree, space, centroid, sums, left)
        visits += looked
        for second in range(1 + (left >= 3 * k)):
            if second:
                point = space.points[seed].copy()
                seed = _farthest(tree, space, point, _origin(space, seed), 1)[0]
            _take_group(tree, space, seed, groups, labels, squares, members)
            for member in members:
                _add(sums, space.whole[member], -1)
            groups, left = groups + 1, left - k
    return groups


@kernel
def _closest(tree: Tree, space: Space, group: Ints) -> tuple[float, int, int]:
    """Find the nearest of the points that are left to any of a group.

    Returns its squared distance, itself, and the member of the group that it is nearest to.
    """
    square, number = np.empty(1), np.empty(1, np.int64)
    least, closest, host = np.inf, -1, -1
    for member in group:
        _nearest(tree, space, member, square, number)
        gap = square[0] - least
        if host >= 0 and abs(gap) <= space.slack:
            one = space.whole[number[0]] - space.whole[member]
            other = space.whole[closest] - space.whole[host]
            gap = float(_compare(space.weights, np.zeros((2, one.size), np.int64), 1, one, other))
            gap = gap or float(number[0] - closest)
        if gap < 0.0:
            least, closest, host = square[0], number[0], member
    return least, closest, host


@kernel
def _joins(
    space: Space, gamma: float, bounds: Ints, inside: float, outside: float, near: Ints, far: Ints
) -> bool:
    """Say whether a distance is less than gamma times another one.

    Args:
        space: all points.
        gamma: how readily groups grow.
        bounds: the weights of the two squared distances, in limbs.
        inside: the double next to the first squared distance.
        outside: the double next to the second.
        near: the differences of coordinates that the first is of.
        far: those that the second is of.
    """
    limit = gamma * gamma * outside
    if abs(inside - limit) > (1.0 + gamma * gamma) * space.slack + 1e-15 * limit:
        return inside < limit
    nothing = np.zeros(near.size, np.int64)
    one, other = np.concatenate((near, nothing)), np.concatenate((nothing, far))
    return _compare(bounds, np.zeros((2, one.size), np.int64), 1, one, other) < 0


@kernel
def _form_growing(
    tree: Tree,
    space: Space,
    k: int,
    gamma: float,
    bounds: Ints,
    soon: int,
    sums: Ints,
    labels: Ints,
    groups: int,
) -> int:
    """Form growing groups as long as there are so many points; returns the number of groups."""
    group, squares, pair = np.empty(2 * k - 1, np.int64), np.empty(k), np.empty(2, np.int64)
    around, left = np.empty(2), tree.members.size
    while left >= soon:
        seed = _farthest(tree, space, tree.centre, sums, labels.size)[0]
        _take_group(tree, space, seed, groups, labels, squares, group[:k])
        size, left = k, left - k
        while size < 2 * k - 1 and left:
            inside, point, host = _closest(tree, space, group[:size])
            _nearest(tree, space, point, around, pair)
            other = 1 if pair[0] == point else 0
            if left > 1:
                near = space.whole[point] - space.whole[host]
                far = space.whole[pair[other]] - space.whole[point]
                if not _joins(space, gamma, bounds, inside, around[other], near, far):
                    break
            elif gamma == 0.0:
                break
            group[size], labels[point] = point, groups
            _take(tree, point)
            size, left = size + 1, left - 1
        groups += 1
    return groups
