"""`scan`: records that stay on an engine, in a person's hands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Integral
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute, Kind, Role
from tacita.data.declaration import Declaration, conform
from tacita.data.frames import from_frame
from tacita.data.hierarchies import Hierarchy, generalize
from tacita.data.hierarchies.building import is_made
from tacita.data.read import declarations_of, declare
from tacita.engines import Records, open_records
from tacita.engines.files import Source
from tacita.engines.records import COUNT, VALUE, in_order
from tacita.errors import HierarchyError, InputError, ParameterError, shown
from tacita.progress import progress

SCANNED_KINDS = (Kind.CONTINUOUS, Kind.NOMINAL, Kind.DATE)
TOLD = (3, 5, 10)  # the class sizes that a summary compares with


@dataclass(frozen=True, eq=False, repr=False)
class Scan:
    """Records on an engine with verbs: classes, histogram, generalize, recode, at_least, write.

    Made by `tacita.scan`. Nothing changes in place, and nothing is read before it is asked for:
    every question runs on the engine anew.

    Args:
        records: the records, on their engine.
        attributes: what each column means, in column order.
        masked: whether the values were changed, so that identifiers no longer go out.
    """

    records: Records
    attributes: Mapping[str, Attribute]
    masked: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", MappingProxyType(dict(self.attributes)))

    def __repr__(self) -> str:
        lines = [f"Scan: {len(self.attributes)} attributes"]
        width = max((len(name) for name in self.attributes), default=0)
        for name, attribute in self.attributes.items():
            lines.append(f"  {name:<{width}}  {attribute.kind:<10}  {attribute.described_roles()}")
        return "\n".join(lines)

    # -- what is in it ---------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The attributes' names, in column order."""
        return list(self.attributes)

    def with_role(self, role: Role) -> list[str]:
        """Return the names of the attributes that hold a role."""
        return [name for name, attribute in self.attributes.items() if attribute.is_a(role)]

    @property
    def keys(self) -> list[str]:
        """The key attributes (quasi-identifiers)."""
        return self.with_role(Role.KEY)

    def count(self) -> int:
        """Return the number of records."""
        with progress(1) as tell:
            tell("counting")
            return self.records.count()

    def classes(self, keys: Sequence[str] | None = None) -> ScannedClasses:
        """Count the records that share each combination of key values.

        Args:
            keys: the attributes; the key attributes when left out.
        """
        weights = self.with_role(Role.WEIGHT)
        with progress(1) as tell:
            tell("counting classes")
            chosen = self._chosen(keys)
            counted = self.records.classes(chosen, weight=weights[0] if weights else None)
            sizes = self.records.class_sizes(chosen)
        return ScannedClasses(tuple(chosen), counted, sizes)

    def histogram(self, attribute: str, *, by: Sequence[str] = ()) -> pa.Table:
        """Count the values of an attribute: columns `value` and `count`, after those of `by`.

        Args:
            attribute: whose values are counted; a blank is one of them and comes first.
            by: attributes within whose combinations they are counted.
        """
        with progress(1) as tell:
            tell(f"counting {attribute}")
            return self.records.histogram(attribute, by=by)

    # -- changed copies --------------------------------------------------------------------------

    def generalize(self, levels: Mapping[str, int]) -> Scan:
        """Replace values by those of their hierarchies.

        Args:
            levels: the level of each attribute to generalize (0 leaves it as it is).
        """
        _refuse_levels(levels)
        records, attributes = self.records, dict(self.attributes)
        with progress(max(len(levels), 1)) as tell:
            for name, level in levels.items():
                tell(f"generalizing {name}")
                before, after = self._generalization(name, level)
                records = records.recode(before, after, complete=True)
                attributes[name] = attributes[name].recoded() if level else attributes[name]
        return replace(self, records=records, attributes=attributes, masked=True)

    def recode(self, before: Any, after: Any) -> Scan:
        """Replace combinations of values: a record with row i of `before` gets row i of `after`.

        Args:
            before: a data frame of combinations, each once; the columns are attributes.
            after: a data frame with as many rows. Attributes of these names are replaced, others
                are added; attributes of `before` that are not among them stay.

        Raises:
            InputError: some records hold a combination that has no row; none is left unmasked.
        """
        old, new = from_frame(before)[0], from_frame(after)[0]
        with progress(1) as tell:
            tell("recoding")
            records = self.records.recode(old, new)
        made = declare(new.slice(0, 0), {}).attributes
        attributes = {
            name: replace(attribute, roles=self.attributes[name].roles, declared=True)
            if name in self.attributes
            else attribute
            for name, attribute in made.items()
        }
        held = {**self.attributes, **attributes}
        return replace(self, records=records, attributes=held, masked=True)

    def at_least(self, k: int, keys: Sequence[str] | None = None) -> Scan:
        """Return only the records that share their key values with enough others.

        Args:
            k: the smallest class that stays (records, 1 or more).
            keys: the attributes the classes are over; the key attributes when left out.
        """
        return replace(self, records=self.records.at_least(k, self._chosen(keys)), masked=True)

    def without(self, names: Iterable[str]) -> Scan:
        """Return the records without some attributes."""
        records = self.records.without(list(names))
        attributes = {name: self.attributes[name] for name in records.names}
        return replace(self, records=records, attributes=attributes, masked=True)

    # -- going out -------------------------------------------------------------------------------

    def to_arrow(self) -> pa.Table:
        """Return the records as an Arrow table in memory; of masked ones without identifiers."""
        with progress(1) as tell:
            tell("reading")
            return self._outgoing().to_arrow()

    def write(self, target: str | PathLike[str]) -> None:
        """Write the records; of masked ones without identifiers.

        Nothing is judged, attacked or proven, and the order of the records is the engine's.

        Args:
            target: a path ending in .parquet or .csv; Spark makes it a folder of parts.
        """
        with progress(1) as tell:
            tell("writing")
            self._outgoing().write(Path(target))

    def _outgoing(self) -> Records:
        return self.records.without(self.with_role(Role.IDENTIFIER) if self.masked else [])

    def _chosen(self, keys: Sequence[str] | None) -> list[str]:
        chosen = list(self.keys if keys is None else keys)
        if not chosen:
            raise InputError(
                "No attribute has the role `key`; say which attributes an intruder may know."
            )
        return chosen

    def _generalization(self, name: str, level: int) -> tuple[pa.Table, pa.Table]:
        """Return the distinct values of an attribute, and what each generalizes to."""
        values = self.records.histogram(name).column(VALUE).combine_chunks()
        attribute = self.attributes[name]
        if attribute.hierarchy is None:
            raise HierarchyError(
                f"Attribute `{name}` has no hierarchy to generalize it by; give it one."
            )
        (column, _), _ = conform(name, values, Declaration(kind=attribute.kind))
        labels = generalize(column, attribute.hierarchy, level)
        return pa.table({name: values}), pa.table({name: labels})


