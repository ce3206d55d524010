"""Releasing classes: every record shows what its class has of each key."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.microdata.anonymize.partitioning.partition import Partition
from tacita.microdata.anonymize.partitioning.scales import Scale


def released(data: Dataset, scales: Sequence[Scale], partition: Partition) -> Dataset:
    """Return the data in which the keys of a record tell only what all of its class have.

    A class with blanks and values of a key releases blanks: those that were values are suppressed.
    A key of which every value stays is left as it is. Records in no class are left out.
    """
    rows = np.flatnonzero(partition.of_record >= 0)
    if partition.left_out:
        data = data.take(rows)
    for scale in scales:
        low, high = partition.ends(scale.codes)
        if not np.array_equal(low, high):
            data = _with_ranges(data, scale, partition.of_record[rows], low, high)
    return data


def _with_ranges(data: Dataset, scale: Scale, classes: Ints, low: Ints, high: Ints) -> Dataset:
    name = scale.attribute.name
    values = scale.released(low, high).take(pa.array(classes))
    was_blank = np.asarray(data.column(name).is_null())
    suppressed = data.suppressed_in(name) | (np.asarray(values.is_null()) & ~was_blank)
    return data.with_column(scale.attribute.recoded(), values, suppressed)
