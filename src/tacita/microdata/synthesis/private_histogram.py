"""Differentially private synthesis from a noisy histogram of all attributes together."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import prod
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset, Guarantee
from tacita.errors import ParameterError, ProtectionError
from tacita.mechanisms.private.accounting import exact
from tacita.mechanisms.private.mechanisms import Laplace
from tacita.mechanisms.private.thresholds import threshold
from tacita.mechanisms.secure_noise import Epsilon, refuse_mixed
from tacita.method import ANY_KIND, Method
from tacita.microdata.synthesis.making.records import Modelled, modelled
from tacita.microdata.synthesis.making.rules import RuleTexts
from tacita.microdata.synthesis.measuring_marginals.answers import ONE_RECORD
from tacita.microdata.synthesis.measuring_marginals.domain import (
    Bins,
    Declared,
    Domain,
    PublicBlanks,
    PublicBounds,
    PublicCategories,
)
from tacita.microdata.synthesis.measuring_marginals.drawing import systematic
from tacita.microdata.synthesis.measuring_marginals.promising import (
    NEIGHBOURS,
    OUTSIDE_IS_BLANK,
    PrivateRecords,
    promised,
)
from tacita.preserved import Statistic, always
from tacita.validity import Change

MOST_CELLS = 2**20  # to all of which noise is added


class PrivateHistogram(Method):
    """Synthesize records from the differentially private counts of all combinations of values.

    Every cell of the contingency table of all attributes gets Laplace noise of scale 1 / epsilon;
    a record more moves one cell by 1. The counts become shares by the nearest table without
    negative cells that has the same sum, and records are drawn by these. That is pure
    epsilon-differential privacy (delta = 0), and the table has at most 2^20 cells.

    Larger domains need a `delta` above 0: only combinations that occur get noise, and only those
    are kept whose noisy count reaches a threshold T, the least with P(1 + noise >= T) <= delta, so
    that a combination of one respondent shows with probability delta at most; about
    1 + log(1 / (2 delta)) / epsilon.

    Data sets of which one has a record more cannot be told apart. Nothing but the noisy counts
    comes from the records: domains must be declared (an order, a tree of categories, `categories`,
    `bounds`), and where a hierarchy or bounds were made from the data, the guarantee does not hold.
    Blanks are a value more of every attribute, which by noise alone gets records too, unless
    `blanks` says which attributes can have some.
    Noise is OpenDP's, from the system's secure source: no run can be repeated. A respondent has one
    record; weights are not used and not released, and copies of respondents are not looked for,
    since that would tell who is in the data.

    When not to use it: for more than a handful of attributes, where nearly all cells hold a record
    or none and noise is all there is; use `private_marginals`.

    >>> import tacita as ta
    >>> private = ta.PrivateHistogram(["education", "region"], epsilon=1, records=200)
    >>> safe = ta.example("toy", 300).apply(private, seed=1)
    >>> len(safe), safe.names, ta.DifferentialPrivacy(1.0).check(safe).holds
    (200, ['education', 'region'], True)
    """

    applies_to: ClassVar = ANY_KIND - {Kind.SET_VALUED}
    keeps: ClassVar = (
        always(Statistic.EPSILON, simulated={"attributes": ["education", "region"]}),
    )
    changes: ClassVar = frozenset({Change.SYNTHESIS})
    reference: ClassVar = (
        "Dwork, McSherry, Nissim & Smith, Proc. TCC 2006, pp. 265-284; Korolova, Kenthapadi, "
        "Mishra & Ntoulas, Releasing search queries and clicks privately, Proc. WWW 2009"
    )
    missing: ClassVar = OUTSIDE_IS_BLANK
    example: ClassVar = {"attributes": ["education", "region"], "epsilon": 1.0, "records": 300}
    public: ClassVar = frozenset(
        {
            "attributes",
            "epsilon",
            "delta",
            "bounds",
            "categories",
            "blanks",
            "bins",
            "records",
            "rules",
        }
    )
    draws: ClassVar = True
    repeatable: ClassVar = False
    instead: ClassVar = "`sequential_trees`, which guarantees nothing"

    attributes: Modelled = None
    _: KW_ONLY
    epsilon: Epsilon
    delta: Annotated[
        float,
        Field(
            description="The probability with which the loss may be larger (0 to below 1); above "
            "0, rare combinations are left out.",
            ge=0,
            lt=1,
        ),
    ] = 0.0
    bounds: PublicBounds = Field(default_factory=dict)
    categories: PublicCategories = Field(default_factory=dict)
    blanks: PublicBlanks = None
    bins: Bins = 10
    records: PrivateRecords = None
    rules: RuleTexts = ()

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return synthetic records."""
        refuse_mixed(self.name, data)
        names = modelled(self, data, self.attributes)
        declared = Declared(self.bounds, self.categories, self.blanks, self.bins)
        domain = Domain.of(self.name, data, names, declared)
        histogram = self._noisy(domain.codes(data), domain.sizes)
        records = round(float(histogram.shares.sum())) if self.records is None else self.records
        if records and not len(histogram.shares):
            raise ProtectionError(
                f"No combination of {len(names)} attributes is frequent enough for "
                f"`{self.name}`; name fewer attributes, or use `private_marginals`."
            )
        return promised(
            data,
            domain,
            lambda many: histogram.drawn(many, rng),
            rng,
            records=records,
            rules=self.rules,
            by=Guarantee(self.name, tuple(names), self.epsilon, self.delta, NEIGHBOURS),
            accounts={"scale": histogram.scale, "threshold": histogram.threshold},
        )

    def _noisy(self, codes: Ints, sizes: tuple[int, ...]) -> Histogram:
        scale = Laplace().scale(ONE_RECORD, exact(self.epsilon))
        if self.delta > 0:
            return _of_frequent_cells(codes, scale, self.delta)
        if prod(sizes) > MOST_CELLS:
            raise ParameterError(
                f"`{self.name}` adds noise to all {prod(sizes):,} combinations, and {MOST_CELLS:,} "
                "are the most; name fewer attributes or `bins`, set a `delta` above 0, or use "
                "`private_marginals`."
            )
        return _of_all_cells(codes, sizes, scale)


