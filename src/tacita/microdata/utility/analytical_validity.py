"""Analytical validity: a checklist of what analysts compute first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import AttributeNames, Method
from tacita.microdata.utility.discrepancy import variations
from tacita.microdata.utility.distributions import same_codes
from tacita.microdata.utility.structure import (
    NOT_RESPONDENTS,
    moments_of,
    numbers_of,
    quantiles,
    structure_of,
)
from tacita.results import Measurement, counted

CATEGORICAL = (Kind.ORDINAL, Kind.NOMINAL)
MOST_CONTINUOUS, MOST_CATEGORICAL = 20, 10  # attributes; their pairs grow with the square
CELLS = 25  # of one table, the largest
QUANTILES = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
INTERESTING = 6  # attributes that can be validly analysed
EVERYBODY = "all records"


class AnalyticalValidity(Method):
    """The share of first analyses that fail: means, covariances, tabulations and quantiles.

    Winkler calls protected data analytically valid if they approximately keep means and covariances
    on a small set of subdomains, the margins of a few tabulations, and at least one distributional
    characteristic; and analytically interesting if some six attributes can be validly analysed.
    One check is one such number; it fails when it changed by more than `tolerance` relatively:

    - mean and covariance: of continuous attributes, in the whole file and on the largest
      subdomains, which are the categories with at least `least` records;
    - share: of the records in a cell of a one-way or two-way table of categorical attributes; the
      25 largest cells of a table with at least `least` records are looked at;
    - quantile: 10, 25, 50, 75 and 90 % of continuous attributes.

    All use the sampling weights where there are any. Numbers that cannot be computed any more fail
    (a recoded category is no longer a subdomain); those that were 0 fail when they are not 0 any
    more. `details` lists the checks; the part of an attribute is the share of those that fail
    among its own (without those of pairs); `analysable` counts the attributes of which none fails.
    By default the first 20 continuous and the first 10 categorical attributes are checked.

    When not to use it: as a proof; which analyses matter depends on who uses the data.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> ta.AnalyticalValidity().measure(data, data).value
    Fraction(0, 1)
    """

    applies_to: ClassVar = frozenset({Kind.CONTINUOUS, *CATEGORICAL})
    reference: ClassVar = "Winkler, Research in Official Statistics 1(2):50-69, 1998"
    missing: ClassVar = (
        "Means, covariances and quantiles leave blanks out; shares are of all records."
    )
    public: ClassVar = frozenset({"attributes", "tolerance", "least", "subdomains"})

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes to check; by default all continuous and categorical."),
    ] = None
    tolerance: Annotated[
        float, Field(description="The largest relative change that passes (0 or more).", ge=0)
    ] = 0.1
    least: Annotated[
        int, Field(description="Subdomains and cells have so many records or more.", ge=1)
    ] = 30
    subdomains: Annotated[
        int, Field(description="At most so many subdomains are checked (0 or more).", ge=0)
    ] = 10

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Check the protected data."""
        numbers, categories = self._chosen(original)
        tables = [_Table.of(original, protected, name, self.least) for name in categories]
        before, after = (_Side(numbers_of(d, numbers), d.weight) for d in (original, protected))
        checks = [
            *_of_domain(numbers, before, after, EVERYBODY),
            *(
                check
                for label, ours, theirs in _subdomains(tables, self.subdomains)
                for check in _of_domain(numbers, before.of(ours), after.of(theirs), label)
            ),
            *_of_cells(tables, before, after, self.least),
            *_of_quantiles(numbers, before, after),
        ]
        return self._told(checks, [*numbers, *categories])

    def _chosen(self, original: Dataset) -> tuple[list[str], list[str]]:
        """Return the continuous and the categorical attributes to check."""
        gone = {name for role in NOT_RESPONDENTS for name in original.with_role(role)}
        asked = [name for name in original.names if name not in gone]
        if self.attributes is not None:
            asked = list(self.attributes)
        numbers, categories = (
            [name for name in asked if original.attribute(name).kind in kinds]
            for kinds in ((Kind.CONTINUOUS,), CATEGORICAL)
        )
        if self.attributes is not None:
            return numbers, categories
        return numbers[:MOST_CONTINUOUS], categories[:MOST_CATEGORICAL]

    def _told(self, checks: Sequence[_Check], names: Sequence[str]) -> Measurement:
        before = np.array([check.original for check in checks], np.float64)
        changes = variations(before, np.array([check.protected for check in checks], np.float64))
        passed = changes <= self.tolerance
        parts = {name: _failing(checks, passed, name) for name in names}
        analysable = sum(part == 0 for part in parts.values())
        failed = int((~passed).sum())
        return Measurement(
            self.name,
            self.family,
            Fraction(failed, len(checks)) if checks else None,
            f"{failed:,} of {counted(len(checks), 'check')} of means, covariances, shares and "
            f"quantiles fail; {counted(analysable, 'attribute')} can be validly analysed "
            f"(some {INTERESTING} would be interesting)",
            parts,
            parameters=self.parameters(),
            figures={"checks": len(checks), "failed": failed, "analysable": analysable},
            details=_details(checks, changes, passed),
        )


class _Check(NamedTuple):
    """A number of the original data beside that of the protected data."""

    kind: str
    subdomain: str
    attributes: tuple[str, ...]
    original: float
    protected: float


class _Side(NamedTuple):
    """The continuous attributes and the weights of one of the two data sets."""

    columns: list[Floats]
    weights: Floats | None

    def of(self, records: Mask) -> _Side:
        weights = None if self.weights is None else self.weights[records]
        return _Side([column[records] for column in self.columns], weights)


