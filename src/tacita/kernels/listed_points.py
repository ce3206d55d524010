"""The likeliest points of questions that name one list of points for each of several kinds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import cut, frozen, kernel, spread, thread_count

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

GRAIN = 64  # questions that are worth a thread
PARTS = 16  # pieces of work for each thread, since some questions take longer than others
TIE = 1e-9  # between sums of logarithms: what differs by less differs by rounding


class Lists(NamedTuple):
    """On which lists points stand."""

    named: Ints  # points by kinds by places: lists, numbered through all kinds; -1 for none
    logarithms: Floats  # the same: how likely a point is on the list
    absent: float  # what counts where a point is not on a list
    starts: Ints  # for each list, where its points begin
    points: Ints


class Likeliest(NamedTuple):
    """What is known of each question."""

    everywhere: Ints  # the points on all of its lists
    likeliest: Ints  # the points that are as likely as any
    is_own: Mask  # whether the one it comes from is among them


def lists_of(named: Ints, logarithms: Floats, absent: float, count: int) -> Lists:
    """Gather the points of each of so many lists."""
    there = named.ravel() >= 0
    lists = named.ravel()[there]
    points = np.repeat(np.arange(len(named)), named[0].size if len(named) else 0)[there]
    order = np.argsort(lists, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(lists, minlength=count)))
    return Lists(
        frozen(named, np.int64),
        frozen(logarithms, np.float64),
        absent,
        frozen(starts, np.int64),
        frozen(points[order], np.int64),
    )


def likeliest(lists: Lists, asked: Ints, own: Ints, *, threads: int | None = None) -> Likeliest:
    """Find the points whose logarithms, summed over the lists that a question names, are greatest.

    Looked at are the points on the shortest list, and if none of them is on all lists, those on
    the second shortest.

    Args:
        lists: on which lists points stand.
        asked: questions by kinds: the list of each; -1 where none is named.
        own: for each question the point it comes from.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    size = len(asked)
    into = Likeliest(np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.bool_))
    fixed = frozen(asked, np.int64), frozen(own, np.int64)
    workers = thread_count(threads, size, GRAIN)
    pieces = cut(size, min(max(size // GRAIN, 1), workers * PARTS))
    spread(lambda at: _likeliest(lists, *fixed, at.start, at.stop, into), pieces, workers)
    return into


def warm_up() -> None:
    """Compile the kernels of this module."""
    one = np.zeros((1, 1), np.int64)
    likeliest(lists_of(one[None], np.zeros((1, 1, 1)), 0.0, 1), one, one[0])


@kernel
def _two_shortest(lists: Lists, asked: Ints, q: int) -> tuple[int, int]:
    """Find the kinds of the shortest and the second shortest list that a question names, or -1."""
    first = second = -1
    least = next_least = lists.points.size + 1
    for kind in range(asked.shape[1]):
        if asked[q, kind] < 0:
            continue
        size = lists.starts[asked[q, kind] + 1] - lists.starts[asked[q, kind]]
        if size < least:
            second, next_least = first, least
            first, least = kind, size
        elif size < next_least:
            second, next_least = kind, size
    return first, second


@kernel
def _place(lists: Lists, point: int, kind: int, wanted: int) -> int:
    """Find at which of its places a point names a list; -1 if it does not."""
    for place in range(lists.named.shape[2]):
        if lists.named[point, kind, place] == wanted:
            return place
    return -1


@kernel
def _sum(lists: Lists, point: int, asked: Ints, q: int) -> tuple[float, bool]:
    """Sum the logarithms of a point over a question's lists, and tell whether it is on all."""
    total, everywhere = 0.0, True
    for kind in range(asked.shape[1]):
        if asked[q, kind] < 0:
            continue
        place = _place(lists, point, kind, asked[q, kind])
        everywhere = everywhere and place >= 0
        total += lists.logarithms[point, kind, place] if place >= 0 else lists.absent
    return total, everywhere


@kernel
def _likeliest(
    lists: Lists, asked: Ints, own: Ints, start: int, stop: int, into: Likeliest
) -> None:
    for q in range(start, stop):
        best, before = -np.inf, -1
        for kind in _two_shortest(lists, asked, q):
            if kind < 0 or into.everywhere[q] > 0:
                continue
            wanted = asked[q, kind]
            for at in range(lists.starts[wanted], lists.starts[wanted + 1]):
                point = lists.points[at]
                if before >= 0 and _place(lists, point, before, asked[q, before]) >= 0:
                    continue
                total, everywhere = _sum(lists, point, asked, q)
                into.everywhere[q] += everywhere
                if total > best + TIE:
                    best, into.likeliest[q], into.is_own[q] = total, 0, False
                if total >= best - TIE:
                    into.likeliest[q] += 1
                    into.is_own[q] = into.is_own[q] or point == own[q]
            before = kind
