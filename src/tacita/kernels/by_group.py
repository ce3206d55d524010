"""Sums and counts within groups of records that were numbered before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]

SMALL = 8  # records a group, on average, up to which groups are sorted one by one


class CodeCounts(NamedTuple):
    """How often each code occurs in each group, sorted by group, then code."""

    groups: Ints
    codes: Ints
    counts: Ints


def count_codes_per_group(ids: Ints, codes: Ints, g: int, u: int) -> CodeCounts:
    """Count each pair that occurs of a group below ``g`` and a code below ``u`` (-1 for blank).

    >>> count_codes_per_group(np.array([1, 0, 1, 1]), np.array([2, 0, -1, 2]), g=2, u=3)
    CodeCounts(groups=array([0, 1, 1]), codes=array([ 0, -1,  2]), counts=array([1, 1, 2]))
    """
    ids, codes = frozen(ids, np.int64), frozen(codes, np.int64)
    _check_numbers("ids", ids, codes.size, 0, g)
    _check_numbers("codes", codes, ids.size, -1, u)
    if codes.size > SMALL * g:
        ends, ordered = _sort_codes(ids, codes, g, u)
    else:
        ends, ordered = _sort_codes_of_small(ids, codes, g)
    pairs = _count_runs(ends, ordered)
    counts = CodeCounts(*(np.empty(pairs, dtype=np.int64) for _ in CodeCounts._fields))
    _list_runs(ends, ordered, counts)
    return counts


def add_counts_per_group(ids: Ints, codes: Ints, counts: Ints, g: int) -> CodeCounts:
    """Add up the counts of each pair of a group below ``g`` and a code, 0 or more.

    >>> add_counts_per_group(np.array([1, 0, 1]), np.array([2, 0, 2]), np.array([5, 1, 2]), g=2)
    CodeCounts(groups=array([0, 1]), codes=array([0, 2]), counts=array([1, 7]))
    """
    ids, codes, counts = (frozen(part, np.int64) for part in (ids, codes, counts))
    u = int(codes.max(initial=-1)) + 1
    _check_numbers("ids", ids, codes.size, 0, g)
    _check_numbers("codes", codes, counts.size, 0, u)
    ends, order = _sort_places(ids, codes, g, u)
    pairs = _add_runs(ends, order, codes, counts, CodeCounts(*(np.empty(0, np.int64),) * 3))
    added = CodeCounts(*(np.empty(pairs, np.int64) for _ in CodeCounts._fields))
    _add_runs(ends, order, codes, counts, added)
    return added


def sum_by_group(ids: Ints, values: Floats, g: int) -> Floats:
    """Add up the values of each group, in record order and with Neumaier's compensation.

    >>> sum_by_group(np.array([0, 0, 1, 0]), np.array([1e100, 1.0, 5.0, -1e100]), g=2)
    array([1., 5.])
    """
    ids, values = frozen(ids, np.int64), frozen(values, np.float64)
    _check_numbers("ids", ids, values.size, 0, g)
    totals = np.zeros(g)
    _add_by_group(ids, values, totals, np.zeros(g))
    return totals


def warm_up() -> None:
    """Compile the kernels of this module."""
    ids = np.array([0, 1, 0])
    count_codes_per_group(ids, ids, 2, 2)
    count_codes_per_group(np.zeros(SMALL + 1, np.int64), np.zeros(SMALL + 1, np.int64), 1, 1)
    add_counts_per_group(ids, ids, ids, 2)
    sum_by_group(ids, np.ones(3), 2)


def _check_numbers(name: str, numbers: Ints, size: int, low: int, stop: int) -> None:
    """Refuse numbers that would make a kernel write outside its arrays."""
    if numbers.shape != (size,):
        raise ValueError(f"`{name}` and what goes with it differ in length: {numbers.size}, {size}")
    if numbers.size and not (low <= numbers.min() and numbers.max() < stop):
        raise ValueError(
            f"`{name}` must lie in {low}..{stop - 1}; got {numbers.min()}..{numbers.max()}"
        )


@kernel
def _sort_codes(ids: Ints, codes: Ints, g: int, u: int) -> tuple[Ints, Places]:
    """Sort codes by group, then code; return the end of each group and the codes in order.

    A counting sort by code, then one by group, which keeps the order of the codes.
    """
    code_ends, ends = np.zeros(u + 1, dtype=np.int64), np.zeros(g, dtype=np.int64)
    for i in range(ids.size):
        code_ends[codes[i] + 1] += 1
        ends[ids[i]] += 1
    _to_starts(code_ends)
    _to_starts(ends)
    by_code = np.empty(ids.size, dtype=np.int32)
    for i in range(ids.size):
        by_code[code_ends[codes[i] + 1]] = ids[i]
        code_ends[codes[i] + 1] += 1  # each start moves on until it has become the end
    ordered = np.empty(ids.size, dtype=np.int32)
    code = -1
    for i in range(ids.size):
        while code_ends[code + 1] <= i:
            code += 1
        ordered[ends[by_code[i]]] = code
        ends[by_code[i]] += 1
    return ends, ordered


@kernel
def _sort_codes_of_small(ids: Ints, codes: Ints, g: int) -> tuple[Ints, Places]:
    """Do as `_sort_codes`: a counting sort by group, then each group by itself.

    Groups come in the order of their first records, so that a small group is near at hand.
    """
    ends = np.zeros(g, dtype=np.int64)
    for i in range(ids.size):
        ends[ids[i]] += 1
    _to_starts(ends)
    ordered = np.empty(ids.size, dtype=np.int32)
    for i in range(ids.size):
        ordered[ends[ids[i]]] = codes[i]
        ends[ids[i]] += 1
    for group in range(g):
        start = ends[group - 1] if group else 0
        if ends[group] - start > 1:
            ordered[start : ends[group]].sort()
    return ends, ordered


@kernel
def _sort_places(ids: Ints, codes: Ints, g: int, u: int) -> tuple[Ints, Places]:
    """Sort places by group, then code; return the end of each group and the places in order."""
    code_ends, ends = np.zeros(u, dtype=np.int64), np.zeros(g, dtype=np.int64)
    for i in range(ids.size):
        code_ends[codes[i]] += 1
        ends[ids[i]] += 1
    _to_starts(code_ends)
    _to_starts(ends)
    by_code = np.empty(ids.size, dtype=np.int32)
    for i in range(ids.size):
        by_code[code_ends[codes[i]]] = i
        code_ends[codes[i]] += 1
    order = np.empty(ids.size, dtype=np.int32)
    for place in by_code:
        order[ends[ids[place]]] = place
        ends[ids[place]] += 1
    return ends, order


@kernel
def _add_runs(ends: Ints, order: Places, codes: Ints, counts: Ints, into: CodeCounts) -> int:
    """Add up the counts of each run of one code in one group; return how many runs there are.

    Into room for none, they are only counted.
    """
    run, start = -1, 0
    for g in range(ends.size):
        for i in range(start, ends[g]):
            if i == start or codes[order[i]] != codes[order[i - 1]]:
                run += 1
                if into.codes.size:
                    into.groups[run], into.codes[run], into.counts[run] = g, codes[order[i]], 0
            if into.codes.size:
                into.counts[run] += counts[order[i]]
        start = ends[g]
    return run + 1


@kernel
def _to_starts(sizes: Ints) -> None:
    """Replace sizes by the place where each part starts."""
    start = 0
    for i in range(sizes.size):
        sizes[i], start = start, start + sizes[i]


@kernel
def _count_runs(ends: Ints, ordered: Places) -> int:
    """Count the runs of one code in one group."""
    runs, start = 0, 0
    for end in ends:
        for i in range(start, end):
            runs += i == start or ordered[i] != ordered[i - 1]
        start = end
    return runs


@kernel
def _list_runs(ends: Ints, ordered: Places, into: CodeCounts) -> None:
    """List the runs of one code in one group with their lengths."""
    run, start = -1, 0
    for g in range(ends.size):
        for i in range(start, ends[g]):
            if i == start or ordered[i] != ordered[i - 1]:
                run += 1
                into.groups[run], into.codes[run], into.counts[run] = g, ordered[i], 0
            into.counts[run] += 1
        start = ends[g]


@kernel
def _add_by_group(ids: Ints, values: Floats, totals: Floats, errors: Floats) -> None:
    """Add values to the totals, what rounding loses to the errors, and those at the end."""
    for i in range(ids.size):
        at, value = ids[i], values[i]
        total = totals[at] + value
        if abs(totals[at]) >= abs(value):
            errors[at] += (totals[at] - total) + value
        else:
            errors[at] += (value - total) + totals[at]
        totals[at] = total
    for at in range(totals.size):
        if np.isfinite(totals[at]):  # an infinite or undefined total is its own answer
            totals[at] += errors[at]
