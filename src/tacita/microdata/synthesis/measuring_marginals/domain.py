"""Public domains: what values attributes can have, known without looking at the data.

A value outside the domain counts as blank, a number or date beyond its bounds as the bound: that a
respondent has such a value must not show. Where an attribute has no blanks by its domain, records
with one are not looked at: which these are depends on each record alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import ceil, floor, isfinite
from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import AfterValidator, BeforeValidator, Field

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.hierarchies.tree import Tree
from tacita.errors import ParameterError
from tacita.method import AttributeName

FEWEST_RECORDS = 1 / 20  # the share of the records that a class of numbers holds, at least
FAR = 2**61  # up to where whole numbers can be subtracted from each other
WITH_BOUNDS = (Kind.CONTINUOUS, Kind.DATE)


def _ascending(bounds: dict[str, Any]) -> dict[str, Any]:
    for name, (low, high) in bounds.items():
        if not low < high or not (isinstance(low, date) or isfinite(high - low)):
            raise ValueError(
                f"`bounds` needs a lowest and a higher value for `{name}`; found {low} and {high}."
            )
    return bounds


def _each_once(categories: dict[str, Any]) -> dict[str, Any]:
    for name, listed in categories.items():
        if not listed or len(set(listed)) < len(listed):
            raise ValueError(f"`categories` needs the possible values of `{name}`, each once.")
    return categories


PublicBounds = Annotated[
    dict[str, tuple[float, float] | tuple[date, date]],
    AfterValidator(_ascending),
    Field(
        description="The lowest and highest possible value of numbers and dates, known without "
        "looking at the data."
    ),
]
PublicCategories = Annotated[
    dict[str, tuple[bool | int | float | str, ...]],
    AfterValidator(_each_once),
    Field(
        description="The possible values of attributes of which no order or hierarchy lists them, "
        "known without looking at the data."
    ),
]
PublicBlanks = Annotated[
    tuple[AttributeName, ...] | None,
    BeforeValidator(lambda said: [said] if isinstance(said, str) else said),
    Field(
        description="The attributes that can be blank, known without looking at the data; records "
        "with a blank in another are left out. By default any may be."
    ),
]
Bins = Annotated[
    int, Field(description="Into how many classes numbers and dates are put (2 or more).", ge=2)
]


@dataclass(frozen=True, eq=False)
class Listed:
    """Categories, a cell each; as in every domain, a last cell stands for blanks.

    Args:
        categories: in ascending order, if they have one.
        ordered: whether neighbours are alike.
        blanks: whether there can be blanks; None where nobody says. Where there can be none, there
            is no cell for them, and their code is that of no cell.

    >>> sexes = Listed(pa.array(["female", "male"]), ordered=False)
    >>> sexes.codes(pa.array(["male", None, "other"])).tolist()
    [1, 2, 2]
    """

    categories: pa.Array
    ordered: bool
    blanks: bool | None = None
    least_share = 0.0  # of the records, below which cells are joined with their neighbours

    @property
    def size(self) -> int:
        """The categories, and one for blanks if there can be any."""
        return len(self.categories) + (self.blanks is not False)

    def codes(self, column: pa.Array) -> Ints:
        """Return the place of every value; that behind the last if it is none of them."""
        places = pc.index_in(column, value_set=self.categories, skip_nulls=True)
        return np.asarray(places.fill_null(len(self.categories))).astype(np.int64)

    def values(self, codes: Ints, rng: np.random.Generator) -> pa.Array:  # noqa: ARG002
        """Return the categories."""
        blank = pa.array(codes == len(self.categories))
        return self.categories.take(pc.if_else(blank, None, pa.array(codes)))

    def ends(self) -> pa.Array:
        """Return all categories."""
        return self.categories


@dataclass(frozen=True, eq=False)
class Whole:
    """Whole numbers between bounds, and dates as such, in classes of the same width.

    >>> ages = Whole(0, 120, bins=64, type=pa.int64())
    >>> ages.size, ages.codes(pa.array([0, 3, 130, None])).tolist()
    (62, [0, 1, 60, 61])
    """

    low: int
    high: int
    bins: int
    type: pa.DataType
    blanks: bool | None = None
    ordered = True
    least_share = FEWEST_RECORDS

    @property
    def width(self) -> int:
        """How many numbers a class has."""
        return -(-(self.high - self.low + 1) // self.bins)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return -(-(self.high - self.low + 1) // self.width)

    @property
    def size(self) -> int:
        """The classes, and one for blanks if there can be any."""
        return self.classes + (self.blanks is not False)

    def codes(self, column: pa.Array) -> Ints:
        """Return the class of every number."""
        numbers = np.asarray(whole_numbers(column).fill_null(self.low))
        found = (np.clip(numbers, self.low, self.high) - self.low) // self.width
        return np.where(np.asarray(column.is_null()), self.classes, found)

    def values(self, codes: Ints, rng: np.random.Generator) -> pa.Array:
        """Draw a number of every class."""
        blank = codes == self.classes
        start = self.low + np.where(blank, 0, codes) * self.width
        numbers = rng.integers(start, np.minimum(start + self.width, self.high + 1))
        return _of_type(pa.array(numbers, pa.int64(), mask=blank), self.type)

    def ends(self) -> pa.Array:
        """Return the bounds."""
        return _of_type(pa.array([self.low, self.high], pa.int64()), self.type)


@dataclass(frozen=True, eq=False)
class Real:
    """Numbers between bounds, in classes of the same width.

    >>> Real(0.0, 10.0, bins=4).codes(pa.array([0.0, 2.5, 11.0, None])).tolist()
    [0, 1, 3, 4]
    """

    low: float
    high: float
    bins: int
    blanks: bool | None = None
    ordered = True
    least_share = FEWEST_RECORDS

    @property
    def size(self) -> int:
        """The classes, and one for blanks if there can be any."""
        return self.bins + (self.blanks is not False)

    def codes(self, column: pa.Array) -> Ints:
        """Return the class of every number."""
        numbers = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        share = (np.clip(numbers, self.low, self.high) - self.low) / (self.high - self.low)
        blank = np.isnan(share)
        found = np.minimum(np.floor(np.where(blank, 0, share) * self.bins), self.bins - 1)
        return np.where(blank, self.bins, found.astype(np.int64))

    def values(self, codes: Ints, rng: np.random.Generator) -> pa.Array:
        """Draw a number of every class."""
        share = (codes + rng.random(len(codes))) / self.bins
        numbers: Floats = np.clip(self.low + share * (self.high - self.low), self.low, self.high)
        return pa.array(numbers, mask=codes == self.bins)

    def ends(self) -> pa.Array:
        """Return the bounds."""
        return pa.array([self.low, self.high])


Variable = Listed | Whole | Real


class Declared(NamedTuple):
    """What was said of the possible values, by attribute."""

    bounds: Mapping[str, tuple[Any, Any]]
    categories: Mapping[str, Sequence[Any]]
    blanks: Sequence[str] | None
    bins: int

    def refuse_others(self, method: str, data: Dataset, names: Sequence[str]) -> None:
        """Refuse what is about attributes that are not synthesized."""
        for said, given in (
            ("bounds", self.bounds),
            ("categories", self.categories),
            ("blanks", self.blanks or ()),
        ):
            for name in given:
                if data.attribute(name).name not in names:
                    raise ParameterError(
                        f"`{said}` of `{method}` names `{name}`, which is not synthesized; leave "
                        "it out."
                    )

    def can_be_blank(self, name: str) -> bool | None:
        """Tell whether an attribute can be blank; None where nobody says."""
        return None if self.blanks is None else name in self.blanks


@dataclass(frozen=True, eq=False)
class Domain:
    """The possible values of some attributes.

    Args:
        variables: by attribute, in column order.
    """

    variables: Mapping[str, Variable]

    @classmethod
    def of(cls, method: str, data: Dataset, names: Sequence[str], declared: Declared) -> Domain:
        """Return the domain that was declared. Only the types of the columns are looked at.

        Raises:
            ParameterError: that of an attribute was not, or does not fit its kind.
        """
        declared.refuse_others(method, data, names)
        types = data.table.schema
        return cls(
            {
                name: _variable(method, data.attribute(name), types.field(name).type, declared)
                for name in names
            }
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many cells every attribute has."""
        return tuple(variable.size for variable in self.variables.values())

    def codes(self, data: Dataset) -> Ints:
        """Return the cells of all records that have some, one column an attribute."""
        columns = [variable.codes(data.column(name)) for name, variable in self.variables.items()]
        cells = np.column_stack(columns)
        return cells[(cells < np.array(self.sizes)).all(axis=1)]

    def values(self, codes: Ints, rng: np.random.Generator) -> dict[str, pa.Array]:
        """Return values of cells, by attribute."""
        named = zip(self.variables.items(), codes.T, strict=True)
        return {name: variable.values(column, rng) for (name, variable), column in named}

    def template(self, data: Dataset) -> Dataset:
        """Return data that hold nothing of respondents but what attributes mean.

        Their values are those of the domain, so that rules about these can be read.
        """
        ends = {name: variable.ends() for name, variable in self.variables.items()}
        rows = np.arange(max(map(len, ends.values())))
        table = pa.table(
            {name: values.take(pa.array(rows % len(values))) for name, values in ends.items()}
        )
        return replace(
            data,
            table=table,
            attributes={
                name: public_attribute(data.attribute(name), values)
                for name, values in ends.items()
            },
            suppressed_cells={},
            missing_reasons={},
            rows=None,
            origin=replace(data.origin, index=None),
            notes={},
        )


