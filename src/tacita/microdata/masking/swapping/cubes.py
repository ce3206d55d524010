"""Exchanges of one attribute's values that leave all margins of some order as they are.

Two records that differ in the value of one other attribute k only, b and b', exchange their values
a and a'. That changes the margin of (a, k) by (a' - a)(b - b'), and every larger one by the same at
the values c that the records share. Two such pairs that differ only in attribute l, x and x', and
exchange a for a' and a' for a, together change by (a' - a)(b - b')(x - x') at the rest: nothing in
any margin but those with a, k and l. So pairs grow to cubes along one attribute after the other;
two opposite cubes along t - 1 attributes, whatever the rest, change no margin of order t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.microdata.masking.swapping.pairing import Pairs, paired_apart

PATIENCE = 20  # times that nothing is found before no more is looked for


@dataclass(frozen=True, eq=False)
class Cubes:
    """Records whose values are exchanged together.

    Args:
        members: cubes by records; the first exchanges with the second, the third with the fourth.
        shape: a number for each cube, equal where cubes have the same edges.
        sign: which of the two opposite changes a cube makes.
    """

    members: Ints
    shape: Ints
    sign: Mask

    def joined(self, pairs: Pairs) -> Ints:
        """Return the records of both cubes of every pair, side by side."""
        return np.hstack([self.members[part] for part in pairs])


def exchanges_of(
    values: Ints, others: Sequence[Ints], order: int, wanted: int, rng: np.random.Generator
) -> Pairs:
    """Draw exchanges that keep all margins of an order until enough records are in one.

    Args:
        values: the value of every record, as a number.
        others: the values of the other attributes of the margins.
        order: the order of the margins, from 1 to the number of the others.
        wanted: how many records are to be exchanged; fewer are if no more can be found.
        rng: where chance comes from.

    Returns:
        The records that exchange their values, no one of them twice.
    """
    left, found, idle = np.arange(len(values)), [np.zeros((0, 2), np.int64)], 0
    while wanted > 0 and idle < PATIENCE:
        steps = balanced_exchanges(values[left], [one[left] for one in others], order, rng)
        chosen = rng.permutation(steps)[: max(1, wanted >> order)]
        found.append(left[chosen].reshape(-1, 2))
        wanted, idle = wanted - chosen.size, 0 if chosen.size else idle + 1
        left = np.delete(left, chosen.ravel())
    ones, twos = np.concatenate(found).T
    return ones, twos


def balanced_exchanges(
    values: Ints, others: Sequence[Ints], order: int, rng: np.random.Generator
) -> Ints:
    """Draw exchanges of values, each of which leaves all margins of an order as they are.

    No record is in two of them, and each gets another value than its own.

    >>> values, others = np.array([0, 1, 1, 0]), [np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])]
    >>> sorted(balanced_exchanges(values, others, 2, np.random.default_rng(0))[0].tolist())
    [0, 1, 2, 3]

    Args:
        values: the value of every record, as a number.
        others: the values of the other attributes of the margins.
        order: the order of the margins, from 1 to the number of the others.
        rng: where chance comes from.

    Returns:
        Exchanges by records; the first exchanges with the second, the third with the fourth.
    """
    if order == 1:
        return np.column_stack(_paired(np.zeros(len(values), np.int64), values, rng))
    axes = rng.permutation(len(others))[: order - 1].tolist()
    rest = [codes for place, codes in enumerate(others) if place not in axes]
    along = [others[axis] for axis in axes]
    cubes = _edges(values, along[0], [*rest, *along[1:]], rng)
    for place, axis in enumerate(along[1:], start=2):
        cubes = _grown(cubes, axis, [*rest, *along[place:]], rng)
    return cubes.joined(_paired(cubes.shape, cubes.sign, rng))


def _paired(cells: Ints, parts: Ints | Mask, rng: np.random.Generator) -> Pairs:
    return paired_apart(cells, parts, np.zeros(len(cells), np.bool_), rng)


def _edges(values: Ints, axis: Ints, rest: Sequence[Ints], rng: np.random.Generator) -> Cubes:
    """Pair records that agree on the rest and differ in their values and along an axis."""
    from tacita.kernels.grouping import group

    pairs = _paired(group(rest, records=len(values)).ids, values, rng)
    low, high = _ascending(axis, pairs)
    smaller, larger = np.minimum(values[low], values[high]), np.maximum(values[low], values[high])
    shape = group([axis[low], axis[high], smaller, larger]).ids
    return Cubes(np.column_stack([low, high]), shape, values[low] < values[high])


def _grown(cubes: Cubes, axis: Ints, rest: Sequence[Ints], rng: np.random.Generator) -> Cubes:
    """Pair opposite cubes that agree on the rest and differ along an axis."""
    from tacita.kernels.grouping import group

    corner = cubes.members[:, 0]
    cells = group([cubes.shape, *(codes[corner] for codes in rest)]).ids
    low, high = _ascending(axis[corner], _paired(cells, cubes.sign, rng))
    shape = group([cubes.shape[low], axis[corner][low], axis[corner][high]]).ids
    return Cubes(cubes.joined((low, high)), shape, cubes.sign[low])


def _ascending(at: Ints, pairs: Pairs) -> Pairs:
    """Return the pairs that lie apart on an axis, the lower of each first."""
    one, other = pairs
    apart = at[one] != at[other]
    one, other = one[apart], other[apart]
    swap = at[one] > at[other]
    return np.where(swap, other, one), np.where(swap, one, other)
