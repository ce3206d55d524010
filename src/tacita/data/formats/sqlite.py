"""SQLite databases: every value has a type of its own, so a column is checked to have one.

What a column is declared as says what its text or numbers mean: `write` declares dates, times,
truth values and decimals, and `read` turns what is declared so back into them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.formats import sql
from tacita.data.formats.contents import Contents
from tacita.data.formats.layout import Layout
from tacita.data.formats.names import check_names
from tacita.errors import InputError, OutputError, load_extra

EXACT_WHOLE = 2**53  # up to here every whole number is a float
QUERY = "tacita query"
INVENTED = re.compile(r":[0-9]+$")  # ends the name that a view gives to a repeated one
READ_AS = {"integer": pa.int64(), "real": pa.float64(), "text": pa.string()}
FIRST_VALUE = {"integer": "0", "real": "0.0", "text": "''"}
INSTANT = pa.timestamp("us", "UTC")
SIMPLE: dict[pa.DataType, sql.Held] = {
    **dict.fromkeys((pa.int8(), pa.int16(), pa.int32(), pa.int64()), (pa.int64(), "INTEGER")),
    **dict.fromkeys((pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()), (pa.int64(), "INTEGER")),
    **dict.fromkeys((pa.float32(), pa.float64()), (pa.float64(), "REAL")),
    pa.string(): (pa.string(), "TEXT"),
    pa.bool_(): (pa.bool_(), "BOOLEAN"),
    pa.date32(): (pa.date32(), "DATE"),
    **{pa.timestamp(unit): (pa.timestamp("us"), "TIMESTAMP") for unit in sql.TICKS},
    INSTANT: (INSTANT, "TIMESTAMPTZ"),
}
DECLARED = {
    "DATE": pa.date32(),
    **dict.fromkeys(("TIMESTAMP", "DATETIME"), pa.timestamp("us")),
    **dict.fromkeys(("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE"), INSTANT),
    **dict.fromkeys(("BOOLEAN", "BOOL"), pa.bool_()),
}
TABLES = (
    "SELECT schema, name FROM pragma_table_list WHERE schema = 'main' "
    "AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 2"
)


class _Column(NamedTuple):
    """A column and what it is declared as; a query's expression is declared as nothing."""

    name: str
    declared: str

    @property
    def affinity(self) -> str:
        """What SQLite tries to make of values in this column, by the rules of its manual."""
        for words, affinity in (
            (("INT",), "integer"),
            (("CHAR", "CLOB", "TEXT"), "text"),
            (("BLOB",), "none"),
            (("REAL", "FLOA", "DOUB"), "real"),
        ):
            if any(word in self.declared for word in words):
                return affinity
        return "numeric" if self.declared else "none"

    @property
    def meant(self) -> pa.DataType | None:
        """The type that the declaration means beyond numbers and text; None if there is none."""
        if digits := re.fullmatch(r"(?:DECIMAL|NUMERIC)\((\d+)(?:, *(\d+))?\)", self.declared):
            precision, scale = (int(digit or 0) for digit in digits.groups())
            held = 0 < precision <= sql.EXACT_DIGITS and scale <= precision
            return pa.decimal128(precision, scale) if held else None
        return DECLARED.get(self.declared)


class _Source(NamedTuple):
    """What is read: how SQL says it, its columns, and whether it is a table of numbered rows."""

    said: str
    columns: tuple[_Column, ...]
    is_table: bool


def read(path: Path, layout: Layout, text: frozenset[str]) -> Contents:  # noqa: ARG001
    """Read a table, or the rows of a SELECT; the database is opened for reading only.

    The records come in the order of their row numbers, which no database promises: a query with
    ORDER BY is sure. A column whose values are of several types is refused, save whole numbers
    among others in a NUMERIC column.
    """
    manager = load_extra("adbc_driver_manager", "sql")
    address = f"{sql.existing_file(path).resolve().as_uri()}?mode=ro"
    try:
        with sql.adbc_cursor("sqlite", address) as cursor:
            source, found = _source(cursor, layout, path)
            check_names([column.name for column in source.columns], path)
            table = _records(cursor, source)
    except (manager.Error, pa.ArrowException, OSError) as error:
        raise InputError(f"Cannot read {path}: {sql.complaint(error)}.") from error
    return _meant(table, source.columns, found)


