"""What the databases share: how tables are named and chosen, and what their columns can hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.whole_files import is_file, is_folder
from tacita.errors import InputError, OutputError, did_you_mean, load_extra, shown

MOST_TOLD = 20  # tables that a message lists
LONGEST_NAME = 63  # bytes; PostgreSQL cuts longer names off without a word
UTC_NAMES = {"UTC", "Etc/UTC", "Z", "+00:00"}
FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # the years 1 to 9999, as days since 1970
TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # in a second
EXACT_DIGITS = 15  # of a decimal that a float gives back
MOST_DIGITS = 38  # of a decimal of 128 bits
COMMON: tuple[tuple[Callable[[pa.DataType], bool], pa.DataType], ...] = (
    (pa.types.is_large_string, pa.string()),
    (pa.types.is_string_view, pa.string()),
    (pa.types.is_float16, pa.float32()),
    (pa.types.is_date64, pa.date32()),
    (pa.types.is_time, pa.time64("us")),
)

# What ADBC's drivers put before the words of the database.
_WRAPPING = re.compile(
    r"^([A-Z_]+: )?(\[\w+\] )?((Failed to|failed to) [^:]*: )?(PGRES_\w+ |Execution error \[\w+\]: "
    r"|could not begin COPY: |PQgetCopyData\(\) failed: )?((ERROR|FATAL):\s+)?"
)

Held = tuple[pa.DataType, str]  # the Arrow type that a database takes, and its name there


class Table(NamedTuple):
    """A table or view, as the catalog of its database names it.

    Args:
        schema: the schema it lies in.
        name: its name there.
        found_bare: whether its name alone finds it.
    """

    schema: str
    name: str
    found_bare: bool = True

    def __str__(self) -> str:
        return self.name if self.found_bare else f"{self.schema}.{self.name}"

    @property
    def quoted(self) -> str:
        """The name as SQL says it, whatever characters it holds."""
        return f"{quoted(self.schema)}.{quoted(self.name)}"


def quoted(name: str) -> str:
    """Return a name as SQL says it.

    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL says it.

    >>> print(literal("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


def select(wanted: Iterable[str], source: str, more: str = "") -> str:
    """Return a SELECT.

    Args:
        wanted: the expressions to select; names in them are quoted.
        source: a table, quoted, or a subquery.
        more: what follows, `LIMIT 1` for instance.

    >>> select(["a", "b"], '"t"')
    'SELECT a, b FROM "t"'
    """
    said = f"SELECT {', '.join(wanted)} FROM {source} {more}"  # noqa: S608 - all names are quoted
    return said.rstrip()


def chosen_table(said: str | None, known: Sequence[Table], place: str) -> Table:
    """Find the table that is said, or the only one when nothing is said.

    Args:
        said: `name` or `schema.name`.
        known: the tables of the database's catalog; no other is ever looked at.
        place: what to call the database.
    """
    if said is None:
        return _only_table(known, place)
    names = {f"{table.schema}.{table.name}": table for table in known}
    names |= {str(table): table for table in known}
    if said in names:
        return names[said]
    near = did_you_mean(said, map(str, known))
    raise InputError(f"{place} has no table {shown(said)}; {_told(known)}.{near}")


def _only_table(known: Sequence[Table], place: str) -> Table:
    if len(known) != 1:
        choose = " Say which one with `table`, or give a `query`." if known else ""
        raise InputError(f"{place} does not hold exactly one table: {_told(known)}.{choose}")
    return known[0]


def _told(known: Sequence[Table]) -> str:
    if not known:
        return "it has none"
    more = f" and {len(known) - MOST_TOLD} more" if len(known) > MOST_TOLD else ""
    return f"it has {', '.join(map(str, known[:MOST_TOLD]))}{more}"


def new_table(said: str | None, schema: str) -> Table:
    """Return the table that is to be made.

    Args:
        said: `name` or `schema.name`.
        schema: the schema it lies in when none is said.
    """
    if said is None:
        raise OutputError(
            "A database needs the name of the table to write; say it with `table` (with "
            "`--to-table` to `tacita convert`)."
        )
    before, _, name = said.rpartition(".")
    parts = (before or schema, name)
    plain = all(re.fullmatch(r"\w[\w -]*", part) for part in parts) and not said.startswith(".")
    if not plain or max(len(part.encode()) for part in parts) > LONGEST_NAME:
        raise OutputError(
            "Expected the name of a table, `name` or `schema.name`, of letters, digits, `_`, `-` "
            f"and spaces, each part of at most {LONGEST_NAME} bytes; found {shown(said)}."
        )
    return Table(*parts)


def check_new(table: Table, known: Sequence[Table], schemas: Sequence[str], place: str) -> None:
    """Check that a new table has a place: its schema is there, and its name is not taken.

    A table that exists is never touched, and one in a schema for passing tables would be lost.

    Args:
        table: the table that is to be made.
        known: the tables of the database's catalog.
        schemas: the schemas of the catalog in which tables stay.
        place: what to call the database.
    """
    if table.schema not in schemas:
        near = did_you_mean(table.schema, schemas)
        raise OutputError(f"{place} has no schema {shown(table.schema)} for tables.{near}")
    for other in known:  # most databases do not tell capitals from small letters
        if (other.schema, other.name.lower()) == (table.schema, table.name.lower()):
            raise OutputError(
                f"{place} has a table {other.name} already; choose another name or drop it."
            )


def subquery(query: str) -> str:
    """Put a query where only a SELECT can stand; a comment at its end reaches no further."""
    return f"(\n{statement(query)}\n)"


def statement(query: str) -> str:
    """Return a query without the semicolon at its end.

    >>> statement("SELECT 1;")
    'SELECT 1'
    """
    if re.search("[\0\ud800-\udfff]", query):  # a driver would stop reading, or break, there
        raise InputError("`query`: expected text; found a NUL or half a character.").about("query")
    return query.strip().removesuffix(";")


@contextmanager
def adbc_cursor(driver: str, address: str) -> Iterator[Any]:
    """Open a database through ADBC; what is not committed is undone when the block ends."""
    dbapi = load_extra(f"adbc_driver_{driver}.dbapi", "sql")
    with dbapi.connect(address) as connection, connection.cursor() as cursor:
        yield cursor


def rows(cursor: Any, said: str) -> list[tuple[Any, ...]]:
    """Run a statement and return the rows it gives."""
    cursor.execute(said)
    found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def complaint(error: Exception) -> str:
    """Return the first line of what a database complains of, in its own words."""
    first = next(iter(str(error).strip().splitlines()), type(error).__name__)
    words = _WRAPPING.sub("", first).partition(". SQLSTATE")[0]
    return " ".join(words.split()).rstrip(".!")


def existing_file(path: Path) -> Path:
    """Return the path of a database, which must be there."""
    if not is_file(path):
        raise InputError(f"There is no database {path}; check the path.")
    return path


@contextmanager
def database_file(path: Path) -> Iterator[Path]:
    """Give the file to write to: a database that exists, else one that appears whole or not."""
    if is_file(path) or is_folder(path):
        yield path
        return
    with atomic_file(path) as temporary:
        try:
            yield temporary
        finally:
            for beside in temporary.parent.iterdir():  # the log of a database that broke off
                if beside.name.startswith(temporary.name) and beside != temporary:
                    beside.unlink()


def unreadable(name: str, kind: str, *, way: str) -> InputError:
    """Say that a column's type cannot be read, and how it could be."""
    return InputError(
        f"Column `{name}` holds {kind}; numbers, text, dates, truth values and flat lists are "
        f"read. Leave it out or cast it in a query, for instance {way}."
    ).about(name)


def check_times(table: pa.Table, wrong: type[InputError | OutputError]) -> pa.Table:
    """Stop at days outside the years 1 to 9999 (a database's infinity is one) and at 24:00."""
    for name in table.column_names:
        if not _in_range(table.column(name)):
            raise wrong(
                f"Column `{name}` holds a time outside of what can be used (the years 1 to 9999, "
                "no infinity, 00:00 to 23:59); leave it out, correct it or turn it into text."
            )
    return table


def _in_range(column: pa.ChunkedArray) -> bool:
    if pa.types.is_list(column.type):
        return _in_range(pc.list_flatten(column))
    bounds = _bounds(column.type)
    if bounds is None or len(column) == column.null_count:
        return True
    ticks = column.cast(pa.int32() if pa.types.is_date(column.type) else pa.int64())
    found = pc.min_max(ticks).as_py()
    return bool(bounds[0] <= found["min"] and found["max"] <= bounds[1])


def _bounds(kind: pa.DataType) -> tuple[int, int] | None:
    """Return the first and last tick that a type of days or times may hold."""
    day = 86_400
    if pa.types.is_date32(kind):
        return FIRST_DAY, LAST_DAY
    if pa.types.is_timestamp(kind):
        ticks = day * TICKS[kind.unit]
        return FIRST_DAY * ticks, (LAST_DAY + 1) * ticks - 1
    return (0, day * TICKS[kind.unit] - 1) if pa.types.is_time(kind) else None


def fitted(
    table: pa.Table, held: Callable[[pa.DataType], Held | None], what: str
) -> tuple[pa.Table, list[str]]:
    """Bring a table into the types that a database takes without changing a value.

    Args:
        table: what to write.
        held: tells for a common type in which type and under which name the database holds its
            values exactly; None if it cannot.
        what: what to call the database.

    Returns the table, and the definition of each column in SQL.
    """
    columns, definitions = [], []
    for name in table.column_names:
        if "\0" in name:
            raise OutputError(f"Column {shown(name)} has a NUL byte in its name; rename it.")
        column = _decoded(table.column(name))
        kind = held(common_type(column.type))
        if kind is None:
            raise OutputError(
                f"Column `{name}` holds {column.type}, which {what} cannot hold exactly; turn it "
                "into another type or text, leave it out or write Parquet."
            )
        columns.append(_cast(name, column, kind, what))
        definitions.append(f"{quoted(name)} {kind[1]}")
    return check_times(pa.table(columns, names=table.column_names), OutputError), definitions


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Let categories be their values, and a column without any value be text."""
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column.cast(pa.string()) if pa.types.is_null(column.type) else column


def _cast(name: str, column: pa.ChunkedArray, held: Held, what: str) -> pa.ChunkedArray:
    try:
        return column.cast(held[0])
    except pa.ArrowException as error:
        raise OutputError(
            f"Column `{name}` holds {column.type} with values that {held[1]} of {what} cannot hold "
            "exactly; round them, turn them into text or write Parquet."
        ) from error


def common_type(kind: pa.DataType) -> pa.DataType:
    """Return the type that stands for all those which say the same values in other bytes.

    >>> common_type(pa.large_string()), common_type(pa.timestamp("s", "Etc/UTC"))
    (DataType(string), TimestampType(timestamp[us, tz=UTC]))
    """
    types = pa.types
    if types.is_list(kind) or types.is_large_list(kind):
        return pa.list_(common_type(kind.value_type))
    if types.is_decimal(kind) and kind.precision <= MOST_DIGITS:
        return pa.decimal128(kind.precision, kind.scale)
    if types.is_timestamp(kind) and kind.tz in UTC_NAMES:
        return pa.timestamp("us", "UTC")
    return next((common for is_one, common in COMMON if is_one(kind)), kind)


def is_number_with_point(kind: pa.DataType) -> bool:
    """Tell whether a type is of decimals that SQL can name: 0 to all of their digits after it."""
    return bool(pa.types.is_decimal128(kind) and 0 <= kind.scale <= kind.precision)
