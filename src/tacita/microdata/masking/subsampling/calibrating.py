"""Calibration: sampling weights as near as can be to those given that reach known totals."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tacita.arithmetic import exp, least_squares, product
from tacita.data.classes import Floats
from tacita.errors import ProtectionError

CLOSE = 1e-9  # relative to the totals of absolute values; mostly rounding alone is left
SMALLEST = 1e-300  # the inverses of smaller numbers have no double
NEAR = 1e-4  # where what is to be least is flat to the last digit, and Newton's steps are safe
MOST_STEPS, MOST_HALVINGS = 60, 40


def calibrated(weights: Floats, values: Any, totals: Floats) -> Floats:
    """Return weights w exp(x' l), by raking, whose totals of the columns are as wanted.

    l is where sum w exp(x' l) - l' t is least, found by Newton's method; all weights stay positive.

    >>> from scipy.sparse import csr_array
    >>> columns = csr_array(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> calibrated(np.array([1.0, 3.0, 1.0]), columns, np.array([8.0, 5.0])).round(6)
    array([2., 6., 5.])

    Args:
        weights: the weights so far, above 0.
        values: records by columns, a sparse array; columns may depend on each other.
        totals: the wanted weighted total of every column.

    Raises:
        ProtectionError: no positive weights have such totals.
    """
    aim = _Aim.of(weights, values, totals)
    multipliers, before = np.zeros(len(totals)), np.inf
    for _ in range(MOST_STEPS):
        found = aim.weights_at(multipliers)
        missing = aim.wanted - aim.columns.T @ found
        error = float(np.abs(missing).max())
        if error <= CLOSE and error >= before / 2:  # only rounding is left
            return found
        multipliers = aim.stepped(multipliers, aim.step(found, missing), error)
        before = error
    raise ProtectionError(
        "No positive weights reach the totals of the original data; calibrate fewer attributes, or "
        "keep more records."
    )


class _Aim(NamedTuple):
    """Weights, the columns of their records, and the totals that the columns should have."""

    weights: Floats
    columns: Any
    wanted: Floats

    @classmethod
    def of(cls, weights: Floats, values: Any, totals: Floats) -> _Aim:
        """Bring columns to one unit: the totals of their absolute values.

        Those of numbers of both signs may be far smaller than what they are the sum of.
        """
        from scipy.sparse import diags_array

        scale = np.maximum(np.maximum(np.abs(totals), abs(values).T @ weights), SMALLEST)
        return cls(weights, values @ diags_array(1 / scale), totals / scale)

    def weights_at(self, multipliers: Floats) -> Floats:
        return np.asarray(self.weights * exp(self.columns @ multipliers))

    def step(self, found: Floats, missing: Floats) -> Floats:
        """Return Newton's step, the shortest of all where columns depend on each other."""
        from scipy.sparse import diags_array

        curvature = (self.columns.T @ diags_array(found) @ self.columns).toarray()
        return np.asarray(least_squares(curvature, missing))

    def stepped(self, multipliers: Floats, step: Floats, error: float) -> Floats:
        """Go a step so far that what is to be least does not grow; near the end, all of it."""
        now = self._cost(multipliers)
        for _ in range(MOST_HALVINGS if error > NEAR else 0):
            if self._cost(multipliers + step) <= now:
                break
            step = step / 2
        return multipliers + step

    def _cost(self, multipliers: Floats) -> float:
        with np.errstate(over="ignore"):
            return float(self.weights_at(multipliers).sum() - product(self.wanted, multipliers))
