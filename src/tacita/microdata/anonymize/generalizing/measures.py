"""What a node costs, and the least that nodes not looked at can cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, NamedTuple, Protocol

import numpy as np

from tacita.arithmetic import expm1, log1p, log2, product
from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.hierarchies.tree import Tree
from tacita.microdata.anonymize.generalizing.levels import KeyLevels, at_level, heights
from tacita.microdata.anonymize.generalizing.tables import NodeTable, Tables
from tacita.microdata.comparing.representation import as_text
from tacita.microdata.models.class_table import Histogram
from tacita.microdata.utility.generalized import cells, is_suppressed
from tacita.microdata.utility.precision_loss import climbed_shares

MeasureName = Literal[
    "loss",
    "precision",
    "discernibility",
    "average_class_size",
    "non_uniform_entropy",
    "accuracy",
]
Mean = Literal["geometric", "arithmetic"]
Region = tuple[slice, ...]  # nodes: of every key, some levels

STEPS = 512  # numbers of records left out for which bounds are tabulated


class Measure(Protocol):
    """What a node costs."""

    def least(self) -> Floats:
        """Return for every node of the lattice a bound below its cost."""

    def least_without(self, region: Region, left_out: Ints) -> Floats | None:
        """Return the bounds of some nodes if so many records at least are left out."""

    def least_above(self, table: NodeTable) -> float:
        """Return a bound below the cost of a node and of all nodes above it."""

    def cost(self, table: NodeTable, broken: Mask) -> float:
        """Return the cost of a node without the records in broken classes."""

    def told(self, cost: float) -> float:
        """Return a cost as people read it."""


class Costs(NamedTuple):
    """What the values of a key cost on one level.

    Args:
        total: the cost of all records, if none is left out.
        more: for every code, how much more a record costs that is left out (0 or more).
        counts: for every code, the number of records.
    """

    total: float
    more: Floats
    counts: Ints

    def least(self, left_out: Floats) -> Floats:
        """Return the least cost of leaving out so many records: those that cost little more."""
        order = np.argsort(self.more, kind="stable")
        records = np.append(0, np.cumsum(self.counts[order]))
        costs = np.append(0.0, np.cumsum(self.more[order] * self.counts[order]))
        least: Floats = self.total + np.interp(left_out, records, costs)
        return least


@dataclass(frozen=True, eq=False)
class ByKeys:
    """A cost that is the sum over the keys of what their values cost.

    Args:
        tables: the class tables.
        costs: for every key and level, what its values cost.
        parts: for every key, how the cost of its values goes into the sum; increasing.
        allowed: how many records may be left out.
        told: how the sum is read.
    """

    tables: Tables
    costs: Sequence[Sequence[Costs]]
    parts: Sequence[Callable[[Floats], Floats]]
    allowed: int
    told: Callable[[float], float]

    def least(self) -> Floats:
        """Return the costs if no record is left out."""
        everything = tuple(slice(size) for size in self.tables.shape)
        return self.least_without(everything, np.zeros(self.tables.shape, np.int64))

    def least_without(self, region: Region, left_out: Ints) -> Floats:
        """Return the costs if records are left out that cost little more."""
        places = np.minimum(left_out // self._step, STEPS)
        total = np.zeros(left_out.shape)
        for key, levels in enumerate(region):
            shape = [1] * left_out.ndim
            shape[key] = -1
            rows = np.arange(levels.start or 0, levels.stop).reshape(shape)
            total += self._bounds[key][rows, places]
        return total

    @property
    def _step(self) -> int:
        return self.allowed // STEPS + 1

    @cached_property
    def _bounds(self) -> list[Floats]:
        """Tabulate for every key, by level and number left out, the least part of the sum."""
        left_out = np.arange(STEPS + 1, dtype=np.float64) * self._step
        return [
            np.stack([part(costs.least(left_out)) for costs in levels])
            for part, levels in zip(self.parts, self.costs, strict=True)
        ]

    def least_above(self, table: NodeTable) -> float:  # noqa: ARG002
        """Return nothing new: all is known before."""
        return -np.inf

    def cost(self, table: NodeTable, broken: Mask) -> float:
        """Add up the costs of all values, those of records left out instead of their own."""
        any_broken = bool(broken.any())
        sizes = table.classes.sizes[broken] if any_broken else None
        total = 0.0
        for key, level in enumerate(table.levels):
            costs = self.costs[key][level]
            more = 0.0
            if sizes is not None:
                more = float(product(costs.more[self.tables.codes(table, key, broken)], sizes))
            total += float(self.parts[key](np.asarray(costs.total + more)))
        return total


@dataclass(frozen=True, eq=False)
class ByClasses:
    """A cost that only the classes tell, and that never falls when they merge.

    Args:
        tables: the class tables.
        records: the number of records.
    """

    tables: Tables
    records: int

    def least(self) -> Floats:
        """Return nothing: it shows when classes are looked at."""
        return np.zeros(self.tables.shape)

    def least_without(self, region: Region, left_out: Ints) -> None:
        """Return nothing: what is left out shows in no bound."""

    def told(self, cost: float) -> float:
        """Return the cost."""
        return cost

    def silent(self, table: NodeTable) -> Mask:
        """Tell the classes in which every key is blank or `*`; measures take them for left out."""
        there = np.ones(len(table), np.bool_)
        for key, level in enumerate(table.levels):
            says_nothing = self._says_nothing[key][level]
            if not says_nothing.any():
                return np.zeros(len(table), np.bool_)
            there[there] = says_nothing[self.tables.codes(table, key, there)]
        return there & (table.classes.sizes > 0)

    @cached_property
    def _says_nothing(self) -> list[list[Mask]]:
        return [[_stars(key, level) for level in range(key.height + 1)] for key in self.tables.keys]


class Discernibility(ByClasses):
    """The sum of the squares of the classes' sizes; a record left out costs as many as all."""

    def least_above(self, table: NodeTable) -> float:
        """Return the sum of squares: a class that is left out costs more than its square."""
        return float(table.classes.sizes @ table.classes.sizes)

    def cost(self, table: NodeTable, broken: Mask) -> float:
        """Return the discernibility metric."""
        kept = table.classes.sizes[~(broken | self.silent(table))]
        return float(kept @ kept + self.records * (self.records - int(kept.sum())))


