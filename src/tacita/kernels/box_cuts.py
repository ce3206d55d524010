"""Boxes of codes: rows are cut in two, again and again, as long as both sides keep enough rows.

A row has one code a column. The codes of a column lie in order, and a run of them has a width from
0 (one code) to 1 (all): on a ruler the distance of its ends, in a tree the cost of the lowest node
above both ends. A column may have a code for blanks, its last: a run that ends there and does not
begin there is as wide as can be.

Rows are moved, not pointed at: the rows of a box lie side by side, so that ever smaller boxes stay
in the cache. Boxes are cut independently of each other, hence on any number of threads alike.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import cut, kernel, spread, thread_count
from tacita.kernels.elementary import log2

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

GRAIN = 2**16  # rows of a box that one thread cuts to the end
SPARSE = 4  # codes for each row from which on sorting beats counting
NOWHERE = -1
TIE = 1e-9  # how much a width counts beside what a cut tells
NO_BLANK = -1


class Rulers(NamedTuple):
    """How wide runs of codes are, column after column."""

    sizes: Ints  # codes of every column
    heights: Ints  # levels of the tree above the codes; 0 where they lie on a ruler
    blanks: Ints  # the code of blanks, or NO_BLANK
    place_from: Ints  # where the places of every column start
    places: Floats  # of every code on its ruler, ascending from 0 to 1
    tree_from: Ints  # where the tree of every column starts
    above: Codes  # tree by tree, level by level from 1: the node above every code
    costs: Floats  # the same: the width of that node
    weights: Floats  # how much the width of every column counts


class Rule(NamedTuple):
    """How boxes are cut.

    Args:
        k: the least number of rows on both sides of a cut, 1 or more.
        shares_ties: whether a median may lie among equal codes; in a tree, if there is no other.
        targets: how many different targets rows have; a cut tells as much of them as can be. If
            there are none, the widest column is halved.
    """

    k: int
    shares_ties: bool = False
    targets: int = 0


class Run(NamedTuple):
    """The codes of a box in a column, from the least to the greatest."""

    column: int
    low: int
    high: int


class Rows(NamedTuple):
    """The rows, in an order that changes as boxes are cut."""

    codes: Codes  # rows by columns
    targets: Codes  # of every row
    ids: Codes  # of every row, its number


def arranged(codes: Codes, ids: Ints, targets: Codes | None = None) -> Rows:
    """Return the rows of some numbers, in this order, ready to be cut."""
    own = np.zeros(len(codes), np.int32) if targets is None else targets
    return Rows(
        np.ascontiguousarray(codes[ids], np.int32),
        np.ascontiguousarray(own[ids], np.int32),
        np.array(ids, np.int32),
    )


def cut_down(
    rows: Rows, rulers: Rulers, rule: Rule, edges: Ints, threads: int | None = None
) -> Ints:
    """Cut boxes until none can be cut; return where each starts, and where the last one stops.

    >>> codes = np.array([[0], [6], [5], [1]], np.int32)
    >>> rows = arranged(codes, np.arange(4))
    >>> edges = cut_down(rows, on_rulers([np.arange(7) / 6]), Rule(2), np.array([0, 4]))
    >>> edges.tolist(), rows.ids.tolist()
    ([0, 2, 4], [0, 3, 2, 1])

    Args:
        rows: the rows, which are put into the order of the boxes.
        rulers: how wide runs of codes are.
        rule: how to cut.
        edges: where the boxes start at first, and where the last one stops.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    begins = np.zeros(len(rows.ids), np.bool_)
    workers = thread_count(threads, len(rows.ids), GRAIN)
    whole = np.column_stack([edges[:-1], edges[1:]])
    left = _cut_boxes(rows, rulers, rule, whole, GRAIN if workers > 1 else 0, begins)
    parts = [left[part] for part in cut(len(left), max(min(4 * workers, len(left)), 1))]
    finish = partial(_cut_boxes, rows, rulers, rule, grain=0, begins=begins)
    spread(lambda boxes: finish(boxes=boxes), parts, workers)
    return np.append(np.flatnonzero(begins), len(rows.ids))


def cut_once(rows: Rows, rulers: Rulers, rule: Rule, boxes: Ints, skipped: Ints) -> Ints:
    """Cut boxes in two each; return where, or NOWHERE if there is no cut left.

    Args:
        rows: the rows, which are put into the order of the cut within each box.
        rulers: how wide runs of codes are.
        rule: how to cut.
        boxes: where each box starts and stops.
        skipped: for every box, how many of its best columns are not to be cut.
    """
    middles = np.full(len(boxes), NOWHERE)
    _cut_each(rows, rulers, rule, boxes, skipped, middles)
    return middles


def widths(rulers: Rulers, column: int, low: Ints, high: Ints) -> Floats:
    """Return how wide runs of codes of a column are."""
    found = np.empty(len(low))
    _measure(rulers, column, low.astype(np.int64), high.astype(np.int64), found)
    return found


