"""Spark: records spread over a cluster."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacita.data.formats.atomic import atomic_folder
from tacita.engines.files import Files, text_delimiter, written_form
from tacita.engines.sql import Dialect, SqlRecords, quoted, refuse_alike, shown_reason
from tacita.errors import (
    InputError,
    MissingExtraError,
    OutputError,
    ParameterError,
    TacitaError,
    load_extra,
)

TYPES = {
    pa.bool_(): "BOOLEAN",
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INT",
    pa.int64(): "BIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.string(): "STRING",
    pa.date32(): "DATE",
}
SIGNED = {  # Spark has no numbers without a sign; the next larger type holds them all
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
}
WRAPPER = "Exception thrown in awaitResult"  # what Spark says where only the cause says something
PATTERN = str.maketrans({character: f"\\{character}" for character in "\\*?[]{}"})


def open_files(files: Files, *, session: Any = None) -> SqlRecords:
    """Let Spark have the records of some files, which every executor must be able to read.

    Args:
        files: the files; Spark does not read Arrow files.
        session: the session to work in; the active one, or else a new one on this machine.
    """
    if files.form not in READERS:
        raise InputError(
            f"Spark does not read Arrow files such as {files.paths[0]}; write Parquet, or choose "
            "another engine."
        )
    _refuse_times(files.schema)
    _refuse_ambiguous(files)
    refuse_alike(files.schema.names)
    cluster = Cluster(_any_session() if session is None else session)
    with cluster.explained(InputError):
        view = cluster.viewed(READERS[files.form](cluster.session, files))
    return SqlRecords(cluster, f"SELECT * FROM {view}", files.schema)  # noqa: S608 - our name


class Cluster:
    """A Spark session, and what its errors mean."""

    dialect = Dialect("`", "LEFT SEMI JOIN", "LEFT ANTI JOIN", "pmod(hash({keys}), {parts})")
    parts: tuple[int, ...] = (
        1,
    )  # a cluster that is too small needs more executors, not more passes

    def __init__(self, session: Any) -> None:
        self.session = session
        if not hasattr(session, "createDataFrame"):
            raise ParameterError(
                f"`session` should be a Spark session; found {type(session).__name__}."
            )

    def viewed(self, frame: Any) -> str:
        """Give a data frame a name in queries; the session forgets it when it ends."""
        name = f"tacita_{secrets.token_hex(8)}"
        frame.createOrReplaceTempView(name)
        return name

    def hand_over(self, table: pa.Table) -> str:
        """Give Spark a table; return the name it has there."""
        _refuse_times(table.schema)
        schema = pa.schema([(f.name, SIGNED.get(f.type, f.type)) for f in table.schema])
        with self.explained(InputError):
            return self.viewed(self.session.createDataFrame(table.cast(schema)))

    def fetch(self, query: str) -> pa.Table:
        """Run a query."""
        with self.explained(InputError):
            return self.session.sql(query).toArrow()

    def write(self, records: SqlRecords, path: Path) -> None:
        """Write a folder of parts, which every executor must be able to reach."""
        form = written_form(path)
        with _folder(path) as temporary, self.explained(OutputError):
            # Not as_uri(): Spark takes the signs of an encoded address for names of folders.
            WRITERS[form](self.session, records, path, f"file://{temporary}")
            _tidy(temporary, path.suffix)

    @contextmanager
    def explained(self, otherwise: type[TacitaError]) -> Iterator[None]:
        """Turn what Spark says into one sentence."""
        self._refuse_stopped()
        errors = load_extra("pyspark.errors", "spark")
        py4j = load_extra("py4j.protocol", "spark")
        try:
            yield
        except (errors.PySparkException, py4j.Py4JError, ConnectionError) as error:
            self._refuse_stopped()
            raise otherwise(f"Spark cannot do this: {_reason(error)}.") from error

    def _refuse_stopped(self) -> None:
        context = getattr(self.session, "_sc", None)  # a session on Spark Connect has none
        gone = context is not None and (context._jsc is None or context._jsc.sc().isStopped())  # noqa: SLF001 - nothing public tells
        if gone:
            raise InputError("The Spark session was stopped; start one and scan again.")


EXACT = {"ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False, "lineSep": "\n"}


def _from_parquet(session: Any, files: Files) -> Any:
    alike: dict[frozenset[str], list[str]] = {}
    for path, untyped in zip(_literal(files), files.untyped, strict=True):
        alike.setdefault(untyped, []).append(path)
    parts = [_with_blanks(session, files.schema, *item) for item in alike.items()]
    return reduce(lambda one, other: one.unionAll(other), parts)


def _with_blanks(session: Any, schema: pa.Schema, untyped: frozenset[str], paths: list[str]) -> Any:
    """Read files without the columns that have no type there, and put blanks in their place."""
    names = {field.name: quoted(field.name, "`") for field in schema}
    kinds = {field.name: _type(field.type) for field in schema}
    stored = ", ".join(f"{names[name]} {kinds[name]}" for name in names if name not in untyped)
    rows = session.read.schema(stored).parquet(*paths)
    blank = {name: f"CAST(NULL AS {kinds[name]}) AS {names[name]}" for name in untyped}
    return rows.selectExpr(*(blank.get(name, names[name]) for name in names))


def _from_csv(session: Any, files: Files) -> Any:
    names = [quoted(name, "`") for name in files.schema.names]
    rows = session.read.csv(
        _literal(files),
        schema=", ".join(f"{name} STRING" for name in names),
        sep=files.delimiter,
        header=True,
        quote='"',
        escape='"',
        multiLine=files.lines.multiline,
        mode="FAILFAST",
        ignoreLeadingWhiteSpace=False,
        ignoreTrailingWhiteSpace=False,
    )
    return rows.selectExpr(*(f"nullif({name}, '') AS {name}" for name in names))


def _type(kind: pa.DataType) -> str:
    """Name a type in Spark's words."""
    kind = SIGNED.get(kind, kind)
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    return "TIMESTAMP_NTZ" if pa.types.is_timestamp(kind) else TYPES[kind]