@dataclass(frozen=True, eq=False, repr=False)
class ScannedClasses:
    """How many records share their key values with how many others; the classes stay on the engine.

    Args:
        keys: the attributes the classes are over.
        records: the classes on their engine: the keys, `count`, and `weight` if there is one.
        sizes: how many classes (`count`) there are of each size (`value`), smallest first.
    """

    keys: tuple[str, ...]
    records: Records
    sizes: pa.Table

    def __len__(self) -> int:
        return _total(self.sizes.column(COUNT))

    def __repr__(self) -> str:
        over = ", ".join(self.keys)
        told = {f"in classes below {k}": self._told_below(k) for k in TOLD}
        lines = {"smallest class": f"{self.smallest:,}", "unique": self._told_below(2), **told}
        return "\n".join(
            [
                f"{len(self):,} equivalence classes of {self.size:,} records over {over}",
                *(f"  {what:<20} {found}" for what, found in lines.items()),
            ]
        )

    def _told_below(self, k: int) -> str:
        return f"{self.records_below(k):,} records ({float(100 * self.share_below(k)):.2f} %)"

    @property
    def size(self) -> int:
        """The number of records."""
        return self._records(self.sizes)

    @property
    def smallest(self) -> int:
        """The size of the smallest class; 0 when there are no records."""
        return int(self.sizes.column(VALUE)[0].as_py()) if len(self.sizes) else 0

    def records_below(self, k: int) -> int:
        """Return how many records are in classes of fewer than k."""
        return self._records(self.sizes.filter(pc.less(self.sizes.column(VALUE), k)))

    def share_below(self, k: int) -> Fraction:
        """Return the share of records in classes of fewer than k; 0 when there are no records."""
        return Fraction(self.records_below(k), max(self.size, 1))

    def to_arrow(self) -> pa.Table:
        """Return the classes in memory, in ascending order of the keys, blanks first."""
        return in_order(self.records.to_arrow(), self.keys)

    @staticmethod
    def _records(sizes: pa.Table) -> int:
        return _total(pc.multiply(sizes.column(VALUE), sizes.column(COUNT)))


