"""Equivalence classes: the distinct combinations of key values, and who shares them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from tacita.data.dataset import Dataset

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

# Joins the members of a set into one comparable text; it cannot stand in ordinary data.
UNIT_SEPARATOR = "\x1f"


@dataclass(frozen=True, eq=False)
class EquivalenceClasses:
    """The equivalence classes of a data set over some attributes.

    Two records are in one class when they agree on every attribute; a blank (missing or
    suppressed) value agrees only with a blank, and where the file says why values are missing,
    only with one that is missing for the same reason. Classes are numbered by their first record.

    Args:
        data: the data set the classes are of.
        keys: the attributes, none of which may be repeated.
        of_record: the class of every record.
        first: the first record of every class.
        counts: the number of records in every class.
    """

    data: Dataset
    keys: tuple[str, ...]
    of_record: Ints
    first: Ints
    counts: Ints

    @classmethod
    def of(cls, data: Dataset, keys: Sequence[str]) -> EquivalenceClasses:
        """Count the classes of a data set."""
        from tacita.kernels.grouping import group

        codes = [code for name in keys for code in _told_apart(data, name)]
        if not codes:
            ids = np.zeros(len(data), np.int64)
            some = min(len(data), 1)
            return cls(data, (), ids, np.zeros(some, np.int64), np.full(some, len(data), np.int64))
        groups = group([code for code, _ in codes], [valid for _, valid in codes])
        return cls(data, tuple(keys), groups.ids, groups.first, groups.counts)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def size_of_record(self) -> Ints:
        """The size of every record's class (f_k in the literature)."""
        return self.counts[self.of_record]

    @property
    def smallest(self) -> int:
        """The size of the smallest class; 0 when there are no records."""
        return int(self.counts.min()) if len(self) else 0

    @cached_property
    def weights(self) -> Floats:
        """The sum of the sampling weights in every class; its size where there are no weights."""
        from tacita.kernels.by_group import sum_by_group

        weight = self.data.weight
        if weight is None:
            return self.counts.astype(np.float64)
        return sum_by_group(self.of_record, weight, len(self))

    def combinations(self, classes: Ints | None = None) -> pa.Table:
        """Return the key values of some classes (all by default), with count and weight."""
        chosen = np.arange(len(self)) if classes is None else classes
        rows = pa.array(self.first[chosen])
        columns = {name: self.data.column(name).take(rows) for name in self.keys}
        return pa.table({**columns, "count": self.counts[chosen], "weight": self.weights[chosen]})

    def histogram(self, attribute: str) -> pa.Table:
        """Count the values of an attribute in every class: columns `class`, `value`, `count`.

        Only values that occur are listed; a blank is a value of its own.
        """
        from tacita.kernels.by_group import count_codes_per_group
        from tacita.kernels.grouping import factorize

        codes, valid = comparable(self.data.column(attribute))
        numbers, first = factorize(codes, valid)
        blank = len(first)
        codes = np.where(numbers < 0, blank, numbers)
        found = count_codes_per_group(self.of_record, codes, len(self), blank + 1)
        column = self.data.column(attribute)
        known = pa.concat_arrays([column.take(pa.array(first)), pa.nulls(1, column.type)])
        values = known.take(pa.array(found.codes))
        return pa.table({"class": found.groups, "value": values, "count": found.counts})


def _told_apart(data: Dataset, name: str) -> list[tuple[np.ndarray[Any, Any], Mask | None]]:
    """Return what tells the values of an attribute apart: themselves, and why some are missing."""
    told = [comparable(data.column(name))]
    if name in data.missing_reasons:
        told.append((data.missing_reasons[name], None))
    return told


def comparable(column: pa.Array) -> tuple[np.ndarray[Any, Any], Mask | None]:
    """Return integers that are equal just where the values are, and where there is a value."""
    valid = None if not column.null_count else np.asarray(pc.is_valid(column))
    if pa.types.is_list(column.type):
        column = joined_sets(column)
    if pa.types.is_integer(column.type):
        return _numpy(column.fill_null(0)), valid
    if pa.types.is_boolean(column.type):
        return np.asarray(column.cast(pa.int8()).fill_null(0)), valid
    if pa.types.is_floating(column.type):
        # Adding 0.0 makes the two zeros one; the bits of equal doubles are then equal.
        return (_numpy(column.cast(pa.float64()).fill_null(0.0)) + 0.0).view(np.int64), valid
    if pa.types.is_date32(column.type) or pa.types.is_time32(column.type):
        return _numpy(column.cast(pa.int32()).fill_null(0)), valid
    if pa.types.is_temporal(column.type):
        return _numpy(column.cast(pa.int64()).fill_null(0)), valid
    return np.asarray(pc.dictionary_encode(column).indices.fill_null(0)), valid


def _numpy(column: pa.Array) -> np.ndarray[Any, Any]:
    return np.asarray(column.to_numpy(zero_copy_only=False))


def joined_sets(column: pa.Array) -> pa.Array:
    """Return sets as text: their members in order, so that equal sets are equal text.

    >>> sets = joined_sets(pa.array([["b", "a"], ["a", "b"], [], None]))
    >>> sets[0] == sets[1], sets[2:].to_pylist()
    (True, ['', None])
    """
    sizes = pc.list_value_length(column).fill_null(0)
    members = pa.table(
        {"set": pc.list_parent_indices(column), "member": column.flatten().cast(pa.string())}
    )
    order = pc.sort_indices(members, [("set", "ascending"), ("member", "ascending")])
    ends = np.append(0, np.cumsum(np.asarray(sizes))).astype(np.int32)
    ordered = members.column("member").combine_chunks().take(order).fill_null("")
    mask = np.asarray(pc.is_null(column))
    sets = pa.ListArray.from_arrays(pa.array(ends), ordered, mask=pa.array(mask))
    return pc.binary_join(sets, UNIT_SEPARATOR)
