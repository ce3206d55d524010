"""Pairs: every protected record beside the original record it comes from."""

from __future__ import annotations

import numpy as np

from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows


def paired(original: Dataset, protected: Dataset) -> Dataset:
    """Return the original records in the order of the protected records that come from them.

    >>> import tacita as ta
    >>> data = ta.example("toy", 10)
    >>> paired(data, data.take(np.array([7, 2]))).column("id").to_pylist()
    ['id-8', 'id-3']

    Raises:
        InputError: nobody knows which records belong together.
    """
    rows = paired_rows(original, protected)
    whole = len(rows) == len(original) and np.array_equal(rows, np.arange(len(rows)))
    return original if whole else original.take(rows)
