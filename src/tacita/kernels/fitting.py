"""Whether a box is covered by other boxes, once or several times over, exactly.

A box is a product of half-open runs of cells, one a dimension. Boxes that are one cell wide in a
dimension are sorted by it, so that those that meet a box stand between two places of the order;
the others are listed. A box is looked up by the dimension that leaves the fewest to compare. What
the largest of them leaves of it is cut into boxes again, and so on, until nothing is left (it is
covered), a piece meets no other box (it is not), or too much was compared (nobody knows). Where a
box must be covered several times, what lies within another box still needs the times that are left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import cut, frozen, kernel, spread, thread_count

Ints = npt.NDArray[np.integer[Any]]
Places = npt.NDArray[np.int32]
Answers = npt.NDArray[np.int8]

COVERED, UNCOVERED, UNDECIDED = 0, 1, 2
APART, MET, HELD = 0, 1, 2
GRAIN = 256  # queries that are worth a thread
DEEPEST = 4096  # boxes that wait to be looked at


def uncovered(
    low: Ints,
    high: Ints,
    owner: Ints,
    queries: Ints,
    *,
    effort: int,
    times: Ints | None = None,
    weights: Ints | None = None,
    threads: int | None = None,
) -> Answers:
    """Tell of some boxes whether the boxes of other owners leave any part of them uncovered.

    >>> low, high = np.array([[0], [0], [2]]), np.array([[4], [2], [3]])
    >>> uncovered(low, high, np.arange(3), np.arange(3), effort=100)
    array([1, 0, 0], dtype=int8)
    >>> uncovered(low, high, np.arange(3), np.array([1]), effort=100, times=np.array([2]))
    array([1], dtype=int8)

    Args:
        low: the first cell of every box, boxes by dimensions.
        high: the cell after the last of every box.
        owner: whose each box is; boxes of one owner do not meet, nor cover each other.
        queries: which boxes are asked about.
        effort: how many comparisons with other boxes one answer may take.
        times: how often every part of each of them must be covered; once by default.
        weights: as how many every box counts that covers another; as one by default.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    boxes = frozen(low, np.int32), frozen(high, np.int32), frozen(owner, np.int32)
    index = _index(*boxes[:2])
    asked = frozen(queries, np.int64)
    wanted = frozen(np.ones(len(asked)) if times is None else times, np.int64)
    counts = frozen(np.ones(len(low)) if weights is None else weights, np.int64)
    workers = thread_count(threads, len(asked), GRAIN)
    # More pieces than threads: some boxes take far longer than others.
    parts = cut(len(asked), 8 * workers if workers > 1 else 1)

    def answer(part: slice) -> Answers:
        found: Answers = _answer(*boxes, counts, *index, asked[part], wanted[part], effort)
        return found

    answers = spread(answer, parts, workers)
    return np.concatenate(answers) if answers else np.zeros(0, np.int8)


def _index(low: Places, high: Places) -> tuple[Places, Places, Places]:
    """Return for every dimension the narrow boxes in their order, and where the wide ones begin."""
    order = np.empty(low.T.shape, np.int32)
    wide_from = np.empty(low.shape[1], np.int32)
    cells = np.full(low.T.shape, np.iinfo(np.int32).max, np.int32)
    for dimension in range(low.shape[1]):
        is_narrow = high[:, dimension] == low[:, dimension] + 1
        key = np.where(is_narrow, low[:, dimension], np.iinfo(np.int32).max)
        order[dimension] = np.argsort(key, kind="stable")
        cells[dimension] = key[order[dimension]]
        wide_from[dimension] = np.count_nonzero(is_narrow)
    return frozen(order), frozen(cells), frozen(wide_from)


@kernel
def _answer(
    low: Any,
    high: Any,
    owner: Any,
    weights: Any,
    order: Any,
    cells: Any,
    wide_from: Any,
    queries: Any,
    times: Any,
    effort: int,
) -> Any:
    answers = np.empty(len(queries), np.int8)
    dimensions = low.shape[1]
    waiting_low = np.empty((DEEPEST, dimensions), np.int32)
    waiting_high = np.empty((DEEPEST, dimensions), np.int32)
    waiting_from = np.empty((DEEPEST, 2), np.int64)
    for number, query in enumerate(queries):
        met = _met(low, high, owner, weights, order, cells, wide_from, query, times[number])
        needed = met[0]
        if needed <= 0:
            answers[number] = COVERED
            continue
        volumes = _volumes(low, high, weights, met, query)
        whole = 1.0
        for d in range(dimensions):
            whole *= high[query, d] - low[query, d]
        # Far too little to cover it: the margin is wider than any rounding of the products.
        if volumes.sum() < whole * needed * 0.999999:
            answers[number] = UNCOVERED
            continue
        met = met[1:][np.argsort(-volumes, kind="mergesort")]
        answers[number] = _left(
            low, high, weights, met, query, needed, waiting_low, waiting_high, waiting_from, effort
        )
    return answers


