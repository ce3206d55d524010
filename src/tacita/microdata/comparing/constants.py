"""Constants: attributes whose known values are all the same, which tell nothing of anybody."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.data.dataset import Dataset
from tacita.results import listed


def constants(data: Dataset, names: Sequence[str]) -> list[str]:
    """Return those of some attributes that do not vary, among records that are not blank.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> constants(ta.read(pa.table({"a": [1, None, 1], "b": [1, 2, 1]})), ["a", "b"])
    ['a']
    """
    return [name for name in names if not _varies(data, name)]


def _varies(data: Dataset, name: str) -> bool:
    known = np.asarray(data.column(name).is_valid())
    return len(np.unique(data.classes([name]).of_record[known])) > 1


def left_out(constant: Sequence[str]) -> str:
    """Say which attributes were left out because they do not vary."""
    return f"; constant and left out: {listed(constant)}" if constant else ""
