"""MDAV-generic: groups of at least k similar records over attributes of all kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError
from tacita.microdata.comparing.nearness import is_numeric, numbers
from tacita.microdata.comparing.nodes import Metric
from tacita.microdata.comparing.semantics import Semantics, exact, ranked, tally
from tacita.microdata.masking.partitions.representatives import in_parts, means, medians
from tacita.microdata.masking.partitions.scaling import Scale, scaled

How = Literal["mean", "median", "mode", "semantic"]
CAN: dict[How, frozenset[Kind]] = {
    "mean": frozenset({Kind.CONTINUOUS, Kind.DATE}),
    "median": frozenset({Kind.CONTINUOUS, Kind.DATE, Kind.ORDINAL}),
    "mode": frozenset(Kind),
    "semantic": frozenset({Kind.NOMINAL, Kind.ORDINAL, Kind.SET_VALUED}),
}
HELD = 2**24  # distances kept for the next time
TIE = 1e-6  # of a group's weight
Point = tuple[Floats, Ints]  # a number for each column of numbers, a node for each of codes


def mixed_partition(
    data: Dataset, attributes: Sequence[str], k: int, *, metric: Metric = "ancestors"
) -> Ints:
    """Group all records by attributes of any kind; see `MixedSpace` for what is similar.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> groups = mixed_partition(data, ["age", "stratum", "disease"], k=3)
    >>> np.bincount(groups).min(), np.bincount(groups).max()
    (np.int64(3), np.int64(4))
    """
    return MixedSpace.of(data, attributes, metric=metric).partition(np.arange(len(data)), k)


@dataclass(frozen=True, eq=False)
class MixedSpace:
    """Records of attributes of any kind, laid out so that they can be compared and averaged.

    The squared distance of two records is a sum over the attributes: of numbers and dates the
    squared difference in standard deviations, of ordinal values that of their ranks over the
    number of categories less one, of nominal values and sets the squared semantic distance (0 or 1
    without a hierarchy). The centroid of records is the mean of numbers and dates, the lower median
    of ordinal values, and the semantic centroid of nominal values and sets, which without a
    hierarchy is the most frequent one, the lowest on ties.

    Paper: Domingo-Ferrer & Torra, Data Mining and Knowledge Discovery 11:195, 2005; semantic
    distances and centroids instead of equality and plurality: see `Semantics`.

    Args:
        names: the attributes, those of `numbers` first.
        numbers: records by numeric and ordinal attributes in one unit; a blank is NaN.
        is_rank: for each of their columns, whether it is ordinal.
        semantics: the nominal and set-valued attributes.
    """

    names: tuple[str, ...]
    numbers: Floats
    is_rank: Mask
    semantics: tuple[Semantics, ...]

    @classmethod
    def of(
        cls,
        data: Dataset,
        attributes: Sequence[str],
        *,
        metric: Metric = "ancestors",
        scale: Scale = "standardize",
    ) -> MixedSpace:
        """Lay out some attributes of all records.

        Args:
            data: the records.
            attributes: what they are compared by.
            metric: how values are compared along a hierarchy (see `Ancestry`).
            scale: how numbers and dates come to one unit (see `scaled`).

        Raises:
            HierarchyError: a hierarchy does not cover some values.
            InputError: a number is infinite, or sets have too many different members to compare.
        """
        numeric = [name for name in attributes if is_numeric([data], name)]
        ordinal = [name for name in attributes if data.attribute(name).kind is Kind.ORDINAL]
        others = [name for name in attributes if name not in (*numeric, *ordinal)]
        size = (len(data), 0)
        plain = [_finite(data, name) for name in numeric]
        columns = [scaled(plain, scale) if plain else np.zeros(size)]
        columns += [_places(data, name)[:, None] for name in ordinal]
        made = (Semantics.of(data.attribute(name), data.column(name), metric) for name in others)
        is_rank = np.repeat([False, True], [len(numeric), len(ordinal)])
        return cls((*numeric, *ordinal, *others), np.hstack(columns), is_rank, tuple(made))

    @cached_property
    def codes(self) -> Ints:
        """Records by nominal and set-valued attributes; a blank is -1."""
        empty = np.zeros((len(self.numbers), 0), np.int64)
        return np.column_stack([empty, *(part.codes for part in self.semantics)])

    @cached_property
    def _held(self) -> dict[tuple[int, int], Floats]:
        """Distances that were asked for and may be asked for again."""
        return {}

    def squares(self, attribute: int, node: int) -> Floats:
        """Return the squared distances of a node to all nodes of a nominal attribute."""
        found = self._held.get((attribute, node))
        if found is None:
            part = self.semantics[attribute]
            found = exact(part.distances(np.array([node]), np.arange(len(part)))[0], 2)
            if len(self._held) * len(part) > HELD:
                self._held.clear()
            self._held[attribute, node] = found
        return found

    def partition(self, rows: Ints, k: int) -> Ints:
        """Group some records so that every group has k to 2k - 1 of them, similar to each other.

        While at least 3k records are left: r is the one farthest from their centroid and gets its
        k - 1 nearest; s is the one farthest from r of those then left and gets its k - 1 nearest.
        Of 2k or more, the one farthest from the centroid gets its k - 1 nearest; what is left is
        the last group. On ties the lowest record number comes first.

        The time is O(n^2 / k): 50,000 records of five attributes take ten seconds, a million too
        long; form groups within strata then.

        Args:
            rows: the records, ascending; none of their values may be blank.
            k: the least number of records in a group (1 or more).

        Returns:
            the group of each of these records, numbered in the order in which they were formed.

        Raises:
            InputError: there are fewer than k records, or a value is blank.
        """
        if k < 1:
            raise ParameterError(f"`k` must be 1 or more; found {k}.")
        if len(rows) < k:
            raise InputError(f"A group needs {k:,} records; there are {len(rows):,}.")
        self._refuse_blank(rows)
        groups, formed = np.empty(len(rows), np.int64), 0
        left = Remaining(self, rows)
        while len(left.rows) >= 2 * k:
            times = 2 if len(left.rows) >= 3 * k else 1
            away = left.distances(left.centre())
            for _ in range(times):
                taken, away = left.cut_off(int(away.argmax()), k)
                groups[np.searchsorted(rows, taken)] = formed
                formed += 1
        groups[np.searchsorted(rows, left.rows)] = formed
        return groups

    def _refuse_blank(self, rows: Ints) -> None:
        blank = [np.isnan(column[rows]) for column in self.numbers.T]
        blank += [part.codes[rows] < 0 for part in self.semantics]
        for name, where in zip(self.names, blank, strict=True):
            if where.any():
                raise InputError(
                    f"Records are grouped by values, and `{name}` is blank in record "
                    f"{rows[where.argmax()] + 1}; leave such records out or fill them in."
                ).about(name)


class Remaining:
    """The records that belong to no group yet.

    Args:
        space: all records.
        rows: those that are left, ascending; none of their values may be blank.
    """

    def __init__(self, space: MixedSpace, rows: Ints) -> None:
        self.rows = rows
        self.space = space
        self.masses = [
            np.bincount(part.codes[rows], minlength=len(part.values)).astype(np.float64)
            for part in space.semantics
        ]
        self.costs = [np.zeros(len(part)) for part in space.semantics]
        for attribute, mass in enumerate(self.masses):
            for code in np.flatnonzero(mass).tolist():
                self.costs[attribute] += mass[code] * space.squares(attribute, code)

    def centre(self) -> Point:
        """Return the centroid of the records."""
        from tacita.kernels.mixed_distance import column_means

        centre = column_means(self.space.numbers, self.rows)
        middle = (len(self.rows) - 1) // 2
        for column in np.flatnonzero(self.space.is_rank):
            ranks = self.space.numbers[self.rows, column]
            centre[column] = np.partition(ranks, middle)[middle]
        parts = zip(self.space.semantics, self.costs, self.masses, strict=True)
        return centre, np.array([part.cheapest(*state) for part, *state in parts], np.int64)

    def distances(self, point: Point) -> Floats:
        """Return the squared distances of the records to a point."""
        from tacita.kernels.mixed_distance import squared_distances

        tables = [self.space.squares(place, int(node)) for place, node in enumerate(point[1])]
        return squared_distances(self.space.numbers, self.space.codes, self.rows, point[0], tables)

    def point(self, place: int) -> Point:
        """Return the record at a place among those that are left."""
        return self.space.numbers[self.rows[place]], self.space.codes[self.rows[place]]

    def cut_off(self, place: int, k: int) -> tuple[Ints, Floats]:
        """Take a record and the k - 1 nearest away; tell how far from it the others are."""
        from tacita.kernels.mixed_distance import smallest

        away = self.distances(self.point(place))
        away[place] = -1.0  # before all that are equal to it
        nearest = smallest(away, k)
        return self.take(nearest), np.delete(away, nearest)

    def take(self, places: Ints) -> Ints:
        """Take the records at some places away, and return them."""
        taken = self.rows[places]
        self.rows = np.delete(self.rows, places)
        for attribute, mass in enumerate(self.masses):
            for code in self.space.codes[taken, attribute].tolist():
                # Sums of squares are exact: what is left is what a new count would give.
                self.costs[attribute] -= self.space.squares(attribute, code)
                mass[code] -= 1
        return taken


def representatives(
    data: Dataset,
    name: str,
    groups: Ints,
    how: How | None = None,
    *,
    weights: Floats | None = None,
    metric: Metric = "ancestors",
) -> pa.Array:
    """Return the value of an attribute that stands for every group of records.

    - `mean` (default for numbers and dates): of numbers as doubles; of dates the nearest date.
    - `median` (default for ordinal values): the lower one, which keeps the type; of numbers the
      middle of two, as doubles.
    - `mode`: the most frequent value, the lowest on ties (default for nominal values without a
      hierarchy, where it is the semantic centroid).
    - `semantic` (default for nominal values and sets): the semantic centroid. It may be a label of
      the hierarchy; the values are text then, whatever the type of the column.

    Blank values do not count; a group without any other has a blank.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> groups = mixed_partition(data, ["disease"], k=3)
    >>> representatives(data, "disease", groups)[0]
    <pyarrow.StringScalar: 'flu'>

    Args:
        data: the records.
        name: the attribute.
        groups: the number of every record's group, from 0; -1 for none.
        how: the kind of representative.
        weights: how much each record counts (above 0); by default once.
        metric: how values are compared along a hierarchy (see `Ancestry`).

    Raises:
        ParameterError: there is no such representative of values of this kind.
    """
    attribute, column = data.attribute(name), data.column(name)
    how = how or _usual(attribute)
    if attribute.kind not in CAN[how]:
        raise ParameterError(
            f"Values of kind {attribute.kind} have no {how} as their representative; `{name}` is "
            f"of that kind. It can have: {', '.join(w for w in CAN if attribute.kind in CAN[w])}."
        )
    if how == "semantic":
        semantics = Semantics.of(attribute, column, metric)
        return semantics.take(semantics.centroids(groups, weights))
    if how == "mean" or (how == "median" and attribute.kind is Kind.CONTINUOUS):
        return _numeric(data, name, groups, how, weights)
    codes, values = in_order(attribute, column)
    chosen = _chosen(groups, codes, weights, how)
    return values.take(pa.array(chosen, mask=chosen < 0))


def attribute_after(data: Dataset, name: str, values: pa.Array) -> Attribute:
    """Return an attribute with other values; where labels of its hierarchy stand, as recoded."""
    attribute, column = data.attribute(name), data.column(name)
    if attribute.kind is not Kind.NOMINAL or attribute.hierarchy is None:
        return attribute
    if values.type == column.type and pc.all(pc.is_in(values, column), min_count=0).as_py():
        return attribute
    return attribute.recoded()


def _usual(attribute: Attribute) -> How:
    if attribute.kind in CAN["mean"]:
        return "mean"
    return "median" if attribute.kind is Kind.ORDINAL else "semantic"


def _finite(data: Dataset, name: str) -> Floats:
    """Return numbers, or days of dates, all of which are somewhere."""
    found = numbers([data], name)[0]
    endless = np.isinf(found)
    if endless.any():
        raise InputError(
            f"Only finite numbers can be compared; `{name}` is {found[endless.argmax()]:g} in "
            f"record {endless.argmax() + 1}. Declare it missing, or top code it."
        ).about(name)
    return found


def _places(data: Dataset, name: str) -> Floats:
    """Return ordinal values as their places in the order, from 0 to 1; a blank is NaN."""
    codes, order = in_order(data.attribute(name), data.column(name))
    return np.where(codes < 0, np.nan, codes / max(len(order) - 1, 1))


def in_order(attribute: Attribute, column: pa.Array) -> tuple[Ints, pa.Array]:
    """Return the place of every value among all in ascending order (-1: blank), and these."""
    if attribute.order is None:
        return ranked(column)
    order = pa.array(attribute.order, column.type)
    codes = np.asarray(pc.index_in(column, order).fill_null(-1), np.int64)
    if np.count_nonzero(codes < 0) > column.null_count:
        raise InputError(
            f"Some values of `{attribute.name}` are not in its order; say the order of all."
        ).about(attribute.name)
    return codes, order


def _chosen(groups: Ints, codes: Ints, weights: Floats | None, how: How) -> Ints:
    """Return the lower median or the mode of every group's codes; -1 where it has none."""
    group, value, amount = tally(groups, codes, weights)
    chosen = np.full(int(groups.max(initial=-1)) + 1, -1)
    if how == "mode":
        order = np.lexsort((value, -amount, group))
    else:
        amount = in_parts(amount, group)
        below = np.cumsum(amount) - amount
        first = np.searchsorted(group, group)
        total = np.bincount(group, amount)[group]
        reached = below - below[first] + amount
        # Sums of weights round; of two halves, the lower one is meant all the same.
        order = np.flatnonzero(2 * reached >= total * (1.0 if weights is None else 1 - TIE))
    best = order[np.diff(group[order], prepend=-1) > 0]
    chosen[group[best]] = value[best]
    return chosen


