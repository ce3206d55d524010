"""Groups of one record with the same code: the first of them stands in for all."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Codes = npt.NDArray[np.integer[Any]]


class Grouped(NamedTuple):
    """Records gathered in groups, which are numbered in the order of their first records."""

    ids: Ints  # for each record: the number of its group
    first: Ints  # for each group: the number of its first record
    counts: Ints  # for each group: how many records it has


class StandIns(NamedTuple):
    """The groups that are left, in their order, and the records of those."""

    groups: Ints  # the numbers that they had
    times: Ints  # for how many groups each stands
    ids: Ints  # for each of their records: its group, by the new numbers
    codes: Places  # and its code


def stand_in(grouped: Grouped, codes: Codes, u: int) -> StandIns:
    """Leave out the groups of one record, but for the first with each code below ``u``.

    >>> grouped = Grouped(np.array([0, 1, 2, 2, 3]), np.array([0, 1, 2, 4]), np.array([1, 1, 2, 1]))
    >>> found = stand_in(grouped, np.array([7, 7, 7, 5, 5]), u=8)
    >>> found.groups, found.times, found.ids, found.codes.tolist()
    (array([0, 2, 3]), array([2, 1, 1]), array([0, 1, 1, 2]), [7, 7, 5, 5])
    """
    held = frozen(codes, np.int32)
    if held.shape != grouped.ids.shape or (held.size and not 0 <= held.min() <= held.max() < u):
        raise ValueError(f"each record needs a code from 0 to {u - 1}")
    ids, counts = frozen(grouped.ids, np.int64), frozen(grouped.counts, np.int64)
    alone = np.zeros(u, np.int32)  # of each code: the groups of one record that have it
    numbers, room = np.empty(counts.size, np.int32), _room(grouped, u)
    groups, records = _gather(ids, counts, held, alone, numbers, room)
    left = StandIns(
        room.groups[:groups], room.times[:groups], room.ids[:records], room.codes[:records]
    )
    of_one = np.flatnonzero(grouped.counts[left.groups] == 1)
    left.times[of_one] = alone[held[grouped.first[left.groups[of_one]]]]
    return left


def warm_up() -> None:
    """Compile the kernels of this module."""
    one = np.zeros(1, np.int64)
    stand_in(Grouped(one, one, one + 1), one, 1)


def _room(grouped: Grouped, u: int) -> StandIns:
    """Make room for what is left at most."""
    out = max(int(np.count_nonzero(grouped.counts == 1)) - u, 0)
    groups, records = grouped.first.size - out, grouped.ids.size - out
    return StandIns(
        np.empty(groups, np.int64),
        np.ones(groups, np.int64),
        np.empty(records, np.int64),
        np.empty(records, np.int32),
    )


@kernel
def _gather(
    ids: Ints, counts: Ints, codes: Places, alone: Places, numbers: Places, into: StandIns
) -> tuple[int, int]:
    """Write the groups that are left and their records; return how many there are of both."""
    opened, groups, records = 0, 0, 0
    for i in range(codes.size):
        group, code = ids[i], codes[i]
        if group == opened:  # groups are numbered in the order in which records show them
            opened += 1
            if counts[group] == 1:
                alone[code] += 1
                if alone[code] > 1:
                    continue
            numbers[group], into.groups[groups] = groups, group
            groups += 1
        into.ids[records], into.codes[records] = group, code
        records += 1
    for i in range(records):  # by itself: numbers far apart are then read many at a time
        into.ids[i] = numbers[into.ids[i]]
    return groups, records
