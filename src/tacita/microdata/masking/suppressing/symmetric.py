"""Symmetric suppression: a blank matches anything, in one's own record and in all others."""

from __future__ import annotations

from time import monotonic

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.microdata.masking.suppressing.problem import BLANK, Found, Places, Problem
from tacita.microdata.masking.suppressing.search import Search
from tacita.solvers.counting import CountingProgram, cheapest_counts

MOST_PAIRS = 200_000  # of a cell and one that may match it: the entries of a program
MOST_PROVEN_PAIRS = 20_000_000  # the same where a proof is asked for: what memory holds


def symmetric_suppression(problem: Problem) -> Places:
    """Blank values of every record that matches too few until it matches at least k.

    Patterns are tried from the cheapest on, each for all records that it helps; what was blanked
    before matches more. Only records that match fewer than k, themselves counted, are blanked.

    Returns the number of records by pattern and row.
    """
    pattern_of = problem.blanks.copy()
    left = np.flatnonzero(matches(problem, pattern_of, pattern_of) < problem.k)
    for place, pattern in enumerate(problem.patterns):
        rows = left[problem.fits(place)[left]]
        tried = np.full(len(problem), pattern)
        pattern_of[rows[matches(problem, pattern_of, tried, rows) >= problem.k]] = pattern
        left = left[matches(problem, pattern_of, pattern_of, left) < problem.k]
        if not len(left):
            break
    order = np.argsort(problem.patterns)
    placed = np.zeros((len(problem.patterns), len(problem)), np.int32)
    places = order[np.searchsorted(problem.patterns[order], pattern_of)]
    placed[places, np.arange(len(problem))] = problem.counts
    return placed


def matches(problem: Problem, others: Ints, own: Ints, rows: Ints | None = None) -> Ints:
    """Count the records that a record of each row matches, itself included.

    Args:
        problem: the rows.
        others: the pattern of blanks of every row, as others see it.
        own: the pattern of blanks of every row, as it would be itself.
        rows: the rows to count for; all when left out.
    """
    from tacita.kernels.grouping import group

    asked = np.arange(len(problem)) if rows is None else rows
    found = np.zeros(len(asked), np.int64)
    for mine in np.unique(own[asked]):
        askers = np.flatnonzero(own[asked] == mine)
        for theirs in np.unique(others):
            seen = np.flatnonzero(others == theirs)
            both = np.concatenate([asked[askers], seen])
            keys = [key for key in range(problem.keys) if not (mine | theirs) >> key & 1]
            ids = group([problem.strata[both], *(problem.values[both, key] for key in keys)]).ids
            total = np.bincount(ids[len(askers) :], problem.counts[seen], minlength=len(both))
            found[askers] += total[ids[: len(askers)]].astype(np.int64)
    return found


def optimal_symmetric(problem: Problem, start: Found, search: Search) -> Found:
    """Place the records at the least cost, stratum by stratum, where a stratum is small enough.

    With n[r, P] records of row r released under pattern P and y[e] = 1 where records of an unsafe
    row, one that matches fewer than k from the start, are released in cell e,

        min  sum cost[r, P] n[r, P]   subject to   sum over P of n[r, P] = count[r],
             k y[e] <= sum of n[r, P] over all cells that e matches,   n[r, P] <= count[r] y[e].

    A blank only ever adds matches, so that safe rows need no condition. Records of any row may be
    blanked: k - 1 records without a value are never dearer than all of these.
    """
    if problem.missing_cost is not None:
        return start
    unsafe = matches(problem, problem.blanks, problem.blanks) < problem.k
    most = MOST_PROVEN_PAIRS if search.depth == "proven" else MOST_PAIRS
    placed, bound, is_timed, begun = start.placed.copy(), 0, False, monotonic()
    for rows in problem.by_stratum:
        if not unsafe[rows].any():
            continue
        bound_here = int(problem.weights.min())
        patterns, places = np.nonzero([problem.fits(at)[rows] for at in range(len(placed))])
        options = rows[places], patterns
        needy = int(np.count_nonzero(unsafe[options[0]]))
        if needy * len(patterns) <= most:
            counts = placed[options[1], options[0]].astype(np.int64)
            program, point = _program(problem, *options, unsafe[options[0]], counts)
            effort = search.after(monotonic() - begun).effort
            found = cheapest_counts(program, point, effort)
            placed[options[1], options[0]] = found.point[: len(patterns)]
            bound_here, is_timed = max(bound_here, found.bound), is_timed or found.is_timed
        bound += bound_here
    return Found(placed, max(bound, start.bound), is_timed)


def _program(
    problem: Problem, rows: Ints, patterns: Ints, needy: Mask, counts: Ints
) -> tuple[CountingProgram, Ints]:
    """Build the program of a stratum, and its point for some way to place the records.

    Args:
        problem: what the options are of.
        rows: the row of every option.
        patterns: its pattern, by place.
        needy: whether its records need to match k.
        counts: how many records are placed there at first.
    """
    from scipy.sparse import csr_array

    hidden = problem.patterns[patterns, None] >> np.arange(problem.keys) & 1
    seen = np.where(hidden == 1, BLANK, problem.values[rows])
    cells, cell = np.unique(seen, axis=0, return_inverse=True)
    cell = cell.ravel()
    asking, gate = np.unique(cell[needy], return_inverse=True)
    options, gates = len(rows), len(asking)
    matched = np.ones((gates, len(cells)), np.bool_)
    for one, other in zip(cells[asking].T[:, :, None], cells.T[:, None], strict=True):
        matched &= (one == other) | (one == BLANK) | (other == BLANK)
    row, of_row = np.unique(rows, return_inverse=True)
    asker, option = np.nonzero(matched[:, cell])
    alone, at = np.flatnonzero(needy), len(row) + gates + np.arange(np.count_nonzero(needy))
    entries = [
        (of_row, np.arange(options), np.ones(options)),
        (len(row) + asker, option, np.ones(len(option))),
        (len(row) + np.arange(gates), options + np.arange(gates), np.full(gates, -problem.k)),
        (at, alone, np.ones(len(alone))),
        (at, options + gate, -problem.counts[rows[alone]]),
    ]
    places, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    shape = (len(row) + gates + len(alone), options + gates)
    total = problem.counts[row].astype(np.float64)
    program = CountingProgram(
        np.append(problem.costs[patterns] - problem.known_costs[rows], np.zeros(gates, np.int64)),
        csr_array((values, (places, columns)), shape=shape),
        np.concatenate([total, np.zeros(gates), np.full(len(alone), -np.inf)]),
        np.concatenate([total, np.full(gates, np.inf), np.zeros(len(alone))]),
        np.append(problem.counts[rows], np.ones(gates, np.int64)),
    )
    used = np.zeros(gates, np.int64)
    used[gate[counts[alone] > 0]] = 1
    return program, np.append(counts, used)