def on_rulers(places: list[Floats]) -> Rulers:
    """Return the rulers of columns without trees and blanks that count alike."""
    sizes = np.array([len(one) for one in places], np.int64)
    none = np.zeros(len(places), np.int64)
    return Rulers(
        sizes,
        none,
        np.full(len(places), NO_BLANK),
        np.cumsum(sizes) - sizes,
        np.concatenate(places),
        none,
        np.zeros(0, np.int32),
        np.zeros(0),
        np.ones(len(places)),
    )


@kernel
def _width(rulers: Rulers, column: int, low: int, high: int) -> float:
    """Return how wide the run from one code to another is."""
    if low == high:
        return 0.0
    if high == rulers.blanks[column]:
        return 1.0
    if rulers.heights[column] == 0:
        start = rulers.place_from[column]
        return float(rulers.places[start + high] - rulers.places[start + low])
    at = rulers.tree_from[column]
    for _ in range(rulers.heights[column]):
        if rulers.above[at + low] == rulers.above[at + high]:
            return float(rulers.costs[at + low])
        at += rulers.sizes[column]
    return 1.0


@kernel
def _measure(rulers: Rulers, column: int, low: Ints, high: Ints, found: Floats) -> None:
    for i in range(low.size):
        found[i] = _width(rulers, column, low[i], high[i])


@kernel
def _cut_boxes(
    rows: Rows, rulers: Rulers, rule: Rule, boxes: Ints, grain: int, begins: Mask
) -> Ints:
    """Cut boxes to the end, or to boxes of at most so many rows, which are returned."""
    waiting = [(int(boxes[i, 0]), int(boxes[i, 1])) for i in range(len(boxes) - 1, -1, -1)]
    left = [(0, 0) for _ in range(0)]
    while len(waiting) > 0:
        start, stop = waiting.pop()
        if stop - start <= grain:
            left.append((start, stop))
            continue
        middle = _cut(rows, rulers, rule, start, stop, 0)
        if middle == NOWHERE:
            begins[start] = True
        else:
            waiting.append((middle, stop))
            waiting.append((start, middle))
    found = np.empty((len(left), 2), np.int64)
    for i in range(len(left)):
        found[i, 0], found[i, 1] = left[i]
    return found


@kernel
def _cut_each(
    rows: Rows, rulers: Rulers, rule: Rule, boxes: Ints, skipped: Ints, middles: Ints
) -> None:
    for i in range(len(boxes)):
        middles[i] = _cut(rows, rulers, rule, boxes[i, 0], boxes[i, 1], skipped[i])


@kernel
def _cut(rows: Rows, rulers: Rulers, rule: Rule, start: int, stop: int, skipped: int) -> int:
    """Put the rows of a box into the order of its best cut and return where the second side starts.

    Columns are tried from the widest on or, if there are targets, from the one that tells most.
    """
    size, columns = stop - start, rulers.sizes.size
    if size < 2 * rule.k:
        return NOWHERE
    low, high = _ends(rows.codes, start, stop)
    worth, middles = np.full(columns, -1.0), np.full(columns, NOWHERE)
    for column in range(columns):
        wide = _width(rulers, column, low[column], high[column]) * rulers.weights[column]
        if wide > 0:
            worth[column] = wide
            if rule.targets:
                order = _sorted(rows.codes, start, stop, column, low[column], high[column])
                run = Run(column, low[column], high[column])
                middles[column], gain = _most_telling(rows, rulers, rule, start, order, run)
                # A cut that tells nothing yet may allow one that does: the widest comes first.
                worth[column] = gain + TIE * wide
    for _ in range(columns):
        column = int(np.argmax(worth))
        if worth[column] < 0:
            break
        worth[column] = -1.0
        order = _sorted(rows.codes, start, stop, column, low[column], high[column])
        middle = middles[column]
        if not rule.targets:
            run = Run(column, low[column], high[column])
            middle = _median(rows, rulers, rule, start, order, run)
        if middle != NOWHERE and skipped == 0:
            _permute(rows, start, order)
            return start + int(middle)
        skipped -= middle != NOWHERE
    return NOWHERE


@kernel
def _ends(codes: Codes, start: int, stop: int) -> tuple[Codes, Codes]:
    """Return the least and the greatest code of every column."""
    low, high = codes[start].copy(), codes[start].copy()
    for row in range(start + 1, stop):
        for column in range(low.size):
            code = codes[row, column]
            if code < low[column]:
                low[column] = code
            elif code > high[column]:
                high[column] = code
    return low, high


