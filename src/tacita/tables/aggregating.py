"""From the combinations of leaves up to every total: sums, contributors, largest contributions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.engines.contributions import Amount, Breakdown, Units
from tacita.tables.cells import ASKED_LEVELS
from tacita.tables.dimension import NONE, Dimension, Places


@dataclass(frozen=True, eq=False)
class Parts:
    """What is known of some cells, or of what every holding contributes to them; one row each.

    Args:
        places: the place of the code in every dimension.
        sums: whole numbers that add up, one row each; the first counts contributors.
        largest: the largest contributions, in descending order.
        asked: the largest contribution that asks for protection, for each level at which one may.
        holders: the holding's number; None where contributors are no longer told apart.
    """

    places: Places
    sums: Ints
    largest: Floats
    asked: Floats
    holders: Ints | None = None

    def __len__(self) -> int:
        return len(self.places)

    def take(self, rows: Mask | Ints) -> Parts:
        """Return some of the rows."""
        return Parts(
            self.places[rows],
            self.sums[:, rows],
            self.largest[rows],
            self.asked[rows],
            None if self.holders is None else self.holders[rows],
        )

    def merged(self) -> Parts:
        """Join the rows of one cell (and one holding)."""
        ids, first = self.cell_numbers([] if self.holders is None else [self.holders])
        return Parts(
            self.places[first],
            added_rows(ids, self.sums, len(first)),
            largest_of(ids, self.largest, len(first), self.largest.shape[1]),
            np.hstack(
                [np.zeros((len(first), 0))]
                + [largest_of(ids, top, len(first), 1) for top in self.asked.T]
            ),
            None if self.holders is None else self.holders[first],
        )

    def cell_numbers(self, more: Sequence[Ints] = ()) -> tuple[Ints, Ints]:
        """Give cells (told apart further by some columns) numbers, and say where each is first."""
        from tacita.kernels.grouping import group

        columns = [np.ascontiguousarray(column) for column in self.places.T]
        groups = group([*columns, *more], records=len(self))
        return groups.ids, groups.first


def every_cell(
    leaves: Parts, dimensions: Sequence[Dimension], pooled: Callable[[Parts], Parts]
) -> Parts:
    """Add the leaves up along every hierarchy of every dimension.

    Args:
        leaves: what is known of the combinations of leaves.
        dimensions: the dimensions, in the order of the places.
        pooled: makes cells out of rows of holdings.
    """
    levels = [levels_of(dimension) for dimension in dimensions]
    sets = [pooled(parts) for parts in _rolled_up(leaves, levels, 0)]
    return Parts(
        np.concatenate([parts.places for parts in sets]),
        np.concatenate([parts.sums for parts in sets], axis=1),
        np.concatenate([parts.largest for parts in sets]),
        np.concatenate([parts.asked for parts in sets]),
    )


def _rolled_up(parts: Parts, levels: Sequence[Sequence[Places]], axis: int) -> Iterator[Parts]:
    """Give the cells of every combination of levels, one dimension after the other."""
    if axis == len(levels):
        yield parts
        return
    for level in levels[axis]:
        above = level[parts.places[:, axis]]
        if np.array_equal(above, parts.places[:, axis]):
            yield from _rolled_up(parts, levels, axis + 1)
            continue
        places = parts.places.copy()
        places[:, axis] = above
        raised, kept = replace(parts, places=places), above != NONE
        raised = raised if kept.all() else raised.take(kept)
        yield from _rolled_up(raised.merged(), levels, axis + 1)


def levels_of(dimension: Dimension) -> list[Places]:
    """Return mappings from leaves to the codes above them, with every code in just one of them.

    A leaf has at most one code at each depth of a hierarchy. A code that several hierarchies share
    stays where it was first found, so that it is added up once.

    >>> region = Dimension.from_nested("region", {"Total": {"north": ["a", "b"], "south": ["c"]}})
    >>> [[region.codes[level[leaf]] for leaf in region.leaves] for level in levels_of(region)]
    [['Total', 'Total', 'Total'], ['north', 'north', 'south'], ['a', 'b', 'c']]
    """
    levels: dict[tuple[int, int], Places] = {}
    home: dict[int, tuple[int, int]] = {}
    for hierarchy, parents in enumerate(dimension.parents):
        for leaf in dimension.leaves:
            for depth, code in enumerate(_path(parents, int(leaf))):
                at = home.setdefault(code, (hierarchy, depth))
                levels.setdefault(at, np.full(len(dimension), NONE, np.int32))[leaf] = code
    return list(levels.values())


def _path(parents: Places, leaf: int) -> list[int]:
    """Return the codes from the total down to a leaf."""
    path = [leaf]
    while (above := int(parents[path[-1]])) != NONE:
        path.append(above)
    return path[::-1]


def added_rows(ids: Ints, rows: Ints, cells: int) -> Ints:
    """Add up whole numbers, one row each, by cell."""
    sums = np.zeros((len(rows), cells), np.int64)
    for into, row in zip(sums, rows, strict=True):
        np.add.at(into, ids, row)
    return sums


def largest_of(ids: Ints, sizes: Floats, cells: int, kept: int) -> Floats:
    """Return the largest sizes of every cell; a row may hold several, in descending order."""
    from tacita.kernels.contributions import largest_by_group

    return largest_by_group(ids, sizes[:, None] if sizes.ndim == 1 else sizes, cells, kept)


@dataclass(frozen=True)
class Ledger:
    """Where each amount stands among the whole numbers that add up.

    Args:
        asked: what the engine was asked; its amounts follow the count of contributors.
        units: the units of every amount.
    """

    asked: Breakdown
    units: tuple[Units, ...]

    def numbers(self, sums: Ints, amount: Amount) -> Floats:
        """Return the sums of an amount as doubles."""
        return self._unit(amount).number(self._rows(sums, amount))

    def digits(self, amount: Amount) -> int | None:
        """Return how many digits after the point sums of an amount have; None if no last one."""
        return self._unit(amount).digits

    def keys(self, sums: Ints) -> Floats:
        """Return the keys of cells; NaN where records have none."""
        amount = next((one for one in self.asked.amounts if one.what == "key"), None)
        if amount is None:
            return np.full(sums.shape[1], np.nan)
        return self._unit(amount).remainder(self._rows(sums, amount))

    def total(self, cells: Parts) -> Floats:
        """Return the sum of the contributions' sizes."""
        if self.asked.contributor is None:
            return self.numbers(cells.sums, self.asked.ranking)
        unit = self._unit(self.asked.ranking)
        return unit.number(cells.sums[-unit.cuts :])

    def pooled(self, parts: Parts) -> Parts:
        """Rank the holdings of every cell; rows that are no holdings' are cells already.

        The sum of their sizes comes at the end of the whole numbers.
        """
        if parts.holders is None:
            return parts
        ids, first = parts.cell_numbers()
        whole = self._rows(parts.sums, self.asked.ranking)
        numbers = self._unit(self.asked.ranking).number(whole)
        asking = parts.sums[-ASKED_LEVELS:] if self.asked.counts_requests else ()
        sizes = np.abs(numbers)
        tops = [np.zeros((len(first), 0))]
        tops += [largest_of(ids, np.where(q > 0, sizes, 0.0), len(first), 1) for q in asking]
        rows = [
            np.ones((1, len(parts)), np.int64),
            parts.sums[1:],
            np.sign(numbers).astype(np.int64) * whole,
        ]
        return Parts(
            parts.places[first],
            added_rows(ids, np.concatenate(rows), len(first)),
            largest_of(ids, sizes, len(first), self.asked.largest),
            np.hstack(tops),
        )

    def _rows(self, sums: Ints, amount: Amount) -> Ints:
        place = self.asked.amounts.index(amount)
        start = 1 + sum(unit.cuts for unit in self.units[:place])
        return sums[start : start + self.units[place].cuts]

    def _unit(self, amount: Amount) -> Units:
        return self.units[self.asked.amounts.index(amount)]