def write(contents: Contents, path: Path, layout: Layout) -> None:
    """Write a new table; a database that is not there yet is made.

    A table that exists is never touched. Whatever goes wrong, the database stays as it was.

    Args:
        contents: what to write.
        path: the database.
        layout: `table`, the name of the new table.
    """
    manager = load_extra("adbc_driver_manager", "sql")
    target = sql.new_table(layout.table, "main")
    table, definitions = sql.fitted(contents.table, _held, "SQLite")
    stored = _stored(table)
    try:
        with (
            sql.database_file(path) as file,
            sql.adbc_cursor("sqlite", file.resolve().as_uri()) as cursor,
        ):
            sql.check_new(target, _tables(cursor), ["main"], str(path))
            cursor.execute(f"CREATE TABLE {target.quoted} ({', '.join(definitions)})")
            cursor.adbc_ingest(target.name, stored, mode="append")
            cursor.connection.commit()
    except (manager.Error, pa.ArrowException) as error:
        raise OutputError(f"Cannot write {path}: {sql.complaint(error)}.") from error


def _tables(cursor: Any) -> list[sql.Table]:
    return [sql.Table(*row) for row in sql.rows(cursor, TABLES)]


# -- reading ---------------------------------------------------------------------------------------


def _source(cursor: Any, layout: Layout, path: Path) -> tuple[_Source, dict[str, Any]]:
    if layout.query is not None:
        view = _view(cursor, layout.query)
        columns = _columns(cursor, view)
        if any(INVENTED.search(column.name) for column in columns):
            _refuse_invented(cursor, layout.query, columns)
        return _Source(view.quoted, columns, is_table=False), {}
    table = sql.chosen_table(layout.table, _tables(cursor), str(path))
    about = f"pragma_table_list({sql.literal(table.name)})"
    is_table = bool(sql.rows(cursor, sql.select(["type = 'table' AND NOT wr"], about))[0][0])
    # An index that holds all columns would be read in its order, not in that of the rows.
    said = f"{table.quoted} NOT INDEXED" if is_table else table.quoted
    return _Source(said, _columns(cursor, table), is_table), {"table": str(table)}


def _view(cursor: Any, query: str) -> sql.Table:
    """Make a view of a query, which only one SELECT can be, for as long as the database is open."""
    selected = sql.select(["*"], f'{sql.subquery(query)} AS "records"')
    cursor.execute(f"CREATE TEMP VIEW {sql.quoted(QUERY)} AS {selected}")
    ((made,),) = sql.rows(cursor, "SELECT sql FROM sqlite_temp_schema")
    if not made.endswith(selected):  # the driver leaves out what follows a first statement
        raise InputError("`query`: expected one SELECT; found more statements.").about("query")
    return sql.Table("temp", QUERY)


def _refuse_invented(cursor: Any, query: str, columns: Sequence[_Column]) -> None:
    """Refuse names that the view has and the query does not."""
    cursor.execute(sql.statement(query))
    for column, (name, *_) in zip(columns, cursor.description, strict=True):
        if INVENTED.search(column.name) and column.name != name:
            raise InputError(
                f"`query`: the name `{name}` is given to several columns, which SQLite tells apart "
                "neither by place nor by case; rename all but one."
            ).about("query")


def _columns(cursor: Any, table: sql.Table) -> tuple[_Column, ...]:
    about = f"pragma_table_xinfo({sql.literal(table.name)}, {sql.literal(table.schema)})"
    found = sql.rows(cursor, sql.select(["name", "upper(type)"], about, "WHERE hidden <> 1"))
    return tuple(_Column(name, (declared or "").strip()) for name, declared in found)


