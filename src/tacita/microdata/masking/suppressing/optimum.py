"""The cheapest suppression, proven: an integer program over rows, patterns and cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

import numpy as np

from tacita.arithmetic import product
from tacita.data.classes import Floats, Ints, Mask
from tacita.microdata.masking.suppressing.bounding import whole_sum
from tacita.microdata.masking.suppressing.problem import Cells, Found, Places, Problem
from tacita.microdata.masking.suppressing.search import Search
from tacita.solvers.counting import Counted, CountingProgram, cheapest_counts

MOST_OPTIONS = 400_000  # rows x patterns x sets of a stratum whose relaxation is solved
MOST_OF_SETS = 4_000  # the same where there are several sets: nodes of these programs are slow
MOST_UNKNOWNS = 10_000  # of the last integer program, where nobody asks for a proof


@dataclass(frozen=True, eq=False)
class Options:
    """The ways to release a record of each row that can be part of a solution.

    Args:
        rows: the row of each option.
        patterns: its pattern, by place.
        cells: options x sets, its cells.
    """

    rows: Ints
    patterns: Ints
    cells: Places

    def __len__(self) -> int:
        return len(self.rows)


def optimal_suppression(
    problem: Problem, cells: Cells, start: Found, least: Floats, search: Search
) -> Found:
    """Place the records at the least cost, stratum by stratum, where a stratum is small enough.

    With n[r, P] records of row r released under pattern P and y[e] = 1 where cell e is in use,

        min  sum cost[r, P] n[r, P]   subject to   sum over P of n[r, P] = count[r],
             k y[e] <= sum over e of n[r, P],   n[r, P] <= count[r] y[e].

    One-sided, a record may be released in a cell e that holds another one with k records: then
    n[r, P] <= count[r] z[e], and z[e] <= y[e] + sum of z over the cells with one blank less.

    Strata are the parts that have nothing to do with each other: within one, the cell without any
    value connects all records.

    Args:
        problem: the problem.
        cells: its cells.
        start: a way to place the records.
        least: what every row costs at least.
        search: what is looked for, and how hard.
    """
    if problem.missing_cost is not None:
        return start
    placed, bound, is_timed = start.placed.copy(), 0, False
    begun = monotonic()
    for rows in problem.by_stratum:
        most = MOST_OPTIONS if cells.layer_of.shape[1] == 1 else MOST_OF_SETS
        if len(rows) * cells.layer_of.size > most and search.depth != "proven":
            bound += whole_sum(least[rows])
            continue
        part = _options(problem, cells, rows, search)
        found = _solved(problem, part, placed, search.after(monotonic() - begun))
        placed[:, rows] = 0
        placed[part.patterns, part.rows] = found.point[: len(part)]
        bound += max(found.bound, whole_sum(least[rows]))
        is_timed = is_timed or found.is_timed
    return Found(placed, max(bound, start.bound), is_timed)


def _options(problem: Problem, cells: Cells, rows: Ints, search: Search) -> Options:
    """List the ways to release records of some rows whose cells could hold k records."""
    mine = cells.of(rows)
    enough = np.append(mine.sums(problem.counts[rows]) >= problem.k, False)
    kept = enough[mine.layers][mine.layer_of].all(axis=1)  # the last one stands for no cell
    if mine.layer_of.shape[1] == 1 and not search.is_one_sided:
        kept &= ~_needless(problem, mine)
    patterns, places = np.nonzero(kept)
    return Options(rows[places], patterns, mine.layers[mine.layer_of[patterns], places[:, None]])


def _needless(problem: Problem, cells: Cells) -> Mask:
    """Tell, by pattern and row, the cells that hold the same rows as one with a blank less."""
    at = cells.layers[cells.layer_of[:, 0]]
    size = cells.sums(np.ones(at.shape[1], np.int64))[at]
    by_bits = np.argsort(problem.patterns)  # all patterns are there: their places by their bits
    needless = np.zeros(at.shape, np.bool_)
    for key in range(problem.keys):
        less = by_bits[problem.patterns & ~(1 << key)]
        is_blanked = (problem.patterns >> key & 1 == 1)[:, None]
        needless |= is_blanked & (at[less] >= 0) & (size[less] == size)
    return needless


def _solved(problem: Problem, part: Options, placed: Places, search: Search) -> Counted:
    counts = placed[part.patterns, part.rows].astype(np.int64)
    most = None if search.depth == "proven" else MOST_UNKNOWNS
    if search.is_one_sided:
        program, start = _one_sided_program(problem, part, counts)
        return cheapest_counts(program, start, search.effort, most=most)
    program, start = _strict_program(problem, part, counts)
    price = None if part.cells.shape[1] > 1 else partial(_priced, problem, part)
    return cheapest_counts(program, start, search.effort, price, most=most)


def _strict_program(problem: Problem, part: Options, counts: Ints) -> tuple[CountingProgram, Ints]:
    used, at = np.unique(part.cells, return_inverse=True)
    at = at.reshape(part.cells.shape)
    full = np.zeros(len(used), np.int64)
    np.add.at(full, at, counts[:, None])
    return _program(problem, part, at, at + len(part), len(used)), np.append(counts, full > 0)


def _program(problem: Problem, part: Options, at: Ints, gate: Ints, cells: int) -> CountingProgram:
    """Build the program whose unknowns are the records of each option and the cells in use.

    Args:
        problem: what the options are of.
        part: the options.
        at: options x sets, the cells by their place among those of the part.
        gate: options x sets, the unknown that must be 1 for the option to be used.
        cells: how many cells the part has.
    """
    from scipy.sparse import csr_array

    options, sets = at.shape
    each, gates = np.repeat(np.arange(options), sets), gate.ravel()
    count = problem.counts[part.rows]
    found, row = np.unique(part.rows, return_inverse=True)
    rows = len(found)
    link, room = _links(count[each] >= problem.k, gates, count[each])
    links = len(room)
    entries = [
        (row, np.arange(options), np.ones(options)),
        (rows + at.ravel(), each, np.ones(len(each))),
        (rows + np.arange(cells), options + np.arange(cells), np.full(cells, -problem.k)),
        (rows + cells + link, each, np.ones(len(each))),
        (rows + cells + np.arange(links), room[:, 0], -room[:, 1]),
    ]
    places, columns, values = (np.concatenate(one) for one in zip(*entries, strict=True))
    width = max(options + cells, int(gates.max(initial=-1)) + 1)
    total = problem.counts[found].astype(np.float64)
    cost = problem.costs[part.patterns] - problem.known_costs[part.rows]
    return CountingProgram(
        np.append(cost, np.zeros(width - options, np.int64)),
        csr_array((values, (places, columns)), shape=(rows + cells + links, width)),
        np.concatenate([total, np.zeros(cells), np.full(links, -np.inf)]),
        np.concatenate([total, np.full(cells, np.inf), np.zeros(links)]),
        np.append(count, np.ones(width - options, np.int64)),
    )


def _links(is_frequent: Mask, gates: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Say that records need an open gate: one inequality for each rare row and its gate.

    Rows of k records or more are never the reason why a cell is opened: all those behind a gate
    share an inequality. Returns the inequality of each pair of an option and a gate, and for each
    inequality its gate and how many records it lets through.
    """
    alone = np.where(is_frequent, -1, np.arange(len(gates)))
    _, first, link = np.unique(
        np.column_stack([gates, alone]), axis=0, return_index=True, return_inverse=True
    )
    room = np.bincount(link.ravel(), counts).astype(np.int64)
    return link.ravel(), np.column_stack([gates[first], room])