@kernel
def _met(
    low: Any,
    high: Any,
    owner: Any,
    weights: Any,
    order: Any,
    cells: Any,
    wide_from: Any,
    query: int,
    needed: int,
) -> Any:
    """List the boxes that meet a box, after how often they must still cover it.

    Those that hold it all are counted at once, and not listed.
    """
    best, begin, end, fewest = 0, 0, 0, len(low) + 1
    for d in range(low.shape[1]):
        narrow = cells[d, : wide_from[d]]
        first = np.searchsorted(narrow, low[query, d])
        last = np.searchsorted(narrow, high[query, d])
        if last - first + len(low) - wide_from[d] < fewest:
            best, begin, end = d, first, last
            fewest = last - first + len(low) - wide_from[d]
    met = np.zeros(fewest + 1, np.int64)
    count = 1
    for turn in range(fewest):
        narrow_ones = end - begin
        place = begin + turn if turn < narrow_ones else wide_from[best] + turn - narrow_ones
        box = order[best, place]
        if owner[box] == owner[query]:
            continue
        meets = _meeting(low, high, box, query)
        if meets == HELD:
            needed -= weights[box]
            if needed <= 0:
                break
        elif meets == MET:
            met[count] = box
            count += 1
    met[0] = needed
    return met[:count]


@kernel
def _meeting(low: Any, high: Any, box: int, query: int) -> Any:
    """Tell whether a box meets another, and whether it holds it."""
    meeting = HELD
    for d in range(low.shape[1]):
        if low[box, d] >= high[query, d] or high[box, d] <= low[query, d]:
            return APART
        if low[box, d] > low[query, d] or high[box, d] < high[query, d]:
            meeting = MET
    return meeting


@kernel
def _volumes(low: Any, high: Any, weights: Any, met: Any, query: int) -> Any:
    """Return how much of a box the boxes have that meet it, as often as they count."""
    volumes = np.empty(len(met) - 1)
    for place in range(1, len(met)):
        box = met[place]
        volumes[place - 1] = weights[box]
        for d in range(low.shape[1]):
            shared = min(high[box, d], high[query, d]) - max(low[box, d], low[query, d])
            volumes[place - 1] *= shared
    return volumes


@kernel
def _left(
    low: Any,
    high: Any,
    weights: Any,
    met: Any,
    query: int,
    needed: int,
    waiting_low: Any,
    waiting_high: Any,
    waiting_from: Any,
    effort: int,
) -> Any:
    """Take away from a box, one after the other, those that meet it."""
    waiting, compared = 1, 0
    waiting_low[0], waiting_high[0], waiting_from[0] = low[query], high[query], (0, needed)
    while waiting:
        waiting -= 1
        piece_low, piece_high = waiting_low[waiting].copy(), waiting_high[waiting].copy()
        begin, needed = waiting_from[waiting]
        place = _first_that_meets(low, high, met, begin, piece_low, piece_high)
        if place == len(met):
            return UNCOVERED
        compared += place - begin + 1
        if compared > effort or waiting + 2 * low.shape[1] >= DEEPEST:
            return UNDECIDED
        for d in range(low.shape[1]):
            # What lies beyond an edge waits; the piece shrinks to what lies on the near side.
            edge = low[met[place], d]
            if edge > piece_low[d]:
                waiting_low[waiting], waiting_high[waiting] = piece_low, piece_high
                waiting_high[waiting, d] = piece_low[d] = edge
                waiting_from[waiting] = place + 1, needed
                waiting += 1
            edge = high[met[place], d]
            if edge < piece_high[d]:
                waiting_low[waiting], waiting_high[waiting] = piece_low, piece_high
                waiting_low[waiting, d] = piece_high[d] = edge
                waiting_from[waiting] = place + 1, needed
                waiting += 1
        needed -= weights[met[place]]
        if needed > 0:
            waiting_low[waiting], waiting_high[waiting] = piece_low, piece_high
            waiting_from[waiting] = place + 1, needed
            waiting += 1
    return COVERED


@kernel
def _first_that_meets(
    low: Any, high: Any, met: Any, begin: int, piece_low: Any, piece_high: Any
) -> Any:
    """Return the first place from some place on whose box meets a piece; the end if none does."""
    for place in range(begin, len(met)):
        box, meets = met[place], True
        for d in range(low.shape[1]):
            if low[box, d] >= piece_high[d] or high[box, d] <= piece_low[d]:
                meets = False
                break
        if meets:
            return place
    return len(met)


def warm_up() -> None:
    """Compile the kernels."""
    low, high = np.array([[0, 0], [0, 0], [1, 0]]), np.array([[2, 2], [1, 2], [2, 1]])
    uncovered(low, high, np.arange(3), np.arange(3), effort=10)
