"""Which values the codes of several tables stand for, so that their cells can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from tacita.tables.dimension import NONE, Dimension
from tacita.tables.table import Table

Values = frozenset[str]
EVERYTHING = 0  # the number of the set of all values of an attribute
Key = tuple[int, ...]  # of a cell: for every attribute the number of its set of values
Group = tuple[Any, ...]  # of respondents: a key, or what a cell has beyond another


class CellAt(NamedTuple):
    """A cell of one of several tables: the table's place, and the row in it."""

    table: int
    row: int


class AttributeCoverage:
    """The sets of values that the codes of one attribute stand for, in several tables.

    A code that is a leaf in one table and has parts in another stands for those parts, so that
    regions of one version can be compared with the districts of the next.

    Args:
        dimensions: the attribute as tables have it, by the table's place.
    """

    def __init__(self, dimensions: Mapping[int, Dimension]) -> None:
        within = {table: _leaves_below(dimension) for table, dimension in dimensions.items()}
        finer: dict[str, Values] = {}
        for sets in within.values():
            finer.update({c: v for c, v in sets.items() if v != {c} and c not in finer})
        refined = {
            table: {code: _refined(values, finer, len(within)) for code, values in sets.items()}
            for table, sets in within.items()
        }
        whole = frozenset().union(*(one for sets in refined.values() for one in sets.values()))
        self._numbers: dict[Values, int] = {whole: EVERYTHING}
        self._of_table = {
            table: [EVERYTHING, *(self._number(sets[code]) for code in dimensions[table].codes[1:])]
            for table, sets in refined.items()
        }

    def of_cells(self, place: int, table: Table, name: str) -> list[int]:
        """Return the number of the set that each cell of a table is about."""
        if place not in self._of_table:
            return [EVERYTHING] * len(table)
        axis = [dimension.name for dimension in table.dimensions].index(name)
        numbers = self._of_table[place]
        return [numbers[code] for code in table.places[:, axis].tolist()]

    def _number(self, values: Values) -> int:
        return self._numbers.setdefault(values, len(self._numbers))

    @cached_property
    def sets(self) -> tuple[Values, ...]:
        """The distinct sets of values, by their numbers."""
        return tuple(self._numbers)

    @cached_property
    def above(self) -> tuple[tuple[int, ...], ...]:
        """For each set the sets that contain it, itself included."""
        with_value: dict[str, list[int]] = {}
        for number, values in enumerate(self.sets):
            for value in values:
                with_value.setdefault(value, []).append(number)
        return tuple(
            tuple(other for other in with_value[min(values)] if values <= self.sets[other])
            for values in self.sets
        )

    def less(self, whole: int, part: int) -> int | Values:
        """Return what a set has beyond a part of it: the number of a set, or a set of its own."""
        rest = self.sets[whole] - self.sets[part]
        return self._numbers.get(rest, rest)


class Coverage:
    """The cells of several tables over the same data, by the respondents that they are about.

    Args:
        tables: the tables.
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tables
        named: dict[str, dict[int, Dimension]] = {}
        for place, table in enumerate(tables):
            for dimension in table.dimensions:
                named.setdefault(dimension.name, {})[place] = dimension
        self._names = tuple(named)
        self._attributes = [AttributeCoverage(held) for held in named.values()]

    def keys(self, place: int) -> Iterator[Key]:
        """Give for every cell of a table the sets of values that it is about."""
        table = self.tables[place]
        named = zip(self._names, self._attributes, strict=True)
        columns = [attribute.of_cells(place, table, name) for name, attribute in named]
        return zip(*columns, strict=True)

    def containing(self, key: Key) -> Iterator[Key]:
        """Give every combination of sets that contains another one."""
        above = (one.above[number] for one, number in zip(self._attributes, key, strict=True))
        return (other for other in product(*above) if other != key)

    def difference(self, whole: Key, part: Key) -> Group:
        """Return what a combination of sets has beyond another, the same whatever it comes from."""
        apart = [axis for axis, number in enumerate(whole) if number != part[axis]]
        if len(apart) > 1:
            return whole, part
        axis = apart[0]
        rest = self._attributes[axis].less(whole[axis], part[axis])
        return (*whole[:axis], rest, *whole[axis + 1 :])


def _leaves_below(dimension: Dimension) -> dict[str, Values]:
    """Return the leaves that every code stands for."""
    below: list[set[str]] = [set() for _ in dimension.codes]
    for leaf in dimension.leaves.tolist() or [0]:  # a total that is alone stands for itself
        for parents in dimension.parents:
            place = leaf
            while place != NONE:
                below[place].add(dimension.codes[leaf])
                place = int(parents[place])
    return {code: frozenset(found) for code, found in zip(dimension.codes, below, strict=True)}


def _refined(values: Values, finer: Mapping[str, Values], depth: int) -> Values:
    """Replace values by their parts; every table may refine once, so that circles end."""
    for _ in range(depth):
        values = frozenset().union(*(finer.get(value, {value}) for value in values))
    return values
