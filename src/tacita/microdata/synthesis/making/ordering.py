"""Categories in the order that tells most of something else."""

from __future__ import annotations

import numpy as np

from tacita.arithmetic import eigh, product
from tacita.data.classes import Floats, Ints
from tacita.microdata.synthesis.making.columns import Column


def shared_counts(one: Column, classes: Ints, other: Column, weights: Floats) -> Floats:
    """Count the records of every code of an attribute in each class of another.

    Args:
        one: the attribute whose codes are the rows.
        classes: the class of every code of the other attribute; they are the columns.
        other: that attribute.
        weights: how much every record counts.
    """
    number = int(classes.max(initial=0)) + 1
    cells = one.codes * number + classes[other.codes]
    counts: Floats = np.bincount(cells, weights, one.size * number).astype(np.float64)
    return counts.reshape(-1, number)


def principal_scores(table: Floats) -> Floats:
    """Return for every row the first principal component of its shares of the columns.

    Among all numbers that are sums over columns, it differs most between the rows. Of two columns,
    no division of the rows into two sets is better than the best one in that order.

    >>> principal_scores(np.array([[9.0, 1.0], [0.0, 10.0], [5.0, 5.0]])).argsort().tolist()
    [0, 2, 1]
    """
    totals = table.sum(axis=1)
    shares = table / np.where(totals > 0, totals, 1.0)[:, None]
    centred = shares - (totals[:, None] * shares).sum(axis=0) / max(totals.sum(), 1.0)
    vector = _first_direction(centred * np.sqrt(totals)[:, None])
    # Of the two directions that serve as well, always the same is taken.
    vector *= -np.sign(vector[np.abs(vector).argmax()]) or 1.0
    return np.asarray(product(centred, vector))


def _first_direction(rows: Floats) -> Floats:
    """Return the direction in which rows differ most from 0, from the smaller of two matrices."""
    if len(rows) < rows.shape[1]:
        among = eigh(product(rows, rows.T))[1][:, -1]
        return np.asarray(product(rows.T, among))
    return np.asarray(eigh(product(rows.T, rows))[1][:, -1])


def mean_class(table: Floats) -> Floats:
    """Return for every row the mean number of its columns; 0 of an empty row.

    >>> mean_class(np.array([[1.0, 1.0], [0.0, 3.0], [0.0, 0.0]])).tolist()
    [0.5, 1.0, 0.0]
    """
    totals = table.sum(axis=1)
    sums = (table * np.arange(table.shape[1])).sum(axis=1)
    return np.asarray(sums / np.where(totals > 0, totals, 1.0))
