"""Predictors: attributes cut into bins whose order tells something of a target."""

from __future__ import annotations

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.microdata.synthesis.making.columns import Column, runs
from tacita.microdata.synthesis.making.ordering import mean_class, principal_scores, shared_counts

MOST_BINS = 256
MOST_CLASSES = 64  # of categories that a tree tells apart in its target
MOST_RUNS = 16  # of ordered values


def target_classes(column: Column) -> Ints:
    """Return the class that every code of a target counts as while its tree is grown."""
    return column.classes(MOST_RUNS if column.is_ordered else MOST_CLASSES)


def bins_for(predictor: Column, target: Column, classes: Ints, weights: Floats) -> Ints:
    """Return the bin of every code of a predictor in the tree of a target.

    Ordered values keep their order. Categories are put in the order of their mean class if the
    target is ordered, else of the first principal component of their class shares.

    Args:
        predictor: what divides records.
        target: what is to be told.
        classes: the class of every code of the target.
        weights: how much every record counts.
    """
    if predictor.is_ordered:
        return runs(predictor.counts, MOST_BINS)
    table = shared_counts(predictor, classes, target, weights)
    scores = mean_class(table) if target.is_ordered else principal_scores(table)
    order = np.argsort(scores, kind="stable")
    bins = np.empty(len(order), np.int64)
    bins[order] = np.arange(len(order)) * MOST_BINS // max(len(order), MOST_BINS)
    return bins
