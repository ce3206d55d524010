"""The class tables of nodes, each rolled up from a finer one that is still held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.arithmetic import exp, log
from tacita.data.classes import EquivalenceClasses, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.microdata.anonymize.generalizing.levels import KeyLevels, Levels, key_levels
from tacita.microdata.models.class_table import ClassTable, Domain, Histogram

Words = np.ndarray[Any, np.dtype[np.uint64]]
Places = np.ndarray[Any, np.dtype[np.int32]]

HELD_BYTES = 3 * 2**28  # of the tables that are kept to be rolled up
CLASS_BYTES, ENTRY_BYTES = 16, 24  # of a class beside its words, of an entry of a histogram
MOST_HELD = 512  # tables
NOWHERE = np.iinfo(np.int64).max  # a level that no node has
LARGE = 2**14  # classes from which on a table in between may pay
STRIDE = 8  # how much smaller it should be
MOST_BITS = 60.0  # of a guess
SHRUNK = 0.9  # a table that is hardly smaller than the one it came from is not worth keeping


@dataclass(frozen=True, eq=False)
class NodeTable:
    """The classes of a node.

    Args:
        levels: the node.
        words: words by classes; every key has its own bits.
        classes: what models see of the classes.
    """

    levels: Levels
    words: Words
    classes: ClassTable

    def __len__(self) -> int:
        return int(self.words.shape[1])

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        entries = sum(len(one.codes) for one in self.classes.values.values())
        return int(self.words.nbytes) + CLASS_BYTES * len(self) + ENTRY_BYTES * entries


@dataclass(eq=False)
class Tables:
    """The class tables of all nodes, made when they are asked for.

    Args:
        keys: the keys, in the order of a node's levels.
        base: the table of the data as they are.
        of_record: the class of every record in it.
    """

    keys: Sequence[KeyLevels]
    base: NodeTable
    of_record: Places
    _steps: dict[tuple[int, int, int], Ints] = field(default_factory=dict)
    _domains: dict[tuple[int, int], tuple[Domain, Ints]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        from tacita.kernels.rolling_up import fields_of

        self.fields = fields_of([key.sizes[0] for key in self.keys])
        self.shape: Levels = tuple(key.height + 1 for key in self.keys)
        self._held = Held(len(self.keys))

    @classmethod
    def of(
        cls,
        data: Dataset,
        names: Sequence[str],
        confidential: Sequence[str] = (),
        *,
        with_population: bool = False,
    ) -> Tables:
        """Count the classes of the data as they are.

        Args:
            data: the data.
            names: the keys.
            confidential: the attributes whose values are counted in every class.
            with_population: whether to count the population beside the data, too.
        """
        from tacita.kernels.rolling_up import fields_of, packed, roll_up

        size = len(data)
        everybody = beside_population(data, names) if with_population else data
        found = [key_levels(everybody, name, size) for name in names]
        keys = [levels for levels, _ in found]
        words = packed([codes for _, codes in found], fields_of([key.sizes[0] for key in keys]))
        rolled = roll_up(words, (np.arange(len(everybody)) < size).astype(np.int64))
        classes = _as_models_see(data, names, rolled.into, rolled.counts, confidential)
        return cls(keys, NodeTable((0,) * len(keys), rolled.words, classes), rolled.into[:size])

    def named(self, levels: Levels) -> dict[str, int]:
        """Return the levels of a node by the names of the keys."""
        return {key.name: level for key, level in zip(self.keys, levels, strict=True)}

    def place(self, name: str | None) -> int | None:
        """Return which of the keys an attribute is, if it is one."""
        return next((a for a, key in enumerate(self.keys) if key.name == name), None)

    def at(self, levels: Levels, wanted: Callable[[], Mask] | None = None) -> NodeTable:
        """Return the table of a node, from the smallest one held that is finer.

        Args:
            levels: the node.
            wanted: tells the nodes whose tables may be asked for later. Where much is rolled up to
                little, a table in between is made and held, from which many of them can be made.
        """
        finer = self._held.smallest_below(levels) or self.base
        if wanted is not None and len(finer) > max(LARGE, STRIDE * self._guess(levels)):
            finer = self._in_between(finer, levels, wanted())
        if finer.levels == levels:
            return finer
        table, _ = self.rolled_up(finer, levels)
        if len(table) <= SHRUNK * len(finer):
            self._held.add(table)
        return table

    def _in_between(self, finer: NodeTable, levels: Levels, wanted: Mask) -> NodeTable:
        """Make tables on the way to a node, each a good deal smaller, as long as that pays."""
        while len(finer) > max(LARGE, STRIDE * self._guess(levels)):
            between = self._low_node(levels, finer, wanted)
            if between in (finer.levels, levels):
                return finer
            table, _ = self.rolled_up(finer, between)
            if len(table) > SHRUNK * len(finer):
                return finer
            self._held.add(table)
            finer = table
        return finer

    def _low_node(self, levels: Levels, finer: NodeTable, wanted: Mask) -> Levels:
        """Go down from a node as long as the table stays small, to where most are above."""
        node = levels
        while True:
            below = [
                (*node[:a], level - 1, *node[a + 1 :])
                for a, level in enumerate(node)
                if level > finer.levels[a]
            ]
            small = [low for low in below if STRIDE * self._guess(low) <= len(finer)]
            if not small:
                return node
            node = max(small, key=lambda low: _count_above(low, wanted) / self._guess(low))

    def _guess(self, levels: Levels) -> float:
        """Guess the number of classes of a node, as if the keys were independent."""
        bits = sum(key[level] for key, level in zip(self._entropies, levels, strict=True))
        return float(exp(min(bits, MOST_BITS)))

    def entropy(self, key: int, level: int) -> float:
        """Return how much a key tells on a level, in nats."""
        return self._entropies[key][level]

    @cached_property
    def _entropies(self) -> list[list[float]]:
        return [
            [_entropy(key.counts_at(level)) for level in range(key.height + 1)] for key in self.keys
        ]

    def rolled_up(self, table: NodeTable, levels: Levels) -> tuple[NodeTable, Places]:
        """Return the table of a node above another one's, and what its classes became part of."""
        from tacita.kernels.rolling_up import roll_up

        moved = [a for a, level in enumerate(levels) if level != table.levels[a]]
        maps = [self._step(a, table.levels[a], levels[a]) for a in moved]
        rolled = roll_up(table.words, table.classes.sizes, [self.fields[a] for a in moved], maps)
        classes = merged(table.classes, rolled.into, rolled.counts)
        return NodeTable(levels, rolled.words, classes), rolled.into

    def codes(self, table: NodeTable, key: int, chosen: Mask | slice = slice(None)) -> Ints:
        """Return the code of a key in some classes, on the level that the table has."""
        from tacita.kernels.rolling_up import unpacked

        return unpacked(table.words[:, chosen], self.fields[key])

    def grouped(self, table: NodeTable, keys: Sequence[int]) -> tuple[ClassTable, Places]:
        """Return the classes over some of the keys, and in which of them each class lies."""
        from tacita.kernels.rolling_up import roll_up

        others = [a for a in range(len(self.keys)) if a not in keys]
        maps = [np.zeros(self.keys[a].sizes[0], np.int64) for a in others]
        rolled = roll_up(table.words, table.classes.sizes, [self.fields[a] for a in others], maps)
        return merged(table.classes, rolled.into, rolled.counts), rolled.into

    def generalized(self, values: Histogram, key: int, level: int) -> Histogram:
        """Return how the values of a key that is confidential, too, are spread on a level of it."""
        from tacita.kernels.by_group import add_counts_per_group

        if not level:
            return values
        if (key, level) not in self._domains:
            self._domains[key, level] = self.keys[key].domain_at(level)
        domain, above = self._domains[key, level]
        parts = (values.classes, above[values.codes], values.counts, values.size)
        return Histogram(domain, *add_counts_per_group(*parts))

    def _step(self, key: int, lower: int, upper: int) -> Ints:
        if (key, lower, upper) not in self._steps:
            self._steps[key, lower, upper] = self.keys[key].step(lower, upper)
        return self._steps[key, lower, upper]