def _records(cursor: Any, source: _Source, *, trusting: bool = True) -> pa.Table:
    """Read the values as they are stored, each column in the one type its values have.

    In a table, a column is first taken at its word: that its values are of another type than it
    is declared as shows while it is read.
    """
    trusted = [column for column in source.columns if source.is_table and trusting]
    trusted = [column for column in trusted if column.affinity in READ_AS]
    found = _found(cursor, source, [c for c in source.columns if c not in trusted])
    classes = {column.name: {column.affinity} for column in trusted} | found
    chosen = [_class(cursor, source, column, classes[column.name]) for column in source.columns]
    try:
        return _fetched(cursor, source, chosen, trusted)
    except OSError:
        if not trusted:
            raise
        return _records(cursor, source, trusting=False)


def _found(cursor: Any, source: _Source, columns: Sequence[_Column]) -> dict[str, set[str]]:
    """Find the types that the values of columns have."""
    if not columns:
        return {}
    asked = (f"group_concat(DISTINCT typeof({sql.quoted(c.name)}))" for c in columns)
    (found,) = sql.rows(cursor, sql.select(asked, source.said))
    classes = (set((types or "").split(",")) - {"", "null"} for types in found)
    return dict(zip((column.name for column in columns), classes, strict=True))


def _class(cursor: Any, source: _Source, column: _Column, found: set[str]) -> str:
    """Return the one type that a column is read in."""
    if not found:
        return _class_of_nothing(column)
    if found == {"integer", "real"} and column.affinity == "numeric":
        _refuse_inexact(cursor, source, column)
        return "real"
    if len(found) > 1:
        raise _mixed(cursor, source, column)
    (only,) = found
    if only == "blob":
        way = f"CAST({sql.quoted(column.name)} AS TEXT) or hex({sql.quoted(column.name)})"
        raise sql.unreadable(column.name, "BLOB", way=way)
    return only


def _class_of_nothing(column: _Column) -> str:
    """Return the type of a column without values: what it is declared as."""
    if column.meant is not None and pa.types.is_boolean(column.meant):
        return "integer"
    if column.meant is not None and pa.types.is_temporal(column.meant):
        return "text"
    return {"none": "text", "numeric": "real"}.get(column.affinity, column.affinity)


def _refuse_inexact(cursor: Any, source: _Source, column: _Column) -> None:
    """Refuse a whole number among floats that is too large to be one."""
    name = sql.quoted(column.name)
    too_large = f"{name} NOT BETWEEN -{EXACT_WHOLE} AND {EXACT_WHOLE}"
    asked = sql.select(
        [name], source.said, f"WHERE typeof({name}) = 'integer' AND {too_large} LIMIT 1"
    )
    if found := sql.rows(cursor, asked):
        raise InputError(
            f"Column `{column.name}` mixes floats and whole numbers as large as {found[0][0]}, "
            "which no float holds; cast it to TEXT, INTEGER or REAL in a query."
        ).about(column.name)


def _mixed(cursor: Any, source: _Source, column: _Column) -> InputError:
    """Say where a column first has a value of another type than before."""
    name = sql.quoted(column.name)
    number, word = ("_rowid_", "rowid") if source.is_table else ("row_number() OVER ()", "record")
    typed = sql.select([f"{number} AS place", f"typeof({name}) AS kind"], source.said)
    values = f"({typed}) WHERE kind <> 'null'"
    first = sql.rows(cursor, sql.select(["kind"], values, "LIMIT 1"))[0][0]
    other = sql.select(["place", "kind"], values, f"AND kind <> '{first}' LIMIT 1")
    ((place, kind),) = sql.rows(cursor, other)
    return InputError(
        f"Column `{column.name}` mixes types: {first}, and {kind} at {word} {place}. Correct it, "
        f"or cast it to one in a query, for instance CAST({name} AS TEXT)."
    ).about(column.name)


def _fetched(
    cursor: Any, source: _Source, classes: Sequence[str], trusted: Sequence[_Column]
) -> pa.Table:
    """Read all records, behind a first one that tells the driver the type of every column.

    The driver stops at a value of another type, or changes the type of the column; only bytes
    among text it takes for text.
    """
    names = [column.name for column in source.columns]
    texts = [sql.quoted(column.name) for column in trusted if column.affinity == "text"]
    bytes_found = " OR ".join(f"typeof({name}) = 'blob'" for name in texts) or "0"
    first = ", ".join(FIRST_VALUE[kind] for kind in classes)
    wanted = sql.select([*map(sql.quoted, names), bytes_found], source.said)
    cursor.execute(f"SELECT {first}, 0 UNION ALL {wanted}")
    *columns, found = cursor.fetch_arrow_table().columns
    kinds = [column.type for column in columns]
    if kinds != [READ_AS[kind] for kind in classes] or pc.max(found).as_py():
        raise OSError("a column holds values of several types")
    return pa.table(columns, names=names).slice(1)


