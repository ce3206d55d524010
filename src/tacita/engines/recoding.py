"""Mappings: what records that hold one combination of values are to hold instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.frames import plain
from tacita.engines.files import day_type, is_countable
from tacita.errors import InputError


@dataclass(frozen=True)
class Recoding:
    """A mapping from combinations of values to new values, row by row.

    Args:
        before: the combinations, each once, in the records' types.
        after: what takes their place: columns that the records have are replaced, others added.
    """

    before: pa.Table
    after: pa.Table

    def schema_of(self, schema: pa.Schema) -> pa.Schema:
        """Return the columns of records after the mapping."""
        fields = {field.name: field for field in schema}
        fields |= {field.name: field for field in self.after.schema}
        return pa.schema(fields.values())


def recoding_of(before: pa.Table, after: pa.Table, schema: pa.Schema) -> Recoding:
    """Check a mapping against the records it is for.

    Raises:
        InputError: it is not a mapping, or it does not fit the records.
    """
    if before.num_columns == 0 or after.num_columns == 0:
        raise InputError("A mapping needs at least one attribute before and one after.")
    if before.num_rows != after.num_rows:
        raise InputError(
            f"A mapping has as many rows before as after; found {before.num_rows:,} and "
            f"{after.num_rows:,}."
        )
    columns = [_fitted(name, before.column(name), schema) for name in before.column_names]
    fitted = pa.table(columns, names=before.column_names)
    _refuse_repeated(fitted)
    return Recoding(fitted, _made(after))


def comparable_keys(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Let equal values be the same: what is not a number is blank, and there is one zero."""
    if not pa.types.is_floating(column.type):
        return column
    blank = pa.scalar(None, column.type)
    number = pc.if_else(pc.is_nan(column), blank, column)
    return pc.if_else(pc.equal(number, pa.scalar(0, column.type)), pc.abs(number), number)


def shown_row(row: dict[str, Any]) -> str:
    """Show a combination as people say it.

    >>> shown_row({"age": 30, "zip": None})
    'age = 30, zip = blank'
    """
    return ", ".join(f"{n} = {'blank' if v is None else v}" for n, v in row.items())


def _fitted(name: str, column: pa.ChunkedArray, schema: pa.Schema) -> pa.ChunkedArray:
    wanted = schema.field(name).type
    try:
        return comparable_keys(column.cast(wanted))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(
            f"The mapping's `{name}` holds {column.type}, and some of it cannot be {wanted} as in "
            "the records; give it in the records' type."
        ) from error


def _made(after: pa.Table) -> pa.Table:
    table = plain(after)
    for field in table.schema:
        if not is_countable(field.type):
            raise InputError(
                f"The mapping makes `{field.name}` of {field.type}; engines hold numbers, text, "
                "true and false, dates and times."
            )
    return table.cast(pa.schema([(field.name, day_type(field.type)) for field in table.schema]))


def _refuse_repeated(before: pa.Table) -> None:
    names = before.column_names
    counted = pa.TableGroupBy(before, names).aggregate([([], "count_all")])
    repeated = counted.filter(pc.greater(counted.column("count_all"), 1)).select(names)
    if repeated.num_rows:
        row = shown_row(repeated.slice(0, 1).to_pylist()[0])
        raise InputError(f"A mapping has each combination once; {row} is there more than once.")
