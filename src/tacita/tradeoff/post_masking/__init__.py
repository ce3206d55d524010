"""Post-masking optimization: bring the moments of masked data back without raising the risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from tacita.data.attribute import Kind
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.data.pairing import PairBy, as_pair
from tacita.errors import InputError, ParameterError, shown
from tacita.microdata.comparing.features import shared
from tacita.release.comparing.score import Score
from tacita.release.comparing.score_card import ScoreCard, Scoring
from tacita.results import show
from tacita.tradeoff.post_masking.affine import matched
from tacita.tradeoff.post_masking.climbing import Aim, Climb, by_record, by_value
from tacita.tradeoff.post_masking.pair import Pair

__all__ = ["PostMasked", "PostMasking"]

Start = Literal["masked", "affine"]
HIGHEST = 4  # order of the moments; beyond, single records decide
STEPS = (1.0, 0.75, 0.5, 0.25, 0.125)  # of the way, when all of it would raise the risk


@dataclass(frozen=True, eq=False, repr=False)
class PostMasked:
    """Masked data after optimization, with the scores and errors before and after.

    Args:
        data: the optimized data, or the masked data as they were if nothing could be gained.
        before: the score of the masked data.
        after: the score of the optimized data.
        error_before: the sum of the squared relative differences of moments, masked data.
        error_after: the same of the optimized data.
        changed: the share of records that were changed.
    """

    data: Dataset
    before: ScoreCard
    after: ScoreCard
    error_before: float
    error_after: float
    changed: float

    def __repr__(self) -> str:
        rows = [("E", self.error_before, self.error_after)]
        rows += [("score", self.before.score, self.after.score)]
        rows += [
            (name, self.before.measures[name], now) for name, now in self.after.measures.items()
        ]
        told = "\n".join(f"{name:<8} {show(was):>10} -> {show(now)}" for name, was, now in rows)
        return f"{self.changed:.0%} of the records changed\n{told}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the data in plain types."""
        return {
            "before": {"error": self.error_before, **self.before.to_dict()},
            "after": {"error": self.error_after, **self.after.to_dict()},
            "changed": self.changed,
        }


@dataclass(frozen=True, eq=False)
class _Found:
    """Data that may be released, with what is known of them."""

    data: Dataset
    card: ScoreCard
    error: float

    @property
    def rank(self) -> tuple[float, float]:
        return self.card.score, self.error

    def is_no_worse_than(self, other: _Found) -> bool:
        return self.card.risk <= other.card.risk and self.error <= other.error


