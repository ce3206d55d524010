"""PostgreSQL databases, through ADBC: a table or a query, in a transaction that only reads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.formats import shown_place, sql
from tacita.data.formats.contents import Contents
from tacita.data.formats.layout import Layout
from tacita.data.formats.names import check_names
from tacita.errors import InputError, OutputError, TacitaError, load_extra

PATIENCE = 10  # seconds to wait for a server that does not answer
SMALLEST = 1e-290  # floats below have fewer digits
HEADER = 4  # what PostgreSQL adds to a type modifier
_HOST = r"(\[[0-9A-Fa-f:.]+\]|[^][:@/?#,]*)(:\d*)?"
ADDRESS = re.compile(
    rf"postgres(ql)?://([^:@/?#]*(:[^:@/?#]*)?@)?{_HOST}(,{_HOST})*(/[^/?#@]*)?(\?(?P<more>[^#]*))?"
)
READING = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    # Both could give the records of a table in another order each time.
    "SET LOCAL synchronize_seqscans = off",
    "SET LOCAL max_parallel_workers_per_gather = 0",
)
_OWN = "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"
SCHEMAS = sql.select(["n.nspname"], "pg_namespace n", f"WHERE {_OWN}")
TABLES = sql.select(
    ["n.nspname", "c.relname", "pg_table_is_visible(c.oid)"],
    "pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace",
    f"WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT c.relispartition AND {_OWN} "
    "ORDER BY 1, 2",
)
_BARE = "bool int2 int4 int8 float4 float8 text varchar bpchar name date time timestamp timestamptz"
AS_THEY_ARE = frozenset(_BARE.split())
AS_TEXT = ("uuid", "json", "jsonb")
SIMPLE: dict[pa.DataType, sql.Held] = {
    pa.bool_(): (pa.bool_(), "boolean"),
    **dict.fromkeys((pa.int8(), pa.uint8(), pa.int16()), (pa.int16(), "smallint")),
    **dict.fromkeys((pa.uint16(), pa.int32()), (pa.int32(), "integer")),
    **dict.fromkeys((pa.uint32(), pa.int64()), (pa.int64(), "bigint")),
    pa.uint64(): (pa.decimal128(20, 0), "numeric(20,0)"),
    pa.float32(): (pa.float32(), "real"),
    pa.float64(): (pa.float64(), "double precision"),
    pa.string(): (pa.string(), "text"),
    pa.date32(): (pa.date32(), "date"),
    pa.time64("us"): (pa.time64("us"), "time"),
    **{pa.timestamp(unit): (pa.timestamp("us"), "timestamp") for unit in sql.TICKS},
    pa.timestamp("us", "UTC"): (pa.timestamp("us", "UTC"), "timestamptz"),
}
ADVICE = (
    ("password authentication", "Give the password as PGPASSWORD or in ~/.pgpass"),
    ("no password supplied", "Give the password as PGPASSWORD or in ~/.pgpass"),
    ("FATAL: database", "Check the name of the database"),
    ("connection to server", "Check the address, and that the server runs"),
    ("host name", "Check the name of the host"),
    ("permission denied", "Ask for the right to it"),
    ("terminating connection", "The server went away; try again"),
    ("server closed", "The server went away; try again"),
)


class _Type(NamedTuple):
    """A type of PostgreSQL's: what it is called, and what it is cast to for reading."""

    name: str
    read_as: str | None  # "" where it is read as it is, None where it cannot be read

    @property
    def is_array(self) -> bool:
        """Whether values are arrays."""
        return self.name.endswith("[]")


def read(address: str, layout: Layout, text: frozenset[str]) -> Contents:  # noqa: ARG001
    """Read a table, or the rows of a SELECT, in a transaction that only reads.

    The records come in the order the table keeps them, which no database promises: a query with
    ORDER BY is sure. Enums, UUIDs and JSON are read as text, instants in UTC. A `numeric` of
    declared precision is read as a decimal; another as a float if that is exact.

    Args:
        address: like `postgresql://user@host:5432/database`.
        layout: `table` or `query`.
        text: nothing here; the database says which columns are text.
    """
    place = shown_place(address)
    errors = (load_extra("adbc_driver_manager", "sql").Error, pa.ArrowException, OSError)
    try:
        with sql.adbc_cursor("postgresql", checked_address(address, InputError)) as cursor:
            for setting in READING:
                cursor.execute(setting)
            source, found = _source(cursor, layout, place)
            table = _with_numbers(_records(cursor, source, place))
    except errors as error:
        raise InputError(f"Cannot read {place}: {explained(error)}") from error
    return Contents(sql.check_times(table, InputError), found=found)


