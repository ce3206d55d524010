"""An attribute as models see it: numbered values in an order, and the way back to values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints, comparable
from tacita.data.dataset import Dataset
from tacita.data.decimals import decimals_of, in_units
from tacita.microdata.comparing.representation import as_text

BLANK = 0  # the code of missing and suppressed values
MOST_WHOLE = 2.0**53  # up to which doubles hold every whole number


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one attribute, numbered from 1 in ascending order; a blank has 0.

    Numbers and dates ascend by their size, ordinal values in their order, other values by their
    text, which means nothing.

    Args:
        values: what the records hold.
        codes: the number of every record's value.
        is_ordered: whether the order of the codes means something.
        numbers: the values as numbers, NaN for a blank; None of categories.
    """

    values: pa.Array
    codes: Ints
    is_ordered: bool
    numbers: Floats | None

    @classmethod
    def of(cls, data: Dataset, name: str) -> Column:
        """Give numbers to the values of an attribute.

        >>> import tacita as ta
        >>> one = Column.of(ta.example("toy", 4), "education")
        >>> one.values.to_pylist()[:2], one.codes.tolist(), one.is_ordered
        (['bachelor', None], [1, 0, 1, 2], True)
        """
        values, attribute = data.column(name), data.attribute(name)
        numbers = _numbers(values, attribute.kind)
        if numbers is not None:
            return cls(values, _ascending(numbers), True, numbers)
        if attribute.order is not None:
            order = pa.array(attribute.order, values.type)
            held = pc.is_in(order, value_set=values)  # categories that nobody has get no number
            places = pc.index_in(values, value_set=order.filter(held), skip_nulls=True)
            return cls(values, np.asarray(places.fill_null(-1), np.int64) + 1, True, None)
        return cls(values, _by_text(values), False, None)

    @property
    def size(self) -> int:
        """How many codes there are, that of blanks included."""
        return int(self.codes.max(initial=0)) + 1

    @cached_property
    def counts(self) -> Ints:
        """How many records have each code."""
        return np.bincount(self.codes, minlength=self.size)

    @cached_property
    def distinct(self) -> Floats:
        """The number that every code from 1 on stands for."""
        found = np.zeros(self.size)
        if self.numbers is not None:
            found[self.codes] = np.nan_to_num(self.numbers)
        return found[1:]

    @cached_property
    def grid(self) -> tuple[int, int] | None:
        """The decimals of all numbers, and of how many of their last digits all are multiples."""
        decimals = decimals_of(self.distinct)
        if decimals is None:
            return None
        return decimals, int(np.gcd.reduce(in_units(self.distinct, decimals), initial=0)) or 1

    def codes_of(self, numbers: Floats) -> Ints:
        """Return the codes of numbers, of others that of the next smaller one; NaN is a blank."""
        found = np.searchsorted(self.distinct, numbers, side="right")
        return np.where(np.isnan(numbers), BLANK, np.maximum(found, 1))

    def codes_made(self, donors: Ints, numbers: Floats | None) -> Ints:
        """Return the codes of a synthetic column (see `made`)."""
        codes = self.codes[donors]
        return (
            codes if numbers is None else np.where(np.isnan(numbers), codes, self.codes_of(numbers))
        )

    def on_grid(self, numbers: Floats) -> Floats:
        """Return numbers rounded as the attribute's own are, within their range."""
        if not len(self.distinct):
            return numbers
        if self.grid is not None:
            decimals, step = self.grid
            unit = step / 10**decimals
            numbers = np.round(np.round(numbers / unit) * unit, decimals)
        bounded: Floats = np.clip(numbers, self.distinct[0], self.distinct[-1])
        return bounded

    def classes(self, most: int) -> Ints:
        """Return a class for every code: at most so many, that of blanks first.

        Values in an order make runs of about as many records each; of other values, all but the
        most frequent make one class.
        """
        if self.size <= most:
            return np.arange(self.size)
        return runs(self.counts, most) if self.is_ordered else _frequent(self.counts, most)

    @cached_property
    def examples(self) -> Ints:
        """A record that has each code, the first one."""
        found = np.zeros(self.size, np.int64)
        found[self.codes[::-1]] = np.arange(len(self.codes))[::-1]
        return found

    def drawn(self, codes: Ints, within: Floats, rare: int) -> pa.Array:
        """Return a synthetic column of some codes.

        Numbers that few records have are spread between the middles of the gaps to the next smaller
        and the next larger number that anybody has.

        Args:
            codes: the code of every synthetic record.
            within: where between them the number lies, from 0 to 1.
            rare: how many records make a number one that stays.
        """
        donors = self.examples[codes]
        if self.numbers is None:
            return self.made(donors)
        chosen = (codes != BLANK) & (self.counts[codes] < rare)
        own = codes[chosen] - 1
        beside = np.clip(np.stack([own - 1, own + 1]), 0, max(self.size - 2, 0))
        low, high = self.distinct[own] / 2 + self.distinct[beside] / 2
        numbers = np.full(len(codes), np.nan)
        numbers[chosen] = self.on_grid(low + (high - low) * within[chosen])
        return self.made(donors, numbers)

    def made(self, donors: Ints, numbers: Floats | None = None) -> pa.Array:
        """Return a synthetic column.

        Args:
            donors: for every synthetic record one whose value it takes.
            numbers: the numbers that it takes instead; NaN where it takes the donor's.
        """
        values = self.values.take(pa.array(donors))
        if numbers is None or np.isnan(numbers).all():
            return values
        made = of_type(numbers, values.type)
        return pc.if_else(made.is_valid(), made, values)


