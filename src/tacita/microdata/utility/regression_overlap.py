"""Regression overlap: whether regressions on protected data lead to the same conclusions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.arithmetic import inverted, product, solved
from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset, of_kind
from tacita.errors import InputError, ParameterError
from tacita.method import AttributeName, AttributeNames, Method
from tacita.microdata.comparing.representation import alike, as_text
from tacita.microdata.utility.structure import (
    NOT_RESPONDENTS,
    compared,
    lost_in,
    moments_of,
    numbers_of,
    without_blanks,
)
from tacita.results import Measurement, counted, listed

CATEGORICAL = (Kind.ORDINAL, Kind.NOMINAL)
SMALL = 10  # categories of an attribute that is a predictor unless predictors are named
MOST_RESPONSES, MOST_PREDICTORS, MOST_CATEGORIES = 5, 30, 50
COLLINEAR = 1e-9  # share of its variance that a column must keep beside those before it
BLANK = "(blank)"


class RegressionOverlap(Method):
    """How little the confidence intervals of regression coefficients overlap.

    The same linear regressions are fitted by least squares (weighted by the sampling weights where
    there are any) to original and protected data. For coefficient k with the intervals
    (L_o, U_o) and (L_m, U_m), and (L, U) what they have in common,
    J_k = 1/2 [(U - L) / (U_o - L_o) + (U - L) / (U_m - L_m)]; intervals with nothing in common have
    J_k = 0 (the paper lets it be negative). The value is 1 - mean J_k over all coefficients but
    intercepts. Intervals without width overlap only if they are equal.

    By default each confidential continuous attribute (the first five; without any, the first
    continuous attribute) is a response, and all other continuous attributes and categorical ones of
    at most ten categories (the first 30 of both) are predictors. A category is a 0/1 column; the
    most frequent one is left out, and a blank is a category. Columns that depend linearly on
    those before them are left out, the same ones from both data sets. A coefficient that can be
    estimated on the original data only has J_k = 0, so have all of a response that was left out or
    is no longer a number.

    When not to use it: as if it held for other models. Intervals are those of independent records:
    they know nothing of strata and households, and in large files they are so narrow that the
    smallest change leaves no overlap.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> ta.RegressionOverlap("income", ["age", "education"]).measure(data, data).value
    0.0
    """

    applies_to: ClassVar = frozenset({Kind.CONTINUOUS, *CATEGORICAL})
    reference: ClassVar = (
        "Karr, Kohnen, Oganian, Reiter & Sanil, The American Statistician 60(3):224-232, 2006"
    )
    missing: ClassVar = (
        "Records with a blank number are left out; a blank category is a category of its own."
    )
    public: ClassVar = frozenset({"response", "predictors", "confidence"})

    response: Annotated[
        AttributeName | None,
        Field(description="The attribute explained; by default each confidential continuous one."),
    ] = None
    predictors: Annotated[
        AttributeNames | None,
        Field(description="What explains it; by default other continuous and small categorical."),
    ] = None
    confidence: Annotated[
        float, Field(description="The confidence of the intervals (between 0 and 1).", gt=0, lt=1)
    ] = 0.95

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Fit the regressions to both data sets."""
        responses = self._responses(original)
        predictors = self._predictors(original)
        columns = _columns(original, protected, list(dict.fromkeys([*predictors, *responses])))
        before, after = (
            _Moments.of(data, columns, at) for at, data in enumerate((original, protected))
        )
        rows = [
            row
            for response in responses
            for row in _compared(columns, response, predictors, before, after, self.confidence)
        ]
        overlaps = [row.overlap for row in rows]
        value = 1 - float(np.mean(overlaps)) if rows else None
        why = "" if rows else "; none can be estimated on the original data"
        return Measurement(
            self.name,
            self.family,
            value,
            f"what confidence intervals of {counted(len(rows), 'coefficient')} of regressions of "
            f"{listed(responses)} have not in common, on average{why}",
            {f"{row.response} ~ {row.predictor}": 1 - row.overlap for row in rows},
            parameters=self.parameters(),
            figures={"coefficients": len(rows), "overlap": None if value is None else 1 - value},
            details=_details(rows),
        )

    def _responses(self, original: Dataset) -> list[str]:
        if self.response is not None:
            if original.attribute(self.response).kind is not Kind.CONTINUOUS:
                raise ParameterError(
                    f"`response` of `{self.name}` should be a continuous attribute; "
                    f"`{self.response}` is {original.attribute(self.response).kind.value}."
                )
            return [self.response]
        numbers = compared(original, None)
        found = [name for name in numbers if name in original.confidential]
        if not numbers:
            raise InputError("No attribute is continuous, so that no regression can be fitted.")
        return found[:MOST_RESPONSES] or numbers[:1]

    def _predictors(self, original: Dataset) -> list[str]:
        if self.predictors is not None:
            return list(self.predictors)
        gone = {name for role in NOT_RESPONDENTS for name in original.with_role(role)}
        small = [
            name
            for name in of_kind(original, CATEGORICAL)
            if name not in gone and pc.count_distinct(original.column(name)).as_py() <= SMALL
        ]
        return [*compared(original, None), *small][:MOST_PREDICTORS]


class _Column(NamedTuple):
    """A column of the design, in both data sets."""

    attribute: str
    label: str
    before: Floats
    after: Floats


class _Moments(NamedTuple):
    """What a regression needs to know of one of the two data sets."""

    records: int
    covariance: Floats

    @classmethod
    def of(cls, data: Dataset, columns: Sequence[_Column], at: int) -> _Moments:
        values = [(column.before, column.after)[at] for column in columns]
        whole, weights = without_blanks(values, data.weight)
        return cls(len(whole[0]) if whole else 0, moments_of(whole, weights)[1])