def whole_numbers(column: pa.Array) -> pa.Array:
    """Return whole numbers, and dates as such: days, or units of a timestamp."""
    if pa.types.is_date(column.type):
        return column.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
    return column.cast(pa.int64(), safe=False)


def _of_type(numbers: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_date(kind):
        return numbers.cast(pa.int32()).cast(pa.date32()).cast(kind)
    return numbers.cast(kind)


def _variable(method: str, attribute: Attribute, kind: pa.DataType, declared: Declared) -> Variable:
    name = attribute.name
    blanks, bounds = declared.can_be_blank(name), declared.bounds.get(name)
    values = public_values(method, attribute, kind, declared.categories.get(name))
    if values is not None:
        return Listed(values, attribute.order is not None, blanks)
    if attribute.kind in WITH_BOUNDS and bounds is not None:
        return replace(_between(method, attribute, kind, bounds, declared.bins), blanks=blanks)
    wanted = (
        "its `bounds`" if attribute.kind in WITH_BOUNDS else "its `categories`, an order or a tree"
    )
    raise not_public(method, name, wanted)


def not_public(method: str, name: str, wanted: str) -> ParameterError:
    """Say that the possible values of an attribute were not declared."""
    return ParameterError(
        f"`{method}` needs to know the possible values of `{name}` without looking at the data; "
        f"give {wanted}."
    )


def public_values(
    method: str, attribute: Attribute, kind: pa.DataType, categories: Sequence[Any] | None
) -> pa.Array | None:
    """Return the possible values that were declared, if they were.

    Args:
        method: the method that needs them.
        attribute: the attribute, whose order or tree may list them.
        kind: the type of the values.
        categories: what was said of them to the method.

    Raises:
        ParameterError: they are of another type.
    """
    listed = _listed(attribute, kind, categories)
    return None if listed is None else _typed(method, attribute.name, listed, kind)


def _listed(
    attribute: Attribute, kind: pa.DataType, categories: Sequence[Any] | None
) -> Sequence[Any] | None:
    """Return the categories that were declared; an order found in the data was not."""
    if categories is not None:
        return categories
    if attribute.order is not None and attribute.said.get("order"):
        return attribute.order
    if attribute.kind in WITH_BOUNDS:
        return None
    if isinstance(attribute.hierarchy, Tree):
        return attribute.hierarchy.level(0)
    return (False, True) if pa.types.is_boolean(kind) else None


def _typed(method: str, name: str, listed: Sequence[Any], kind: pa.DataType) -> pa.Array:
    try:
        values = pa.array(listed)
        return values if values.type == kind else values.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise ParameterError(
            f"The possible values of `{name}` for `{method}` are not of its type, {kind}; give "
            "them as `categories` of that type."
        ) from error


def _between(
    method: str, attribute: Attribute, kind: pa.DataType, bounds: tuple[Any, Any], bins: int
) -> Whole | Real:
    if isinstance(bounds[0], date) != (attribute.kind is Kind.DATE):
        wanted = "days" if attribute.kind is Kind.DATE else "numbers"
        raise ParameterError(f"`bounds` of `{method}` for `{attribute.name}` must be {wanted}.")
    if attribute.kind is Kind.DATE:
        first, last = whole_numbers(pa.array(bounds, pa.date32()).cast(_unzoned(kind))).to_pylist()
        return Whole(first, last, bins, kind)
    if not pa.types.is_integer(kind):
        return Real(*bounds, bins)
    held = np.iinfo(kind.to_pandas_dtype())
    low, high = max(ceil(bounds[0]), held.min, -FAR), min(floor(bounds[1]), held.max, FAR)
    if low >= high:
        raise ParameterError(
            f"`bounds` of `{method}` for `{attribute.name}` need two whole numbers of its type, "
            f"{kind}, between them."
        )
    return Whole(low, high, bins, kind)


def _unzoned(kind: pa.DataType) -> pa.DataType:
    return pa.timestamp(kind.unit) if pa.types.is_timestamp(kind) else kind


def public_attribute(attribute: Attribute, values: pa.Array) -> Attribute:
    """Leave out what is only known because somebody had it: an order, codes of missing values."""
    meaning = attribute.meaning.with_codes(attribute.meaning.named_places)
    order = None if attribute.order is None else tuple(values.to_pylist())
    return replace(attribute, order=order, meaning=replace(meaning, missing_ranges=()))
