"""The records behind a set of tables: every combination of values that one may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.errors import HierarchyError, InputError, did_you_mean
from tacita.tables.cells import Cells
from tacita.tables.dimension import NONE, Dimension
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.table import Table

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Values:
    """The finest values of an attribute that occurs in several tables.

    A code that one table does not split and another does stands for the values of the other.

    Args:
        name: the attribute.
        values: the codes that no table splits.
        below: for every code but totals, the places of the values that it stands for.
    """

    name: str
    values: tuple[str, ...]
    below: Mapping[str, Ints]

    def __len__(self) -> int:
        return len(self.values)

    def under(self, dimension: Dimension, place: int) -> Ints:
        """Return the values that a code of one of the tables stands for."""
        return self.below[dimension.codes[place]] if place else np.arange(len(self))

    def named(self, code: str) -> Ints:
        """Return the values that a code stands for.

        Raises:
            InputError: no table has this code.
        """
        if code not in self.below:
            hint = did_you_mean(code, self.below)
            raise InputError(f"`{self.name}` has no code {code!r}.{hint}").about(self.name)
        return self.below[code]

    def ancestors(self, dimension: Dimension) -> Ints:
        """Return, for each value, the places of all codes that include it, filled up with -1."""
        found: list[list[int]] = [[] for _ in self.values]
        for place in range(len(dimension)):
            for value in self.under(dimension, place):
                found[value].append(place)
        width = max(map(len, found))
        return np.array([[*places, *[NONE] * (width - len(places))] for places in found])

    def finest(self, dimension: Dimension) -> Ints:
        """Return, for each value, the place of the finest code that includes it."""
        places = np.zeros(len(self), np.int64)
        for leaf in dimension.leaves:
            places[self.under(dimension, int(leaf))] = leaf
        return places


class _Told(NamedTuple):
    """Which combinations the cells of a table count, and how many records that are."""

    shown: csr_array
    value: Floats
    bounded: csr_array
    lower: Floats
    upper: Floats


@dataclass(frozen=True, eq=False)
class Combinations:
    """The combinations of values that records may have; no record has any other.

    Args:
        attributes: every attribute of the tables, with its finest values.
        places: one row a combination: the place of its value, attribute by attribute.
        tables: the published tables.
    """

    attributes: tuple[Values, ...]
    places: Ints
    tables: tuple[Table, ...]

    def __len__(self) -> int:
        return len(self.places)

    def codes(self) -> dict[str, list[str]]:
        """Return the values of every combination, attribute by attribute."""
        return {
            attribute.name: [attribute.values[place] for place in self.places[:, axis]]
            for axis, attribute in enumerate(self.attributes)
        }

    def having(self, codes: Mapping[str, str]) -> Mask:
        """Tell which combinations lie below some codes; attributes left out may be anything.

        Raises:
            InputError: no table has such an attribute or code.
        """
        names = [attribute.name for attribute in self.attributes]
        found = np.ones(len(self), bool)
        for name, code in codes.items():
            if name not in names:
                raise InputError(f"No table is spanned by `{name}`.{did_you_mean(name, names)}")
            axis = names.index(name)
            found &= np.isin(self.places[:, axis], self.attributes[axis].named(code))
        return found

    def system(self, groups: Sequence[Mask] = ()) -> System:
        """Return what the tables say of the number of records with each combination.

        Args:
            groups: sets of combinations whose number of records is asked for; each becomes a
                cell after those of the combinations.
        """
        from scipy.sparse import csr_array, eye_array, hstack, vstack

        told = [self._told_by(table) for table in self.tables]
        asked = csr_array(np.array(list(groups), np.int64).reshape(len(groups), len(self)))
        sums = vstack([asked, *(one.bounded for one in told)])
        apart = -eye_array(sums.shape[0], dtype=np.int64)
        values = np.concatenate([one.value for one in told])
        nothing = csr_array((len(values), sums.shape[0]), dtype=np.int64)
        shown = hstack([vstack([one.shown for one in told]), nothing])
        relations = vstack([shown, hstack([sums, apart])]).tocsr()
        free = len(self) + len(groups)
        cells = Cells.of(
            np.full(relations.shape[1], np.nan),
            status=np.full(relations.shape[1], Status.SECONDARY),
            lower_bound=np.concatenate([np.zeros(free), *(one.lower for one in told)]),
            upper_bound=np.concatenate([np.full(free, np.inf), *(one.upper for one in told)]),
        )
        rhs = np.concatenate([values, np.zeros(sums.shape[0])])
        return System(cells, relations, rhs, self._name_of, decimals=0)

    def _told_by(self, table: Table) -> _Told:
        """Return what a table says: sums of counts, and bounds where something else is known."""
        cells, incidence = table.cells, self._incidence(table)
        shown = np.flatnonzero(~cells.suppressed)
        hidden = np.flatnonzero(cells.suppressed)
        telling = (cells.lower_bound[hidden] > 0) | np.isfinite(cells.upper_bound[hidden])
        bounded = hidden[telling]
        return _Told(
            shown=incidence[shown],
            value=cells.value[shown],
            bounded=incidence[bounded],
            lower=np.ceil(cells.lower_bound[bounded].clip(0)),
            upper=np.floor(cells.upper_bound[bounded]),
        )

    def _incidence(self, table: Table) -> csr_array:
        """Return which combinations each cell of a table counts: a row a cell."""
        from scipy.sparse import coo_array

        above = [
            self._of(dimension).ancestors(dimension)[self.places[:, self._axis(dimension)]]
            for dimension in table.dimensions
        ]
        rows, columns = [], []
        for slots in product(*(range(places.shape[1]) for places in above)):
            codes = np.column_stack([p[:, slot] for p, slot in zip(above, slots, strict=True)])
            there = np.flatnonzero((codes != NONE).all(axis=1))
            rows.append(table.find(codes[there] @ table.strides))
            columns.append(there)
        entries = np.concatenate(rows), np.concatenate(columns)
        ones = np.ones(len(entries[0]), np.int64)
        return coo_array((ones, entries), (len(table), len(self))).tocsr()

    def _axis(self, dimension: Dimension) -> int:
        return [attribute.name for attribute in self.attributes].index(dimension.name)

    def _of(self, dimension: Dimension) -> Values:
        return self.attributes[self._axis(dimension)]

    def _name_of(self, place: int) -> str:
        if place >= len(self):
            return f"group {place - len(self) + 1}"
        told = (
            f"{attribute.name} {attribute.values[value]}"
            for attribute, value in zip(self.attributes, self.places[place], strict=True)
        )
        return f"({', '.join(told)})"


def combinations_of(tables: tuple[Table, ...], most: int) -> Combinations:
    """List the combinations that records behind some tables may have.

    A combination is left out when a table shows that nobody has it: its cell, or a total above
    it, is a structural zero or published as 0.

    Args:
        tables: tables of counts.
        most: how many combinations may be listed.

    Raises:
        InputError: there are more, or the tables split an attribute in ways that do not agree.
    """
    names = dict.fromkeys(d.name for table in tables for d in table.dimensions)
    attributes = tuple(
        _values(name, [d for table in tables for d in table.dimensions if d.name == name])
        for name in names
    )
    places = np.zeros((1, 0), np.int64)
    for number, attribute in enumerate(attributes, 1):
        crossed = [np.repeat(places, len(attribute), axis=0)]
        crossed.append(np.tile(np.arange(len(attribute)), len(places))[:, None])
        places = np.hstack(crossed)
        for table in tables:
            places = places[_is_possible(table, attributes[:number], places)]
        _refuse_many(len(places), most)
    return Combinations(attributes, places, tables)


def _refuse_many(found: int, most: int) -> None:
    if found > most:
        raise InputError(
            f"The tables leave more than {found - 1:,} combinations of values possible; up to "
            f"{most:,} are looked at. Take fewer attributes together, or raise `most`."
        )


def _is_possible(table: Table, attributes: Sequence[Values], places: Ints) -> Mask:
    """Tell which combinations a table leaves possible; attributes to come are at their total."""
    axes = {attribute.name: axis for axis, attribute in enumerate(attributes)}
    number = np.zeros(len(places), np.int64)
    for dimension, stride in zip(table.dimensions, table.strides, strict=True):
        axis = axes.get(dimension.name)
        if axis is not None:
            number += stride * attributes[axis].finest(dimension)[places[:, axis]]
    row = table.find(number)
    empty = ~table.cells.suppressed & (table.cells.value == 0)
    possible: Mask = (row != NONE) & ~empty[row]
    return possible


def _values(name: str, dimensions: Sequence[Dimension]) -> Values:
    """Join what several tables say of an attribute."""
    parts: dict[str, list[str]] = {}
    for dimension in dimensions:
        for whole, below in dimension.sums:
            if whole:
                parts.setdefault(dimension.codes[whole], [dimension.codes[p] for p in below])
    codes = dict.fromkeys(code for dimension in dimensions for code in dimension.codes[1:])
    values = tuple(code for code in codes if code not in parts) or (dimensions[0].total,)
    place = {value: number for number, value in enumerate(values)}
    below_all = {
        code: np.array(sorted(place[leaf] for leaf in _leaves(name, code, parts, ())), np.int64)
        for code in codes
    }
    made = Values(name, values, below_all)
    _refuse_different_splits(made, dimensions)
    return made


def _leaves(
    name: str, code: str, parts: Mapping[str, list[str]], above: tuple[str, ...]
) -> Iterator[str]:
    if code in above:
        raise HierarchyError(
            f"The tables put the code {code!r} of `{name}` above and below {above[-1]!r}; use one "
            "hierarchy for both."
        ).about(name)
    if code not in parts:
        yield code
    for part in parts.get(code, ()):
        yield from _leaves(name, part, parts, (*above, code))


def _refuse_different_splits(values: Values, dimensions: Sequence[Dimension]) -> None:
    """Refuse tables whose codes do not cut up the same values."""
    for dimension in dimensions:
        for whole, parts in dimension.sums:
            joined = np.concatenate([values.under(dimension, part) for part in parts])
            if not np.array_equal(np.sort(joined), values.under(dimension, whole)):
                raise HierarchyError(
                    f"The tables split the code {dimension.codes[whole]!r} of `{values.name}` in "
                    "ways that do not agree; use one hierarchy, or several over the same values."
                ).about(values.name)
