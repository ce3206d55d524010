"""Which smallest sets of columns tell a row from all others.

Sets of columns are visited depth first. A visit splits the parts of rows that still agree by one
column more: a row left alone is told apart by the set, and goes no further, because no larger set
that begins alike is minimal for it. Sets are visited in the order of their numbers (bit c stands
for column c), so every subset comes before the set, and the rows that its subsets tell apart are
known: for the others that it leaves alone the set is minimal. Nothing is hashed: parts are split by
counting codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import kernel
from tacita.kernels.grouping import group

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint64]

MOST_COLUMNS = 64  # a set is kept in the bits of one number
WORD = 64  # rows whose bits are kept in one number
ONE = np.uint64(1)


class UniqueSets(NamedTuple):
    """The minimal sets that tell rows apart, added up; bit c of a set stands for column c."""

    rows: Ints  # the rows that all columns together tell apart, in ascending order
    by_size: Places  # for each of these rows: its number of sets of 0, 1, 2, ... columns
    united: Bits  # for each of these rows: the columns that any of its sets holds
    sets: Bits  # every set that is minimal for some row
    counts: Ints  # for each of these sets: for how many rows


class Parts(NamedTuple):
    """Rows that agree in some columns, part after part, and where each part ends."""

    rows: Places
    ends: Places


class Room(NamedTuple):
    """What splitting a part needs for each code of a column; counts are 0 between parts."""

    counts: Places
    single: Places
    places: Places
    met: Places


def minimal_unique_sets(columns: Sequence[Ints], largest: int) -> UniqueSets:
    """Find, for every row, the sets of columns on which it is unique and on no subset of them.

    A blank (-1) is no value: no set that tells a row apart holds a column in which it is blank.

    >>> found = minimal_unique_sets([np.array([0, 0, 1]), np.array([0, 1, 0])], largest=2)
    >>> found.by_size.tolist(), found.united.tolist()
    ([[0, 0, 1], [0, 1, 0], [0, 1, 0]], [3, 2, 1])

    Args:
        columns: at most 64 arrays of one length, of codes from 0 on or -1.
        largest: the most columns in a set.
    """
    if len(columns) > MOST_COLUMNS:
        raise ValueError(f"at most {MOST_COLUMNS} columns can be searched; got {len(columns)}")
    groups = group(columns)
    unique, shared = groups.first[groups.counts == 1], groups.first[groups.counts > 1]
    # Rows that are equal in all columns are never unique: two of them stand for all.
    rows = np.concatenate([unique, shared, shared])
    codes = [np.ascontiguousarray(column[rows], np.int32) for column in columns]
    search = _Search(codes, len(unique), min(largest, len(columns)))
    whole = Parts(np.arange(len(rows), dtype=np.int32), np.array([len(rows)], np.int32))
    search.visit(whole, below=len(columns))
    return search.result(unique)


def warm_up() -> None:
    """Compile the kernels of this module."""
    minimal_unique_sets([np.array([0, 0, 1]), np.array([0, 1, 0])], 2)


class _Search:
    """A visit of the sets of columns; only the first ``unique`` rows can be told apart."""

    def __init__(self, codes: list[Places], unique: int, largest: int) -> None:
        radixes = [int(column.max(initial=-1)) + 1 for column in codes]
        # The column of most values has most sets below it: its parts are the smallest.
        self.order = sorted(range(len(codes)), key=lambda column: radixes[column])
        self.codes, self.unique, self.largest = codes, unique, largest
        self.room = Room(*(np.zeros(max(radixes, default=0), np.int32) for _ in Room._fields))
        self.alone = np.empty(unique, np.int32)
        self.levels = [_empty_parts(len(codes[0])) for _ in range(largest)]
        self.by_size = np.zeros((unique, largest + 1), np.int32)
        self.united = np.zeros(unique, np.uint64)
        self.counts: dict[int, int] = {}
        # For every set visited, one bit a row: whether the set tells it apart.
        self.told = {0: np.zeros(-(-unique // WORD), np.uint64)}

    def visit(self, parts: Parts, below: int, chosen: int = 0, size: int = 1) -> None:
        """Visit every set that adds to the chosen one columns from below a place in the order."""
        into = self.levels[size - 1]
        for place in range(below):
            codes, number = self.codes[self.order[place]], chosen | 1 << place
            kept, ended, alone = _split(parts, codes, self.unique, self.room, into, self.alone)
            self.note(self.alone[:alone], number, size)
            if kept and size < self.largest:
                self.visit(Parts(into.rows[:kept], into.ends[:ended]), place, number, size + 1)

    def note(self, alone: Places, number: int, size: int) -> None:
        """Keep a set for the rows it leaves alone and for which it is minimal."""
        told = self.told_by_subsets(number)
        count = _keep_minimal(alone, told, np.uint64(number), self.by_size[:, size], self.united)
        if count:
            self.counts[number] = count
        if size < self.largest:
            self.told[number] = told

    def told_by_subsets(self, number: int) -> Bits:
        """Tell which rows a set of one column less tells apart."""
        told = np.zeros_like(self.told[0])
        for place in range(number.bit_length()):
            if number >> place & 1:
                told |= self.told[self.visited(number ^ 1 << place)]
        return told

    def visited(self, number: int) -> int:
        """Return the set itself or, if no rows were left to visit it with, what it begins with."""
        while number not in self.told:
            number &= number - 1
        return number

    def result(self, rows: Ints) -> UniqueSets:
        """Return what was found, its bits in the order in which the columns were given."""
        sets = self.by_column(np.fromiter(self.counts, np.uint64, len(self.counts)))
        counts = np.fromiter(self.counts.values(), np.int64, len(self.counts))
        return UniqueSets(rows, self.by_size, self.by_column(self.united), sets, counts)

    def by_column(self, sets: Bits) -> Bits:
        """Turn bits of places in the order into bits of columns."""
        turned = np.zeros_like(sets)
        for place, column in enumerate(self.order):
            turned |= (sets >> np.uint64(place) & ONE) << np.uint64(column)
        return turned


def _empty_parts(rows: int) -> Parts:
    return Parts(np.empty(rows, np.int32), np.empty(rows, np.int32))


@kernel
def _split(
    parts: Parts, codes: Places, unique: int, room: Room, into: Parts, alone: Places
) -> tuple[int, int, int]:
    """Split parts by the codes of a column: rows left alone, and parts of two or more.

    Only parts with one of the first ``unique`` rows, and of the rows left alone only these, are
    written; blanks are left out. Returns how many rows and parts were kept and how many are alone.
    """
    kept, ended, single, start = 0, 0, 0, 0
    for end in parts.ends:
        rows = parts.rows[start:end]
        met = _count_codes(rows, codes, unique, room)
        for code in room.met[:met]:
            goes_on = room.counts[code] > 1 and room.single[code] > 0
            room.places[code] = kept if goes_on else -1
            if goes_on:
                kept += room.counts[code]
                into.ends[ended] = kept
                ended += 1
        for row in rows:
            code = codes[row]
            if code < 0:
                continue
            if room.places[code] >= 0:
                into.rows[room.places[code]] = row
                room.places[code] += 1
            elif room.counts[code] == 1 and row < unique:
                alone[single] = row
                single += 1
        for code in room.met[:met]:
            room.counts[code] = 0
        start = end
    return kept, ended, single


@kernel
def _count_codes(rows: Places, codes: Places, unique: int, room: Room) -> int:
    """Count the rows of each code, and the first ``unique`` among them; return the codes met."""
    met = 0
    for row in rows:
        code = codes[row]
        if code < 0:
            continue
        if room.counts[code] == 0:
            room.met[met], room.single[code] = code, 0
            met += 1
        room.counts[code] += 1
        room.single[code] += row < unique
    return met


@kernel
def _keep_minimal(alone: Places, told: Bits, number: np.uint64, sized: Places, united: Bits) -> int:
    """Count a set for the rows that no subset tells apart, and mark them; return how many."""
    kept = 0
    for row in alone:
        word, bit = row // WORD, ONE << np.uint64(row % WORD)
        if told[word] & bit == 0:
            told[word] |= bit
            sized[row] += 1
            united[row] |= number
            kept += 1
    return kept
