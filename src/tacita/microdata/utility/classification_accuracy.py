"""Classification accuracy: whether a classifier learnt from protected data serves as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from tacita.arithmetic import length
from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset, of_kind
from tacita.data.pairing import are_paired, paired_rows
from tacita.errors import InputError
from tacita.method import ANY_KIND, AttributeName, Method
from tacita.microdata.comparing.confidence import CONFIDENCE
from tacita.microdata.comparing.features import CATEGORIES, features, shared
from tacita.microdata.comparing.nearness import is_numeric, numbers, recoded_alike
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, told
from tacita.microdata.utility.distributions import released_in, same_codes
from tacita.microdata.utility.evaluators import (
    MOST,
    Tree,
    drawn_together,
    mean_weights,
    probabilities,
    splittable,
)
from tacita.microdata.utility.structure import quantiles
from tacita.results import Interval, Measurement, Number, show

CATEGORICAL = (Kind.NOMINAL, Kind.ORDINAL)
MOST_TARGETS = 3  # each is learnt twice a fold


class ClassificationAccuracy(Method):
    """How much less accurate a classifier is that learnt from protected instead of original data.

    The original records are cut at random into `folds`. Those of each fold are predicted by a
    classifier that learnt from the other original records, and by one that learnt from the
    protected records, without those that come from the fold. With the shares a and a' of records
    whose true category is predicted, by sampling weights where there are any, the loss is

        a - a', at least 0.

    Predictors are the other attributes of the original data (the first 50) and, of these, those
    that the protected data hold; where the release recoded a predictor, the records to predict are
    recoded alike. Numbers and dates to predict are cut at the median of the original data, and of
    more than 50 categories the rarer ones are predicted as one. A target that was recoded is missed
    in its original categories, one that was left out in all records. Of several targets the largest
    loss counts. Figures: both accuracies, that of always naming the most frequent category
    (`majority`), and the loss over the accuracy of the original data. The classifiers are those of
    `propensity`.

    The interval is the normal one of a difference between two predictions of the same records; all
    targets hold it at once.

    When not to use it: where the original data predict no better than the majority and nothing can
    be lost; on data of which nobody knows where each record comes from, if they are recoded or
    hold original records: these are then predicted by themselves.

    >>> import tacita as ta
    >>> data = ta.example("toy", 300)
    >>> ta.ClassificationAccuracy("disease").measure(data, data).value
    0.0
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = (
        "LeFevre, DeWitt & Ramakrishnan, Workload-aware anonymization, KDD 2006; Brickell & "
        "Shmatikov, The cost of privacy, KDD 2008"
    )
    missing: ClassVar = (
        "Blank targets are neither learnt nor predicted; a blank predictor is a value."
    )
    public: ClassVar = frozenset({"target", "evaluator", "folds", "sample"})
    costly: ClassVar = True

    target: Annotated[
        AttributeName | None,
        Field(
            description="The attribute to predict; by default the first three confidential ones, "
            "categories first, else the category attribute with the fewest categories."
        ),
    ] = None
    evaluator: Annotated[Tree, Field(description="The classifier: one tree or boosted ones.")] = (
        "cart"
    )
    folds: Annotated[
        int, Field(description="In so many parts records are predicted (2 or more).", ge=2)
    ] = 5
    sample: SampleSize = 20_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Learn from both data sets and predict the original records."""
        held = _held(original, protected)
        targets = _targets(original, self.target)
        rows = drawn_together(original, protected, self.sample, self.seed)
        sides = self._sides(original, protected, rows, held)
        compared = ((name, self._compared(sides, held, name)) for name in targets)
        found = {name: one for name, one in compared if len(one.weights)}
        if not found:
            why = "there is no record whose category could be predicted"
            return Measurement(self.name, self.family, None, why, parameters=self.parameters())
        worst = max(found, key=lambda name: found[name].loss)
        return Measurement(
            self.name,
            self.family,
            found[worst].loss,
            f"{worst} is predicted with accuracy {show(found[worst].after)} after learning from "
            f"protected and {show(found[worst].before)} from original records"
            f"{told(len(rows[0]), len(original)) or told(len(rows[1]), len(protected))}",
            parts={name: one.loss for name, one in found.items()},
            parameters=self.parameters(),
            figures=found[worst].figures(),
            interval=found[worst].interval(len(found)),
        )

    def _sides(
        self, original: Dataset, protected: Dataset, rows: tuple[Ints, Ints], held: list[str]
    ) -> _Sides:
        """Take the samples, and tell in which fold each record is predicted."""
        known, released = original.take(rows[0]), protected.take(rows[1])
        shuffled = np.random.default_rng([self.seed, 1]).permutation(len(original))
        # By the numbers in the source, so that the order of the records does not matter.
        folds = shuffled[np.argsort(np.argsort(original.source_rows))] % self.folds
        is_known = protected.descends_from(original) or are_paired(original, protected)
        if not (is_known or protected.is_synthetic):
            # Nobody knows which records belong together: no protected record is held back.
            return _Sides(known, known, released, folds[rows[0]], np.full(len(released), -1))
        seen = recoded_alike([known], original, released, held)[0]
        return _Sides(known, seen, released, folds[rows[0]], folds[paired_rows(original, released)])

    def _compared(self, sides: _Sides, held: list[str], name: str) -> _Compared:
        """Predict one attribute, learning from each of the two data sets."""
        told, left = ([n for n in names if n != name] for names in (_told(sides.known), held))
        if not left:
            raise InputError(f"`{name}` is the only attribute in both data sets; nothing tells it.")
        truth, taught = _labels(sides.known, sides.released, name)
        (own,) = splittable(features([sides.known], told))
        seen, released = splittable(features([sides.seen, sides.released], left))
        weights = mean_weights(sides.known)
        known = _Taught(own, truth, weights, sides.folds)
        masked = _Taught(released, taught, mean_weights(sides.released), sides.released_folds)
        before, after = (
            self._predicted(source, targets, sides.folds) == truth
            for source, targets in ((known, own), (masked, seen))
        )
        there = ~np.isnan(truth)
        return _Compared(before[there], after[there], truth[there], weights[there])

    def _predicted(self, source: _Taught, targets: Floats, folds: Ints) -> Floats:
        """Predict the records of every fold by the others; NaN where there are none."""
        predicted = np.full(len(targets), np.nan)
        known = ~np.isnan(source.labels)
        for fold in range(self.folds):
            rows, asked = known & (source.folds != fold), folds == fold
            if rows.any() and asked.any():
                part = source.matrix[rows], source.labels[rows], source.weights[rows]
                labels, chances = probabilities(self.evaluator, *part, targets[asked])
                predicted[asked] = labels[chances.argmax(axis=1)]
        return predicted


class _Sides(NamedTuple):
    """Samples of the two data sets, and in which fold each record is predicted."""

    known: Dataset
    seen: Dataset  # the original records, coded as the release is
    released: Dataset
    folds: Ints
    released_folds: Ints  # those of the original records that the protected ones come from


class _Taught(NamedTuple):
    """What a classifier learns from."""

    matrix: Floats
    labels: Floats  # NaN where blank
    weights: Floats
    folds: Ints


@dataclass(frozen=True, eq=False)
class _Compared:
    """Which records were predicted rightly after learning from original and protected data."""

    right_before: Mask
    right_after: Mask
    truth: Floats
    weights: Floats

    @property
    def before(self) -> float:
        return float(np.average(self.right_before, weights=self.weights))

    @property
    def after(self) -> float:
        return float(np.average(self.right_after, weights=self.weights))

    @property
    def loss(self) -> float:
        return max(self.before - self.after, 0.0)

    def figures(self) -> dict[str, Number | None]:
        majority = float(np.bincount(self.truth.astype(np.int64), self.weights).max())
        majority /= float(self.weights.sum())
        return {
            "accuracy_original": self.before,
            "accuracy_protected": self.after,
            "majority": majority,
            "relative_loss": self.loss / self.before if self.before else None,
        }

    def interval(self, statements: int) -> Interval:
        """Return where the loss lies when the largest of some is told."""
        from scipy.special import ndtri

        gap = self.right_before.astype(np.float64) - self.right_after
        middle = float(np.average(gap, weights=self.weights))
        error = length(self.weights * (gap - middle)) / float(self.weights.sum())
        reach = -float(ndtri((1 - CONFIDENCE) / (2 * statements))) * error
        return Interval(max(middle - reach, 0.0), min(max(middle + reach, 0.0), 1.0), CONFIDENCE)


def _told(original: Dataset) -> list[str]:
    """Return the attributes that can be learnt from."""
    return shared([original])[:MOST]


def _held(original: Dataset, protected: Dataset) -> list[str]:
    """Return those of them that the protected data hold."""
    held = [name for name in _told(original) if name in protected.attributes]
    if not held:
        raise InputError("The protected data hold no attribute that could be learnt from.")
    return held


def _targets(original: Dataset, asked: str | None) -> list[str]:
    """Return the attributes to predict."""
    names = shared([original])
    if asked is not None:
        if original.attribute(asked).name not in names:
            raise InputError(f"`{asked}` tells nothing of respondents; name another target.")
        return [asked]
    categorical = [name for name in of_kind(original, CATEGORICAL) if name in names]
    confidential = [name for name in original.confidential if name in names]
    if confidential:
        return sorted(confidential, key=lambda name: name not in categorical)[:MOST_TARGETS]
    sizes = {name: len(original.column(name).unique().drop_null()) for name in categorical}
    several = [name for name in categorical if sizes[name] > 1]
    return sorted(several, key=sizes.__getitem__)[:1] or names[:1]


def _labels(known: Dataset, released: Dataset, name: str) -> tuple[Floats, Floats]:
    """Return the category of every record, numbered alike; NaN where it is blank."""
    if not is_numeric([known], name):
        return _categories(known, released, name)
    (before,) = numbers([known], name)
    middle = quantiles(before, known.weight, np.array([0.5]))[0]
    after = np.full(len(released), np.nan)
    if name in released.attributes and is_numeric([known, released], name):
        (after,) = numbers([released], name)
    ours, theirs = (np.where(np.isnan(v), np.nan, v > middle) for v in (before, after))
    return ours, theirs


def _categories(known: Dataset, released: Dataset, name: str) -> tuple[Floats, Floats]:
    """Return numbers for the original categories, one for the rarer ones and one for all others.

    Were new categories among the rarer ones, a target that was recoded would seem to be met.
    """
    ours, theirs = same_codes(known.column(name), released_in(known, released, name))
    number = np.full(max(part.max(initial=-1) for part in (ours, theirs)) + 2, CATEGORIES + 1.0)
    number[ours] = features([known], [name]).matrices[0][:, 0]
    number[-1] = np.nan  # of blanks
    return number[ours], number[theirs]
