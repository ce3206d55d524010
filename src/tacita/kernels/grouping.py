"""Which records share a combination of codes: the count that disclosure control rests on.

A record's combination is packed into one 64-bit key, each column a digit of a mixed-radix number,
so that equal keys are equal combinations. Where the columns do not fit, the key is a hash, and
every record is compared with the first of its group: nothing rests on a hash alone. Keys from a
small space number their groups through a table; other keys go through a hash table that fits the
cache: one when groups are few, one for each partition of the hashes when they are many. Whatever
the way and the number of threads, groups are numbered in the order in which records show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import cut, frozen, kernel, spread, thread_count

Column = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]

KEY_SPACE = 2**64
MOST_RECORDS = 2**31 - 1  # record numbers are kept in 32 bits: half the memory traffic
BLOCK = 2**17  # records packed at a time: enough to hide the call, few enough to stay in the cache
FEW = 2**16  # groups up to which one hash table for all is the faster way
NARROW = 2**12  # radix below which renumbering a column gains too little to pay
NO_MASK: Mask = frozen(np.empty(0, dtype=np.bool_))
MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)
HALF = np.uint64(32)
ONE = np.uint64(1)


class Groups(NamedTuple):
    """Records gathered by their combination of codes."""

    ids: Ints  # for each record: the number of its group
    first: Ints  # for each group: the number of its first record
    counts: Ints  # for each group: how many records it has


class Digit(NamedTuple):
    """A column as one digit of the key: value ``low + d`` is digit ``d``."""

    values: Column
    valid: Mask  # empty when nothing is blank; else a blank is digit 0 and ``low`` is no value
    low: int
    radix: int


# -- the public functions -------------------------------------------------------------------------


def group(
    columns: Sequence[Column],
    valid: Sequence[Mask | None] | None = None,
    *,
    records: int | None = None,
    threads: int | None = None,
) -> Groups:
    """Gather the records that agree in every column; a blank agrees with a blank only.

    >>> group([np.array([7, 7, -1, 7]), np.array([0, 1, 0, 0])])
    Groups(ids=array([0, 1, 2, 0]), first=array([0, 1, 2]), counts=array([2, 1, 1]))

    Args:
        columns: integer or boolean arrays of one length.
        valid: for each column a mask that is False where the value is blank, or None.
        records: the number of records; needed only when there are no columns (all are one group).
        threads: at most so many; by default as numba is set. The result does not depend on it.
    """
    size = _number_of_records(columns, records)
    workers = thread_count(threads, size, BLOCK)
    masks = valid if valid is not None else [None] * len(columns)
    pairs = list(zip(columns, masks, strict=True))
    digits = spread(lambda pair: _digit(*pair), pairs, workers)
    groups = _group_digits(digits, size, workers)
    if _reach(digits) == len(digits) or _agree(digits, groups, workers):
        return groups
    # Two combinations have one hash, a chance of 2^-64 for each pair: make keys without hashing.
    return _group_digits(_fit(digits, size, workers), size, workers)


def factorize(values: Column, valid: Mask | None = None) -> tuple[Ints, Ints]:
    """Give the distinct values of a column codes, in order of first appearance; a blank gets -1.

    Returns the code of each record and, for each code, the number of the first record that has it.

    >>> factorize(np.array([5, 3, 5, 3]), np.array([True, True, True, False]))
    (array([ 0,  1,  0, -1]), array([0, 1]))
    """
    ids, first, _ = group([values], [valid])
    if valid is None:
        return ids, first
    blank = np.flatnonzero(~np.asarray(valid)[first])
    if blank.size == 0:
        return ids, first
    codes = np.arange(first.size, dtype=np.int64)
    codes[blank[0] :] -= 1
    codes[blank[0]] = -1
    return codes[ids], np.delete(first, blank[0])


def warm_up() -> None:
    """Compile the kernels of this module for every type they meet."""
    mask, limits = np.array([True, False, True]), np.iinfo(np.int64)
    wide = np.array([limits.min, 0, limits.max])  # two of them fit no key: records are compared
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32):
        column = np.array([1, 0, 1], dtype=dtype)
        group([column, column, wide, wide], [None, mask, None, None])
    group([mask])
    spaced = np.arange(2 * FEW, dtype=np.int64) << 40
    group([spaced])


# -- columns to digits ----------------------------------------------------------------------------


def _number_of_records(columns: Sequence[Column], records: int | None) -> int:
    """Find the one length that all columns have."""
    sizes = {column.size for column in columns} | ({records} if records is not None else set())
    if len(sizes) != 1 or any(column.ndim != 1 for column in columns):
        raise ValueError(f"columns must be flat and of one length; got lengths {sorted(sizes)}")
    size = sizes.pop()
    if size > MOST_RECORDS:
        raise ValueError(f"at most {MOST_RECORDS} records can be grouped in memory; got {size}")
    return size


def _digit(column: Column, valid: Mask | None) -> Digit:
    """Find the values a column takes, from the lowest to the highest."""
    values = _integers(column)
    mask = NO_MASK if valid is None else frozen(valid, np.bool_)
    if valid is not None and mask.shape != values.shape:
        raise ValueError(f"a mask must be as long as its column; got {mask.size} and {values.size}")
    low, high, blanks = _extent(values, mask)
    if not blanks:
        return Digit(values, NO_MASK, low, max(high - low + 1, 1))
    if low > high:
        return Digit(values, mask, 0, 1)
    if high - low + 2 <= KEY_SPACE:
        return Digit(values, mask, low - 1, high - low + 2)
    # All of the 64-bit range and blanks beside: one digit too many for a key, so number the values.
    return _digit(group([values]).ids, mask)


def _integers(column: Column) -> Column:
    """See a column as one of the seven types that kernels are compiled for."""
    if column.dtype.kind not in "iub":
        raise TypeError(f"columns must hold integers or booleans; got {column.dtype}")
    values: Column = frozen(column)
    if values.dtype == np.bool_:
        return values.view(np.uint8)
    # Any one-to-one map of values will do, and uint64 as int64 is one.
    return values.view(np.int64) if values.dtype == np.uint64 else values


@kernel
def _extent(values: Column, valid: Mask) -> tuple[int, int, bool]:
    """Find the lowest and highest value that is not blank, and whether any is blank."""
    # No branches, and bounds of the column's own type: many values are then compared at once.
    kind, limits = values.dtype.type, np.iinfo(values.dtype)
    top, bottom = kind(limits.max), kind(limits.min)
    low, high, known = top, bottom, 0
    if valid.size == 0:
        for value in values:
            low, high = min(low, value), max(high, value)
    for i in range(valid.size):
        low = min(low, values[i] if valid[i] else top)
        high = max(high, values[i] if valid[i] else bottom)
        known += valid[i]
    return int(low), int(high), known < valid.size


# -- digits to keys -------------------------------------------------------------------------------


def _fit(digits: list[Digit], size: int, workers: int) -> list[Digit]:
    """Replace digits by group numbers until all of them fit into one key."""
    # Renumber single wide columns first, the widest first: their values are usually few.
    for at in sorted(range(len(digits)), key=lambda at: -digits[at].radix):
        if prod(digit.radix for digit in digits) <= KEY_SPACE or digits[at].radix <= NARROW:
            break
        digits[at] = _merged([digits[at]], size, workers)
    # Then gather by as many leading columns as fit. Two always do: group numbers have 31 bits.
    while (reach := _reach(digits)) < len(digits):
        digits = [_merged(digits[:reach], size, workers), *digits[reach:]]
    return digits


def _reach(digits: list[Digit]) -> int:
    """Count the leading digits that fit into one key."""
    spaces = accumulate((digit.radix for digit in digits), int.__mul__)
    return sum(space <= KEY_SPACE for space in spaces)


def _merged(digits: list[Digit], size: int, workers: int) -> Digit:
    """Make one digit of several: the number of the group that a record falls into."""
    groups = _group_digits(digits, size, workers)
    return Digit(frozen(groups.ids), NO_MASK, 0, max(groups.first.size, 1))


def _pack(digits: Sequence[Digit], size: int, workers: int) -> Keys:
    """Write the digits of each record as one number; where they do not fit, hash and go on."""
    keys = np.empty(size, dtype=np.uint64)

    def pack_block(start: int) -> None:
        block, space = slice(start, start + BLOCK), 1
        keys[block] = 0
        for digit in digits:
            if space * digit.radix > KEY_SPACE:
                _scramble(keys[block])
                space = 1
            low, scale = np.uint64(digit.low % KEY_SPACE), np.uint64(space % KEY_SPACE)
            _add_digit(keys[block], digit.values[block], digit.valid[block], low, scale)
            space *= digit.radix

    spread(pack_block, range(0, size, BLOCK), workers)
    return keys


@kernel
def _add_digit(keys: Keys, values: Column, valid: Mask, low: np.uint64, scale: np.uint64) -> None:
    """Add a digit to each key. Arithmetic is modulo 2^64, so no value is too extreme."""
    if valid.size == 0:
        for i in range(keys.size):
            keys[i] += (np.uint64(values[i]) - low) * scale
    for i in range(valid.size):
        keys[i] += (np.uint64(values[i]) - low) * scale if valid[i] else np.uint64(0)


@kernel
def _mix(key: np.uint64) -> np.uint64:
    """Scatter a key over all 64 bits; one-to-one, so equal hashes are equal keys."""
    key = (key ^ (key >> HALF)) * MULTIPLIER
    key = (key ^ (key >> HALF)) * MULTIPLIER
    return key ^ (key >> HALF)


@kernel
def _scramble(keys: Keys) -> None:
    """Replace keys by their hashes."""
    for i in range(keys.size):
        keys[i] = _mix(keys[i])


def _agree(digits: Sequence[Digit], groups: Groups, workers: int) -> bool:
    """Tell whether each record has the combination of the first record of its group."""
    ids, first = frozen(groups.ids, np.int64), frozen(groups.first, np.int64)
    return all(spread(lambda d: _is_constant(d.values, d.valid, ids, first), digits, workers))


@kernel
def _is_constant(values: Column, valid: Mask, ids: Ints, first: Ints) -> bool:
    """Tell whether a column has one value, or only blanks, in each group."""
    same = True
    for i in range(ids.size):
        opener = first[ids[i]]
        if valid.size == 0:
            same &= values[i] == values[opener]
        else:
            same &= valid[i] == valid[opener] and (not valid[i] or values[i] == values[opener])
    return same


# -- keys to groups -------------------------------------------------------------------------------


def _group_digits(digits: Sequence[Digit], size: int, workers: int) -> Groups:
    """Gather records by the keys of their digits, in the way that suits the number of keys."""
    space = prod(digit.radix for digit in digits)
    keys = _pack(digits, size, workers)
    if space <= max(2 * size, NARROW):
        return _group_by_table(keys, space)
    return _group_few(keys) or _group_many(keys, workers)


def _group_by_table(keys: Keys, space: int) -> Groups:
    """Gather by keys below ``space``, each with its place in a table."""
    table = np.full(space, -1, dtype=np.int32)
    # Each key is read just before the number of its group is written over it.
    into = Groups(keys.view(np.int64), *_empty_pair(min(space, keys.size)))
    return _shortened(into, _number_by_table(keys, table, into))


def _empty_pair(size: int) -> tuple[Ints, Ints]:
    """Make room for what is known of each group."""
    return np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)


def _shortened(groups: Groups, found: int) -> Groups:
    """Give back the room for groups that were not found."""
    return Groups(groups.ids, groups.first[:found].copy(), groups.counts[:found].copy())


@kernel
def _number_by_table(keys: Keys, table: Places, into: Groups) -> int:
    """Write the groups found through a table of the group of each key; return how many."""
    found = 0
    for i in range(keys.size):
        key = keys[i]
        if table[key] < 0:
            table[key], into.first[found], into.counts[found] = found, i, 0
            found += 1
        into.ids[i] = table[key]
        into.counts[table[key]] += 1
    return found


def _group_few(keys: Keys) -> Groups | None:
    """Gather with one hash table; None when there are too many groups for it."""
    most = min(keys.size, FEW)
    slots = np.full(1 << _slot_bits(most), -1, dtype=np.int32)
    into = Groups(np.empty(keys.size, dtype=np.int64), *_empty_pair(most))
    found = _number_few(keys, slots, np.empty(most, dtype=np.uint64), into)
    return None if found < 0 else _shortened(into, found)


@kernel
def _slot_bits(entries: int) -> int:
    """Choose a table at most a quarter full: long probes cost more than the room."""
    bits = 2
    while 1 << bits < 4 * entries:
        bits += 1
    return bits


@kernel
def _probe(slots: Places, seen: Keys, wanted: np.uint64) -> np.uint64:
    """Find the slot whose entry in ``seen`` is the wanted hash, or the free slot for it."""
    last = np.uint64(slots.size - 1)
    at = wanted & last
    while slots[at] >= 0 and seen[slots[at]] != wanted:
        at = (at + ONE) & last
    return at


@kernel
def _number_few(keys: Keys, slots: Places, seen: Keys, into: Groups) -> int:
    """Write the groups found through a hash table; return how many, -1 when it holds no more."""
    found = 0
    for i in range(keys.size):
        hashed = _mix(keys[i])
        at = _probe(slots, seen, hashed)
        if slots[at] < 0:
            if found == seen.size:
                return -1
            slots[at], seen[found], into.first[found], into.counts[found] = found, hashed, i, 0
            found += 1
        into.ids[i] = slots[at]
        into.counts[slots[at]] += 1
    return found


# -- many groups: partitions of the hashes, each with a table that stays in the cache


class Sorted(NamedTuple):
    """Hashes and the numbers of their records, sorted by the leading bits of the hash."""

    hashes: Keys
    places: Places


def _group_many(keys: Keys, workers: int) -> Groups:
    """Gather by partitions of the hashes, so small that the table of each stays in the cache."""
    marks = _marks(keys, workers)
    return _number_by_marks(marks, keys.view(np.int64), workers)


def _marks(keys: Keys, workers: int) -> Places:
    """Mark each record that opens a group with minus the group's size, others with its opener."""
    parts = 1 << _partition_bits(keys.size)
    rows, edges = _partition(keys, parts, workers)
    marks = np.full(keys.size, -1, dtype=np.int32)  # each record a group of itself until matched

    def match(part: slice) -> None:
        _match(rows, edges[part.start : part.stop + 1], marks)

    # More tasks than workers: the partition of a large group takes longer than the others.
    spread(match, cut(parts, min(parts, 8 * workers)), workers)
    return marks


