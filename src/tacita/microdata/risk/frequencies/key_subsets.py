"""Subsets of the keys: the smallest combinations of values that only one record has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.data.classes import Floats, Ints, Mask, comparable
from tacita.data.dataset import Dataset
from tacita.errors import InputError

if TYPE_CHECKING:
    from tacita.kernels.unique_sets import UniqueSets

MOST_COMBINATIONS = 1_500  # of keys, that are looked at where nobody says how many keys at most


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """The minimal sample uniques of a file: unique combinations without a unique part.

    Args:
        keys: the attributes that were combined.
        records: how many records the file has.
        largest: the most attributes in a combination that was looked at.
        tally: the combinations, added up by record and by set of attributes.
    """

    keys: tuple[str, ...]
    records: int
    largest: int
    tally: UniqueSets

    @cached_property
    def smallest(self) -> Ints:
        """The size of every record's smallest combination; 0 where it has none."""
        return self._of_all(np.argmax(self.tally.by_size > 0, axis=1))

    @cached_property
    def numbers(self) -> Ints:
        """The number of combinations of every record."""
        return self._of_all(self.tally.by_size.sum(axis=1, dtype=np.int64))

    def scores(self, points: Floats) -> Floats:
        """Add up the points, given by size, of every record's combinations."""
        score = np.zeros(len(self.tally.rows))
        for size in range(1, self.largest + 1):
            score += points[size] * self.tally.by_size[:, size]
        return self._of_all(score)

    @cached_property
    def sizes(self) -> Ints:
        """The number of attributes of each set of attributes."""
        return np.asarray(np.bitwise_count(self.tally.sets), np.int64)

    def sets_with(self, place: int) -> Mask:
        """Tell of each set of attributes whether it holds a key."""
        return _holds(self.tally.sets, place)

    def records_with(self, place: int) -> int:
        """Count the records that have a combination which holds a key."""
        return int(np.count_nonzero(_holds(self.tally.united, place)))

    def _of_all(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        spread = np.zeros(self.records, values.dtype)
        spread[self.tally.rows] = values
        return spread


def _holds(sets: np.ndarray[Any, np.dtype[np.uint64]], place: int) -> Mask:
    return (sets >> np.uint64(place) & np.uint64(1)).astype(np.bool_)


def minimal_uniques(data: Dataset, keys: Sequence[str], largest: int | None) -> MinimalUniques:
    """Find the minimal sample uniques of up to `largest` keys.

    >>> import tacita as ta
    >>> found = minimal_uniques(ta.example("medical"), ["Sex", "MarStat"], None)
    >>> found.smallest.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]

    Args:
        data: the records.
        keys: the attributes to combine.
        largest: the most of them in a combination; None for all, of many keys for as many as
            leave at most 1,500 combinations to look at.

    Raises:
        InputError: there are more keys than can be combined.
    """
    from tacita.kernels.unique_sets import MOST_COLUMNS, minimal_unique_sets

    if len(keys) > MOST_COLUMNS:
        raise InputError(
            f"At most {MOST_COLUMNS} keys can be combined; there are {len(keys)}, name fewer."
        )
    most = affordable(len(keys)) if largest is None else min(largest, len(keys))
    found = minimal_unique_sets([codes(data, name) for name in keys], most)
    return MinimalUniques(tuple(keys), len(data), most, found)


def codes(data: Dataset, name: str) -> Ints:
    """Return numbers from 0 on for the values of an attribute; a blank has -1."""
    from tacita.kernels.grouping import factorize

    return factorize(*comparable(data.column(name)))[0]


def affordable(keys: int) -> int:
    """Return how many of some keys are combined at most where nobody says it.

    >>> affordable(7), affordable(15), affordable(40)
    (7, 3, 2)
    """
    total = 0
    for size in range(1, keys + 1):
        total += comb(keys, size)
        if total > MOST_COMBINATIONS:
            return size - 1
    return keys
