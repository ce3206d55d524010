"""Assignment: an intruder's best guess at which records of two files belong together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacita.data.classes import Ints
from tacita.data.content_order import content_order
from tacita.data.dataset import FROM_NOBODY, Dataset
from tacita.data.pairing import ASSIGNMENT, PairBy, as_pair, paired_as, refuse_attribute
from tacita.data.read import as_dataset
from tacita.errors import InputError
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.nearness import spread_of
from tacita.microdata.comparing.representation import common_codes
from tacita.microdata.risk.linking.distances import Ranges, of_originals, parts_of
from tacita.microdata.risk.linking.nearest_records import Metric, Search
from tacita.microdata.risk.linking.pairing import assigned

EXACTLY = 4_000  # records to assign up to which all pairs are looked at: 0.13 GB


def as_attacked(original: Any, protected: Any, by: PairBy | None = None) -> tuple[Dataset, Dataset]:
    """Take two files as `as_pair` does; with `assignment`, paired as an intruder would guess.

    Raises:
        InputError: the records cannot be paired in the way that is said.
    """
    if by != ASSIGNMENT or protected is original:
        return as_pair(original, protected, by)
    before = as_dataset(original)
    after = as_dataset(protected, like=before)
    refuse_attribute(before, after, ASSIGNMENT)
    return before, paired_as(before, after, ASSIGNMENT, lambda: best_assignment(before, after))


def best_assignment(original: Dataset, protected: Dataset) -> Ints:
    """Return the original record that an intruder takes for each released one's.

    No original record is taken twice, and the sum of the distances over all attributes of both
    files is as small as can be: records that agree in everything are taken for each other, which
    never makes the sum of the others larger; of more than 4,000 others, each is taken for one of
    its 20 nearest where that is possible. Numbers and dates count in standard deviations, between
    the ends of an interval nothing; categories by the hierarchy, if there is one, else they are the
    same or not; blanks and labels that nobody explains tell nothing. Identifiers, weights and
    households are not compared. Neither file's order plays a part.

    >>> import tacita as ta
    >>> data = ta.example("census", 50)
    >>> mixed = data.take(np.random.default_rng(1).permutation(50))
    >>> bool((best_assignment(data, mixed) == mixed.rows).all())
    True

    Raises:
        InputError: there are more released records than original ones, or nothing to compare.
    """
    if len(protected) > len(original):
        raise InputError(
            f"The release has {len(protected):,} records and the original {len(original):,}, so "
            "that they cannot be assigned one to one; say with `pair_by` which belong together."
        )
    names = shared([original, protected])
    if not names:
        raise InputError(
            "The files share no attribute by which an intruder could assign their records; say "
            "with `pair_by` which belong together."
        )
    ours, theirs = content_order(original), content_order(protected)
    before, after = original.take(ours), protected.take(theirs)
    rows = _alike(before, after, names)
    left = np.flatnonzero(rows == FROM_NOBODY)
    if len(left):
        free = np.setdiff1d(np.arange(len(before)), rows)
        rows[left] = free[_nearest(before, free, after.take(left), names)]
    found = np.empty(len(after), np.int64)
    found[theirs] = ours[rows]
    return found


def agreeing(original: Dataset, protected: Dataset, rows: Ints) -> int:
    """Count the released records that agree with some original ones in all that both files hold."""
    agree = np.ones(len(protected), np.bool_)
    for name in shared([original, protected]):
        known, released = common_codes(original.column(name), protected.column(name))
        agree &= known[rows] == released
    return int(agree.sum())


def _alike(original: Dataset, protected: Dataset, names: Sequence[str]) -> Ints:
    """Return for every released record an original one that agrees with it; -1 if none is left."""
    from tacita.kernels.grouping import group

    codes = (common_codes(original.column(name), protected.column(name)) for name in names)
    ids = group([np.concatenate(both) for both in codes]).ids
    known, released = np.split(ids, [len(original)])
    of_turn = {both: row for row, both in enumerate(zip(known, _turns(known), strict=True))}
    turns = zip(released, _turns(released), strict=True)
    return np.array([of_turn.get(both, FROM_NOBODY) for both in turns], np.int64)


def _turns(ids: Ints) -> Ints:
    """Return how many earlier records are in the same group as each."""
    order = np.argsort(ids, kind="stable")
    starts = np.flatnonzero(np.diff(ids[order], prepend=-1))
    turns = np.empty(len(ids), np.int64)
    turns[order] = np.arange(len(ids)) - np.repeat(starts, np.diff(np.append(starts, len(ids))))
    return turns


def _nearest(original: Dataset, free: Ints, protected: Dataset, names: Sequence[str]) -> Ints:
    """Assign released records to those that are free; returns their places among these."""
    parts = parts_of(original, protected, None, np.arange(len(protected)), names)
    scales = {part.name: _scale(part) for part in parts if isinstance(part, Ranges)}
    parts = [of_originals(part, free) for part in parts]
    nobody = np.zeros(len(protected), np.int64)  # where to look first; nobody knows better
    search = Search.of(parts, Metric(2, scales, {}), nobody)
    return assigned(search, np.random.default_rng(0), exactly=len(free) <= EXACTLY)


def _scale(part: Ranges) -> float:
    return part.length or spread_of(part.known) or 1.0
