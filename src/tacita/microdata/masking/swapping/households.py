"""Households: what their members share, and how that moves from one household to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Role
from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.microdata.masking.suppressing.households import household_of


@dataclass(frozen=True, eq=False)
class Homes:
    """The households of a data set, and for each a member who tells what all of them share.

    Args:
        data: the records.
        of_record: the household of every record.
        shared: the attributes that members share.
        teller: households by these attributes: a record that has the value; -1 where none has.
    """

    data: Dataset
    of_record: Ints
    shared: tuple[str, ...]
    teller: Ints

    @classmethod
    def of(cls, data: Dataset, shared: Sequence[str]) -> Homes:
        """Gather records by household; without such an attribute each is one of its own.

        Raises:
            InputError: members of a household differ in what they should share.
        """
        from tacita.kernels.grouping import group

        held = data.with_role(Role.HOUSEHOLD)
        ids, first, _ = group([household_of(data) if held else np.arange(len(data))])
        tellers = [_teller(data, name, ids, len(first)) for name in shared]
        return cls(data, ids, tuple(shared), np.column_stack(tellers))

    def __len__(self) -> int:
        return len(self.teller)

    @property
    def complete(self) -> Mask:
        """Which households have a value of all that members share."""
        return np.asarray((self.teller >= 0).all(axis=1))

    def any_member(self, records: Mask) -> Mask:
        """Tell in which households some record is."""
        return np.asarray(np.bincount(self.of_record[records], minlength=len(self)) > 0)

    def codes(self, level: int) -> Ints:
        """Return of every household the class of what its members share up to a level."""
        from tacita.kernels.grouping import group

        names, tellers = self.shared[: level + 1], self.teller.T
        parts = [
            np.where(teller < 0, -1, self.data.classes([name]).of_record[teller])
            for name, teller in zip(names, tellers, strict=False)
        ]
        return group(parts, records=len(self)).ids

    def profiles(self, names: Sequence[str]) -> Ints:
        """Return a number for every household, the same where members agree as a whole.

        They are as many, and the combinations of their values are the same, in whatever order. What
        members share moves to those only who hold a value of it: whether they do counts as a value.
        """
        from tacita.kernels.grouping import group

        blank = [np.asarray(self.data.column(name).is_null()) for name in self.shared]
        codes = group([*([self.data.classes(names).of_record] if names else []), *blank]).ids
        order = np.lexsort([codes, self.of_record])
        sizes = np.bincount(self.of_record, minlength=len(self))
        starts = np.cumsum(sizes) - sizes
        profile, left, place = sizes.copy(), np.arange(len(self)), 0
        while len(left := left[sizes[left] > place]):
            found = group([profile[left], codes[order[starts[left] + place]]]).ids
            place += 1
            profile[left] = found + place * (len(order) + 1)  # above all numbers given before
        return profile

    def moved(self, partner: Ints) -> Dataset:
        """Return the data in which members share what those of another household do."""
        data = self.data
        for place, name in enumerate(self.shared):
            column, now = data.column(name), partner[self.of_record]
            stays = now == self.of_record
            source = np.where(stays, np.arange(len(data)), self.teller[now, place])
            blank = np.asarray(column.is_null())
            data = data.with_column(data.attribute(name), column.take(pa.array(source, mask=blank)))
        return data


def _teller(data: Dataset, name: str, household: Ints, size: int) -> Ints:
    """Return the first member of every household whose value of an attribute is known."""
    known = np.flatnonzero(np.asarray(data.column(name).is_valid()))
    teller = np.full(size, -1, np.int64)
    teller[household[known[::-1]]] = known[::-1]
    codes = data.classes([name]).of_record
    differs = codes[known] != codes[teller[household[known]]]
    if differs.any():
        row = int(known[differs.argmax()])
        raise InputError(
            f"The members of a household must live in one area; `{name}` of record {row + 1} is "
            f"not that of record {teller[household[row]] + 1}. Correct it, or give another "
            "attribute the role `household`."
        ).about(name)
    return teller
