"""Rows that are placed into cells, so that every cell in use is full enough.

Every row stands for some items and can put them, under each of its patterns, into one cell a set;
`Board` says which. Cells are in use when items are in them, and need `k` items then. Patterns are
sorted by their costs; what a row pays for an item is the pattern's cost less a part of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]


class Board(NamedTuple):
    """Where the items of each row can be."""

    layers: Places  # layers x rows: the cell of a row, -1 where it has none
    layer_of: Ints  # patterns x sets: the layer
    patterns: Ints  # for each pattern: its bits
    costs: Ints  # for each pattern: its cost, ascending
    bits: Ints  # for each row: the bits that its patterns must have
    own: Ints  # for each row: the pattern it starts with
    k: int
    cells: int


class State(NamedTuple):
    """Where the items of each row are."""

    placed: Places  # patterns x rows: the items
    full: Ints  # for each cell: its items
    left: Ints  # for each row: the items without a place
    spare: Ints  # for each row: the items that can be taken away from where it started


def board(
    layers: Places, layer_of: Ints, patterns: Ints, costs: Ints, bits: Ints, own: Ints, k: int
) -> Board:
    """Make a board of plain arrays."""
    return Board(
        frozen(layers, np.int32),
        frozen(layer_of, np.int64),
        frozen(patterns, np.int64),
        frozen(costs, np.int64),
        frozen(bits, np.int64),
        frozen(own, np.int64),
        k,
        int(layers.max(initial=-1)) + 1,
    )


def fill(on: Board, counts: Ints, order: Ints) -> tuple[Places, Ints]:
    """Place items greedily, step by step; return items by pattern and row, and what is left.

    Rows with `k` items or more stay, and what they have above `k` can be taken to fill cells.

    Args:
        on: the board, of one set.
        counts: the items of each row.
        order: for each step the pattern, and how many items that still have no place a cell must
            have at least to be taken into use.
    """
    placed = np.zeros((on.patterns.size, counts.size), np.int32)
    stay = np.flatnonzero(counts >= on.k)
    placed[on.own[stay], stay] = counts[stay]
    left, spare = np.where(counts < on.k, counts, 0), np.maximum(counts - on.k, 0)
    state = State(placed, _fullness(on, placed), left, spare)
    active = np.flatnonzero((left > 0) | (spare > 0))
    need, give = np.zeros((2, on.cells), np.int64)
    for pattern, wanted in order.tolist():
        _fill_pattern(on, state, active, pattern, wanted, need, give)
        active = active[(left[active] > 0) | (spare[active] > 0)]
        if not left.any():
            break
    return placed, left


def improve(on: Board, placed: Places, rounds: int) -> Places:
    """Move items to cheaper cells, and give up cells whose items have cheaper places elsewhere.

    Args:
        on: the board.
        placed: items by pattern and row; every cell in use has `k` items.
        rounds: after how many rounds the search ends, if it does not end by itself.
    """
    placed = placed.copy()
    full = _fullness(on, placed)
    for _ in range(rounds):
        moved = _shift(on, placed, full)
        moved += _dissolve_all(on, placed, full)
        if not moved:
            break
    return placed


def warm_up() -> None:
    """Compile the kernels of this module."""
    layers = np.array([[0, 1], [2, 2]], np.int32)
    zeros = np.zeros(2, np.int64)
    on = board(layers, np.array([[0], [1]]), np.arange(2), np.arange(2), zeros, zeros, 2)
    placed, _ = fill(on, np.ones(2, np.int64), np.array([[1, 2]]))
    improve(on, placed, 1)


def _fullness(on: Board, placed: Places) -> Ints:
    """Count the items of every cell."""
    full = np.zeros(on.cells, np.int64)
    patterns, rows = np.nonzero(placed)
    for one in range(on.layer_of.shape[1]):
        np.add.at(full, on.layers[on.layer_of[patterns, one], rows], placed[patterns, rows])
    return full


@kernel
def _fill_pattern(
    on: Board, state: State, active: Ints, pattern: int, wanted: int, need: Ints, give: Ints
) -> None:
    """Take the cells of a pattern into use that have as many items without a place as wanted."""
    cells = on.layers[on.layer_of[pattern, 0]]
    for row in active:
        if cells[row] >= 0:
            need[cells[row]] = give[cells[row]] = 0
    for row in active:
        if cells[row] >= 0:
            need[cells[row]] += state.left[row]
            give[cells[row]] += state.spare[row]
    for row in active:
        at, items = cells[row], state.left[row]
        if at >= 0 and items and _is_wanted(on.k, wanted, state.full[at], need[at], give[at]):
            state.placed[pattern, row] += items
            state.full[at] += items
            state.left[row] = 0
    for row in active:
        at = cells[row]
        if at >= 0 and state.spare[row] and 0 < state.full[at] < on.k:
            _take(on, state, row, pattern, at)


@kernel
def _is_wanted(k: int, wanted: int, full: int, need: int, give: int) -> bool:
    """Tell whether items go into a cell, given what it has, could get and could be given."""
    return full >= k or (need >= wanted and need + give >= k)


@kernel
def _take(on: Board, state: State, row: int, pattern: int, at: int) -> None:
    """Fill a cell with items that a row can spare."""
    items = min(state.spare[row], on.k - state.full[at])
    own = on.own[row]
    state.spare[row] -= items
    state.placed[own, row] -= items
    state.full[on.layers[on.layer_of[own, 0], row]] -= items
    state.placed[pattern, row] += items
    state.full[at] += items


# -- improving ------------------------------------------------------------------------------------


@kernel
def _shift(on: Board, placed: Places, full: Ints) -> int:
    """Move items to cheaper cells in use that can do without them where they are."""
    moved = 0
    for pattern in range(on.patterns.size - 1, 0, -1):
        for row in range(on.own.size):
            if placed[pattern, row] and on.own[row] != pattern:
                moved += _shift_row(on, placed, full, row, pattern)
    return moved


@kernel
def _shift_row(on: Board, placed: Places, full: Ints, row: int, pattern: int) -> int:
    moved = 0
    for to in range(on.patterns.size):
        if on.costs[to] >= on.costs[pattern]:
            break
        if on.bits[row] & ~on.patterns[to]:
            continue
        items = _movable(on, placed, full, row, pattern, to)
        if items:
            _move(on, placed, full, row, pattern, to, items)
            moved += items
    return moved


@kernel
def _movable(on: Board, placed: Places, full: Ints, row: int, pattern: int, to: int) -> int:
    """Count the items that can leave their cells and are enough for those they go to."""
    items = every = placed[pattern, row]
    for one in range(on.layer_of.shape[1]):
        here, there = on.layer_of[pattern, one], on.layer_of[to, one]
        if here != there and full[on.layers[here, row]] != every:
            items = min(items, full[on.layers[here, row]] - on.k)
    for one in range(on.layer_of.shape[1]):
        here, there = on.layer_of[pattern, one], on.layer_of[to, one]
        if here != there and full[on.layers[there, row]] + items < on.k:
            return 0
    return int(max(items, 0))


@kernel
def _move(
    on: Board, placed: Places, full: Ints, row: int, pattern: int, to: int, items: int
) -> None:
    placed[pattern, row] -= items
    placed[to, row] += items
    _add(on, full, row, pattern, -items)
    _add(on, full, row, to, items)


def _dissolve_all(on: Board, placed: Places, full: Ints) -> int:
    """Give up one cell after the other whose items have cheaper places elsewhere."""
    patterns, rows = np.nonzero(placed)
    moved = 0
    for one in range(on.layer_of.shape[1]):
        at = on.layers[on.layer_of[patterns, one], rows]
        order = np.lexsort((-on.costs[patterns], at))
        edges = np.flatnonzero(np.diff(at[order], prepend=-1, append=-1))
        moved += _dissolve(on, placed, full, at[order], patterns[order], rows[order], edges)
    return moved


@kernel
def _dissolve(
    on: Board, placed: Places, full: Ints, at: Places, patterns: Ints, rows: Ints, edges: Ints
) -> int:
    moved = 0
    for group in range(edges.size - 1):
        first, stop = edges[group], edges[group + 1]
        if on.costs[patterns[first]]:
            part = slice(first, stop)
            moved += _dissolve_cell(on, placed, full, at[first], patterns[part], rows[part])
    return moved


@kernel
def _dissolve_cell(
    on: Board, placed: Places, full: Ints, cell: int, patterns: Ints, rows: Ints
) -> int:
    """Give up a cell, unless that costs more or leaves another one half empty."""
    items, there = np.zeros_like(patterns), 0
    for i in range(rows.size):
        items[i] = placed[patterns[i], rows[i]]
        there += items[i]
    if there == 0 or there != full[cell]:
        return 0  # items came or went since the rows were listed
    new, gain = patterns.copy(), 0
    for i in range(rows.size):
        _add(on, full, rows[i], patterns[i], -items[i])
    for i in range(rows.size):
        new[i] = _cheapest(on, full, rows[i], patterns[i], items[i])
        _add(on, full, rows[i], new[i], items[i])
        gain += items[i] * (on.costs[patterns[i]] - on.costs[new[i]])
    for i in range(rows.size):
        if not (_is_sound(on, full, rows[i], patterns[i]) and _is_sound(on, full, rows[i], new[i])):
            gain = 0
    for i in range(rows.size):
        if gain > 0:
            placed[patterns[i], rows[i]] -= items[i]
            placed[new[i], rows[i]] += items[i]
        else:
            _add(on, full, rows[i], new[i], -items[i])
            _add(on, full, rows[i], patterns[i], items[i])
    return there if gain > 0 else 0


@kernel
def _add(on: Board, full: Ints, row: int, pattern: int, items: int) -> None:
    for one in range(on.layer_of.shape[1]):
        full[on.layers[on.layer_of[pattern, one], row]] += items


@kernel
def _cheapest(on: Board, full: Ints, row: int, pattern: int, items: int) -> int:
    """Find the cheapest other pattern whose cells some items may go to; if none, the same."""
    for to in range(on.patterns.size):
        if to == pattern or on.bits[row] & ~on.patterns[to]:
            continue
        fits = True
        for one in range(on.layer_of.shape[1]):
            fits = fits and full[on.layers[on.layer_of[to, one], row]] + items >= on.k
        if fits:
            return to
    return pattern


@kernel
def _is_sound(on: Board, full: Ints, row: int, pattern: int) -> bool:
    """Tell whether the cells of a row under a pattern are empty or full enough."""
    for one in range(on.layer_of.shape[1]):
        if 0 < full[on.layers[on.layer_of[pattern, one], row]] < on.k:
            return False
    return True