@kernel
def _sorted(codes: Codes, start: int, stop: int, column: int, low: int, high: int) -> Ints:
    """Return the places of a box's rows by their code in a column; equal ones keep their order."""
    size, span = stop - start, high - low + 1
    if span > SPARSE * size:
        return np.argsort(codes[start:stop, column].copy(), kind="mergesort")
    nexts = np.zeros(span + 1, np.int64)
    for row in range(start, stop):
        nexts[codes[row, column] - low + 1] += 1
    for code in range(span):
        nexts[code + 1] += nexts[code]
    order = np.empty(size, np.int64)
    for row in range(start, stop):
        code = codes[row, column] - low
        order[nexts[code]] = row - start
        nexts[code] += 1
    return order


@kernel
def _permute(rows: Rows, start: int, order: Ints) -> None:
    """Put the rows of a box into another order."""
    stop = start + order.size
    codes, targets = rows.codes[start:stop].copy(), rows.targets[start:stop].copy()
    ids = rows.ids[start:stop].copy()
    for place in range(order.size):
        rows.codes[start + place] = codes[order[place]]
        rows.targets[start + place] = targets[order[place]]
        rows.ids[start + place] = ids[order[place]]


@kernel
def _level_below(rulers: Rulers, run: Run, high: int) -> int:
    """Return where the level starts that lies just below the lowest node above a run.

    Returns:
        NOWHERE if that is the level of the codes themselves, or there is no tree.
    """
    at, below = rulers.tree_from[run.column], NOWHERE
    for _ in range(rulers.heights[run.column]):
        if rulers.above[at + run.low] == rulers.above[at + high]:
            break
        below = at
        at += rulers.sizes[run.column]
    return below


@kernel
def _may_part(rulers: Rulers, below: int, one: int, next_one: int) -> bool:
    """Tell whether a cut may lie between two codes: not within a child of the box's node."""
    if one == next_one:
        return False
    return below == NOWHERE or bool(rulers.above[below + one] != rulers.above[below + next_one])


@kernel
def _median(rows: Rows, rulers: Rulers, rule: Rule, start: int, order: Ints, run: Run) -> int:
    """Return the cut nearest to the middle; blanks are cut off first."""
    size, blank = order.size, rulers.blanks[run.column]
    values = size
    while run.high == blank and rows.codes[start + order[values - 1], run.column] == blank:
        values -= 1
    if values < size and rule.k <= values <= size - rule.k:
        return values
    if rule.shares_ties and rulers.heights[run.column] == 0:
        return size // 2
    below = _level_below(rulers, run, rows.codes[start + order[values - 1], run.column])
    best, code = NOWHERE, rows.codes[start + order[rule.k - 1], run.column]
    for place in range(rule.k, size - rule.k + 1):
        one, code = code, rows.codes[start + order[place], run.column]
        is_nearer = best == NOWHERE or abs(2 * place - size) < abs(2 * best - size)
        if is_nearer and (place == values or _may_part(rulers, below, one, code)):
            best = place
    # Where nothing else parts a tree, equal codes are shared out as well.
    return size // 2 if best == NOWHERE and rule.shares_ties else best


@kernel
def _most_telling(
    rows: Rows, rulers: Rulers, rule: Rule, start: int, order: Ints, run: Run
) -> tuple[int, float]:
    """Return the cut of a column that tells most of the targets, and how many bits for each row."""
    size, blank = order.size, rulers.blanks[run.column]
    values = size
    while run.high == blank and rows.codes[start + order[values - 1], run.column] == blank:
        values -= 1
    below = _level_below(rulers, run, rows.codes[start + order[values - 1], run.column])
    none, left, whole = np.zeros(rule.targets), np.zeros(rule.targets), np.zeros(rule.targets)
    for place in range(size):
        whole[rows.targets[start + place]] += 1
    least, best, code = np.inf, NOWHERE, rows.codes[start + order[0], run.column]
    for place in range(1, size - rule.k + 1):
        left[rows.targets[start + order[place - 1]]] += 1
        one, code = code, rows.codes[start + order[place], run.column]
        if place < rule.k or not (place == values or _may_part(rulers, below, one, code)):
            continue
        bits = _bits(left, none, place) + _bits(whole, left, size - place)
        if bits < least:
            least, best = bits, place
    return best, max((_bits(whole, none, size) - least) / size, 0.0)


@kernel
def _bits(counts: Floats, less: Floats, size: int) -> float:
    """Return the entropy of counts less others, times their sum."""
    bits = 0.0
    for target in range(counts.size):
        count = counts[target] - less[target]
        if count > 0:
            bits -= count * log2(count / size)
    return bits


def warm_up() -> None:
    """Compile the kernels of this module."""
    rulers, codes = on_rulers([np.linspace(0, 1, 4)]), np.arange(4, dtype=np.int32)[:, None]
    rows = arranged(codes, np.arange(4))
    cut_down(rows, rulers, Rule(2), np.array([0, 4]))
    cut_once(rows, rulers, Rule(2), np.array([[0, 4]]), np.zeros(1, np.int64))
    widths(rulers, 0, np.zeros(1, np.int64), np.ones(1, np.int64))
