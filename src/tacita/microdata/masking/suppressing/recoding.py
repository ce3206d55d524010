"""Recoding before suppression: keys move up their hierarchies as long as that costs less."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from tacita.data.dataset import Dataset
from tacita.microdata.masking.generalize import generalized
from tacita.results import exactly

Levels = Mapping[str, int]


def recoded(data: Dataset, levels: Levels) -> Dataset:
    """Return the data with some attributes moved up their hierarchies."""
    for name, level in levels.items():
        if level:
            data = generalized(data, name, level)
    return data


def recoding_cost(
    data: Dataset, levels: Levels, weights: Mapping[str, float], factor: float
) -> Fraction:
    """Return what moving attributes up costs: of each value `factor` x weight x level / height."""
    total = Fraction(0)
    for name, level in levels.items():
        if level:
            height = data.attribute(name).hierarchy.height  # type: ignore[union-attr]
            known = int(np.count_nonzero(np.asarray(data.column(name).is_valid())))
            total += exactly(factor) * exactly(weights[name]) * Fraction(level, height) * known
    return total


def best_levels(
    data: Dataset, names: Sequence[str], cost: Callable[[Levels], Fraction]
) -> dict[str, int]:
    """Move one attribute after the other one level up, as long as the cheapest move saves.

    The root of a hierarchy is left out: it says no more than a blank.
    """
    tops = {name: getattr(data.attribute(name).hierarchy, "height", 0) - 1 for name in names}
    levels = dict.fromkeys(names, 0)
    best = cost(levels)
    while True:
        moves = [{**levels, n: levels[n] + 1} for n in names if levels[n] < tops[n]]
        costs = [cost(move) for move in moves]
        if not costs or min(costs) >= best:
            return levels
        best = min(costs)
        levels = moves[costs.index(best)]
