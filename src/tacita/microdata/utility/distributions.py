"""Distributions: attributes of two data sets counted in the same cells, whoever the records are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb, prod
from typing import Annotated, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Floats, Ints, comparable
from tacita.data.dataset import Dataset, of_kind
from tacita.errors import InputError
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.nearness import is_numeric, numbers
from tacita.microdata.comparing.representation import alike, as_text
from tacita.microdata.utility.discrepancy import by_name
from tacita.microdata.utility.structure import quantiles
from tacita.results import Measurement, Number, counted, show

CATEGORICAL = frozenset({Kind.NOMINAL, Kind.ORDINAL})
UNORDERED = frozenset({*CATEGORICAL, Kind.SET_VALUED})
BLANK, FIRST = 0, 1  # the code of a blank and of the first category
MOST_TABLES = 200  # of one dimension, unless they are asked for
DENSE = 2**16  # cells up to which a table is cheaper than a search for those that are not empty
Bins = Annotated[
    int,
    Field(
        description="Numbers and dates are cut into so many classes, at quantiles of the original "
        "data (2 or more).",
        ge=2,
    ),
]
Categorical = Annotated[
    AttributeNames | None,
    Field(
        description="The attributes to compare; by default all nominal and ordinal ones but "
        "identifiers, weights and households."
    ),
]
BLANK_COUNTS = "A blank is a category of its own."
Distance = Callable[[Floats, Floats], float]


def categorical(original: Dataset, asked: Sequence[str] | None) -> list[str]:
    """Return the categorical attributes to compare.

    Raises:
        InputError: there are none.
    """
    kinds = set(of_kind(original, CATEGORICAL))
    names = list(asked or (name for name in shared([original]) if name in kinds))
    if not names:
        raise InputError(
            "This compares categories, and no attribute is nominal or ordinal; say the kind of one."
        )
    return names


def released_in(original: Dataset, protected: Dataset, name: str) -> pa.Array:
    """Return the released values of an attribute; all blank if it was left out."""
    if name in protected.attributes:
        return protected.column(name)
    return pa.nulls(len(protected), original.column(name).type)


def weights_of(data: Dataset) -> Floats:
    """Return the weight of every record, 1 where there are no sampling weights."""
    weights = data.weight
    return np.ones(len(data)) if weights is None else weights


def in_order(attribute: Attribute, known: pa.Array, released: pa.Array) -> tuple[Ints, Ints]:
    """Return the places of two columns in an ordinal attribute's order; -1 for other values."""
    order = pa.array(attribute.order or (), known.type)
    ours, theirs = in_one_spelling(pa.concat_arrays([order, known]), released)
    places = [pc.index_in(part, ours[: len(order)]).fill_null(-1) for part in (ours, theirs)]
    before, after = (np.asarray(part, np.int64) for part in places)
    return before[len(order) :], after


