"""Post-masking optimization: bring the moments of masked data back without raising the risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset, paired_rows
from tacita.errors import InputError, ParameterError, shown
from tacita.microdata.comparing.features import shared
from tacita.microdata.risk.distance_linkage import DistanceLinkage
from tacita.results import show
from tacita.tradeoff.score import WIDTHS, Score
from tacita.tradeoff.score_card import ScoreCard, Scoring

HIGHEST = 4  # order of the moments; beyond, single records decide
NEWTON = 8  # steps towards moments of third and fourth order
STEPS = (1.0, 0.75, 0.5, 0.25, 0.125)  # of the way, when all of it would raise the risk
FLAT = 1e-12  # of the largest variance: what is smaller is rounding


@dataclass(frozen=True, eq=False, repr=False)
class PostMasked:
    """Masked data after optimization, with the scores before and after.

    Args:
        data: the optimized data, or the masked data as they were if nothing could be gained.
        before: the score of the masked data.
        after: the score of the optimized data.
        changed: the share of records that were changed.
    """

    data: Dataset
    before: ScoreCard
    after: ScoreCard
    changed: float

    def __repr__(self) -> str:
        rows = [("score", self.before.score, self.after.score)]
        rows += [
            (name, self.before.measures[name], now) for name, now in self.after.measures.items()
        ]
        told = "\n".join(f"{name:<8} {show(was):>10} -> {show(now)}" for name, was, now in rows)
        return f"{self.changed:.0%} of the records changed\n{told}"


@dataclass(frozen=True)
class PostMasking:
    """Change masked numbers so that their moments come closer to those of the original data.

    A masking method cannot look back at the original once it has masked; this looks at both. All
    records are moved by the one affine map that gives them the means and covariances of the
    original and moves them least, y -> m + A (y - m') with
    A = V'^(-1/2) (V'^(1/2) V V'^(1/2))^(1/2) V'^(-1/2). Where that would let an intruder link more
    records by distance, or bring more original values into the intervals around the released ones,
    the records that gain most of either are put back as they were, and the others are moved again
    so that the moments of all come out; and so on for some `rounds`. Records with equal masked
    values stay equal, so that microaggregated data keep their groups. With `order` 3 or 4 the
    moments of that order of each attribute are approached as well.

    At last the score is measured in full. Of some steps on the way the one with the lowest score
    is taken whose risk is not above that of the masked data; the score is never higher than before.
    The aim, masked data whose moments come nearer to those of the original while the risk does not
    rise, is that of Sebe et al.; the way to it is Tacita's own.

    When not to use it: on data that promise differential privacy, which it ends: the result looks
    at the original again. The optimized data cannot be made by a plan alone.

    Args:
        attributes: the attributes to change; by default all that are numbers before and after.
        known: the attributes by which records may be linked; by default the keys among them, or
            all of them.
        order: the highest order of the moments (2 to 4).
        rounds: how often records are put back and the others moved again (1 or more).
        by: the score that must not rise; that of Domingo-Ferrer and Torra over `attributes` when
            left out.

    >>> import tacita as ta
    >>> data = ta.example("census", 300)
    >>> noisy = data.apply(ta.AddNoise(data.names, alpha=0.5), seed=1)
    >>> done = PostMasking().improve(data, noisy)
    >>> done.after.score < done.before.score
    True
    """

    attributes: Sequence[str] | None = None
    known: Sequence[str] | None = None
    order: int = 2
    rounds: int = 10
    by: Scoring | None = None

    reference = (
        "Sebe, Domingo-Ferrer, Mateo-Sanz & Torra, in Inference Control in Statistical Databases, "
        "LNCS 2316, 2002"
    )

    def __post_init__(self) -> None:
        if self.order not in range(2, HIGHEST + 1):
            raise ParameterError(f"`order` should be 2, 3 or 4; found {shown(self.order)}.")
        if not isinstance(self.rounds, int) or self.rounds < 1:
            raise ParameterError(f"`rounds` should be 1 or more; found {shown(self.rounds)}.")

    def improve(self, original: Any, masked: Any) -> PostMasked:
        """Return masked data whose score is lower, or as they were."""
        from tacita.data.read import as_dataset

        before = as_dataset(original)
        after = as_dataset(masked, like=before)
        pair = _Pair.of(before, after, self._names(before, after), self.known)
        moved = self._moved(pair)
        scoring = self.by or Score(pair.names, known=pair.known)
        start = scoring.of(before, after)
        best, best_card = after, start
        for step in STEPS:
            data = pair.with_numbers(pair.masked + step * (moved - pair.masked))
            card = scoring.of(before, data)
            if card.risk <= start.risk and card.score < best_card.score:
                best, best_card = data, card
        return PostMasked(best, start, best_card, pair.changed(best))

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

    def _moved(self, pair: _Pair) -> Floats:
        """Return the values with the moments of the original and no more links or intervals."""
        links, intervals = pair.links(pair.masked), pair.intervals(pair.masked)
        free = np.ones(pair.groups.max() + 1, np.bool_)
        values = pair.masked
        for _ in range(self.rounds):
            rows = free[pair.groups]
            if np.count_nonzero(rows) <= len(pair.names):
                return pair.masked
            values = pair.masked.copy()
            values[rows] = pair.as_released(_matched(pair.original, values, rows, self.order))
            worse = pair.worse(pair.links(values) - links)
            worse |= pair.worse(pair.intervals(values) - intervals)
            if not (worse & free).any():
                return values
            free &= ~worse
        values[~free[pair.groups]] = pair.masked[~free[pair.groups]]
        return values


@dataclass(frozen=True, eq=False)
class _Pair:
    """Original and masked numbers side by side, without the records that have blanks.

    Args:
        data: both data sets, the original first.
        names: the attributes.
        known: those by which records are linked.
        rows: the masked records without blanks.
        original: the original values of these records.
        masked: their masked values.
        groups: which records have equal masked values.
    """

    data: tuple[Dataset, Dataset]
    names: tuple[str, ...]
    known: tuple[str, ...]
    rows: Ints
    original: Floats
    masked: Floats
    groups: Ints

    @classmethod
    def of(
        cls, before: Dataset, after: Dataset, names: tuple[str, ...], known: Sequence[str] | None
    ) -> _Pair:
        own = paired_rows(before, after)
        original = np.column_stack([before.numbers(name)[own] for name in names])
        masked = np.column_stack([after.numbers(name) for name in names])
        rows = np.flatnonzero(~np.isnan(original).any(axis=1) & ~np.isnan(masked).any(axis=1))
        if len(rows) <= len(names):
            raise InputError(
                f"Post-masking optimization of {len(names)} attributes needs more records without "
                f"blanks than attributes; found {len(rows)}."
            )
        keys = tuple(name for name in names if name in before.keys)
        groups = np.unique(masked[rows], axis=0, return_inverse=True)[1].reshape(-1)
        return cls(
            (before, after),
            names,
            tuple(known) if known is not None else keys or names,
            rows,
            original[rows],
            masked[rows],
            groups,
        )

    def as_released(self, values: Floats) -> Floats:
        """Keep whole numbers whole and what is never negative so."""
        whole = [pa.types.is_integer(self.data[1].column(name).type) for name in self.names]
        values = np.where(whole, np.rint(values), values)
        return np.where(self.masked.min(axis=0) >= 0, np.maximum(values, 0.0), values)

    def with_numbers(self, values: Floats) -> Dataset:
        """Return the masked data with other values of the records without blanks."""
        data = self.data[1]
        for place, name in enumerate(self.names):
            column = data.column(name)
            numbers = data.numbers(name).copy()
            numbers[self.rows] = self.as_released(values)[:, place]
            changed = pa.array(numbers, mask=np.asarray(column.is_null())).cast(
                column.type, safe=False
            )
            data = data.with_column(data.attribute(name), changed)
        return data

    def links(self, values: Floats) -> Floats:
        """Return the probability with which each record is linked by distance."""
        linkage = DistanceLinkage(self.known, sample=None)
        found = linkage.measure(self.data[0], self.with_numbers(values)).per_record
        return np.asarray(found)[self.rows]

    def intervals(self, values: Floats) -> Floats:
        """Return in how many intervals around its values each original record lies."""
        spread = np.nanstd(
            np.column_stack([self.data[0].numbers(name) for name in self.names]), axis=0, ddof=1
        )
        gaps = np.abs(self.original - values)
        return np.asarray(sum((gaps <= width * spread).sum(axis=1) for width in WIDTHS), np.float64)

    def worse(self, rise: Floats) -> Mask:
        """Tell the groups to put back so that a risk does not rise in sum: those it rises most."""
        rises = np.bincount(self.groups, rise)
        order = np.argsort(-rises, kind="stable")
        back = np.zeros(len(rises), np.bool_)
        total = float(rises.sum())
        for group in order:
            if total <= 0 or rises[group] <= 0:
                break
            back[group] = True
            total -= rises[group]
        return back

    def changed(self, data: Dataset) -> float:
        """Return the share of records that have other values than the masked ones."""
        now = np.column_stack([data.numbers(name) for name in self.names])
        return float(np.count_nonzero((now[self.rows] != self.masked).any(axis=1)) / len(data))


def _matched(original: Floats, values: Floats, free: Mask, order: int) -> Floats:
    """Move the free records so that the moments of all records are those of the original."""
    unit = np.where(original.std(axis=0) > 0, original.std(axis=0), 1.0)
    centre = original.mean(axis=0)
    wanted, given = (original - centre) / unit, (values - centre) / unit
    records, moving = len(wanted), np.count_nonzero(free)
    first = (wanted.sum(axis=0) - given[~free].sum(axis=0)) / moving
    second = (wanted.T @ wanted - given[~free].T @ given[~free]) / moving
    moved = _affine(given[free], first, second - np.outer(first, first))
    if order > 2 and moving == records:  # noqa: PLR2004 - third and fourth moments
        moved = _affine(_bent(moved, wanted, order), first, second - np.outer(first, first))
    return np.asarray(moved * unit + centre)


def _affine(values: Floats, mean: Floats, covariance: Floats) -> Floats:
    """Return values with a mean and covariances, moved as little as possible."""
    own_mean = values.mean(axis=0)
    root, inverse = _roots((values - own_mean).T @ (values - own_mean) / len(values))
    middle, _ = _roots(root @ covariance @ root)
    return np.asarray((values - own_mean) @ (inverse @ middle @ inverse) + mean)


def _roots(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the square root of a symmetric matrix and its inverse; what is flat stays flat."""
    sizes, axes = np.linalg.eigh((matrix + matrix.T) / 2)
    there = sizes > FLAT * max(sizes.max(initial=0.0), 0.0)
    roots = np.sqrt(np.where(there, sizes, 0.0))
    inverse = np.where(there, 1 / np.where(there, roots, 1.0), 0.0)
    return np.asarray(axes * roots @ axes.T), np.asarray(axes * inverse @ axes.T)


def _bent(values: Floats, wanted: Floats, order: int) -> Floats:
    """Approach the third (and fourth) moments of each attribute by Newton's method."""
    powers = np.arange(3, order + 1)
    bent = values.copy()
    for place in range(values.shape[1]):
        target = np.array([(wanted[:, place] ** power).mean() for power in powers])
        column = bent[:, place]
        for _ in range(NEWTON):
            column = _newton(column, target, powers)
        bent[:, place] = column
    return bent


def _newton(column: Floats, target: Floats, powers: Ints) -> Floats:
    """Take a step towards some moments, if it comes nearer to them."""
    moments = np.array([(column**power).mean() for power in powers])
    slopes = column[:, None] ** (powers - 1)
    matrix = powers[:, None] * (slopes.T @ slopes) / len(column)
    change = np.linalg.lstsq(matrix, target - moments, rcond=None)[0]
    for share in (1.0, 0.5, 0.25, 0.1):
        moved = column + share * (slopes @ change)
        spread = moved.std()
        moved = (moved - moved.mean()) * (column.std() / spread if spread > 0 else 1.0)
        moved = moved + column.mean()
        now = np.array([(moved**power).mean() for power in powers])
        if np.abs(now - target).sum() < np.abs(moments - target).sum():
            return np.asarray(moved)
    return column
