"""Local suppression as a choice: under which pattern of blanks each record is released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import gcd, lcm
from typing import Any

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.results import exactly

MOST_PATTERNS = 4096  # all patterns of twelve keys
MOST_CELLS = 60_000_000  # that are numbered at once; each takes four bytes
MOST_UNITS = 1_000_000  # that a value costs: sums stay exact, and solvers calm
SIMPLE = 1000  # the largest denominator of a weight like 1/3
BLANK = 0

Places = np.ndarray[Any, np.dtype[np.int32]]


@dataclass(frozen=True, eq=False)
class Problem:
    """Records with equal keys are one row; each is to be released under some pattern of blanks.

    A *pattern* is a set of keys that are blanked, written as the bits of a number. A *cell* is
    what a reader sees of a record: the values that are left and the blanks. A record that has
    blanks from the start can only be released under a pattern that holds them.

    Args:
        values: the number of every row's value of every key, from 1 on; 0 for a blank.
        strata: the stratum of every row; records of different strata never share a cell.
        counts: how many records every row stands for.
        weights: what blanking a value of each key costs, in whole units.
        k: how many records a cell needs.
    """

    values: Ints
    strata: Ints
    counts: Ints
    weights: Ints
    k: int

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def keys(self) -> int:
        """The number of keys."""
        return len(self.weights)

    @cached_property
    def by_stratum(self) -> list[Ints]:
        """The rows of every stratum."""
        order = np.argsort(self.strata, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.strata[order])) + 1)

    @cached_property
    def blanks(self) -> Ints:
        """The pattern of blanks that every row has from the start."""
        bits: Ints = (self.values == BLANK) @ (1 << np.arange(self.keys))
        return bits

    @cached_property
    def patterns(self) -> Ints:
        """The patterns that are looked at, the cheapest first: all of them, if they are few."""
        every = 1 << self.keys
        room = min(MOST_PATTERNS, max(MOST_CELLS // max(len(self), 1), 2))
        found = np.arange(every) if every <= room else self._some_patterns(room)
        return found[np.lexsort((found, self.cost_of(found)))]

    @cached_property
    def costs(self) -> Ints:
        """What every pattern costs a record without blanks."""
        return self.cost_of(self.patterns)

    @cached_property
    def known_costs(self) -> Ints:
        """What the blanks that every row has from the start would have cost."""
        return self.cost_of(self.blanks)

    @cached_property
    def own(self) -> Ints:
        """The place, among the patterns, of the one that leaves a row as it is."""
        order = np.argsort(self.patterns)
        return order[np.searchsorted(self.patterns[order], self.blanks)]

    @cached_property
    def missing_cost(self) -> int | None:
        """What every pattern that is not looked at costs at least; None if all are."""
        if len(self.patterns) == 1 << self.keys:
            return None
        if self.blanks.any():
            return int(self.weights.min())
        listed = set(self.patterns.tolist())
        size = next(
            size
            for size in range(self.keys + 1)
            if any(_bits(some) not in listed for some in combinations(range(self.keys), size))
        )
        return int(np.sort(self.weights)[:size].sum())

    def cost_of(self, patterns: Ints) -> Ints:
        """Return what some patterns cost a record without blanks."""
        return (patterns[:, None] >> np.arange(self.keys) & 1) @ self.weights

    def fits(self, place: int) -> Mask:
        """Tell the rows that can be released under a pattern."""
        fitting: Mask = (self.blanks & ~self.patterns[place]) == 0
        return fitting

    def over(self, keys: Sequence[int]) -> Problem:
        """Return the problem over some of the keys alone."""
        from tacita.kernels.grouping import group

        groups = group([self.strata, *(self.values[:, key] for key in keys)])
        return Problem(
            self.values[groups.first][:, list(keys)],
            self.strata[groups.first],
            np.bincount(groups.ids, self.counts).astype(np.int64),
            self.weights[list(keys)],
            self.k,
        )

    def _some_patterns(self, room: int) -> Ints:
        """Return patterns of few blanks, a chain up to all blanks, and the blanks there are."""
        order = np.lexsort((-self._distinct(), self.weights))
        chain = [_bits(order[:length]) for length in range(self.keys + 1)]
        held = {*chain, *np.unique(self.blanks).tolist()}
        for size in range(self.keys + 1):
            more = {_bits(some) for some in combinations(range(self.keys), size)} | held
            if len(more) > room:
                break
            held = more
        return np.array(sorted(held))

    def _distinct(self) -> Ints:
        return np.array([len(np.unique(column)) for column in self.values.T], np.int64)


def _bits(keys: Sequence[int] | Ints) -> int:
    return sum(1 << int(key) for key in keys)


def as_meant(weight: float) -> Fraction:
    """Return a weight as the simple fraction that it is the double of, else as it is written.

    >>> as_meant(1 / 3), as_meant(0.05), as_meant(0.12345)
    (Fraction(1, 3), Fraction(1, 20), Fraction(2469, 20000))
    """
    near = Fraction(weight).limit_denominator(SIMPLE)
    return near if float(near) == weight else exactly(weight)


def whole_units(weights: Sequence[float]) -> tuple[Ints, Fraction]:
    """Return weights as whole numbers of a unit, and how many units are 1.

    Weights that would need too fine a unit are rounded down, so that what bounds their sum bounds
    that of the weights; none is rounded to nothing that is a millionth of the largest or more.

    >>> whole_units([1, 0.5, 0.25])
    (array([4, 2, 1]), Fraction(4, 1))
    >>> whole_units([1, 1 / 3, 0.123456789])[0]
    array([1000000,  333333,  123456])
    """
    exact = [as_meant(weight) for weight in weights]
    finest = Fraction(
        lcm(*(weight.denominator for weight in exact)), gcd(*(weight.numerator for weight in exact))
    )
    scale = min(finest, MOST_UNITS / max(exact))
    return np.array([int(weight * scale) for weight in exact], np.int64), scale


@dataclass(frozen=True, eq=False)
class Cells:
    """The cell of every row under every pattern, for every set of keys that is looked at.

    Patterns that blank the same keys of a set lead to the same cells: they share a *layer*.

    Args:
        layers: layers x rows, the number of the cell; -1 where a row cannot be in the layer.
        layer_of: patterns x sets, the layer.
        number: how many cells there are.
    """

    layers: Places
    layer_of: Ints
    number: int

    def sums(self, amounts: Ints) -> Ints:
        """Add up what each row has over the cells that it could be released in."""
        total = np.zeros(self.number + 1, np.int64)
        for layer in self.layers:
            np.add.at(total, layer + 1, amounts)
        return total[1:]

    def of(self, rows: Ints) -> Cells:
        """Return the cells of some rows alone, with numbers of their own."""
        numbers, at = np.unique(self.layers[:, rows], return_inverse=True)
        nowhere = int(numbers[0] < 0)
        layers = (at.reshape(len(self.layers), -1) - nowhere).astype(np.int32)
        return Cells(layers, self.layer_of, len(numbers) - nowhere)


def cells_of(problem: Problem, sets: Sequence[Sequence[int]] | None = None) -> Cells:
    """Return the cells, by default those over all keys, with numbers."""
    from tacita.kernels.grouping import group

    chosen = [_bits(keys) for keys in ([range(problem.keys)] if sets is None else sets)]
    layers, place_of, number = dict[tuple[int, int], Places](), dict[tuple[int, int], int](), 0
    layer_of = np.zeros((len(problem.patterns), len(chosen)), np.int64)
    for place, one in np.ndindex(*layer_of.shape):
        seen = chosen[one] & ~int(problem.patterns[place])
        which = (one, seen)
        if which not in layers:
            # A blank that is there from the start must be blanked by the pattern, too.
            rows = np.flatnonzero((problem.blanks & seen) == 0)
            left = [key for key in range(problem.keys) if seen >> key & 1]
            groups = group([problem.strata[rows], *(problem.values[rows, key] for key in left)])
            place_of[which] = len(layers)
            layers[which] = np.full(len(problem), -1, np.int32)
            layers[which][rows] = groups.ids + number
            number += len(groups.first)
        layer_of[place, one] = place_of[which]
    return Cells(np.array(list(layers.values())), layer_of, number)


@dataclass(frozen=True, eq=False)
class Found:
    """A way to place every record.

    Args:
        placed: the number of records by pattern and row.
        bound: what no way can cost less than, in units.
        is_timed: whether a clock ended the search.
    """

    placed: Places
    bound: int
    is_timed: bool = False


def cost_of(problem: Problem, placed: Places) -> int:
    """Return what a way to place the records costs, in units."""
    per_pattern = placed.sum(axis=1, dtype=np.int64)
    return int(per_pattern @ problem.costs - problem.counts @ problem.known_costs)
