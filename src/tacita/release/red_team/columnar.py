"""Parquet and Arrow files: metadata, statistics, dictionaries, and what lies beneath blanks."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.release.red_team.looking import Look
from tacita.release.red_team.texts import strings

if TYPE_CHECKING:
    import pyarrow as pa

ARROW_SCHEMA = b"ARROW:schema"  # the types of columns, which Arrow's writer keeps of its own accord
MADE_BY = re.compile(r"parquet-cpp-arrow version [\d.]+(?:-SNAPSHOT)?")
EMPTY_TEXT = frozenset({"", b""})


def look_at_parquet(look: Look, file: Path) -> None:
    """Look at all of a Parquet file."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as opened:
        meta, names = opened.metadata, opened.schema_arrow.names
        look.header(file, names)
        _look_at_metadata(look, file, dict(meta.metadata or {}), opened.schema_arrow)
        if not MADE_BY.fullmatch(meta.created_by):
            look.report(file, "its metadata", "they name an unusual program")
        for number, name in enumerate(names):
            column = opened.read([name]).column(0)
            _look_at_column(look, file, name, number, column)
    for number, name in enumerate(names):
        _look_at_statistics(look, file, name, number, meta)
        _look_at_pages(look, file, name, number)


def _where(look: Look, name: str, number: int) -> str:
    return f"column `{name}`" if name in look.columns else f"column {number + 1}"


def _look_at_metadata(look: Look, file: Path, held: dict[bytes, bytes], schema: pa.Schema) -> None:
    packed = held.pop(ARROW_SCHEMA, b"")
    for name, value in held.items():
        look.report(file, "its metadata", "they hold more than the types of columns")
        look.text(file, "its metadata", f"{strings(name)}\n{strings(value)}")
    look.text(file, "its metadata", strings(base64.b64decode(packed)))
    if any(field.metadata for field in schema) or set(schema.metadata or {}) - {ARROW_SCHEMA}:
        look.report(file, "its schema", "it carries metadata besides names and types")
        look.text(
            file, "its schema", schema.to_string(show_schema_metadata=True, truncate_metadata=False)
        )


def _look_at_column(
    look: Look, file: Path, name: str, number: int, column: pa.ChunkedArray
) -> None:
    """Look at the cells of a column and at the dictionaries it comes with."""
    import pyarrow as pa
    import pyarrow.compute as pc

    where = _where(look, name, number)
    if pa.types.is_dictionary(column.type):
        _look_at_dictionaries(look, file, where, name, column)
    look.released(file, f"cells of {where}", name, pc.unique(_flat(column)).to_pylist())


def _look_at_dictionaries(
    look: Look, file: Path, where: str, name: str, column: pa.ChunkedArray
) -> None:
    for chunk in column.chunks:
        if _has_unused(chunk):
            look.report(file, f"the dictionary of {where}", "it holds a value that no cell uses")
        look.cells(file, f"the dictionary of {where}", name, chunk.dictionary.to_pylist())