@dataclass(frozen=True, eq=False)
class Histogram:
    """Noisy counts of combinations.

    Args:
        cells: the combinations, one column an attribute.
        shares: how many records each has, 0 or more.
        scale: that of the noise.
        threshold: the noisy count from which on a combination is kept, if there is one.
    """

    cells: Ints
    shares: Floats
    scale: float
    threshold: int | None = None

    def drawn(self, records: int, rng: np.random.Generator) -> Ints:
        """Draw records as cells, one column an attribute."""
        shares = self.shares if self.shares.any() else np.ones_like(self.shares)
        one_row, one_group = np.zeros(len(shares), np.int64), np.zeros(records, np.int64)
        if not records:
            return np.zeros((0, self.cells.shape[1]), np.int64)
        return self.cells[systematic(shares, one_row, one_group, rng)]


def _of_all_cells(codes: Ints, sizes: tuple[int, ...], scale: float) -> Histogram:
    counts = np.bincount(np.ravel_multi_index(tuple(codes.T), sizes), minlength=prod(sizes))
    noisy = np.array(Laplace().noised(counts.tolist(), scale), np.float64)
    cells = np.stack(np.unravel_index(np.arange(prod(sizes)), sizes), axis=1)
    return Histogram(cells, without_negatives(noisy), scale)


def _of_frequent_cells(codes: Ints, scale: float, delta: float) -> Histogram:
    cells, counts = np.unique(codes, axis=0, return_counts=True)
    noisy = np.array(Laplace().noised(counts.tolist(), scale), np.float64)
    least = threshold(Laplace(), scale, 1, delta)
    kept = noisy >= least
    return Histogram(cells[kept], noisy[kept], scale, least)


def without_negatives(counts: Floats) -> Floats:
    """Return the nearest numbers, none below 0, with the same sum (or 0, where that is below).

    All are lowered by the same amount, and what falls below 0 is 0 (Duchi, Shalev-Shwartz, Singer
    and Chandra 2008).

    >>> without_negatives(np.array([5.0, 2.0, -3.0])).tolist()
    [3.5, 0.5, 0.0]
    """
    whole = float(counts.sum())
    if whole <= 0:
        return np.zeros_like(counts)
    falling = np.sort(counts)[::-1]
    lowered = (np.cumsum(falling) - whole) / np.arange(1, len(counts) + 1)
    kept = int(np.flatnonzero(falling > lowered)[-1])
    nearest: Floats = np.maximum(counts - lowered[kept], 0.0)
    return nearest
