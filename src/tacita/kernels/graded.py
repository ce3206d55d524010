"""Which rows of one table are likeliest to belong to rows of another, by graded comparisons.

Every column of a row is a code, and so is every column of the rows it is compared with. A scale
cuts the codes of the other table, for each code of this one, into runs of one level each; what a
level adds to a pair depends on the level and, where the scale says so, on the other row's code.
For each row a line is laid out that holds what every code of the other table adds; the sum over
the columns is then one look-up a column. Columns of numbers may instead be points, of which the
squared distance adds the logarithm of a mixture of normal densities of one shape.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from tacita.kernels.agreement import Rows, Spans
from tacita.kernels.compile import frozen, kernel, spread, thread_count
from tacita.kernels.elementary import exp, log

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Arrays = TypeVar("Arrays", bound=tuple[npt.NDArray[Any], ...])

GRAIN = 2**22  # pairs compared at a time; fixed, so that threads do not change the order of results
NOTHING = 38.0  # below the highest density of a mixture: so low ones do not change the sum
FAR = 25.0  # below the highest sum: all rows so far below add less than anybody can see


class Runs(NamedTuple):
    """For each code of a row, the runs of codes of the other table: where they end, which level."""

    starts: Ints  # of the runs of each code, one code behind another; behind them the end
    ends: Places
    levels: Places


class Lines(NamedTuple):
    """What the codes of all columns add to a sum, scale by scale.

    Codes of a column begin at its offset; behind them stands its blank, which adds nothing.
    """

    offsets: Ints  # of each column's codes; behind them the length of a line
    columns: Ints  # of each scale
    first: Ints  # of each scale's codes among those of the runs
    at: Ints  # where each scale's weights begin
    widths: Ints  # how many weights a level has: one, or one for each code
    weights: Floats
    shifts: Floats  # what each code of the runs takes off


class Points(NamedTuple):
    """Where rows lie, and what being far apart adds to a sum: the log of sum_s e^(h_s - r_s d^2).

    Rows without coordinates are no points: the sum is that of the lines.
    """

    rows: Floats
    others: Floats
    heights: Floats  # of each density of the mixture where the distance is 0
    rates: Floats  # how fast it falls with the squared distance; the slowest last


class Nearest(NamedTuple):
    """The other rows of highest sum for each row, the highest first; -1 where there are fewer."""

    others: Ints
    sums: Floats
    total: Floats  # the logarithm of the sum of e^sum over all others, each by its size
    ties: Ints  # how many of the others, by their sizes, reach the highest sum


def nearest(
    rows: Rows,
    spans: Spans,
    others: Rows,
    sizes: Ints,
    runs: Runs,
    lines: Lines,
    points: Points,
    count: int,
    tolerance: float,
    *,
    threads: int | None = None,
) -> Nearest:
    """Find the rows of another table with the highest sums; of equal ones, the first.

    Args:
        rows: the rows to look for.
        spans: the others that each is compared with.
        others: the rows of the other table.
        sizes: how often each of them counts.
        runs: the runs of all scales, one scale behind another.
        lines: what they add.
        points: where the rows and the others lie.
        count: how many to keep for each row.
        tolerance: sums that differ by less are ties.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    pairs = spans.ends - spans.begins
    edges = np.searchsorted(np.cumsum(pairs), np.arange(GRAIN, pairs.sum(), GRAIN))
    cuts = list(pairwise(np.unique([0, *edges.tolist(), len(pairs)]).tolist()))
    given = (
        Rows(*(frozen(part) for part in rows)),
        Rows(*(frozen(part) for part in others)),
        frozen(sizes, np.int64),
        Spans(*(frozen(part) for part in spans)),
        Runs(*(frozen(part) for part in runs)),
        Lines(*(frozen(part) for part in lines)),
        Points(*(frozen(part) for part in points)),
    )
    size = len(pairs)
    into = Nearest(
        np.full((size, count), -1, np.int64),
        np.full((size, count), -np.inf),
        np.full(size, -np.inf),
        np.zeros(size, np.int64),
    )
    spread(
        lambda cut: _nearest(*given, tolerance, cut[0], cut[1], into),
        cuts,
        thread_count(threads, int(pairs.sum()), GRAIN),
    )
    return into