class AverageClassSize(ByClasses):
    """The number of records over that of classes; those left out are one class."""

    def least_above(self, table: NodeTable) -> float:
        """Return the average if nothing is left out."""
        return self.records / max(int(np.count_nonzero(table.classes.sizes)), 1)

    def cost(self, table: NodeTable, broken: Mask) -> float:
        """Return the average size."""
        gone = broken | self.silent(table)
        kept = int(np.count_nonzero(table.classes.sizes[~gone]))
        left_out = bool(table.classes.sizes[gone].any())
        return self.records / max(kept + left_out, 1)


@dataclass(frozen=True, eq=False)
class Accuracy(ByClasses):
    """The share of records whose target is not the most frequent one in their class.

    Args:
        target: the attribute to predict.
    """

    target: str = ""

    def least_above(self, table: NodeTable) -> float:
        """Return the share if nothing is left out."""
        return self._missed(table, np.zeros(len(table), np.bool_))

    def cost(self, table: NodeTable, broken: Mask) -> float:
        """Return the share; what is left out is missed."""
        return self._missed(table, broken)

    def _missed(self, table: NodeTable, broken: Mask) -> float:
        hit = int(most_frequent(table.classes.values[self.target])[~broken].sum())
        return (self.records - hit) / max(self.records, 1)


def most_frequent(values: Histogram) -> Ints:
    """Return for every class how often its most frequent value occurs."""
    most = np.zeros(values.size, np.int64)
    np.maximum.at(most, values.classes, values.counts)
    return most


def _stars(key: KeyLevels, level: int) -> Mask:
    """Tell the codes of a level that are blank or nothing but stars."""
    told = np.empty(key.sizes[level], np.bool_)
    told[key.codes[level]] = is_suppressed(at_level(key.leaves, key.name, level).column(key.name))
    return told


@dataclass(frozen=True, eq=False)
class Heights:
    """The sum of the levels, which all nodes tell before they are looked at.

    Args:
        tables: the class tables.
    """

    tables: Tables

    def least(self) -> Floats:
        """Return the sums."""
        return heights(self.tables.shape).astype(np.float64)

    def least_without(self, region: Region, left_out: Ints) -> None:
        """Return nothing: what is left out does not count."""

    def least_above(self, table: NodeTable) -> float:  # noqa: ARG002
        """Return nothing new: all is known before."""
        return -np.inf

    def cost(self, table: NodeTable, broken: Mask) -> float:  # noqa: ARG002
        """Return the sum of the levels."""
        return float(sum(table.levels))

    def told(self, cost: float) -> float:
        """Return the cost."""
        return cost


# -- what the values of a key cost ----------------------------------------------------------------


class Cell(NamedTuple):
    """What one record with each value of a key costs on some level: released, and left out."""

    released: Floats
    left_out: Floats


