"""Clusters of records released as ranges: each key from its least to its greatest value."""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.microdata.masking.ranges.line import Line


def ascending_axis(lines: Sequence[Line], records: int) -> Floats:
    """Return numbers that ascend with the distance of records to the record of zeros (squared).

    The squared distance is the sum over attributes of (a / sigma)^2; dates count from the first one
    on, and an attribute with one value adds nothing. Records with blanks come after those without,
    by which of their values are blank, so that blanks meet blanks.
    """
    squares = np.zeros(records)
    pattern = np.zeros(records, np.int64)
    for line in lines:
        squares += np.append(_squares(line), 0.0)[line.place]
        pattern = _joined(pattern, line.place < 0)
    if not pattern.any():
        return squares
    axis = np.empty(records)
    axis[np.lexsort((squares, pattern))] = np.arange(records)
    return axis


def _squares(line: Line) -> Floats:
    """Return ((a - 0) / sigma)^2 of every distinct value."""
    if len(line.at) < 2:  # noqa: PLR2004 - one value has no spread
        return np.zeros(len(line.at))
    is_date = pa.types.is_temporal(line.examples.type)
    numbers = (line.at - line.at[0] if is_date else line.at).astype(np.float64)
    # In a unit in which nothing is too large to be squared; a power of two costs no digit.
    numbers = np.ldexp(numbers, -frexp(float(np.abs(numbers).max()))[1])
    weights = line.counts / line.counts.sum()
    mean = float((weights * numbers).sum())
    variance = float((weights * (numbers - mean) ** 2).sum())
    return np.asarray(numbers**2 / variance) if variance > 0 else np.zeros(len(numbers))


def _joined(pattern: Ints, blank: Mask) -> Ints:
    """Tell combinations of blanks apart, as seen so far and in one more attribute."""
    if not blank.any():
        return pattern
    return np.unique(2 * pattern + blank, return_inverse=True)[1].astype(np.int64)


def released_as_ranges(data: Dataset, lines: Sequence[Line], cluster: Ints, size: int) -> Dataset:
    """Return the data with each attribute from its least to its greatest value in every cluster.

    A value that all records of a cluster share stays as it is; where one of them is blank, all
    become blank, and why values are missing is no longer told.

    Args:
        data: the data.
        lines: the attributes that become ranges.
        cluster: the cluster of every record.
        size: the number of clusters, none of which is empty.
    """
    counts = np.bincount(cluster, minlength=size)
    order, starts = np.argsort(cluster, kind="stable"), np.cumsum(counts) - counts
    released = data.without_reasons([line.attribute.name for line in lines])
    for line in lines:
        ends = [choose.reduceat(line.place[order], starts) for choose in (np.minimum, np.maximum)]
        released = _with_ranges(released, line, cluster, *ends)
    return released


def _with_ranges(data: Dataset, line: Line, cluster: Ints, low: Any, high: Any) -> Dataset:
    """Put the ranges of clusters, as places on the line, in the place of an attribute's values."""
    from tacita.kernels.grouping import group

    if line.is_exact and bool((low == high).all()):
        return data
    blank, name = low < 0, line.attribute.name
    pairs = group([np.maximum(low, 0), np.maximum(high, 0)])  # a few say what all clusters do
    texts = line.ranges(*(np.maximum(end[pairs.first], 0) for end in (low, high)))
    which = pa.array(pairs.ids.astype(np.int32), mask=blank).take(pa.array(cluster))
    suppressed = data.suppressed_in(name) | (blank[cluster] & (line.place >= 0))
    return data.with_column(line.attribute.recoded(), texts.take(which), suppressed)