def write(contents: Contents, address: str, layout: Layout) -> None:
    """Write a new table, all of it or nothing; a table that exists is never touched.

    Args:
        contents: what to write.
        address: like `postgresql://user@host:5432/database`.
        layout: `table`, the name of the new table.
    """
    place = shown_place(address)
    checked = checked_address(address, OutputError)
    _refuse_names(contents.table.column_names)
    table, definitions = sql.fitted(contents.table, _held, "PostgreSQL")
    _refuse_nul(table)
    try:
        with sql.adbc_cursor("postgresql", checked) as cursor:
            schema = sql.rows(cursor, "SELECT current_schema()")[0][0] or "public"
            target = sql.new_table(layout.table, schema)
            schemas = [name for (name,) in sql.rows(cursor, SCHEMAS)]
            sql.check_new(target, _tables(cursor), schemas, place)
            cursor.execute(f"CREATE TABLE {target.quoted} ({', '.join(definitions)})")
            cursor.adbc_ingest(target.name, table, mode="append", db_schema_name=target.schema)
            cursor.connection.commit()
    except (load_extra("adbc_driver_manager", "sql").Error, pa.ArrowException) as error:
        raise OutputError(f"Cannot write {place}: {explained(error)}") from error


def checked_address(address: str, wrong: type[TacitaError]) -> str:
    """Return the address to connect to; one that is misread could tell its password."""
    fits = ADDRESS.fullmatch(address)
    if fits is None or re.search("%(?![0-9A-Fa-f]{2})", address):
        raise wrong(
            "Expected an address like postgresql://user@host:5432/database, in which `%`, `/`, "
            "`@`, `:`, `?` and `#` of a name or password are written %25, %2F, %40, %3A, %3F, %23."
        )
    more = dict(parse_qsl(fits["more"] or "", keep_blank_values=True))
    if hidden := {"password", "sslpassword"} & set(more):
        raise wrong(
            f"`{min(hidden)}` cannot be a parameter of an address; give the password as PGPASSWORD "
            "or in ~/.pgpass."
        )
    if "connect_timeout" in more:
        return address
    joint = "&" if more else "" if address.endswith("?") else "?"
    return f"{address}{joint}connect_timeout={PATIENCE}"


def explained(error: Exception) -> str:
    """Say what the server complains of, and what to do."""
    said = sql.complaint(error)
    advice = next((f" {advice}." for word, advice in ADVICE if word in said), "")
    return f"{said}.{advice}"


def _tables(cursor: Any) -> list[sql.Table]:
    return [sql.Table(*row) for row in sql.rows(cursor, TABLES)]


# -- reading ---------------------------------------------------------------------------------------


def _source(cursor: Any, layout: Layout, place: str) -> tuple[str, dict[str, Any]]:
    """Return what is read, as SQL says it, and which table it is."""
    if layout.query is not None:
        return f"{sql.subquery(layout.query)} AS records", {}
    table = sql.chosen_table(layout.table, _tables(cursor), place)
    return table.quoted, {"table": str(table)}


def _records(cursor: Any, source: str, place: str) -> pa.Table:
    schema = cursor.adbc_execute_schema(sql.select(["*"], source))
    check_names(schema.names, place)
    types = _types(cursor, schema)
    _refuse_deep(cursor, source, [name for name, kind in types.items() if kind.is_array])
    wanted = (_expression(name, kind) for name, kind in types.items())
    cursor.execute(sql.select(wanted, source))
    return cursor.fetch_arrow_table()


def _types(cursor: Any, schema: pa.Schema) -> dict[str, _Type]:
    """Find the type of every column; the driver gives its name, or its number in brackets."""
    said = {field.name: field.metadata[b"POSTGRESQL:type"].decode() for field in schema}
    known = {kind: _known_type(kind) for kind in said.values()}
    others = {kind: kind.rpartition(":")[2].rstrip(">") for kind in known if known[kind] is None}
    looked_up = _looked_up(cursor, set(others.values()))
    return {
        name: known[kind] or looked_up.get(others[kind], _Type(kind, None))
        for name, kind in said.items()
    }


def _known_type(name: str) -> _Type | None:
    """Return a type of PostgreSQL's own that can be read; the names of arrays begin with `_`."""
    bare, array = name.removeprefix("_"), "[]" if name.startswith("_") else ""
    if bare in AS_TEXT:
        return _Type(bare + array, f"text{array}")
    is_read = bare in AS_THEY_ARE or name == "numeric"
    return _Type(bare + array, "") if is_read else None


def _looked_up(cursor: Any, keys: set[str]) -> Mapping[str, _Type]:
    """Return types by name and by number; enums and other kinds of text are read as text."""
    if not keys:
        return {}
    listed = ", ".join(map(sql.literal, sorted(keys)))
    asked = sql.select(
        (
            "t.oid::text",
            "t.typname",
            "format_type(t.oid, NULL)",
            "coalesce(m.typcategory, t.typcategory)::text",
        ),
        "pg_type t LEFT JOIN pg_type m ON m.oid = t.typelem AND t.typcategory = 'A'",
        f"WHERE t.oid::text IN ({listed}) OR t.typname IN ({listed})",
    )
    found: dict[str, _Type] = {}
    for number, name, told, category in sql.rows(cursor, asked):
        array = "[]" if told.endswith("[]") else ""
        kind = _Type(told, f"text{array}" if category in {"E", "S"} else None)
        found |= {number: kind, name: kind}
    return found


