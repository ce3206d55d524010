"""DuckDB databases: a table or a query, straight into Arrow and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacita.data.formats import sql
from tacita.data.formats.contents import Contents
from tacita.data.formats.layout import Layout
from tacita.data.formats.names import check_names
from tacita.errors import InputError, OutputError, load_extra

# A query sees this database only: no other file, nothing of the net, no variable of Python's.
SEALED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
_BARE = (
    "boolean tinyint smallint integer bigint utinyint usmallint uinteger ubigint float double "
    "decimal varchar date time timestamp timestamp_s timestamp_ms timestamp_ns"
)
AS_THEY_ARE = frozenset(_BARE.split())
READ_AS = {
    **dict.fromkeys(("hugeint", "uhugeint"), "DECIMAL(38,0)"),
    **dict.fromkeys(("enum", "uuid"), "VARCHAR"),
    "timestamp with time zone": "TIMESTAMP WITH TIME ZONE",
    "null": "VARCHAR",
}
SIMPLE: dict[pa.DataType, str] = {
    pa.bool_(): "BOOLEAN",
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.uint8(): "UTINYINT",
    pa.uint16(): "USMALLINT",
    pa.uint32(): "UINTEGER",
    pa.uint64(): "UBIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.string(): "VARCHAR",
    pa.date32(): "DATE",
    pa.time64("us"): "TIME",
    pa.timestamp("s"): "TIMESTAMP_S",
    pa.timestamp("ms"): "TIMESTAMP_MS",
    pa.timestamp("us"): "TIMESTAMP",
    pa.timestamp("ns"): "TIMESTAMP_NS",
    pa.timestamp("us", "UTC"): "TIMESTAMP WITH TIME ZONE",
}
TABLES = (
    "SELECT table_schema, table_name, table_schema = current_schema() "
    "FROM information_schema.tables WHERE table_catalog = current_database() ORDER BY 1, 2"
)
SCHEMAS = (
    "SELECT schema_name FROM duckdb_schemas() "
    "WHERE database_name = current_database() AND (NOT internal OR schema_name = 'main')"
)


def read(path: Path, layout: Layout, text: frozenset[str]) -> Contents:  # noqa: ARG001
    """Read a table, or the rows of a SELECT; the database is opened for reading only.

    The records come in the order they were put in, which DuckDB keeps but no database promises: a
    query with ORDER BY is sure. An enum or a UUID is read as text, a whole number of 128 bits as a
    decimal, an instant in UTC.
    """
    duckdb = load_extra("duckdb", "sql")
    try:
        with _opened(sql.existing_file(path), sealed=True) as connection:
            selected, found = _selected(connection, layout, path)
            check_names([_folded(name) for name in selected.columns], path)
            kinds = zip(selected.columns, selected.types, strict=True)
            wanted = ", ".join(_expression(name, kind) for name, kind in kinds)
            table = selected.project(wanted).to_arrow_table()
    except duckdb.Error as error:
        raise InputError(f"Cannot read {path}: {sql.complaint(error)}.") from error
    return Contents(sql.check_times(table, InputError), found=found)


def write(contents: Contents, path: Path, layout: Layout) -> None:
    """Write a new table; a database that is not there yet is made.

    A table that exists is never touched. Whatever goes wrong, the database stays as it was.

    Args:
        contents: what to write.
        path: the database.
        layout: `table`, the name of the new table.
    """
    duckdb = load_extra("duckdb", "sql")
    target = sql.new_table(layout.table, "main")
    table, definitions = sql.fitted(contents.table, _held, "DuckDB")
    try:
        with sql.database_file(path) as file, _opened(file, sealed=False) as connection:
            schemas = [name for (name,) in sql.rows(connection, SCHEMAS)]
            sql.check_new(target, _tables(connection), schemas, str(path))
            name = _full_name(connection, target)
            connection.register("records", table)
            connection.execute("BEGIN")
            connection.execute(f"CREATE TABLE {name} ({', '.join(definitions)})")
            connection.execute(f"INSERT INTO {name} FROM temp.main.records")
            connection.execute("COMMIT")
            if file != path:
                connection.execute("CHECKPOINT")  # a new file is moved without its log
    except duckdb.Error as error:
        raise OutputError(f"Cannot write {path}: {sql.complaint(error)}.") from error


@contextmanager
def _opened(path: Path, *, sealed: bool) -> Iterator[Any]:
    duckdb = load_extra("duckdb", "sql")
    config = SEALED if sealed else {}
    with closing(duckdb.connect(path, read_only=sealed, config=config)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def _tables(connection: Any) -> list[sql.Table]:
    return [sql.Table(*row) for row in sql.rows(connection, TABLES)]


def _full_name(connection: Any, table: sql.Table) -> str:
    """Return a name that cannot be mistaken: a database is called as its file, `main` perhaps."""
    ((database,),) = sql.rows(connection, "SELECT current_database()")
    return f"{sql.quoted(database)}.{table.quoted}"


def _selected(connection: Any, layout: Layout, path: Path) -> tuple[Any, dict[str, Any]]:
    """Return what is to be read, which is not run yet, and which table it is."""
    if layout.query is None:
        table = sql.chosen_table(layout.table, _tables(connection), str(path))
        return connection.sql(f"FROM {_full_name(connection, table)}"), {"table": str(table)}
    query = sql.statement(layout.query)
    kinds = [found.type.name for found in connection.extract_statements(query)]
    if kinds != ["SELECT"]:
        found = " and then ".join(kinds) or "nothing"
        raise InputError(f"`query`: expected one SELECT; found {found}.").about("query")
    return connection.sql(query), {}


def _folded(name: str) -> str:
    """Return a name as DuckDB compares it: by ASCII letters of any case."""
    return name.encode().lower().decode()


def _expression(name: str, kind: Any) -> str:
    wanted = _read_as(kind)
    if wanted is None:
        raise sql.unreadable(name, str(kind), way=f"CAST({sql.quoted(name)} AS VARCHAR)")
    if wanted == str(kind):
        return sql.quoted(name)
    return f"CAST({sql.quoted(name)} AS {wanted}) AS {sql.quoted(name)}"


def _read_as(kind: Any) -> str | None:
    """Return the type that a type of DuckDB's is read as; None if it cannot be."""
    if kind.id in AS_THEY_ARE:
        return str(kind)
    if kind.id in {"list", "array"}:
        member = _read_as(dict(kind.children)["child"])
        return None if member is None or member.endswith("]") else f"{member}[]"
    return READ_AS.get(kind.id)


def _held(kind: pa.DataType) -> sql.Held | None:
    """Tell how DuckDB holds values of a type; None if it would change them."""
    if pa.types.is_list(kind):
        member = None if pa.types.is_list(kind.value_type) else _held(kind.value_type)
        return member and (kind, f"{member[1]}[]")
    if sql.is_number_with_point(kind):
        return kind, f"DECIMAL({kind.precision},{kind.scale})"
    return (kind, SIMPLE[kind]) if kind in SIMPLE else None