def in_one_spelling(known: pa.Array, released: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return two columns alike, unless that makes one of two original categories.

    An intruder may take "a" for "A" and "01" for "1"; where these are two categories, to merge them
    is a loss.
    """
    made = alike(known, released)
    if len(_numbered(made[0])[1]) == len(_numbered(known)[1]):
        return made
    return as_text(known), as_text(released)


def same_codes(known: pa.Array, released: pa.Array) -> tuple[Ints, Ints]:
    """Return numbers for two columns that are equal where the values are; a blank has -1.

    >>> [part.tolist() for part in same_codes(pa.array(["b", None]), pa.array(["B", "a"]))]
    [[0, -1], [0, 1]]
    >>> [part.tolist() for part in same_codes(pa.array(["b", "B"]), pa.array(["B", "a"]))]
    [[0, 1], [1, 2]]
    """
    if known.equals(released):  # nothing was changed, as with most attributes: nothing is spelled
        codes, _ = _numbered(known)
        return codes, codes
    codes, _ = _numbered(pa.concat_arrays(list(in_one_spelling(known, released))))
    return codes[: len(known)], codes[len(known) :]


def _numbered(column: pa.Array) -> tuple[Ints, Ints]:
    """Return the number of every record's value, -1 of blanks, and the first record with each."""
    from tacita.kernels.grouping import factorize

    return factorize(*comparable(column))


def class_edges(values: Floats, weights: Floats | None, bins: int) -> Floats:
    """Return where numbers are cut into classes, each of which reaches up to an edge.

    They are cut at quantiles, and also below a value of several records that fills a class: it is a
    class of its own, or numbers that become smaller would stay in it.

    >>> class_edges(np.array([1.0, 2.0, 3.0, 4.0]), None, bins=2)
    array([2.])
    >>> np.searchsorted(class_edges(np.full(9, 5.0), None, bins=2), [3.0, 5.0, 7.0])
    array([0, 1, 2])
    """
    cuts = quantiles(values, weights, np.arange(bins + 1) / bins)
    cuts = cuts[~np.isnan(cuts)]
    filled = np.unique(cuts[1:][cuts[1:] == cuts[:-1]])
    tied = [value for value in filled if np.count_nonzero(values == value) > 1]
    with np.errstate(over="ignore"):  # below the least double there is no number
        return np.unique([*cuts[1:-1], *np.nextafter(tied, -np.inf)])


class Margin(NamedTuple):
    """One attribute of two data sets, in categories that both have in common."""

    name: str
    before: Ints  # codes from 1 on, a blank has 0
    after: Ints
    size: int  # codes are below


class Pair(NamedTuple):
    """Two data sets to count, with the weights of their records."""

    original: Dataset
    protected: Dataset
    weights: tuple[Floats | None, Floats | None]

    @classmethod
    def of(cls, original: Dataset, protected: Dataset) -> Pair:
        """Pair two data sets."""
        return cls(original, protected, (original.weight, protected.weight))

    def margin(self, name: str, bins: int) -> Margin:
        """Return the categories of an attribute: its own or, of a number or date, classes."""
        if not is_numeric([self.original], name):
            released = released_in(self.original, self.protected, name)
            return margin_of(name, self.original.column(name), released)
        return self._classes(name, bins)

    def _classes(self, name: str, bins: int) -> Margin:
        before = numbers([self.original], name)[0]
        edges = class_edges(before, self.weights[0], bins)
        datasets = [self.original, self.protected]
        if name in self.protected.attributes and is_numeric(datasets, name):
            after = _cut(numbers(datasets, name)[1], edges)
        else:
            # What is no number any more is in a class that no number is in.
            blank = released_in(self.original, self.protected, name).is_null()
            after = np.where(blank, BLANK, FIRST + len(edges) + 1)
        return Margin(name, _cut(before, edges), after, FIRST + len(edges) + 2)

    def counts(self, margins: Sequence[Margin]) -> tuple[Floats, Floats]:
        """Count the records of both data sets in the cells of a table, by their weights."""
        before, after, size = _cells(margins)
        ours, theirs = self.weights
        return _tally(before, ours, size), _tally(after, theirs, size)

    def distance(self, margins: Sequence[Margin], distance: Distance) -> float:
        """Return the distance between the distributions over a table (see `between`)."""
        return between(*self.counts(margins), distance)


def between(before: Floats, after: Floats, distance: Distance) -> float:
    """Return the distance between the shares that counts make; NaN if there was nothing to count.

    Where nothing is left to count it is 1.
    """
    ours, theirs = before.sum(), after.sum()
    if not ours:
        return np.nan
    return distance(before / ours, after / theirs) if theirs else 1.0


def margin_of(name: str, known: pa.Array, released: pa.Array) -> Margin:
    """Return two columns in the categories that both have in common."""
    before, after = (codes + FIRST for codes in same_codes(known, released))
    return Margin(name, before, after, 1 + int(max(before.max(initial=0), after.max(initial=0))))


def _tally(cells: Ints, weights: Floats | None, size: int) -> Floats:
    return np.bincount(cells, weights, size).astype(np.float64)


def _cut(values: Floats, edges: Floats) -> Ints:
    """Return classes of numbers: each reaches up to an edge, the last one beyond them."""
    return np.where(np.isnan(values), BLANK, FIRST + np.searchsorted(edges, values))


def _cells(margins: Sequence[Margin]) -> tuple[Ints, Ints, int]:
    """Give the cells of a table numbers, and tell how many there are."""
    from tacita.kernels.grouping import group

    sizes = [margin.size for margin in margins]
    split = len(margins[0].before)
    if prod(sizes) <= max(DENSE, split):
        before, after = (
            np.ravel_multi_index([getattr(margin, side) for margin in margins], sizes)
            for side in ("before", "after")
        )
        return before, after, prod(sizes)
    found = group([np.concatenate([margin.before, margin.after]) for margin in margins])
    return found.ids[:split], found.ids[split:], len(found.first)


def total_variation(before: Floats, after: Floats) -> float:
    """Return half the sum of the absolute differences between shares.

    >>> total_variation(np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.25, 0.25]))
    0.25
    """
    return float(np.abs(before - after).sum() / 2)


def hellinger(before: Floats, after: Floats) -> float:
    """Return the Euclidean distance between the roots of shares, over the root of 2.

    >>> hellinger(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    1.0
    """
    return float(np.sqrt(np.square(np.sqrt(before) - np.sqrt(after)).sum() / 2))


def tabled(names: Sequence[str], dimension: int) -> list[str]:
    """Return the first attributes, so many that they have at most 200 tables of a dimension.

    >>> len(tabled(range(100), 2)), len(tabled(range(100), 3))
    (20, 11)
    """
    return [name for place, name in enumerate(names) if comb(place + 1, dimension) <= MOST_TABLES]


def mean_of(values: Floats) -> float | None:
    """Return the mean of the numbers there are; None if there is none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def largest(values: Floats) -> float | None:
    """Return the largest of the numbers there are; None if there is none."""
    known = values[~np.isnan(values)]
    return float(known.max()) if len(known) else None


def distances(
    method: Method,
    pair: Pair,
    distance: Distance,
    *,
    words: str,
    asked: Sequence[str] | None,
    bins: int,
) -> Measurement:
    """Measure the distance between the distributions of attributes and of pairs of them.

    Args:
        method: the measure.
        pair: the two data sets.
        distance: the distance between two vectors of shares.
        words: what the distance is called.
        asked: the attributes; by default all that tell of respondents.
        bins: how many classes numbers are cut into.
    """
    names = list(asked or shared([pair.original]))
    crossed = names if asked else tabled(names, 2)
    values, margins = np.full(len(names), np.nan), []
    for place, name in enumerate(names):
        margin = pair.margin(name, bins)
        values[place] = pair.distance([margin], distance)
        margins += [margin] if name in crossed else []
    tables = list(combinations(margins, 2))
    joint = np.array([pair.distance(table, distance) for table in tables], np.float64)
    return Measurement(
        method.name,
        method.family,
        mean_of(values),
        f"{words} between the distributions of {counted(len(names), 'attribute')} before and "
        f"after, on average{told_of_pairs(joint, crossed, names)}",
        by_name(names, values),
        parameters=method.parameters(),
        figures={"largest": largest(values), **of_pairs(joint)},
        details=by_pair([(one.name, other.name) for one, other in tables], joint),
    )


def told_of_pairs(joint: Floats, crossed: Sequence[str], names: Sequence[str]) -> str:
    """Say how far the pairs of attributes are apart, and which they are if not all."""
    some = "" if len(crossed) == len(names) else f" of the first {len(crossed)} attributes"
    return f" ({show(mean_of(joint))} of {counted(len(joint), 'pair')}{some})"


def of_pairs(joint: Floats) -> dict[str, Number | None]:
    """Return the figures of the pairs of attributes."""
    return {"pairs_mean": mean_of(joint), "pairs_largest": largest(joint)}


def by_pair(pairs: Sequence[tuple[str, str]], joint: Floats) -> pa.Table:
    """List the distance of every pair of attributes."""
    return pa.table(
        {
            "attribute": pa.array([one for one, _ in pairs], pa.string()),
            "other": pa.array([other for _, other in pairs], pa.string()),
            "distance": pa.array(joint, pa.float64(), from_pandas=True),
        }
    )