def _expression(name: str, kind: _Type) -> str:
    if kind.read_as is None:
        raise sql.unreadable(name, kind.name, way=f"{sql.quoted(name)}::text")
    column = sql.quoted(name)
    return f"{column}::{kind.read_as} AS {column}" if kind.read_as else column


def _refuse_deep(cursor: Any, source: str, names: Sequence[str]) -> None:
    """Refuse arrays of arrays, whose members the driver would put into one list."""
    if not names:
        return
    asked = (f"bool_or(array_ndims({sql.quoted(name)}) > 1)" for name in names)
    (found,) = sql.rows(cursor, sql.select(asked, source))
    for name, deep in zip(names, found, strict=True):
        if deep:
            raise sql.unreadable(name, "arrays of arrays", way=f"{sql.quoted(name)}::text")


def _with_numbers(table: pa.Table) -> pa.Table:
    """Turn the columns of type `numeric`, which the driver gives as text, into numbers."""
    columns = [_column(field, table.column(place)) for place, field in enumerate(table.schema)]
    return pa.table(columns, names=table.column_names)


def _column(field: pa.Field, column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not isinstance(field.type, pa.OpaqueType):
        return column
    return _numbers(field, pa.chunked_array([part.storage for part in column.chunks], pa.string()))


def _numbers(field: pa.Field, text: pa.ChunkedArray) -> pa.ChunkedArray:
    declared = _declared(int(field.metadata.get(b"POSTGRESQL:typmod", b"-1")))
    special = pc.match_substring_regex(text, "[a-z]")  # nan, inf
    if declared is not None and not pc.any(special).as_py():
        return text.cast(declared)
    floats = text.cast(pa.float64())
    if not _is_exact(text.filter(pc.invert(special)), floats.filter(pc.invert(special))):
        raise InputError(
            f"Column `{field.name}` holds numbers of type numeric that no float holds; say how "
            f"many digits they have in a query, for instance {sql.quoted(field.name)}"
            "::numeric(38, 10)."
        ).about(field.name)
    return floats


def _declared(modifier: int) -> pa.DataType | None:
    """Return the decimals that a type modifier declares; None if there is none or they are long.

    >>> _declared(655366)
    Decimal128Type(decimal128(10, 2))
    """
    if modifier < HEADER:
        return None
    precision, scale = modifier - HEADER >> 16, modifier - HEADER & 0x7FF
    is_plain = scale <= precision <= sql.MOST_DIGITS
    return pa.decimal128(precision, scale) if is_plain else None


def _is_exact(text: pa.ChunkedArray, floats: pa.ChunkedArray) -> bool:
    """Tell whether floats, written out, are the numbers they were read from."""
    digits = pc.utf8_length(pc.replace_substring_regex(text, r"^-?[0.]*|\.", ""))
    small = pc.and_(pc.greater(digits, 0), pc.less(pc.abs(floats), SMALLEST))
    unsure = pc.or_(pc.greater(digits, sql.EXACT_DIGITS), small)
    doubtful = zip(text.filter(unsure).to_pylist(), floats.filter(unsure).to_pylist(), strict=True)
    return all(Decimal(repr(number)) == Decimal(said) for said, number in doubtful)


# -- writing ---------------------------------------------------------------------------------------


def _held(kind: pa.DataType) -> sql.Held | None:
    """Tell how PostgreSQL holds values of a type; None if it would change them."""
    if pa.types.is_list(kind):
        member = SIMPLE.get(kind.value_type)
        if member is None or pa.types.is_decimal(member[0]):  # which could not be read back
            return None
        return pa.list_(member[0]), f"{member[1]}[]"
    if sql.is_number_with_point(kind):
        return kind, f"numeric({kind.precision},{kind.scale})"
    return SIMPLE.get(kind)


def _refuse_names(names: Sequence[str]) -> None:
    """Refuse names of columns that PostgreSQL would cut off."""
    for name in names:
        if len(name.encode()) > sql.LONGEST_NAME:
            raise OutputError(
                f"Column `{name}` has a name of {len(name.encode())} bytes; PostgreSQL keeps "
                f"{sql.LONGEST_NAME}. Rename it."
            )


def _refuse_nul(table: pa.Table) -> None:
    for name in table.column_names:
        column = table.column(name)
        if pa.types.is_string(column.type) and pc.any(pc.match_substring(column, "\0")).as_py():
            raise OutputError(
                f"Column `{name}` holds text with a NUL byte, which PostgreSQL cannot; remove it."
            )
