"""Original and masked numbers side by side, and the risks that must not rise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.microdata.comparing.nearness import spread_of
from tacita.microdata.risk.distance_linkage import DistanceLinkage
from tacita.release.comparing.score import WIDTHS


@dataclass(frozen=True, eq=False)
class Pair:
    """Original and masked numbers side by side, without the records that have blanks.

    Args:
        data: both data sets, the original first.
        names: the attributes.
        known: those by which records are linked.
        rows: the masked records without blanks.
        original: the original values of these records; of synthetic ones, which come from nobody,
            those of all original records without blanks.
        masked: their masked values.
        groups: which records have equal masked values.
    """

    data: tuple[Dataset, Dataset]
    names: tuple[str, ...]
    known: tuple[str, ...]
    rows: Ints
    original: Floats
    masked: Floats
    groups: Ints

    @classmethod
    def of(
        cls, before: Dataset, after: Dataset, names: tuple[str, ...], known: Sequence[str] | None
    ) -> Pair:
        """Put two data sets side by side."""
        original, masked = _numbers(before, names), _numbers(after, names)
        if after.is_synthetic:
            rows = np.flatnonzero(~np.isnan(masked).any(axis=1))
            original = original[~np.isnan(original).any(axis=1)]
        else:
            original = original[paired_rows(before, after)]
            rows = np.flatnonzero(~np.isnan(original + masked).any(axis=1))
            original = original[rows]
        if min(len(rows), len(original)) <= len(names):
            raise InputError(
                f"Post-masking optimization of {len(names)} attributes needs more records without "
                f"blanks than attributes; found {min(len(rows), len(original))}."
            )
        keys = tuple(name for name in names if name in before.keys)
        groups = np.unique(masked[rows], axis=0, return_inverse=True)[1].reshape(-1)
        chosen = tuple(known) if known is not None else keys or names
        return cls((before, after), names, chosen, rows, original, masked[rows], groups)

    @property
    def is_paired(self) -> bool:
        """Whether masked records have an original record beside them."""
        return not self.data[1].is_synthetic

    @cached_property
    def whole(self) -> Mask:
        """Which attributes hold whole numbers."""
        types = [self.data[1].column(name).type for name in self.names]
        return np.array([pa.types.is_integer(one) for one in types])

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lowest and highest numbers: what is never negative stays so, and types have ends."""
        ends = [_ends(self.data[1].column(name).type) for name in self.names]
        lowest, highest = (np.array(side, np.float64) for side in zip(*ends, strict=True))
        return np.where(self.masked.min(axis=0) >= 0, 0.0, lowest), highest

    @cached_property
    def radii(self) -> Floats:
        """How far the intervals around a released value go, attributes by widths of the score."""
        if not self.is_paired:
            return np.zeros((len(self.names), 0))
        before = self.data[0]
        spreads = [spread_of(before.numbers(name), before.weight) for name in self.names]
        return np.array([[width * spread for width in WIDTHS] for spread in spreads])

    def as_released(self, values: Floats) -> Floats:
        """Keep whole numbers whole, and what is never negative so."""
        return np.asarray(np.clip(np.where(self.whole, np.rint(values), values), *self.bounds))

    def with_numbers(self, values: Floats) -> Dataset:
        """Return the masked data with other values of the records without blanks."""
        data, released = self.data[1], self.as_released(values)
        for place, name in enumerate(self.names):
            column = data.column(name)
            numbers = data.numbers(name).copy()
            numbers[self.rows] = released[:, place]
            changed = pa.array(numbers, mask=np.asarray(column.is_null())).cast(
                column.type, safe=False
            )
            data = data.with_column(data.attribute(name), changed)
        return data

    def numbers_of(self, data: Dataset) -> Floats:
        """Return the values that the records without blanks have in other masked data."""
        return _numbers(data, self.names)[self.rows]

    def links(self, values: Floats) -> Floats:
        """Return the probability with which each record is linked by distance.

        It depends on the record alone, not on how others are released.
        """
        if not self.is_paired:
            return np.zeros(len(values))
        linkage = DistanceLinkage(self.known, sample=None)
        found = linkage.measure(self.data[0], self.with_numbers(values)).per_record
        return np.asarray(found)[self.rows]

    def intervals(self, values: Floats) -> Floats:
        """Return in how many intervals around its values each original record lies."""
        if not self.is_paired:
            return np.zeros(len(values))
        gaps = np.abs(self.original - values)
        return np.asarray(sum((gaps <= radius).sum(axis=1) for radius in self.radii.T), np.float64)

    def worse(self, rise: Floats, room: float = 0.0) -> Mask:
        """Tell the groups to put back so that a risk rises by no more than some room in sum.

        They are those in which it rises most.
        """
        rises = np.bincount(self.groups, rise)
        order = np.argsort(-rises, kind="stable")
        back = np.zeros(len(rises), np.bool_)
        total = float(rises.sum())
        for group in order:
            if total <= room or rises[group] <= 0:
                break
            back[group] = True
            total -= rises[group]
        return back

    def changed(self, data: Dataset) -> float:
        """Return the share of records that have other values than the masked ones."""
        others = (self.numbers_of(data) != self.masked).any(axis=1)
        return float(np.count_nonzero(others) / len(data))


def _numbers(data: Dataset, names: Sequence[str]) -> Floats:
    return np.column_stack([data.numbers(name) for name in names])


def _ends(kind: pa.DataType) -> tuple[float, float]:
    """Return the least and the largest number of a type."""
    if not pa.types.is_integer(kind):
        return -np.inf, np.inf
    ends = np.iinfo(kind.to_pandas_dtype())
    high = float(ends.max)
    return float(ends.min), high if int(high) <= ends.max else float(np.nextafter(high, 0))
