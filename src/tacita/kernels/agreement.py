"""How rows of one table agree with rows of another, column by column, without listing the pairs.

A value of a column is a code; the codes of all columns stand one after another, so that one array
holds a number for each code of each column. Two codes of a column are equal, near (the second lies
in one of the first one's stretches of codes), or neither; a column's blank code is compared with
nothing. What a pair adds up to is the sum, over its columns, of a value for the level reached.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel, spread, thread_count

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Arrays = TypeVar("Arrays", bound=tuple[npt.NDArray[Any], ...])

BLANK, APART, NEAR, EQUAL = range(4)
BITS = 2  # of a pattern for each column
MOST_COLUMNS = 31
GRAIN = 2**24  # pairs compared at a time; fixed, so that threads do not change the order of results
ROOM = 2**21  # patterns listed at a time


class Codes(NamedTuple):
    """The codes of all columns: where each column's blank is, and what each code is near to."""

    blanks: Ints  # the last code of each column
    starts: Ints  # of the stretches of each code
    lows: Places
    highs: Places


class Rows(NamedTuple):
    """Rows of one table and, for each, numbers of groups that were compared before."""

    codes: Places  # rows by columns
    earlier: Ints  # rows by groupings; -1 for none


class Spans(NamedTuple):
    """For each row, the rows of the other table that it is compared with."""

    begins: Ints
    ends: Ints


class Tally(NamedTuple):
    """The sums that each row's pairs add up to, and how many pairs there are of each."""

    starts: Ints
    sums: Ints
    counts: Ints


def pattern_values(columns: int) -> Ints:
    """Return the values with which a sum tells the level of every column.

    >>> pattern_values(2).tolist()
    [[0, 1, 2, 3], [0, 4, 8, 12]]
    """
    return np.arange(4)[None, :] << (BITS * np.arange(columns))[:, None]


def levels_of(patterns: Ints, columns: int) -> npt.NDArray[np.int64]:
    """Return the level of every column in some patterns.

    >>> levels_of(np.array([13]), 2).tolist()
    [[1, 3]]
    """
    return (patterns[:, None] >> (BITS * np.arange(columns))) & 3


