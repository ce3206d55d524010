"""Where within its stratum each value lies, so that mean and variance are those of the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacita.arithmetic import log, share_of
from tacita.data.classes import Floats

MOST = np.log(1e6)  # log odds of a place in a stratum: a value is never an edge, nor an original
STEEPEST = 2.0**10  # of the shift of log odds, in a standard deviation
SHORTEST = 2.0**-44  # of an interval in which a root is looked for
NEAR_ENOUGH = 1e-14  # of mean and variance, in units of the data's
ROUNDINGS = 8  # after which whole numbers have the variance as nearly as they can


@dataclass(frozen=True, eq=False)
class Strata:
    """Strata of one attribute in ascending order, and the moments that their values are to have.

    Args:
        low: where each stratum begins.
        high: where it ends.
        mean: the mean that one value from each is to have.
        variance: their variance, dividing by their number; above 0.
    """

    low: Floats
    high: Floats
    mean: float
    variance: float

    def placed(self, within: Floats, *, whole: bool = False) -> Floats:
        """Return a value from each stratum, with the mean and the variance.

        The log odds of where a value lies within its stratum are shifted by a + b z, z being the
        middle of the stratum in standard deviations from the mean. For a given mean the variance
        ascends with b. Where no values have the moments, the nearest ones are returned.

        Args:
            within: where within its stratum each value lies at first, from 0 to 1.
            whole: whether the values are to be whole numbers.
        """
        odds = np.clip(
            log(np.maximum(within, 1e-300) / np.maximum(1 - within, 1e-300)), -MOST, MOST
        )
        if not whole:
            return self._solved(odds, self.variance)
        best, least, wanted = np.rint(self.low), np.inf, self.variance
        for _ in range(ROUNDINGS):
            drawn = self._solved(odds, wanted)
            rounded = np.sort(rounded_whole(drawn))
            lacking = self.variance - rounded.var()
            if abs(lacking) < least:
                best, least = rounded, abs(lacking)
            wanted = max(drawn.var() + lacking, 0.0)
        return best

    def _solved(self, odds: Floats, variance: float) -> Floats:
        """Solve for b, and for every b that is tried for the a that gives the mean."""
        deviation = np.sqrt(self.variance)
        middle = (self.low / 2 + self.high / 2 - self.mean) / deviation
        width = (self.high - self.low) / deviation
        farthest = float(np.abs(middle).max())
        shift = 0.0

        def at(a: float, b: float) -> tuple[Floats, Floats, Floats]:
            places = odds + a + b * middle
            inside = share_of(np.clip(places, -MOST, MOST))
            values = self.low + (self.high - self.low) * inside
            slopes = np.where(np.abs(places) < MOST, width * inside * (1 - inside), 0.0)
            return values, (values - self.mean) / deviation, slopes

        def of_mean(a: float, b: float) -> tuple[float, float]:
            _, x, slopes = at(a, b)
            return float(x.mean()), float(slopes.mean())

        def of_variance(b: float) -> tuple[float, float]:
            nonlocal shift
            reach = 2 * MOST + abs(b) * farthest
            shift = root(lambda a: of_mean(a, b), -reach, reach, shift)
            _, x, slopes = at(shift, b)
            total = float(slopes.sum()) or 1.0
            about = middle - float((middle * slopes).sum()) / total  # as a moves when b does
            lacking = float(np.square(x).mean()) - variance / self.variance
            return lacking, 2 * float((x * slopes * about).mean())

        b = root(of_variance, -STEEPEST, STEEPEST, 0.0)
        return at(shift, b)[0]


def root(
    function: Callable[[float], tuple[float, float]], low: float, high: float, start: float
) -> float:
    """Return where an ascending function is nearest to 0: by Newton's steps, or else by halving.

    The value that it returns is the last that it tries.

    >>> root(lambda x: (x**3 - 8, 3 * x**2), 0.0, 10.0, start=1.0)
    2.0

    Args:
        function: returns the value and the slope.
        low: where to look from.
        high: where to look to.
        start: where to begin.
    """
    x, last = start, np.inf
    while True:
        value, slope = function(x)
        if abs(value) <= NEAR_ENOUGH:
            return x
        low, high = (x, high) if value < 0 else (low, x)
        step = x - value / slope if slope > 0 else np.inf
        following = step if abs(value) <= last / 2 and low < step < high else low / 2 + high / 2
        if not low < following < high or high - low < SHORTEST:
            return x
        x, last = following, abs(value)


def rounded_whole(values: Floats) -> Floats:
    """Return numbers rounded up or down so that every partial sum is rounded to the nearest.

    >>> rounded_whole(np.array([1.4, 1.4, 1.4, 2.0])).tolist()
    [1.0, 2.0, 1.0, 2.0]
    """
    floors = np.floor(values)
    reached = np.rint(np.cumsum(values - floors))
    return np.asarray(floors + np.diff(reached, prepend=0.0))