def levels_between(runs: Runs, codes: Ints, others: Ints) -> Places:
    """Return the level of each pair of a code and a code of the other table.

    >>> one = Runs(np.array([0, 3]), np.array([2, 3, 5], np.int32), np.array([1, 0, 1], np.int32))
    >>> levels_between(one, np.array([0, 0, 0]), np.array([1, 2, 4])).tolist()
    [1, 0, 1]
    """
    levels = np.empty(len(codes), np.int32)
    _levels(Runs(*(frozen(part) for part in runs)), frozen(codes), frozen(others), levels)
    return levels


def warm_up() -> None:
    """Compile the kernels of this module."""
    rows = Rows(np.array([[0]], np.int32), np.full((1, 0), -1))
    runs = Runs(np.array([0, 1]), np.array([1], np.int32), np.array([0], np.int32))
    zero = np.zeros(1, np.int64)
    lines = Lines(np.array([0, 2]), zero, zero, zero, zero + 1, np.zeros(1), np.zeros(1))
    points = Points(np.zeros((1, 1)), np.zeros((1, 1)), np.zeros(1), np.ones(1))
    nearest(rows, Spans(zero, zero + 1), rows, zero + 1, runs, lines, points, 1, 0.0)
    levels_between(runs, zero, zero)


@kernel
def _met_before(rows: Rows, others: Rows, i: int, j: int) -> bool:
    """Tell whether two rows were compared before; as in `agreement`, since kernels stay apart."""
    for k in range(rows.earlier.shape[1]):
        if rows.earlier[i, k] >= 0 and rows.earlier[i, k] == others.earlier[j, k]:
            return True
    return False


@kernel
def _levels(runs: Runs, codes: Ints, others: Ints, levels: Places) -> None:
    for i in range(codes.size):
        low, high = runs.starts[codes[i]], runs.starts[codes[i] + 1] - 1
        while low < high:
            middle = (low + high) // 2
            if runs.ends[middle] > others[i]:
                high = middle
            else:
                low = middle + 1
        levels[i] = runs.levels[low]


@kernel
def _lay(line: Floats, row: Places, runs: Runs, lines: Lines, columns: Ints) -> int:
    """Write what every code adds beside a row; return in how many columns the row has a value."""
    there = 0
    for c in range(row.size):
        if row[c] < lines.offsets[c + 1] - 1:
            columns[there] = c
            there += 1
            line[lines.offsets[c] : lines.offsets[c + 1]] = 0.0
    for s in range(lines.columns.size):
        c = lines.columns[s]
        begin = lines.offsets[c]
        if row[c] >= lines.offsets[c + 1] - 1:
            continue
        code = lines.first[s] + row[c] - begin
        width, shift, start = lines.widths[s], lines.shifts[code], 0
        for k in range(runs.starts[code], runs.starts[code + 1]):
            end = runs.ends[k]
            base = lines.at[s] + runs.levels[k] * width
            if width == 1:
                line[begin + start : begin + end] += lines.weights[base] - shift
            else:
                for x in range(start, end):
                    line[begin + x] += lines.weights[base + x] - shift
            start = end
    return there