def tally(
    rows: Rows,
    spans: Spans,
    others: Rows,
    sizes: Ints,
    codes: Codes,
    values: Ints,
    *,
    threads: int | None = None,
) -> Tally:
    """Add up every pair of a row and one in its span, and count equal sums row by row.

    Pairs that share an earlier group are passed over. The sums of a row come in the order in which
    they are first met.

    Args:
        rows: the rows to compare.
        spans: the others that each is compared with.
        others: the rows they are compared with.
        sizes: how often each of the others counts.
        codes: the codes of all columns.
        values: what each level of each column adds.
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    pairs = spans.ends - spans.begins
    room = np.minimum(pairs, 4 ** min(values.shape[0], 16))
    cuts = _cuts(pairs, room)
    given = (_frozen(rows), _frozen(others), frozen(sizes, np.int64), _frozen(codes))

    def part(cut: tuple[int, int]) -> Tally:
        mine = slice(*cut)
        into = Tally(np.empty(cut[1] - cut[0] + 1, np.int64), *np.empty((2, room[mine].sum()), int))
        slots = np.full(2 ** int(2 * room[mine].max(initial=1)).bit_length(), -1, np.int64)
        found = _tally(*given, _frozen(spans), frozen(values), cut[0], slots, into)
        return Tally(into.starts, into.sums[:found].copy(), into.counts[:found].copy())

    workers = thread_count(threads, int(pairs.sum()), GRAIN)
    return _joined(spread(part, cuts, workers))


def sums_of_pairs(ones: Places, others: Places, codes: Codes, values: Ints) -> Ints:
    """Add up as many pairs as there are rows: the first with the first, and so on."""
    sums = np.empty(len(ones), np.int64)
    _add_pairs(
        frozen(ones, np.int32), frozen(others, np.int32), _frozen(codes), frozen(values), sums
    )
    return sums


def pairs_from(
    rows: Rows, spans: Spans, others: Rows, codes: Codes, values: Ints, least: int
) -> tuple[Ints, Ints, Ints]:
    """List the pairs that add up to a number or more: row, other, sum."""

    def found(into: Ints) -> int:
        given = (_frozen(rows), _frozen(others), _frozen(codes), _frozen(spans))
        return _list_pairs(*given, frozen(values), least, into)

    listed = np.empty((3, found(np.empty((3, 0), np.int64))), np.int64)
    found(listed)
    return listed[0], listed[1], listed[2]


def assign(ones: Ints, others: Ints, left: Ints, right: Ints) -> Ints:
    """Give units of one side to units of the other, pair by pair, while both have some left.

    >>> assign(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([2, 1]), np.array([1, 1]))
    array([1, 1, 0])

    Args:
        ones: the first of each pair, in the order in which pairs are served.
        others: the second of each pair.
        left: how many units each first one has.
        right: how many units each second one has.
    """
    given = np.empty(len(ones), np.int64)
    _assign(frozen(ones), frozen(others), left.astype(np.int64), right.astype(np.int64), given)
    return given


def warm_up() -> None:
    """Compile the kernels of this module."""
    one = np.array([0], np.int32)
    codes = Codes(np.array([2]), np.array([0, 1, 1, 1]), one, one + 1)
    rows = Rows(np.array([[0], [2]], np.int32), np.full((2, 0), -1))
    spans = Spans(np.array([0, 0]), np.array([2, 2]))
    values = pattern_values(1)
    tally(rows, spans, rows, np.ones(2, int), codes, values)
    sums_of_pairs(rows.codes, rows.codes, codes, values)
    pairs_from(rows, spans, rows, codes, values, 0)
    assign(np.array([0]), np.array([0]), np.array([1]), np.array([1]))


def _frozen(arrays: Arrays) -> Arrays:
    return type(arrays)(*(frozen(array) for array in arrays))


def _cuts(pairs: Ints, room: Ints) -> list[tuple[int, int]]:
    """Cut rows into runs that have about so many pairs, and room for so many sums, in all."""
    if not len(pairs):
        return []
    filled = np.cumsum(np.maximum(pairs / GRAIN, room / ROOM)).astype(np.int64)
    edges = [0, *(np.flatnonzero(np.diff(filled)) + 1).tolist(), len(pairs)]
    return list(pairwise(edges))


def _joined(parts: list[Tally]) -> Tally:
    """Put runs of rows behind one another."""
    ends = np.cumsum([0, *(len(part.sums) for part in parts)])
    starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return Tally(
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([np.empty(0, np.int64), *(part.sums for part in parts)]),
        np.concatenate([np.empty(0, np.int64), *(part.counts for part in parts)]),
    )


@kernel
def _level(one: int, other: int, blank: int, codes: Codes) -> int:
    """Return how two codes of a column agree."""
    if one == blank or other == blank:  # noqa: PLR1714 - numba compiles this to two comparisons
        return BLANK
    if one == other:
        return EQUAL
    for k in range(codes.starts[one], codes.starts[one + 1]):
        if codes.lows[k] <= other < codes.highs[k]:
            return NEAR
    return APART


@kernel
def _add_pairs(ones: Places, others: Places, codes: Codes, values: Ints, sums: Ints) -> None:
    for i in range(ones.shape[0]):
        sums[i] = 0
        for c in range(ones.shape[1]):
            sums[i] += values[c, _level(ones[i, c], others[i, c], codes.blanks[c], codes)]


@kernel
def _laid_out(codes: Codes, values: Ints) -> Ints:
    """Return what each code adds to a pair whose first row is far from it in every column."""
    line = np.empty(codes.starts.size - 1, np.int64)
    begun = 0
    for c in range(codes.blanks.size):
        line[begun : codes.blanks[c]] = values[c, APART]
        line[codes.blanks[c]] = values[c, BLANK]
        begun = codes.blanks[c] + 1
    return line


@kernel
def _lay(line: Ints, row: Places, codes: Codes, values: Ints, near: int, equal: int) -> None:
    """Write into the line what the codes near and equal to a row's add."""
    for c in range(row.size):
        code = row[c]
        if code == codes.blanks[c]:
            continue
        for k in range(codes.starts[code], codes.starts[code + 1]):
            line[codes.lows[k] : codes.highs[k]] = values[c, near]
        line[code] = values[c, equal]