def _meant(table: pa.Table, columns: Sequence[_Column], found: dict[str, Any]) -> Contents:
    """Turn stored text and numbers into what their columns are declared as, where all are that."""
    read, warnings = [], []
    for column in columns:
        values = _utf8(column.name, table.column(column.name))
        meant = values if column.meant is None else _converted(values, column.meant)
        if meant is None:
            warnings.append(
                f"Column `{column.name}` is declared {column.declared}, but not all of its values "
                f"are one; it is read as {values.type}, as it is stored."
            )
        read.append(values if meant is None else meant)
    whole = pa.table(read, names=table.column_names)
    return Contents(sql.check_times(whole, InputError), found=found, warnings=tuple(warnings))


def _utf8(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Refuse text that is not UTF-8; SQLite keeps whatever bytes a program gave it."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        raise InputError(
            f"Column `{name}` holds text that is not UTF-8; write it again with its encoding, or "
            f"read hex({sql.quoted(name)}) in a query."
        ).about(name) from error
    return column


def _converted(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray | None:
    """Return stored values as the type they mean; None if one of them does not mean it."""
    try:
        if pa.types.is_boolean(wanted):
            return _to_truth(column)
        is_decimal = pa.types.is_decimal(wanted)
        return _to_decimals(column, wanted) if is_decimal else _to_times(column, wanted)
    except pa.ArrowException:
        return None


def _to_truth(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    if not pa.types.is_integer(column.type):
        return None
    known = pc.is_in(column.drop_null(), value_set=pa.array([0, 1]))
    return column.cast(pa.bool_()) if pc.all(known, min_count=0).as_py() else None


def _to_times(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray | None:
    """Read days and times of ISO 8601; Arrow alone would take other writings of them too."""
    time = r"[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?" if pa.types.is_timestamp(wanted) else ""
    zone = r"(Z|[+-]\d\d:\d\d)" if wanted == INSTANT else ""
    if not pa.types.is_string(column.type):
        return None
    fits = pc.match_substring_regex(column, rf"^\d{{4}}-\d\d-\d\d{time}{zone}$")
    return column.cast(wanted) if pc.all(fits, min_count=0).as_py() else None


def _to_decimals(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray | None:
    """Read floats and whole numbers as the decimals they are when written out."""
    return None if pa.types.is_string(column.type) else column.cast(pa.string()).cast(wanted)


# -- writing ---------------------------------------------------------------------------------------


def _held(kind: pa.DataType) -> sql.Held | None:
    """Tell how SQLite holds values of a type; None if it would change them."""
    if sql.is_number_with_point(kind) and kind.precision <= sql.EXACT_DIGITS:
        return kind, f"DECIMAL({kind.precision},{kind.scale})"
    return SIMPLE.get(kind)


def _stored(table: pa.Table) -> pa.Table:
    """Return a table in the numbers and text that SQLite stores for it."""
    columns = [_as_stored(name, table.column(name)) for name in table.column_names]
    return pa.table(columns, names=table.column_names)


def _as_stored(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_boolean(kind):
        return column.cast(pa.int64())
    if pa.types.is_floating(kind) and pc.any(pc.is_nan(column)).as_py():
        raise OutputError(
            f"Column `{name}` holds NaN, which SQLite makes missing; make it missing yourself."
        )
    if kind == INSTANT:
        naive = column.cast(pa.timestamp("us")).cast(pa.string())
        return pc.binary_join_element_wise(naive, "Z", "")
    is_written = pa.types.is_temporal(kind) or pa.types.is_decimal(kind)
    return column.cast(pa.string()) if is_written else column
