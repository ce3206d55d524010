"""Kolmogorov-Smirnov: the largest gap between two distribution functions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.nearness import is_numeric, numbers
from tacita.microdata.utility.discrepancy import by_name
from tacita.microdata.utility.distributions import (
    Bins,
    Pair,
    by_pair,
    class_edges,
    in_order,
    largest,
    mean_of,
    of_pairs,
    released_in,
    tabled,
    told_of_pairs,
)
from tacita.results import Measurement, counted

ORDERED = frozenset({Kind.CONTINUOUS, Kind.ORDINAL, Kind.DATE})


class KolmogorovSmirnov(Method):
    """The largest gap between the distribution functions of the original and protected values.

    D = sup_x |F(x) - F'(x)| of an attribute, F(x) being the share of the values up to x by the
    sampling weights of each data set; ordinal values lie in the attribute's order. The value is the
    mean over the attributes. Which record comes from which respondent does not matter: synthetic
    data can be measured. Values that are no longer in the order (recoded to labels) are left out
    like blanks; an attribute of which nothing else is left, or that was left out, counts 1.

    Of a pair of attributes the gap is the largest in any of the four ways to order both (Peacock
    1983), taken at `bins` quantiles of the original data each; `pairs_mean` is the mean of the
    pairs, which `details` lists. Of more than 20 attributes the pairs of the first 20 are compared,
    unless `attributes` names more.

    When not to use it: on suppressed data alone, as blanks do not show.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> capped = data.apply(ta.TopCode("DH", 30), seed=0)
    >>> round(ta.KolmogorovSmirnov(["DH"]).measure(data, capped).value, 4)
    0.1818
    """

    applies_to: ClassVar = ORDERED
    reference: ClassVar = (
        "Massey, Journal of the American Statistical Association 46:68-78, 1951; Peacock, Monthly "
        "Notices of the Royal Astronomical Society 202:615-627, 1983"
    )
    missing: ClassVar = "Blanks are left out."
    public: ClassVar = frozenset({"attributes", "bins"})

    attributes: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes to compare; by default all continuous and ordinal ones "
            "and dates but identifiers, weights and households."
        ),
    ] = None
    bins: Bins = 20

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the distribution functions."""
        pair, names = Pair.of(original, protected), _ordered(original, self.attributes)
        lines = {name: _lines(pair, name) for name in names}
        gaps = np.array([_gap(pair, lines[name]) for name in names], np.float64)
        crossed = names if self.attributes else tabled(names, 2)
        places = {name: _classes(pair, lines[name], self.bins) for name in crossed}
        crossings = list(combinations(crossed, 2))
        joint = np.array([_joint_gap(pair, places[a], places[b]) for a, b in crossings], np.float64)
        return Measurement(
            self.name,
            self.family,
            mean_of(gaps),
            f"largest gap between the distribution functions of {counted(len(names), 'attribute')} "
            f"before and after, on average{told_of_pairs(joint, crossed, names)}",
            by_name(names, gaps),
            parameters=self.parameters(),
            figures={"largest": largest(gaps), **of_pairs(joint)},
            details=by_pair(crossings, joint),
        )


def _ordered(original: Dataset, asked: Sequence[str] | None) -> list[str]:
    names = list(asked or (n for n in shared([original]) if original.attribute(n).kind in ORDERED))
    if not names:
        raise InputError(
            "This compares values in their order, and no attribute is continuous, ordinal or a "
            "date; say the kind of one."
        )
    return names


def _gap(pair: Pair, lines: Sequence[Floats]) -> float:
    """Return the largest gap of an attribute; NaN if it has no values, 1 if it has none left."""
    steps = [_steps(*side) for side in zip(lines, pair.weights, strict=True)]
    if not len(steps[0][0]):
        return np.nan
    return _largest_gap(*steps) if len(steps[1][0]) else 1.0


def _lines(pair: Pair, name: str) -> list[Floats]:
    """Return where the values of both data sets lie; NaN for values that lie nowhere."""
    datasets = [pair.original, pair.protected]
    attribute = pair.original.attribute(name)
    if attribute.kind is Kind.ORDINAL:
        released = released_in(pair.original, pair.protected, name)
        places = in_order(attribute, pair.original.column(name), released)
        return [np.where(place < 0, np.nan, place) for place in places]
    if name in pair.protected.attributes and is_numeric(datasets, name):
        return numbers(datasets, name)
    return [*numbers([pair.original], name), np.full(len(pair.protected), np.nan)]


def _classes(pair: Pair, lines: Sequence[Floats], bins: int) -> list[Ints]:
    """Cut the values of both data sets at quantiles of the original; -1 for those nowhere."""
    edges = class_edges(lines[0], pair.weights[0], bins)
    return [np.where(np.isnan(line), -1, np.searchsorted(edges, line)) for line in lines]


def _joint_gap(pair: Pair, ones: Sequence[Ints], others: Sequence[Ints]) -> float:
    """Return the largest gap of two attributes, in the four ways to order both of them."""
    shape = tuple(max(int(p.max(initial=0)) for p in side) + 1 for side in (ones, others))
    before, after = (
        _table(one, other, weights, shape)
        for one, other, weights in zip(ones, others, pair.weights, strict=True)
    )
    if not before.any():
        return np.nan
    if not after.any():
        return 1.0
    gap = before / before.sum() - after / after.sum()
    turned = (gap, gap[::-1], gap[:, ::-1], gap[::-1, ::-1])
    return max(float(np.abs(part.cumsum(axis=0).cumsum(axis=1)).max()) for part in turned)


def _table(one: Ints, other: Ints, weights: Floats | None, shape: tuple[int, ...]) -> Floats:
    """Count the records in which neither attribute is blank, by their weights."""
    there = (one >= 0) & (other >= 0)
    cells = one[there] * shape[1] + other[there]
    counts = np.bincount(cells, None if weights is None else weights[there], shape[0] * shape[1])
    return counts.reshape(shape).astype(np.float64)


def _steps(values: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Return the values in ascending order, and the share of the values before each and in all."""
    there = ~np.isnan(values)
    if weights is None:
        known = np.sort(values[there])
        return known, np.arange(len(known) + 1) / max(len(known), 1)
    known, amounts = values[there], weights[there]
    order = np.lexsort((amounts, known))  # of equal values, whatever their place in the file
    sums = np.append(0.0, np.cumsum(amounts[order]))
    return known[order], sums / (sums[-1] or 1.0)


def _largest_gap(ours: tuple[Floats, Floats], theirs: tuple[Floats, Floats]) -> float:
    """Compare two step functions wherever one of them steps."""
    return max(
        float(np.abs(_share(ours, at) - _share(theirs, at)).max()) for at in (ours[0], theirs[0])
    )


def _share(steps: tuple[Floats, Floats], at: Floats) -> Floats:
    values, shares = steps
    return shares[np.searchsorted(values, at, side="right")]
