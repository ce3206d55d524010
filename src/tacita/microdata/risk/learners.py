"""What an intruder learns: guesses of confidential values, and how much better they became."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError, load_extra
from tacita.microdata.comparing.confidence import CONFIDENCE
from tacita.microdata.comparing.nearness import (
    codes,
    holdout_of,
    is_numeric,
    numbers,
    of_moderate_size,
    spread_of,
)
from tacita.microdata.comparing.sampling import drawn

LEAVES = (1, 20)  # the least number of records in a leaf: one remembers, the other generalizes
LARGEST = 2**24  # records times categories that a tree of classes learns in seconds


@dataclass(frozen=True, eq=False)
class Secret:
    """The values of a confidential attribute, in the order of the data sets they are of.

    Categories are numbered alike in all data sets; a blank is NaN. A guess is right when it is not
    farther from the truth than the tolerance, which is 0 for categories.

    Args:
        numeric: whether the values are numbers, or dates in days.
        values: the values of each data set.
        tolerance: how far from the truth a right guess may be.
    """

    numeric: bool
    values: tuple[Floats, ...]
    tolerance: float

    @classmethod
    def of(cls, datasets: Sequence[Dataset], name: str, width: float) -> Secret:
        """Read an attribute; numbers may be missed by `width` deviations of the first data set."""
        if not is_numeric(datasets, name):
            coded = (np.where(one < 0, np.nan, one) for one in codes(datasets, name))
            return cls(False, tuple(coded), 0.0)
        # Trees take very small numbers for equal, and squares of very large ones have no double.
        values = of_moderate_size(np.concatenate(numbers(datasets, name)))
        parts = np.split(values, np.cumsum([len(data) for data in datasets])[:-1])
        return cls(True, tuple(parts), width * spread_of(parts[0], datasets[0].weight))

    @property
    def categories(self) -> int:
        """The number of categories; 0 for numbers."""
        known = [part[~np.isnan(part)].max(initial=-1.0) for part in self.values]
        return 0 if self.numeric else int(max(known)) + 1

    def hits(self, guesses: Floats, truth: Floats) -> Mask:
        """Tell which guesses are right; one of a blank never is."""
        return np.asarray(np.abs(guesses - truth) <= self.tolerance)

    def usual(self, place: int) -> float:
        """Return the best guess of those who know nothing of a respondent: the median or mode."""
        known = self.values[place][~np.isnan(self.values[place])]
        if not len(known):
            return float("nan")
        if self.numeric:
            return float(np.median(known))
        return float(np.argmax(np.bincount(known.astype(np.int64))))

    def usual_in(self, place: int, ids: Ints, groups: int) -> Floats:
        """Return the best guess in each of some groups of records; NaN where all are blank.

        Of numbers it is the (lower) median; of categories the most frequent, the first of several.
        """
        known = np.flatnonzero(~np.isnan(self.values[place]))
        values, owners = self.values[place][known], ids[known]
        if not self.numeric:
            pairs, counts = np.unique(np.column_stack([owners, values]), axis=0, return_counts=True)
            # The last that is written stays: the most frequent, of several the first.
            order = np.lexsort([-pairs[:, 1], counts])
            owners, values = pairs[order, 0].astype(np.int64), pairs[order, 1]
            guesses = np.full(groups, np.nan)
            guesses[owners] = values
            return guesses
        order = np.lexsort([values, owners])
        sizes = np.bincount(owners, minlength=groups)
        middle = np.cumsum(sizes) - sizes + (sizes - 1) // 2
        return np.where(
            sizes > 0, np.append(values[order], np.nan)[np.where(sizes, middle, -1)], np.nan
        )


def learnt(secret: Secret, place: int, targets: Ints) -> Ints:
    """Return the records that trees learn from: those of a data set whose value is not blank.

    A tree keeps a number for every category in every node. Of too many, it learns a part, with the
    targets' own records among them: to leave those out would hide what the release tells.

    Args:
        secret: the values to learn.
        place: the data set to learn from.
        targets: the records of the first data set that are to be predicted.
    """
    values = secret.values[place]
    known = np.flatnonzero(~np.isnan(values))
    most = LARGEST // max(secret.categories, 1)
    if len(known) <= most:
        return known
    # Records belong together one by one where there are as many of them.
    own = targets if len(values) == len(secret.values[0]) else targets[:0]
    return np.union1d(known[drawn(len(known), most, seed=0)], np.intersect1d(own, known))


def predictions(secret: Secret, place: int, features: Sequence[Floats], rows: Ints) -> list[Floats]:
    """Return what decision trees predict for targets, one array for every size of their leaves.

    Args:
        secret: the values to learn.
        place: the data set to learn from.
        features: what is known of the records of every data set.
        rows: the records of the first data set that are to be predicted.
    """
    known = learnt(secret, place, rows)
    if not len(known) or not len(rows) or not features[0].shape[1]:
        return []
    trees = load_extra("sklearn.tree", "learning")
    tree = trees.DecisionTreeRegressor if secret.numeric else trees.DecisionTreeClassifier
    with warnings.catch_warnings():
        # Of many categories it is said that they may be numbers.
        warnings.simplefilter("ignore")
        fitted = [
            tree(min_samples_leaf=leaf, random_state=0).fit(
                features[place][known], secret.values[place][known]
            )
            for leaf in LEAVES
        ]
    return [np.asarray(one.predict(features[0][rows]), np.float64) for one in fitted]


def gain(after: Fraction | float, before: Fraction) -> Fraction:
    """Return what share of the guesses that were wrong before are right now; 0 if none is.

    >>> gain(Fraction(3, 4), Fraction(1, 2)), gain(Fraction(1, 4), Fraction(1, 2))
    (Fraction(1, 2), Fraction(0, 1))
    """
    left = 1 - before
    return max(Fraction(0), (Fraction(after) - before) / left) if left > 0 else Fraction(0)


def confidential_in(
    original: Dataset, protected: Dataset, asked: Sequence[str] | None
) -> list[str]:
    """Return the confidential attributes, or those asked for, that both files hold.

    Raises:
        InputError: there are none, or a holdout lacks some.
    """
    names = protected.confidential if asked is None else asked
    held = [n for n in names if n in protected.attributes and n in original.attributes]
    if not held:
        raise InputError(
            "The protected data hold no confidential attribute; say which `attributes` to guess."
        )
    if original.external.holdout is not None:
        holdout_of(original, held)
    return held


def keys_in(
    original: Dataset, protected: Dataset, asked: Sequence[str] | None, but: str
) -> list[str]:
    """Return the keys, or those asked for, that both files hold, without one attribute.

    Raises:
        InputError: nobody said which attributes an intruder knows, or a holdout lacks some.
    """
    names = protected.keys if asked is None else asked
    if not names:
        protected.classes(names)
    held = [n for n in names if n in protected.attributes and n in original.attributes]
    known = [name for name in held if name != but]
    if original.external.holdout is not None:
        holdout_of(original, known)
    return known


def simultaneous(statements: int) -> float:
    """Return the confidence of each of some statements of which the worst is told."""
    return 1 - (1 - CONFIDENCE) / max(statements, 1)
