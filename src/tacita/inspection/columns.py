"""Attributes as an intruder counts them: distinct values, and which record has which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Ints, comparable
from tacita.data.dataset import Dataset

Codes = np.ndarray[Any, np.dtype[np.int32]]
RUNNING = 1.1  # how much wider than the number of its values the range of a running number may be
GRAIN = 50_000  # records from which on attributes are counted side by side


@dataclass(frozen=True, eq=False)
class Column:
    """The distinct values of an attribute, counted once and used by every question.

    Args:
        name: the attribute.
        label: what its file says it is, if anything.
        labelled: whether its file says what its codes stand for.
        values: the distinct values without blanks.
        codes: for each record the place of its value, `len(values)` where it is blank.
        counts: how many records have each value, and last how many are blank.
    """

    name: str
    label: str | None
    labelled: bool
    values: pa.Array
    codes: Codes
    counts: Ints

    @property
    def records(self) -> int:
        """The number of records."""
        return len(self.codes)

    @property
    def distinct(self) -> int:
        """The number of distinct values, blanks left out."""
        return len(self.values)

    @property
    def blank(self) -> int:
        """The number of records without a value."""
        return int(self.counts[-1])

    @property
    def filled(self) -> int:
        """The number of records with a value."""
        return self.records - self.blank

    @cached_property
    def unique(self) -> Fraction:
        """The share of the records whose value no other record has."""
        return Fraction(int(np.count_nonzero(self.counts[:-1] == 1)), max(self.records, 1))

    @cached_property
    def separation(self) -> Fraction:
        """The share of pairs of records that differ."""
        return separation(self.counts)

    def held_by_most_frequent(self, values: int) -> int:
        """Return how many records have one of the so many most frequent values."""
        return int(self._cumulated[min(values, len(self._cumulated)) - 1])

    @cached_property
    def _cumulated(self) -> Ints:
        return np.cumsum(np.sort(self.counts)[::-1])

    def blanking(self, gone: pa.Array) -> Column:
        """Return the column with some values made blank."""
        kept = ~np.asarray(pc.is_in(self.values, value_set=gone), np.bool_)
        left = int(kept.sum())
        places = np.append(np.where(kept, np.cumsum(kept) - 1, left), left).astype(np.int32)
        codes = places[self.codes]
        counts = np.bincount(codes, minlength=left + 1).astype(np.int64)
        return replace(self, values=self.values.filter(kept), codes=codes, counts=counts)

    @property
    def is_constant(self) -> bool:
        """Whether all records agree."""
        return int(np.count_nonzero(self.counts)) <= 1

    @property
    def is_text(self) -> bool:
        """Whether the values are text."""
        return bool(pa.types.is_string(self.values.type))

    @property
    def is_integer(self) -> bool:
        """Whether the values are whole numbers, however they are stored."""
        return bool(pa.types.is_integer(self.values.type))

    @property
    def is_running(self) -> bool:
        """Whether the values are whole numbers that leave few out between the ends."""
        if not self.is_integer or not self.distinct:
            return False
        low, high = self.range
        return bool(high - low + 1 <= RUNNING * self.distinct)

    @cached_property
    def range(self) -> tuple[Any, Any]:
        """The least and the largest value."""
        ends = pc.min_max(self.values)
        return ends["min"].as_py(), ends["max"].as_py()


def distinction(counts: Ints) -> Fraction:
    """Return the number of distinct combinations for each record, from how often each occurs.

    Motwani & Xu, "Efficient algorithms for masking and finding quasi-identifiers", 2007.

    >>> distinction(np.array([2, 1, 1]))
    Fraction(3, 4)
    """
    return Fraction(int(np.count_nonzero(counts)), max(int(counts.sum()), 1))


def separation(counts: Ints) -> Fraction:
    """Return the share of pairs of records that differ, from how often each combination occurs.

    Motwani & Xu, "Efficient algorithms for masking and finding quasi-identifiers", 2007.

    >>> separation(np.array([2, 1, 1]))
    Fraction(5, 6)
    """
    records = int(counts.sum())
    alike = int((counts * (counts - 1)).sum())
    return 1 - Fraction(alike, records * (records - 1)) if records > 1 else Fraction(0)


def columns_of(data: Dataset, names: Sequence[str]) -> dict[str, Column]:
    """Count the values of attributes."""
    from tacita.kernels.compile import spread, thread_count

    pairs = [(name, data.column(name)) for name in names]
    workers = thread_count(None, len(data) * max(len(pairs), 1), GRAIN)
    counted = spread(lambda pair: _column(data, *pair), pairs, workers)
    return {column.name: column for column in counted}


def column_of(
    name: str, column: pa.Array, *, label: str | None = None, labelled: bool = False
) -> Column:
    """Count the values of an array.

    >>> column_of("sex", pa.array(["f", "m", "f", None])).counts.tolist()
    [2, 1, 1]
    """
    values, codes = _encoded(column)
    values = _whole(values)
    counts = np.bincount(codes, minlength=len(values) + 1).astype(np.int64)
    return Column(name, label, labelled, values, codes, counts)


def _column(data: Dataset, name: str, column: pa.Array) -> Column:
    meaning = data.attribute(name).meaning
    labelled = bool(set(meaning.value_labels) - set(meaning.missing_codes))
    return column_of(name, column, label=meaning.label, labelled=labelled)


def _whole(values: pa.Array) -> pa.Array:
    """Take whole numbers that are stored as decimals for what they are.

    Statistics programs store every number so, and a blank makes decimals of a column in pandas.
    """
    kind = values.type
    if not len(values) or not (pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return values
    try:
        return values.cast(pa.int64())
    except pa.ArrowInvalid:  # one is not whole, or too large
        return values


def _encoded(column: pa.Array) -> tuple[pa.Array, Codes]:
    """Return the distinct values and the place of each record's value among them."""
    if pa.types.is_string(column.type):
        encoded = pc.dictionary_encode(column)
        places = encoded.indices.fill_null(len(encoded.dictionary))
        return encoded.dictionary, np.asarray(places.to_numpy(zero_copy_only=False), np.int32)
    from tacita.kernels.grouping import factorize

    codes, first = factorize(*comparable(column))
    return column.take(pa.array(first)), np.where(codes < 0, len(first), codes).astype(np.int32)