def _one_sided_program(
    problem: Problem, part: Options, counts: Ints
) -> tuple[CountingProgram, Ints]:
    from scipy.sparse import csr_array, vstack

    used, at = np.unique(part.cells, return_inverse=True)
    at, cells = at.reshape(part.cells.shape), len(used)
    program = _program(problem, part, at, at + len(part) + cells, cells)
    above, below = _inside(problem, part, at)
    in_use, covered = len(part) + np.arange(cells), len(part) + cells + np.arange(cells)
    entries = [
        (np.arange(cells), covered, np.ones(cells)),
        (np.arange(cells), in_use, -np.ones(cells)),
        (above, covered[below], -np.ones(len(below))),
    ]
    places, columns, values = (np.concatenate(one) for one in zip(*entries, strict=True))
    cover = csr_array((values, (places, columns)), shape=(cells, program.matrix.shape[1]))
    full = np.zeros(cells, np.int64)
    np.add.at(full, at, counts[:, None])
    is_covered = full >= problem.k
    for _ in range(problem.keys):
        np.logical_or.at(is_covered, above, is_covered[below])
    wider = replace(
        program,
        matrix=vstack([program.matrix, cover]).tocsr(),
        least=np.append(program.least, np.full(cells, -np.inf)),
        most=np.append(program.most, np.zeros(cells)),
    )
    return wider, np.concatenate([counts, full >= problem.k, is_covered])


