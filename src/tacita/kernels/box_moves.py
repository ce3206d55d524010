"""Local search on boxes of rows: rows move to near boxes as long as the boxes get narrower.

The loss of a box is the number of its rows times the weighted sum of its widths; a row in no box
loses 1. A step sends a row to another box, or splits rows off a box of equal ones to meet it, or
leaves it out; or it dissolves a box among its neighbours, and is taken back if that lost more.
Boxes keep at least k rows. Near are boxes whose rows lie close by in one of several orders of all
rows. Steps are taken in the order of the boxes, so that the result depends on nothing else.

Widths are measured as in `box_cuts`, by a kernel of this file: compiled kernels are kept by file,
and a change in another one would go unnoticed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.box_cuts import Rulers, on_rulers
from tacita.kernels.compile import kernel

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

NOBODY = OUT = UNTOUCHED = -1
LEAST = 1e-9  # a gain below is rounding
LOOKED_AT = 4  # rows passed for each box that is looked for
LARGE = 1024  # rows of a box from which on one row hardly matters


class Boxes(NamedTuple):
    """Boxes that change."""

    codes: Codes  # rows by columns
    labels: Ints  # of every row, its box, or OUT
    heads: Codes  # of every box, one of its rows
    nexts: Codes  # of every row, the next one in its box
    priors: Codes
    sizes: Ints
    low: Codes  # boxes by columns
    high: Codes
    costs: Floats  # of every box, the loss of one of its rows
    steps: Ints  # of every box, the step that it took part in; empty if it may be in several
    free: Ints  # boxes without rows, the next one to use last
    left: Ints  # two numbers: how many boxes are free, how many more rows may be left out


class Near(NamedTuple):
    """Which rows lie close to each other."""

    orders: Codes  # orders by places: the rows
    ranks: Codes  # orders by rows: the places
    reach: int  # boxes looked for to each side


class Home(NamedTuple):
    """Where a row could go."""

    change: float  # of the loss there
    box: int  # or OUT
    splits: bool  # whether only k - 1 of its rows should meet the row


def gathered(codes: Codes, labels: Ints, rulers: Rulers, may_leave: int, *, once: bool) -> Boxes:
    """Gather the rows of boxes.

    Args:
        codes: rows by columns.
        labels: for every row its box, or OUT.
        rulers: how wide runs of codes are.
        may_leave: how many more rows may be left out.
        once: whether a box may take part in one step only; rows that are out stay out then.
    """
    count, columns = int(labels.max(initial=-1)) + 1, codes.shape[1]
    room = 2 * count + 16  # boxes may be split
    boxes = Boxes(
        np.ascontiguousarray(codes, np.int32),
        np.array(labels, np.int64),
        np.full(room, NOBODY, np.int32),
        np.full(len(labels), NOBODY, np.int32),
        np.full(len(labels), NOBODY, np.int32),
        np.zeros(room, np.int64),
        np.zeros((room, columns), np.int32),
        np.zeros((room, columns), np.int32),
        np.zeros(room),
        np.full(room if once else 0, UNTOUCHED),
        np.arange(room)[::-1].copy(),
        np.array([room - count, may_leave]),
    )
    _gather(boxes, rulers)
    return boxes


def sweep(boxes: Boxes, rulers: Rulers, near: Near, k: int) -> float:
    """Take steps that lower the loss, box after box; return by how much it fell."""
    return float(_sweep(boxes, rulers, near, k))


def neighbours(codes: Codes, keys: list[list[int]], reach: int) -> Near:
    """Sort rows by some lists of columns, the first column of a list first.

    >>> neighbours(np.array([[1, 0], [0, 1]], np.int32), [[0, 1], [1, 0]], 1).orders.tolist()
    [[1, 0], [0, 1]]
    """
    shape = (len(keys), len(codes))
    near = Near(np.empty(shape, np.int32), np.empty(shape, np.int32), reach)
    for place, columns in enumerate(keys):
        near.orders[place] = np.lexsort([codes[:, column] for column in reversed(columns)])
        near.ranks[place, near.orders[place]] = np.arange(len(codes), dtype=np.int32)
    return near


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
def _gather(boxes: Boxes, rulers: Rulers) -> None:
    for row in range(boxes.labels.size - 1, -1, -1):
        if boxes.labels[row] != OUT:
            _link(boxes, row, boxes.labels[row])
    for box in range(boxes.sizes.size):
        if boxes.sizes[box]:
            _fit(boxes, rulers, box)


@kernel
def _link(boxes: Boxes, row: int, box: int) -> None:
    """Make a row the first of a box."""
    head = boxes.heads[box]
    boxes.nexts[row], boxes.priors[row] = head, NOBODY
    if head != NOBODY:
        boxes.priors[head] = row
    boxes.heads[box] = row
    boxes.labels[row] = box
    boxes.sizes[box] += 1


@kernel
def _unlink(boxes: Boxes, row: int) -> None:
    """Take a row out of its box."""
    box, prior, after = boxes.labels[row], boxes.priors[row], boxes.nexts[row]
    boxes.labels[row] = OUT
    if box == OUT:
        return
    if prior == NOBODY:
        boxes.heads[box] = after
    else:
        boxes.nexts[prior] = after
    if after != NOBODY:
        boxes.priors[after] = prior
    boxes.sizes[box] -= 1


@kernel
def _fit(boxes: Boxes, rulers: Rulers, box: int) -> None:
    """Fit a box to its rows."""
    row, low, high, cost = boxes.heads[box], boxes.low[box], boxes.high[box], 0.0
    low[:] = boxes.codes[row]
    high[:] = boxes.codes[row]
    while row != NOBODY:
        for j in range(low.size):
            low[j], high[j] = min(low[j], boxes.codes[row, j]), max(high[j], boxes.codes[row, j])
        row = boxes.nexts[row]
    for j in range(low.size):
        cost += rulers.weights[j] * _width(rulers, j, low[j], high[j])
    boxes.costs[box] = cost


@kernel
def _cost_with(boxes: Boxes, rulers: Rulers, box: int, row: int) -> float:
    """Return the loss of a row of a box once another row has joined it."""
    cost = 0.0
    for j in range(boxes.low.shape[1]):
        code = boxes.codes[row, j]
        low, high = min(boxes.low[box, j], code), max(boxes.high[box, j], code)
        if low != high:
            cost += rulers.weights[j] * _width(rulers, j, low, high)
    return cost


@kernel
def _loss_without(boxes: Boxes, rulers: Rulers, box: int, gone: int) -> float:
    """Return the loss of a box once a row has left it."""
    cost = 0.0
    for j in range(boxes.low.shape[1]):
        low, high, code = boxes.low[box, j], boxes.high[box, j], boxes.codes[gone, j]
        if low != high and code in (low, high):
            low, high, row = high, low, boxes.heads[box]
            while row != NOBODY:
                if row != gone:
                    low, high = min(low, boxes.codes[row, j]), max(high, boxes.codes[row, j])
                row = boxes.nexts[row]
        cost += rulers.weights[j] * _width(rulers, j, low, high)
    return float((boxes.sizes[box] - 1) * cost)


@kernel
def _home(boxes: Boxes, rulers: Rulers, near: Near, k: int, row: int) -> Home:
    """Return the box near a row that would lose least by its coming; or it is left out."""
    own = boxes.labels[row]
    best, home, splits = 1.0 if own == OUT or boxes.left[1] > 0 else np.inf, OUT, False
    for order in range(near.orders.shape[0]):
        for step in (-1, 1):
            place, last, met = near.ranks[order, row] + step, own, 0
            for _ in range(LOOKED_AT * near.reach):
                if place < 0 or place >= near.orders.shape[1] or met == near.reach:
                    break
                box = boxes.labels[near.orders[order, place]]
                place += step
                if box in (OUT, own, last, home):
                    continue
                last, met = box, met + 1
                if boxes.steps.size and boxes.steps[box] != UNTOUCHED:
                    continue
                cost, size = _cost_with(boxes, rulers, box, row), boxes.sizes[box]
                change = (size + 1) * cost - size * boxes.costs[box]
                some = boxes.costs[box] == 0.0 and size >= 2 * k - 1 and boxes.left[0] > 0
                if some:
                    change = k * cost
                if change < best:
                    best, home, splits = change, box, some
    return Home(best, home, splits)


@kernel
def _send(boxes: Boxes, rulers: Rulers, k: int, row: int, home: Home) -> None:
    """Send a row to a box, or to a new one with some of its rows, or leave it out."""
    _unlink(boxes, row)
    box = home.box
    if box == OUT:
        boxes.left[1] -= 1
        return
    if home.splits:
        box = _new_box(boxes)
        for _ in range(k - 1):
            one = boxes.heads[home.box]
            _unlink(boxes, one)
            _link(boxes, one, box)
    _link(boxes, row, box)
    _fit(boxes, rulers, box)


@kernel
def _call_back(boxes: Boxes, rulers: Rulers, row: int, home: Home, own: int) -> None:
    """Undo that a row was sent elsewhere."""
    box = boxes.labels[row]
    _unlink(boxes, row)
    _link(boxes, row, own)
    if box == OUT:
        boxes.left[1] += 1
    elif home.splits:
        while boxes.sizes[box]:
            one = boxes.heads[box]
            _unlink(boxes, one)
            _link(boxes, one, home.box)
        _give_back(boxes, box)
    else:
        _fit(boxes, rulers, box)


@kernel
def _new_box(boxes: Boxes) -> int:
    boxes.left[0] -= 1
    return int(boxes.free[boxes.left[0]])


@kernel
def _give_back(boxes: Boxes, box: int) -> None:
    boxes.free[boxes.left[0]] = box
    boxes.left[0] += 1
    boxes.costs[box] = 0.0


@kernel
def _touch(boxes: Boxes, row: int, home: Home, step: int) -> None:
    """Note that boxes took part in a step."""
    if boxes.steps.size and home.box != OUT:
        boxes.steps[home.box] = step
        boxes.steps[boxes.labels[row]] = step


@kernel
def _move_on(boxes: Boxes, rulers: Rulers, near: Near, k: int, box: int) -> float:
    """Send rows of a box on as long as it has more than k and gains by it."""
    gained, row = 0.0, boxes.heads[box]
    while row != NOBODY and boxes.sizes[box] > k:
        after = boxes.nexts[row]
        loss = boxes.sizes[box] * boxes.costs[box]
        freed = loss - _loss_without(boxes, rulers, box, row)
        if freed > LEAST:
            home = _home(boxes, rulers, near, k, row)
            if home.change < freed - LEAST:
                _send(boxes, rulers, k, row, home)
                _fit(boxes, rulers, box)
                gained += freed - home.change
                if boxes.steps.size:
                    boxes.steps[box] = box
                    _touch(boxes, row, home, box)
                    break
        row = after
    return gained


@kernel
def _dissolve(boxes: Boxes, rulers: Rulers, near: Near, k: int, box: int) -> float:
    """Send all rows of a box elsewhere, unless that loses more."""
    loss, spent = boxes.sizes[box] * boxes.costs[box], 0.0
    rows = [0 for _ in range(0)]
    homes = [Home(0.0, 0, False) for _ in range(0)]
    while boxes.sizes[box]:
        row = int(boxes.heads[box])
        home = _home(boxes, rulers, near, k, row)
        if spent + home.change > loss - LEAST:
            break
        _send(boxes, rulers, k, row, home)
        spent += home.change
        rows.append(row)
        homes.append(home)
    if boxes.sizes[box]:
        for place in range(len(rows) - 1, -1, -1):
            _call_back(boxes, rulers, rows[place], homes[place], box)
        return 0.0
    for place in range(len(rows)):
        _touch(boxes, rows[place], homes[place], box)
    if boxes.steps.size:
        boxes.steps[box] = box
    else:
        _give_back(boxes, box)
    return float(loss - spent)


@kernel
def _take_in(boxes: Boxes, rulers: Rulers, near: Near, k: int) -> float:
    """Send rows that are out to a box where they lose less."""
    gained = 0.0
    for row in range(boxes.labels.size):
        if boxes.labels[row] == OUT:
            home = _home(boxes, rulers, near, k, row)
            if home.change < 1.0 - LEAST:
                _send(boxes, rulers, k, row, home)
                boxes.left[1] += 1
                gained += 1.0 - home.change
    return gained


@kernel
def _sweep(boxes: Boxes, rulers: Rulers, near: Near, k: int) -> float:
    gained = 0.0
    if not boxes.steps.size:
        gained += _take_in(boxes, rulers, near, k)
    for box in range(boxes.sizes.size):
        if boxes.sizes[box] == 0 or boxes.costs[box] == 0.0:
            continue
        if boxes.steps.size and boxes.steps[box] != UNTOUCHED:
            continue
        change = 0.0
        if k < boxes.sizes[box] <= LARGE:
            change = _move_on(boxes, rulers, near, k, box)
        may_go_on = change == 0.0 or not boxes.steps.size
        if may_go_on and boxes.costs[box] > 0.0 and boxes.sizes[box] < 2 * k:
            change += _dissolve(boxes, rulers, near, k, box)
        gained += change
    return gained


def warm_up() -> None:
    """Compile the kernels of this module."""
    codes, rulers = np.arange(4, dtype=np.int32)[:, None], on_rulers([np.linspace(0, 1, 4)])
    boxes = gathered(codes, np.array([0, 1, 0, 1]), rulers, 0, once=False)
    sweep(boxes, rulers, neighbours(codes, [[0]], 2), 2)
