"""What clues look at: the numbers of attributes, and how often each occurs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Kind, Role
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset

LARGEST = 1e100
CATEGORIES = frozenset({Kind.NOMINAL, Kind.ORDINAL})
APART = (Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM, Role.IDENTIFIER)


class Counted(NamedTuple):
    """The distinct numbers of an attribute in ascending order, and how often each occurs."""

    values: Floats
    counts: Ints

    @property
    def records(self) -> int:
        """The number of records with a value."""
        return int(self.counts.sum())


def numeric(data: Dataset) -> list[str]:
    """Return the attributes of numbers that say something of respondents."""
    return [
        name
        for name, attribute in data.attributes.items()
        if attribute.kind is Kind.CONTINUOUS
        and not any(attribute.is_a(role) for role in APART)
        and not pa.types.is_temporal(data.column(name).type)
    ]


def worded(data: Dataset) -> list[str]:
    """Return the attributes of words."""
    return [name for name in data.names if pa.types.is_string(data.column(name).type)]


def counted(data: Dataset, name: str) -> Counted:
    """Count the numbers of an attribute; blanks and what is no quantity are passed over."""
    return Counted(*np.unique(quantities(data, name) + 0.0, return_counts=True))


def quantities(data: Dataset, name: str) -> Floats:
    """Return the numbers of an attribute that computing with them does not make infinite."""
    numbers = data.numbers(name)
    return numbers[np.abs(numbers) < LARGEST]


def whole(numbers: Floats, near: float) -> Mask:
    """Tell which numbers are whole but for a share that computing them may have lost.

    >>> whole(np.array([3.0, 2.5, 0.1 * 3 * 10]), 1e-12)
    array([ True, False,  True])
    """
    off = np.abs(numbers - np.round(numbers))
    return np.asarray(off <= near * np.maximum(np.abs(numbers), 1))