def scan(
    source: Source,
    *,
    roles: Mapping[str, str | Iterable[str]] | None = None,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Hierarchy | str | PathLike[str] | Mapping[str, Any]] | None = None,
    engine: str = "duckdb",
    memory_limit: str | None = None,
    threads: int | None = None,
    temporary_folder: str | PathLike[str] | None = None,
    session: Any = None,
) -> Scan:
    """Leave records where they are, and count and recode them there.

    The fields of a CSV file are text, exactly as they are written.

    Args:
        source: the path of a Parquet, CSV or Arrow file, of a folder of them, or a pattern.
        roles: what attributes are to an intruder; one role or several. Others are non-confidential.
        kinds: continuous, nominal or date, where the type does not tell.
        hierarchies: how values generalize: a hierarchy, the path of its file, or as plans say it.
        engine: duckdb, for files larger than memory; spark, for a cluster; or memory.
        memory_limit: DuckDB: the memory it may take (`1500MB` when left out); the rest is on disk.
        threads: DuckDB: how many threads work; as `use_threads` says when left out.
        temporary_folder: DuckDB: where a folder is made for what does not fit the memory.
        session: Spark: the session; the active one, or a new one on this machine, when left out.
    """
    said = declarations_of(role=roles, kind=kinds, hierarchy=hierarchies)
    _refuse_kinds(said)
    _refuse_made(said)
    records = open_records(
        source,
        engine,
        memory_limit=memory_limit,
        threads=threads,
        temporary_folder=temporary_folder,
        session=session,
    )
    return Scan(records, declare(records.schema.empty_table(), said).attributes)


def _refuse_kinds(said: Mapping[str, Declaration]) -> None:
    for name, declaration in said.items():
        if declaration.kind not in (None, *SCANNED_KINDS):
            raise ParameterError(
                f"A scanned attribute is {', '.join(SCANNED_KINDS[:-1])} or {SCANNED_KINDS[-1]}; "
                f"`{name}` is said to be {declaration.kind}. Its values are counted all the same."
            )


def _refuse_made(said: Mapping[str, Declaration]) -> None:
    for name, declaration in said.items():
        hierarchy = declaration.hierarchy
        if isinstance(hierarchy, Mapping) and is_made(hierarchy):
            raise ParameterError(
                f"A scan leaves values where they are, so that no hierarchy of `{name}` is made "
                "from them; make one from a part of them with `hierarchy_from` and give it here."
            )


def _refuse_levels(levels: Mapping[str, int]) -> None:
    if not isinstance(levels, Mapping):
        raise ParameterError(
            f"Say the level of each attribute, like {{'age': 1}}; found {shown(levels)}."
        )
    for name, level in levels.items():
        if isinstance(level, bool) or not isinstance(level, Integral):
            raise ParameterError(
                f"The level of `{name}` is a whole number, 0 or more; found {shown(level)}."
            )


def _total(column: pa.ChunkedArray) -> int:
    return int(pc.sum(column).as_py() or 0)
