"""The engine in memory, on the same kernels as data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Floats, Ints, Mask, comparable
from tacita.data.formats import read_table, write_table
from tacita.data.frames import plain
from tacita.engines.contributions import (
    LEVELS,
    Amount,
    Breakdown,
    Contributed,
    Extent,
    Units,
    extent_of,
    repeats_of,
)
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
    table = read_table(path, text=text, delimiter=files.delimiter, encoding="utf-8")
    # Not every engine tells an empty text from a missing one in a text file: here all take both
    # for missing.
    columns = [pc.if_else(pc.equal(each, ""), None, each) for each in table.columns]
    return pa.table(columns, names=table.column_names)


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
            sums = sum_weights(groups.ids, self._numbers(weight), len(groups.counts))
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

    def _extents(self, names: Sequence[str]) -> dict[str, Extent]:
        return {name: extent_of(name, self._numbers(name)) for name in names}

    def _contributed(self, asked: Breakdown, units: tuple[Units, ...]) -> Contributed:
        keys, holders = self._keys(asked.keys), self._holders(asked.contributor)
        groups = _grouped(keys, [] if holders is None else [holders])
        g = len(groups.first)
        weights = None if asked.weight is None else self._numbers(asked.weight)
        sums = self._sums(asked, units, weights)
        added = np.array([groups.counts if s is None else _added(groups.ids, s, g) for s in sums])
        keys = keys.take(pa.array(groups.first))
        if holders is not None:
            nothing = np.zeros((g, 0))
            return Contributed(keys, holders[groups.first], added, units, nothing, nothing)
        largest, asking = self._ranked(asked, units, groups.ids, g, weights)
        return Contributed(keys, None, added, units, largest, asking)

    def _ranked(
        self,
        asked: Breakdown,
        units: tuple[Units, ...],
        ids: Ints,
        groups: int,
        weights: Floats | None,
    ) -> tuple[Floats, Floats]:
        """Return the largest contributions, and the largest that ask for protection."""
        from tacita.kernels.contributions import largest_by_group

        sizes = self._amounts(Amount(asked.size, "size"))
        repeats = None
        if weights is not None and asked.repeats:
            repeats = repeats_of(weights)
        elif weights is not None and asked.ranks:
            sizes = units[asked.amounts.index(asked.ranking)].products(sizes, weights)
        largest = largest_by_group(ids, sizes[:, None], groups, asked.largest, repeats)
        asking = [np.where(flag, sizes, 0.0) for flag in self._requests(asked.request)]
        tops = [largest_by_group(ids, level[:, None], groups, 1) for level in asking]
        return largest, np.hstack([np.zeros((groups, 0)), *tops])

    def _sums(
        self, asked: Breakdown, units: tuple[Units, ...], weights: Floats | None
    ) -> list[Ints | None]:
        """Return what is added up, in the order of the answer; None counts the records."""
        sums: list[Ints | None] = [repeats_of(np.asarray(weights)) if asked.repeats else None]
        found: dict[Amount, list[Ints | None]] = {Amount(): [None]} if weights is None else {}
        for amount, unit in zip(map(self._plainly, asked.amounts), units, strict=True):
            if amount not in found:
                times = weights if amount.is_weighted else None
                found[amount] = [*unit.whole(self._amounts(amount), times)]
            sums += found[amount]
        if asked.counts_requests:
            sums += [flag.astype(np.int64) for flag in self._requests(asked.request)]
        return sums

    def _plainly(self, amount: Amount) -> Amount:
        """Say sizes as values where none is below 0, so that the two are made once."""
        if amount.attribute is None or amount.what != "size":
            return amount
        negative = (self._numbers(amount.attribute) < 0).any()
        return amount if negative else replace(amount, what="value")

    def _amounts(self, amount: Amount) -> Floats:
        if amount.where is not None:
            held = np.nan_to_num(self._numbers(amount.where))
            return np.where(held == 0, 0.0, self._amounts(replace(amount, where=None)))
        if amount.attribute is None:
            return np.ones(self.count())
        numbers = self._numbers(amount.attribute)
        if amount.what == "known":
            return (~np.isnan(numbers)).astype(np.float64)
        known = np.where(np.isnan(numbers), 0.0, numbers)
        return np.abs(known) if amount.what == "size" else known

    def _requests(self, request: str | None) -> list[Mask]:
        """Tell for each level which records ask for protection."""
        if request is None:
            return []
        return [self._numbers(request) == level + 1 for level in range(LEVELS)]

    def _holders(self, contributor: str | None) -> Ints | None:
        """Give contributors numbers; a record that names none is one by itself."""
        if contributor is None:
            return None
        groups = _grouped(self._keys([contributor]))
        blank = np.asarray(self._keys([contributor]).column(0).is_null())
        return np.where(blank, len(groups.first) + np.arange(self.count()), groups.ids)

    def _numbers(self, name: str) -> Floats:
        column = self.table.column(name).cast(pa.float64(), safe=False)
        return np.asarray(column.to_numpy())

    def _refuse_wrong_weight(self, weight: str) -> None:
        numbers = self._numbers(weight)
        wrong = np.flatnonzero(~((numbers > 0) & (numbers <= HIGHEST)))
        if wrong.size:
            refuse_weight(weight, self.table.column(weight)[int(wrong[0])].as_py())

    def _keys(self, names: Sequence[str]) -> pa.Table:
        columns = [comparable_keys(self.table.column(name)) for name in names]
        return pa.table(columns, names=list(names))


def _grouped(keys: pa.Table, more: Sequence[Ints] = ()) -> Any:
    from tacita.kernels.compile import spread, thread_count
    from tacita.kernels.grouping import BLOCK, group

    workers = thread_count(None, len(keys), BLOCK)
    codes = spread(lambda column: comparable(column.combine_chunks()), keys.columns, workers)
    codes += [(code, None) for code in more]
    return group([code for code, _ in codes], [valid for _, valid in codes], records=len(keys))


def _added(ids: Ints, numbers: Ints, groups: int) -> Ints:
    sums = np.zeros(groups, np.int64)
    np.add.at(sums, ids, numbers)
    return sums
