"""Agreement: how the known and the released values of attributes agree, fully, partly or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import load_extra
from tacita.microdata.comparing.representation import (
    alike,
    common_codes,
    mostly_recoded,
    recoded,
)
from tacita.microdata.risk.linking.blocking import Blocks

AT_ONCE = 2**24  # similarities computed at a time
SECONDS_OF_DAY = 86400

Places = np.ndarray[Any, np.dtype[np.int32]]


@dataclass(frozen=True)
class Tolerance:
    """How far apart values may be that partly agree.

    Args:
        deviations: numbers, in standard deviations of what the intruder knows.
        days: dates.
        similarity: texts, the least Jaro-Winkler similarity; None for no partial agreement.
    """

    deviations: float
    days: float
    similarity: float | None = None


@dataclass(frozen=True, eq=False)
class Agreement:
    """The values of one attribute in both files as codes, and which of them partly agree.

    Args:
        known: the code of every known value; -1 for a blank.
        released: the code of every released value.
        size: how many codes there are.
        starts: for every code, where its stretches of partly agreeing codes start, and the end.
        lows: the first code of each stretch.
        highs: the code after the last of each stretch.
    """

    known: Ints
    released: Ints
    size: int
    starts: Ints
    lows: Ints
    highs: Ints


class Column(NamedTuple):
    """An attribute in both files: the known values as the release codes them, and the released."""

    known: pa.Array
    released: pa.Array
    kind: Kind | None


def column_of(original: Dataset, protected: Dataset, own: Ints, name: str) -> Column:
    """Bring an attribute of both files to one coding; the kind is None if it is no longer one."""
    kinds = {data.attribute(name).kind for data in (original, protected)}
    released = protected.column(name)
    values = original.column(name)
    known = recoded(values, own, released, original.attribute(name).kind)
    if known is values:
        known = mostly_recoded(values, own, released)
    return Column(known, released, kinds.pop() if len(kinds) == 1 else None)


def agreement(column: Column, rows: Ints, passes: Sequence[Blocks], how: Tolerance) -> Agreement:
    """Compare the known values of an attribute with the released values of some records."""
    released = column.released.take(pa.array(rows))
    if column.kind is Kind.CONTINUOUS:
        known, masked = _numbers(column.known), _numbers(released)
        return _of_numbers(known, masked, how.deviations * _deviation(known))
    if column.kind is Kind.DATE and pa.types.is_temporal(released.type):
        return _of_numbers(_days(column.known), _days(released), how.days)
    values = alike(column.known, released)
    codes = common_codes(*values)
    if how.similarity is None or not _is_text(values[0].type):
        return _of_codes(*codes)
    return _of_words(*codes, values, passes, how.similarity)


def is_text(column: Column) -> bool:
    """Tell whether a column is compared as text."""
    by_value = (Kind.CONTINUOUS, Kind.DATE)
    return column.kind not in by_value and _is_text(alike(column.known, column.released)[0].type)


def _of_codes(known: Ints, released: Ints) -> Agreement:
    size = _size(known, released)
    none = np.empty(0, np.int64)
    return Agreement(known, released, size, np.zeros(size + 1, np.int64), none, none)


def _of_numbers(known: Floats, released: Floats, within: float) -> Agreement:
    """Give the values ascending codes: those that partly agree with one are neighbours."""
    values = np.unique(np.concatenate([known, released]))
    values = values[~np.isnan(values)]
    ours, theirs = (
        np.where(np.isnan(side), -1, np.searchsorted(values, side)) for side in (known, released)
    )
    if not within:
        return _of_codes(ours, theirs)
    with np.errstate(over="ignore"):  # what has no double is beyond all values
        lows = np.searchsorted(values, values - within, "left")
        highs = np.searchsorted(values, values + within, "right")
    return Agreement(ours, theirs, len(values), np.arange(len(values) + 1), lows, highs)


def _of_words(
    known: Ints,
    released: Ints,
    words: tuple[pa.Array, pa.Array],
    passes: Sequence[Blocks],
    least: float,
) -> Agreement:
    """Find the similar words of the two files; only those of one block are looked at."""
    size = _size(known, released)
    spelling = np.full(size + 1, None, dtype=object)  # the last one is the blank's
    for codes, column in ((known, words[0]), (released, words[1])):
        spelling[codes] = column.to_numpy(zero_copy_only=False)
    near = [np.empty(0, np.int64)]
    for ours, theirs in _together(known, released, passes, size):
        near += _similar(ours, theirs, spelling, size, least)
    pairs = np.unique(np.concatenate(near))
    starts = np.searchsorted(pairs, np.arange(size + 1) * size)
    return Agreement(known, released, size, starts, pairs % size, pairs % size + 1)


def _together(
    known: Ints, released: Ints, passes: Sequence[Blocks], size: int
) -> Iterator[tuple[Ints, Ints]]:
    """List, block by block, the distinct codes of the known and of the released records."""
    for blocks in passes:
        ours, theirs = (
            np.unique((ids * size + codes)[(ids >= 0) & (codes >= 0)])
            for ids, codes in ((blocks.known, known), (blocks.released, released))
        )
        for block in np.intersect1d(ours // max(size, 1), theirs // max(size, 1)):
            yield _in_block(ours, block, size), _in_block(theirs, block, size)


def _in_block(held: Ints, block: int, size: int) -> Ints:
    begin, end = np.searchsorted(held, (block * size, block * size + size))
    return held[begin:end] % size


def _similar(ours: Ints, theirs: Ints, spelling: Any, size: int, least: float) -> list[Ints]:
    """Return the similar ones among all pairs of codes, as released code x size + known code."""
    process = load_extra("rapidfuzz.process", "linkage")
    scorer = load_extra("rapidfuzz.distance", "linkage").JaroWinkler.similarity
    found = []
    step = max(1, AT_ONCE // len(ours))
    for begin in range(0, len(theirs), step):
        some = theirs[begin : begin + step]
        scores = process.cdist(
            spelling[some], spelling[ours], scorer=scorer, score_cutoff=least, dtype=np.float32
        )
        rows, columns = np.nonzero(scores)
        found.append(some[rows] * size + ours[columns])
    return found


def _size(known: Ints, released: Ints) -> int:
    return int(max(known.max(initial=-1), released.max(initial=-1))) + 1


def _numbers(column: pa.Array) -> Floats:
    return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _days(column: pa.Array) -> Floats:
    return _numbers(column.cast(pa.timestamp("s"), safe=False).cast(pa.int64())) / SECONDS_OF_DAY


def _deviation(values: Floats) -> float:
    there = values[~np.isnan(values)]
    # Squares of very large numbers have no double; by a power of two, scaling loses no digit.
    scale = 2.0 ** (int(np.frexp(np.abs(there).max(initial=0.0))[1]) - 1)
    return float((there / scale).std()) * scale if len(there) else 0.0


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