class Held:
    """Tables that are kept so that others can be made from them.

    Args:
        keys: the number of keys.
    """

    def __init__(self, keys: int) -> None:
        self._tables: list[NodeTable | None] = [None] * MOST_HELD
        self._levels = np.full((MOST_HELD, keys), NOWHERE)
        self._sizes = np.zeros(MOST_HELD, np.int64)
        self._used = np.zeros(MOST_HELD, np.int64)  # when; 0 in a free place
        self._clock, self._bytes = 0, 0

    def smallest_below(self, levels: Levels) -> NodeTable | None:
        """Return the smallest table that is as fine as a node or finer, if there is one."""
        below = np.flatnonzero((self._levels <= levels).all(axis=1))
        if not below.size:
            return None
        place = int(below[self._sizes[below].argmin()])
        self._touch(place)
        return self._tables[place]

    def add(self, table: NodeTable) -> None:
        """Keep a table, and give up those that were not used for the longest time."""
        if table.bytes > HELD_BYTES:
            return
        while self._bytes + table.bytes > HELD_BYTES or self._used.all():
            self._give_up(int(np.where(self._used, self._used, NOWHERE).argmin()))
        place = int(self._used.argmin())
        self._tables[place], self._bytes = table, self._bytes + table.bytes
        self._levels[place], self._sizes[place] = table.levels, len(table)
        self._touch(place)

    def _give_up(self, place: int) -> None:
        table = self._tables[place]
        self._bytes -= table.bytes if table else 0
        self._tables[place], self._levels[place], self._used[place] = None, NOWHERE, 0

    def _touch(self, place: int) -> None:
        self._clock += 1
        self._used[place] = self._clock


