"""Conditions on records that are true, false or, with a blank, neither."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.classes import Mask

Columns = Mapping[str, pa.Array]


class Truth(NamedTuple):
    """Where a condition is true and where it is false; with a blank it is neither."""

    yes: Mask
    no: Mask

    @classmethod
    def of(cls, found: pa.Array) -> Truth:
        """Read what Arrow says of two columns; null is neither."""
        yes = np.asarray(found.fill_null(False), np.bool_)
        return cls(yes, ~np.asarray(found.fill_null(True), np.bool_))

    def opposite(self) -> Truth:
        """Return the opposite."""
        return Truth(self.no, self.yes)

    def both(self, other: Truth) -> Truth:
        """Return where both are true."""
        return Truth(self.yes & other.yes, self.no | other.no)


Condition = Callable[[Columns], Truth]


def implied(one: Condition, other: Condition) -> Condition:
    """Return the condition that is false where the first is true and the second false."""
    return denied(all_of([one, denied(other)]))


def denied(one: Condition) -> Condition:
    """Return the opposite of a condition."""
    return lambda columns: one(columns).opposite()


def all_of(parts: Sequence[Condition]) -> Condition:
    """Return the condition that all of some hold."""

    def says(columns: Columns) -> Truth:
        found = parts[0](columns)
        for part in parts[1:]:
            found = found.both(part(columns))
        return found

    return says


def any_of(parts: Sequence[Condition]) -> Condition:
    """Return the condition that one of some holds."""
    return denied(all_of([denied(part) for part in parts]))


def blank_in(name: str) -> Condition:
    """Return the condition that an attribute is blank."""
    return lambda columns: Truth.of(columns[name].is_null())
