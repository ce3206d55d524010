"""Microaggregated: values come in groups of at least k, and are averages of so many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacita.attacks.clues.equal_groups import no_rare_one
from tacita.attacks.clues.guess import REPORTED, Guess
from tacita.attacks.clues.rounding import lattice
from tacita.attacks.clues.values import counted, numeric, whole
from tacita.data.attribute import Role
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.results import listed

PAIR = 2
DECIMALS = range(5)  # that original values are taken to have
BROKEN = 0.25  # of the groups' values, the least share that has more digits than the original
DENSE = 0.5  # of the points between the ends, the share that numbers in a row take
NEAR = 1e-12  # of a whole number, what the division by a group's size may lose


class Block(NamedTuple):
    """Attributes that are constant in the same groups."""

    names: tuple[str, ...]
    sizes: Ints
    chance: float


def look(data: Dataset) -> Iterator[Guess]:
    """Find the attributes that were microaggregated, and which of them together.

    Without masking some values would be rare; see `equal_groups`. Averages show by fractions of
    which the size of their group makes recorded digits. Numbers in a row, years for instance, have
    counts that a design may set; they are guessed only if they are averages.
    """
    for block in blocks(data):
        numbers = [name for name in block.names if name in numeric(data)]
        averaged = [name for name in numbers if _is_averaged(data, name)]
        if averaged or not all(_follow_each_other(data, name) for name in numbers):
            yield _guess(block, averaged)


def blocks(data: Dataset) -> list[Block]:
    """Return the blocks of attributes whose values come in groups that no chance explains."""
    found: list[Block] = []
    for block in _candidates(data):
        for place, other in enumerate(found):
            joined = _joined(data, other, block)
            if joined is not None:
                found[place] = joined
                break
        else:
            found.append(block)
    return [_closed(data, block) for block in found]


def _candidates(data: Dataset) -> list[Block]:
    """Return the numbers without a rare value, those of most groups first."""
    found = [Block((name,), counts, no_rare_one(counts)) for name, counts in _counts(data)]
    clear = [block for block in found if block.chance <= REPORTED]
    return sorted(clear, key=lambda block: -len(block.sizes))


def _counts(data: Dataset) -> Iterator[tuple[str, Ints]]:
    for name in numeric(data):
        counts = counted(data, name).counts
        if len(counts) and counts.min() >= PAIR:
            yield name, counts


def _joined(data: Dataset, one: Block, other: Block) -> Block | None:
    """Return the block of both if they have the same groups: nobody is alone in what they share."""
    names = (*one.names, *other.names)
    sizes = _sizes(data, names)
    if sizes.min(initial=PAIR) < PAIR:
        return None
    chance = no_rare_one(sizes)
    return Block(names, sizes, chance) if chance <= REPORTED else None


def _sizes(data: Dataset, names: Sequence[str]) -> Ints:
    """Return how many records share each combination of values, those with blanks left out."""
    classes = data.classes(names)
    first = pa.array(classes.first)
    blank = [np.asarray(data.column(name).take(first).is_null()) for name in names]
    sizes: Ints = classes.counts[~np.logical_or.reduce(blank)]
    return sizes


def _closed(data: Dataset, block: Block) -> Block:
    """Add the attributes, of whatever kind, by which no group gets smaller."""
    names, sizes = list(block.names), block.sizes
    for name, attribute in data.attributes.items():
        if name in names or attribute.is_a(Role.WEIGHT) or len(data.classes([name])) < PAIR:
            continue
        finer = _sizes(data, [*names, name])
        if len(finer) and finer.min() >= sizes.min():
            names, sizes = [*names, name], finer
    return Block(tuple(sorted(names, key=data.names.index)), sizes, block.chance)


def _guess(block: Block, averaged: Sequence[str]) -> Guess:
    k, largest = int(block.sizes.min()), int(block.sizes.max())
    parameters = {"k": k, "algorithm": _algorithm(block)}
    if averaged:
        parameters["representative"] = "mean"
    if len(block.names) > 1:
        parameters["together"] = len(block.names)
    return Guess(
        "microaggregate",
        block.names,
        parameters,
        f"{int(block.sizes.sum()):,} records show {len(block.sizes):,} different "
        f"{_what(block.names)}, none fewer than {k} and none more than {largest} times"
        f"{_told(averaged)}",
        block.chance,
        narrows=f"a value is the average of {k} or more that lie near it" if averaged else "",
        alternatives=() if averaged else ("several records of one respondent",),
    )


def _what(names: Sequence[str]) -> str:
    return f"values of {names[0]}" if len(names) == 1 else f"combinations of {listed(names)}"


def _told(averaged: Sequence[str]) -> str:
    if not averaged:
        return "; they need not be averages"
    return f"; {listed(averaged)} has fractions of which the size of the group makes whole digits"


def _follow_each_other(data: Dataset, name: str) -> bool:
    """Tell whether numbers follow each other as years and waves do, whose counts a design sets."""
    found = lattice(counted(data, name).values)
    return found is not None and found.points > DENSE * found.length


def _is_averaged(data: Dataset, name: str) -> bool:
    values, counts = counted(data, name)
    return any(
        bool(whole(values * counts * 10**decimals, NEAR).all())
        and np.mean(~whole(values * 10**decimals, NEAR)) >= BROKEN
        for decimals in DECIMALS
    )


def _algorithm(block: Block) -> str:
    """Return the algorithm that makes such groups; equal averages join groups."""
    k = block.sizes.min()
    of_one_size = np.count_nonzero(block.sizes % k) <= 1
    if len(block.names) == 1:
        return "individual_ranking" if of_one_size else "optimal"
    return "mdav" if of_one_size else "v_mdav"