def _to_parquet(session: Any, records: SqlRecords, _: Path, place: str) -> None:
    rows = session.sql(records.query)
    rows.write.mode("overwrite").option("compression", "zstd").parquet(place)


def _to_csv(session: Any, records: SqlRecords, path: Path, place: str) -> None:
    delimiter = text_delimiter(path, records.names)
    session.sql(records.as_text()).write.mode("overwrite").csv(
        place, sep=delimiter, header=True, escape='"', **EXACT
    )


WRITERS = {"parquet": _to_parquet, "csv": _to_csv}
READERS: dict[str, Callable[[Any, Files], Any]] = {"parquet": _from_parquet, "csv": _from_csv}


def _any_session() -> Any:
    """Return the active session, or start one on this machine."""
    sql = load_extra("pyspark.sql", "spark")
    errors = load_extra("pyspark.errors", "spark")
    active = sql.SparkSession.getActiveSession()
    if active is not None:
        return active
    builder = sql.SparkSession.builder.appName("tacita").config("spark.ui.enabled", "false")
    try:
        return builder.getOrCreate()
    except (errors.PySparkException, OSError) as error:
        raise MissingExtraError(
            "Spark did not start: it needs Java 17 or later. Install it and let JAVA_HOME name "
            "its folder, or pass a `session`."
        ) from error


def _literal(files: Files) -> list[str]:
    """Return the paths so that Spark takes no character of theirs for a pattern."""
    return [f"file://{str(path).translate(PATTERN)}" for path in files.paths]


def _refuse_times(schema: pa.Schema) -> None:
    """Refuse times that Spark would not give back as they were."""
    for field in schema:
        kind = field.type
        if pa.types.is_timestamp(kind) and (kind.unit == "ns" or kind.tz):
            raise InputError(
                f"Attribute `{field.name}` holds {kind}; Spark keeps neither nanoseconds nor time "
                "zones. Write microseconds without a zone, or choose another engine."
            )


def _refuse_ambiguous(files: Files) -> None:
    if files.lines.ambiguous:
        raise InputError(
            "Spark would change line ends inside quotes where records end in CR or CRLF, as in "
            f"{files.lines.ambiguous}; let its lines end in LF, or choose another engine."
        )


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    """Fill a folder that appears complete or not at all; parts written before are replaced."""
    target = path.resolve()
    if not _has_only_parts(target):
        with atomic_folder(target) as temporary:
            yield temporary
        return
    place = _beside(target)
    try:
        with atomic_folder(place) as temporary:
            yield temporary
        _put(place, target)
    except OutputError as error:
        raise OutputError(str(error).replace(str(place), str(target))) from error
    except OSError as error:
        raise OutputError(
            f"Cannot replace {target}: {error.strerror}. Remove it, or choose another place."
        ) from error


def _has_only_parts(folder: Path) -> bool:
    """Tell whether a folder holds nothing but parts that were written here."""
    names = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    return bool(names) and names == {_part(number, folder.suffix) for number in range(len(names))}


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.tacita-{secrets.token_hex(4)}")


def _put(place: Path, target: Path) -> None:
    """Let a folder take the place of another, which comes back if that fails."""
    old = _beside(target)
    try:
        target.rename(old)
        place.rename(target)
    except BaseException:
        if old.exists():
            old.rename(target)
        shutil.rmtree(place, ignore_errors=True)
        raise
    shutil.rmtree(old)


def _part(number: int, suffix: str) -> str:
    return f"part-{number:05d}{suffix}"


def _tidy(folder: Path, suffix: str) -> None:
    """Leave nothing but the parts, numbered."""
    parts = sorted(folder.glob("part-*"))
    for other in set(folder.iterdir()) - set(parts):
        other.unlink()
    for number, part in enumerate(parts):
        part.rename(folder / _part(number, suffix))


def _reason(error: Exception) -> str:
    """Return the first line of what Spark says, without its trace in Java."""
    java = getattr(error, "java_exception", None)
    if java is None:
        return shown_reason(error)
    while WRAPPER in str(java.getMessage()) and java.getCause() is not None:
        java = java.getCause()
    return str(java.toString()).splitlines()[0].rstrip(".")
