"""Records that are the rows of a query: what DuckDB and Spark do in the same words."""

# ruff: noqa: S608 - values never stand in a query; identifiers are quoted

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Protocol, Self

import pyarrow as pa

from tacita.data.frames import plain
from tacita.engines.contributions import (
    Breakdown,
    Contributed,
    Extent,
    Units,
    answered,
    answers_sql,
    extent_found,
    extent_sql,
    size_sql,
    titled,
)
from tacita.engines.recoding import Recoding
from tacita.engines.records import COUNT, VALUE, WEIGHT, Records, counted_schema, in_order
from tacita.engines.weights import refuse_weight, weight_sum_sql, wrong_weight_sql
from tacita.errors import InputError, MemoryLimitError, OutputError


@dataclass(frozen=True)
class Dialect:
    """The words in which engines differ.

    Args:
        quote: what stands around a name.
        semi_join: the join that keeps the rows with a partner.
        anti_join: the join that keeps the rows without one.
        part: the part, of `{parts}`, that rows with the same `{keys}` are in.
    """

    quote: str
    semi_join: str
    anti_join: str
    part: str


class SqlEngine(Protocol):
    """What runs queries.

    Attributes:
        dialect: its words.
        parts: in how many parts classes are counted, more as long as memory does not suffice.
    """

    dialect: Dialect
    parts: tuple[int, ...]

    def hand_over(self, table: pa.Table) -> str:
        """Give the engine a table; return the name it has there."""

    def fetch(self, query: str) -> pa.Table:
        """Run a query."""

    def write(self, records: SqlRecords, path: Path) -> None:
        """Write the rows of a query, complete or not at all."""


