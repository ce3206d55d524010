"""Records that live on an engine: what every engine can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

import pyarrow as pa

from tacita.engines.contributions import Breakdown, Contributed, Extent, Units, units_of
from tacita.engines.recoding import Recoding, recoding_of, shown_row
from tacita.errors import InputError, ParameterError, did_you_mean, shown

COUNT, WEIGHT, VALUE = "count", "weight", "value"


class Records(ABC):
    """Records on an engine, never changed in place; nothing is computed before it is asked for.

    Two records agree on an attribute when their values are equal; a blank agrees only with a blank,
    what is not a number is blank, and -0.0 equals 0.0. No answer depends on the engine, on its
    threads or on the order of the records.

    Args:
        schema: the columns, in plain types.
    """

    schema: pa.Schema

    @property
    def names(self) -> list[str]:
        """The attributes' names, in column order."""
        return list(self.schema.names)

    # -- what can be asked ----------------------------------------------------------------------

    @abstractmethod
    def count(self) -> int:
        """Return the number of records."""

    def classes(self, keys: Sequence[str], *, weight: str | None = None) -> Self:
        """Count the records that share each combination of key values.

        The classes are records of the engine in turn, in no particular order: there may be more of
        them than memory holds.

        Args:
            keys: the attributes, at least one.
            weight: an attribute to add up in each class, in a column `weight`.
        """
        self._check_keys(keys)
        if weight is not None:
            self._check_weight(weight)
        return self._counted({name: name for name in keys}, weight)

    def class_sizes(self, keys: Sequence[str]) -> pa.Table:
        """Count the classes of each size: columns `value` (the size) and `count`, smallest first.

        Args:
            keys: the attributes the classes are over, at least one.
        """
        return self.classes(keys).histogram(COUNT)

    def histogram(self, attribute: str, *, by: Sequence[str] = ()) -> pa.Table:
        """Count the values of an attribute: columns `value` and `count`, after those of `by`.

        Only values that occur are listed, a blank among them, in ascending order, blank first.

        Args:
            attribute: whose values are counted.
            by: attributes within whose combinations they are counted.
        """
        self._refuse_unknown([*by, attribute])
        named = {**{name: name for name in by}, attribute: VALUE}
        return in_order(self._counted(named, None).to_arrow(), list(named.values()))

    def contributions(self, asked: Breakdown) -> Contributed:
        """Tell who contributes how much to every combination of key values that occurs.

        Args:
            asked: the keys, what is added up, and how contributors are told apart and ranked.

        Raises:
            InputError: an attribute is unknown or does not hold the numbers it must.
        """
        self._check_keys(asked.keys)
        for name in (*asked.numeric, asked.weight, asked.contributor, asked.request):
            self._refuse_unknown([] if name is None else [name])
        for name in asked.numeric:
            self._check_numbers(name)
        if asked.weight is not None:
            self._check_weight(asked.weight)
        extents = self._extents([*asked.numeric, *([asked.weight] if asked.weight else [])])
        negative = frozenset(name for name, extent in extents.items() if extent.negative)
        units = units_of(asked, extents, self.count())
        return replace(self._contributed(asked, units), negative=negative)

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """Return the records as an Arrow table in memory."""

    @abstractmethod
    def write(self, path: Path) -> None:
        """Write the records as Parquet or CSV, by the suffix; complete or not at all."""

    # -- changed copies -------------------------------------------------------------------------

    def recode(self, before: pa.Table, after: pa.Table, *, complete: bool = False) -> Self:
        """Return records in which combinations of values are replaced.

        A record that holds row i of `before` holds row i of `after` afterwards. Columns of `after`
        that the records have are replaced, others are added; columns of `before` stay unless they
        are in `after`.

        Args:
            before: the combinations, each once.
            after: what takes their place, one row for each.
            complete: every combination is known to be there, so that the records are not searched
                for others; one that is missing all the same becomes blank.

        Raises:
            InputError: some records hold a combination that has no row.
        """
        self._refuse_unknown(before.column_names)
        recoding = recoding_of(before, after, self.schema)
        lacking = None if complete else self._lacking(recoding)
        if lacking is not None and lacking.num_rows:
            raise InputError(
                f"The mapping has no row for {shown_row(lacking.to_pylist()[0])}, which some "
                "records hold; add one for every combination."
            )
        return self._recoded(recoding)

    def select(self, names: Sequence[str]) -> Self:
        """Return the records with only some attributes, at least one, in this order."""
        self._refuse_unknown(names)
        if not names:
            raise InputError("Records need at least one attribute; none would be left.")
        return self._selected(names)

    def without(self, names: Sequence[str]) -> Self:
        """Return the records without some attributes."""
        self._refuse_unknown(names)
        return self.select([name for name in self.names if name not in set(names)])

    def at_least(self, k: int, keys: Sequence[str]) -> Self:
        """Return only the records that share their key values with enough others.

        Args:
            k: the smallest class that stays (records, 1 or more).
            keys: the attributes the classes are over.
        """
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise ParameterError(f"`k` is a number of records, 1 or more; found {shown(k)}.")
        self._check_keys(keys)
        return self._in_classes(k, keys)

    # -- what an engine does ----------------------------------------------------------------------

    @abstractmethod
    def _selected(self, names: Sequence[str]) -> Self:
        """Keep some attributes, which are known."""

    @abstractmethod
    def _counted(self, named: Mapping[str, str], weight: str | None) -> Self:
        """Count the combinations of attributes; the columns get the names given for them."""

    @abstractmethod
    def _recoded(self, recoding: Recoding) -> Self:
        """Join a mapping that was checked; what it lacks becomes blank."""

    @abstractmethod
    def _lacking(self, recoding: Recoding) -> pa.Table:
        """Return one combination of the records that a mapping lacks, or none."""

    @abstractmethod
    def _in_classes(self, k: int, keys: Sequence[str]) -> Self:
        """Keep the records in classes of some size."""

    @abstractmethod
    def _extents(self, names: Sequence[str]) -> dict[str, Extent]:
        """Find out what numbers some attributes hold."""

    @abstractmethod
    def _contributed(self, asked: Breakdown, units: tuple[Units, ...]) -> Contributed:
        """Answer a question that was checked, with the amounts in these units."""

    @abstractmethod
    def _refuse_wrong_weight(self, weight: str) -> None:
        """Stop at a weight that is blank, not above 0 or too large."""

    # -- what a person can get wrong --------------------------------------------------------------

    def _refuse_unknown(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in self.names:
                raise InputError(
                    f"There is no attribute `{name}` in the data.{did_you_mean(name, self.names)}"
                ).about(name)
        if len(set(names)) < len(names):
            raise InputError(f"An attribute is named twice in {', '.join(names)}.")

    def _check_keys(self, keys: Sequence[str]) -> None:
        self._refuse_unknown(keys)
        if not keys:
            raise InputError("Say which attributes the classes are over; none was given.")

    def _check_weight(self, weight: str) -> None:
        self._refuse_unknown([weight])
        kind = self.schema.field(weight).type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            raise InputError(
                f"The weight `{weight}` must hold numbers; it holds {kind}. The fields of a CSV "
                "file are text: write it as Parquet first."
            ).about(weight)
        self._refuse_wrong_weight(weight)

    def _check_numbers(self, name: str) -> None:
        kind = self.schema.field(name).type
        known = pa.types.is_integer(kind), pa.types.is_floating(kind), pa.types.is_decimal(kind)
        if not any(known):
            raise InputError(
                f"`{name}` must hold numbers to be added up; it holds {kind}. The fields of a CSV "
                "file are text: write it as Parquet first."
            ).about(name)


def counted_schema(schema: pa.Schema, named: Mapping[str, str], weight: str | None) -> pa.Schema:
    """Return the columns of counted combinations."""
    fields = [pa.field(title, schema.field(name).type) for name, title in named.items()]
    fields += [pa.field(COUNT, pa.int64())]
    fields += [pa.field(WEIGHT, pa.float64())] if weight is not None else []
    made = pa.schema(fields)
    if len(set(made.names)) < len(made.names):
        raise InputError(
            f"An attribute has the name of a column that counting makes ({', '.join(made.names)}); "
            "rename it first."
        )
    return made


def in_order(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return a table in ascending order of some columns, blanks first."""
    return table.sort_by([(name, "ascending", "at_start") for name in names])
