"""Arrow's own files (Feather): the types are in the file, so nothing is guessed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyarrow import ipc

from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.contents import Contents
from tacita.data.formats.layout import Layout
from tacita.data.formats.names import check_names
from tacita.data.formats.parquet import bare
from tacita.data.formats.whole_files import file_bytes
from tacita.data.frames import visible
from tacita.errors import InputError, OutputError

BATCH = 2**16  # records that are written together
MAGIC = b"ARROW1"  # begins an Arrow file; a stream of Arrow messages begins otherwise
FEATHER_1 = b"FEA1"  # begins the file of the first version, which nothing writes any more


def read(path: Path, layout: Layout, text: frozenset[str]) -> Contents:  # noqa: ARG001
    """Read an Arrow file or stream with the types it declares; dictionary columns stay such."""
    try:
        table = _table(path)
        table.validate(full=True)  # there is no checksum: damage shows as impossible values
        names = table.column_names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno:
            raise  # the system's, not the file's fault
        raise InputError(
            f"{path} is not an Arrow file, or it is damaged or cut off; write or copy it again."
        ) from error
    check_names(names, path)
    return Contents(table)


def _table(path: Path) -> pa.Table:
    raw = file_bytes(path)
    start = bytes(raw[: len(MAGIC)])
    if start.startswith(FEATHER_1):
        raise InputError(
            f"{path} is a Feather file of version 1; read it with the program that wrote it and "
            "write it as version 2 or as Parquet."
        )
    with ipc.open_file(raw) if start == MAGIC else ipc.open_stream(raw) as reader:
        return reader.read_all()


def write(contents: Contents, path: Path, layout: Layout) -> None:  # noqa: ARG001
    """Write an Arrow file (Feather 2, zstd); equal tables give equal bytes.

    Metadata are left out, and the way a table is cut into chunks does not show: both could tell of
    the process that made it.
    """
    options = ipc.IpcWriteOptions(compression="zstd", unify_dictionaries=True)
    with atomic_file(path) as temporary:
        try:
            table = visible(bare(contents.table))
            with ipc.new_file(str(temporary), table.schema, options=options) as writer:
                writer.write_table(table, BATCH)
        except pa.ArrowException as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise OutputError(f"{path} cannot hold this table: {reason}.") from error
