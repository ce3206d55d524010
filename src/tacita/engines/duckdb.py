"""DuckDB: files far larger than memory, on one machine."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from threading import RLock
from typing import Any

import pyarrow as pa

from tacita.data.formats.atomic import atomic_file
from tacita.engines.files import Files, text_delimiter, written_form
from tacita.engines.sql import Dialect, SqlRecords, quoted, shown_reason
from tacita.errors import (
    InputError,
    MemoryLimitError,
    OutputError,
    ParameterError,
    TacitaError,
    load_extra,
    shown,
)
from tacita.threads import threads as all_threads

MEMORY_LIMIT = "1500MB"  # the process then stays below 2 GB: DuckDB does not count all it takes
ROW_GROUP = 2**17  # records of a written file that are held back until they are compressed
LINE = 2_000_000  # bytes of a line that DuckDB takes unless it is told otherwise
# The statistics of Parquet files leave out what is not a number, and DuckDB takes them for granted:
# it finds no NaN where they show none.
NO_STATISTICS = "SET disabled_optimizers = 'statistics_propagation,filter_pushdown'"
SPECIAL = re.compile(r"([\[*?])")
AMOUNT = re.compile(r"\s*\d*[1-9]\d*(\.\d+)?\s*([KMGT]i?)?B\s*", re.IGNORECASE)
SYSTEM_ERROR = re.compile(r'"errno":"(\d+)"')
FULL = re.compile("No space left|max_temp_directory_size", re.IGNORECASE)


def open_files(
    files: Files,
    *,
    memory_limit: str = MEMORY_LIMIT,
    threads: int | None = None,
    temporary_folder: str | PathLike[str] | None = None,
) -> SqlRecords:
    """Let a DuckDB of its own have the records of some files.

    Args:
        files: the files.
        memory_limit: the memory DuckDB may take (like `1500MB`); what is beyond goes to disk.
        threads: how many threads work; as many as `use_threads` says when left out.
        temporary_folder: where a folder is made for what does not fit, and removed at the end.
    """
    working = all_threads() if threads is None else threads
    database = Database(memory_limit, working, temporary_folder)
    with database.explained(InputError):
        if any(pa.types.is_floating(kind) for kind in files.schema.types):
            database.connection.execute(NO_STATISTICS)
        view = database.viewed(READERS[files.form](database.connection, files))
    return SqlRecords(database, f"SELECT * FROM {view}", files.schema)  # noqa: S608 - our name


class Database:
    """A connection with a temporary folder; both go when the last records on it do."""

    dialect = Dialect('"', "SEMI JOIN", "ANTI JOIN", "hash({keys}) % {parts}")
    parts: tuple[int, ...] = (1, 4, 16, 64)

    def __init__(
        self, memory_limit: str, threads: int, temporary_folder: str | PathLike[str] | None
    ) -> None:
        _refuse_limits(memory_limit, threads)
        self.duckdb = load_extra("duckdb", "sql")
        self.memory_limit = memory_limit
        self.lock = RLock()  # a connection answers one question at a time
        self.folder = _fresh_folder(temporary_folder)
        try:
            self.connection = self._connected(threads)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        weakref.finalize(self, _close, self.connection, self.folder)

    def _connected(self, threads: int) -> Any:
        settings = {
            "memory_limit": self.memory_limit,
            "threads": threads,
            "temp_directory": str(self.folder),
        }
        with self.explained(ParameterError):
            return self.duckdb.connect(":memory:", config=settings)

    def viewed(self, relation: Any) -> str:
        """Give a relation a name in queries."""
        name = f"tacita_{secrets.token_hex(8)}"
        relation.create_view(name)
        return name

    def hand_over(self, table: pa.Table) -> str:
        """Give DuckDB a table; return the name it has there."""
        with self.explained(InputError):
            return self.viewed(self.connection.from_arrow(table))

    def fetch(self, query: str) -> pa.Table:
        """Run a query."""
        with self.explained(InputError):
            return self.connection.sql(query).to_arrow_table()

    def write(self, records: SqlRecords, path: Path) -> None:
        """Write one file, in the records' order as far as DuckDB keeps it."""
        form = written_form(path)
        _refuse_zones(records.schema)
        with atomic_file(path) as temporary, self.explained(OutputError):
            temporary.touch()  # a place where nobody may write is told better than by DuckDB
            WRITERS[form](self.connection, records, path, str(temporary))

    @contextmanager
    def explained(self, otherwise: type[TacitaError]) -> Iterator[None]:
        """Turn what DuckDB says into one sentence.

        Args:
            otherwise: what an error is about that neither memory nor the disk explain.
        """
        try:
            with self.lock:
                yield
        except RuntimeError as error:
            if "interrupted" not in str(error):
                raise
            raise KeyboardInterrupt from error
        except self.duckdb.Error as error:
            raise self._told(error, otherwise) from error

    def _told(self, error: Exception, otherwise: type[TacitaError]) -> Exception:
        if FULL.search(str(error)):
            return OutputError(
                "The disk is full; nothing was left behind. Free some space or choose another "
                "place and another `temporary_folder`."
            )
        if isinstance(error, self.duckdb.OutOfMemoryException):
            return MemoryLimitError(
                f"The memory limit of {self.memory_limit} is too small for this; raise "
                "`memory_limit` or use fewer `threads`."
            )
        system = SYSTEM_ERROR.search(str(error))
        if system and otherwise is OutputError:  # whoever writes files can say more about it
            return OSError(int(system[1]), os.strerror(int(system[1])))
        return otherwise(f"DuckDB cannot do this: {shown_reason(error)}.")


