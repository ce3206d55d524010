"""Locally suppressed: keys are blank where their combination would be rare."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.attacks.clues.equal_groups import no_rare_one
from tacita.attacks.clues.guess import REPORTED, Guess
from tacita.attacks.clues.values import CATEGORIES
from tacita.data.classes import Mask
from tacita.data.dataset import Dataset
from tacita.results import counted, listed

PAIR, FEW = 2, 5


def look(data: Dataset) -> Iterator[Guess]:
    """Find blanks that stand where combinations of keys are rare.

    Blanks that have nothing to do with the keys make combinations rare: that none is, is as
    unlikely as `equal_groups` says. Where some are, records with a blank are compared with the
    others by how many share their other keys (the test of Mann and Whitney).
    """
    blank = {name: np.asarray(data.column(name).is_null()) for name in data.keys}
    blank = {name: mask for name, mask in blank.items() if mask.any()}
    sets = _sets(data, list(blank))
    tried = [_tested(data, keys, blank) for keys in sets if blank and len(keys) >= PAIR]
    if tried:
        chance, k, fewest = min(tried)
        if chance * len(tried) <= REPORTED:
            yield _guess(blank, k, fewest, chance * len(tried))


def _sets(data: Dataset, blanked: list[str]) -> list[tuple[str, ...]]:
    """Return the sets of keys that may have been looked at: all, categories, those with blanks."""
    categories = [key for key in data.keys if data.attribute(key).kind in CATEGORIES]
    return list(dict.fromkeys(map(tuple, (data.keys, categories, blanked))))


def _tested(data: Dataset, keys: tuple[str, ...], blank: dict[str, Mask]) -> tuple[float, int, int]:
    """Return how likely the blanks are by chance, and the fewest alike: of all, with blanks."""
    classes = data.classes(keys)
    there = {name: mask for name, mask in blank.items() if name in keys}
    if not there:
        return 1.0, 0, 0
    some = np.logical_or.reduce(list(there.values()))
    counts = classes.counts[np.unique(classes.of_record[some])]
    chances = [no_rare_one(counts), *(_rarer(data, keys, *one) for one in there.items())]
    return min(chances) * len(chances), classes.smallest, int(counts.min())


def _guess(blank: dict[str, Mask], k: int, fewest: int, chance: float) -> Guess:
    some = np.logical_or.reduce(list(blank.values()))
    cells = int(sum(np.count_nonzero(mask) for mask in blank.values()))
    told = (
        f"{counted(cells, 'blank')} of {listed(list(blank))} in {np.count_nonzero(some):,} of "
        f"{len(some):,} records"
    )
    return Guess(
        "local_suppression",
        tuple(blank),
        {"k": k} if k >= PAIR else {},
        f"{told}; with them every combination of keys occurs at least {fewest} times"
        if fewest >= PAIR
        else f"{told}, whose other keys are rarer than those of the other records",
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
