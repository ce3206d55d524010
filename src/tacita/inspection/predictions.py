"""Which attributes give a key away: protecting the key then needs protecting them, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

import numpy as np

from tacita.data.classes import Ints
from tacita.inspection.columns import Codes, Column

SAMPLED = 20_000  # records on which an attribute is tried
TELLING = 10  # records a value has in the sample, at least, for a sample of records to show much
WEIGHED = 50_000  # pairs of attributes whose counts are compared at most
TRIED = 4_000  # pairs of attributes that are tried at most
NEARLY = Fraction(9, 10)  # the least lambda that is reported
PROMISING = Fraction(8, 10)  # the least lambda on the sample that is counted on all records


class Prediction(NamedTuple):
    """How well an attribute tells a key; the number is exact, on all records.

    Args:
        attribute: the attribute that tells.
        key: the key that is told.
        strength: Goodman and Kruskal's lambda: the share of the wrong guesses of the key that
            knowing the attribute spares.
    """

    attribute: str
    key: str
    strength: Fraction


def goodman_kruskal(attribute: Codes, key: Codes) -> Fraction | None:
    """Return Goodman and Kruskal's lambda of a key given an attribute, each record left out.

    A record's key is guessed from the *other* records with its value of the attribute: the key
    most of them have, provided that no other is as frequent. A value that only one record has
    predicts nothing; otherwise a running number would predict everything. None for a key with one
    value, which needs no guessing.

    >>> goodman_kruskal(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    Fraction(1, 1)
    """
    from tacita.kernels.grouping import group

    records, modal = len(key), int(np.bincount(key).max()) if len(key) else 0
    if records == modal:
        return None
    pairs = group([attribute, key])
    most, second = _two_largest(attribute[pairs.first], pairs.counts)
    right = int(most[most - 1 > second].sum())
    return Fraction(right - modal, records - modal)


def _two_largest(values: Codes, counts: Ints) -> tuple[Ints, Ints]:
    """Return for each value the largest of its counts, and the second largest."""
    order = np.lexsort((-counts, values))
    values, counts = values[order], counts[order]
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    after = np.minimum(starts + 1, len(values) - 1)
    has_second = (starts + 1 < len(values)) & (values[after] == values[starts])
    return counts[starts], np.where(has_second, counts[after], 0)


def search(
    attributes: Sequence[Column], keys: Sequence[Column]
) -> tuple[tuple[Prediction, ...], list[str]]:
    """Find the attributes that tell a key with a lambda of at least 0.9, the strongest first.

    Pairs are tried on a sample when there are over 20,000 records; what is promising there is
    counted on all of them. Pairs that cannot reach 0.9 by their counts alone are not tried.

    Returns:
        The predictions, and what was not tried, in sentences.
    """
    every = ((a, k) for a in attributes for k in keys if a is not k)
    able = [(a, k) for a, k in islice(every, WEIGHED) if _can_tell(a, k)]
    found = sorted(_found(able[:TRIED]), key=lambda one: (-one.strength, one.key, one.attribute))
    notes = []
    if able and able[0][0].records > SAMPLED:
        notes.append(
            f"What gives a key away was looked for in {SAMPLED:,} records and counted on all."
        )
    if next(every, None) is not None or len(able) > TRIED:
        notes.append(
            "There are too many pairs of attributes to try them all for one that gives a key "
            f"away; {min(len(able), TRIED):,} were tried."
        )
    return tuple(found), notes


def _can_tell(attribute: Column, key: Column) -> bool:
    """Tell whether the counts allow it: each value tells one key, and one of its own none."""
    modal, records = int(key.counts.max()), key.records
    if records == modal:
        return False
    told = key.held_by_most_frequent(int(np.count_nonzero(attribute.counts)))
    shared = records - int(attribute.unique * records)
    return min(told, shared) - modal >= NEARLY * (records - modal)


def _found(pairs: Sequence[tuple[Column, Column]]) -> Iterator[Prediction]:
    rows: dict[str, Ints | None] = {}
    for attribute, key in pairs:
        if attribute.name not in rows:
            rows = {attribute.name: _sample(attribute)}
        chosen = rows[attribute.name]
        if chosen is not None:
            tried = goodman_kruskal(attribute.codes[chosen], key.codes[chosen])
            if tried is None or tried < PROMISING:
                continue
        strength = goodman_kruskal(attribute.codes, key.codes)
        if strength is not None and strength >= NEARLY:
            yield Prediction(attribute.name, key.name, strength)


def _sample(attribute: Column) -> Ints | None:
    """Choose records to try an attribute on; None for all.

    Of an attribute with many values, all records of some values: else hardly any two records of
    the sample would agree, and nothing could be told.
    """
    records, rng = attribute.records, np.random.default_rng(0)
    if records <= SAMPLED:
        return None
    if attribute.distinct * TELLING <= SAMPLED:
        return np.sort(rng.choice(records, SAMPLED, replace=False))
    order = rng.permutation(len(attribute.counts))
    reach = int(np.searchsorted(attribute.counts[order].cumsum(), SAMPLED)) + 1
    chosen = np.zeros(len(attribute.counts), np.bool_)
    chosen[order[:reach]] = True
    return np.flatnonzero(chosen[attribute.codes])
