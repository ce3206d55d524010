"""Rank-swap intersection: the intruder knows how far rank swapping moves values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from math import inf
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.arithmetic import expm1, log, log1p, log_sum
from tacita.attacks.inverting.linked import measured
from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn, drawn_records
from tacita.microdata.risk.linking.distances import Ranges, parts_of
from tacita.microdata.risk.linking.links import Links, known_attributes
from tacita.results import Measurement, exactly, listed
from tacita.validity import OF_RESPONDENTS, Use

if TYPE_CHECKING:
    from tacita.kernels.shifted_ranks import Shifts, Weighed

ORDERED = frozenset({Kind.CONTINUOUS, Kind.ORDINAL, Kind.DATE})
JUDGED = 1_000  # records at most of which an unknown p is estimated
RATIOS = 1.2, 1.02, 1.004  # of percentages that are tried, each time around the best one
LEAST = 0.5  # per cent, the first that is tried
LOOKS = 5 * 10**6  # of records at respondents for each percentage that is tried
PATIENCE = 6  # percentages tried after the best one, up to three times as high
FEWEST = 50  # records of which it is estimated whatever it takes
TINY = 1e-300  # below every probability
STRANGER = 1e-3  # the probability that a record is no swapped one, which no p excludes


class RankSwapIntersection(Method):
    """The share of records that an intruder links who knows how rank swapping moves values.

    Rank swapping with parameter p moves no value by more than w = floor(p n / 100) ranks. So the
    owner of a released record is among the respondents whose values lie within w ranks of the
    released ones in every attribute: the intersection of these sets (Nin, Herranz & Torra 2008).
    Of those in it, the intruder takes the likeliest. Since values are swapped from the lowest on
    with any one above that is left, farther ones are left more often: a shift by the share t of w
    has the density ln 2 * 2^t on (0, 1], twice as high at its end as at its beginning. The
    likelihood of a respondent is the product of these over the attributes; equal values occupy all
    ranks from the first to the last of them, over which it is averaged. Where c respondents are
    equally likely, one is picked at random.

    Without `p` the intruder takes the one under which the released records, each from one of the
    respondents, are the likeliest: too small a p leaves intersections empty, too large a one thins
    the likelihood out. The more attributes there are, the closer that comes: of the 1,080 records
    of Census, to within 1 % of p = 10 for four of them.

    When not to use it: on values swapped within a share of their range, or generalized.

    >>> import tacita as ta
    >>> data = ta.example("census", 400)
    >>> known = data.names[:4]
    >>> safe = data.apply(ta.RankSwap(known, p=10), seed=0)
    >>> found = ta.RankSwapIntersection(known, p=10).measure(data, safe)
    >>> bool(found.value > found.figures["naive_linkage"])
    True
    """

    applies_to: ClassVar = ORDERED
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.VALUES
    links_records: ClassVar = True
    reference: ClassVar = (
        "Nin, Herranz & Torra, Rethinking rank swapping to decrease disclosure risk, Data & "
        "Knowledge Engineering 64(1):346-364, 2008"
    )
    missing: ClassVar = (
        "A released blank tells nothing: every respondent fits it; an original blank has no rank "
        "and fits only a blank."
    )
    example: ClassVar = {"attributes": ["age", "income"], "p": 1, "sample": 1000}
    public: ClassVar = frozenset({"attributes", "sample"})
    costly: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default the ordered keys."),
    ] = None
    _: KW_ONLY
    p: Annotated[
        float | None,
        Field(
            description="How far values were moved at most (per cent of the ranks, 0 to 100); by "
            "default estimated.",
            ge=0,
            le=100,
        ),
    ] = None
    sample: SampleSize = 10_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Link the released records, or a sample of them, to the likeliest respondent."""
        names = known_attributes(original, protected, self.attributes, ORDERED)
        own, rows = (
            paired_rows(original, protected),
            drawn_records(original, protected, self.sample, self.seed),
        )
        ranks = _Ranks.of(original, protected, own, names)
        percent = self._judged(ranks) if self.p is None else self.p
        found = ranks.weighed(rows, percent)
        links = Links(found.is_own.astype(np.int64), np.maximum(found.likeliest, 1), len(protected))
        return measured(
            self,
            (original, protected),
            names,
            rows,
            links,
            f"by swaps of {listed(ranks.names)} within {percent:.3g} % of the ranks",
            {
                "p": percent,
                "mean_candidates": float(found.candidates.mean()) if len(rows) else None,
                "single_candidates": int(np.count_nonzero(found.candidates == 1)),
                "without_candidates": int(np.count_nonzero(found.candidates == 0)),
            },
            {"own": own[rows], "candidates": found.candidates},
        )

    def _judged(self, ranks: _Ranks) -> float:
        """Return the percentage under which some of the released records are the likeliest."""
        affordable = max(LOOKS // max(len(ranks.known), 1), FEWEST)
        rows = drawn(len(ranks.own), min(affordable, JUDGED), self.seed)
        low, high, best = LEAST, 100.0, 100.0
        for ratio in RATIOS:
            best = _best(ranks, rows, _percentages(low, high, ratio))
            low, high = best / ratio, min(best * ratio, 100.0)
        return best


def _percentages(low: float, high: float, ratio: float) -> Floats:
    """Return percentages from a low to a high one, each some times the one before."""
    steps = int(log(high / low) / log(ratio) + 1e-9)
    return np.asarray(low * ratio ** np.arange(steps + 1.0))


def _best(ranks: _Ranks, rows: Ints, percentages: Floats) -> float:
    """Try percentages, until several have been no better: the higher ones take the longest."""
    best, most, tried = float(percentages[-1]), -inf, 0
    for percent in percentages.tolist():
        found = ranks.likelihood(rows, percent)
        tried += found > -inf
        if found > most:
            best, most, tried = percent, found, 0
        if tried == PATIENCE:
            break
    return best


@dataclass(frozen=True, eq=False)
class _Ranks:
    """The ranks of known and of released values.

    Args:
        names: the attributes.
        known: respondents by attributes by two: the first rank of their value and that behind the
            last; -1 for a blank.
        released: the same of released records, their ranks stretched to the number of respondents.
        held: for every attribute the number of known values.
        own: for each released record the respondent it comes from.
    """

    names: list[str]
    known: Ints
    released: Ints
    held: Ints
    own: Ints

    @classmethod
    def of(cls, original: Dataset, protected: Dataset, own: Ints, names: Sequence[str]) -> _Ranks:
        """Rank the values of both files.

        Raises:
            InputError: no attribute was released in an order.
        """
        lines = parts_of(original, protected, own, np.arange(len(protected)), names)
        parts = [part for part in lines if isinstance(part, Ranges)]
        if not parts:
            raise InputError(
                f"Rank swapping leaves values in an order; found none in {listed(names)}. Name "
                "others in `attributes`."
            )
        held = np.array([np.count_nonzero(~np.isnan(part.known)) for part in parts])
        known = [_runs(part.known, size) for part, size in zip(parts, held, strict=True)]
        released = [_runs(part.released, size) for part, size in zip(parts, held, strict=True)]
        columns = np.stack(known, axis=1), np.stack(released, axis=1)
        return cls([part.name for part in parts], *columns, held, own)

    def weighed(self, rows: Ints, percent: float) -> Weighed:
        """Weigh the respondents from whom released records may come."""
        from tacita.kernels.shifted_ranks import weigh

        return weigh(self.known, self.released[rows], _shifts(self.held, percent), self.own[rows])

    def likelihood(self, rows: Ints, percent: float) -> float:
        """Return the logarithm of the likelihood of released records, each from any respondent.

        It is in relation to that of records whose values are drawn from all released ones, and
        -inf if most of them can come from nobody.
        """
        found = self.weighed(rows, percent)
        if 2 * np.count_nonzero(found.candidates) < len(rows):
            return -inf
        there = self.released[rows, :, 0] >= 0
        sizes = np.where(there, np.diff(self.released[rows], axis=2)[:, :, 0], 1)
        by_chance = log(np.where(there, sizes / np.maximum(self.held, 1), 1.0)).sum(axis=1)
        ratio = found.best + log(np.maximum(found.total, 1.0) / max(len(self.known), 1))
        swapped = log1p(-STRANGER) + ratio - by_chance
        return float(log_sum(swapped, log(STRANGER)).sum())


def _runs(values: Floats, size: int) -> Ints:
    """Return the first rank of each value and that behind the last; -1 twice for a blank.

    If there are fewer or more values than ranks, the ranks are stretched.
    """
    ordered = np.sort(values[~np.isnan(values)])
    first, behind = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    count = max(len(ordered), 1)
    runs = np.column_stack([first * size // count, -(-behind * size // count)])
    runs[np.isnan(values)] = -1
    return runs


def _shifts(held: Ints, percent: float) -> Shifts:
    """Return how far ranks may be shifted, with the second integral of the density of shifts.

    The density is ln 2 / (2 w) 2^(|x| / w) for |x| up to w, to which half a rank is added: the runs
    of two single values a reach apart just touch it.
    """
    from tacita.kernels.shifted_ranks import Shifts

    share = exactly(percent) / 100
    reach = np.array([int(share * size) for size in held.tolist()], np.int64)
    ends = reach[:, None].astype(np.float64) + 0.5
    shift = np.arange(reach.max(initial=0) + 1.0)[None, :]
    integrals = _integral(shift, ends)
    beside = _integral(shift - 1, ends) + _integral(shift + 1, ends)
    singles = log(np.maximum(beside - 2 * integrals, TINY))
    return Shifts(reach, integrals, (_integral(ends, ends) - ends / 2)[:, 0], singles)


def _integral(shift: Floats, ends: Floats) -> Floats:
    """Return the second integral of the density of shifts from 0, where it and its first are 0."""
    size = np.abs(shift)
    inside = np.minimum(size, ends)
    curved = (ends / log(2) * expm1(inside / ends * log(2)) - inside) / 2
    return np.ascontiguousarray(curved + (size - inside) / 2)
