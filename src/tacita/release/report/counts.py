"""What the figures of the report show, as shares: class sizes, distributions of attributes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute, Kind, Role
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.release.report.words import name_of

SIZE_BINS = {"1": 1, "2": 2, "3-4": 3, "5-9": 5, "10-19": 10, "20-49": 20, "50-99": 50, "100+": 100}
BARS = 12  # categories drawn for an attribute
BINS = 24  # bins of a histogram, about
DRAWN = 12  # attributes drawn
SAMPLE = 100_000  # values that are enough to find where the bulk of them lies
FAR = 3.0  # how many times wider than the bulk the range may be before the tails are cut
INTERVAL = re.compile(r"\[(-?\d+(?:\.\d+)?)[,;-]")
HALVES = 2.0**52  # below, doubles lie half a unit apart or less
LARGEST = float(np.finfo(np.float64).max)
QUARTER = LARGEST / 4  # a range of more than three quarters is beyond what can be drawn
DAY = 86_400_000  # milliseconds, which is how charts count time


@dataclass(frozen=True)
class Histogram:
    """Shares of the records that are not blank, by intervals of one width.

    Args:
        edges: the ends of the intervals, one more than intervals.
        shares: the share of every interval.
        dates: whether the numbers are milliseconds since 1970.
        cut: whether the first and last interval hold far values, too.
    """

    edges: tuple[float, ...]
    shares: tuple[float, ...]
    dates: bool = False
    cut: bool = False


@dataclass(frozen=True)
class Bars:
    """Shares of the records that are not blank, by category; `others` are not shown."""

    labels: tuple[str, ...]
    shares: tuple[float, ...]
    others: int = 0


@dataclass(frozen=True)
class Distribution:
    """An attribute before and after masking.

    Args:
        name: the attribute.
        before: its original values.
        after: its released values.
        together: whether both have the same intervals or categories.
        blank: the shares of blank values before and after.
    """

    name: str
    before: Histogram | Bars
    after: Histogram | Bars
    together: bool
    blank: tuple[float, float]


def class_sizes(data: Dataset) -> tuple[float, ...] | None:
    """Return the share of records in classes of every size bin.

    None where there are no keys, or where records come from nobody: none of them can be found.
    """
    if data.is_synthetic:
        return None
    try:
        counts = data.classes().counts
    except InputError:
        return None
    place = np.digitize(counts, list(SIZE_BINS.values())) - 1
    records = np.bincount(place, weights=counts, minlength=len(SIZE_BINS))
    return tuple((records / max(len(data), 1)).tolist())


def smallest_class(data: Dataset) -> int | None:
    """Return the size of the smallest class; None where there are no keys or no records."""
    try:
        return data.classes().smallest or None
    except InputError:
        return None


def distributions(original: Dataset, protected: Dataset) -> tuple[Distribution, ...]:
    """Compare the attributes that matter most: keys, then confidential ones, then others."""
    names = [name for name in protected.names if name in original.attributes]
    ranked = sorted(names, key=lambda name: _rank(protected.attributes[name]))
    drawable = (name for name in ranked if _has_values(original, name))
    return tuple(
        _compare(name, original, protected) for name, _ in zip(drawable, range(DRAWN), strict=False)
    )


def _rank(attribute: Attribute) -> int:
    roles = (Role.KEY, Role.CONFIDENTIAL, Role.NON_CONFIDENTIAL)
    return next((rank for rank, role in enumerate(roles) if attribute.is_a(role)), len(roles))


def _has_values(data: Dataset, name: str) -> bool:
    return int(data.column(name).null_count) < len(data)


def _compare(name: str, original: Dataset, protected: Dataset) -> Distribution:
    blank = (_blank(original, name), _blank(protected, name))
    values = _values(original, name), _values(protected, name)
    if (
        values[0] is not None
        and values[1] is not None
        and _dated(original, name) == _dated(protected, name)
    ):
        grid = _Grid.over(np.concatenate([v for v in values if v is not None]), values[0])
        drawn = [grid.histogram(v, dates=_dated(original, name)) for v in values if v is not None]
        return Distribution(name, drawn[0], drawn[1], True, blank)
    if values[0] is None and values[1] is None:
        return _compare_categories(name, original, protected, blank)
    return Distribution(name, _alone(original, name), _alone(protected, name), False, blank)


def _alone(data: Dataset, name: str) -> Histogram | Bars:
    values = _values(data, name)
    if values is None:
        return _Tally.of(data, name).bars()
    return _Grid.over(values, values).histogram(values, dates=_dated(data, name))


def _blank(data: Dataset, name: str) -> float:
    return int(data.column(name).null_count) / max(len(data), 1)


def _dated(data: Dataset, name: str) -> bool:
    kind = data.column(name).type
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def _values(data: Dataset, name: str) -> Floats | None:
    """Return the finite numbers of an attribute (days for dates); None where it has categories."""
    if _dated(data, name):
        days = data.column(name).cast(pa.date32()).cast(pa.int32())
        return np.asarray(pc.drop_null(days)).astype(np.float64)
    if data.attributes[name].kind is not Kind.CONTINUOUS:
        return None
    numbers = data.numbers(name)
    return numbers[np.isfinite(numbers)]


# -- numbers -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Grid:
    """Intervals of one width over the bulk of some numbers."""

    low: float
    high: float
    bins: int
    cut: bool

    @classmethod
    def over(cls, values: Floats, model: Floats) -> _Grid:
        """Lay intervals over values; whole numbers (of the model) never share one unevenly."""
        if not len(values):
            return cls(0.0, 1.0, 1, False)
        low, high, cut = _bulk(values)
        largest = max(abs(low), abs(high))
        if bool((model == np.floor(model)).all()) and largest < HALVES:
            low, high = np.floor(low), np.floor(high)
            width = max(np.ceil((high - low + 1) / BINS), 1.0)
            bins = int(np.ceil((high - low + 1) / width))
            return cls(float(low - 0.5), float(low - 0.5 + bins * width), bins, cut)
        step = math.ulp(largest)
        if BINS * step < high - low:
            return cls(low, high, BINS, cut)
        around = max(0.5, step)
        return cls(max(low - around, -LARGEST), min(high + around, LARGEST), 1, cut)

    def histogram(self, values: Floats, *, dates: bool) -> Histogram:
        """Count values, far ones into the outermost intervals."""
        kept = np.clip(values, self.low, self.high) if self.cut else values
        counts, edges = np.histogram(kept, self.bins, (self.low, self.high))
        shares = counts / max(len(values), 1)
        return Histogram(
            tuple((edges * (DAY if dates else 1)).tolist()), tuple(shares.tolist()), dates, self.cut
        )


def _bulk(values: Floats) -> tuple[float, float, bool]:
    """Return the range of values, or that of 99 in 100 where a few lie far out."""
    low, high = float(values.min()), float(values.max())
    if high - low > 3 * QUARTER:
        return max(low, -QUARTER), min(high, QUARTER), True
    near, far = np.quantile(values[:: len(values) // SAMPLE + 1], [0.005, 0.995]).tolist()
    if far > near and high - low > FAR * (far - near):
        return near, far, True
    return low, high, False


# -- categories ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Tally:
    """How often every category occurs, the most frequent first."""

    attribute: Attribute
    categories: pa.Array
    counts: Ints
    total: int

    @classmethod
    def of(cls, data: Dataset, name: str) -> _Tally:
        """Count categories; the members of set-valued attributes one by one."""
        column = data.column(name)
        total = len(column) - int(column.null_count)
        if pa.types.is_list(column.type):
            column = pc.list_flatten(column)
        found = pc.value_counts(pc.drop_null(column))
        counts = np.asarray(found.field("counts"))
        order = np.argsort(-counts, kind="stable")
        words = found.field("values").take(pa.array(order)).cast(pa.string())
        return cls(data.attributes[name], words, counts[order], total)

    def top(self) -> list[str]:
        """Return the most frequent categories."""
        words: list[str] = self.categories[:BARS].to_pylist()
        return words

    def bars(self, labels: Sequence[str] | None = None) -> Bars:
        """Return the shares of some categories, by default of the most frequent ones."""
        shown = _ordered(self.attribute, self.top()) if labels is None else list(labels)
        place = pc.index_in(pa.array(shown, pa.string()), value_set=self.categories).to_pylist()
        shares = [0.0 if i is None else int(self.counts[i]) / max(self.total, 1) for i in place]
        others = len(self.categories) - sum(i is not None for i in place)
        return Bars(tuple(_distinct(shown)), tuple(shares), others)


def _compare_categories(
    name: str, original: Dataset, protected: Dataset, blank: tuple[float, float]
) -> Distribution:
    before, after = _Tally.of(original, name), _Tally.of(protected, name)
    kept = pc.is_in(pa.array(after.top(), pa.string()), value_set=before.categories).to_pylist()
    if kept and 2 * sum(kept) < len(kept):
        return Distribution(name, before.bars(), after.bars(), False, blank)
    labels = _ordered(before.attribute, [*dict.fromkeys([*before.top(), *after.top()])][:BARS])
    return Distribution(name, before.bars(labels), after.bars(labels), True, blank)


def _ordered(attribute: Attribute, labels: list[str]) -> list[str]:
    """Put categories into the attribute's order if it has one, and intervals into theirs."""
    if attribute.order is None:
        lows = [INTERVAL.match(label) for label in labels]
        if not all(lows):
            return labels
        return sorted(labels, key=lambda label: float(INTERVAL.match(label)[1]))  # type: ignore[index]
    place = {str(category): i for i, category in enumerate(attribute.order)}
    return sorted(labels, key=lambda label: place.get(label, len(place)))


def _distinct(labels: Sequence[str]) -> list[str]:
    """Shorten labels for a figure, but never two to the same."""
    short: dict[str, Any] = {}
    for label in labels:
        name = name_of(label)
        while name in short:
            name += "'"
        short[name] = None
    return list(short)
