"""A partition: which class every record is in, and what the classes have of a key."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacita.data.classes import Ints

Places = np.ndarray[Any, np.dtype[np.int32]]

LEFT_OUT = -1


@dataclass(frozen=True, eq=False)
class Partition:
    """Records in classes; some may be left out.

    Args:
        of_record: for every record, the number of its class, or LEFT_OUT. Every number from 0 up
            to the highest is used.
    """

    of_record: Ints

    @classmethod
    def of(cls, labels: Ints) -> Partition:
        """Make a partition of any numbers of classes; negative ones are left out."""
        kept = labels >= 0
        numbers = np.full(len(labels), LEFT_OUT)
        numbers[kept] = np.unique(labels[kept], return_inverse=True)[1]
        return cls(numbers)

    @classmethod
    def cut(cls, records: int, ids: Places, edges: Ints) -> Partition:
        """Make a partition of records in the order of their classes.

        Args:
            records: the number of records.
            ids: the records that are kept, class after class.
            edges: where each class starts among them, and where the last one stops.
        """
        numbers = np.full(records, LEFT_OUT)
        numbers[ids] = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
        return cls(numbers)

    def __len__(self) -> int:
        return len(self.edges) - 1

    @cached_property
    def ids(self) -> Ints:
        """The records that are kept, class after class."""
        order = np.argsort(self.of_record, kind="stable")
        return order[self.left_out :]

    @property
    def left_out(self) -> int:
        """How many records are left out."""
        return int(np.count_nonzero(self.of_record < 0))

    @cached_property
    def edges(self) -> Ints:
        """Where each class starts among the records that are kept, and where the last one stops."""
        starts = np.flatnonzero(np.diff(self.of_record[self.ids], prepend=LEFT_OUT))
        return np.append(starts, len(self.ids))

    def ends(self, codes: Ints) -> tuple[Ints, Ints]:
        """Return the least and the greatest of some codes in every class."""
        if not len(self):
            return codes[:0], codes[:0]
        mine = codes[self.ids]
        return tuple(choose.reduceat(mine, self.edges[:-1]) for choose in (np.minimum, np.maximum))  # type: ignore[return-value]
