"""Clusters of records released as ranges: each key from its least to its greatest value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.microdata.masking.ranges.line import Line

CLOSE = 2.0**-40  # sums of squares that are as close, relatively, are compared exactly


def ascending_axis(lines: Sequence[Line], records: int) -> Floats:
    """Return numbers that ascend with the distance of records to the record of zeros (squared).

    The squared distance is the sum over attributes of (a / sigma)^2; dates count from the first one
    on, and an attribute with one value adds nothing. Equal distances have equal numbers, of
    decimals as they were written. Records with blanks come after those without, by which of their
    values are blank, so that blanks meet blanks.
    """
    squares = np.zeros(records)
    pattern = np.zeros(records, np.int64)
    for line in lines:
        squares += np.append(_squares(line), 0.0)[line.place]
        pattern = _joined(pattern, line.place < 0)
    squares = _settled(squares, lines)
    if not pattern.any():
        return squares
    axis = np.empty(records)
    axis[np.lexsort((squares, pattern))] = np.arange(records)
    return axis


def _squares(line: Line) -> Floats:
    """Return ((a - 0) / sigma)^2 of every distinct value, rounded."""
    if len(line.at) < 2:  # noqa: PLR2004 - one value has no spread
        return np.zeros(len(line.at))
    numbers = (line.at - line.at[0] if _is_date(line) else line.at).astype(np.float64)
    # In a unit in which nothing is too large to be squared; a power of two costs no digit.
    power = -math.frexp(float(np.abs(numbers).max()))[1]
    # From a value in the middle on: far from 0, digits of the spread would be lost.
    shifted = np.ldexp((line.at - line.at[len(line.at) // 2]).astype(np.float64), power)
    weights = line.counts / line.counts.sum()
    mean = float((weights * shifted).sum())
    variance = float((weights * (shifted - mean) ** 2).sum())
    found = np.ldexp(numbers, power) ** 2 / variance if variance > 0 else np.zeros(len(numbers))
    return np.asarray(found)


def _is_date(line: Line) -> bool:
    return bool(pa.types.is_temporal(line.examples.type))


def _settled(squares: Floats, lines: Sequence[Line]) -> Floats:
    """Return numbers in the exact order of sums that may have been rounded apart or together."""
    order = np.argsort(squares, kind="stable")
    ascending = squares[order]
    is_close = np.diff(ascending) <= CLOSE * ascending[1:]
    differs = np.zeros(len(is_close), np.bool_)
    for line in lines:
        differs |= np.diff(line.place[order]) != 0
    if not (is_close & differs).any():
        return squares
    run = np.append(0, np.cumsum(~is_close))
    unsure = np.bincount(run[1:], is_close & differs)[run] > 0
    rank = np.zeros(len(squares), np.int64)
    rank[unsure] = _ranks([line.place[order[unsure]] for line in lines], lines)
    axis = np.empty(len(squares))
    axis[order] = run * (int(rank.max()) + 1) + rank
    return axis


def _ranks(places: Sequence[Ints], lines: Sequence[Line]) -> Ints:
    """Return the place of every record's exact squared distance among those of all."""
    from tacita.kernels.grouping import group

    found = group([place.astype(np.int64) for place in places])
    terms = _exact_squares(lines)
    rows = zip(*(place[found.first].tolist() for place in places), strict=True)
    sums = [sum(term[at] for term, at in zip(terms, row, strict=True)) for row in rows]
    ranks = {total: rank for rank, total in enumerate(sorted(set(sums)))}
    return np.array([ranks[total] for total in sums], np.int64)[found.ids]


def _exact_squares(lines: Sequence[Line]) -> list[list[int]]:
    """Return (a / sigma)^2 of every distinct value, a blank last, in one unit for all."""
    numbers = [_whole(line) for line in lines]
    spreads = []
    for line, values in zip(lines, numbers, strict=True):
        counted = list(zip(line.counts.tolist(), values, strict=True))
        records, total = sum(line.counts.tolist()), sum(count * value for count, value in counted)
        squares = sum(count * value**2 for count, value in counted)
        spreads.append(Fraction(records * squares - total**2, max(records, 1) ** 2))
    unit = math.lcm(*(spread.numerator for spread in spreads if spread))
    factors = [int(unit / spread) if spread else 0 for spread in spreads]
    return [
        [*(factor * value**2 for value in values), 0]
        for factor, values in zip(factors, numbers, strict=True)
    ]


def _whole(line: Line) -> list[int]:
    """Return the distinct values as whole numbers of some unit, dates from the first one on."""
    if line.at.dtype.kind == "f":
        exact = [Fraction(str(value)) for value in line.at.tolist()]
        unit = math.lcm(*(value.denominator for value in exact))
        return [int(value * unit) for value in exact]
    first = int(line.at[0]) if len(line.at) and _is_date(line) else 0
    return [value - first for value in line.at.tolist()]


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
