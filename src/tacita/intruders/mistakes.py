"""Mistakes: values as an intruder holds them whose source is not always right.

What is drawn depends on the seed, the attribute and the record alone: with a larger error the same
records are wrong and some more, and another attribute's mistakes stay as they are.
"""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

import numpy as np
import pyarrow as pa

from tacita.data.dataset import Dataset
from tacita.intruders.accuracy import Accuracy

LARGEST = 1e300  # beyond which an error has no double


def mistaken(data: Dataset, name: str, accuracy: Accuracy, seed: int) -> Dataset:
    """Return data in which some values of an attribute are wrong, or all are a little."""
    of_name = np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()),))
    wrong, errors = (np.random.default_rng(one) for one in of_name.spawn(2))
    if accuracy.wrong:
        data = _exchanged(data, name, accuracy.wrong, wrong)
    if accuracy.error is not None:
        data = _with_error(data, name, accuracy, errors)
    return data


def _exchanged(data: Dataset, name: str, share: float, rng: np.random.Generator) -> Dataset:
    """Return data in which some records hold the value of a record drawn at random."""
    records = len(data)
    drawn, others = rng.random(records), rng.integers(0, max(records, 1), records)
    rows = np.where(drawn < share, others, np.arange(records))
    # Only values go over to another record, not the reasons why some are missing.
    plain = data.without_reasons([name])
    return plain.with_column(data.attribute(name), data.column(name).take(pa.array(rows)))


def _with_error(data: Dataset, name: str, accuracy: Accuracy, rng: np.random.Generator) -> Dataset:
    numbers, drawn = data.numbers(name), rng.standard_normal(len(data))
    size = accuracy.absolute_error
    error = drawn * (numbers * (accuracy.relative_error or 0.0) if size is None else size)
    held = np.clip(numbers + error, -LARGEST, LARGEST)
    attribute = replace(data.attribute(name), hierarchy=None)
    return data.with_column(attribute, pa.array(held, mask=np.isnan(numbers)))
