"""What the records of a database contribute to counts and sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from math import floor, log10
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.decimals import decimals_of
from tacita.mechanisms.cell_keys import Keys
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.perturbing.keys import RecordKeys
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic

DIGITS = 6  # of numbers that are no decimals, counted from the first digit of the largest


class Contributing(NamedTuple):
    """The records of a set that contribute.

    Attributes:
        set_key: their key.
        largest: the largest contribution, whatever its sign.
    """

    set_key: int
    largest: float


class Largest(NamedTuple):
    """The largest contributions to a sum.

    Attributes:
        sizes: what they are, whatever their signs, the largest first.
        keys: the keys of their records.
    """

    sizes: Floats
    keys: Keys


class Contributions:
    """What every record adds to a count or to a sum, weighted where that is asked for.

    Records with a blank or a 0 add nothing, so that they do not contribute.

    Args:
        asked: the count or the sum.
        data: the records.
        keys: their keys.
    """

    def __init__(self, asked: Asked, data: PublicClasses, keys: RecordKeys) -> None:
        self._starts = data.starts[:-1]
        self._amounts = _amounts(asked, data)
        self._keys: Keys = np.where(self._amounts != 0, keys.of_record, np.uint64(0))
        self._places: dict[int, Ints] = {}

    def of(self, members: QuerySet) -> Contributing:
        """Return the contributing records of a set; of public sets they come from the classes."""
        if members.is_public:
            keys, largest = (column[members.places] for column in self._by_class)
        else:
            keys, largest = self._keys[members.rows], np.abs(self._amounts[members.rows])
        return Contributing(int(keys.sum(dtype=np.uint64)), float(largest.max(initial=0.0)))

    @cached_property
    def _by_class(self) -> tuple[Keys, Floats]:
        return (
            np.add.reduceat(self._keys, self._starts),
            np.maximum.reduceat(np.abs(self._amounts), self._starts),
        )

    def largest(self, members: QuerySet, number: int) -> Largest:
        """Return some of the largest contributions of a set; equal ones in the order of keys."""
        if members.is_public:
            rows = self._largest_by_class(number)[members.places].ravel()
            rows = rows[rows >= 0]
        else:
            rows = members.rows[self._amounts[members.rows] != 0]
        sizes, keys = np.abs(self._amounts[rows]), self._keys[rows]
        first = np.lexsort((keys, -sizes))[:number]
        return Largest(sizes[first], keys[first])

    def _largest_by_class(self, number: int) -> Ints:
        """Return the places of the largest contributions of every class; -1 for what is not there.

        The largest of a set are among them, so that large sets need not be looked through.
        """
        if number not in self._places:
            counts = np.diff(np.append(self._starts, len(self._amounts)))
            of_record = np.repeat(np.arange(len(counts)), counts)
            order = np.lexsort((self._keys, -np.abs(self._amounts), of_record))
            rank = np.arange(len(order)) - self._starts[of_record]
            chosen = (rank < number) & (self._amounts[order] != 0)
            places = np.full((len(counts), number), -1)
            places[of_record[chosen], rank[chosen]] = order[chosen]
            self._places[number] = places
        return self._places[number]

    def rounded(self, noisy: float) -> float | int:
        """Return a noisy sum with the digits of the data, so that noise leaves no last bits."""
        rounded = round(noisy, self.decimals)
        return int(rounded) if rounded.is_integer() else rounded

    @cached_property
    def usual(self) -> float:
        """How large contributions are in the mean."""
        there = np.abs(self._amounts[self._amounts != 0])
        return float(there.mean()) if there.size else 0.0

    @cached_property
    def decimals(self) -> int:
        """How many digits after the point answers have: those of the data, or a few."""
        written = decimals_of(self._amounts)
        if written is not None:
            return written
        return DIGITS - 1 - floor(log10(float(np.abs(self._amounts).max())))


def _amounts(asked: Asked, data: PublicClasses) -> Floats:
    if asked.statistic is Statistic.COUNT:
        amounts = known_records(asked, data).astype(float)
    else:
        amounts = np.nan_to_num(data.numbers(str(asked.attribute)))
    if asked.weighted and data.weights is not None:
        amounts = amounts * data.weights
    return amounts


def noisy_mean(cell: Cell, noisy: Callable[[Cell], float | int | None]) -> float | None:
    """Return the noisy sum over the noisy count, which tells nothing more than they do."""
    total, number = (
        noisy(replace(cell, asked=replace(cell.asked, statistic=one)))
        for one in (Statistic.SUM, Statistic.COUNT)
    )
    return None if total is None or number is None else total / max(number, 1)


def known_key(cell: Cell, keys: RecordKeys) -> int:
    """Return the key of the records of a set in which the attributes asked for have a value."""
    asked, members = cell.asked, cell.members
    if asked.attribute is None and members.is_public:
        return keys.of_classes(members)
    rows = members.rows
    return keys.of_rows(rows[known_records(asked, members.data)[rows]])


def known_records(asked: Asked, data: PublicClasses) -> Mask:
    """Tell of every record whether the attributes that are asked for have a value."""
    known = np.ones(data.records, bool)
    for name in (asked.attribute, asked.other):
        if name is not None:
            known &= _is_known(data, name)
    return known


def _is_known(data: PublicClasses, name: str) -> Mask:
    if data.is_public(name):
        known: Mask = data.columns[name].codes[data.of_record] >= 0
        return known
    return np.asarray(pc.is_valid(data.hidden[name]))
