"""The ways to roll a dimension up: cuts of its hierarchies, and what is left of its codes.

A cut opens the total, some of the codes below it, some below those, and so on; where it stops,
codes are published as a whole. A code is opened with all its parts or not at all: one part that is
left out is the difference of the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Literal, NamedTuple

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.tables.dimension import NONE, Dimension, Places

Recoding = Literal["cut", "level", "kept"]


class Fork(NamedTuple):
    """Codes with several parts each that are opened together: one code, or those of a level.

    Args:
        codes: their places.
        above: the fork that must be open before, -1 if there is none.
    """

    codes: tuple[int, ...]
    above: int


class Cut(NamedTuple):
    """Where a dimension is cut.

    Args:
        hierarchy: the hierarchy that is cut.
        opened: its forks that are open.
    """

    hierarchy: int
    opened: frozenset[int]


@dataclass(frozen=True, eq=False)
class Cuts:
    """All cuts of a dimension.

    One hierarchy is cut, and its lowest codes are the finest that are published. A code of another
    hierarchy stays if it is the total of some of them; otherwise differences between the two would
    tell of codes that were left out.

    Args:
        dimension: the dimension.
        recoding: `cut` opens code by code, `level` all codes of a level or none, `kept` everything.

    >>> region = Dimension.from_nested("region", {"Total": {"north": ["a", "b"], "south": ["c"]}})
    >>> cuts = Cuts(region)
    >>> [[region.codes[code] for code in fork.codes] for fork in cuts.forks[0]]
    [['Total'], ['north']]
    >>> [c for c, kept in zip(region.codes, cuts.kept(Cut(0, frozenset({0}))), strict=True) if kept]
    ['Total', 'north', 'south', 'c']
    """

    dimension: Dimension
    recoding: Recoding = "cut"

    @cached_property
    def forks(self) -> tuple[tuple[Fork, ...], ...]:
        """What can be opened in each hierarchy, from the top down."""
        return tuple(self._forks(parents) for parents in self.dimension.parents)

    def _forks(self, parents: Places) -> tuple[Fork, ...]:
        parts = np.bincount(parents[parents != NONE], minlength=len(self.dimension))
        depth = {int(code): _depth(parents, int(code)) for code in np.flatnonzero(parts > 1)}
        codes = sorted(depth, key=lambda code: (depth[code], code))
        if self.recoding == "level":
            levels = sorted(set(depth.values()))
            together = [tuple(c for c in codes if depth[c] == level) for level in levels]
            return tuple(Fork(level, place - 1) for place, level in enumerate(together))
        number = {code: place for place, code in enumerate(codes)}
        return tuple(Fork((code,), _fork_above(parents, code, number)) for code in codes)

    @cached_property
    def needs(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each hierarchy and code, the lowest forks that must be open for it to be kept."""
        found = []
        for parents, forks in zip(self.dimension.parents, self.forks, strict=True):
            number = {code: place for place, fork in enumerate(forks) for code in fork.codes}
            found.append(tuple(self._need(parents, code, number) for code in range(len(parents))))
        return tuple(found)

    def _need(self, parents: Places, code: int, number: dict[int, int]) -> tuple[int, ...]:
        if code == 0 or parents[code] != NONE:
            above = _fork_above(parents, code, number)
            return () if above == NONE else (above,)
        # A code of another hierarchy is a total of kept codes if none of them is partly in it.
        shared = self.below @ self.below[code]
        partly = {number[c] for c in number if 0 < shared[c] < self.below[c].sum()}
        higher = {
            fork for c in number if number[c] in partly for fork in _above(parents, c, number)
        }
        return tuple(sorted(partly - higher))

    @cached_property
    def below(self) -> Ints:
        """For each code the leaves below it, counted as 0 and 1."""
        place = {int(leaf): column for column, leaf in enumerate(self.dimension.leaves)}
        below = np.zeros((len(self.dimension), len(place)), np.int64)
        for parents in self.dimension.parents:
            for leaf, column in place.items():
                code = leaf
                while code != NONE:
                    below[code, column] = 1
                    code = int(parents[code])
        return below

    @property
    def finest(self) -> Cut:
        """The cut that keeps every code."""
        return Cut(0, frozenset(range(len(self.forks[0]))))

    @property
    def coarsest(self) -> Cut:
        """The cut that keeps the least."""
        return self.finest if self.recoding == "kept" else Cut(0, frozenset())

    @property
    def number(self) -> int:
        """How many cuts there are; one that several hierarchies allow is counted for each."""
        if self.recoding == "kept":
            return 1
        return sum(_number(forks) for forks in self.forks)

    def kept(self, cut: Cut) -> Mask:
        """Tell which codes a cut keeps."""
        needs = self.needs[cut.hierarchy]
        return np.array([cut.opened.issuperset(need) for need in needs], bool)

    def next(self, cut: Cut) -> Iterable[int]:
        """Give the forks that can be opened next."""
        forks = self.forks[cut.hierarchy]
        for place, fork in enumerate(forks):
            if place not in cut.opened and (fork.above == NONE or fork.above in cut.opened):
                yield place


