"""Filling in: what the values of the other attributes say of a value that is not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tacita.arithmetic import log
from tacita.data.classes import EquivalenceClasses, Floats, Ints, Mask, comparable
from tacita.data.dataset import Dataset
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.nearness import is_numeric, numbers

BINS = 10  # into which numbers of many values are put, as many records in each
MOST_ENTRIES = 10**7  # of a table of values by values; larger ones are passed over
AT_ONCE = 2**22  # scores computed at a time
SMOOTHING = 0.1  # what counts for a combination that does not occur
FAR = 1e6  # by how much what cannot be falls behind


@dataclass(frozen=True, eq=False)
class Blank:
    """An attribute with values that are not there, and what is there.

    Args:
        released: the value of every record by its number; -1 for a blank.
        size: how many values there are.
        tables: for each other attribute the logarithms of P(its value | value), with a last column
            for blanks, and its value in every record.
        rest: the combination of the other keys that every record has.
        frequent: combinations that k or more records show, as rest x size + value, ascending.
    """

    released: Ints
    size: int
    tables: Sequence[tuple[Floats, Ints]]
    rest: Ints
    frequent: Ints

    @classmethod
    def of(
        cls, protected: Dataset, name: str, released: Ints, keys: Sequence[str], k: int
    ) -> Blank:
        """Learn from the records in which an attribute is there.

        Args:
            protected: the released data.
            name: the attribute.
            released: its values by their numbers.
            keys: the attributes whose combinations are not to be rare.
            k: from how many records on a combination is not rare.
        """
        size = int(released.max(initial=0)) + 1
        others = [other for other in shared([protected]) if other != name]
        tables = [
            (_chances(released, size, codes), codes)
            for codes in (_codes(protected, other) for other in others)
            if size * (int(codes.max(initial=0)) + 1) <= MOST_ENTRIES
        ]
        rest = EquivalenceClasses.of(protected, [key for key in keys if key != name]).of_record
        there = released >= 0
        pairs, counts = np.unique(rest[there] * size + released[there], return_counts=True)
        return cls(released, size, tables, rest, pairs[counts >= k])

    @property
    def usual(self) -> int:
        """The most frequent value, of several the first."""
        there = self.released[self.released >= 0]
        return int(np.argmax(np.bincount(there, minlength=self.size)))

    def guesses(self, rows: Ints, is_alone: Mask) -> Iterator[tuple[Ints, Ints]]:
        """Guess the values of some records, part by part, without and with the knowledge of k.

        A value whose combination with the other keys is frequent would not have been suppressed.

        Args:
            rows: the records.
            is_alone: whether it is the only key of each of them that is blank.
        """
        step = max(AT_ONCE // self.size, 1)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            scores = self._scores(part)
            plain = np.argmax(scores, axis=1)
            scores[self._excluded(part, is_alone[start : start + step])] -= FAR
            yield plain, np.argmax(scores, axis=1)

    def _scores(self, rows: Ints) -> Floats:
        """Return the logarithms of P(value) prod P(other value | value), values as columns."""
        there = self.released[self.released >= 0]
        counts = np.bincount(there, minlength=self.size)
        shown = np.where(counts > 0, log(np.maximum(counts, 1)), -2 * FAR)
        scores = np.tile(shown, (len(rows), 1))
        for table, codes in self.tables:
            scores += table[:, codes[rows]].T
        return scores

    def _excluded(self, rows: Ints, is_alone: Mask) -> tuple[Ints, Ints]:
        """Return the row and the value of whatever would have been frequent."""
        first = self.rest[rows] * self.size
        starts = np.searchsorted(self.frequent, first)
        times = np.where(is_alone, np.searchsorted(self.frequent, first + self.size) - starts, 0)
        row = np.repeat(np.arange(len(rows)), times)
        place = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times) + starts[row]
        return row, self.frequent[place] - first[row]


def _chances(released: Ints, size: int, codes: Ints) -> Floats:
    width = int(codes.max(initial=0)) + 1
    there = (released >= 0) & (codes >= 0)
    pairs = released[there] * width + codes[there]
    counts = np.bincount(pairs, minlength=size * width).reshape(size, width) + SMOOTHING
    return np.pad(log(counts / counts.sum(axis=1, keepdims=True)), ((0, 0), (0, 1)))


def _codes(data: Dataset, name: str) -> Ints:
    """Return the numbers of an attribute's values, or of their bins; a blank has -1."""
    from tacita.kernels.grouping import factorize

    codes, first = factorize(*comparable(data.column(name)))
    if len(first) <= BINS or not is_numeric([data], name):
        return codes
    (values,) = numbers([data], name)
    known = ~np.isnan(values)
    edges = np.unique(np.quantile(values[known], np.arange(1, BINS) / BINS))
    return np.where(known, np.searchsorted(edges, values, side="right"), -1)
