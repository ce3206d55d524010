"""Public domains: what values attributes can have, known without looking at the data.

A value outside the domain counts as blank, a number or date beyond its bounds as the bound: that a
respondent has such a value must not show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import ceil, floor, isfinite
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import AfterValidator, Field

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.hierarchies.tree import Tree
from tacita.errors import ParameterError

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
Bins = Annotated[
    int, Field(description="Into how many classes numbers and dates are put (2 or more).", ge=2)
]


@dataclass(frozen=True, eq=False)
class Listed:
    """Categories, a cell each; as in every domain, the last cell stands for blanks.

    Args:
        categories: in ascending order, if they have one.
        ordered: whether neighbours are alike.

    >>> sexes = Listed(pa.array(["female", "male"]), ordered=False)
    >>> sexes.codes(pa.array(["male", None, "other"])).tolist()
    [1, 2, 2]
    """

    categories: pa.Array
    ordered: bool
    least_share = 0.0  # of the records, below which cells are joined with their neighbours

    @property
    def size(self) -> int:
        """The categories, and one for blanks."""
        return len(self.categories) + 1

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
    ordered = True
    least_share = FEWEST_RECORDS

    @property
    def width(self) -> int:
        """How many numbers a class has."""
        return -(-(self.high - self.low + 1) // self.bins)

    @property
    def size(self) -> int:
        """The classes, and one for blanks."""
        return -(-(self.high - self.low + 1) // self.width) + 1

    def codes(self, column: pa.Array) -> Ints:
        """Return the class of every number."""
        numbers = np.asarray(whole_numbers(column).fill_null(self.low))
        found = (np.clip(numbers, self.low, self.high) - self.low) // self.width
        return np.where(np.asarray(column.is_null()), self.size - 1, found)

    def values(self, codes: Ints, rng: np.random.Generator) -> pa.Array:
        """Draw a number of every class."""
        blank = codes == self.size - 1
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
    ordered = True
    least_share = FEWEST_RECORDS

    @property
    def size(self) -> int:
        """The classes, and one for blanks."""
        return self.bins + 1

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


@dataclass(frozen=True, eq=False)
class Domain:
    """The possible values of some attributes.

    Args:
        variables: by attribute, in column order.
    """

    variables: Mapping[str, Variable]

    @classmethod
    def of(
        cls,
        method: str,
        data: Dataset,
        names: Sequence[str],
        bounds: Mapping[str, tuple[Any, Any]],
        categories: Mapping[str, Sequence[Any]],
        bins: int,
    ) -> Domain:
        """Return the domain that was declared. Only the types of the columns are looked at.

        Raises:
            ParameterError: that of an attribute was not, or does not fit its kind.
        """
        for said, given in (("bounds", bounds), ("categories", categories)):
            for name in given:
                if data.attribute(name).name not in names:
                    raise ParameterError(
                        f"`{said}` of `{method}` names `{name}`, which is not synthesized; leave "
                        "it out."
                    )
        return cls(
            {
                name: _variable(
                    method,
                    data.attribute(name),
                    data.table.schema.field(name).type,
                    bounds.get(name),
                    categories.get(name),
                    bins,
                )
                for name in names
            }
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many cells every attribute has."""
        return tuple(variable.size for variable in self.variables.values())

    def codes(self, data: Dataset) -> Ints:
        """Return the cells of all values, one column an attribute."""
        columns = [variable.codes(data.column(name)) for name, variable in self.variables.items()]
        return np.column_stack(columns)

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
                name: _public(data.attribute(name), values) for name, values in ends.items()
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


def _variable(
    method: str,
    attribute: Attribute,
    kind: pa.DataType,
    bounds: tuple[Any, Any] | None,
    categories: Sequence[Any] | None,
    bins: int,
) -> Variable:
    listed = _listed(attribute, kind, categories)
    if listed is not None:
        return Listed(_typed(method, attribute.name, listed, kind), attribute.order is not None)
    if attribute.kind in WITH_BOUNDS and bounds is not None:
        return _between(method, attribute, kind, bounds, bins)
    wanted = (
        "its `bounds`" if attribute.kind in WITH_BOUNDS else "its `categories`, an order or a tree"
    )
    raise ParameterError(
        f"`{method}` needs to know the possible values of `{attribute.name}` without looking at "
        f"the data; give {wanted}."
    )


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
) -> Variable:
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


def _public(attribute: Attribute, values: pa.Array) -> Attribute:
    """Leave out what is only known because somebody had it: an order, codes of missing values."""
    meaning = attribute.meaning.with_codes(attribute.meaning.named_places)
    order = None if attribute.order is None else tuple(values.to_pylist())
    return replace(attribute, order=order, meaning=replace(meaning, missing_ranges=()))