def costs_of(key: KeyLevels, cell: Callable[[KeyLevels, int], Cell]) -> list[Costs]:
    """Return what the values of a key cost on every level; a blank costs nothing."""
    known, found = np.flatnonzero(key.known & (key.counts > 0)), []
    for level in range(key.height + 1):
        costs, codes = cell(key, level), key.codes[level][known]
        more = np.zeros(key.sizes[level])
        more[codes] = np.maximum(costs.left_out - costs.released, 0.0)[known]
        total = float(product(key.counts[known], costs.released[known]))
        found.append(Costs(total, more, key.counts_at(level)))
    return found


def loss(key: KeyLevels, level: int) -> Cell:
    """Tell the share of its domain that a value stands for, from 0 if exact to 1 for all of it."""
    attribute = key.leaves.attribute(key.name)
    if isinstance(attribute.hierarchy, Tree) and attribute.kind is Kind.NOMINAL:
        return _share_of_leaves(key, attribute.hierarchy, level)
    held = np.flatnonzero(key.counts)
    records = key.leaves.take(held)
    made = cells(records, at_level(records, key.name, level), [key.name])[key.name]
    share = np.zeros(len(key.counts))
    share[held] = made.share
    return _normalized(share, made.base)


def _share_of_leaves(key: KeyLevels, tree: Tree, level: int) -> Cell:
    """Tell the same by counting the leaves below a label, which is quicker."""
    below, size = Counter(tree.level(level)), len(tree.paths)
    labels = as_text(at_level(key.leaves, key.name, level).column(key.name))
    return _normalized(np.array([below[label] / size for label in labels.to_pylist()]), 1 / size)


def _normalized(share: Floats, least: float) -> Cell:
    """Return shares from 0 for the least one to 1 for all; a domain of one value loses nothing."""
    if least >= 1:
        return Cell(np.zeros(len(share)), np.zeros(len(share)))
    return Cell(np.maximum((share - least) / (1 - least), 0.0), np.ones(len(share)))


def precision(key: KeyLevels, level: int) -> Cell:
    """Tell the share of its hierarchy that a value has climbed."""
    column = key.leaves.column(key.name)
    released = at_level(key.leaves, key.name, level).column(key.name)
    share = climbed_shares(key.leaves.attribute(key.name), column, released)
    return Cell(share, np.ones(len(share)))


def entropy(key: KeyLevels, level: int) -> Cell:
    """Tell the bits that are missing to get back to the original value."""
    records = key.counts * key.known
    among = np.bincount(key.codes[level], records, key.sizes[level])[key.codes[level]]
    own = np.maximum(records, 1)
    return Cell(log2(np.maximum(among, 1) / own), log2(np.maximum(records.sum(), 1) / own))


# -- measures by their names ----------------------------------------------------------------------


def measure_of(
    name: MeasureName,
    tables: Tables,
    records: int,
    allowed: int,
    *,
    mean: Mean = "geometric",
    weights: Sequence[float] | None = None,
    target: str | None = None,
) -> Measure:
    """Return a measure by its name.

    Args:
        name: its name.
        tables: the class tables of the lattice.
        records: the number of records.
        allowed: how many of them may be left out.
        mean: how the losses of the keys are put together.
        weights: how much each key counts in a loss; all the same by default.
        target: the attribute that is predicted, for the accuracy.
    """
    if name == "discernibility":
        return Discernibility(tables, records)
    if name == "average_class_size":
        return AverageClassSize(tables, records)
    if name == "accuracy":
        return Accuracy(tables, records, target or "")
    cell = {"loss": loss, "precision": precision, "non_uniform_entropy": entropy}[name]
    costs = [costs_of(key, cell) for key in tables.keys]
    if name == "non_uniform_entropy":
        return ByKeys(tables, costs, [_as_it_is] * len(costs), allowed, float)
    known = [max(int(key.counts[key.known].sum()), 1) for key in tables.keys]
    shares = _shares(weights or [1.0] * len(costs))
    by_factors = name == "loss" and mean == "geometric"
    part = _logarithm if by_factors else _share
    parts = [partial(part, size, weight) for size, weight in zip(known, shares, strict=True)]
    return ByKeys(tables, costs, parts, allowed, _from_logarithm if by_factors else float)


def _shares(weights: Sequence[float]) -> list[float]:
    most = max(weights)  # the sum of the largest doubles is infinite
    total = sum(weight / most for weight in weights)
    return [weight / most / total for weight in weights]


def _as_it_is(cost: Floats) -> Floats:
    return cost


def _share(size: int, weight: float, cost: Floats) -> Floats:
    return weight * cost / size


def _logarithm(size: int, weight: float, cost: Floats) -> Floats:
    return np.asarray(weight * log1p(cost / size))


def _from_logarithm(cost: float) -> float:
    return float(expm1(cost))
