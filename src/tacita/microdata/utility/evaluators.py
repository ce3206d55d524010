"""Evaluators: fixed models that learn from records, and what they learn from.

Their settings are written down here and nowhere else, so that numbers of different releases can be
compared with one another.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError, load_extra
from tacita.microdata.comparing.features import Features
from tacita.microdata.utility.distributions import weights_of

Tree = Literal["cart", "boosted"]

MOST = 50  # attributes that are learnt from unless others are named
SMALLEST_LEAF = 20  # records
LEAVES = 200  # of a single tree, at most: a leaf has at least this share of the records
BOOSTED = {
    "max_iter": 50,
    "learning_rate": 0.1,
    "max_leaf_nodes": 15,
    "max_bins": 64,
    "early_stopping": False,
    "random_state": 0,
}


def drawn_together(
    original: Dataset, protected: Dataset, sample: int | None, seed: int
) -> tuple[Ints, Ints]:
    """Return the records of a random sample of each of two data sets, in ascending order.

    As far as records belong together, those drawn do: of identical data sets the same are drawn.
    """
    ranks = np.random.default_rng(seed).permutation(max(len(original), len(protected)))
    try:
        rows = paired_rows(original, protected)
    except InputError:
        rows = np.arange(len(protected))
    return _first(ranks[: len(original)], sample), _first(ranks[rows], sample)


def _first(ranks: Ints, sample: int | None) -> Ints:
    if sample is None or len(ranks) <= sample:
        return np.arange(len(ranks))
    return np.sort(np.argsort(ranks, kind="stable")[:sample])


def mean_weights(data: Dataset) -> Floats:
    """Return how much each record counts, 1 on average."""
    weights = weights_of(data)
    return np.asarray(weights / weights.mean()) if len(data) else weights


def splittable(features: Features) -> list[Floats]:
    """Return matrices for trees: numbers as their ranks in all data sets together, blanks as -1.

    Trees only ask which value is larger, and they hold ranks exactly.

    >>> both = Features(("n",), (0,), (np.array([[7.5], [np.nan]]), np.array([[1e300]])))
    >>> [matrix.ravel().tolist() for matrix in splittable(both)]
    [[0.0, -1.0], [1.0]]
    """
    joined = np.concatenate(features.matrices)
    for place, categories in enumerate(features.categories):
        if not categories:
            joined[:, place] = _ranks(joined[:, place])
    return np.split(joined, np.cumsum([len(matrix) for matrix in features.matrices])[:-1])


def _ranks(values: Floats) -> Floats:
    there = ~np.isnan(values)
    ranks = np.full(len(values), -1.0)
    ranks[there] = np.unique(values[there], return_inverse=True)[1]
    return ranks


def probabilities(
    tree: Tree, matrix: Floats, labels: Floats, weights: Floats, targets: Floats
) -> tuple[Floats, Floats]:
    """Return the labels that a tree, or boosted trees, learnt, and the probability of each.

    Both have leaves of at least 20 records and at least 1/200 of them; cart is one tree grown as
    far as that, boosted are 50 steps of trees of 15 leaves.

    Args:
        tree: which of them.
        matrix: the records to learn from, by attributes.
        labels: what to learn of each of them.
        weights: how much each of them counts.
        targets: the records to predict; the probabilities have one row for each.
    """
    classes = np.unique(labels)
    if len(classes) == 1:
        return classes, np.ones((len(targets), 1))
    leaf = max(SMALLEST_LEAF, -(-len(labels) // LEAVES))
    model = _untaught(tree, leaf)
    with _one_thread():
        model.fit(matrix, labels, sample_weight=weights)
        return classes, model.predict_proba(targets)


def _untaught(tree: Tree, leaf: int) -> Any:
    if tree == "cart":
        trees = load_extra("sklearn.tree", "learning")
        return trees.DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0)
    ensemble = load_extra("sklearn.ensemble", "learning")
    return ensemble.HistGradientBoostingClassifier(min_samples_leaf=leaf, **BOOSTED)


def _one_thread() -> Any:
    """Let one thread work: several add up in another order, and round otherwise."""
    return load_extra("threadpoolctl", "learning").threadpool_limits(1)
