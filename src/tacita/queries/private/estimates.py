"""Statistics from noisy moments: the estimate, and an interval around it.

Moments of an attribute are of u = (2 x - L - U) / (U - L), between -1 and 1: n counts the records
in which all attributes are known, S(u) is the sum of u. The mean is (L + U) / 2 + (U - L) / 2 S(u)
/ n; variances and covariances are (S(u v) - S(u) S(v) / n) / (n - 1), times half the widths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from tacita.data.classes import Floats
from tacita.queries.private.moments import Bounds, Moment
from tacita.queries.statistic import Asked, Statistic

LEAST = 1e-9  # of a record's spread, below which a correlation is not told from noise


def moments_of(asked: Asked) -> tuple[Moment, ...]:
    """Return the moments that a statistic is computed from.

    >>> moments_of(Asked(Statistic.COUNT)) == (Moment(),)
    True
    >>> len(moments_of(Asked(Statistic.VAR, "salary")))
    3
    """
    names = tuple(name for name in (asked.attribute, asked.other) if name is not None)
    if asked.statistic is Statistic.COUNT:
        return (Moment((), names),)
    if asked.statistic is Statistic.SUM:
        return (Moment(names, names),)
    if asked.statistic is Statistic.RESPONDENTS:
        return (Moment(respondent=asked.attribute),)
    return tuple(
        Moment(tuple(names[place] for place in places), names, bool(places))
        for places in POWERS[asked.statistic]
    )


# The powers of the attributes whose sums a statistic needs, by the places of the attributes.
POWERS: Mapping[Statistic, tuple[tuple[int, ...], ...]] = {
    Statistic.AVG: ((), (0,)),
    Statistic.VAR: ((), (0,), (0, 0)),
    Statistic.STDDEV: ((), (0,), (0, 0)),
    Statistic.COVAR: ((), (0,), (1,), (0, 1)),
    Statistic.CORR: ((), (0,), (1,), (0, 1), (0, 0), (1, 1)),
    Statistic.REGR_SLOPE: ((), (0,), (1,), (0, 1), (1, 1)),
}


def estimated(
    asked: Asked,
    moments: Sequence[Floats],
    deviations: Sequence[Floats],
    bounds: Mapping[str, Bounds],
    reach: float,
) -> tuple[Floats, Floats, Floats]:
    """Return estimates with the lower and the upper ends of their intervals, cell by cell.

    The interval goes `reach` standard deviations to each side; that of a statistic of several
    moments comes from its slope in each of them (the delta method).

    Args:
        asked: the statistic.
        moments: its noisy moments.
        deviations: the standard deviation of the noise of each.
        bounds: the bounds of the attributes.
        reach: how far the interval goes.
    """
    if asked.statistic not in WAYS:  # a count or a sum is a moment itself
        half = reach * deviations[0]
        return moments[0], moments[0] - half, moments[0] + half
    sized = _Sized(asked, bounds)
    value = partial(WAYS[asked.statistic], sized)
    middle, half = value(moments), reach * _deviation(value, moments, deviations)
    ends = _within(sized.range, middle - half, middle + half)
    found = np.clip(middle, *sized.range), *ends
    if asked.statistic is Statistic.STDDEV:
        return np.sqrt(found[0]), np.sqrt(found[1]), np.sqrt(found[2])
    return found


def _deviation(
    value: Callable[[Sequence[Floats]], Floats],
    moments: Sequence[Floats],
    deviations: Sequence[Floats],
) -> Floats:
    """Return the standard deviation of a statistic, from what each moment moves it by."""
    square = np.zeros_like(moments[0])
    for place, deviation in enumerate(deviations):
        above, below = (
            [one + side * deviation * (place == at) for at, one in enumerate(moments)]
            for side in (1, -1)
        )
        square += ((value(above) - value(below)) / 2) ** 2
    return np.sqrt(square)


def _within(limits: tuple[float, float], low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return intervals cut to what is possible; all of it where they lie beyond."""
    low, high = np.maximum(low, limits[0]), np.minimum(high, limits[1])
    beyond = low >= high
    return np.where(beyond, limits[0], low), np.where(beyond, limits[1], high)


class _Sized:
    """What a statistic is scaled back by.

    Args:
        asked: the statistic.
        bounds: the bounds of the attributes.
    """

    def __init__(self, asked: Asked, bounds: Mapping[str, Bounds]) -> None:
        names = (asked.attribute or "", asked.other or "")
        ends = [bounds[name] for name in names if name in bounds]
        self.middles = [(low + high) / 2 for low, high in ends]
        self.halves = [(high - low) / 2 for low, high in ends]
        self.less = 0 if asked.population else 1
        self.range = self._range(asked)

    def _range(self, asked: Asked) -> tuple[float, float]:
        """Return what a statistic lies between whatever the data are.

        A variance is at most half the width squared, n / (n - 1) of it where it is of a sample.
        """
        match asked.statistic:
            case Statistic.AVG:
                return self.middles[0] - self.halves[0], self.middles[0] + self.halves[0]
            case Statistic.CORR:
                return -1.0, 1.0
            case Statistic.VAR | Statistic.STDDEV:
                return 0.0, (1 + self.less) * self.halves[0] ** 2
        return -np.inf, np.inf


def _records(number: Floats) -> Floats:
    """Return a noisy number of records as something to divide by."""
    return np.maximum(number, 1.0)


def _mean(sized: _Sized, moments: Sequence[Floats]) -> Floats:
    number, total = moments
    means: Floats = total / _records(number)
    return sized.middles[0] + sized.halves[0] * means


def _spread(number: Floats, one: Floats, other: Floats, product: Floats) -> Floats:
    """Return the sum of products about the means."""
    return product - one * other / _records(number)


def _variance(sized: _Sized, moments: Sequence[Floats]) -> Floats:
    number, total, squares = moments
    spread = _spread(number, total, total, squares) / _records(number - sized.less)
    return sized.halves[0] ** 2 * spread


def _covariance(sized: _Sized, moments: Sequence[Floats]) -> Floats:
    number, one, other, product = moments
    spread = _spread(number, one, other, product) / _records(number - sized.less)
    return sized.halves[0] * sized.halves[1] * spread


def _correlation(sized: _Sized, moments: Sequence[Floats]) -> Floats:  # noqa: ARG001 - as others
    number, one, other, product, squares, others = moments
    own = np.maximum(_spread(number, one, one, squares), LEAST)
    another = np.maximum(_spread(number, other, other, others), LEAST)
    found: Floats = _spread(number, one, other, product) / np.sqrt(own * another)
    return found


def _slope(sized: _Sized, moments: Sequence[Floats]) -> Floats:
    number, one, other, product, others = moments
    across = np.maximum(_spread(number, other, other, others), LEAST)
    slopes: Floats = _spread(number, one, other, product) / across
    return sized.halves[0] / sized.halves[1] * slopes


WAYS: Mapping[Statistic, Callable[[_Sized, Sequence[Floats]], Floats]] = {
    Statistic.AVG: _mean,
    Statistic.VAR: _variance,
    Statistic.STDDEV: _variance,  # its root is taken last
    Statistic.COVAR: _covariance,
    Statistic.CORR: _correlation,
    Statistic.REGR_SLOPE: _slope,
}
ADDITIVE = frozenset({Statistic.COUNT, Statistic.RESPONDENTS, Statistic.SUM, *WAYS})
