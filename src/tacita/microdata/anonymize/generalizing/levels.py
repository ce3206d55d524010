"""The levels of keys: what every value of a key is called on every level of its hierarchy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import EquivalenceClasses, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.data.hierarchies.intervals import ROOT
from tacita.errors import HierarchyError
from tacita.microdata.masking.generalize import generalized
from tacita.microdata.models.class_table import Domain

Levels = tuple[int, ...]  # a node: the level of every key, in their order


class KeyLevels(NamedTuple):
    """The values of a key and what they become on every level.

    Args:
        name: the key.
        leaves: one record for each of its values, blanks included.
        counts: how many records have each of them.
        codes: level by level, the code that each of them has there.
        sizes: level by level, the number of codes.
    """

    name: str
    leaves: Dataset
    counts: Ints
    codes: tuple[Ints, ...]
    sizes: tuple[int, ...]

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.codes) - 1

    @property
    def known(self) -> Mask:
        """Whether each value is no blank."""
        return np.asarray(self.leaves.column(self.name).is_valid())

    def step(self, lower: int, upper: int) -> Ints:
        """Return the code on the upper level of every code on the lower one."""
        above = np.empty(self.sizes[lower], np.int64)
        above[self.codes[lower]] = self.codes[upper]
        return above

    def counts_at(self, level: int) -> Ints:
        """Count the records of every code on a level."""
        return np.bincount(self.codes[level], self.counts, self.sizes[level]).astype(np.int64)

    def domain_at(self, level: int) -> tuple[Domain, Ints]:
        """Return the values that records have on a level, and which of them each own one becomes.

        Own values are numbered by their domain, as in a histogram of the data.
        """
        held = self.leaves.take(np.flatnonzero(self.counts))
        own, codes = Domain.of(held, self.name)
        domain, released = Domain.of(at_level(held, self.name, level), self.name)
        above = np.empty(len(own), np.int64)
        above[codes] = released
        return domain, above


def key_levels(data: Dataset, name: str, size: int) -> tuple[KeyLevels, Ints]:
    """Return the levels of a key, and the value of every record by its number.

    Args:
        data: the records.
        name: the key.
        size: how many of the records count; those behind them only share the numbers.

    Raises:
        HierarchyError: its hierarchy misses values, or its levels do not nest.
    """
    classes = EquivalenceClasses.of(data, [name])
    leaves = data.take(classes.first)
    above = range(1, height(data, name) + 1)
    codes = [np.arange(len(classes)), *(_codes(at_level(leaves, name, up), name) for up in above)]
    sizes = [int(code.max(initial=-1)) + 1 for code in codes]
    counts = np.bincount(classes.of_record[:size], minlength=len(classes))
    found = KeyLevels(name, leaves, counts, tuple(codes), tuple(sizes))
    for level in range(found.height):
        if not np.array_equal(found.step(level, level + 1)[codes[level]], codes[level + 1]):
            raise HierarchyError(
                f"Attribute `{name}`: level {level + 1} of its hierarchy tells values apart that "
                f"level {level} does not; give it levels that nest."
            )
    return found, classes.of_record


def _codes(data: Dataset, name: str) -> Ints:
    """Give the values of an attribute numbers so that equal ones have equal numbers."""
    column = data.column(name)
    if name in data.missing_reasons or not pa.types.is_string(column.type):
        return EquivalenceClasses.of(data, [name]).of_record
    # Labels are text, and a few of them: this is the quick way.
    encoded = pc.dictionary_encode(column, null_encoding="encode")
    return np.asarray(encoded.indices, np.int64)


def height(data: Dataset, name: str) -> int:
    """Return the highest level of a key; without a hierarchy there are its values and `*`."""
    hierarchy = data.attribute(name).hierarchy
    return 1 if hierarchy is None else hierarchy.height


def at_level(data: Dataset, name: str, level: int) -> Dataset:
    """Return the data with one key on a level; without a hierarchy, level 1 is `*`."""
    attribute = data.attribute(name)
    if level == 0:
        return data
    if attribute.hierarchy is not None:
        return generalized(data, name, level)
    # Not blanks: a file in which a key is blank throughout is refused by whoever reads it.
    stars = pa.repeat(ROOT, len(data)), np.zeros(len(data), np.bool_)
    starred = data.with_column(attribute.recoded(), *stars)
    return starred.without_reasons([name])


def at_levels(data: Dataset, levels: Mapping[str, int]) -> Dataset:
    """Return the data with keys on their levels, and the population beside them alike."""
    for name, level in levels.items():
        data = at_level(data, name, level)
    population = data.external.population
    if population is None:
        return data
    for name, level in levels.items():
        if name in population.attributes:
            population = at_level(population, name, level)
    return replace(data, external=replace(data.external, population=population))


def heights(shape: tuple[int, ...]) -> Ints:
    """Return for every node of a lattice the sum of its levels."""
    total = np.zeros(shape, np.int64)
    for axis, size in enumerate(shape):
        total += np.arange(size).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    return total