def _partition_bits(size: int) -> int:
    """Aim at 2^12 records a partition, but at no more partitions than a core writes to at speed."""
    return min(max(size.bit_length() - 12, 1), 8)


def _partition(keys: Keys, parts: int, workers: int) -> tuple[Sorted, Ints]:
    """Sort hashes by partition, in record order within; return also where each partition starts."""
    cuts, shift = cut(keys.size, workers), np.uint64(65 - parts.bit_length())
    sizes = np.zeros((workers, parts), dtype=np.int64)
    jobs = range(workers)
    spread(lambda job: _hash_in_place(keys[cuts[job]], shift, sizes[job]), jobs, workers)
    # Each worker writes its records of a partition behind those of the workers before it.
    ends = sizes.T.cumsum().reshape(parts, workers)
    nexts = np.ascontiguousarray((ends - sizes.T).T)
    into = Sorted(np.empty(keys.size, dtype=np.uint64), np.empty(keys.size, dtype=np.int32))
    spread(
        lambda job: _scatter(keys[cuts[job]], cuts[job].start, shift, nexts[job], into),
        jobs,
        workers,
    )
    return into, np.concatenate(([0], ends[:, -1]))


@kernel
def _hash_in_place(keys: Keys, shift: np.uint64, sizes: Ints) -> None:
    """Replace keys by their hashes and count the hashes of each partition."""
    for i in range(keys.size):
        keys[i] = _mix(keys[i])
        sizes[keys[i] >> shift] += 1


