"""Categories gathered: the rare ones first, or those that are alike beside another attribute."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.arithmetic import log
from tacita.data.attribute import Kind
from tacita.data.hierarchies import Hierarchy
from tacita.data.hierarchies.building.halving import LEVELS, by_counts, gaps, halved
from tacita.data.hierarchies.building.values import Floats, Ints, Values, free, tree_of
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError

GATHERED = "(other)"
MOST_CATEGORIES = 1_000  # that are compared with one another
MOST_BESIDE = 50  # categories of the other attribute that are told apart; rarer ones are one
CUTS_BESIDE = 4  # how often the values of an ordered attribute are cut in two


def frequencies(values: Values, levels: int = LEVELS) -> Tree:
    """Gather rare categories first: 2 classes below the root, then 4, then 8.

    A level of 8 classes has the 7 most frequent categories and `(other)` for all others. Categories
    that are equally frequent are kept or gathered together.
    """
    words = values.words
    gathered = free(GATHERED, words)
    above: list[list[str]] = []
    before = len(words)
    for level in range(min(levels, len(words).bit_length()), 0, -1):  # more keep all apart
        labels = _gathered(words, values.counts, 2**level - 1, gathered)
        if 1 < len(set(labels)) < before:
            above.append(labels)
            before = len(set(labels))
    return tree_of(words, above)


def _gathered(words: Sequence[str], counts: Ints, kept: int, gathered: str) -> list[str]:
    """Keep so many of the most frequent categories at most."""
    if kept >= len(words):
        return list(words)
    least = np.sort(counts)[::-1][kept]  # what is no more frequent than the first left out goes too
    return [word if count > least else gathered for word, count in zip(words, counts, strict=True)]


def clustering(values: Values, levels: int = LEVELS, other: Values | None = None) -> Hierarchy:
    """Gather values that lie near: numbers by their gaps, categories beside another attribute.

    Categories are merged two at a time, those first whose merging loses least of what the category
    says of the other attribute: I(category; other) (the agglomerative information bottleneck of
    Slonim & Tishby, NIPS 1999). A class is named after its most frequent category.

    Args:
        values: numbers or, beside another attribute, values of any kind as categories.
        levels: how many levels of classes there are at most: 2 below the root, then 4, then 8.
        other: the values of the other attribute.
    """
    if other is None:
        return gaps(values, levels)
    if len(values) > MOST_CATEGORIES:
        raise HierarchyError(
            f"`clustering` beside another attribute compares {MOST_CATEGORIES:,} categories at "
            f"most; found {len(values):,}. Gather rare ones first, or make `prefixes`."
        )
    words = values.words
    most = min(levels, len(words).bit_length())
    sizes = [2**level for level in range(1, most + 1) if 2**level < len(words)]
    partitions = _merged(_contingency(values, other), sizes)
    return tree_of(words, [_named(words, values.counts, part) for part in partitions])


def _contingency(values: Values, other: Values) -> Floats:
    """Count how often every category meets every class of the other attribute."""
    classes = _classes(other)
    blank = int(classes.max(initial=0)) + 1
    beside = np.append(classes, blank)[other.places]  # -1, a blank, is the last
    there = values.places >= 0
    pairs = values.places[there] * (blank + 1) + beside[there]
    counts = np.bincount(pairs, minlength=len(values) * (blank + 1))
    return counts.reshape(len(values), blank + 1).astype(np.float64)


def _classes(other: Values) -> Ints:
    """Return a class for every value of the other attribute: few enough to be counted in pairs."""
    if other.kind in (Kind.CONTINUOUS, Kind.DATE) and len(other):
        cuts = halved(len(other), CUTS_BESIDE, by_counts(other.counts))
        return np.searchsorted(cuts[0] if cuts else [1], np.arange(len(other)), side="right")
    rank = np.empty(len(other), np.int64)
    rank[np.argsort(-other.counts, kind="stable")] = np.arange(len(other))
    return np.minimum(rank, MOST_BESIDE)


def _merged(rows: Floats, sizes: Sequence[int]) -> list[Ints]:
    """Merge rows two at a time; return the class of each when so many are left, most first."""
    rows, of_row = rows.copy(), np.arange(len(rows))
    loss = np.stack([_losses(row, rows) for row in rows])
    np.fill_diagonal(loss, np.inf)
    found: list[Ints] = []
    for left in range(len(rows), 1, -1):
        if left in sizes:
            found.append(of_row.copy())
        one, two = divmod(int(loss.argmin()), len(rows))  # the first of several: one < two
        rows[one] += rows[two]
        of_row[of_row == two] = one
        loss[two, :] = loss[:, two] = np.inf
        others = np.flatnonzero(np.isfinite(loss[one]))
        loss[one, others] = loss[others, one] = _losses(rows[one], rows[others])
    return found


def _losses(row: Floats, others: Floats) -> Floats:
    """Return what merging a row with each of some others loses of the mutual information."""
    return _spread(row + others) - _spread(row) - _spread(others)


def _spread(counts: Floats) -> Floats:
    """Return the entropy of counts times their sum."""
    total = counts.sum(-1)
    own = counts * log(np.maximum(counts, 1))
    return np.asarray(total * log(np.maximum(total, 1)) - own.sum(-1))


def _named(words: Sequence[str], counts: Ints, classes: Ints) -> list[str]:
    """Name the class of every category after the most frequent one of it."""
    names: dict[int, str] = {}
    for one in np.unique(classes).tolist():
        members = np.flatnonzero(classes == one)
        first = words[int(members[counts[members].argmax()])]
        more = f"{first} and {len(members) - 1} more"
        names[one] = first if len(members) == 1 else free(more, words)
    return [names[one] for one in classes.tolist()]