def of_type(numbers: Floats, kind: pa.DataType) -> pa.Array:
    """Return numbers as values of a type, whole numbers and dates rounded; NaN is a blank.

    >>> of_type(np.array([1.6, np.nan]), pa.date32()).to_pylist()
    [datetime.date(1970, 1, 3), None]
    """
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return pa.array(numbers, from_pandas=True).cast(kind, safe=False)
    whole = pa.array(np.round(np.nan_to_num(numbers)).astype(np.int64), mask=np.isnan(numbers))
    if pa.types.is_date64(kind):
        return whole.cast(pa.timestamp("ms")).cast(kind)  # which leaves the time of day out
    return (whole.cast(pa.int32()) if pa.types.is_date32(kind) else whole).cast(kind)


def runs(counts: Ints, most: int) -> Ints:
    """Return for each of some codes a run of neighbours: at most so many, about equally frequent.

    The first code, that of blanks, is a run of its own.

    >>> runs(np.array([2, 5, 1, 1, 4]), 3).tolist()
    [0, 1, 2, 2, 2]
    """
    if len(counts) <= most:
        return np.arange(len(counts))
    middles = np.cumsum(counts[1:]) - counts[1:] / 2
    cut = (middles * (most - 1) / max(counts[1:].sum(), 1)).astype(np.int64)
    return np.append(0, 1 + np.unique(cut, return_inverse=True)[1])


def _frequent(counts: Ints, most: int) -> Ints:
    found = np.full(len(counts), most - 1)
    kept = 1 + np.sort(np.argsort(-counts[1:], kind="stable")[: most - 2])
    found[BLANK], found[kept] = 0, np.arange(1, len(kept) + 1)
    return found


def _numbers(values: pa.Array, kind: Kind) -> Floats | None:
    """Return numbers, and the time units of dates, as doubles; None of other values."""
    if kind is Kind.DATE and pa.types.is_temporal(values.type):
        whole = pa.int32() if values.type.bit_width == 32 else pa.int64()  # noqa: PLR2004
        values = values.cast(whole)
    elif kind is not Kind.CONTINUOUS:
        return None
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _ascending(numbers: Floats) -> Ints:
    codes, there = np.zeros(len(numbers), np.int64), ~np.isnan(numbers)
    codes[there] = np.unique(numbers[there], return_inverse=True)[1] + 1
    return codes


def _by_text(values: pa.Array) -> Ints:
    from tacita.kernels.grouping import factorize

    codes, first = factorize(*comparable(values))
    words = as_text(values.take(pa.array(first)))
    place = np.append(np.argsort(np.asarray(pc.sort_indices(words))), -1)
    return np.asarray(place[codes], np.int64) + 1