def _flat(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values of cells: of lists those inside, of dictionaries those they stand for."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    while pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = pc.list_flatten(column)
    return column


def _has_unused(chunk: pa.DictionaryArray) -> bool:
    import pyarrow.compute as pc

    used = pc.count_distinct(chunk.indices, mode="only_valid").as_py()
    return bool(used < len(chunk.dictionary))


def _look_at_statistics(look: Look, file: Path, name: str, number: int, meta: Any) -> None:
    """Compare least and greatest values, as metadata tell them, with those of the cells."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    told = [
        (group, statistics)
        for group in range(meta.num_row_groups)
        for statistics in _statistics(meta.row_group(group), name)
    ]
    if not told:
        return
    where = f"the statistics of {_where(look, name, number)}"
    with pq.ParquetFile(file) as opened:
        for group, statistics in told:
            look.cells(file, where, name, [statistics.min, statistics.max])
            cells = _flat(opened.read_row_group(group, [name]).column(0))
            bounds = pc.min_max(cells).as_py()
            if not _same(statistics.min, bounds["min"]) or not _same(statistics.max, bounds["max"]):
                look.report(file, where, "they tell a value that no cell has")


def _statistics(group: Any, name: str) -> Iterator[Any]:
    for number in range(group.num_columns):
        column = group.column(number)
        within = column.path_in_schema
        is_here = within == name or within.startswith(f"{name}.list.")
        if is_here and column.is_stats_set and column.statistics.has_min_max:
            yield column.statistics


def _same(told: Any, held: Any) -> bool:
    if isinstance(told, bytes):
        told = told.decode("utf-8", "replace")
    return told == held or str(told) == str(held)


def _look_at_pages(look: Look, file: Path, name: str, number: int) -> None:
    """Look at the dictionaries of text that the pages of a column come with."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as opened:
        paths = (opened.schema.column(at).path for at in range(len(opened.schema)))
        inside = [path for path in paths if path == name or path.startswith(f"{name}.list.")]
    with pq.ParquetFile(file, read_dictionary=inside) as opened:
        for group in range(opened.metadata.num_row_groups):
            column = opened.read_row_group(group, [name]).column(0)
            while pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
                column = pc.list_flatten(column)
            if pa.types.is_dictionary(column.type):  # numbers have those the writer made of cells
                _look_at_dictionaries(look, file, _where(look, name, number), name, column)


# -- Arrow files -----------------------------------------------------------------------------------


def look_at_feather(look: Look, file: Path) -> None:
    """Look at all of an Arrow file."""
    from pyarrow import ipc

    with ipc.open_file(str(file)) as opened:
        schema = opened.schema
        table = opened.read_all()
        if opened.metadata:
            look.report(file, "its footer", "it carries metadata")
            look.text(
                file,
                "its footer",
                "\n".join(strings(each) for pair in opened.metadata.items() for each in pair),
            )
    look.header(file, schema.names)
    _look_at_metadata(look, file, dict(schema.metadata or {}), schema)
    for number, name in enumerate(schema.names):
        column = table.column(number)
        _look_at_column(look, file, name, number, column)
        if any(_hides(chunk) for chunk in column.chunks):
            look.report(file, f"the blanks of {_where(look, name, number)}", "a value lies beneath")


def _hides(chunk: pa.Array) -> bool:
    """Tell whether anything but zeros and nothing lies where cells are blank."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(chunk.type):
        return False
    if pa.types.is_list(chunk.type):
        lengths = _beneath(chunk, chunk.buffers()[1], pa.int32())
        return lengths or _hides(chunk.values)
    if pa.types.is_string(chunk.type) or pa.types.is_binary(chunk.type):
        return _beneath(chunk, chunk.buffers()[1], pa.int32())
    if pa.types.is_large_string(chunk.type) or pa.types.is_large_binary(chunk.type):
        return _beneath(chunk, chunk.buffers()[1], pa.int64())
    if not chunk.null_count or pa.types.is_null(chunk.type) or pa.types.is_boolean(chunk.type):
        return False
    shown = pa.Array.from_buffers(
        chunk.type, len(chunk), [None, *chunk.buffers()[1:]], offset=chunk.offset
    )
    beneath = shown.filter(pc.is_null(chunk))
    zero = pa.Array.from_buffers(chunk.type, 1, [None, pa.py_buffer(bytes(16))])
    return bool(pc.any(pc.not_equal(beneath, zero[0])).as_py())


def _beneath(chunk: pa.Array, buffer: pa.Buffer, kind: pa.DataType) -> bool:
    """Tell whether the offsets of text leave bytes that no cell shows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(chunk):
        return False
    offsets = pa.Array.from_buffers(kind, len(chunk) + 1, [None, buffer], offset=chunk.offset)
    spans = pc.subtract(offsets.slice(1), offsets.slice(0, len(chunk)))
    hidden = pc.sum(spans.filter(pc.is_null(chunk))).as_py() or 0
    return bool(hidden or offsets[0].as_py())
