"""Global recoding: fewer, wider categories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.hierarchies import Hierarchy, generalize
from tacita.data.hierarchies.building.halving import between
from tacita.data.hierarchies.cuts import Cuts
from tacita.data.hierarchies.dates import Dates
from tacita.data.hierarchies.intervals import EXACT, FAR, ROOT, Intervals
from tacita.errors import ParameterError, did_you_mean, shown
from tacita.method import AttributeName, Method
from tacita.microdata.masking.coarsen import inner_cuts, whole_cuts
from tacita.validity import Change

Value = str | int | float | bool
WAYS = ("groups", "breaks", "width", "classes", "quantiles", "unit")
MOST = 1000  # classes
FEW = 1000  # intervals that are looked through for every record, and not for every distinct number
BY_DATA = ("classes", "quantiles")


class WhenSaid:
    """Says of a recoding whether a record alone decides: not where the data give the bounds."""

    def __get__(self, method: Recode | None, owner: type[Method]) -> bool:
        return all(getattr(method, way, None) is None for way in BY_DATA)


class Recode(Method):
    """Merge categories, or cut numbers into intervals and dates into calendar units.

    Every value x of the attribute is replaced by the category g(x) it falls into, for all records
    alike: |D(X')| < |D(X)|. Give one of `groups` (categories), `breaks`, `width`, `classes` or
    `quantiles` (numbers), or `unit` (dates); `generalize` recodes by a hierarchy.
    Cutting at b1 < ... < bm gives the m + 1 intervals below b1, [b1, b2), ..., from bm upwards; a
    width w gives [start + iw, start + (i + 1)w); a unit gives days, months, quarters, years or
    decades. With `classes` the bounds cut the range of the numbers into so many parts of equal
    width, where `coarsen` does; with `quantiles` they cut the records, sorted, into so many classes
    of nearly equal size, each bound next to its rank between two different numbers and said in as
    few digits as that allows. Records of the same number stay together, so that there may be fewer
    classes; where all are alike, they become `*`. Sampling weights play no part. The result of a
    cut is ordinal, in the order of the intervals.

    When not to use it: on continuous attributes whose arithmetic matters to the users. `classes`
    and `quantiles` take their bounds from the data, and one extreme value moves all `classes`.

    >>> import tacita as ta
    >>> medical = ta.example("medical")
    >>> fever = ta.Recode("Temp", breaks=[37, 39], labels=["nf", "f", "hf"])
    >>> medical.apply(fever, seed=0).column("Temp").to_pylist()[:5]
    ['nf', 'f', 'f', 'f', 'nf']
    """

    applies_to: ClassVar = frozenset({Kind.CONTINUOUS, Kind.ORDINAL, Kind.NOMINAL, Kind.DATE})
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = "Hundepool et al., Statistical Disclosure Control, Wiley 2012"
    missing: ClassVar = "Missing and suppressed values stay as they are."
    example: ClassVar = {"attribute": "age", "width": 10}
    by_record: ClassVar = WhenSaid()
    public: ClassVar = frozenset({"attribute", "labels", "start", *WAYS})

    attribute: Annotated[AttributeName, Field(description="The attribute to recode.")]
    _: KW_ONLY
    groups: Annotated[
        Mapping[str, Annotated[tuple[Value, ...], Field(min_length=1)]] | None,
        Field(description="The categories merged into each new one; others stay.", min_length=1),
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
    classes: Annotated[
        int | None,
        Field(description="The number of intervals of equal width (2 to 1,000).", ge=2, le=MOST),
    ] = None
    quantiles: Annotated[
        int | None,
        Field(description="The number of classes of equal size (2 to 1,000).", ge=2, le=MOST),
    ] = None
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
                f"`recode` needs one of {', '.join(f'`{way}`' for way in WAYS)}; found {found}."
            )
        if self.breaks and any(a >= b for a, b in pairwise(self.breaks)):
            raise ValueError(f"`breaks` of `recode` must ascend; found {list(self.breaks)}.")
        if self.start and self.width is None:
            raise ValueError("`start` of `recode` goes with `width`; leave it out.")
        if self.labels is not None and self.breaks is None:
            raise ValueError("`labels` of `recode` go with `breaks`; leave them out.")
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
        if self.width is not None:
            return self._cut_evenly(data, attribute)
        return self._cut(data, attribute, self.breaks or self._found_breaks(data))

    def _found_breaks(self, data: Dataset) -> tuple[float, ...]:
        """Return where the numbers themselves say to cut."""
        column = data.column(self.attribute)
        ends = _ends(column)
        if ends is None:
            return ()
        if self.classes is not None:
            return width_breaks(*ends, self.classes, is_whole=pa.types.is_integer(column.type))
        return quantile_breaks(np.sort(_known(column)), self.quantiles or 1)

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

    def _cut(self, data: Dataset, attribute: Attribute, breaks: tuple[float, ...]) -> Dataset:
        from tacita.kernels.rounding import places_between

        names = self.labels or _interval_names(breaks)
        place = places_between(data.numbers(attribute.name), np.array(breaks, np.float64))
        return _placed(data, attribute, names, place)

    def _cut_evenly(self, data: Dataset, attribute: Attribute) -> Dataset:
        from tacita.kernels.rounding import places_between

        intervals = Intervals(widths=[self.width or 1], start=self.start)
        lows = self._lower_bounds(data)
        if lows is None:
            return _generalized(data, attribute, intervals)
        place = places_between(data.numbers(attribute.name), lows[1:], even=True)
        names = intervals.labels(pa.array(lows), 1).to_pylist()
        held = np.flatnonzero(np.bincount(place))  # blanks stand in the last, where the maximum is
        return _placed(data, attribute, names, place, [names[number] for number in held])

    def _lower_bounds(self, data: Dataset) -> Floats | None:
        """Return where the intervals of equal width begin, unless they are many or far off."""
        ends = _ends(data.column(self.attribute))
        if ends is None:
            return None
        start, width = Fraction(str(self.start)), Fraction(str(self.width))
        reach = max(map(abs, ends)) + abs(self.start)
        if reach >= EXACT or reach >= FAR * width:
            return None
        first, last = ((Fraction(end) - start) // width for end in ends)
        if last - first > FEW:
            return None
        # A number may be the double of a bound and yet below it; see `Intervals`.
        bounds = np.array([float(start + step * width) for step in range(first, last + 2)])
        return bounds[bounds <= ends[1]]

    def _cut_calendar(self, data: Dataset, attribute: Attribute, unit: str) -> Dataset:
        if attribute.kind is not Kind.DATE:
            raise ParameterError(
                f"`unit` of `recode` cuts dates; `{attribute.name}` is {attribute.kind}."
            )
        return _generalized(data, attribute, Dates((unit,)))


def _placed(
    data: Dataset,
    attribute: Attribute,
    names: Sequence[str],
    place: Ints,
    order: Sequence[str] | None = None,
) -> Dataset:
    """Return the data with an attribute that says the names at these places; blanks stay."""
    column = data.column(attribute.name)
    blank = np.asarray(column.is_null()) if column.null_count else None
    values = pa.array(names, pa.string()).take(pa.array(place, mask=blank))
    return data.with_column(attribute.recoded(Kind.ORDINAL, tuple(order or names)), values)


def _generalized(data: Dataset, attribute: Attribute, hierarchy: Hierarchy) -> Dataset:
    column = data.column(attribute.name)
    values = generalize(column, hierarchy, 1)
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


def _ends(column: pa.Array) -> tuple[float, float] | None:
    """Return the least and the greatest number of a column, or None if all are blank."""
    known = _known(column)
    return (float(known.min()), float(known.max())) if len(known) else None


def _known(column: pa.Array) -> Floats:
    return np.asarray(column.drop_null().cast(pa.float64(), safe=False))


def quantile_breaks(known: Floats, classes: int) -> tuple[float, ...]:
    """Return the bounds that cut ascending numbers into classes of nearly equal size.

    Each is next to its rank i n / classes between two different numbers; of two that are equally
    near, the lower.

    >>> quantile_breaks(np.array([1.0, 2, 2, 2, 3, 4, 5, 9]), 2)
    (3,)
    """
    ranks = np.arange(1, classes) * len(known) / classes
    tied = known[ranks.astype(np.int64)]
    below, above = np.searchsorted(known, tied), np.searchsorted(known, tied, side="right")
    nearest = np.unique(np.where(ranks - below <= above - ranks, below, above))
    inner = nearest[(nearest > 0) & (nearest < len(known))]
    return tuple(between(float(known[cut - 1]), float(known[cut])) for cut in inner)


def width_breaks(low: float, high: float, classes: int, is_whole: bool) -> tuple[float, ...]:
    """Return the bounds that cut a range of numbers into classes of equal width.

    >>> width_breaks(0.0, 85.0, 4, is_whole=True)
    (21.0, 43.0, 64.0)
    """
    if not is_whole:
        return tuple(inner_cuts(low, high, classes))
    return tuple(low + cut for cut in whole_cuts(int(high - low) + 1, classes)[1:-1])


def _interval_names(breaks: tuple[float, ...]) -> list[str]:
    """Name the intervals between bounds as hierarchies do; without bounds there is one."""
    if not breaks:
        return [ROOT]
    inside = [np.nextafter(breaks[0], -np.inf), *breaks]
    names: list[str] = Cuts([breaks]).labels(pa.array(inside, pa.float64()), 1).to_pylist()
    return names


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
