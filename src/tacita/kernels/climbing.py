"""Hill climbing on the means of products of columns: values change by steps that come nearer.

A cell is a set of points that have one value of a coordinate in common and keep it so. Each cell
in its turn tries the step that was drawn for it, and the step is taken if it lowers the sum of the
squared gaps between the means of products and what they should be. A step changes only the
products that its coordinate is a factor of, so that no mean is ever computed anew.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Points(NamedTuple):
    """Values that change, and those they are held against."""

    values: Floats  # points by coordinates
    scaled: Floats  # the same less the centre, over the unit; and a last column of ones
    fixed: Floats  # points by coordinates: the value that each may not come nearer to


class Cells(NamedTuple):
    """Values that are one."""

    coordinates: Ints  # of each cell
    starts: Ints  # where the members of each cell begin, and where the last end
    members: Ints  # points
    most: Ints  # how many of the radii around fixed values the value of a cell may lie in


class Room(NamedTuple):
    """Where the values of each coordinate may go."""

    centres: Floats
    units: Floats
    lowest: Floats
    highest: Floats
    whole: Mask  # whether they are whole numbers
    radii: Floats  # coordinates by radii


class Products(NamedTuple):
    """Products of columns, listed under every column that is a factor of them."""

    factors: Ints  # products by factors; a column of ones fills up the shorter ones
    starts: Ints  # where the lines of each column begin, and where the last end
    lines: Ints  # products
    powers: Ints  # how often the column is a factor of the product
    rests: Ints  # lines by factors: the others


def products_of(columns: int, order: int) -> Products:
    """List all products of 1 to `order` columns, with repetition.

    >>> products_of(2, 2).factors.tolist()
    [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2]]
    """
    every = list(combinations_with_replacement(range(columns + 1), order))
    factors = np.array(every[:-1], np.int64).reshape(-1, order)  # the last is of ones alone
    places = [np.flatnonzero((factors == column).any(axis=1)) for column in range(columns)]
    # The ones stand for the column itself and, being the last, one of them goes.
    rests = [
        np.sort(np.where(factors[lines] == column, columns, factors[lines]), axis=1)[:, :-1]
        for column, lines in enumerate(places)
    ]
    powers = [(factors[lines] == column).sum(axis=1) for column, lines in enumerate(places)]
    starts = np.cumsum([0, *map(len, places)])
    return Products(
        factors,
        starts.astype(np.int64),
        np.concatenate(places).astype(np.int64),
        np.concatenate(powers).astype(np.int64),
        np.ascontiguousarray(np.concatenate(rests), np.int64),
    )


def means_of(scaled: Floats, products: Products) -> Floats:
    """Return the means of the products over all points, of columns with one of ones at the end.

    >>> means_of(np.array([[1.0, 1.0], [3.0, 1.0]]), products_of(1, 2)).tolist()
    [5.0, 2.0]
    """
    return _means(frozen(scaled, np.float64), frozen(products.factors, np.int64))


def inside(points: Points, cells: Cells, room: Room) -> Ints:
    """Count the radii around fixed values that the value of each cell lies in."""
    return _inside_all(points, cells, room)


def sweep(
    points: Points,
    cells: Cells,
    room: Room,
    products: Products,
    gaps: Floats,
    weights: Floats,
    turns: Ints,
    steps: Floats,
) -> int:
    """Let cells try a step each, and return how many were taken.

    Args:
        points: the points, whose values change.
        cells: the values that are one.
        room: where values may go; what is beyond is brought to the border.
        products: the products.
        gaps: by how much the mean of each product is above what it should be; changed.
        weights: how much the square of each gap counts.
        turns: cells, in the order of their turns.
        steps: how far each of these goes.
    """
    turns, steps = frozen(turns, np.int64), frozen(steps, np.float64)
    return _sweep(points, cells, room, products, gaps, frozen(weights, np.float64), turns, steps)


def warm_up() -> None:
    """Compile the kernels of this module."""
    one, none = np.ones(1), np.zeros(1, np.int64)
    products = products_of(1, 2)
    points = Points(np.ones((1, 1)), np.ones((1, 2)), np.ones((1, 1)))
    cells = Cells(none, np.array([0, 1]), none, none)
    room = Room(one, one, one, one, np.zeros(1, np.bool_), np.ones((1, 1)))
    gaps = means_of(points.scaled, products)
    inside(points, cells, room)
    sweep(points, cells, room, products, gaps, gaps, none, one)


@kernel
def _means(scaled: Floats, factors: Ints) -> Floats:
    means = np.zeros(len(factors))
    for i in range(len(scaled)):
        for product in range(len(factors)):
            term = 1.0
            for factor in factors[product]:
                term *= scaled[i, factor]
            means[product] += term
    return means / len(scaled)


@kernel
def _sweep(
    points: Points,
    cells: Cells,
    room: Room,
    products: Products,
    gaps: Floats,
    weights: Floats,
    turns: Ints,
    steps: Floats,
) -> int:
    taken = 0
    changes = np.empty(gaps.size)
    for turn in range(turns.size):
        cell = turns[turn]
        j = cells.coordinates[cell]
        old = points.values[cells.members[cells.starts[cell]], j]
        new = _landed(old + steps[turn], room, j)
        if new == old or _inside(points, cells, room, cell, new) > cells.most[cell]:
            continue
        scaled = (new - room.centres[j]) / room.units[j]
        _change(points, cells, products, cell, scaled, changes)
        if _rise(products, j, changes, gaps, weights) >= 0.0:
            continue
        for line in range(products.starts[j], products.starts[j + 1]):
            place = products.lines[line]
            gaps[place] += changes[place]
        for slot in range(cells.starts[cell], cells.starts[cell + 1]):
            points.values[cells.members[slot], j] = new
            points.scaled[cells.members[slot], j] = scaled
        taken += 1
    return taken


@kernel
def _landed(value: float, room: Room, j: int) -> float:
    """Bring a value to where values of its coordinate may be."""
    if room.whole[j]:
        value = np.rint(value)
    return float(min(max(value, room.lowest[j]), room.highest[j]))


@kernel
def _change(
    points: Points, cells: Cells, products: Products, cell: int, scaled: float, changes: Floats
) -> None:
    """Say by how much the means of products change when a cell gets another value."""
    j = cells.coordinates[cell]
    first, last = cells.starts[cell], cells.starts[cell + 1]
    old = points.scaled[cells.members[first], j]
    for line in range(products.starts[j], products.starts[j + 1]):
        total = 0.0
        for slot in range(first, last):
            term = 1.0
            for factor in products.rests[line]:
                term *= points.scaled[cells.members[slot], factor]
            total += term
        power = products.powers[line]
        changes[products.lines[line]] = total * (scaled**power - old**power) / len(points.scaled)


@kernel
def _rise(products: Products, j: int, changes: Floats, gaps: Floats, weights: Floats) -> float:
    """Say by how much the sum of the weighed squares of the gaps rises with some changes."""
    rise = 0.0
    for line in range(products.starts[j], products.starts[j + 1]):
        place = products.lines[line]
        rise += weights[place] * changes[place] * (changes[place] + 2.0 * gaps[place])
    return rise


@kernel
def _inside(points: Points, cells: Cells, room: Room, cell: int, value: float) -> int:
    """Count the radii around the fixed values of a cell's points that a value lies in."""
    j, count = cells.coordinates[cell], 0
    for slot in range(cells.starts[cell], cells.starts[cell + 1]):
        gap = abs(points.fixed[cells.members[slot], j] - value)
        for radius in room.radii[j]:
            if gap <= radius:
                count += 1
    return count


@kernel
def _inside_all(points: Points, cells: Cells, room: Room) -> Ints:
    counts = np.empty(cells.coordinates.size, np.int64)
    for cell in range(counts.size):
        value = points.values[cells.members[cells.starts[cell]], cells.coordinates[cell]]
        counts[cell] = _inside(points, cells, room, cell, value)
    return counts
