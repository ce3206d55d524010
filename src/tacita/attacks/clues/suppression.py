"""Locally suppressed: keys are blank where their combination would be rare."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from tacita.attacks.clues.equal_groups import no_rare_one
from tacita.attacks.clues.guess import REPORTED, Guess
from tacita.attacks.clues.values import APART, CATEGORIES
from tacita.data.classes import Mask
from tacita.data.dataset import Dataset
from tacita.results import counted, listed

PAIR, FEW = 2, 5
MOST_KEYS = 20
PATTERNS = 100


class Tested(NamedTuple):
    """Blanks of some attributes, and what they have to do with rare combinations of all.

    Args:
        chance: how likely they are so by chance.
        k: the fewest records that share a combination; if blanks are rare themselves, that match
            one, where a blank matches anything.
        fewest: the fewest that share a combination with a blank.
        blank: the records where each attribute is blank.
    """

    chance: float
    k: int
    fewest: int
    blank: dict[str, Mask]


def look(data: Dataset) -> Iterator[Guess]:
    """Find blanks that stand where combinations of keys are rare.

    Blanks that have nothing to do with the keys make combinations rare: that none is, is as
    unlikely as `equal_groups` says. Where some are, records with a blank are compared with the
    others by how many share their other keys (the test of Mann and Whitney). Nobody may have said
    which attributes are keys: all categories are taken for them too if blanks, by matching
    anything, leave no combination of these rare.
    """
    tried = [one for keys in _sets(data) if (one := _tested(data, keys)) is not None]
    everything = tuple(dict.fromkeys([*data.keys, *_categories(data)]))
    if PAIR <= len(everything) <= MOST_KEYS and set(everything) != set(data.keys):
        whole = _tested(data, everything)
        tried += [whole] if whole is not None and whole.k >= PAIR else []
    if tried:
        best = min(tried, key=lambda one: one.chance)
        if best.chance * len(tried) <= REPORTED:
            yield _guess(best, best.chance * len(tried))


def _categories(data: Dataset) -> list[str]:
    """Return the attributes of categories that say something of respondents."""
    return [
        name
        for name, one in data.attributes.items()
        if one.kind in CATEGORIES and not any(map(one.is_a, APART))
    ]


def _sets(data: Dataset) -> list[tuple[str, ...]]:
    """Return the sets of keys that may have been looked at: all, categories, those with blanks."""
    categories = [key for key in data.keys if data.attribute(key).kind in CATEGORIES]
    blanked = [key for key in data.keys if data.column(key).null_count]
    sets = dict.fromkeys(map(tuple, (data.keys, categories, blanked)))
    return [keys for keys in sets if len(keys) >= PAIR]


def _tested(data: Dataset, keys: tuple[str, ...]) -> Tested | None:
    """Test what the blanks of some keys have to do with rare combinations; None without blanks."""
    blank = {key: np.asarray(data.column(key).is_null()) for key in keys}
    blank = {key: mask for key, mask in blank.items() if mask.any()}
    if not blank:
        return None
    some = np.logical_or.reduce(list(blank.values()))
    classes = data.classes(keys)
    counts = classes.counts[np.unique(classes.of_record[some])]
    chances = [no_rare_one(counts), *(_rarer(data, keys, *one) for one in blank.items())]
    k = classes.smallest if classes.smallest >= PAIR else _fewest_matched(data, keys)
    return Tested(min(1.0, min(chances) * len(chances)), k, int(counts.min()), blank)


def _fewest_matched(data: Dataset, keys: tuple[str, ...]) -> int:
    """Return the fewest records that any record matches if a blank matches anything.

    One that is blank throughout would match all and protect nobody: then it is 1, as where blanks
    stand in too many patterns to say.
    """
    from tacita.kernels.grouping import group

    if len(keys) > MOST_KEYS:
        return 1
    classes = data.classes(keys)
    first = np.unique(classes.of_record, return_index=True)[1]
    values = [data.classes([key]).of_record[first] for key in keys]
    bits = [np.asarray(data.column(key).is_null())[first] << at for at, key in enumerate(keys)]
    pattern = np.bitwise_or.reduce(bits)
    patterns = np.unique(pattern)
    if len(patterns) > PATTERNS or patterns[-1] == (1 << len(keys)) - 1:
        return 1
    found = np.zeros(len(first), np.int64)
    for mine, theirs in product(patterns, repeat=2):
        own, others = np.flatnonzero(pattern == mine), np.flatnonzero(pattern == theirs)
        both = np.concatenate([own, others])
        told = [one[both] for at, one in enumerate(values) if not (mine | theirs) >> at & 1]
        ids = group(told).ids if told else np.zeros(len(both), np.int64)
        total = np.bincount(ids[len(own) :], classes.counts[others], minlength=len(both))
        found[own] += total[ids[: len(own)]].astype(np.int64)
    return int(found.min())


def _guess(found: Tested, chance: float) -> Guess:
    blank = found.blank
    some = np.logical_or.reduce(list(blank.values()))
    cells = int(sum(np.count_nonzero(mask) for mask in blank.values()))
    told = (
        f"{counted(cells, 'blank')} of {listed(list(blank))} in {np.count_nonzero(some):,} of "
        f"{len(some):,} records"
    )
    rarer = f"{told}, whose other keys are rarer than those of the other records"
    if found.fewest >= PAIR:
        told = f"{told}; with them every combination of keys occurs at least {found.fewest} times"
    elif found.k >= PAIR:
        told = f"{rarer}; if they match anything, nobody matches fewer than {found.k} records"
    else:
        told = rarer
    return Guess(
        "local_suppression",
        tuple(blank),
        {"k": found.k} if found.k >= PAIR else {},
        told,
        chance,
        narrows="a blank hides a value that made its combination rare",
    )


def _rarer(data: Dataset, keys: tuple[str, ...], name: str, blank: Mask) -> float:
    """Return the probability that blank records are by chance so rare in their other keys."""
    others = [key for key in keys if key != name]
    complete = ~np.logical_or.reduce([np.asarray(data.column(key).is_null()) for key in others])
    sizes = data.classes(others).size_of_record
    rare, usual = sizes[blank & complete], sizes[~blank & complete]
    if min(len(rare), len(usual)) < FEW:
        return 1.0
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(rare, usual, alternative="less").pvalue)
