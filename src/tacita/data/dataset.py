"""The data that are protected: records of respondents, with attributes that say what they mean."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Attribute, Kind, Role
from tacita.data.classes import EquivalenceClasses, Floats, Ints, Mask
from tacita.data.declaration import declaration_of
from tacita.data.formats.contents import Contents, Reasons
from tacita.data.frames import Origin
from tacita.errors import InputError, did_you_mean, load_extra
from tacita.validity import Changed

LARGEST_WEIGHT = 1e15  # above every population, and sums of squares still have a double
FROM_NOBODY = -1  # the record number in the source of a fully synthetic record


def new_lineage() -> str:
    """Return the name of a source of its own."""
    return secrets.token_hex(16)


@dataclass(frozen=True, eq=False)
class External:
    """Data from outside, which some measures compare with.

    Args:
        population: the records of the whole population that the data are a sample of.
        holdout: records of the same kind that the protected data were not made from.
        earlier: what earlier releases published of the same data, each record with its place there.
    """

    population: Dataset | None = None
    holdout: Dataset | None = None
    earlier: tuple[Dataset, ...] = ()


@dataclass(frozen=True)
class Guarantee:
    """What the way in which data were made promises, whatever the data look like.

    It outlives every later masking step: what is computed from the data alone is as private.

    Args:
        mechanism: the method that gives it, as plan files say it.
        attributes: the attributes it is about; one that is added later is not covered.
        epsilon: the privacy loss of all of them together (0 or more).
        delta: the probability with which the loss may be larger (0 to 1).
        neighbours: the data sets that cannot be told apart: "change-one" or "add-remove".
    """

    mechanism: str
    attributes: tuple[str, ...]
    epsilon: float
    delta: float = 0.0
    neighbours: str = "change-one"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A microdata set: one record a respondent, one attribute a column. Never changed in place.

    A value is real, missing or suppressed. Missing and suppressed values are null in the table
    (blank); `suppressed_cells` tells the two apart.

    Args:
        table: the values, in plain Arrow columns.
        attributes: what each column means, in column order.
        suppressed_cells: for an attribute with suppressed values, where they are.
        missing_reasons: for an attribute whose file says why values are missing, the place (from
            1) of each missing value's code among its meaning's `missing_codes`, else 0.
        rows: the record numbers in the source, once records were left out; None before. Those of
            fully synthetic records, which come from nobody, are -1.
        origin: the kind of data frame the data came in.
        notes: what the last masking step tells of itself, for the internal evidence only.
        external: data from outside, which some measures compare with.
        guarantees: what the way in which the data were made promises.
        mixed_by: the first masking step in which what became of a record may have depended on the
            others; None before.
        changed: what every masking step so far did to values, the first step first.
        lineage: what was read or generated, by a random name that all data made of it keep: records
            of the same lineage and row are of the same respondent.
    """

    table: pa.Table
    attributes: Mapping[str, Attribute]
    suppressed_cells: Mapping[str, Mask] = field(default_factory=dict)
    missing_reasons: Mapping[str, Reasons] = field(default_factory=dict)
    rows: Ints | None = None
    origin: Origin = field(default_factory=Origin)
    notes: Mapping[str, Any] = field(default_factory=dict)
    external: External = External()
    guarantees: tuple[Guarantee, ...] = ()
    mixed_by: str | None = None
    changed: tuple[Changed, ...] = ()
    lineage: str = field(default_factory=new_lineage)

    def __post_init__(self) -> None:
        # Holds the classes counted so far: checks, measures and attacks ask for the same ones.
        object.__setattr__(self, "_classes", {})
        for part in ("attributes", "suppressed_cells", "missing_reasons"):
            object.__setattr__(self, part, MappingProxyType(dict(getattr(self, part))))

    def __getstate__(self) -> dict[str, Any]:
        held = {part.name: getattr(self, part.name) for part in fields(self)}
        return {
            name: dict(value) if isinstance(value, MappingProxyType) else value
            for name, value in held.items()
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__}: {len(self):,} records, {len(self.attributes)} attributes"]
        width = max((len(name) for name in self.attributes), default=0)
        for name, attribute in list(self.attributes.items())[:40]:
            lines.append(f"  {name:<{width}}  {attribute.kind:<10}  {attribute.described_roles()}")
        if len(self.attributes) > 40:  # noqa: PLR2004 - a screenful
            lines.append(f"  ... and {len(self.attributes) - 40} more")
        return "\n".join(lines)

    # -- what is in it ---------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The attributes' names, in column order."""
        return list(self.attributes)

    def with_role(self, role: Role) -> list[str]:
        """Return the names of the attributes that hold a role."""
        return list(self._roles.get(role, ()))

    @cached_property
    def _roles(self) -> dict[Role, list[str]]:
        held: dict[Role, list[str]] = {}
        for name, attribute in self.attributes.items():
            for role in attribute.roles:
                held.setdefault(role, []).append(name)
        return held

    @property
    def keys(self) -> list[str]:
        """The key attributes (quasi-identifiers)."""
        return self.with_role(Role.KEY)

    @property
    def confidential(self) -> list[str]:
        """The confidential attributes."""
        return self.with_role(Role.CONFIDENTIAL)

    @cached_property
    def weight(self) -> Floats | None:
        """The sampling weights, or None when there is no weight attribute.

        Raises:
            InputError: some are not numbers above 0.
        """
        for name in self.with_role(Role.WEIGHT):
            kind = self.attributes[name].kind
            if kind is not Kind.CONTINUOUS:
                raise InputError(
                    f"The weight `{name}` must hold numbers; its kind is {kind}."
                ).about(name)
            return _positive(name, self.numbers(name))
        return None

    @property
    def source_rows(self) -> Ints:
        """The record number in the source of every record; -1 if it comes from nobody."""
        return np.arange(len(self)) if self.rows is None else self.rows

    def descends_from(self, original: Dataset) -> bool:
        """Tell whether the data were made of the same source as some others."""
        return self.lineage == original.lineage

    @property
    def is_synthetic(self) -> bool:
        """Whether there are records that come from nobody."""
        return self.rows is not None and bool((self.rows == FROM_NOBODY).any())

    def attribute(self, name: str) -> Attribute:
        """Return an attribute by name.

        Raises:
            InputError: there is none of that name; the message suggests the nearest.
        """
        if name not in self.attributes:
            raise InputError(
                f"There is no attribute `{name}` in the data.{did_you_mean(name, self.names)}"
            )
        return self.attributes[name]

    def column(self, name: str) -> pa.Array:
        """Return the values of an attribute as one Arrow array; blanks are null."""
        self.attribute(name)
        column = self.table.column(name)
        if column.num_chunks == 1:
            return column.chunk(0)
        # Files come in chunks. They are joined when they are first asked for, and take the chunks'
        # place: the values are the same.
        joined = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
        table = self.table.set_column(self.names.index(name), name, joined)
        object.__setattr__(self, "table", table)
        return joined

    def numbers(self, name: str) -> Floats:
        """Return the values of a continuous attribute as doubles; blanks are NaN."""
        column = self.column(name).cast(pa.float64(), safe=False)
        return np.asarray(column.to_numpy(zero_copy_only=False))

    def suppressed_in(self, name: str) -> Mask:
        """Tell for every record whether its value of an attribute is suppressed."""
        return self.suppressed_cells.get(name, np.zeros(len(self), np.bool_))

    def classes(self, keys: Sequence[str] | None = None) -> EquivalenceClasses:
        """Return the equivalence classes over some attributes (the key attributes by default).

        Raises:
            InputError: no attributes are given and none is a key, so that every promise about
                keys would hold without meaning anything.
        """
        chosen = tuple(self.keys if keys is None else keys)
        if not chosen:
            raise InputError(
                "No attribute has the role `key`; say which attributes an intruder may know."
            )
        counted: dict[tuple[str, ...], EquivalenceClasses] = self.__dict__["_classes"]
        if chosen not in counted:
            counted[chosen] = EquivalenceClasses.of(self, chosen)
        return counted[chosen]

    # -- changed copies --------------------------------------------------------------------------

    def with_column(
        self, attribute: Attribute, values: pa.Array, suppressed: Mask | None = None
    ) -> Self:
        """Return a copy in which one attribute has new values.

        Args:
            attribute: the attribute as it is afterwards.
            values: its values, one a record.
            suppressed: where values are suppressed now; as before when left out.
        """
        place = self.names.index(attribute.name)
        masks = dict(self.suppressed_cells)
        if suppressed is not None:
            masks[attribute.name] = suppressed
        copy = replace(
            self,
            table=self.table.set_column(place, attribute.name, values),
            attributes={**self.attributes, attribute.name: attribute},
            suppressed_cells=masks,
        )
        if attribute.name not in self.missing_reasons:
            return copy
        missing = np.asarray(values.is_null())
        if suppressed is not None:
            missing &= ~suppressed
        return copy.with_reasons(attribute.name, missing, attribute.meaning.named_places)

    def with_reasons(self, name: str, missing: Mask, places: Sequence[int]) -> Self:
        """Return a copy that says why some values are missing, where it is one of some codes."""
        attribute = self.attributes[name]
        new_place = np.zeros(len(attribute.meaning.missing_codes) + 1, np.int32)
        new_place[list(places)] = np.arange(1, len(places) + 1)
        reasons = np.where(missing, new_place[self.missing_reasons[name]], 0)
        meaning = replace(attribute.meaning.with_codes(places), missing_ranges=())
        return replace(
            self,
            attributes={**self.attributes, name: replace(attribute, meaning=meaning)},
            missing_reasons={**self.missing_reasons, name: reasons},
        )

    def with_held_meaning(self) -> Self:
        """Return a copy whose labels and missing codes are only those of values that it holds.

        A label of a category that nobody is left in could tell who was.
        """
        data = self
        for name, attribute in self.attributes.items():
            if attribute.meaning.value_labels:
                held = set(self.column(name).unique().to_pylist())
                kept = replace(attribute, meaning=attribute.meaning.with_labels(held))
                data = replace(data, attributes={**data.attributes, name: kept})
        for name, reasons in data.missing_reasons.items():
            named = data.attributes[name].meaning.named_places
            places = sorted({*named, *np.unique(reasons[reasons > 0]).tolist()})
            data = data.with_reasons(name, reasons > 0, places)
        return data

    def without_reasons(self, names: Iterable[str]) -> Self:
        """Return a copy in which nobody can tell why values of some attributes are missing."""
        gone = set(names)
        left = [name for name in self.missing_reasons if name not in gone]
        return replace(self, missing_reasons=_only(self.missing_reasons, left))

    def replacing(self, name: str, other: Dataset) -> Self:
        """Return a copy whose attribute of that name is the one of another copy of the data."""
        copy = self.with_column(
            other.attribute(name), other.column(name), other.suppressed_in(name)
        )
        reasons = {**copy.missing_reasons, **_only(other.missing_reasons, [name])}
        return replace(copy, missing_reasons=reasons)

    def with_new_column(self, attribute: Attribute, values: pa.Array) -> Self:
        """Return a copy with one attribute more, at the end."""
        return replace(
            self,
            table=self.table.append_column(attribute.name, values),
            attributes={**self.attributes, attribute.name: attribute},
        )

    def take(self, rows: Ints) -> Self:
        """Return a copy with only the records at these positions."""
        table = self.table.take(pa.array(rows, pa.int64())).combine_chunks()
        if not self.attributes:  # Arrow would forget how many records there are
            table = pa.table({"": pa.nulls(len(rows))}).select([])
        masks = {name: mask[rows] for name, mask in self.suppressed_cells.items()}
        reasons = {name: reason[rows] for name, reason in self.missing_reasons.items()}
        labels = self.origin.index
        return replace(
            self,
            table=table,
            suppressed_cells=masks,
            missing_reasons=reasons,
            rows=self.source_rows[rows],
            origin=self.origin if labels is None else replace(self.origin, index=labels[rows]),
        )

    def without(self, names: Iterable[str]) -> Self:
        """Return a copy without some attributes."""
        gone = {self.attribute(name).name for name in names}
        left = [name for name in self.names if name not in gone]
        return replace(
            self,
            table=self.table.select(left),
            attributes={name: self.attributes[name] for name in left},
            suppressed_cells=_only(self.suppressed_cells, left),
            missing_reasons=_only(self.missing_reasons, left),
        )

    def with_external(
        self, *, population: Dataset | None = None, holdout: Dataset | None = None
    ) -> Self:
        """Return a copy beside which there are data from outside.

        Args:
            population: the records of the whole population that the data are a sample of.
            holdout: records of the same kind that the protected data were not made from.
        """
        return replace(
            self, external=replace(self.external, population=population, holdout=holdout)
        )

    def noting(self, **notes: Any) -> Self:
        """Return a copy that carries what a masking step tells of itself."""
        return replace(self, notes=notes)

    # -- going out -------------------------------------------------------------------------------

    def to_arrow(self) -> pa.Table:
        """Return the values as an Arrow table; suppressed values are missing there."""
        return self.table

    def to_polars(self) -> Any:
        """Return the values as a Polars frame; suppressed values are missing there."""
        load_extra("polars", "frames")
        return replace(self.origin, backend="polars").restore(self.table)

    def to_pandas(self) -> Any:
        """Return the values as a pandas frame; suppressed values are missing there."""
        load_extra("pandas", "frames")
        return replace(self.origin, backend="pandas").restore(self.table)

    def to_native(self) -> Any:
        """Return the values as the kind of data frame that came in."""
        return self.origin.restore(self.table)

    def contents(self) -> Contents:
        """Return everything a file or a database can hold of the data."""
        return Contents(
            self.table,
            codebook={name: attribute.meaning for name, attribute in self.attributes.items()},
            reasons=self.missing_reasons,
            said={name: declaration_of(attribute) for name, attribute in self.attributes.items()},
        )

    def fingerprint(self) -> str:
        """Return a digest of values, blanks, record numbers and attributes."""
        said = [(a.name, a.described_roles(), a.kind, a.order) for a in self.attributes.values()]
        digest = hashlib.sha256(repr(said).encode())
        for name in self.names:
            column = pa.table({name: _with_empty_blanks(self.column(name))})
            with pa.ipc.new_stream(pa.PythonFile(_Digesting(digest), "w"), column.schema) as stream:
                stream.write_table(column)
        digest.update(self.source_rows.tobytes())
        for name in sorted(self.suppressed_cells):
            digest.update(name.encode() + np.packbits(self.suppressed_cells[name]).tobytes())
        for name in sorted(self.missing_reasons):
            digest.update(name.encode() + self.missing_reasons[name].tobytes())
        return digest.hexdigest()


