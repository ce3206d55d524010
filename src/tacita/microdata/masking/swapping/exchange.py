"""The exchange of values between records."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.errors import ProtectionError


def exchanged(data: Dataset, names: Sequence[str], source: np.ndarray[Any, Any]) -> Dataset:
    """Return the data in which every record has the values of another in some attributes.

    Args:
        data: the records.
        names: the attributes.
        source: whose values each record gets; its own where its value or theirs is blank.
    """
    rows, pool = pa.array(source), pa.system_memory_pool()  # where sorting and drawing left room
    for name in names:
        values = pc.take(data.column(name), rows, memory_pool=pool)
        data = data.with_column(data.attribute(name), values)
    return data


def pairs_for(rate: float, size: int) -> int:
    """Return how many pairs a share of so many units makes: the nearest number, at least one.

    >>> pairs_for(0.5, 11), pairs_for(0.001, 11)
    (3, 1)
    """
    return max(1, round(Fraction(str(rate)) * size / 2))


def refuse_none(method: str, swapped: int, why: str) -> None:
    """Refuse to release values as masked of which not one could be swapped."""
    if not swapped:
        raise ProtectionError(f"`{method}` finds nothing that could be swapped: {why}.")


def changed(data: Dataset, names: Sequence[str], source: Ints) -> int:
    """Count the records that get other values than their own from another record."""
    codes = data.classes(names).of_record
    return int(np.count_nonzero(codes[source] != codes))
