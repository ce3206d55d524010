"""What a format does to data: the values that come back otherwise than they were written.

Two values are the same if they are of one kind (numbers, text, moments, ...) and equal. Numbers are
equal if they are the same decimal: the integer 1 and the float 1.0, the decimal 0.10 and the float
0.1. A type that is wider or narrower loses nothing as long as every value is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tacita.errors import shown

Mask = npt.NDArray[np.bool_]


class Change(NamedTuple):
    """The first value of a column that comes back otherwise.

    Args:
        column: the name of the column.
        record: the number of the record, from 1 on; 0 if the column itself is not there.
        before: the value as it was.
        after: the value as it comes back.
        records: how many values of the column come back otherwise.
    """

    column: str
    record: int = 0
    before: Any = None
    after: Any = None
    records: int = 0

    def __str__(self) -> str:
        if not self.record:
            return f"`{self.column}` (the column is not kept)"
        first = f"the first in record {self.record}: " if self.records > 1 else ""
        where = "" if first else f" in record {self.record}"
        before, after = described(self.before), described(self.after)
        return f"`{self.column}` ({first}{before}{where} becomes {after})"

    def to_dict(self) -> dict[str, Any]:
        """Return it in plain types."""
        return {
            "column": self.column,
            "record": self.record,
            "before": described(self.before),
            "after": described(self.after),
            "records": self.records,
        }


def described(value: Any) -> str:
    """Return a value so that text, numbers and missing ones are told apart.

    >>> described("1"), described(1), described(""), described(None)
    ("the text '1'", 'the number 1', 'empty text', 'missing')
    """
    if value is None:
        return "missing"
    if value == "":
        return "empty text"
    if isinstance(value, str):
        return f"the text {shown(value)}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Decimal):
        return f"the number {value}"
    return shown(value) if isinstance(value, list) else str(value)


def changes(before: pa.Table, after: pa.Table) -> Iterator[Change]:
    """Give the first change of each column that has one.

    Args:
        before: what was written.
        after: what was read back, with the same records.

    >>> kept = pa.table({"zip": ["01234", "7"], "age": [7, 8]})
    >>> [str(one) for one in changes(kept, pa.table({"zip": [1234, 7], "age": [7.0, 8.0]}))]
    ["`zip` (the first in record 1: the text '01234' becomes the number 1234)"]
    """
    for name in before.column_names:
        if name not in after.column_names:
            yield Change(name)
            continue
        old, new = _whole(before.column(name)), _whole(after.column(name))
        different = _different(old, new)
        if different.any():
            row = int(different.argmax())
            yield Change(
                name, row + 1, old[row].as_py(), new[row].as_py(), int(np.count_nonzero(different))
            )


def _whole(column: pa.ChunkedArray) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _different(old: pa.Array, new: pa.Array) -> Mask:
    """Tell for every record whether a value is not what it was."""
    blank, blank_now = _mask(pc.is_null(old)), _mask(pc.is_null(new))
    if old.type == new.type and old.equals(new):
        return np.zeros(len(old), np.bool_)
    both = ~blank & ~blank_now
    kind = kind_of_type(old.type)
    if kind != kind_of_type(new.type):
        return _either(blank != blank_now, both)
    unequal = np.zeros(len(old), np.bool_)
    rows = np.flatnonzero(both)
    unequal[rows] = COMPARED.get(kind, _unequal)(old.take(pa.array(rows)), new.take(pa.array(rows)))
    return _either(blank != blank_now, unequal)


def _either(one: Mask, other: Mask) -> Mask:
    either: Mask = one | other
    return either


def _mask(column: pa.Array) -> Mask:
    mask: Mask = np.asarray(column.to_numpy(zero_copy_only=False), np.bool_)
    return mask


def kind_of_type(kind: pa.DataType) -> str:
    """Return what the values of a type are, however wide they are.

    >>> kind_of_type(pa.int8()), kind_of_type(pa.timestamp("ns")), kind_of_type(pa.large_string())
    ('number', 'moment', 'text')
    """
    types = pa.types
    if types.is_timestamp(kind):
        return "moment" if kind.tz is None else "moment of the world"
    tests = {
        "number": (types.is_integer, types.is_floating, types.is_decimal),
        "text": (types.is_string, types.is_large_string, types.is_string_view),
        "date": (types.is_date,),
        "time": (types.is_time,),
        "list": (types.is_list, types.is_large_list),
        "boolean": (types.is_boolean,),
    }
    fitting = (word for word, each in tests.items() if any(test(kind) for test in each))
    return next(fitting, str(kind))


def _unequal_numbers(old: pa.Array, new: pa.Array) -> Mask:
    """Compare numbers as the decimals that they print as."""
    texts = old.cast(pa.large_string()), new.cast(pa.large_string())
    unequal = _mask(pc.not_equal(*texts)).copy()
    for row in np.flatnonzero(unequal):
        unequal[row] = not _same_number(*(text[int(row)].as_py() for text in texts))
    return unequal


def _same_number(old: str, new: str) -> bool:
    """Compare two numbers by their digits; `1e3` and `1000.0` are one number.

    >>> _same_number("1e3", "1000.0"), _same_number("nan", "nan"), _same_number("0.1", "0.10001")
    (True, True, False)
    """
    one, other = Decimal(old), Decimal(new)
    return (one.is_nan() and other.is_nan()) or one == other


def _unequal_times(old: pa.Array, new: pa.Array) -> Mask:
    """Compare times in the finer of two units."""
    return _unequal(*(_in_nanoseconds(column) for column in (old, new)))


def _in_nanoseconds(column: pa.Array) -> pa.Array:
    """Return times as whole nanoseconds: a decimal, as 64 bits do not reach beyond 2262."""
    unit = getattr(column.type, "unit", "s")
    scale = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[unit]
    wide = pa.int32() if pa.types.is_time32(column.type) else pa.int64()
    ticks = column.cast(wide).to_numpy(zero_copy_only=False).astype(object)
    return pa.array([Decimal(int(tick) * scale) for tick in ticks], pa.decimal128(38, 0))


def _unequal_dates(old: pa.Array, new: pa.Array) -> Mask:
    return _unequal(old.cast(pa.date32()), new.cast(pa.date32()))


def _unequal_text(old: pa.Array, new: pa.Array) -> Mask:
    return _unequal(old.cast(pa.large_string()), new.cast(pa.large_string()))


def _unequal_lists(old: pa.Array, new: pa.Array) -> Mask:
    """Compare lists: as many members, and each the same."""
    unequal = _mask(pc.not_equal(*(pc.list_value_length(each) for each in (old, new)))).copy()
    same = pa.array(np.flatnonzero(~unequal))
    members = [each.take(same) for each in (old, new)]
    different = _different(*(pc.list_flatten(each) for each in members))
    parents = np.asarray(pc.list_parent_indices(members[0]))
    unequal[np.asarray(same)[np.unique(parents[different])]] = True
    return unequal


def _unequal(old: pa.Array, new: pa.Array) -> Mask:
    return _mask(pc.not_equal(old, new))


COMPARED: Mapping[str, Callable[[pa.Array, pa.Array], Mask]] = {
    "number": _unequal_numbers,
    "text": _unequal_text,
    "date": _unequal_dates,
    "time": _unequal_times,
    "moment": _unequal_times,
    "moment of the world": _unequal_times,
    "list": _unequal_lists,
}
