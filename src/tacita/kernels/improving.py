"""Local search on a partition of points: exchanges between near groups that lower the squares.

The sum of squares within groups falls with every step. A step sends a point to a near group, swaps
it with a point there, or lets it push a point of that group on to a third; or it dissolves a group
among its neighbours. Groups keep at least k and fewer than 2k points. Steps are taken in the order
of the groups, so that the result depends on nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

NOBODY = -1


class Groups(NamedTuple):
    """A partition that changes."""

    labels: Ints  # for each point, its group
    places: Ints  # for each point, its place among the members of its group
    members: Ints  # groups by places; room for 2k points, one more than a group may keep
    sizes: Ints  # 0 for a group that was dissolved
    centres: Floats  # groups by coordinates


class Step(NamedTuple):
    """A point goes to a group, and a point of that group (or nobody) to another."""

    change: float  # of the sum of squares
    to: int
    pushed: int
    further: int


def gathered(points: Floats, labels: Ints, k: int) -> Groups:
    """Gather the members and centres of groups, none of which may have more than 2k points."""
    count = int(labels.max(initial=-1)) + 1
    sizes = np.bincount(labels, minlength=count)
    order = np.argsort(labels, kind="stable")
    starts = np.cumsum(sizes) - sizes
    places = np.empty(len(labels), np.int64)
    places[order] = np.arange(len(labels)) - starts[labels[order]]
    members = np.full((count, 2 * k), NOBODY)
    members[labels, places] = np.arange(len(labels))
    sums = [np.bincount(labels, column, count) for column in points.T]
    centres = np.column_stack(sums) / np.maximum(sizes, 1)[:, None]
    return Groups(labels.copy(), places, members, sizes, np.ascontiguousarray(centres))


def sweep(points: Floats, groups: Groups, near: Ints, k: int, stirred: Mask, least: float) -> Mask:
    """Take the best step of every point, then dissolve groups; tell which groups have changed.

    Args:
        points: points by coordinates.
        groups: the partition, which is changed.
        near: groups by neighbours: the groups that a group's points may go to.
        k: the smallest size of a group.
        stirred: the groups that changed in the last sweep; where nothing did, nothing can.
        least: steps that gain less than this are not taken.
    """
    changed = np.zeros(len(stirred), np.bool_)
    points, near = frozen(points, np.float64), frozen(near, np.int64)
    _exchange(points, groups, near, k, stirred, least, changed)
    _dissolve(points, groups, near, k, least, changed)
    return changed


def warm_up() -> None:
    """Compile the kernels of this module."""
    points, labels = np.arange(4.0).reshape(4, 1), np.array([0, 1, 0, 1])
    near = np.array([[1], [0]])
    sweep(points, gathered(points, labels, 2), near, 2, np.ones(2, np.bool_), 0.0)


@kernel
def _exchange(
    points: Floats,
    groups: Groups,
    near: Ints,
    k: int,
    stirred: Mask,
    least: float,
    changed: Mask,
) -> None:
    """Take the best step of every point of a group near which something has changed."""
    for a in range(groups.sizes.size):
        awake = stirred[a]
        for b in near[a]:
            awake = awake or stirred[b] or changed[b]
        slot = 0
        while awake and slot < groups.sizes[a]:
            point = groups.members[a, slot]
            step = _best_step(points, groups, near, k, point, -least)
            if step.to != NOBODY:
                _move(points, groups, point, step.to)
                changed[a] = changed[step.to] = True
            if step.pushed != NOBODY:
                _move(points, groups, step.pushed, step.further)
                changed[step.further] = True
            # Who comes into the place of a point that left is looked at too; a swap ends the turn.
            if step.to == NOBODY or step.further == a:
                slot += 1


@kernel
def _best_step(
    points: Floats, groups: Groups, near: Ints, k: int, point: int, limit: float
) -> Step:
    """Find the step of a point that lowers the squares most, if any by more than the limit."""
    a = groups.labels[point]
    best = Step(limit, NOBODY, NOBODY, NOBODY)
    left = np.inf  # a group of k points lets nobody go without getting another
    if groups.sizes[a] > k:
        left = -_gap(points, point, groups, a) * groups.sizes[a] / (groups.sizes[a] - 1)
    for b in near[a]:
        if b == a or groups.sizes[b] == 0:
            continue
        if groups.sizes[b] < 2 * k - 1:
            change = left + _joining(points, point, groups, b)
            if change < best.change:
                best = Step(change, b, NOBODY, NOBODY)
        for slot in range(groups.sizes[b]):
            other = groups.members[b, slot]
            change = _swapping(points, groups, point, other)
            if change < best.change:
                best = Step(change, b, other, a)
            if left < 0.0:
                best = _best_push(points, groups, near, k, point, other, left, best)
    return best


@kernel
def _best_push(
    points: Floats,
    groups: Groups,
    near: Ints,
    k: int,
    point: int,
    other: int,
    left: float,
    best: Step,
) -> Step:
    """Let a point take the place of another, which goes to a third group."""
    a, b = groups.labels[point], groups.labels[other]
    start = left + _replacing(points, groups, b, point, other)
    if start >= best.change:
        return best
    for c in near[b]:
        if c in (a, b) or not 0 < groups.sizes[c] < 2 * k - 1:
            continue
        change = start + _joining(points, other, groups, c)
        if change < best.change:
            best = Step(change, b, other, c)
    return best


@kernel
def _dissolve(
    points: Floats, groups: Groups, near: Ints, k: int, least: float, changed: Mask
) -> None:
    """Share a group out among its neighbours wherever that lowers the squares."""
    gone, targets = np.empty(2 * k, np.int64), np.empty(2 * k, np.int64)
    for a in range(groups.sizes.size):
        size, cost = groups.sizes[a], least
        for slot in range(size):
            gone[slot] = groups.members[a, slot]
            cost -= _gap(points, gone[slot], groups, a)
        moved = 0
        while moved < size:
            b = _best_host(points, groups, near, k, gone[moved], a)
            if b == NOBODY:
                break
            cost += _joining(points, gone[moved], groups, b)
            if cost >= 0.0:
                break
            _move(points, groups, gone[moved], b)
            targets[moved] = b
            moved += 1
        for slot in range(moved):
            if moved == size:
                changed[targets[slot]] = True
            else:
                _move(points, groups, gone[slot], a)


@kernel
def _best_host(points: Floats, groups: Groups, near: Ints, k: int, point: int, a: int) -> int:
    """Find the group near another that a point can join at the least cost."""
    best, host = np.inf, NOBODY
    for b in near[a]:
        if b != a and 0 < groups.sizes[b] < 2 * k - 1:
            cost = _joining(points, point, groups, b)
            if cost < best:
                best, host = cost, b
    return host


@kernel
def _move(points: Floats, groups: Groups, point: int, to: int) -> None:
    """Send a point to another group."""
    a, place = groups.labels[point], groups.places[point]
    groups.sizes[a] -= 1
    last = groups.members[a, groups.sizes[a]]
    groups.members[a, place], groups.places[last] = last, place
    groups.members[to, groups.sizes[to]], groups.places[point] = point, groups.sizes[to]
    groups.sizes[to] += 1
    groups.labels[point] = to
    for j in range(points.shape[1]):
        value = points[point, j]
        if groups.sizes[a]:
            groups.centres[a, j] -= (value - groups.centres[a, j]) / groups.sizes[a]
        if groups.sizes[to] == 1:
            groups.centres[to, j] = value
        else:
            groups.centres[to, j] += (value - groups.centres[to, j]) / groups.sizes[to]


@kernel
def _gap(points: Floats, point: int, groups: Groups, group: int) -> float:
    """Square the distance of a point from the centre of a group."""
    total = 0.0
    for j in range(points.shape[1]):
        step = points[point, j] - groups.centres[group, j]
        total += step * step
    return total


@kernel
def _joining(points: Floats, point: int, groups: Groups, group: int) -> float:
    """Say by how much the squares of a group grow when a point joins it."""
    size = groups.sizes[group]
    return float(_gap(points, point, groups, group) * size / (size + 1))


@kernel
def _swapping(points: Floats, groups: Groups, one: int, other: int) -> float:
    """Say by how much the squares of two groups change when two points swap places.

    With u from one to the other: 2u(c_b - c_a) - |u|^2 (1 / n_a + 1 / n_b).
    """
    a, b = groups.labels[one], groups.labels[other]
    shares = 1.0 / groups.sizes[a] + 1.0 / groups.sizes[b]
    total = 0.0
    for j in range(points.shape[1]):
        step = points[other, j] - points[one, j]
        total += step * (2.0 * (groups.centres[b, j] - groups.centres[a, j]) - step * shares)
    return total


@kernel
def _replacing(points: Floats, groups: Groups, group: int, comes: int, leaves: int) -> float:
    """Say by how much the squares of a group change when a point takes a member's place."""
    total = 0.0
    for j in range(points.shape[1]):
        step = points[comes, j] - points[leaves, j]
        total += step * step
    gaps = _gap(points, comes, groups, group) - _gap(points, leaves, groups, group)
    return float(gaps - total / groups.sizes[group])