def _with_empty_blanks(column: pa.Array) -> pa.Array:
    """Return a column with nothing left in the memory of its blanks, which programs fill freely."""
    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if not (column.null_count and is_number):
        return column
    filled = np.asarray(column.fill_null(0))
    return pa.array(filled, column.type, mask=np.asarray(column.is_null()), from_pandas=False)


def _positive(name: str, weights: Floats) -> Floats:
    wrong = ~((weights > 0) & (weights < LARGEST_WEIGHT))
    if wrong.any():
        row = int(wrong.argmax())
        found = "is missing" if np.isnan(weights[row]) else f"is {weights[row]:g}"
        raise InputError(
            f"Sampling weights must be above 0 and below {LARGEST_WEIGHT:g}; `{name}` {found} in "
            f"record {row + 1}."
        ).about(name)
    return weights


def _only(parts: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: part for name, part in parts.items() if name in names}


class _Digesting:
    """A file that keeps nothing of what is written to it but the digest."""

    closed = False

    def __init__(self, digest: hashlib._Hash) -> None:
        self.digest = digest

    def write(self, content: bytes) -> int:
        self.digest.update(content)
        return len(content)

    def flush(self) -> None:
        """Nothing waits to be written."""


def of_kind(data: Dataset, kinds: Iterable[Kind]) -> list[str]:
    """Return the names of the attributes of some kinds."""
    wanted = set(kinds)
    return [name for name, attribute in data.attributes.items() if attribute.kind in wanted]
