"""Global recoding: fewer, wider categories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from tacita.data.attribute import Attribute, Kind
from tacita.data.dataset import Dataset
from tacita.data.hierarchies import generalize
from tacita.data.hierarchies.dates import Dates
from tacita.data.hierarchies.intervals import Intervals
from tacita.errors import ParameterError, did_you_mean, shown
from tacita.method import AttributeName, Method

Value = str | int | float | bool
WAYS = ("groups", "breaks", "width", "unit")


class Recode(Method):
    """Merge categories, or cut numbers into intervals and dates into calendar units.

    Every value x of the attribute is replaced by the category g(x) it falls into, for all records
    alike: |D(X')| < |D(X)|. Give one of `groups` (categories), `breaks` or `width` (numbers), or
    `unit` (dates).
    Cutting at b1 < ... < bm gives the m + 1 intervals below b1, [b1, b2), ..., from bm upwards; a
    width w gives [start + iw, start + (i + 1)w); a unit gives days, months, quarters, years or
    decades. The result of a cut is ordinal, in the order of the intervals.

    When not to use it: on continuous attributes whose arithmetic matters to the users.

    >>> import tacita as ta
    >>> medical = ta.example("medical")
    >>> fever = ta.Recode("Temp", breaks=[37, 39], labels=["nf", "f", "hf"])
    >>> medical.apply(fever, seed=0).column("Temp").to_pylist()[:5]
    ['nf', 'f', 'f', 'f', 'nf']
    """

    applies_to: ClassVar = frozenset({Kind.CONTINUOUS, Kind.ORDINAL, Kind.NOMINAL, Kind.DATE})
    reference: ClassVar = "Hundepool et al., Statistical Disclosure Control, Wiley 2012"
    missing: ClassVar = "Missing and suppressed values stay as they are."
    example: ClassVar = {"attribute": "age", "width": 10}
    by_record: ClassVar = True
    public: ClassVar = frozenset(
        {"attribute", "groups", "breaks", "labels", "width", "start", "unit"}
    )

    attribute: Annotated[AttributeName, Field(description="The attribute to recode.")]
    _: KW_ONLY
    groups: Annotated[
        Mapping[str, tuple[Value, ...]] | None,
        Field(description="The categories merged into each new one; others stay."),
    ] = None
    breaks: Annotated[
        tuple[float, ...] | None,
        Field(description="Where numbers are cut, in ascending order.", min_length=1),
    ] = None
    labels: Annotated[
        tuple[str, ...] | None,
        Field(description="Names for the intervals between `breaks`, one more than breaks."),
    ] = None
    width: Annotated[
        float | None, Field(description="The width of equal intervals (above 0).", gt=0)
    ] = None
    start: Annotated[float, Field(description="Where an equal interval begins.")] = 0
    unit: Annotated[
        Literal["day", "month", "quarter", "year", "decade"] | None,
        Field(description="The calendar unit that dates are cut into."),
    ] = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = [way for way in WAYS if getattr(self, way) is not None]
        if len(ways) != 1:
            found = " and ".join(ways) or "none"
            raise ValueError(
                f"`recode` needs one of `groups`, `breaks`, `width` or `unit`; found {found}."
            )
        if self.breaks and any(a >= b for a, b in pairwise(self.breaks)):
            raise ValueError(f"`breaks` of `recode` must ascend; found {list(self.breaks)}.")
        if self.labels is not None and len(set(self.labels)) < len(self.labels):
            raise ValueError(f"`labels` of `recode` must differ; found {shown(self.labels)}.")
        if self.labels is not None and len(self.labels) != len(self.breaks or ()) + 1:
            raise ValueError(
                "`labels` of `recode` must be one more than `breaks`; "
                f"found {len(self.labels)} for {len(self.breaks or ())}."
            )
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the attribute recoded."""
        attribute = data.attribute(self.attribute)
        if self.groups is not None:
            return self._merge(data, attribute)
        if self.unit is not None:
            return self._cut_calendar(data, attribute, self.unit)
        if attribute.kind is not Kind.CONTINUOUS:
            way = "unit" if attribute.kind is Kind.DATE else "groups"
            raise ParameterError(
                f"`recode` cuts numbers; `{attribute.name}` is {attribute.kind}: give `{way}`."
            )
        return self._cut(data, attribute) if self.breaks else self._cut_evenly(data, attribute)

    def _merge(self, data: Dataset, attribute: Attribute) -> Dataset:
        encoded = pc.dictionary_encode(data.column(attribute.name))
        words = encoded.dictionary.cast(pa.string()).to_pylist()
        order = (
            None if attribute.order is None else in_words(attribute.order, encoded.dictionary.type)
        )
        mapping = self._mapping(encoded.dictionary.type, {*words, *(order or ())})
        merged = pa.array([mapping.get(word, word) for word in words], pa.string())
        new_order = None if order is None else merged_order(order, mapping)
        kind = Kind.NOMINAL if new_order is None else attribute.kind
        return data.with_column(attribute.recoded(kind, new_order), merged.take(encoded.indices))

    def _mapping(self, column_type: pa.DataType, known: set[str]) -> dict[str, str]:
        mapping: dict[str, str] = {}
        for new, merged in (self.groups or {}).items():
            for old in in_words(merged, column_type):
                if old not in known:
                    raise ParameterError(
                        f"`recode` puts {old!r} into {new!r}, but `{self.attribute}` has no such "
                        f"category.{did_you_mean(old, known)}"
                    )
                if mapping.setdefault(old, new) != new:
                    raise ParameterError(
                        f"`recode` of `{self.attribute}` puts {old!r} into two groups, "
                        f"{mapping[old]!r} and {new!r}."
                    )
        return mapping

    def _cut(self, data: Dataset, attribute: Attribute) -> Dataset:
        names = self.labels or _interval_names(self.breaks or ())
        numbers = data.numbers(attribute.name)
        place = np.searchsorted(np.array(self.breaks), numbers, side="right")
        codes = pa.array(place, mask=np.isnan(numbers))
        values = pa.array(names, pa.string()).take(codes)
        return data.with_column(attribute.recoded(Kind.ORDINAL, tuple(names)), values)

    def _cut_evenly(self, data: Dataset, attribute: Attribute) -> Dataset:
        intervals = Intervals(widths=[self.width or 1], start=self.start)
        column = data.column(attribute.name)
        values = generalize(column, intervals, 1)
        return data.with_column(attribute.recoded(Kind.ORDINAL, _ascending(column, values)), values)

    def _cut_calendar(self, data: Dataset, attribute: Attribute, unit: str) -> Dataset:
        if attribute.kind is not Kind.DATE:
            raise ParameterError(
                f"`unit` of `recode` cuts dates; `{attribute.name}` is {attribute.kind}."
            )
        column = data.column(attribute.name)
        values = generalize(column, Dates((unit,)), 1)
        return data.with_column(attribute.recoded(Kind.ORDINAL, _ascending(column, values)), values)


def merged_order(order: Iterable[Any], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Return the order of the merged categories.

    Raises:
        ParameterError: a group is torn: another category lies between two of its members.
    """
    merged: list[str] = []
    for new in (mapping.get(str(old), str(old)) for old in order):
        if new in merged and merged[-1] != new:
            raise ParameterError(
                f"`recode` merges ordinal categories that are not next to each other into {new!r}."
            )
        if new not in merged:
            merged.append(new)
    return tuple(merged)


def _interval_names(breaks: tuple[float, ...]) -> list[str]:
    inner = [f"[{low:.12g},{high:.12g})" for low, high in pairwise(breaks)]
    return [f"<{breaks[0]:.12g}", *inner, f">={breaks[-1]:.12g}"]


def in_words(values: Iterable[Any], column_type: pa.DataType) -> list[str]:
    """Say categories as text, the way a column of some type says its own."""
    said = []
    for value in values:
        try:
            said.append(pa.scalar(value).cast(column_type).cast(pa.string()).as_py())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            said.append(str(value))
    return said


def _ascending(column: pa.Array, values: pa.Array) -> tuple[str, ...]:
    """Return the intervals that occur, ordered by the numbers in them."""
    met = pa.table({"number": column, "label": values}).filter(pc.is_valid(values))
    lowest = met.group_by("label").aggregate([("number", "min")]).sort_by("number_min")
    return tuple(lowest.column("label").to_pylist())
