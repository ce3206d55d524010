"""A sequence of trees, one an attribute, and records drawn from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.microdata.synthesis.growing.predictors import bins_for, target_classes
from tacita.microdata.synthesis.making.columns import Column
from tacita.microdata.synthesis.making.donors import Donors

if TYPE_CHECKING:
    from tacita.kernels.growing_trees import Bins, Tree

GRAIN = 5_000  # records whose trees are worth a thread


@dataclass(frozen=True)
class Growth:
    """How trees grow.

    Args:
        leaf: the records that a leaf has at least.
        chance: how many times as much impurity a division takes away as one that means nothing.
    """

    leaf: int
    chance: float


@dataclass(frozen=True, eq=False)
class Step:
    """The tree of one attribute: the bins of its predictors' codes, and the records of leaves."""

    column: Column
    bins: Sequence[Ints]
    tree: Tree
    donors: Donors

    def leaf_of(self, before: Sequence[Ints], records: int) -> Ints:
        """Return the leaf that records come to, by their codes of the attributes before."""
        from tacita.kernels.growing_trees import leaf_of

        return leaf_of(self.tree, _binned(self.bins, before, records))


@dataclass(frozen=True, eq=False)
class SequenceOfTrees:
    """A tree for every attribute on those before it."""

    names: tuple[str, ...]
    steps: Sequence[Step]

    @classmethod
    def of(cls, data: Dataset, names: Sequence[str], growth: Growth) -> SequenceOfTrees:
        """Grow the trees, in the order of the names."""
        from tacita.kernels.compile import spread, thread_count

        columns = [Column.of(data, name) for name in names]
        weights = np.ones(len(data)) if data.weight is None else data.weight / data.weight.mean()
        steps = spread(
            lambda place: _grown(columns[: place + 1], weights, growth),
            range(len(names)),
            thread_count(None, len(data), GRAIN),
        )
        return cls(tuple(names), steps)

    def drawn(self, records: int, rare: int, rng: np.random.Generator) -> dict[str, pa.Array]:
        """Draw records; numbers that fewer than `rare` respondents have are drawn within gaps."""
        made: dict[str, pa.Array] = {}
        codes: list[Ints] = []
        for name, step in zip(self.names, self.steps, strict=True):
            taken = step.donors.drawn(step.leaf_of(codes, records), rare, rng)
            made[name] = step.column.made(*taken)
            codes.append(step.column.codes_made(*taken))
        return made


def _grown(columns: Sequence[Column], weights: Floats, growth: Growth) -> Step:
    """Grow the tree of the last of some attributes on the others."""
    from tacita.kernels.growing_trees import Limits, Target, grown

    *others, column = columns
    classes = target_classes(column)
    bins = [bins_for(other, column, classes, weights) for other in others]
    target = Target(classes[column.codes], weights, int(classes.max()) + 1, column.is_ordered)
    features = _binned(bins, [other.codes for other in others], len(weights))
    tree, leaf = grown(features, target, Limits(growth.leaf, 0.0, growth.chance))
    return Step(column, bins, tree, Donors.of(leaf, column, weights))


def _binned(bins: Sequence[Ints], codes: Sequence[Ints], records: int) -> Bins:
    """Return features by records."""
    found = np.empty((len(bins), records), np.int16)
    for place, (of_code, code) in enumerate(zip(bins, codes, strict=True)):
        found[place] = of_code[code]
    return found
