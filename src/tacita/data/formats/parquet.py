"""Parquet files: the types are in the file, so nothing is guessed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.contents import Contents
from tacita.data.formats.layout import Layout
from tacita.data.formats.names import check_names
from tacita.data.frames import broken_text, check_text
from tacita.errors import InputError, OutputError

ROW_GROUP = 2**20  # records that are compressed together
SETTINGS = {"compression": "zstd", "write_page_checksum": True}  # damage inside is noticed


def read(path: Path, layout: Layout, text: frozenset[str]) -> Contents:  # noqa: ARG001
    """Read a Parquet file with the types it declares; dictionary columns stay dictionaries."""
    try:
        # not `pq.read_table`: it would add columns for folder names such as `year=2020`
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            table = _table(file, path)
        names = table.column_names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno:
            raise  # the system's, not the file's fault
        raise InputError(
            f"{path} is not a Parquet file, or it is damaged or cut off; write or copy it again."
        ) from error
    check_names(names, path)
    return Contents(check_text(table, str(path)))


def _table(file: pq.ParquetFile, path: Path) -> pa.Table:
    try:
        return file.read()
    except pa.ArrowInvalid as error:
        if "UTF8" not in str(error):
            raise
        # the text of dictionaries is checked while it is read, and the column is not told
        for name in file.schema_arrow.names:
            _read_alone(file, name, path)
        raise


def _read_alone(file: pq.ParquetFile, name: str, path: Path) -> None:
    try:
        file.read([name])
    except pa.ArrowInvalid as error:
        raise broken_text(name, str(path)) from error


def write(contents: Contents, path: Path, layout: Layout) -> None:  # noqa: ARG001
    """Write a Parquet file (zstd); equal tables give equal bytes.

    Metadata (what pandas keeps of its index, for one) are left out, and the way a table is cut into
    chunks does not show: both could tell of the process that made it.
    """
    table = bare(contents.table)
    with atomic_file(path) as temporary:
        try:
            with pq.ParquetWriter(temporary, table.schema, **SETTINGS) as writer:
                for start in range(0, len(table), ROW_GROUP):
                    writer.write_table(table.slice(start, ROW_GROUP).combine_chunks(), ROW_GROUP)
        except pa.ArrowException as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise OutputError(f"{path} cannot hold this table: {reason}.") from error


def bare(table: pa.Table) -> pa.Table:
    """Return a table without metadata, its dictionaries the same in every chunk.

    Members of sets are called what Parquet calls them, so that a table that was read is written as
    it was before.
    """
    fields = [_with_named_members(field.remove_metadata()) for field in table.schema]
    columns = [
        column.cast(field.type) if pa.types.is_list(field.type) else column
        for column, field in zip(table.columns, fields, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields)).unify_dictionaries()


def _with_named_members(field: pa.Field) -> pa.Field:
    if not pa.types.is_list(field.type):
        return field
    return field.with_type(pa.list_(pa.field("element", field.type.value_type)))
