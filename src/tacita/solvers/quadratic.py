"""Quadratic programs whose unknowns are tied by equations alone: an interior point method."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = np.ndarray[Any, np.dtype[np.float64]]

MOST_STEPS = 80
CLOSE = 1e-8  # of the size of numbers: how far equations and the optimum may be missed
BACK = 0.995  # of the way to the nearest bound that a step goes
TINY = 1e-15  # what doubles may leave of a gap
STEADY = 1e-12  # what keeps equations that follow from others from stopping the elimination


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """The best point of a quadratic program.

    Args:
        value: what it comes to.
        point: the point.
        prices: what each equation is worth: how fast the value grows with its right-hand side.
        pushes: how hard each unknown is held by its bounds: positive by the lower one.
    """

    value: float
    point: Floats
    prices: Floats
    pushes: Floats


def least_squares(
    weight: Floats,
    matrix: csr_array,
    rhs: Floats,
    lower: Floats,
    upper: Floats,
    *,
    seconds: float | None = None,
) -> LeastSquares | None:
    """Minimize `weight @ x**2` with `matrix @ x = rhs` and `lower <= x <= upper`.

    A predictor-corrector interior point method: every step eliminates one sparse system of as many
    equations as the matrix has rows.

    >>> from scipy.sparse import csr_array
    >>> free = np.array([-9.0, -9.0]), np.array([9.0, 1.0])
    >>> found = least_squares(np.ones(2), csr_array(np.array([[1.0, 1.0]])), np.array([4.0]), *free)
    >>> found.point.round(6), round(found.value, 6)
    (array([3., 1.]), 10.0)

    Args:
        weight: what the square of each unknown counts (0 or more).
        matrix: one row an equation, in compressed rows.
        rhs: the right-hand sides.
        lower: the least value of each unknown, finite.
        upper: the largest value of each unknown, not below the least.
        seconds: after how many of them nothing more is tried; None for as many as it takes.

    Returns:
        The best point; None if none was found: mostly because nothing fulfils the equations, or
        because time was up.
    """
    held = upper - lower <= CLOSE
    base = np.where(held, lower, 0.0)
    free = np.flatnonzero(~held)
    program = _Program(
        2.0 * weight[free], matrix[:, free].tocsr(), rhs - matrix @ base, lower[free], upper[free]
    )
    state = program.solved(seconds)
    if state is None:
        return None
    point, pushes = base.copy(), np.zeros(len(base))
    point[free], pushes[free] = state.x, state.low - state.high
    pushes[held] = (2.0 * weight * point - matrix.T @ state.y)[held]
    return LeastSquares(float(weight @ point**2), point, state.y, pushes)


class _State(NamedTuple):
    """A point between its bounds, the prices of equations, and those of both bounds."""

    x: Floats
    y: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class _Program:
    square: Floats
    matrix: csr_array
    rhs: Floats
    lower: Floats
    upper: Floats

    def solved(self, seconds: float | None) -> _State | None:
        state, begun = self._middle(), time.monotonic()
        for _ in range(MOST_STEPS):
            if self._is_close(state):
                return state
            if seconds is not None and time.monotonic() - begun >= seconds:
                return None
            state = self._step(state)
            if not np.isfinite(state.x).all():
                return None
        return None

    def _middle(self) -> _State:
        """Begin near 0, where it is between the bounds."""
        has_end = np.isfinite(self.upper)
        inside = np.minimum(np.where(has_end, self.upper - self.lower, np.inf) / 4, 1.0)
        near = np.maximum(self.lower + inside, 0.0)
        near = np.where(has_end, np.minimum(near, self.upper - inside), near)
        ones = np.ones(len(near))
        return _State(near, np.zeros(len(self.rhs)), ones, np.where(has_end, ones, 0.0))

    def _gaps(self, state: _State) -> tuple[Floats, Floats]:
        """Return how far a point is from both bounds."""
        above = np.where(state.high > 0, self.upper - state.x, 1.0)
        return np.maximum(state.x - self.lower, TINY), np.maximum(above, TINY)

    def _off(self, state: _State) -> tuple[Floats, Floats]:
        """Return by how much the equations, and the slopes of the objective, are missed."""
        slope = self.square * state.x - self.matrix.T @ state.y - state.low + state.high
        return self.rhs - self.matrix @ state.x, -slope

    def _between(self, state: _State) -> float:
        """Return how far the products of gaps and prices are from 0, on average."""
        below, above = self._gaps(state)
        count = len(state.x) + int((state.high > 0).sum())
        return float(below @ state.low + above @ state.high) / max(count, 1)

    def _is_close(self, state: _State) -> bool:
        equations, slopes = self._off(state)
        size = 1.0 + float(np.abs(state.x).max(initial=0.0))
        value = 1.0 + float(self.square @ state.x**2)
        products = self._between(state) * max(len(state.x), 1)
        return bool(
            np.abs(equations).max(initial=0.0) <= CLOSE * size
            and np.abs(slopes).max(initial=0.0) <= CLOSE * size * (1.0 + self.square.max(initial=0))
            and products <= CLOSE * value
        )

    def _step(self, state: _State) -> _State:
        """Go towards the optimum first to see how far that is, then back to the middle by that."""
        from scipy.sparse import diags_array, eye_array
        from scipy.sparse.linalg import splu

        below, above = self._gaps(state)
        theta = 1.0 / (self.square + state.low / below + state.high / above)
        rows = self.matrix.shape[0]
        normal = self.matrix @ diags_array(theta) @ self.matrix.T
        steady = STEADY * max(float(theta.max(initial=1.0)), 1.0)
        solver = splu((normal + steady * eye_array(rows)).tocsc()) if rows else None
        middle = self._between(state)
        zero = np.zeros(len(state.x))
        first = self._direction(state, solver, theta, 0.0, (zero, zero))
        there = self._moved(state, first, 1.0)
        shrunk = (self._between(there) / middle) ** 3 if middle else 0.0
        bent = first.x * first.low, -first.x * first.high
        second = self._direction(state, solver, theta, shrunk * middle, bent)
        return self._moved(state, second, BACK)

    def _direction(
        self, state: _State, solver: Any, theta: Floats, aim: float, bent: tuple[Floats, Floats]
    ) -> _State:
        equations, slopes = self._off(state)
        below, above = self._gaps(state)
        low = (aim - bent[0]) / below - state.low
        high = np.where(state.high > 0, (aim - bent[1]) / above - state.high, 0.0)
        right = slopes + low - high
        y = np.zeros(len(self.rhs))
        if solver is not None:
            y = solver.solve(equations - self.matrix @ (theta * right))
        x = theta * (self.matrix.T @ y + right)
        return _State(x, y, low - state.low * x / below, high + state.high * x / above)

    def _moved(self, state: _State, way: _State, share: float) -> _State:
        """Go as far as the bounds allow, points and prices each."""
        below, above = self._gaps(state)
        is_open = state.high > 0
        far = share * min(_reach(below, way.x), _reach(above[is_open], -way.x[is_open]))
        dear = share * min(
            _reach(state.low, way.low), _reach(state.high[is_open], way.high[is_open])
        )
        far, dear = min(far, 1.0), min(dear, 1.0)
        return _State(
            state.x + far * way.x,
            state.y + dear * way.y,
            state.low + dear * way.low,
            state.high + dear * way.high,
        )


def _reach(room: Floats, way: Floats) -> float:
    """Return how often a step fits before something becomes 0."""
    falls = way < 0
    return float((-room[falls] / way[falls]).min(initial=np.inf))