def _from_parquet(connection: Any, files: Files) -> Any:
    # DuckDB takes the types of the first file, which may have none for a column that is blank.
    joined = any(files.untyped)
    return connection.read_parquet(_literal(files), hive_partitioning=False, union_by_name=joined)


def _from_csv(connection: Any, files: Files) -> Any:
    names = [quoted(name, Database.dialect.quote) for name in files.schema.names]
    rows = connection.read_csv(
        _literal(files),
        columns=dict.fromkeys(files.schema.names, "VARCHAR"),
        header=True,
        auto_detect=False,
        delimiter=files.delimiter,
        quotechar='"',
        escapechar='"',
        allow_quoted_nulls=False,
        parallel=not files.lines.multiline,  # several threads take lines for records, at times
        max_line_size=max(LINE, files.lines.longest + 2),
    )
    if len(names) == 1:  # of one column, a blank line is no record, and a blank field has quotes
        rows = rows.filter(f"{names[0]} IS NOT NULL")
    return rows.project(", ".join(f"nullif({name}, '') AS {name}" for name in names))


def _from_feather(connection: Any, files: Files) -> Any:
    import pyarrow.dataset as ds

    return connection.from_arrow(ds.dataset([str(path) for path in files.paths], format="feather"))


def _to_parquet(connection: Any, records: SqlRecords, _: Path, temporary: str) -> None:
    rows = connection.sql(records.query)
    rows.write_parquet(temporary, compression="zstd", row_group_size=ROW_GROUP)


def _to_csv(connection: Any, records: SqlRecords, path: Path, temporary: str) -> None:
    delimiter = text_delimiter(path, records.names)
    connection.sql(records.as_text()).write_csv(temporary, sep=delimiter, header=True)


WRITERS = {"parquet": _to_parquet, "csv": _to_csv}
READERS: dict[str, Callable[[Any, Files], Any]] = {
    "parquet": _from_parquet,
    "csv": _from_csv,
    "feather": _from_feather,
}


def _literal(files: Files) -> list[str]:
    """Return the paths so that DuckDB takes no character of theirs for a pattern."""
    return [SPECIAL.sub(r"[\1]", str(path)) for path in files.paths]


def _refuse_limits(memory_limit: str, threads: int) -> None:
    whole = isinstance(threads, int) and not isinstance(threads, bool) and threads > 0
    if not (whole and isinstance(memory_limit, str) and AMOUNT.fullmatch(memory_limit)):
        raise ParameterError(
            "DuckDB needs a `memory_limit` like '2GB' and 1 or more `threads`; found "
            f"{shown(memory_limit)} and {shown(threads)}."
        )


def _refuse_zones(schema: pa.Schema) -> None:
    """Refuse times of a zone that a file of DuckDB would not name."""
    for field in schema:
        if pa.types.is_timestamp(field.type) and field.type.tz not in (None, "UTC"):
            raise OutputError(
                f"Column `{field.name}` holds {field.type}, and DuckDB writes times with a zone as "
                "UTC; leave it out, recode it, or choose the engine in memory."
            )


def _fresh_folder(place: str | PathLike[str] | None) -> Path:
    if not isinstance(place, str | PathLike | None):
        raise ParameterError(f"`temporary_folder` should be a path; found {shown(place)}.")
    try:
        return Path(tempfile.mkdtemp(prefix="tacita-", dir=place))
    except OSError as error:
        raise OutputError(
            f"Cannot use the temporary folder {place}: {error.strerror}. Choose a folder where you "
            "may write as `temporary_folder`."
        ) from error


def _close(connection: Any, folder: Path) -> None:
    connection.close()
    shutil.rmtree(folder, ignore_errors=True)