@kernel
def _nearest(
    rows: Rows,
    others: Rows,
    sizes: Ints,
    spans: Spans,
    runs: Runs,
    lines: Lines,
    points: Points,
    tolerance: float,
    begin: int,
    end: int,
    into: Nearest,
) -> None:
    line = np.zeros(lines.offsets[-1])
    columns = np.empty(rows.codes.shape[1], np.int64)
    heap = np.empty(into.others.shape[1])
    place = np.empty(heap.size, np.int64)
    beyond = np.empty(columns.size + 1)
    is_point = points.rows.shape[1] > 0
    top = _height(points, 0.0) if is_point else 0.0
    for i in range(begin, end):
        there = _lay(line, rows.codes[i], runs, lines, columns)
        _highest(line, lines.offsets, columns, there, top, beyond)
        held, highest, total, ties = 0, -np.inf, 0.0, 0
        for j in range(spans.begins[i], spans.ends[i]):
            if _met_before(rows, others, i, j):
                continue
            least = min(heap[0], highest - FAR) if held == heap.size else -np.inf
            value = _total(line, others, j, columns, there, beyond, least)
            if is_point and value > -np.inf:
                value = _with_height(points, i, j, value, top, least)
            if value > highest + tolerance:
                total = total * exp(highest - value) if total else 0.0
                highest, ties = value, 0
            if value >= highest - tolerance:
                ties += sizes[j]
            if value > highest - FAR:
                total += sizes[j] * exp(value - highest)
            held = _keep(heap, place, held, value, j)
        into.ties[i] = ties
        if held:
            into.total[i] = log(total) + highest
        for last in range(held - 1, -1, -1):
            into.sums[i, last], into.others[i, last] = heap[0], place[0]
            heap[0], place[0] = heap[last], place[last]
            _sink(heap, place, last)


@kernel
def _with_height(points: Points, i: int, j: int, value: float, top: float, least: float) -> float:
    """Add to a sum what the distance adds; -inf where it cannot reach the least."""
    apart = 0.0
    for c in range(points.rows.shape[1]):
        apart += (points.rows[i, c] - points.others[j, c]) ** 2
    if value + top - points.rates[-1] * apart < least:
        return -np.inf
    return value + _height(points, apart)


@kernel
def _height(points: Points, apart: float) -> float:
    """Return what a squared distance adds: the logarithm of a sum of exponentials."""
    most = -np.inf
    for s in range(points.heights.size):
        most = max(most, points.heights[s] - points.rates[s] * apart)
    total = 0.0
    for s in range(points.heights.size):
        less = points.heights[s] - points.rates[s] * apart - most
        if less > -NOTHING:
            total += exp(less)
    return most + log(total)


@kernel
def _highest(
    line: Floats, offsets: Ints, columns: Ints, there: int, top: float, beyond: Floats
) -> None:
    """Write the highest sum that the columns from each one on and the points can add."""
    beyond[there] = top
    for k in range(there - 1, -1, -1):
        begin, end = offsets[columns[k]], offsets[columns[k] + 1]
        beyond[k] = beyond[k + 1] + line[begin:end].max()


@kernel
def _total(
    line: Floats,
    others: Rows,
    j: int,
    columns: Ints,
    there: int,
    beyond: Floats,
    least: float,
) -> float:
    """Add up what another row's codes stand for; -inf as soon as it cannot reach the least."""
    total = 0.0
    for k in range(there):
        if total + beyond[k] < least:
            return -np.inf
        total += line[others.codes[j, columns[k]]]
    return total


@kernel
def _keep(heap: Floats, place: Ints, held: int, value: float, j: int) -> int:
    """Put an entry into a heap of bounded size if it is high enough; return the size."""
    if held < heap.size:
        heap[held], place[held] = value, j
        _rise(heap, place, held)
        return held + 1
    if value > heap[0]:
        heap[0], place[0] = value, j
        _sink(heap, place, held)
    return held


@kernel
def _before(heap: Floats, place: Ints, one: int, other: int) -> bool:
    """Tell whether one entry goes before another: it is lower, or as high and came later."""
    if heap[one] == heap[other]:
        return bool(place[one] > place[other])
    return bool(heap[one] < heap[other])


@kernel
def _rise(heap: Floats, place: Ints, at: int) -> None:
    while at and _before(heap, place, at, (at - 1) // 2):
        above = (at - 1) // 2
        heap[at], heap[above] = heap[above], heap[at]
        place[at], place[above] = place[above], place[at]
        at = above


@kernel
def _sink(heap: Floats, place: Ints, size: int) -> None:
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and _before(heap, place, below + 1, below):
            below += 1
        if not _before(heap, place, below, at):
            return
        heap[at], heap[below] = heap[below], heap[at]
        place[at], place[below] = place[below], place[at]
        at = below