# -- what is left ----------------------------------------------------------------------------------


def rolled(cuts: Cuts, kept: Mask) -> Dimension:
    """Return the dimension with only the codes that are kept."""
    dimension = cuts.dimension
    if kept.all():
        return dimension
    codes = np.flatnonzero(kept)
    lowest = _lowest(cuts, codes)
    place = np.full(len(dimension), NONE, np.int32)
    place[codes] = np.arange(len(codes))
    parents: dict[bytes, Places] = {}
    for number, above in enumerate(dimension.parents):
        made = np.full(len(codes), NONE, np.int32)
        for code in codes[1:]:
            whole = _kept_above(above, int(code), kept)
            if whole == NONE and int(code) in lowest:  # a finest code of another hierarchy
                whole = _smallest_around(cuts, number, int(code), kept)
            made[place[code]] = NONE if whole == NONE else place[whole]
        parents.setdefault(made.tobytes(), made)
    named = tuple(dimension.codes[code] for code in codes)
    labels = {code: told for code, told in dimension.labels.items() if code in named}
    missing = dimension.missing & frozenset(named)
    return Dimension(dimension.name, named, tuple(parents.values()), labels, missing)


def recoded(cuts: Cuts, kept: Mask) -> dict[str, str]:
    """Return for every leaf that is left out the code that stands for it now."""
    codes, found = cuts.dimension.codes, {}
    for leaf in map(int, cuts.dimension.leaves):
        if not kept[leaf]:
            around = [_kept_above(parents, leaf, kept) for parents in cuts.dimension.parents]
            if len(around) > 1:
                around.sort(key=lambda code: int(cuts.below[code].sum()))
            found[codes[leaf]] = codes[around[0]]
    return found


def _lowest(cuts: Cuts, codes: Ints) -> set[int]:
    """Return the finest codes that are kept; of several for the same leaves, one."""
    kept = np.isin(np.arange(len(cuts.dimension)), codes)
    hierarchies = cuts.dimension.parents
    wholes = {_kept_above(parents, int(c), kept) for parents in hierarchies for c in codes}
    ends = [int(code) for code in codes if int(code) not in wholes]
    if len(hierarchies) == 1:
        return set(ends)
    ends.sort(key=lambda code: (int(cuts.below[code].sum()), code))
    covered = np.zeros(cuts.below.shape[1], np.int64)
    found = set()
    for code in ends:  # finest first: what is covered already is a total of finer codes
        if not (covered & cuts.below[code]).any():
            covered |= cuts.below[code]
            found.add(code)
    return found


def _smallest_around(cuts: Cuts, hierarchy: int, code: int, kept: Mask) -> int:
    """Return the lowest kept code of another hierarchy that a code is part of."""
    parents = cuts.dimension.parents[hierarchy]
    within = (cuts.below >= cuts.below[code]).all(axis=1) & kept & (parents != NONE)
    around = [int(c) for c in np.flatnonzero(within) if c != code]
    return max(around, key=lambda c: _depth(parents, c), default=0)


# -- up a hierarchy --------------------------------------------------------------------------------


def _depth(parents: Places, code: int) -> int:
    depth = 0
    while (code := int(parents[code])) != NONE:
        depth += 1
    return depth


def _above(parents: Places, code: int, number: dict[int, int]) -> Iterable[int]:
    """Give the forks above a code, the nearest first; an only part says the same as its total."""
    while (code := int(parents[code])) != NONE:
        if code in number:
            yield number[code]


def _fork_above(parents: Places, code: int, number: dict[int, int]) -> int:
    return next(iter(_above(parents, code, number)), NONE)


def _kept_above(parents: Places, code: int, kept: Mask) -> int:
    while (code := int(parents[code])) != NONE:
        if kept[code]:
            return code
    return NONE


def _number(forks: tuple[Fork, ...]) -> int:
    """Count the cuts of one hierarchy: below an open fork, each fork is cut by itself."""
    below: dict[int, list[int]] = {}
    for fork in range(len(forks) - 1, -1, -1):
        ways = 1 + prod(below.get(fork, []))
        below.setdefault(forks[fork].above, []).append(ways)
    return prod(below.get(NONE, []))
