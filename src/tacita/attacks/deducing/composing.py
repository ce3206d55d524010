"""Composing: what several releases of one file say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Kind
from tacita.data.classes import EquivalenceClasses, Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.microdata.comparing.coverage import coverage, distinct
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.nearness import points
from tacita.microdata.risk.linking.links import Links

MASKED_ANEW = 1e3  # times as far apart must numbers be that differ in every release
VOTED = (Kind.NOMINAL, Kind.ORDINAL)
HALVED = 20  # times, so that the sum of as many releases as anybody has is a number


def places_in(original: Dataset, release: Dataset) -> Ints:
    """Return where every original record stands in a release; -1 where it does not."""
    places = np.full(len(original), -1, np.int64)
    places[paired_rows(original, release)] = np.arange(len(release))
    return places


@dataclass(frozen=True, eq=False)
class Candidates:
    """The records of a release among which each target is, and their confidential values.

    Args:
        classes: the class of every record: the records released with the same keys.
        values: its confidential value by number, the same in all releases.
        place: the record of every target; -1 where it is not in the release.
        fits: whether the record of every target may stand for what is known of it; nothing
            contradicts one that is not in the release.
    """

    classes: Ints
    values: Ints
    place: Ints
    fits: Mask

    @classmethod
    def of(
        cls,
        original: Dataset,
        release: Dataset,
        names: Sequence[str],
        values: Ints,
        targets: Ints,
    ) -> Candidates:
        """Look targets up by those keys that a release holds.

        Args:
            original: the data before masking.
            release: the release.
            names: the keys the intruder knows.
            values: the confidential value of every record of the release by number.
            targets: the original records to look up.
        """
        known = [name for name in names if name in release.attributes]
        fits = np.ones(len(release), np.bool_)
        for name in known:
            fits &= coverage(original, release, name).holds
        place = places_in(original, release)[targets]
        classes = EquivalenceClasses.of(release, known).of_record
        return cls(classes, values, place, np.append(fits, True)[place])

    @property
    def of_target(self) -> Ints:
        """The class of every target; -1 where it is not in the release."""
        return np.append(self.classes, -1)[self.place]

    @cached_property
    def _in_order(self) -> tuple[Ints, Ints]:
        """The values class by class, and where each class starts."""
        order = np.argsort(self.classes, kind="stable")
        return self.values[order], np.append(0, np.cumsum(np.bincount(self.classes, minlength=1)))

    def values_in(self, number: int) -> tuple[Ints, Floats]:
        """Return the values that occur in a class and how frequent they are there."""
        values, starts = self._in_order
        codes, counts = np.unique(values[starts[number] : starts[number + 1]], return_counts=True)
        return codes, counts / counts.sum()


def together(releases: Sequence[Candidates]) -> Candidates:
    """Join releases whose records stand in one order: a target is where all of them say."""
    from tacita.kernels.grouping import group

    first, place = releases[0], np.arange(len(releases[0].place))
    joint = group([release.of_target for release in releases])
    fits = np.all([release.fits for release in releases], axis=0)
    return Candidates(joint.ids, first.values[first.place], place, fits)


class Learned(NamedTuple):
    """The share of targets of whom only the true value is left, and of whom it is guessed."""

    certain: Fraction | None
    guessed: Fraction | None


def learned(releases: Sequence[Candidates], truth: Ints) -> Learned:
    """Intersect the values that each target may have by each release.

    The guess is the value left with the largest product of frequencies; one of equals is picked at
    random. Of a target whose record does not fit in some release, nothing true is learned.

    Args:
        releases: the releases.
        truth: the value of every target; -1 for a blank, which cannot be learned.
    """

    @cache
    def left(*classes: int) -> tuple[frozenset[int], int]:
        pairs = zip(releases, classes, strict=True)
        return _left([release.values_in(one) for release, one in pairs if one >= 0])

    rows = np.column_stack([release.of_target for release in releases]).tolist()
    found = [left(*row) for row in rows]
    if not found:
        return Learned(None, None)
    fits = np.all([release.fits for release in releases], axis=0)
    meant = np.where(fits, truth, -1).tolist()
    right = [int(value in near) for (near, _), value in zip(found, meant, strict=True)]
    certain = sum(is_right for is_right, (_, size) in zip(right, found, strict=True) if size == 1)
    ties = np.array([max(len(near), 1) for near, _ in found])
    guesses = Links(np.array(right), ties, len(found))
    return Learned(Fraction(certain, len(found)), guesses.expected / len(found))


def _left(sets: Sequence[tuple[Ints, Floats]]) -> tuple[frozenset[int], int]:
    """Return the likeliest of the values that are in all sets, and how many are left."""
    codes, weights = sets[0]
    for others, shares in sets[1:]:
        codes, mine, theirs = np.intersect1d(codes, others, True, return_indices=True)
        weights = weights[mine] * shares[theirs]
    near = weights >= weights.max(initial=0.0) * (1 - 1e-9)
    # A blank is a value that may be, but not one to guess.
    return frozenset(codes[near].tolist()) - {-1}, len(codes)


def nearest_rows(protected: Dataset, release: Dataset) -> Ints:
    """Link records of one release to the nearest of another one, by all that both hold.

    Numbers all of which occur in the other release were hardly masked anew; those that do not count
    only where these leave a choice.
    """
    names = shared([protected, release])
    if not names or not len(release):
        return np.full(len(protected), -1, np.int64)
    ours, theirs = points([protected, release], names)
    pairs = zip(ours.numbers.T, theirs.numbers.T, strict=True)
    is_held = np.array([_is_held(*pair) for pair in pairs], np.bool_)
    if is_held.any():
        ours = replace(ours, spreads=np.where(is_held, 1.0, MASKED_ANEW) * ours.spreads)
    return ours.closest(theirs)[1]


def _is_held(some: Floats, others: Floats) -> bool:
    """Tell whether all of some numbers, blanks apart, are among others."""
    return bool(np.isin(some[~np.isnan(some)], others).all())


def merged(
    protected: Dataset, releases: Sequence[tuple[Dataset, Ints]], names: Sequence[str]
) -> Dataset:
    """Return released records with what several releases say of them: means, and majorities.

    Args:
        protected: the records.
        releases: other releases, each with the place of every one of the records; -1 if not there.
        names: the attributes.
    """
    for name in names:
        beside = [
            (release, places)
            for release, places in releases
            if name in release.attributes and _is_alike(protected, release, name)
        ]
        if beside and protected.attribute(name).kind is Kind.CONTINUOUS:
            values = _mean([protected.numbers(name), *(_numbers(r, name, p) for r, p in beside)])
            column = pa.array(values, mask=np.isnan(values))
            protected = protected.with_column(protected.attribute(name), column)
        elif beside and protected.attribute(name).kind in VOTED:
            columns = [_taken(release, name, places) for release, places in beside]
            column = _majority([protected.column(name), *columns])
            protected = protected.with_column(protected.attribute(name), column)
    return protected


def _is_alike(protected: Dataset, release: Dataset, name: str) -> bool:
    mine, theirs = protected.attribute(name).kind, release.attribute(name).kind
    same = protected.column(name).type == release.column(name).type
    return mine is theirs and (mine is Kind.CONTINUOUS or same)


def _numbers(release: Dataset, name: str, places: Ints) -> Floats:
    return np.append(release.numbers(name), np.nan)[places]


def _taken(release: Dataset, name: str, places: Ints) -> pa.Array:
    return release.column(name).take(pa.array(places, mask=places < 0))


def _mean(columns: Sequence[Floats]) -> Floats:
    known = np.column_stack(columns)
    count = np.count_nonzero(~np.isnan(known), axis=1)
    # Halved often enough, which loses no digit, numbers have a sum however large they are.
    total = np.nansum(np.ldexp(known, -HALVED), axis=1)
    mean = np.ldexp(total / np.maximum(count, 1), HALVED)
    return np.where(count > 0, mean, np.nan)


def _majority(columns: Sequence[pa.Array]) -> pa.Array:
    """Return the value that most columns have in each place; of equals that of the first."""
    codes, values = distinct(pa.concat_arrays(columns))
    votes = codes.reshape(len(columns), -1)
    blank = np.array([value is None for value in values.to_pylist()], np.bool_)
    counts = np.array([np.count_nonzero(votes == vote, axis=0) for vote in votes])
    counts = np.where(blank[votes], 0, counts)
    rows = np.argmax(counts, axis=0) * votes.shape[1] + np.arange(votes.shape[1])
    return pa.concat_arrays(columns).take(pa.array(rows))