@dataclass(frozen=True, eq=False)
class _Table:
    """The largest categories of an attribute, and which of them each record has (-1: none)."""

    name: str
    labels: list[str]
    counts: Ints
    before: Ints
    after: Ints

    @classmethod
    def of(cls, original: Dataset, protected: Dataset, name: str, least: int) -> _Table:
        column = original.column(name)
        there = name in protected.attributes
        released = protected.column(name) if there else pa.nulls(len(protected), column.type)
        ours, theirs = same_codes(column, released)
        codes, first, counts = np.unique(ours[ours >= 0], return_index=True, return_counts=True)
        kept = np.argsort(-counts, kind="stable")[:CELLS]
        kept = kept[counts[kept] >= least]
        place = np.full(int(max(ours.max(initial=-1), theirs.max(initial=-1))) + 2, -1)
        place[codes[kept]] = np.arange(len(kept))
        rows = np.flatnonzero(ours >= 0)[first[kept]]
        labels = [str(value) for value in column.take(pa.array(rows)).to_pylist()]
        return cls(name, labels, counts[kept], place[ours], place[theirs])


def _subdomains(tables: Sequence[_Table], most: int) -> Iterator[tuple[str, Mask, Mask]]:
    """Return the largest categories: their names and which records have them."""
    every = [
        (-int(n), at, place) for at, t in enumerate(tables) for place, n in enumerate(t.counts)
    ]
    for _, at, place in sorted(every)[:most]:
        table = tables[at]
        label = f"{table.name} = {table.labels[place]}"
        yield label, table.before == place, table.after == place


def _of_domain(names: Sequence[str], before: _Side, after: _Side, label: str) -> list[_Check]:
    """Check means and covariances of a part of the records."""
    ours, theirs = (_means(side) for side in (before, after))
    checks = [
        _Check("mean", label, (name,), *pair)
        for name, *pair in zip(names, ours, theirs, strict=True)
    ]
    second, moved = (structure_of(*side).covariance for side in (before, after))
    for one, other in combinations_with_replacement(range(len(names)), 2):
        named = (names[one],) if one == other else (names[one], names[other])
        checks.append(_Check("covariance", label, named, second[one, other], moved[one, other]))
    return [check for check in checks if not np.isnan(check.original)]


def _means(side: _Side) -> list[float]:
    return [float(moments_of([column], side.weights)[0][0]) for column in side.columns]


def _of_cells(
    tables: Sequence[_Table], before: _Side, after: _Side, least: int
) -> Iterator[_Check]:
    """Check the shares of the records in the cells of one-way and two-way tables."""
    for table in [*((one,) for one in tables), *combinations(tables, 2)]:
        ours, theirs = (
            _joined([getattr(t, at) for t in table], table) for at in ("before", "after")
        )
        cells = int(np.prod([len(one.labels) for one in table]))
        counts = np.bincount(ours[ours >= 0], minlength=cells)
        shares, moved = (_shares(o, side, cells) for o, side in ((ours, before), (theirs, after)))
        largest = np.argsort(-counts, kind="stable")[:CELLS]
        for cell in largest[counts[largest] >= least]:
            places = np.unravel_index(cell, [len(one.labels) for one in table])
            label = ", ".join(
                f"{t.name} = {t.labels[p]}" for t, p in zip(table, places, strict=True)
            )
            names = tuple(one.name for one in table)
            yield _Check("share", label, names, shares[cell], moved[cell])


def _joined(codes: Sequence[Ints], table: Sequence[_Table]) -> Ints:
    """Give the cells of a table numbers; records in none have -1."""
    sizes = [max(len(one.labels), 1) for one in table]
    inside = np.logical_and.reduce([code >= 0 for code in codes])
    cells = np.ravel_multi_index([np.maximum(code, 0) for code in codes], sizes)
    return np.where(inside, cells, -1)


def _shares(cells: Ints, side: _Side, size: int) -> Floats:
    weights = np.ones(len(cells)) if side.weights is None else side.weights
    inside = cells >= 0
    return np.bincount(cells[inside], weights[inside], size) / (weights.sum() or 1.0)


def _of_quantiles(names: Sequence[str], before: _Side, after: _Side) -> list[_Check]:
    return [
        _Check(f"quantile {share:g}", EVERYBODY, (name,), *pair)
        for name, x, y in zip(names, before.columns, after.columns, strict=True)
        for share, *pair in zip(
            QUANTILES,
            quantiles(x, before.weights, QUANTILES),
            quantiles(y, after.weights, QUANTILES),
            strict=True,
        )
        if not np.isnan(pair[0])
    ]


def _failing(checks: Sequence[_Check], passed: Mask, name: str) -> float | None:
    """Return the share of an attribute's own checks that fail; None without any."""
    own = [ok for check, ok in zip(checks, passed, strict=True) if check.attributes == (name,)]
    return 1 - sum(own) / len(own) if own else None


def _details(checks: Sequence[_Check], changes: Floats, passed: Mask) -> pa.Table:
    return pa.table(
        {
            "check": pa.array([check.kind for check in checks], pa.string()),
            "subdomain": pa.array([check.subdomain for check in checks], pa.string()),
            "attribute": pa.array([" x ".join(check.attributes) for check in checks], pa.string()),
            "original": pa.array([check.original for check in checks], pa.float64()),
            "protected": pa.array([check.protected for check in checks], pa.float64()),
            "relative_change": pa.array(changes, pa.float64()),
            "passed": pa.array(passed, pa.bool_()),
        }
    )