@kernel
def _scatter(hashes: Keys, start: int, shift: np.uint64, nexts: Ints, into: Sorted) -> None:
    """Write hashes and the numbers of their records, from ``start`` on, to their partitions."""
    for i in range(hashes.size):
        at = nexts[hashes[i] >> shift]
        nexts[hashes[i] >> shift] = at + 1
        into.hashes[at], into.places[at] = hashes[i], start + i


@kernel
def _match(rows: Sorted, edges: Ints, marks: Places) -> None:
    """Mark the records of each partition between the edges."""
    room = np.empty(FEW, dtype=np.int32)
    for part in range(edges.size - 1):
        own = slice(edges[part], edges[part + 1])
        room = _match_partition(Sorted(rows.hashes[own], rows.places[own]), room, marks)


@kernel
def _match_partition(rows: Sorted, room: Places, marks: Places) -> Places:
    """Mark the records of one partition; return the room for tables, enlarged if need be."""
    slots = room[: min(1 << _slot_bits(rows.hashes.size), room.size)]
    slots[:] = -1
    done = _match_until_full(rows, 0, slots, slots.size // 2, marks)
    while done < rows.hashes.size:
        slots = room = _grown(slots, rows.hashes)
        done = _match_until_full(rows, done, slots, slots.size // 4, marks)
    return room


@kernel
def _match_until_full(rows: Sorted, start: int, slots: Places, free: int, marks: Places) -> int:
    """Mark records until ``free`` slots are taken; return the row to go on with.

    A loop that could also exchange its table would take nearly three times as long.
    """
    hashes, places = rows.hashes, rows.places
    for i in range(start, hashes.size):
        at = _probe(slots, hashes, hashes[i])
        if slots[at] >= 0:
            opener = places[slots[at]]
            marks[opener] -= 1
            marks[places[i]] = opener
        elif free == 0:
            return i
        else:
            slots[at] = i
            free -= 1
    return int(hashes.size)


@kernel
def _grown(slots: Places, seen: Keys) -> Places:
    """Move the entries of a hash table into one four times as large."""
    larger = np.full(4 * slots.size, -1, dtype=np.int32)
    for entry in slots:
        if entry >= 0:
            larger[_probe(larger, seen, seen[entry])] = entry
    return larger


def _number_by_marks(marks: Places, ids: Ints, workers: int) -> Groups:
    """Give the groups numbers in the order of their openers, all workers at once."""
    cuts = cut(marks.size, workers)
    opened = spread(lambda part: int(np.count_nonzero(marks[part] < 0)), cuts, workers)
    *found, total = accumulate(opened, initial=0)
    into = Groups(ids, *_empty_pair(total))
    jobs = list(zip(cuts, found, strict=True))
    spread(lambda job: _open_groups(marks, job[0].start, job[0].stop, job[1], into), jobs, workers)
    spread(lambda part: _follow(marks, part.start, part.stop, ids), cuts, workers)
    return into


@kernel
def _open_groups(marks: Places, start: int, stop: int, found: int, into: Groups) -> None:
    """Write the groups that open between two records, the first of them number ``found``."""
    for i in range(start, stop):
        if marks[i] < 0:
            into.ids[i], into.first[found], into.counts[found] = found, i, -marks[i]
            found += 1


@kernel
def _follow(marks: Places, start: int, stop: int, ids: Ints) -> None:
    """Give every other record the number of the group its first record opened."""
    for i in range(start, stop):
        if marks[i] >= 0:
            ids[i] = ids[marks[i]]