class SqlRecords(Records):
    """The rows of a query.

    Identifiers are quoted, and values never stand in a query: files and mappings are handed to the
    engine as views, and the query names them.

    Args:
        engine: what runs the query.
        query: a SELECT.
        schema: the columns it gives.
    """

    def __init__(self, engine: SqlEngine, query: str, schema: pa.Schema) -> None:
        self.engine = engine
        self.query = query
        self.schema = schema
        refuse_alike(schema.names)

    def write(self, path: Path) -> None:
        """Write the records as the engine does."""
        self.engine.write(self, path)

    def class_sizes(self, keys: Sequence[str]) -> pa.Table:
        """Count the classes of each size; where all classes are too many at once, part by part."""
        *few, most = self.engine.parts
        for parts in few:
            with suppress(MemoryLimitError):
                return self._class_sizes_in(parts, keys)
        return self._class_sizes_in(most, keys)

    def _class_sizes_in(self, parts: int, keys: Sequence[str]) -> pa.Table:
        found = [part.classes(keys).histogram(COUNT) for part in self._cut(parts, keys)]
        added = pa.concat_tables(found).group_by(VALUE).aggregate([(COUNT, "sum")])
        return in_order(added.rename_columns([VALUE, COUNT]), [VALUE])

    def _cut(self, parts: int, keys: Sequence[str]) -> Iterator[Self]:
        """Cut the records into parts, with all records of a class in the same one."""
        if parts == 1:
            yield self
            return
        place = self.engine.dialect.part.format(keys=_listed(map(self._key, keys)), parts=parts)
        for part in range(parts):
            query = f"SELECT * FROM {self._source} WHERE {place} = {part:d}"
            yield self._like(query, self.schema)

    def _like(self, query: str, schema: pa.Schema) -> Self:
        """Return the rows of another query on the same engine."""
        return type(self)(self.engine, query, schema)

    def count(self) -> int:
        """Return the number of records."""
        return int(self.engine.fetch(f"SELECT count(*) AS n FROM {self._source}")["n"][0].as_py())

    def to_arrow(self) -> pa.Table:
        """Return the records as an Arrow table in memory."""
        return plain(self.engine.fetch(self.query)).cast(self.schema)

    def _selected(self, names: Sequence[str]) -> Self:
        schema = pa.schema([self.schema.field(name) for name in names])
        return self._like(f"SELECT {_listed(map(self._column, names))} FROM {self._source}", schema)

    def _counted(self, named: Mapping[str, str], weight: str | None) -> Self:
        schema = counted_schema(self.schema, named, weight)
        keys = [f"{self._key(name)} AS {self._quoted(title)}" for name, title in named.items()]
        counts = [f"count(*) AS {self._quoted(COUNT)}"]
        if weight is not None:
            counts.append(f"{weight_sum_sql(self._column(weight))} AS {self._quoted(WEIGHT)}")
        places = _listed(map(str, range(1, len(keys) + 1)))
        query = f"SELECT {_listed(keys + counts)} FROM {self._source} GROUP BY {places}"
        return self._like(query, schema)

    def _recoded(self, recoding: Recoding) -> Self:
        view = self.engine.hand_over(_numbered(recoding))
        new = {name: f"m.after_{i}" for i, name in enumerate(recoding.after.column_names)}
        schema = recoding.schema_of(self.schema)
        chosen = [
            f"{new[name] if name in new else self._column(name)} AS {self._quoted(name)}"
            for name in schema.names
        ]
        query = (
            f"SELECT {_listed(chosen)} FROM {self._source} "
            f"LEFT JOIN {view} AS m ON {self._agreement(recoding.before.column_names, 'm.before_')}"
        )
        return self._like(query, schema)

    def _lacking(self, recoding: Recoding) -> pa.Table:
        view = self.engine.hand_over(_numbered(recoding))
        names = recoding.before.column_names
        keys = [f"{self._key(name)} AS {self._quoted(name)}" for name in names]
        return self.engine.fetch(
            f"SELECT {_listed(keys)} FROM {self._source} {self.engine.dialect.anti_join} {view} m "
            f"ON {self._agreement(names, 'm.before_')} LIMIT 1"
        )

    def _in_classes(self, k: int, keys: Sequence[str]) -> Self:
        numbered = [f"{self._key(name)} AS key_{i}" for i, name in enumerate(keys)]
        places = _listed(map(str, range(1, len(keys) + 1)))
        classes = (
            f"SELECT {_listed(numbered)} FROM {self._source} "
            f"GROUP BY {places} HAVING count(*) >= {k:d}"
        )
        query = (
            f"SELECT {_listed(map(self._column, self.names))} FROM {self._source} "
            f"{self.engine.dialect.semi_join} ({classes}) AS c ON {self._agreement(keys, 'c.key_')}"
        )
        return self._like(query, self.schema)

    def _extents(self, names: Sequence[str]) -> dict[str, Extent]:
        if not names:
            return {}
        asked = [extent_sql(self._number(name)) for name in names]
        columns = [f"{word} AS c{i}" for i, word in enumerate(chain(*asked))]
        row = self.engine.fetch(f"SELECT {_listed(columns)} FROM {self._source}")
        found = [column[0].as_py() for column in row.columns]
        width = len(found) // len(names)
        return {
            name: extent_found(name, found[i * width : (i + 1) * width])
            for i, name in enumerate(names)
        }

    def _contributed(self, asked: Breakdown, units: tuple[Units, ...]) -> Contributed:
        found = plain(self.engine.fetch(self._contributions_query(asked, units)))
        keys = found.select([f"k{i}" for i in range(len(asked.keys))])
        keys = keys.rename_columns(list(asked.keys))
        keys = keys.cast(pa.schema([self.schema.field(name) for name in asked.keys]))
        return answered(asked, units, keys, found)

    def _contributions_query(self, asked: Breakdown, units: tuple[Units, ...]) -> str:
        keys = [f"k{i}" for i in range(len(asked.keys))]
        rows = [f"{self._key(name)} AS {k}" for name, k in zip(asked.keys, keys, strict=True)]
        rows += [f"{self._number(name)} AS {title}" for name, title in titled(asked)]
        if asked.contributor is not None:
            holder = self._key(asked.contributor)
            # A record that names no contributor is one by itself.
            alone = f"row_number() OVER (PARTITION BY {holder} ORDER BY {holder})"
            rows += [f"{holder} AS h", f"CASE WHEN {holder} IS NULL THEN {alone} ELSE 0 END AS n"]
            keys += ["h", "n"]
        inner = f"SELECT {_listed(rows)} FROM {self._source}"
        if asked.contributor is None and asked.largest:
            order = f"PARTITION BY {_listed(keys)} ORDER BY {size_sql(asked, units)} DESC"
            inner = f"SELECT i.*, row_number() OVER ({order}) AS place FROM ({inner}) AS i"
        answers = answers_sql(asked, units)
        return f"SELECT {_listed([*keys, *answers])} FROM ({inner}) AS i GROUP BY {_listed(keys)}"

    def _refuse_wrong_weight(self, weight: str) -> None:
        column = self._column(weight)
        wrong = self.engine.fetch(
            f"SELECT {column} FROM {self._source} WHERE {wrong_weight_sql(column)} LIMIT 1"
        )
        if wrong.num_rows:
            refuse_weight(weight, wrong.column(0)[0].as_py())

    # -- words of a query -------------------------------------------------------------------------

    @property
    def _source(self) -> str:
        return f"({self.query}) AS r"

    def _quoted(self, name: str) -> str:
        return quoted(name, self.engine.dialect.quote)

    def _column(self, name: str) -> str:
        return f"r.{self._quoted(name)}"

    def _key(self, name: str) -> str:
        """Say a column so that equal values are the same: one zero, and NaN is blank."""
        column = self._column(name)
        if not pa.types.is_floating(self.schema.field(name).type):
            return column
        return (
            f"CASE WHEN isnan({column}) THEN NULL "
            f"WHEN {column} = 0 THEN abs({column}) ELSE {column} END"
        )

    def _number(self, name: str) -> str:
        """Say a column of numbers as doubles; what is not a number is blank."""
        return f"CAST({self._key(name)} AS DOUBLE)"

    def _agreement(self, names: Sequence[str], others: str) -> str:
        return " AND ".join(
            f"{self._key(name)} IS NOT DISTINCT FROM {others}{i}" for i, name in enumerate(names)
        )

    def as_text(self) -> str:
        """Select what a text file can hold exactly: NaN is blank, and a line is never empty."""
        return f"SELECT {_listed(map(self._field, self.names))} FROM {self._source}"

    def _field(self, name: str) -> str:
        kind = self.schema.field(name).type
        if pa.types.is_timestamp(kind) and kind.tz:
            raise OutputError(
                f"Column `{name}` holds times with a time zone, which text cannot keep; leave it "
                "out or write Parquet."
            )
        value = self._column(name)
        if pa.types.is_floating(kind):
            value = f"CASE WHEN isnan({value}) THEN NULL ELSE {value} END"
        if pa.types.is_timestamp(kind) or len(self.names) == 1:
            value = f"CAST({value} AS STRING)"
        if len(self.names) == 1:
            value = f"coalesce({value}, '')"
        return f"{value} AS {self._quoted(name)}"


def quoted(name: str, quote: str) -> str:
    """Return a name as an identifier.

    >>> quoted("it's", "'")
    "'it''s'"
    """
    return f"{quote}{name.replace(quote, quote * 2)}{quote}"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)


def _numbered(recoding: Recoding) -> pa.Table:
    """Name a mapping's columns by number: those before and after may have the same names."""
    columns = [*recoding.before.columns, *recoding.after.columns]
    before = [f"before_{i}" for i in range(recoding.before.num_columns)]
    after = [f"after_{i}" for i in range(recoding.after.num_columns)]
    return pa.table(columns, names=before + after)


def refuse_alike(names: Sequence[str]) -> None:
    """Refuse names that SQL takes for the same."""
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(name.lower(), name)
        if other != name:
            raise InputError(
                f"`{other}` and `{name}` differ only in case, which this engine does not tell "
                "apart; rename one of them."
            )


def shown_reason(error: Exception) -> str:
    """Return what an engine says of an error, on one line and without a full stop."""
    return str(error).strip().splitlines()[0].rstrip(".")
