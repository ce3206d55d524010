"""What a statistic can be in a protection set: its least and its largest value there."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import combinations

import numpy as np

from tacita.arithmetic import least_squares, product
from tacita.data.classes import Floats
from tacita.queries.camouflage.forms import Interval
from tacita.queries.camouflage.searching import WORK, Quantile, Within, least
from tacita.queries.camouflage.value_sets import ValueSet

DIGITS = 10  # of an answer that are told; what rounding did to a sum is beyond them
ENOUGH = 1e-3  # of a quantile's widest interval: how near its ends must be
ROUNDING = 1e-12  # of the largest variance: what rounding can do to the least one
PROGRAM = 25_000  # what solving a small linear program costs, in values that are looked at


def deviation(vertices: Floats, divisor: int, slack: float) -> Interval:
    """Return the interval of a standard deviation.

    The variance of a mixture is L'CL, C the covariances of the vertices, which is convex: largest
    at a vertex, least at the solution of a quadratic program. A deviation is a norm of what is left
    without the mean, so that slack changes it by no more than a slack of every value can be.
    """
    centred = vertices - vertices.mean(axis=0)
    covariances = product(centred.T, centred) / divisor
    change = slack * math.sqrt(len(vertices) / divisor)
    most = float(covariances.diagonal().max())
    lower = math.sqrt(max(0.0, least_form(covariances) - ROUNDING * most))
    return max(0.0, lower - change), math.sqrt(most) + change


def least_form(form: Floats) -> float:
    """Return the least value of the convex form L'CL over weights L.

    At the least value, all weights but those of some support are 0, and CL is constant on the
    support: one small system for each of them. By convexity M'CM >= 2 M'CL - L'CL for all weights
    M, which makes a bound of any L, and the least value of the right one.

    >>> least_form(np.array([[1.0, 0.0], [0.0, 1.0]]))
    0.5
    """
    size = len(form)
    bounds = []
    for many in range(1, size + 1):
        for support in map(list, combinations(range(size), many)):
            weights = np.zeros(size)
            found = least_squares(form[np.ix_(support, support)], np.ones(many))
            if found.sum() > 0 and (found >= 0).all():
                weights[support] = found / found.sum()
                bounds.append(2 * product(form, weights).min() - product(weights, form, weights))
    return float(max(bounds, default=0.0))


def smallest(vertices: Floats, slack: float, work: float = WORK) -> Interval:
    """Return the interval of a minimum; it is wider if there is too little work to be done."""
    return float(vertices.min()) - slack, highest_minimum(vertices, work) + slack


def largest(vertices: Floats, slack: float, work: float = WORK) -> Interval:
    """Return the interval of a maximum; it is wider if there is too little work to be done."""
    lower, upper = smallest(-vertices, slack, work)
    return -upper, -lower


def highest_minimum(vertices: Floats, work: float = WORK) -> float:
    """Return the largest value that the minimum of all records has in a mixture.

    A linear program with a row for every record, of which few matter: rows are added as they are
    violated. By duality max_j sum_i w_i P_ij is a bound for any weights w of records, also for
    all weight on one of them, and the value itself for those of the solution.

    >>> highest_minimum(np.array([[0.0, 2.0], [2.0, 0.0]]))
    1.0
    """
    rows = sorted(set(vertices.argmin(axis=0).tolist()))
    bound = float(vertices.max(axis=1).min())
    for _ in range(int(work / (PROGRAM + vertices.size))):
        solved = _game(vertices[rows])
        if solved is None:
            break
        mixture, weights = solved
        bound = min(bound, float(product(weights, vertices[rows]).max()))
        values = product(vertices, mixture)
        worst = int(values.argmin())
        if worst in rows or values[worst] >= bound:
            break
        rows.append(worst)
    return bound


def _game(payoffs: Floats) -> tuple[Floats, Floats] | None:
    """Solve max over mixtures of columns, min over rows: the mixture, and the weights of rows.

    None if the solver gives up.
    """
    from scipy.optimize import linprog

    rows, columns = payoffs.shape
    centre, scale = payoffs.mean(), np.abs(payoffs - payoffs.mean()).max() or 1.0
    # The last variable is what all rows reach.
    above = np.column_stack([-(payoffs - centre) / scale, np.ones(rows)])
    solved = linprog(
        np.append(np.zeros(columns), -1.0),
        A_ub=above,
        b_ub=np.zeros(rows),
        A_eq=np.append(np.ones(columns), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * columns + [(None, None)],
    )
    if not solved.success:
        return None
    weights = np.maximum(-solved.ineqlin.marginals, 0.0)
    return solved.x[:-1], weights / weights.sum()


def quantile(vertices: Floats, fraction: float, slack: float, work: float = WORK) -> Interval:
    """Return the interval of a quantile, not wider than need be by more than a trifle.

    Args:
        vertices: one row a record, one column a vertex.
        fraction: which quantile.
        slack: what every value may change by.
        work: how much is done at most to find it; with too little, the interval is wider.
    """
    position = (len(vertices) - 1) * fraction
    rank = min(int(position), len(vertices) - 1)
    part = position - rank
    ends = np.quantile(vertices.min(axis=1), fraction), np.quantile(vertices.max(axis=1), fraction)
    tolerance = ENOUGH * float(ends[1] - ends[0])
    lower = least(Quantile(rank, part, tolerance), vertices, work / 2)
    # The quantile from above is that of the negated values from below.
    upside = len(vertices) - 1 - rank - (part > 0)
    flipped = Quantile(upside, 1 - part if part else 0.0, tolerance)
    return lower - slack, slack - least(flipped, -vertices, work / 2)


def within(
    vertices: Floats, sets: tuple[ValueSet, ValueSet], slack: float, work: float = WORK
) -> tuple[int, int]:
    """Return the interval of the number of values in a set.

    Args:
        vertices: one row a record, one column a vertex.
        sets: the set, and what is outside of it.
        slack: what every value may change by.
        work: how much is done at most to find it; with too little, the interval is wider.
    """
    inside, outside = (Within(one.eroded(slack)) for one in sets)
    fewest, fewest_out = least(inside, vertices, work / 2), least(outside, vertices, work / 2)
    return int(fewest), len(vertices) - int(fewest_out)


def outward(interval: Interval) -> Interval:
    """Round to ten digits, away from the middle, so that rounding never excludes the truth.

    >>> outward((1.23456789012, 2.0))
    (1.23456789, 2.0)
    """
    unit = Decimal(1).scaleb(Decimal(max(map(abs, interval))).adjusted() + 1 - DIGITS)
    lower, upper = map(Decimal, interval)
    return float(lower.quantize(unit, ROUND_FLOOR)), float(upper.quantize(unit, ROUND_CEILING))
