"""Data frames in, the same kind out: pandas, Polars, PyArrow, whatever Narwhals knows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, cast

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.errors import InputError


@dataclass(frozen=True)
class Origin:
    """What came in, so that the same kind goes out.

    Args:
        backend: the data frame library, by Narwhals' name.
        categories: the categories of columns that were categorical, and whether they are ordered.
        index: the row labels of a pandas frame, if they say more than the row number.
        file: the name of the file the data came from, if they did.
        delimiter: what was said to part the fields of that file.
        encoding: how its characters were said to be coded.
    """

    backend: str = "pyarrow"
    categories: tuple[tuple[str, pa.Array, bool], ...] = ()
    index: Any = None
    file: str | None = None
    delimiter: str | None = None
    encoding: str = "utf-8"

    def restore(self, table: pa.Table, rows: np.ndarray[Any, np.dtype[np.int64]] | None) -> Any:
        """Turn an Arrow table into the kind of frame that came in."""
        for name, categories, ordered in self.categories:
            place = table.schema.get_field_index(name)
            if place >= 0 and table.schema.types[place] == categories.type:
                column = _categorized(table.column(place).combine_chunks(), categories, ordered)
                table = table.set_column(place, name, column)
        frame = nw.from_arrow(table, backend=cast("Any", self.backend)).to_native()
        if self.index is not None:
            frame.index = self.index if rows is None else self.index[rows]
        return frame


def _categorized(column: pa.Array, categories: pa.Array, ordered: bool) -> pa.Array:
    """Make a column categorical again, unless masking brought in values it had no category for."""
    codes = pc.index_in(column, value_set=categories, skip_nulls=True)
    if codes.null_count > column.null_count:
        return column
    return pa.DictionaryArray.from_arrays(codes, categories, ordered=ordered)


def from_frame(frame: Any) -> tuple[pa.Table, dict[str, tuple[Any, ...]], Origin]:
    """Read a data frame.

    Returns its columns as plain Arrow arrays, the orders of its ordered categorical columns, and
    what is needed to give the same kind of frame back.
    """
    _refuse_repeated(frame)
    try:
        eager = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise InputError(
            "Expected a path or a data frame (pandas, Polars, PyArrow); "
            f"found {type(frame).__name__}. Collect a lazy frame first."
        ) from error
    backend = eager.implementation.value
    index = frame.index if backend == "pandas" and _has_labels(frame.index) else None
    if backend == "pandas":
        # The row labels come back on the way out; only text names a column elsewhere.
        eager = nw.from_native(frame.reset_index(drop=True).rename(columns=str), eager_only=True)
    try:
        table = eager.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise InputError(
            f"A column mixes types that have no common one: {_first_line(error)}."
        ) from error
    orders, categories = _categorical(table)
    return plain(table), orders, Origin(backend, categories, index)


def _refuse_repeated(frame: Any) -> None:
    """Refuse repeated names, which pandas and Arrow allow and nothing after them can use."""
    is_pandas = type(frame).__module__.startswith("pandas")
    names = (
        frame.column_names if isinstance(frame, pa.Table) else frame.columns if is_pandas else ()
    )
    counted = Counter(map(str, names))
    if repeated := [name for name, count in counted.items() if count > 1]:
        raise InputError(
            f"Attribute names must be unique; `{'`, `'.join(repeated)}` is there more than once."
        )


def _first_line(error: Exception) -> str:
    return str(error.args[-1] if error.args else error).splitlines()[0].rstrip(".")


def _has_labels(index: Any) -> bool:
    return type(index).__name__ != "RangeIndex"


def _categorical(
    table: pa.Table,
) -> tuple[dict[str, tuple[Any, ...]], tuple[tuple[str, pa.Array, bool], ...]]:
    orders, found = {}, []
    for name, kind in zip(table.schema.names, table.schema.types, strict=True):
        if pa.types.is_dictionary(kind) and table.column(name).num_chunks:
            column = table.column(name).unify_dictionaries().chunk(0)
            categories = column.dictionary.cast(_plain_type(kind.value_type))
            found.append((name, categories, kind.ordered))
            if kind.ordered:
                orders[name] = tuple(categories.to_pylist())
    return orders, tuple(found)


def plain(table: pa.Table) -> pa.Table:
    """Return a table whose columns are single plain arrays: numbers, text, dates, flat lists."""
    columns = [_plain(name, table.column(name)) for name in table.column_names]
    return pa.table(columns, names=table.column_names)


def _plain(name: str, column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # an empty column stays chunked
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
    wanted = _plain_type(array.type)
    if wanted is None:
        raise InputError(
            f"Attribute `{name}` holds {array.type}; numbers, text, dates and lists are read."
        )
    return array if array.type == wanted else array.cast(wanted)


def _plain_type(kind: pa.DataType) -> pa.DataType | None:
    types = pa.types
    if types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if types.is_large_string(kind) or types.is_string_view(kind) or types.is_null(kind):
        return pa.string()
    if types.is_large_list(kind) or types.is_list(kind):
        inner = _plain_type(kind.value_type)
        return pa.list_(inner) if inner is not None and not types.is_list(inner) else None
    simple = (types.is_primitive, types.is_string, types.is_boolean, types.is_decimal)
    return kind if any(test(kind) for test in simple) else None
