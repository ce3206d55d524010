"""Arranging: two files in an order that follows from what is in their records alone.

Sums of floating-point numbers, samples, folds and trees depend on the order of records. What is
computed of arranged files does not: a common reordering of both gives the same arrays again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacita.data.classes import Ints
from tacita.data.content_order import Digests, alike_in, contents_of
from tacita.data.dataset import Dataset
from tacita.data.pairing import are_paired, paired_rows


class Arranged(NamedTuple):
    """Two files in the order of their contents.

    Args:
        original: the original data.
        protected: the protected data.
        order: where each protected record stood before.
        original_order: where each original record stood before.
    """

    original: Dataset
    protected: Dataset
    order: Ints
    original_order: Ints


def arranged(original: Dataset, protected: Dataset) -> Arranged:
    """Return two files in the order of their contents; records that are paired stay so.

    Protected records stand in the order of their values, then of those of the original records they
    come from; original records beside them if each comes into the release once, else in the order
    of their own values. Of files of which nobody knows the pairs, both stand first in the order of
    what they have alike, so that what is summed of attributes that were not masked is the same.
    Records that differ in nothing are alike in any order. The last answer is kept with the
    protected data: many measures ask for the same two files.

    >>> import tacita as ta
    >>> data = ta.example("toy", 20)
    >>> masked = data.apply(ta.AddNoise("income", alpha=0.5), seed=1)
    >>> mixed = np.random.default_rng(0).permutation(20)
    >>> one, other = arranged(data, masked), arranged(data.take(mixed), masked.take(mixed))
    >>> one.protected.table.equals(other.protected.table)
    True
    """
    kept = protected.__dict__.get("_arranged")
    if kept is not None and kept[0] is original:
        found: Arranged = kept[1]
        return found
    found = _arranged(original, protected)
    for first, last in ((original, protected), found[:2]):
        here = found
        if first is not original:
            here = Arranged(*found[:2], np.arange(len(last)), np.arange(len(first)))
        # A cache, as that of the equivalence classes: no copy of the data takes it along.
        last.__dict__["_arranged"] = (first, here)
    return found


def order_of_contents(original: Dataset, protected: Dataset) -> Ints:
    """Return where each protected record of arranged files stands.

    >>> import tacita as ta
    >>> data = ta.example("toy", 20)
    >>> mixed = np.random.default_rng(0).permutation(20)
    >>> one, other = order_of_contents(data, data), order_of_contents(data, data.take(mixed))
    >>> bool((one == mixed[other]).all())
    True
    """
    kept = protected.__dict__.get("_order_of_contents")
    if kept is None or kept[0] is not original:
        kept = original, _order(original, protected)
        protected.__dict__["_order_of_contents"] = kept
    found: Ints = kept[1]
    return found


def _arranged(original: Dataset, protected: Dataset) -> Arranged:
    order = order_of_contents(original, protected)
    if original is protected:
        both = original.take(order)
        return Arranged(both, both, order, order)
    beside = _beside(original, protected, order)
    return Arranged(original.take(beside), protected.take(order), order, beside)


def _order(original: Dataset, protected: Dataset) -> Ints:
    own = contents_of(protected)
    if original is protected:
        return _sorted(own)
    if not are_paired(original, protected):
        alike = alike_in(original, protected)
        return _sorted(own if alike is None else [alike[1], *own])
    rows = paired_rows(original, protected)
    return _sorted([*own, *(digests[rows] for digests in contents_of(original))])


def _beside(original: Dataset, protected: Dataset, order: Ints) -> Ints:
    """Return the order of the original records."""
    if are_paired(original, protected):
        rows = paired_rows(original, protected)
        if len(rows) == len(original) == len(np.unique(rows)):
            return rows[order]
        return _sorted(contents_of(original))
    alike, own = alike_in(original, protected), contents_of(original)
    return _sorted(own if alike is None else [alike[0], *own])


def _sorted(digests: list[Digests]) -> Ints:
    order: Ints = np.lexsort(digests[::-1])
    return order