@kernel
def _told(row: Places, blanks: Ints, columns: Ints) -> int:
    """List the columns in which a row has a value; return how many they are."""
    found = 0
    for c in range(row.size):
        if row[c] != blanks[c]:
            columns[found] = c
            found += 1
    return found


@kernel
def _met_before(rows: Rows, others: Rows, i: int, j: int) -> bool:
    """Tell whether two rows were compared before."""
    for k in range(rows.earlier.shape[1]):
        if rows.earlier[i, k] >= 0 and rows.earlier[i, k] == others.earlier[j, k]:
            return True
    return False


@kernel
def _total(line: Ints, others: Rows, j: int, columns: Ints, there: int) -> int:
    """Add up what another row's codes stand for in the line."""
    total = 0
    for k in range(there):
        total += line[others.codes[j, columns[k]]]
    return total


@kernel
def _slot(slots: Ints, sums: Ints, wanted: int) -> np.int64:
    """Find the slot of a sum or, if it was not met, the one that it belongs in."""
    last = slots.size - 1
    # The golden ratio spreads patterns that differ in few bits (Knuth, vol. 3, 6.4).
    mixed = np.uint64(wanted) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64((mixed >> np.uint64(32)) & np.uint64(last))
    while slots[slot] >= 0 and sums[slots[slot]] != wanted:
        slot = (slot + 1) & last
    return slot


@kernel
def _tally(
    rows: Rows,
    others: Rows,
    sizes: Ints,
    codes: Codes,
    spans: Spans,
    values: Ints,
    begin: int,
    slots: Ints,
    into: Tally,
) -> int:
    """Count the sums of the rows from a first one on, as many as there are starts."""
    line = _laid_out(codes, values)
    columns = np.empty(rows.codes.shape[1], np.int64)
    used = np.empty(slots.size // 2 + 1, np.int64)
    found = 0
    for r in range(into.starts.size - 1):
        i, begun = begin + r, found
        into.starts[r] = begun
        _lay(line, rows.codes[i], codes, values, NEAR, EQUAL)
        there = _told(rows.codes[i], codes.blanks, columns)
        for j in range(spans.begins[i], spans.ends[i]):
            if _met_before(rows, others, i, j):
                continue
            total = _total(line, others, j, columns, there)
            slot = _slot(slots, into.sums, total)
            if slots[slot] < 0:
                slots[slot], used[found - begun] = found, slot
                into.sums[found], into.counts[found] = total, 0
                found += 1
            into.counts[slots[slot]] += sizes[j]
        _lay(line, rows.codes[i], codes, values, APART, APART)
        for k in range(found - begun):
            slots[used[k]] = -1
    into.starts[into.starts.size - 1] = found
    return found


@kernel
def _list_pairs(
    rows: Rows, others: Rows, codes: Codes, spans: Spans, values: Ints, least: int, into: Ints
) -> int:
    """List the pairs that add up to enough, as far as there is room; return how many there are."""
    line = _laid_out(codes, values)
    columns = np.empty(rows.codes.shape[1], np.int64)
    found = 0
    for i in range(rows.codes.shape[0]):
        _lay(line, rows.codes[i], codes, values, NEAR, EQUAL)
        there = _told(rows.codes[i], codes.blanks, columns)
        for j in range(spans.begins[i], spans.ends[i]):
            total = _total(line, others, j, columns, there)
            if total < least or _met_before(rows, others, i, j):
                continue
            if found < into.shape[1]:
                into[0, found], into[1, found], into[2, found] = i, j, total
            found += 1
        _lay(line, rows.codes[i], codes, values, APART, APART)
    return found


@kernel
def _assign(ones: Ints, others: Ints, left: Ints, right: Ints, given: Ints) -> None:
    for k in range(ones.size):
        units = min(left[ones[k]], right[others[k]])
        left[ones[k]] -= units
        right[others[k]] -= units
        given[k] = units
