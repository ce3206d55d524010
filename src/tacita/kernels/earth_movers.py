"""The earth mover's distance of many small histograms from one large histogram.

The work that it takes to move the shares of a histogram, c_i / n, to those of the large one,
C_i / N, is a sum of terms |A / n - Q / N| whose signs are known, so that it is own / n - whole / N
with two whole numbers. They are what the kernels find: nothing is rounded, and nothing is above
2^62 as long as the number of places times either total is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import cut, frozen, kernel, spread, thread_count

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.integer[Any]]

GRAIN = 2**14  # entries that are worth a thread
MARKS = 2**12  # shares of the large one whose places are looked up before a search
PARTS = 8  # pieces of work for each thread, since some histograms are longer than others


class Histograms(NamedTuple):
    """Many histograms over the same places, without their zeros."""

    ends: Ints  # for each histogram, where its entries end
    places: Places  # of each entry, ascending within a histogram
    counts: Ints  # of each entry, above 0


class Work(NamedTuple):
    """The work of each histogram: own / (its total) - whole / (the total of the large one)."""

    own: Ints
    whole: Ints


def work_on_line(small: Histograms, large: Ints, *, threads: int | None = None) -> Work:
    """Find the work where the places stand in a row, each a step from the next.

    It is the sum over places of the difference between what both have cumulated so far. An entry
    costs a search, however many places there are: between two entries what a histogram has
    cumulated stays, and what the large one has cumulated crosses it once at most.

    >>> small = Histograms(np.array([1, 3]), np.array([0, 0, 2]), np.array([5, 1, 1]))
    >>> work_on_line(small, np.array([1, 1, 1]))
    Work(own=array([15,  2]), whole=array([6, 2]))

    The first moves 15 / 5 - 6 / 3 = 1 step, the second 2 / 2 - 2 / 3.

    Args:
        small: the histograms.
        large: how often each place occurs in the large one.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    small, cumulated = _frozen(small), np.cumsum(large)
    sums = frozen(np.append(0, np.cumsum(cumulated)), np.int64)
    shares = np.arange(MARKS + 1) * int(cumulated[-1]) // MARKS
    marks = frozen(np.searchsorted(cumulated, shares, side="right"), np.int64)
    work = _no_work(small)
    _in_parts(
        small, threads, lambda part: _add_line(small, sums, marks, part.start, part.stop, work)
    )
    return work


def work_in_tree(
    small: Histograms, large: Ints, ancestors: Ints, *, threads: int | None = None
) -> Work:
    """Find the work where the places are leaves of a tree and a step leads one level up or down.

    It is the sum over levels of what is too much in the nodes of a level. With the leaves as the
    only level it is half the sum of the differences of shares.

    >>> small = Histograms(np.array([1]), np.array([0]), np.array([5]))
    >>> work_in_tree(small, np.array([1, 1, 2]), np.array([[0, 1, 2], [0, 0, 1]]))
    Work(own=array([10]), whole=array([3]))

    Args:
        small: the histograms.
        large: how often each place occurs in the large one.
        ancestors: levels below the root by places: the number, from 0, of the node above a place.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    small = _frozen(small)
    nodes = int(ancestors.max(initial=-1)) + 1
    totals = [np.bincount(level, large, nodes).astype(np.int64) for level in ancestors]
    above, of_nodes = frozen(ancestors, np.int64), frozen(np.array(totals), np.int64)
    total, work = int(large.sum()), _no_work(small)
    _in_parts(
        small,
        threads,
        lambda part: _add_tree(small, above, of_nodes, total, part.start, part.stop, work),
    )
    return work


def _frozen(small: Histograms) -> Histograms:
    ends, counts = frozen(small.ends, np.int64), frozen(small.counts, np.int64)
    return Histograms(ends, frozen(small.places, np.int32), counts)


def warm_up() -> None:
    """Compile the kernels of this module."""
    small, one = Histograms(*(np.ones(1, np.int64),) * 3), np.ones(2, np.int64)
    work_on_line(small, one)
    work_in_tree(small, one, np.array([[0, 1]]))


def _no_work(small: Histograms) -> Work:
    return Work(np.zeros(small.ends.size, np.int64), np.zeros(small.ends.size, np.int64))


def _in_parts(small: Histograms, threads: int | None, task: Callable[[slice], None]) -> None:
    """Let threads work on parts of the histograms."""
    workers = thread_count(threads, small.places.size, GRAIN)
    parts = min(PARTS * workers, small.ends.size) if workers > 1 else 1
    spread(task, cut(small.ends.size, parts), workers)


@kernel
def _add_line(
    small: Histograms, sums: Ints, marks: Ints, start: int, stop: int, work: Work
) -> None:
    """Write the work of some histograms over places in a row.

    ``sums`` has at each place the sum of all that the large one has cumulated at those before it,
    ``marks`` the first place where it has cumulated more than each of some shares: a search goes
    from one mark to the next.
    """
    last = sums.size - 1
    total = _cumulated(sums, last - 1)
    for h in range(start, stop):
        first, end, size = small.ends[h - 1] if h else 0, small.ends[h], 0
        for entry in range(first, end):
            size += small.counts[entry]
        # Before its first entry the large one is ahead, behind its last one it is itself.
        own, whole = size * (last - small.places[end - 1]), sums[last] - sums[small.places[first]]
        whole -= sums[small.places[end - 1]]
        reached = 0
        for entry in range(first, end - 1):
            low, high = small.places[entry], small.places[entry + 1]
            reached += small.counts[entry]
            mark = reached * MARKS // size
            near, far = min(max(marks[mark], low), high), min(max(marks[mark + 1], low), high)
            middle = _crossing(sums, near, far, reached * total, size) if near < far else near
            own += reached * (2 * middle - low - high)
            whole += 2 * sums[middle] - sums[low] - sums[high]
        work.own[h], work.whole[h] = own, whole


@kernel
def _cumulated(sums: Ints, place: int) -> int:
    """Return what the large one has cumulated at a place; reading one array is the faster way."""
    return int(sums[place + 1] - sums[place])


@kernel
def _crossing(sums: Ints, low: int, high: int, reached: int, size: int) -> int:
    """Find the first place from ``low`` on, below ``high``, where the large one is ahead."""
    if size * _cumulated(sums, low) > reached:
        return low
    if size * _cumulated(sums, high - 1) <= reached:
        return high
    while low < high:
        middle = (low + high) // 2
        if size * _cumulated(sums, middle) > reached:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def _add_tree(
    small: Histograms, above: Ints, of_nodes: Ints, total: int, start: int, stop: int, work: Work
) -> None:
    """Write the work of some histograms over the leaves of a tree."""
    held = np.zeros(of_nodes.shape[1], dtype=np.int64)
    for h in range(start, stop):
        first, end, size = small.ends[h - 1] if h else 0, small.ends[h], 0
        for entry in range(first, end):
            size += small.counts[entry]
        for level in range(above.shape[0]):
            for entry in range(first, end):
                held[above[level, small.places[entry]]] += small.counts[entry]
            for entry in range(first, end):
                node = above[level, small.places[entry]]
                if held[node] * total > of_nodes[level, node] * size:
                    work.own[h] += held[node]
                    work.whole[h] += of_nodes[level, node]
                held[node] = 0  # it may stand above several entries, and counts once
