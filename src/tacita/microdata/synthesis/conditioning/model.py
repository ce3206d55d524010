"""A Bayesian network: values drawn from records that agree in the values of a few parents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.microdata.synthesis.conditioning.parents import Parents, Search
from tacita.microdata.synthesis.making.columns import Column
from tacita.microdata.synthesis.making.donors import Donors

SEARCHED = 50_000  # records, evenly spread, that parents are chosen by


class Size(NamedTuple):
    """How large a network is."""

    parents: int  # of an attribute, at most
    classes: int  # of an attribute's values, at most
    cell: int  # the records that a combination of parents has at least


@dataclass(frozen=True, eq=False)
class Cells:
    """The combinations of some parents' classes that enough records have, and these records.

    Args:
        sizes: how many classes each parent has.
        keys: the combinations, as numbers in ascending order.
        donors: the records of each.
    """

    sizes: Sequence[int]
    keys: Ints
    donors: Donors

    @classmethod
    def of(cls, parents: Sequence[Ints], column: Column, weights: Floats, least: int) -> Cells:
        """Group the records; cells of fewer than `least` are left out."""
        sizes = [int(one.max(initial=0)) + 1 for one in parents]
        found, group, counts = np.unique(
            _keys(parents, sizes, len(weights)), return_inverse=True, return_counts=True
        )
        kept = (counts >= least) | (not sizes)
        place = np.where(kept, np.cumsum(kept) - 1, kept.sum())  # the others make a last group
        return cls(sizes, found[kept], Donors.of(place[group], column, weights))

    def at(self, parents: Sequence[Ints], records: int) -> Ints:
        """Return the cell of records by their parents' classes; -1 where there is none."""
        keys = _keys(parents, self.sizes, records)
        if not len(self.keys):
            return np.full(records, -1)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, place, -1)


def _keys(parents: Sequence[Ints], sizes: Sequence[int], records: int) -> Ints:
    keys = np.zeros(records, np.int64)
    for size, classes in zip(sizes, parents, strict=True):
        keys = keys * size + classes
    return keys


@dataclass(frozen=True, eq=False)
class Node:
    """An attribute, the class of each code, its parents and cells by all, by all but the last, ...

    The last cell is that of all records.
    """

    column: Column
    classes: Ints
    parents: Parents
    levels: Sequence[Cells]

    def drawn(
        self, given: Sequence[Ints], records: int, rare: int, rng: np.random.Generator
    ) -> tuple[Ints, Floats | None]:
        """Draw donors from the cells by as many parents as enough records agree in."""
        rows, numbers = np.zeros(records, np.int64), np.full(records, np.nan)
        waiting = np.arange(records)
        for drop, cells in enumerate(self.levels):
            used = [classes[waiting] for classes in given[: len(given) - drop]]
            at = cells.at(used, len(waiting))
            there, waiting = waiting[at >= 0], waiting[at < 0]
            rows[there], found = cells.donors.drawn(at[at >= 0], rare, rng)
            numbers[there] = np.nan if found is None else found
        return rows, None if self.column.numbers is None else numbers


@dataclass(frozen=True, eq=False)
class Network:
    """Attributes by their place, in an order in which all parents of each come before it."""

    names: tuple[str, ...]
    nodes: Mapping[int, Node]

    @classmethod
    def of(cls, data: Dataset, names: Sequence[str], size: Size) -> Network:
        """Choose the parents, and group the records by them."""
        weights = np.ones(len(data)) if data.weight is None else data.weight / data.weight.mean()
        columns = [Column.of(data, name) for name in names]
        of_code = [column.classes(size.classes) for column in columns]
        classes = [codes[column.codes] for codes, column in zip(of_code, columns, strict=True)]
        step = max(-(-len(data) // SEARCHED), 1)
        search = Search([one[::step] for one in classes], weights[::step], size.parents)
        nodes = {}
        for child, parents in search.network():
            given = [classes[one] for one in parents]
            levels = [
                Cells.of(given[:used], columns[child], weights, size.cell)
                for used in range(len(given), -1, -1)
            ]
            nodes[child] = Node(columns[child], of_code[child], parents, levels)
        return cls(tuple(names), nodes)

    def parents(self) -> dict[str, list[str]]:
        """Return the parents of every attribute."""
        return {
            self.names[child]: [self.names[one] for one in node.parents]
            for child, node in self.nodes.items()
        }

    def drawn(self, records: int, rare: int, rng: np.random.Generator) -> dict[str, pa.Array]:
        """Draw records; numbers that fewer than `rare` respondents have are drawn within gaps."""
        made: dict[str, pa.Array] = {}
        classes: dict[int, Ints] = {}
        for child, node in self.nodes.items():
            taken = node.drawn([classes[one] for one in node.parents], records, rare, rng)
            made[self.names[child]] = node.column.made(*taken)
            classes[child] = node.classes[node.column.codes_made(*taken)]
        return made