class _Fit(NamedTuple):
    """Coefficients and the half widths of their confidence intervals; NaN if not estimable."""

    coefficients: Floats
    half_widths: Floats

    @classmethod
    def of(cls, moments: _Moments, places: Ints, response: int, confidence: float) -> _Fit:
        from scipy.special import stdtrit

        found = cls(*np.full((2, len(places)), np.nan))
        kept = _independent(moments.covariance, places)
        freedom = moments.records - len(kept) - 1
        if freedom <= 0 or not len(kept):
            return found
        chosen = places[kept]
        inverse = inverted(moments.covariance[np.ix_(chosen, chosen)])
        along = moments.covariance[chosen, response]
        b = product(inverse, along)
        rest = max(float(moments.covariance[response, response] - product(along, b)), 0.0)
        spread = np.sqrt(rest / freedom * np.maximum(inverse.diagonal(), 0.0))
        found.coefficients[kept] = b
        found.half_widths[kept] = float(stdtrit(freedom, (1 + confidence) / 2)) * spread
        return found


class _Row(NamedTuple):
    """A coefficient with its two intervals."""

    response: str
    predictor: str
    lower: float
    upper: float
    protected_lower: float
    protected_upper: float
    overlap: float


def _columns(original: Dataset, protected: Dataset, names: Sequence[str]) -> list[_Column]:
    """Return the columns of the design; what the protected data lost is 0 throughout there."""
    found: list[_Column] = []
    for name in names:
        if original.attribute(name).kind is Kind.CONTINUOUS:
            (before,), (after,) = (numbers_of(data, [name]) for data in (original, protected))
            lost = lost_in(protected, [name])
            found.append(_Column(name, name, before, np.zeros(len(protected)) if lost else after))
        else:
            found += _dummies(original, protected, name)
    return found


def _dummies(original: Dataset, protected: Dataset, name: str) -> Iterator[_Column]:
    """Return a 0/1 column for every category of the original data but the most frequent."""
    column = original.column(name)
    there = name in protected.attributes
    released = protected.column(name) if there else pa.nulls(len(protected), column.type)
    ours, theirs = alike(as_text(column), as_text(released))
    counts = pc.value_counts(ours).to_pylist()
    if len(counts) > MOST_CATEGORIES:
        raise InputError(
            f"A predictor may have {MOST_CATEGORIES} categories; `{name}` has {len(counts):,}. "
            "Name other predictors or recode it."
        )
    ordered = sorted(counts, key=lambda one: (-one["counts"], one["values"] or ""))
    for category in [one["values"] for one in ordered[1:]]:
        label = f"{name} = {BLANK if category is None else category}"
        before, after = (_is(part, category) for part in (ours, theirs))
        yield _Column(name, label, before, after if there else np.zeros(len(protected)))


def _is(column: pa.Array, category: str | None) -> Floats:
    said = column.is_null() if category is None else pc.equal(column, category).fill_null(False)
    return np.asarray(said.to_numpy(zero_copy_only=False)).astype(np.float64)


def _independent(covariance: Floats, places: Ints) -> Ints:
    """Return which of some columns do not depend linearly on those before them."""
    kept: list[int] = []
    for at, place in enumerate(places):
        own = float(covariance[place, place])
        before = places[kept]
        along = covariance[before, place]
        block = covariance[np.ix_(before, before)]
        rest = own - (product(along, solved(block, along)) if kept else 0.0)
        if own > 0 and rest > COLLINEAR * own:
            kept.append(at)
    return np.array(kept, np.int64)


def _compared(
    columns: Sequence[_Column],
    response: str,
    predictors: Sequence[str],
    before: _Moments,
    after: _Moments,
    confidence: float,
) -> Iterator[_Row]:
    """Fit one regression to both data sets and compare the intervals."""
    explained = [column.label for column in columns].index(response)
    places = np.array(
        [at for at, c in enumerate(columns) if c.attribute in predictors and at != explained],
        np.int64,
    )
    fit = _Fit.of(before, places, explained, confidence)
    known = ~np.isnan(fit.coefficients)
    refit = _Fit.of(after, places[known], explained, confidence)
    parts = (part.tolist() for part in (*(one[known] for one in fit), *refit))
    pairs = zip(places[known], *parts, strict=True)
    for place, b, half, b_after, half_after in pairs:
        ours, theirs = (b - half, b + half), (b_after - half_after, b_after + half_after)
        yield _Row(response, columns[place].label, *ours, *theirs, overlap(*ours, *theirs))


def overlap(lower: float, upper: float, other_lower: float, other_upper: float) -> float:
    """Return what two intervals have in common, as a mean share of both; 0 with an undefined one.

    >>> overlap(0, 4, 2, 4), overlap(0, 1, 2, 3), overlap(1, 1, 1, 1)
    (0.75, 0.0, 1.0)
    """
    if (lower, upper) == (other_lower, other_upper):
        return 1.0
    width, other_width = upper - lower, other_upper - other_lower
    common = min(upper, other_upper) - max(lower, other_lower)
    if common > 0 and width > 0 and other_width > 0:
        return (common / width + common / other_width) / 2
    return 0.0


def _details(rows: Sequence[_Row]) -> pa.Table:
    text = ("response", "predictor")
    return pa.table(
        {
            name: pa.array([row[at] for row in rows], pa.string() if name in text else pa.float64())
            for at, name in enumerate(_Row._fields)
        }
    )
