"""Samples: what grows faster than the data is measured on a stated part of them."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tacita.data.arranging import order_of_contents
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset

SampleSize = Annotated[
    int | None,
    Field(
        description="At most so many records, drawn at random, are measured (None: all of them).",
        ge=1,
    ),
]
SampleSeed = Annotated[int, Field(description="Where the sample is drawn from (0 or more).", ge=0)]


def drawn(records: int, sample: int | None, seed: int) -> Ints:
    """Return the records of a simple random sample, in ascending order; all if there are few.

    >>> drawn(3, 5, seed=0), len(drawn(1000, 5, seed=0))
    (array([0, 1, 2]), 5)
    """
    if sample is None or records <= sample:
        return np.arange(records)
    return np.sort(np.random.default_rng(seed).choice(records, sample, replace=False))


def drawn_records(original: Dataset, protected: Dataset, sample: int | None, seed: int) -> Ints:
    """Return a simple random sample of protected records, in ascending order; all if there are few.

    What is in the records says which are drawn: a common reordering of both files draws the same.
    """
    rows = drawn(len(protected), sample, seed)
    if len(rows) == len(protected):
        return rows
    return np.sort(order_of_contents(original, protected)[rows])


def told(measured: int, records: int) -> str:
    """Say on how many of the records something was measured; nothing when it was all of them.

    >>> told(5, 5), told(10_000, 1_000_000)
    ('', ' (on a random sample of 10,000 of 1,000,000 records)')
    """
    if measured == records:
        return ""
    return f" (on a random sample of {measured:,} of {records:,} records)"
