"""A random walk over the tables of whole counts that agree with what is published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacita.arithmetic import exp
from tacita.data.classes import Floats, Ints, Mask
from tacita.tables.audit.presolve import Problem

ROUNDS = 20  # of making moves shorter; few are needed
BURN_IN = 10  # one part in so many of the walk is walked before anything is counted


@dataclass(frozen=True, eq=False)
class RandomWalk:
    """A Markov chain whose stationary distribution is the posterior of the counts.

    A step picks a move, an integer solution of the relations without their right-hand sides, and
    draws how often it is made, forwards or backwards, from the posterior along that line. Moves are
    a lattice basis and sums and differences of two of its members. A lattice basis need not
    connect all tables of nonnegative counts (only a Markov basis is sure to), so the walk may miss
    some of them.

    Args:
        problem: cells with finite bounds.
        log_means: the logarithm of each cell's Poisson mean; None where all tables weigh the same.
        is_free: the cells that have a Poisson prior.
    """

    problem: Problem
    log_means: Floats | None
    is_free: Mask

    def walk(self, start: Ints, sweeps: int, rng: np.random.Generator) -> Ints:
        """Return the tables met, one after every sweep of as many steps as the basis has moves."""
        basis = lattice_basis(self.problem.matrix.toarray())
        table = start.copy()
        met = np.empty((sweeps, len(start)), np.int64)
        burn_in = sweeps // BURN_IN
        for sweep in range(-burn_in, sweeps):
            for move in _drawn_moves(basis, rng):
                self._step(table, move, rng)
            met[sweep] = table  # the tables of the burn-in are written over
        return met

    def _step(self, table: Ints, move: Ints, rng: np.random.Generator) -> None:
        cells = np.flatnonzero(move)
        if not cells.size:
            return
        step, ends = move[cells], self.problem.ends
        up, down = ends.upper[cells] - table[cells], ends.lower[cells] - table[cells]
        most = int(np.floor(np.where(step > 0, up, down) / step).min())
        least = int(np.ceil(np.where(step > 0, down, up) / step).max())
        table[cells] += self._times(table[cells], step, cells, least, most, rng) * step

    def _times(
        self, held: Ints, step: Ints, cells: Ints, least: int, most: int, rng: np.random.Generator
    ) -> int:
        """Draw how often a move is made."""
        if self.log_means is None or least == most:
            return int(rng.integers(least, most + 1))
        from scipy.special import gammaln

        times = np.arange(least, most + 1)
        free = self.is_free[cells]
        counts = held[free] + times[:, None] * step[free]
        weight = (counts * self.log_means[cells[free]] - gammaln(counts + 1)).sum(axis=1)
        chance = np.cumsum(exp(weight - weight.max()))
        return int(times[np.searchsorted(chance, rng.random() * chance[-1], side="right")])


def _drawn_moves(basis: Ints, rng: np.random.Generator) -> Ints:
    """Draw as many moves as the basis has: half of them of the basis, half of two of its members.

    >>> _drawn_moves(np.array([[1, -1]]), np.random.default_rng(0)).shape
    (1, 2)
    """
    size = len(basis)
    first, second = rng.integers(size, size=(2, size))
    sign = rng.choice([-1, 0, 0, 1], size=size)
    moves: Ints = basis[first] + sign[:, None] * basis[second]
    return moves


def lattice_basis(matrix: Any) -> Ints:
    """Return a basis of the integer solutions of `matrix @ x = 0`, one row a solution.

    Rows of the identity beside the transposed matrix are combined, by whole multiples, until the
    matrix's part of them is 0.

    >>> lattice_basis(np.array([[1, 1, 1]]))
    array([[-1,  1,  0],
           [-1,  0,  1]])
    """
    work = np.asarray(matrix).T.astype(np.int64).astype(object)
    made = np.eye(len(work), dtype=np.int64).astype(object)
    done = 0
    for column in range(work.shape[1]):
        while (rest := np.flatnonzero(work[done:, column]) + done).size > 1:
            pivot = rest[np.argmin(np.abs(work[rest, column]))]
            others = rest[rest != pivot]
            times = work[others, column] // work[pivot, column]
            work[others] -= times[:, None] * work[pivot]
            made[others] -= times[:, None] * made[pivot]
        if rest.size:
            for part in (work, made):
                part[[done, rest[0]]] = part[[rest[0], done]]
            done += 1
    return _shortened(made[done:].astype(np.int64))


def _shortened(basis: Ints) -> Ints:
    """Add members of a basis to others, or take them away, while that makes them shorter."""
    for _ in range(ROUNDS):
        before = np.abs(basis).sum()
        for row in range(len(basis)):
            for sign in (1, -1):
                tried = basis[row] + sign * basis
                tried[row] = basis[row]
                length = np.abs(tried).sum(axis=1)
                if length.min() < length[row]:
                    basis[row] = tried[np.argmin(length)]
        if np.abs(basis).sum() == before:
            break
    return basis
