"""DuckDB: files far larger than memory, on one machine."""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
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
SPECIAL = re.compile(r"([\[*?])")
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
        view = database.viewed(READERS[files.form](database.connection, files))
    return SqlRecords(database, f"SELECT * FROM {view}", files.schema)  # noqa: S608 - our name


class Database:
    """A connection with a temporary folder; both go when the last records on it do."""

    dialect = Dialect('"', "SEMI JOIN", "ANTI JOIN", "hash({keys}) % {parts}")
    parts: tuple[int, ...] = (1, 4, 16, 64)

    def __init__(
        self, memory_limit: str, threads: int, temporary_folder: str | PathLike[str] | None
    ) -> None:
        self.duckdb = load_extra("duckdb", "sql")
        self.memory_limit = memory_limit
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
        try:
            return self.duckdb.connect(":memory:", config=settings)
        except (self.duckdb.Error, TypeError) as error:
            raise ParameterError(
                "DuckDB needs a `memory_limit` like '2GB' and 1 or more `threads`; found "
                f"{shown(self.memory_limit)} and {shown(threads)}."
            ) from error

    def viewed(self, relation: Any) -> str:
        """Give a relation a name in queries."""
        name = f"tacita_{secrets.token_hex(8)}"
        relation.create_view(name)
        return name

    def hand_over(self, table: pa.Table) -> str:
        """Give DuckDB a table; return the name it has there."""
        return self.viewed(self.connection.from_arrow(table))

    def fetch(self, query: str) -> pa.Table:
        """Run a query."""
        with self.explained(InputError):
            return self.connection.sql(query).to_arrow_table()

    def write(self, records: SqlRecords, path: Path) -> None:
        """Write one file, in the records' order as far as DuckDB keeps it."""
        form = written_form(path)
        with atomic_file(path) as temporary, self.explained(OutputError):
            WRITERS[form](self.connection, records, path, str(temporary))

    @contextmanager
    def explained(self, otherwise: type[TacitaError]) -> Iterator[None]:
        """Turn what DuckDB says into one sentence.

        Args:
            otherwise: what an error is about that neither memory nor the disk explain.
        """
        try:
            yield
        except self.duckdb.Error as error:
            if FULL.search(str(error)):
                raise OutputError(
                    "The disk is full; nothing was left behind. Free some space or choose another "
                    "place and another `temporary_folder`."
                ) from error
            if isinstance(error, self.duckdb.OutOfMemoryException):
                raise MemoryLimitError(
                    f"The memory limit of {self.memory_limit} is too small for this; raise "
                    "`memory_limit` or use fewer `threads`."
                ) from error
            raise otherwise(f"DuckDB cannot do this: {shown_reason(error)}.") from error


def _from_parquet(connection: Any, files: Files) -> Any:
    return connection.read_parquet(_literal(files), hive_partitioning=False)


def _from_csv(connection: Any, files: Files) -> Any:
    rows = connection.read_csv(
        _literal(files),
        columns=dict.fromkeys(files.schema.names, "VARCHAR"),
        header=True,
        auto_detect=False,
        delimiter=files.delimiter,
        quotechar='"',
        escapechar='"',
    )
    names = [quoted(name, Database.dialect.quote) for name in files.schema.names]
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


def _fresh_folder(place: str | PathLike[str] | None) -> Path:
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
