"""The points from which a question may have been shifted along the order of every coordinate.

Points and questions have ranks: in each coordinate a run of them, from a first one to behind the
last, since equal values share theirs. A question comes from a point whose rank in every coordinate
was shifted by at most a reach. How likely a shift is, is told by the second integral of its
density, which is even: with it, ``V(x)``, the probability that a rank of the run [a, b) became one
of the run [c, d) is ``V(d - a) + V(c - b) - V(c - a) - V(d - b)`` over ``b - a``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import cut, frozen, kernel, spread, thread_count
from tacita.kernels.elementary import exp, log

Ints = npt.NDArray[np.int64]
Ranks = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

GRAIN = 16  # questions that are worth a thread
PARTS = 16  # pieces of work for each thread, since some questions take longer than others
LEAST = 1e-300  # a probability within reach is above 0, whatever rounding says
TIE = 1e-9  # between logarithms of probabilities: what differs by less differs by rounding


class Shifts(NamedTuple):
    """How far ranks may be shifted in each coordinate, and how likely they are."""

    reach: Ints
    integrals: Floats  # coordinates by shifts from 0 to the longest reach
    tails: Floats  # what is added to half of a longer shift
    logarithms: Floats  # coordinates by shifts: of the probability that one rank becomes another


class Weighed(NamedTuple):
    """What is known of each question."""

    candidates: Ints  # the points within reach in all coordinates
    likeliest: Ints  # those of them that are as likely as any
    is_own: Mask  # whether the point it comes from is one of the likeliest
    best: Floats  # the logarithm of the likeliest's probability; -inf without a candidate
    total: Floats  # the sum of all probabilities, in units of the likeliest's


def weigh(
    points: Ints, asked: Ints, shifts: Shifts, own: Ints, *, threads: int | None = None
) -> Weighed:
    """Weigh the points that questions may come from.

    Args:
        points: points by coordinates by two: the first rank and the one behind the last; in each
            coordinate those that are not blank (-1) fill the ranks from 0 on.
        asked: the same of the questions; a blank coordinate of a question is not looked at.
        shifts: how far ranks may be shifted.
        own: for each question the point it comes from.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    size, held = len(asked), np.count_nonzero(points[:, :, 0] >= 0, axis=0)
    order = np.argsort(np.where(points[:, :, 0] < 0, len(points), points[:, :, 0]).T, kind="stable")
    ranks, questions = frozen(points, np.int32), frozen(asked, np.int32)
    into = Weighed(
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.bool_),
        np.full(size, -np.inf),
        np.zeros(size),
    )
    fixed = frozen(order, np.int32), frozen(held, np.int64), frozen(own, np.int64)
    workers = thread_count(threads, size, GRAIN)
    pieces = cut(size, min(max(size // GRAIN, 1), workers * PARTS))
    spread(
        lambda at: _weigh(ranks, questions, shifts, *fixed, at.start, at.stop, into),
        pieces,
        workers,
    )
    return into


def warm_up() -> None:
    """Compile the kernels of this module."""
    one = np.array([[[0, 1]]])
    table = np.zeros((1, 1))
    weigh(one, one, Shifts(np.zeros(1, np.int64), table, table[0], table), np.zeros(1, np.int64))


@kernel
def _run(
    ranks: Ranks, asked: Ranks, order: Ranks, held: int, reach: int, j: int
) -> tuple[int, int]:
    """Find from where to where, in the order of a coordinate, points are within its reach."""
    low, high = asked[j, 0] - reach, asked[j, 1] - 1 + reach
    if held == 0 or high < 0 or low >= held:
        return 0, 0
    return ranks[order[j, max(low, 0)], j, 0], ranks[order[j, min(high, held - 1)], j, 1]


@kernel
def _shortest(
    ranks: Ranks, asked: Ranks, order: Ranks, held: Ints, reach: Ints
) -> tuple[int, int, int]:
    """Find the coordinate in which the fewest points are within reach, and where they stand."""
    chosen, start, stop = 0, 0, ranks.shape[0]
    for j in range(asked.shape[0]):
        if asked[j, 0] >= 0:
            low, high = _run(ranks, asked, order, held[j], reach[j], j)
            if high - low <= stop - start:
                chosen, start, stop = j, low, high
    return chosen, start, stop


@kernel
def _is_within(ranks: Ranks, at: int, questions: Ranks, q: int, reach: Ints) -> bool:
    """Tell whether a point is within reach of a question in all coordinates."""
    for j in range(reach.size):
        first = questions[q, j, 0]
        if first >= 0 and (
            ranks[at, j, 0] < 0
            or first - ranks[at, j, 1] >= reach[j]
            or ranks[at, j, 0] - questions[q, j, 1] >= reach[j]
        ):
            return False
    return True


@kernel
def _integral(shifts: Shifts, j: int, shift: int) -> float:
    size = abs(shift)
    if size > shifts.reach[j]:
        return float(shifts.tails[j] + size / 2)
    return float(shifts.integrals[j, size])


@kernel
def _of_runs(point: Ranks, asked: Ranks, shifts: Shifts, j: int) -> float:
    """Return the logarithm of the probability that a rank of one run becomes one of another."""
    outer = _integral(shifts, j, asked[j, 1] - point[j, 0])
    outer += _integral(shifts, j, asked[j, 0] - point[j, 1])
    inner = _integral(shifts, j, asked[j, 0] - point[j, 0])
    inner += _integral(shifts, j, asked[j, 1] - point[j, 1])
    return float(log(max((outer - inner) / (point[j, 1] - point[j, 0]), LEAST)))


@kernel
def _logarithm(point: Ranks, asked: Ranks, shifts: Shifts) -> float:
    """Return the logarithm of the probability that a point became a question."""
    total = 0.0
    for j in range(asked.shape[0]):
        if asked[j, 0] < 0:
            continue
        if asked[j, 1] - asked[j, 0] == 1 and point[j, 1] - point[j, 0] == 1:
            total += shifts.logarithms[j, abs(asked[j, 0] - point[j, 0])]
        else:
            total += _of_runs(point, asked, shifts, j)
    return total


@kernel
def _weigh(
    ranks: Ranks,
    questions: Ranks,
    shifts: Shifts,
    order: Ranks,
    held: Ints,
    own: Ints,
    first: int,
    last: int,
    into: Weighed,
) -> None:
    """Weigh the candidates of a run of questions."""
    for q in range(first, last):
        asked, best, total, ties, mine = questions[q], -np.inf, 0.0, 0, False
        chosen, start, stop = _shortest(ranks, asked, order, held, shifts.reach)
        for place in range(start, stop):
            at = order[chosen, place]
            if not _is_within(ranks, at, questions, q, shifts.reach):
                continue
            into.candidates[q] += 1
            found = _logarithm(ranks[at], asked, shifts)
            if found > best + TIE:
                total, ties, mine = total * exp(best - found), 0, False
                best = found
            if found >= best - TIE:
                ties += 1
                mine = mine or at == own[q]
            total += exp(found - best)
        into.likeliest[q], into.is_own[q] = ties, mine
        into.best[q], into.total[q] = best, total