def _count_above(levels: Levels, wanted: Mask) -> int:
    return int(np.count_nonzero(wanted[tuple(slice(level, None) for level in levels)]))


def _entropy(counts: Ints) -> float:
    shares = counts[counts > 0] / max(int(counts.sum()), 1)
    return float(-(shares * log(shares)).sum())


def beside_population(data: Dataset, names: Sequence[str]) -> Dataset:
    """Return the records and below them those of the population, which must be there."""
    population = data.external.population
    assert population is not None  # noqa: S101 - for the type checker
    reasons = {
        name: np.concatenate([of_data, population.missing_reasons.get(name, _none(population))])
        for name, of_data in data.missing_reasons.items()
        if name in names
    }
    columns = {
        name: pa.concat_arrays(
            [data.column(name), population.column(name).cast(data.column(name).type)]
        )
        for name in names
    }
    return Dataset(
        pa.table(columns),
        {name: data.attribute(name) for name in names},
        missing_reasons=reasons,
    )


def _none(data: Dataset) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.zeros(len(data), np.int32)


def _as_models_see(
    data: Dataset, names: Sequence[str], into: Places, sizes: Ints, confidential: Sequence[str]
) -> ClassTable:
    """Tell of classes what models look at; records behind those of the data are the population."""
    of_record = into[: len(data)].astype(np.int64)
    classes = EquivalenceClasses(data, tuple(names), of_record, np.zeros(0, np.int64), sizes)
    table = ClassTable.of(classes, confidential)
    if len(into) == len(data):
        return table
    return replace(table, population=np.bincount(into[len(data) :], minlength=len(sizes)))


def merged(classes: ClassTable, into: Places, sizes: Ints) -> ClassTable:
    """Return a table after classes became parts of others, whose sizes are known already."""
    if not classes.values and classes.weights is None and classes.population is None:
        return ClassTable(sizes)
    return classes.merged(into.astype(np.int64), len(sizes))
