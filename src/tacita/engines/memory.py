"""The engine in memory, on the same kernels as data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from tacita.data.classes import comparable
from tacita.data.formats import read_table, write_table
from tacita.data.frames import plain
from tacita.engines.files import Files, written_form
from tacita.engines.recoding import Recoding, comparable_keys
from tacita.engines.records import Records, counted_schema
from tacita.engines.weights import HIGHEST, refuse_weight, sum_weights


def open_files(files: Files) -> MemoryRecords:
    """Read files into memory."""
    parts = [plain(_read(path, files)).cast(files.schema) for path in files.paths]
    return MemoryRecords(pa.concat_tables(parts))


def _read(path: Path, files: Files) -> pa.Table:
    if files.form != "csv":
        return read_table(path)
    text = frozenset(files.schema.names)
    return read_table(path, text=text, delimiter=files.delimiter, encoding="utf-8")


@dataclass(frozen=True, eq=False)
class MemoryRecords(Records):
    """Records in an Arrow table."""

    table: pa.Table

    @property
    def schema(self) -> pa.Schema:
        """The columns."""
        return self.table.schema

    def count(self) -> int:
        """Return the number of records."""
        return int(self.table.num_rows)

    def to_arrow(self) -> pa.Table:
        """Return the records as they are."""
        return self.table

    def write(self, path: Path) -> None:
        """Write a file."""
        written_form(path)
        write_table(self.table, path)

    def _selected(self, names: Sequence[str]) -> Self:
        return type(self)(self.table.select(names))

    def _counted(self, named: Mapping[str, str], weight: str | None) -> Self:
        schema = counted_schema(self.schema, named, weight)
        keys = self._keys(list(named))
        groups = _grouped(keys)
        columns = [keys.column(name).take(pa.array(groups.first)) for name in named]
        columns.append(pa.array(groups.counts))
        if weight is not None:
            sums = sum_weights(groups.ids, self._weights(weight), len(groups.counts))
            columns.append(pa.array(sums))
        return type(self)(pa.table(columns, schema=schema))

    def _recoded(self, recoding: Recoding) -> Self:
        found = self._rows(recoding)
        rows = pa.array(found, mask=found < 0)
        table = self.table
        for name in recoding.after.column_names:
            values = recoding.after.column(name).take(rows)
            place = table.schema.get_field_index(name)
            table = (
                table.append_column(name, values)
                if place < 0
                else table.set_column(place, name, values)
            )
        return type(self)(table)

    def _lacking(self, recoding: Recoding) -> pa.Table:
        lacking = np.flatnonzero(self._rows(recoding) < 0)[:1]
        return self._keys(recoding.before.column_names).take(pa.array(lacking))

    def _rows(self, recoding: Recoding) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the row of the mapping that each record holds, or -1."""
        before = recoding.before
        ids, first, _ = _grouped(pa.concat_tables([before, self._keys(before.column_names)]))
        # The mapping's rows come first and differ, so that each is the first of its group.
        row_of_group = np.where(first < before.num_rows, first, -1)
        return np.asarray(row_of_group[ids[before.num_rows :]])

    def _in_classes(self, k: int, keys: Sequence[str]) -> Self:
        groups = _grouped(self._keys(keys))
        return type(self)(self.table.filter(pa.array(groups.counts[groups.ids] >= k)))

    def _refuse_wrong_weight(self, weight: str) -> None:
        numbers = self._weights(weight)
        wrong = np.flatnonzero(~((numbers > 0) & (numbers <= HIGHEST)))
        if wrong.size:
            refuse_weight(weight, self.table.column(weight)[int(wrong[0])].as_py())

    def _weights(self, weight: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.asarray(self.table.column(weight).cast(pa.float64(), safe=False).to_numpy())

    def _keys(self, names: Sequence[str]) -> pa.Table:
        columns = [comparable_keys(self.table.column(name)) for name in names]
        return pa.table(columns, names=list(names))


def _grouped(keys: pa.Table) -> Any:
    from tacita.kernels.grouping import group

    codes = [comparable(column.combine_chunks()) for column in keys.columns]
    return group([code for code, _ in codes], [valid for _, valid in codes], records=len(keys))
