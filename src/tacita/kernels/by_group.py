"""Sums and counts within groups of records that were numbered before."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]
Codes = npt.NDArray[np.integer[Any]]

SMALL = 8  # records a group, on average, up to which groups are sorted one by one


class CodeCounts(NamedTuple):
    """How often each code occurs in each group, sorted by group, then code."""

    ends: Ints  # for each group, where its codes end
    codes: Places
    counts: Ints

    @property
    def groups(self) -> Ints:
        """The group of each code."""
        return np.repeat(np.arange(self.ends.size), np.diff(self.ends, prepend=0))


def count_codes_per_group(ids: Ints, codes: Codes, g: int, u: int) -> CodeCounts:
    """Count each pair that occurs of a group below ``g`` and a code below ``u`` (-1 for blank).

    >>> found = count_codes_per_group(np.array([1, 0, 1, 1]), np.array([2, 0, -1, 2]), g=2, u=3)
    >>> found.groups, found.codes.tolist(), found.counts
    (array([0, 1, 1]), [0, -1, 2], array([1, 1, 2]))
    """
    ids = frozen(ids, np.int64)
    _check_numbers("ids", ids, codes.size, 0, g)
    _check_numbers("codes", codes, ids.size, -1, u)
    held = frozen(codes, np.int32)  # as many codes as there are records, at most
    if held.size > SMALL * g:
        ends, ordered = _sort_codes(ids, held, g, u)
    else:
        ends, ordered = _sort_codes_of_small(ids, held, g)
    counts = np.empty(ids.size, dtype=np.int64)
    return _shortened(ends, ordered, counts, _gather_runs(ends, ordered, counts))


def add_counts_per_group(ids: Ints, codes: Codes, counts: Ints, g: int) -> CodeCounts:
    """Add up the counts of each pair of a group below ``g`` and a code, 0 or more.

    >>> found = add_counts_per_group(
    ...     np.array([1, 0, 1]), np.array([2, 0, 2]), np.array([5, 1, 2]), g=2
    ... )
    >>> found.groups, found.codes.tolist(), found.counts
    (array([0, 1]), [0, 2], array([1, 7]))
    """
    ids, held, counts = (frozen(part, np.int64) for part in (ids, codes, counts))
    u = int(held.max(initial=-1)) + 1
    _check_numbers("ids", ids, held.size, 0, g)
    _check_numbers("codes", held, counts.size, 0, u)
    ends, order = _sort_places(ids, held, g, u)
    added = np.empty(ids.size, dtype=np.int64)
    return _shortened(ends, order, added, _add_runs(ends, order, held, counts, added))


def _shortened(ends: Ints, codes: Places, counts: Ints, pairs: int) -> CodeCounts:
    """Cut off the room that was not needed, and give it back where that is most of it."""
    if 2 * pairs < codes.size:
        return CodeCounts(ends, codes[:pairs].copy(), counts[:pairs].copy())
    return CodeCounts(ends, codes[:pairs], counts[:pairs])


def sum_by_code(codes: Codes, counts: Ints, u: int) -> Ints:
    """Add up the counts of each code from 0 to below ``u``.

    >>> sum_by_code(np.array([0, 2, 0]), np.array([5, 1, 2]), u=3)
    array([7, 0, 1])
    """
    _check_numbers("codes", codes, counts.size, 0, u)
    totals = np.zeros(u, np.int64)
    _add_by_code(frozen(codes, np.int32), frozen(counts, np.int64), totals)
    return totals


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
    sum_by_code(ids, ids, 2)
    sum_by_group(ids, np.ones(3), 2)


def _check_numbers(name: str, numbers: Codes, size: int, low: int, stop: int) -> None:
    """Refuse numbers that would make a kernel write outside its arrays."""
    if numbers.shape != (size,):
        raise ValueError(f"`{name}` and what goes with it differ in length: {numbers.size}, {size}")
    if numbers.size and not (low <= numbers.min() and numbers.max() < stop):
        raise ValueError(
            f"`{name}` must lie in {low}..{stop - 1}; got {numbers.min()}..{numbers.max()}"
        )


@kernel
def _sort_codes(ids: Ints, codes: Places, g: int, u: int) -> tuple[Ints, Places]:
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
def _sort_codes_of_small(ids: Ints, codes: Places, g: int) -> tuple[Ints, Places]:
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
        if ends[group] - start > SMALL:
            ordered[start : ends[group]].sort()
        else:
            _insert(ordered, start, ends[group])
    return ends, ordered


@kernel
def _insert(ordered: Places, start: int, end: int) -> None:
    """Sort a few codes: each moves ahead of the larger ones before it."""
    for i in range(start + 1, end):
        code, at = ordered[i], i
        while at > start and ordered[at - 1] > code:
            ordered[at] = ordered[at - 1]
            at -= 1
        ordered[at] = code


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
def _add_runs(ends: Ints, order: Places, codes: Ints, counts: Ints, added: Ints) -> int:
    """Add up the counts of each run of one code in one group; return how many runs there are.

    The codes of runs take the place of what was in order, the ends of runs that of the ends.
    """
    runs, start, last = 0, 0, 0
    for g in range(ends.size):
        for i in range(start, ends[g]):
            place = order[i]
            if i == start or codes[place] != last:
                last = codes[place]
                order[runs], added[runs] = last, 0
                runs += 1
            added[runs - 1] += counts[place]
        start, ends[g] = ends[g], runs
    return runs


@kernel
def _to_starts(sizes: Ints) -> None:
    """Replace sizes by the place where each part starts."""
    start = 0
    for i in range(sizes.size):
        sizes[i], start = start, start + sizes[i]


@kernel
def _gather_runs(ends: Ints, ordered: Places, counts: Ints) -> int:
    """Count the codes of each run of one code in one group; return how many runs there are.

    Runs take the place of the codes, their ends that of the ends: new room costs more than time.
    """
    runs, start, last = 0, 0, 0
    for g in range(ends.size):
        for i in range(start, ends[g]):
            if i == start or ordered[i] != last:
                last = ordered[i]
                ordered[runs], counts[runs] = last, 0
                runs += 1
            counts[runs - 1] += 1
        start, ends[g] = ends[g], runs
    return runs


@kernel
def _add_by_code(codes: Places, counts: Ints, totals: Ints) -> None:
    """Add counts to the total of their code."""
    for i in range(codes.size):
        totals[codes[i]] += counts[i]


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