def _inside(problem: Problem, part: Options, at: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of a cell and one within it that has one blank less."""
    place_of = np.full((len(problem.patterns), int(part.rows.max(initial=-1)) + 1), -1)
    place_of[part.patterns, part.rows] = np.arange(len(part))
    by_bits = np.argsort(problem.patterns)  # all patterns are there: their places by their bits
    pairs = [np.zeros((0, 2), np.int64)]
    for key in range(problem.keys):
        less = by_bits[problem.patterns[part.patterns] & ~(1 << key)]
        other = place_of[less, part.rows]
        both = np.stack([at[other >= 0], at[other[other >= 0]]], axis=-1).reshape(-1, 2)
        pairs.append(both[both[:, 0] != both[:, 1]])
    above, below = np.unique(np.concatenate(pairs), axis=0).T
    return above, below


def _priced(problem: Problem, part: Options, worth: Floats) -> tuple[float, Floats]:
    """Return a bound, and what a solution costs at least that uses an option, or a cell.

    If every record of row r brings u[r], whatever the cell, an item of r costs cost - u[r] and the
    cells can be filled apart: each is left empty or gets the k cheapest records, and all that cost
    less than nothing. What that comes to, and the sum of all u, is a bound (Lagrange); with an
    option forced into its cell, one on the solutions that use it.
    """
    _, row = np.unique(part.rows, return_inverse=True)
    count = problem.counts[part.rows]
    cost = problem.costs[part.patterns] - problem.known_costs[part.rows] - worth[row]
    used, at = np.unique(part.cells[:, 0], return_inverse=True)
    order = np.lexsort((cost, at))
    starts = np.searchsorted(at[order], np.arange(len(used)))
    before = np.cumsum(count[order]) - count[order]
    before -= before[starts][at[order]]
    taken = np.where(cost[order] < 0, count[order], np.clip(problem.k - before, 0, count[order]))
    value = np.add.reduceat(taken * cost[order], starts)
    # A cell that must hold one more record can do without the dearest that only filled it up.
    filler = np.maximum.reduceat(np.where(taken > 0, cost[order], -np.inf), starts)
    is_filled = np.add.reduceat(np.where(cost[order] < 0, taken, 0), starts) < problem.k
    spared = np.where(is_filled, np.maximum(filler, 0), 0.0)
    forced = np.empty(len(part))
    forced[order] = np.where(taken > 0, 0.0, cost[order] - spared[at[order]])
    rows = np.unique(part.rows)
    bound = float(product(worth[: len(rows)], problem.counts[rows]) + np.minimum(value, 0).sum())
    least = bound + np.maximum(value, 0)
    return bound, np.append(least[at] + forced, least)