def _numeric(data: Dataset, name: str, groups: Ints, how: How, weights: Floats | None) -> pa.Array:
    """Return the mean or median of every group's numbers, or the mean of its dates."""
    column, is_date = data.column(name), data.attribute(name).kind is Kind.DATE
    values, start = _ticks(column) if is_date else (data.numbers(name), 0)
    there = (groups >= 0) & ~np.isnan(values)
    found = np.full(int(groups.max(initial=-1)) + 1, np.nan)
    held = np.bincount(groups[there], minlength=len(found)) > 0
    compact = (np.cumsum(held) - 1)[groups[there]]
    counted = np.ones(len(compact)) if weights is None else weights[there]
    found[held] = (means if how == "mean" else medians)(values[there], compact, counted)
    return _dates(found, start, column.type) if is_date else pa.array(found, from_pandas=True)


def _ticks(column: pa.Array) -> tuple[Floats, int]:
    """Return dates as days, or ticks of the clock, since the middle of all; a blank is NaN."""
    days = column.cast(pa.date32()).cast(pa.int32()) if pa.types.is_date(column.type) else column
    whole = days.cast(pa.int64())
    # Nanoseconds from the first to the last may be more than a whole number holds.
    start = sum(found or 0 for found in pc.min_max(whole).as_py().values()) // 2
    since = pc.subtract(whole, start).cast(pa.float64(), safe=False)
    return np.asarray(since.to_numpy(zero_copy_only=False)), start


def _dates(ticks: Floats, start: int, kind: pa.DataType) -> pa.Array:
    blank = np.isnan(ticks)
    since = np.rint(np.where(blank, 0.0, ticks)).astype(np.int64)
    whole = pa.array(since + start, mask=blank)
    days = pa.types.is_date(kind)
    return (whole.cast(pa.int32()).cast(pa.date32()) if days else whole).cast(kind)