@dataclass(frozen=True)
class PostMasking:
    """Change masked numbers so that their moments come closer to those of the original data.

    A masking method cannot look back at the original once it has masked; this looks at both. On
    data standardized by the means and deviations of the original it lowers
    E = sum_k ((m'_k - m_k) / m_k)^2 over all moments m_k up to some `order`: means, means of
    products of two attributes, of three and four if asked for. Moments near zero, as the means
    are, are not divided by.

    E is lowered by hill climbing. Every value in turn tries a random step, which is taken if E
    falls and no more original values lie in the intervals around the released one. Steps get
    shorter as fewer are taken. After a climb, values by which an intruder could link more records
    by distance are put back for good and the others climb on, for some `rounds`. Columns of whole
    numbers stay whole, and what is never negative stays so.

    From `start` `masked`, equal values of an attribute stay equal and zeros zero: what
    microaggregation promised holds. From `affine` all records are first moved by the affine map
    that gives them the means and covariances of the original and moves them least, but for those by
    which the risk would rise. That mostly leaves a smaller E and a higher score, and keeps only
    records equal that are so in all attributes.

    At last the score is measured in full. Of some points on the way from the masked values the one
    with the lowest score is taken at which neither E nor the risk is above that of the masked data.
    The risk is the score's: the weighted mean of its components, of which one may rise while
    others fall. The score is never higher than before.

    To keep moments of first and second order, or up to any order, without increasing the
    disclosure risk is from Sebe et al. The affine start, the lengths of the steps, what is put
    back and the choice by the score are Tacita's own.

    When not to use it: on data that promise differential privacy, which it ends: the result looks
    at the original again. The optimized data cannot be made by a plan alone.

    Args:
        attributes: the attributes to change; by default all that are numbers before and after.
        known: the attributes by which records may be linked; by default the keys among them, or
            all of them.
        order: the highest order of the moments (2 to 4).
        start: where the search starts: at the `masked` values, or at their `affine` image.
        rounds: how often values are put back and the others moved again (1 or more).
        sweeps: how often every value has its turn in a round, at most (1 or more).
        by: the score that must not rise; that of Domingo-Ferrer and Torra over `attributes` when
            left out. Synthetic records, which have no originals, need one of their own.
        seed: where the steps come from; the same seed gives the same data.

    >>> import tacita as ta
    >>> data = ta.example("census", 300)
    >>> noisy = data.apply(ta.AddNoise(data.names, alpha=0.5), seed=1)
    >>> done = PostMasking().improve(data, noisy)
    >>> done.after.score < done.before.score, done.error_after < done.error_before / 100
    (True, True)
    """

    attributes: Sequence[str] | None = None
    known: Sequence[str] | None = None
    order: int = 2
    start: Start = "masked"
    rounds: int = 10
    sweeps: int = 100
    by: Scoring | None = None
    seed: int = 0

    reference = (
        "Sebe, Domingo-Ferrer, Mateo-Sanz & Torra, in Inference Control in Statistical Databases, "
        "LNCS 2316, 2002"
    )

    def __post_init__(self) -> None:
        if self.order not in range(2, HIGHEST + 1):
            raise ParameterError(f"`order` should be 2, 3 or 4; found {shown(self.order)}.")
        if self.start not in get_args(Start):
            raise ParameterError(
                f"`start` should be `masked` or `affine`; found {shown(self.start)}."
            )
        for name, least in {"rounds": 1, "sweeps": 1, "seed": 0}.items():
            said = getattr(self, name)
            if not isinstance(said, int) or isinstance(said, bool) or said < least:
                raise ParameterError(
                    f"`{name}` should be a whole number, {least} or more; found {shown(said)}."
                )

    def improve(self, original: Any, masked: Any, *, pair_by: PairBy | None = None) -> PostMasked:
        """Return masked data whose score is lower, or as they were.

        Args:
            original: the data before masking: microdata or a data frame.
            masked: the data after masking.
            pair_by: how records are paired, as `pair` takes it; by what is known when left out.
        """
        before, after = as_pair(original, masked, pair_by)
        pair = Pair.of(before, after, self._names(before, after), self.known)
        aim, scoring = Aim.of(pair.original, self.order), self._scoring(pair)
        first = _Found(after, scoring.of(before, after), aim.error(pair.masked))
        moved, best = self._moved(pair, aim), first
        for step in STEPS:
            data = pair.with_numbers(pair.masked + step * (moved - pair.masked))
            found = _Found(data, scoring.of(before, data), aim.error(pair.numbers_of(data)))
            if found.is_no_worse_than(first) and found.rank < best.rank:
                best = found
        return PostMasked(
            best.data, first.card, best.card, first.error, best.error, pair.changed(best.data)
        )

    def _scoring(self, pair: Pair) -> Scoring:
        if self.by is None and not pair.is_paired:
            raise InputError(
                "The score compares records with their originals, and synthetic records come from "
                "nobody; say with `by` which risk and loss of theirs to measure, for instance "
                "`CustomScore(['closest_records'], ['covariances'])`."
            )
        return self.by or Score(pair.names, known=pair.known)

    def _names(self, original: Dataset, masked: Dataset) -> tuple[str, ...]:
        asked = shared([original, masked]) if self.attributes is None else self.attributes
        both = (original, masked)
        names = tuple(
            name for name in asked if all(d.attribute(name).kind is Kind.CONTINUOUS for d in both)
        )
        if not names or (self.attributes is not None and len(names) < len(self.attributes)):
            raise InputError(
                "Post-masking optimization changes numbers; "
                f"{'none' if not names else 'not all'} of the attributes are numbers in both the "
                "original and the masked data. Name those that are."
            )
        return names

    def _moved(self, pair: Pair, aim: Aim) -> Floats:
        """Return values with a smaller error, and no more links or intervals than the masked."""
        values, labels = pair.masked, by_value(pair.masked)
        if self.start == "affine":
            values = min(values, self._mapped(pair), key=aim.error)
            labels = by_record(pair.groups, len(pair.names))
        climb = Climb(pair, aim, labels, np.random.default_rng(self.seed), self.sweeps)
        free = np.ones(int(labels.max()) + 1, np.bool_)
        most = float(pair.links(pair.masked).sum())
        for _ in range(self.rounds):
            found, back = climb.put_back(climb.climbed(values, free), values, most)
            values = min(values, found, key=aim.error)
            if not back.any():
                break
            free &= ~back
        return values

    def _mapped(self, pair: Pair) -> Floats:
        """Move all records by the affine map but those by which links or intervals would rise."""
        links, intervals = pair.links(pair.masked), pair.intervals(pair.masked)
        free = np.ones(pair.groups.max() + 1, np.bool_)
        values = pair.masked
        for _ in range(self.rounds):
            rows = free[pair.groups]
            if np.count_nonzero(rows) <= len(pair.names):
                return pair.masked
            values = pair.masked.copy()
            values[rows] = matched(pair.original, values, rows, self.order)
            values = pair.as_released(values)
            worse = pair.worse(pair.links(values) - links)
            worse |= pair.worse(pair.intervals(values) - intervals)
            if not (worse & free).any():
                return values
            free &= ~worse
        values[~free[pair.groups]] = pair.masked[~free[pair.groups]]
        return values
