"""Symmetric suppression: a blank matches anything, in one's own record and in all others."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Ints
from tacita.microdata.masking.suppressing.problem import Places, Problem


def symmetric_suppression(problem: Problem) -> Places:
    """Blank values of every record that matches too few until it matches at least k.

    Patterns are tried from the cheapest on; what was blanked before matches more. Only records
    that match fewer than k, themselves counted, are blanked: k - 1 records without any value would
    be cheaper, and would protect nobody.

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
