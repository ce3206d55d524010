"""Data frames in, the same kind out: pandas, Polars, PyArrow, whatever Narwhals knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.errors import InputError, load_extra

UNCONVERTIBLE = (pa.ArrowException, TypeError, ValueError, OverflowError)


@dataclass(frozen=True)
class Origin:
    """What came in, so that the same kind goes out.

    Args:
        backend: the data frame library, by Narwhals' name.
        categories: the categories of columns that were categorical, and whether they are ordered.
        index: the row labels of a pandas frame, if they say more than the row number.
        labels: the names of columns that were not text.
        nullable: the columns of pandas' own types for whole numbers with missing ones.
        source: the name of the file or the address of the database the data came from.
        layout: what was said of how that source is laid out.
        found: how it turned out to be laid out.
        warnings: what a person should check about how it was read.
    """

    backend: str = "pyarrow"
    categories: tuple[tuple[str, pa.Array, bool], ...] = ()
    index: Any = None
    labels: Mapping[str, Any] = field(default_factory=dict)
    nullable: frozenset[str] = frozenset()
    source: str | None = None
    layout: Mapping[str, Any] = field(default_factory=dict)
    found: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def restore(self, table: pa.Table) -> Any:
        """Turn an Arrow table into the kind of frame that came in."""
        for name, categories, ordered in self.categories:
            place = table.schema.get_field_index(name)
            if place >= 0 and table.schema.types[place] == categories.type:
                column = _categorized(table.column(place).combine_chunks(), categories, ordered)
                table = table.set_column(place, name, column)
        if self.backend == "pandas":
            return self._pandas(table)
        return nw.from_arrow(table, backend=cast("Any", self.backend)).to_native()

    def _pandas(self, table: pa.Table) -> Any:
        """Make a pandas frame in which whole numbers stay whole although some are missing."""
        pd = load_extra("pandas", "frames")
        columns = {name: self._series(pd, name, table.column(name)) for name in table.column_names}
        frame = pd.DataFrame(columns, columns=table.column_names, index=pd.RangeIndex(len(table)))
        frame.columns = pd.Index([self.labels.get(name, name) for name in table.column_names])
        if self.index is not None:
            frame.index = self.index
        return frame

    def _series(self, pd: Any, name: str, column: pa.ChunkedArray) -> Any:
        kind = column.type
        whole = pa.types.is_integer(kind) or pa.types.is_boolean(kind)
        if not whole or not (column.null_count or name in self.nullable):
            return column.to_pandas()
        word = (
            "boolean" if pa.types.is_boolean(kind) else str(kind).capitalize().replace("Ui", "UI")
        )
        return column.to_pandas(types_mapper=lambda _: pd.api.types.pandas_dtype(word))

    def without_traces(self, table: pa.Table) -> Origin:
        """Return an origin that gives masked data back: no row labels, no categories nobody has."""
        left = []
        for name, categories, ordered in self.categories:
            if name in table.column_names:
                held = pc.unique(table.column(name))
                if held.type == categories.type:
                    found = pc.is_in(categories, value_set=held)
                    left.append((name, categories.filter(found), ordered))
        return replace(self, index=None, categories=tuple(left))


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
    try:
        _refuse_repeated(frame)
        eager = nw.from_native(frame, eager_only=True)
    except (TypeError, AttributeError) as error:
        raise InputError(
            "Expected a path or a data frame (pandas, Polars, PyArrow); "
            f"found {type(frame).__name__}. Collect a lazy frame first."
        ) from error
    backend = eager.implementation.value
    about: dict[str, Any] = {}
    if backend == "pandas":
        about = _about_pandas(frame)
        eager = nw.from_native(_for_arrow(frame), eager_only=True)
    table = check_text(_arrow(eager))
    values = plain(table)
    orders, categories = _categorical(table)
    return values, orders, Origin(backend, categories, **about)


def _about_pandas(frame: Any) -> dict[str, Any]:
    """Gather what pandas knows of a frame and Arrow does not."""
    dtypes = zip(frame.columns, frame.dtypes, strict=True)
    return {
        "index": None if _numbers_records(frame.index) else frame.index,
        "labels": {str(name): name for name in frame.columns if not isinstance(name, str)},
        "nullable": frozenset(str(name) for name, dtype in dtypes if hasattr(dtype, "numpy_dtype")),
    }


def _for_arrow(frame: Any) -> Any:
    """Return a pandas frame that Arrow can take; its row labels come back on the way out."""
    pd = load_extra("pandas", "frames")
    named = frame.reset_index(drop=True).set_axis(list(map(str, frame.columns)), axis=1)
    changed = {
        name: ready
        for name, column in named.items()
        if (ready := _column_for_arrow(pd, column)) is not column
    }
    return named.assign(**changed) if changed else named


def _column_for_arrow(pd: Any, column: Any) -> Any:
    """Write intervals and periods that are categories out; fill in what is sparse."""
    kind = column.dtype
    if isinstance(kind, pd.SparseDtype):
        return column.sparse.to_dense()
    if isinstance(kind, pd.CategoricalDtype):
        spans = (pd.IntervalDtype, pd.PeriodDtype)
        is_span = isinstance(kind.categories.dtype, spans)
        return column.cat.rename_categories(str) if is_span else column
    return column


def _arrow(eager: Any) -> pa.Table:
    try:
        return eager.to_arrow()
    except UNCONVERTIBLE as error:
        faults = (fault for name in eager.columns if (fault := _fault(eager, name)))
        raise next(faults, InputError("The columns do not make a table of Arrow.")) from error


def _fault(eager: Any, name: str) -> InputError | None:
    """Tell what is wrong with a column; None if nothing is."""
    try:
        eager.select(name).to_arrow()
    except OverflowError:
        found = "holds whole numbers of more than 64 bits; make them decimals or text."
    except UNCONVERTIBLE:
        found = (
            "mixes types that have no common one, or holds one that is not read; make it numbers, "
            "text, dates or lists."
        )
    else:
        return None
    return InputError(f"Attribute `{name}` {found}").about(name)


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


def _numbers_records(index: Any) -> bool:
    """Tell whether row labels are those that pandas gives when nobody says any."""
    is_range = type(index).__name__ == "RangeIndex"
    return is_range and (index.start, index.step) == (0, 1)


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


def visible(table: pa.Table) -> pa.Table:
    """Return a copy with nothing in memory but what can be seen.

    Arrow hands on and writes its buffers as they are. Those of a suppressed value often still hold
    the value beneath the mark that hides it, and those of a part of a table the rest of it.
    """
    return table.take(pa.array(np.arange(len(table)))).combine_chunks()


def check_text(table: pa.Table, source: str = "the data frame") -> pa.Table:
    """Return a table whose text is UTF-8 throughout; Arrow takes that on trust.

    Args:
        table: the table.
        source: where it comes from, for the message.

    Raises:
        InputError: the text of a column is not; the message names it.
    """
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            if _holds_text(column.type):
                column.validate(full=True)
        except pa.ArrowInvalid as error:
            raise broken_text(name, source) from error
    return table


def broken_text(name: str, source: str) -> InputError:
    """Return the error that tells of text that is not UTF-8."""
    return InputError(
        f"Column `{name}` of {source} holds text that is not UTF-8; decode it with the encoding "
        "it has, or leave it out."
    ).about(name)


def _holds_text(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_dictionary(kind) or types.is_list(kind) or types.is_large_list(kind):
        return _holds_text(kind.value_type)
    tests = (types.is_string, types.is_large_string, types.is_string_view)
    return any(test(kind) for test in tests)


def plain(table: pa.Table) -> pa.Table:
    """Return a table of plain columns: numbers, text, dates, flat lists."""
    columns = [_plain(name, table.column(name)) for name in table.column_names]
    return pa.table(columns, names=table.column_names)


def _plain(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    wanted = _plain_type(column.type)
    if wanted is None:
        raise InputError(
            f"Attribute `{name}` holds {column.type}; numbers, text, dates and lists are read."
        )
    try:
        return column if column.type == wanted else column.cast(wanted)
    except pa.ArrowException as error:
        raise InputError(
            f"Attribute `{name}` holds {column.type}, which does not become plain {wanted}; make "
            "it numbers, text, dates or lists."
        ).about(name) from error


def _plain_type(kind: pa.DataType) -> pa.DataType | None:
    types = pa.types
    if types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if types.is_large_string(kind) or types.is_string_view(kind) or types.is_null(kind):
        return pa.string()
    if types.is_float16(kind):
        return pa.float32()  # holds the same values, and can be computed with
    if types.is_large_list(kind) or types.is_list(kind):
        inner = _plain_type(kind.value_type)
        return pa.list_(inner) if inner is not None and not types.is_list(inner) else None
    simple = (types.is_primitive, types.is_string, types.is_boolean, types.is_decimal)
    return kind if any(test(kind) for test in simple) else None
