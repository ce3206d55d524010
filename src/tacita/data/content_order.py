"""An order of records that is a function of their values alone, so that it tells nothing else.

Every record has a digest of its values; records stand in ascending order of their digests. Those of
a household, or of one person's history, stand together, and the groups are in the order of the
digests of all that is in them. Records that are alike in all values are alike in any order. Nobody
can undo the order by guessing a seed, and anybody can verify it from the records.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Role
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset

Digests = np.ndarray[Any, np.dtype[np.uint64]]
OfColumn = Callable[[pa.Array], Digests]
Data = TypeVar("Data", bound=Dataset)

BYTES = 8
LARGEST_WHOLE = 2.0**63
STEP = np.uint64(0x9E3779B97F4A7C15)  # between columns, so that nothing stays 0
TRUTHS = {"true": "1", "false": "0"}  # files hold them as words or as numbers
KNOWN = 1 << 16  # texts whose digests are remembered: many measures ask for the same data
BLANK = np.uint64(0xD1B54A32D192ED03)  # the digest of a value that is not there
# The multipliers and shifts of a mixing function (Steele, Lea & Flood, OOPSLA 2014: SplitMix).
MIXED_BY = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))


def in_content_order(data: Data, history: str | None = None) -> Data:
    """Return the records in the order of their contents.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> sorted_by_age = ta.read(pa.table({"age": [18, 25, 31, 44, 60]}))
    >>> in_content_order(sorted_by_age).column("age").to_pylist()
    [44, 25, 31, 60, 18]

    Args:
        data: the records.
        history: the attribute that says whose history a record belongs to: the records of one
            person stay together, in the order in which they stand.
    """
    return data.take(content_order(data, history))


def is_in_content_order(data: Dataset, history: str | None = None) -> bool:
    """Tell whether records stand in the order of their contents, as far as a reader can tell.

    A file may be read with other types than it was written from: numbers are compared as numbers,
    whether they were text or not; between records that differ in nothing else any order will do.
    """
    seen = _Seen.of(data, history, _digests)
    keys = np.column_stack([seen.of_group, seen.inside])
    later, earlier = keys[1:], keys[:-1]
    rises = (later[:, 0] > earlier[:, 0]) | (
        (later[:, 0] == earlier[:, 0]) & (later[:, 1] >= earlier[:, 1])
    )
    return bool(rises.all()) and seen.stands_together()


def content_order(data: Dataset, history: str | None = None) -> Ints:
    """Return the records by what any reader sees of them, then by how it is spelled."""
    seen, spelled = (_Seen.of(data, history, by) for by in (_digests, _spelling_digests))
    keys = (spelled.inside, seen.inside, seen.group, spelled.of_group, seen.of_group)
    order: Ints = np.lexsort(keys)
    return order


def contents_of(data: Dataset) -> list[Digests]:
    """Return digests of what is in each record: of what is seen, how it is spelled, what is hidden.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> [len(np.unique(part)) for part in contents_of(ta.read(pa.table({"x": ["1", "01", "a"]})))]
    [2, 3, 1]
    """
    hidden = np.zeros(len(data), np.uint64)
    for name in data.names:
        if name in data.suppressed_cells or name in data.missing_reasons:
            reasons = data.missing_reasons.get(name, np.zeros(len(data), np.int32))
            states = np.where(data.suppressed_in(name), -1, reasons).astype(np.int64)
            hidden = _mixed(hidden + STEP + states.view(np.uint64))
    return [*_record_digests(data, _digests, _spelling_digests), hidden]


def alike_in(one: Dataset, other: Dataset) -> tuple[Digests, Digests] | None:
    """Return digests of what two files have alike: the same combinations of the same attributes.

    Attributes are added in their order as long as the combinations stay the same, each as often in
    one file as in the other. Records in the order of these digests then have the same columns of
    them, wherever they stood and whatever became of the other attributes.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> one = ta.read(pa.table({"x": [1, 2, 3], "y": [4, 5, 6], "z": [7, 8, 9]}))
    >>> other = ta.read(pa.table({"x": [3, 1, 2], "y": [0, 0, 0], "z": [9, 7, 8]}))
    >>> ours, theirs = (np.argsort(digests) for digests in alike_in(one, other))
    >>> one.column("z").take(ours).equals(other.column("z").take(theirs))
    True

    Args:
        one: a file.
        other: another one; where it has not as many records, nothing is alike.
    """
    if len(one) != len(other):
        return None
    found = np.zeros((2, len(one)), np.uint64)
    for name in one.names:
        if name in other.attributes:
            columns = [_digests(data.column(name)) for data in (one, other)]
            longer = np.array(
                [_mixed(rows + STEP + column) for rows, column in zip(found, columns, strict=True)]
            )
            if np.array_equal(*np.sort(longer, axis=1)):
                found = longer
    return (found[0], found[1]) if found.any() else None


def group_ranks(data: Dataset, name: str) -> Ints:
    """Return for every record the rank of its group by what is in it, whatever the group is called.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> people = ta.read(pa.table({"home": [907, 907, 4, 4], "age": [40, 3, 61, 60]}))
    >>> renamed = ta.read(pa.table({"home": [1, 1, 2, 2], "age": [40, 3, 61, 60]}))
    >>> bool((group_ranks(people, "home") == group_ranks(renamed, "home")).all())
    True

    Args:
        data: the records.
        name: the attribute whose equal values make a group; a blank stands by itself.
    """
    rows = np.zeros(len(data), np.uint64)
    for other in data.names:
        if other != name:
            rows = _mixed(rows + STEP + _digests(data.column(other)))
    group = group_numbers(data.column(name))
    sums = np.zeros(int(group.max(initial=-1)) + 1, np.uint64)
    np.add.at(sums, group, rows)
    ranks = np.empty(len(sums), np.int64)
    ranks[np.argsort(_mixed(sums), kind="stable")] = np.arange(len(sums))
    ranked: Ints = ranks[group]
    return ranked


class _Seen(NamedTuple):
    """What the place of a record follows from.

    Args:
        of_group: the digest of all that is in its group; its own where it stands by itself.
        group: the number of its group.
        inside: what it is sorted by inside of its group; nothing in a history.
    """

    of_group: Digests
    group: Ints
    inside: Digests

    @classmethod
    def of(cls, data: Dataset, history: str | None, of_column: OfColumn) -> _Seen:
        (rows,) = _record_digests(data, of_column)
        together = history or next(iter(data.with_role(Role.HOUSEHOLD)), None)
        if together is None:
            return cls(rows, np.zeros(len(rows), np.int64), rows)
        group = group_numbers(data.column(together))
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        # A sum does not tell in which order the members stand.
        sums = np.add.reduceat(rows[order], starts) if len(rows) else rows
        inside = np.zeros(len(rows), np.uint64) if history else rows
        return cls(_mixed(sums)[group], group, inside)

    def stands_together(self) -> bool:
        """Tell whether no group is split."""
        starts = np.flatnonzero(np.diff(self.group, prepend=-1))
        return len(np.unique(self.group[starts])) == len(starts)


def group_numbers(column: pa.Array) -> Ints:
    """Return the number of every record's group; a blank stands by itself.

    >>> group_numbers(pa.array(["b", None, "a", "b", None])).tolist()
    [2, 1, 3, 2, 0]
    """
    codes = np.asarray(pc.dictionary_encode(column).indices.fill_null(-1), np.int64)
    alone = codes < 0
    return np.unique(np.where(alone, -1 - np.cumsum(alone), codes), return_inverse=True)[1]


def _record_digests(data: Dataset, *ways: OfColumn) -> list[Digests]:
    """Return digests of all records in each of some ways; what is no number is spelled out once."""
    found = [np.zeros(len(data), np.uint64) for _ in ways]
    for name in data.names:
        column = data.column(name)
        if not (_is_number(column.type) or pa.types.is_boolean(column.type)):
            column = _as_text(column)
        found = [
            _mixed(rows + STEP + of_column(column))
            for rows, of_column in zip(found, ways, strict=True)
        ]
    return found


def _mixed(values: Digests) -> Digests:
    """Spread whatever differs between values over all of their bits."""
    for shift, times in MIXED_BY:
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(times)
    return values


def _digests(column: pa.Array) -> Digests:
    """Return digests of values; of numbers by what they are, whatever their type."""
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if _is_number(column.type):
        return _number_digests(column)
    coded = pc.dictionary_encode(_as_text(column))
    return _decoded(coded, [_of_value(text) for text in coded.dictionary.to_pylist()])


def _spelling_digests(column: pa.Array) -> Digests:
    """Return digests of values as they are spelled; numbers were told apart before."""
    if _is_number(column.type) or pa.types.is_boolean(column.type):
        return np.zeros(len(column), np.uint64)
    coded = pc.dictionary_encode(_as_text(column))
    return _decoded(coded, [_of_text(text) for text in coded.dictionary.to_pylist()])


def _decoded(coded: pa.DictionaryArray, digests: list[int]) -> Digests:
    known = np.array([*digests, int(BLANK)], np.uint64)
    decoded: Digests = known[np.asarray(coded.indices.fill_null(len(digests)))]
    return decoded


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _number_digests(column: pa.Array) -> Digests:
    """Return digests of numbers; 1 and 1.0 have the same."""
    known = np.asarray(column.is_valid())
    if pa.types.is_integer(column.type):
        whole = np.asarray(column.fill_null(0)).astype(np.int64, copy=False)
        return np.where(known, _mixed(whole.view(np.uint64)), BLANK)
    numbers = np.asarray(column.cast(pa.float64()).fill_null(0.0)) + 0.0  # one zero, not two
    known &= ~np.isnan(numbers)
    numbers = np.where(known, numbers, 0.0)
    is_whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < LARGEST_WHOLE)
    whole = np.where(is_whole, numbers, 0.0).astype(np.int64)
    bits = np.where(is_whole, whole.view(np.uint64), numbers.view(np.uint64))
    return np.where(known, _mixed(bits), BLANK)


@lru_cache(maxsize=KNOWN)
def _of_value(text: str) -> int:
    """Return the digest of a text; of a number or truth that is written out, that of the number."""
    text = TRUTHS.get(text.casefold(), text)
    if text[:1].isalpha() and text[0] not in "iInN":  # neither digits nor infinity nor NaN
        return _of_text(text)
    for read, kind in ((int, pa.int64()), (float, pa.float64())):
        try:
            number = pa.array([read(text)], kind)
        except (ValueError, OverflowError):
            continue
        return int(_number_digests(number)[0])
    return _of_text(text)


@lru_cache(maxsize=KNOWN)
def _of_text(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=BYTES).digest(), "big")


def _as_text(column: pa.Array) -> pa.Array:
    if pa.types.is_string(column.type):
        return column
    if pa.types.is_list(column.type):
        rows = column.to_pylist()
        return pa.array([None if row is None else "|".join(sorted(map(str, row))) for row in rows])
    values = pc.dictionary_encode(column)
    texts = pa.array([str(value) for value in values.dictionary.to_pylist()], pa.string())
    return texts.take(values.indices)
