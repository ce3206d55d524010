"""The nearest points to boxes: exact search in a forest of bounding boxes.

A point has coordinates and labels. A label is a path of codes from a leaf to (not including) the
root of a tree, or a row of a table of distances. A question is a box (a range in every coordinate)
with labels of its own. Distances are sums of terms: the gap between point and box to the power one
or two in each coordinate, and what labels add. Points that agree in all labels, and in which
coordinates are unknown (NaN), stand in one tree, which is cut at medians of the widest coordinate;
a subtree is left out when its box is already too far. Every sum runs in one order, so that points
with equal values are at exactly equal distances, whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import cut, kernel, spread, thread_count

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAF = 48  # points in a leaf at most
GRAIN = 64  # questions that are worth a thread
DEPTH = 128  # nodes that wait at a time: two for each of at most 64 halvings
PARTS = 16  # pieces of work for each thread, since some questions take longer than others


class Terms(NamedTuple):
    """What a difference costs."""

    power: int  # 1 or 2
    rates: Floats  # by which the gap in each coordinate is multiplied
    unknown: Floats  # the term of a point's unknown coordinate
    path_starts: Ints  # for each path, its first column of codes; behind them the number of columns
    path_terms: Floats  # paths by level: the term of agreeing first at it; beyond: of a blank
    table_widths: Ints  # for each table, its number of columns
    tables: Floats  # tables by cells, flattened and filled up with zeros


class Forest(NamedTuple):
    """Points in an order in which every node of a tree is a run."""

    points: Floats  # coordinates by points
    labels: Ints  # for each tree: the codes of its paths, then its columns in the tables
    shared: Ints  # for each tree, how many leading paths are those of the tree before it
    skips: Ints  # trees by paths: the next tree that differs in the paths up to this one
    roots: Ints  # for each tree, its node
    children: Ints  # for each node, the first of two children that follow each other; or -1
    starts: Ints  # for each node, its first point
    stops: Ints
    low: Floats  # for each node, the smallest value of each coordinate
    high: Floats
    largest: int  # the number of points in the largest leaf


class Questions(NamedTuple):
    """Boxes and their labels."""

    low: Floats
    high: Floats
    labels: Ints  # the codes of its paths, then its rows in the tables
    levels: Ints  # for each path, the level from which on it has codes; beyond the height: blank
    hints: Ints  # a tree that is worth looking at first


# -- the public functions -------------------------------------------------------------------------


def plant(points: Floats, trees: Ints, labels: Ints, path_starts: Ints) -> tuple[Forest, Ints]:
    """Put points into a forest; returns it and the order in which it holds the points.

    Trees whose labels begin alike should follow each other: they are left out together.

    Args:
        points: points by coordinates.
        trees: for each point, the number of its tree; every tree has a point.
        labels: for each tree, its labels.
        path_starts: for each path its first column of labels, whose code tells the whole path, and
            behind them the number of columns.
    """
    order = np.argsort(trees, kind="stable")
    points = points[order]
    edges = np.flatnonzero(np.diff(trees[order], prepend=-1, append=-1))
    roots = len(edges) - 1
    # A node that is cut has two halves of at least LEAF // 2 points.
    most = roots + 2 * (len(points) // (LEAF // 2) + 1)
    runs, children = np.empty((most, 2), np.int64), np.full(most, -1)
    runs[:roots] = np.column_stack([edges[:-1], edges[1:]])
    low, high = np.empty((2, most, points.shape[1]))
    count = _grow(points, order, runs, children, low, high, roots)
    starts, stops = runs[:count].T.copy()
    children = children[:count]
    largest = int((stops - starts)[children < 0].max(initial=1))
    columns = np.ascontiguousarray(points.T)
    tops, boxes = np.arange(roots), (low[:count], high[:count])
    shared, skips = _alike(labels[:, path_starts[:-1]])
    trie = (labels, shared, skips, tops)
    return Forest(columns, *trie, children, starts, stops, *boxes, largest), order


def nearest(
    forest: Forest, questions: Questions, terms: Terms, count: int, *, threads: int | None = None
) -> tuple[Ints, Floats]:
    """Find the nearest points to every question, and the sums of their terms, ascending.

    Of points that are equally far, any may stand first. Where there are too few points, the place
    is -1 and the sum infinite.
    """
    size = len(questions.low)
    places, sums = np.full((size, count), -1), np.full((size, count), np.inf)
    _for_all(size, threads, lambda at: _nearest(forest, questions, terms, at, places, sums))
    return places, sums


def count_within(
    forest: Forest,
    questions: Questions,
    terms: Terms,
    limits: Floats,
    weights: Ints,
    *,
    threads: int | None = None,
) -> Ints:
    """Sum the weights of the points whose terms sum to at most a limit for every question."""
    counts = np.zeros(len(limits), np.int64)
    _for_all(
        len(limits),
        threads,
        lambda at: _count_within(forest, questions, terms, at, limits, weights, counts),
    )
    return counts


def sums_between(
    forest: Forest, questions: Questions, terms: Terms, asked: Ints, places: Ints
) -> Floats:
    """Return the sum of terms of each of some questions to a point (`places` in the forest)."""
    trees = np.searchsorted(forest.starts[forest.roots], places, side="right") - 1
    return _sums_between(forest, questions, terms, asked, places, trees)


def warm_up() -> None:
    """Compile the kernels of this module."""
    one, whole, starts = np.ones(1), np.zeros((1, 1), np.int64), np.array([0, 1])
    forest, _ = plant(np.zeros((1, 1)), whole[0], np.zeros((1, 2), np.int64), starts)
    terms = Terms(2, one, one, starts, np.ones((1, 3)), np.array([1]), np.ones((1, 1)))
    box = np.zeros((1, 1))
    questions = Questions(box, box, np.zeros((1, 2), np.int64), whole, np.zeros(1, np.int64))
    places, sums = nearest(forest, questions, terms, 1)
    count_within(forest, questions, terms, sums[:, 0].copy(), np.ones(1, np.int64))
    sums_between(forest, questions, terms, places[:, 0].copy(), places[:, 0].copy())


# -- planting -------------------------------------------------------------------------------------


def _alike(leaves: Ints) -> tuple[Ints, Ints]:
    """Find how many leading leaves each tree has in common with the one before and those after."""
    size, paths = leaves.shape
    same = np.cumprod(leaves[1:] == leaves[:-1], axis=1)
    shared, skips = np.append(0, same.sum(axis=1))[:size], np.empty((size, paths), np.int64)
    for path in range(paths):
        edges = np.append(np.flatnonzero(shared <= path), size)
        skips[:, path] = np.repeat(edges[1:], np.diff(edges))
    return shared.astype(np.int64), skips


@kernel
def _halve(points: Floats, order: Ints, start: int, stop: int, middle: int, j: int) -> None:
    """Put the smaller values of a coordinate before the middle (Hoare's selection)."""
    left, right = start, stop - 1
    while left < right:
        pivot, up, down = points[middle, j], left, right
        while up <= down:
            while points[up, j] < pivot:
                up += 1
            while points[down, j] > pivot:
                down -= 1
            if up <= down:
                order[up], order[down] = order[down], order[up]
                for c in range(points.shape[1]):
                    points[up, c], points[down, c] = points[down, c], points[up, c]
                up += 1
                down -= 1
        if down < middle:
            left = up
        if middle < up:
            right = down


@kernel
def _grow(
    points: Floats, order: Ints, runs: Ints, children: Ints, low: Floats, high: Floats, nodes: int
) -> int:
    """Find the box of every node and cut large ones at the median of their widest coordinate.

    The points, and the order they are in, are rearranged; returns the number of nodes.
    """
    node = 0
    while node < nodes:
        start, stop = runs[node, 0], runs[node, 1]
        widest, width = -1, 0.0
        for j in range(points.shape[1]):
            low[node, j] = high[node, j] = points[start, j]
            for i in range(start + 1, stop):
                low[node, j] = min(low[node, j], points[i, j])
                high[node, j] = max(high[node, j], points[i, j])
            if high[node, j] - low[node, j] > width:
                widest, width = j, high[node, j] - low[node, j]
        if stop - start > LEAF and widest >= 0:
            middle = (start + stop) // 2
            _halve(points, order, start, stop, middle, widest)
            children[node] = nodes
            runs[nodes, 0], runs[nodes, 1] = start, middle
            runs[nodes + 1, 0], runs[nodes + 1, 1] = middle, stop
            nodes += 2
        node += 1
    return nodes


def _for_all(size: int, threads: int | None, task: Callable[[tuple[int, int]], None]) -> None:
    """Spread the questions over threads in small pieces."""
    workers = thread_count(threads, size, GRAIN)
    pieces = cut(size, min(max(size // GRAIN, 1), workers * PARTS))
    spread(lambda piece: task((piece.start, piece.stop)), pieces, workers)


# -- searching ------------------------------------------------------------------------------------


@kernel
def _path_term(
    forest: Forest, tree: int, questions: Questions, q: int, terms: Terms, path: int
) -> float:
    """Return the term of the first level at which a tree and a question agree on a path."""
    start = terms.path_starts[path]
    height = terms.path_starts[path + 1] - start
    level = questions.levels[q, path]
    while level < height and (
        forest.labels[tree, start + level] != questions.labels[q, start + level]
    ):
        level += 1
    term: float = terms.path_terms[path, level]
    return term


@kernel
def _next_tree(
    forest: Forest,
    tree: int,
    questions: Questions,
    q: int,
    terms: Terms,
    limit: float,
    so_far: Floats,
) -> int:
    """Return the first tree, from one on, whose paths are within a limit.

    The sums of terms over the leading paths are kept in `so_far`: trees that begin alike share
    them, and where such a sum is too large, all trees that begin so are left out.
    """
    paths = terms.path_starts.size - 1
    while tree < forest.roots.size:
        path = forest.shared[tree]
        while path < paths:
            so_far[path + 1] = so_far[path] + _path_term(forest, tree, questions, q, terms, path)
            if so_far[path + 1] > limit:
                break
            path += 1
        if path == paths:
            return tree
        tree = forest.skips[tree, path]
    return tree


@kernel
def _add_tables(
    forest: Forest, tree: int, questions: Questions, q: int, terms: Terms, total: float
) -> float:
    """Add what the rows and columns of tables say."""
    start = terms.path_starts[-1]
    for table in range(terms.table_widths.size):
        row = questions.labels[q, start + table]
        cell = row * terms.table_widths[table] + forest.labels[tree, start + table]
        total += terms.tables[table, cell]
    return total


@kernel
def _add_unknown(
    forest: Forest, tree: int, questions: Questions, q: int, terms: Terms, total: float
) -> float:
    """Add what the coordinates cost that are unknown of all points of a tree."""
    root = forest.roots[tree]
    for j in range(terms.unknown.size):
        asked = questions.low[q, j] > -np.inf or questions.high[q, j] < np.inf
        if asked and np.isnan(forest.low[root, j]):
            total += terms.unknown[j]
    return total


@kernel
def _term(ahead: float, behind: float, rate: float, power: int) -> float:
    """Return the term of a gap to one side or the other; 0 where there is none or it is unknown."""
    gap = ahead if ahead > behind else behind
    gap = gap * rate if gap > 0.0 else 0.0
    return gap if power == 1 else gap * gap


@kernel
def _bound(forest: Forest, node: int, questions: Questions, q: int, terms: Terms) -> float:
    """Sum the gaps between a question's box and a node's."""
    total = 0.0
    for j in range(terms.rates.size):
        ahead = questions.low[q, j] - forest.high[node, j]
        behind = forest.low[node, j] - questions.high[q, j]
        total += _term(ahead, behind, terms.rates[j], terms.power)
    return total


@kernel
def _measure(
    forest: Forest, start: int, stop: int, questions: Questions, q: int, terms: Terms, sums: Floats
) -> None:
    """Sum the gaps between a question's box and a run of points, many points at a time."""
    sums[: stop - start] = 0.0
    for j in range(terms.rates.size):
        low, high, rate = questions.low[q, j], questions.high[q, j], terms.rates[j]
        values = forest.points[j, start:stop]
        if terms.power == 1:
            for i in range(values.size):
                sums[i] += _term(low - values[i], values[i] - high, rate, 1)
        else:
            for i in range(values.size):
                sums[i] += _term(low - values[i], values[i] - high, rate, 2)


@kernel
def _insert(places: Ints, sums: Floats, q: int, place: int, total: float) -> None:
    """Put a point in its place among the nearest so far."""
    at = places.shape[1] - 1
    while at > 0 and sums[q, at - 1] > total:
        sums[q, at], places[q, at] = sums[q, at - 1], places[q, at - 1]
        at -= 1
    sums[q, at], places[q, at] = total, place


@kernel
def _base(forest: Forest, tree: int, questions: Questions, q: int, terms: Terms) -> float:
    """Sum what all points of a tree have in common."""
    total = 0.0
    for path in range(terms.path_starts.size - 1):
        total += _path_term(forest, tree, questions, q, terms, path)
    total = _add_tables(forest, tree, questions, q, terms, total)
    return _add_unknown(forest, tree, questions, q, terms, total)


@kernel
def _search_tree(
    forest: Forest,
    tree: int,
    questions: Questions,
    q: int,
    terms: Terms,
    places: Ints,
    sums: Floats,
    waiting: Ints,
    bounds: Floats,
    found: Floats,
) -> None:
    """Look for nearer points in one tree, the nearer child of every node first."""
    last = places.shape[1] - 1
    base = _base(forest, tree, questions, q, terms)
    waiting[0], bounds[0], size = forest.roots[tree], 0.0, 1
    while size:
        size -= 1
        node = waiting[size]
        if base + bounds[size] > sums[q, last]:
            continue
        child, start = forest.children[node], forest.starts[node]
        if child < 0:
            _measure(forest, start, forest.stops[node], questions, q, terms, found)
            for i in range(forest.stops[node] - start):
                if base + found[i] < sums[q, last] or places[q, last] < 0:
                    _insert(places, sums, q, start + i, base + found[i])
            continue
        one = _bound(forest, child, questions, q, terms)
        other = _bound(forest, child + 1, questions, q, terms)
        # The nearer child waits on top.
        far, near = (child + 1, child) if one <= other else (child, child + 1)
        waiting[size], waiting[size + 1] = far, near
        bounds[size], bounds[size + 1] = max(one, other), min(one, other)
        size += 2


@kernel
def _nearest(
    forest: Forest,
    questions: Questions,
    terms: Terms,
    between: tuple[int, int],
    places: Ints,
    sums: Floats,
) -> None:
    waiting, bounds = np.empty(DEPTH, np.int64), np.empty(DEPTH, np.float64)
    found, so_far = np.empty(forest.largest), np.zeros(terms.path_starts.size)
    last = places.shape[1] - 1
    for q in range(between[0], between[1]):
        hint = questions.hints[q]
        _search_tree(forest, hint, questions, q, terms, places, sums, waiting, bounds, found)
        tree = _next_tree(forest, 0, questions, q, terms, sums[q, last], so_far)
        while tree < forest.roots.size:
            if tree != hint:
                _search_tree(
                    forest, tree, questions, q, terms, places, sums, waiting, bounds, found
                )
            tree = _next_tree(forest, tree + 1, questions, q, terms, sums[q, last], so_far)


@kernel
def _count_in_tree(
    forest: Forest,
    tree: int,
    questions: Questions,
    q: int,
    terms: Terms,
    limit: float,
    weights: Ints,
    waiting: Ints,
    found: Floats,
) -> int:
    count, base = 0, _base(forest, tree, questions, q, terms)
    waiting[0], size = forest.roots[tree], 1
    while size:
        size -= 1
        node = waiting[size]
        if base + _bound(forest, node, questions, q, terms) > limit:
            continue
        child, start = forest.children[node], forest.starts[node]
        if child >= 0:
            waiting[size], waiting[size + 1] = child, child + 1
            size += 2
            continue
        _measure(forest, start, forest.stops[node], questions, q, terms, found)
        for i in range(forest.stops[node] - start):
            count += weights[start + i] if base + found[i] <= limit else 0
    return count


@kernel
def _count_within(
    forest: Forest,
    questions: Questions,
    terms: Terms,
    between: tuple[int, int],
    limits: Floats,
    weights: Ints,
    counts: Ints,
) -> None:
    waiting, found = np.empty(DEPTH, np.int64), np.empty(forest.largest)
    so_far = np.zeros(terms.path_starts.size)
    for q in range(between[0], between[1]):
        tree = _next_tree(forest, 0, questions, q, terms, limits[q], so_far)
        while tree < forest.roots.size:
            counts[q] += _count_in_tree(
                forest, tree, questions, q, terms, limits[q], weights, waiting, found
            )
            tree = _next_tree(forest, tree + 1, questions, q, terms, limits[q], so_far)


@kernel
def _sums_between(
    forest: Forest, questions: Questions, terms: Terms, asked: Ints, places: Ints, trees: Ints
) -> Floats:
    sums, found = np.empty(places.size), np.empty(1)
    for pair in range(places.size):
        q, place = asked[pair], places[pair]
        base = _base(forest, trees[pair], questions, q, terms)
        _measure(forest, place, place + 1, questions, q, terms, found)
        sums[pair] = base + found[0]
    return sums
