"""Intervals over protection sets, against all mixtures, other solvers and full enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from tacita.queries.camouflage import searching
from tacita.queries.camouflage.forms import Linear
from tacita.queries.camouflage.intervals import (
    deviation,
    highest_minimum,
    largest,
    least_form,
    outward,
    quantile,
    smallest,
    within,
)
from tacita.queries.camouflage.searching import Quantile, Within, least
from tacita.queries.camouflage.value_sets import ValueSet

pytestmark = pytest.mark.numeric

SEEDS = st.integers(0, 2**32 - 1)
INF = np.inf


def made(seed: int, records: int, many: int) -> tuple[np.random.Generator, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng, rng.lognormal(3, 0.7, (records, 1)) * rng.uniform(0.8, 1.2, (records, many))


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.integers(2, 25), st.integers(2, 5), st.sampled_from([0.0, 0.5]))
def test_every_data_set_of_the_set_is_within(seed, records, many, slack) -> None:
    rng, vertices = made(seed, records, many)
    c, d = np.sort(rng.lognormal(3, 0.7, 2))
    inside = ValueSet(np.array([c, d])), ValueSet(np.array([-INF, c, d, INF]))
    fraction = float(rng.choice([0.0, 0.25, 0.5, 0.9, 1.0]))
    told = {
        "sum": Linear("x", vertices.sum(axis=0), slack, records, lambda: np.ones(records)).bounds(),
        "sd": deviation(vertices, records - 1, slack),
        "min": smallest(vertices, slack),
        "max": largest(vertices, slack),
        "quantile": quantile(vertices, fraction, slack, work=2e5),
        "count": within(vertices, inside, slack + 1e-9, work=2e5),
    }
    for weights in rng.dirichlet(np.full(many, 0.6), 40):
        y = vertices @ weights + slack * rng.uniform(-1, 1, records)
        true = {
            "sum": y.sum(),
            "sd": y.std(ddof=1),
            "min": y.min(),
            "max": y.max(),
            "quantile": np.quantile(y, fraction),
            "count": ((c < y) & (y < d)).sum(),
        }
        for name, (lower, upper) in told.items():
            gap = 1e-9 * abs(true[name])
            assert lower - gap <= true[name] <= upper + gap, name


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.integers(1, 12), st.integers(2, 5))
def test_least_variance_is_that_of_a_general_solver(seed, records, many) -> None:
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(records, many))
    form = factors.T @ factors / records
    found = minimize(
        lambda weights: weights @ form @ weights,
        np.full(many, 1 / many),
        jac=lambda weights: 2 * form @ weights,
        bounds=[(0, 1)] * many,
        constraints={"type": "eq", "fun": lambda weights: weights.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-12},
    )
    assert max(0.0, least_form(form)) == pytest.approx(found.fun, abs=1e-6)


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.integers(1, 40), st.integers(2, 5))
def test_highest_minimum_is_that_of_the_whole_program(seed, records, many) -> None:
    _, vertices = made(seed, records, many)
    whole = linprog(
        np.append(np.zeros(many), -1.0),
        A_ub=np.column_stack([-vertices, np.ones(records)]),
        b_ub=np.zeros(records),
        A_eq=np.append(np.ones(many), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * many + [(None, None)],
    )
    assert highest_minimum(vertices) == pytest.approx(-whole.fun, rel=1e-6)


def corners_of_lines(vertices: np.ndarray, levels: list[float]) -> np.ndarray:
    """Return where two of the lines y_i = level, or of the edges of the triangle, meet."""
    lines = [(row, level) for row in vertices for level in levels]
    lines += [(unit, 0.0) for unit in np.eye(3)]
    points = []
    for (one, at), (other, to) in combinations(lines, 2):
        matrix = np.array([one, other, np.ones(3)])
        if abs(np.linalg.det(matrix)) > 1e-12:
            points.append(np.linalg.solve(matrix, [at, to, 1.0]))
    found = np.array(points)
    return found[(found >= -1e-9).all(axis=1)]


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 10))
def test_counts_are_those_of_the_whole_arrangement_of_lines(seed, records) -> None:
    """A count of closed intervals is largest where two lines meet: all such points are tried."""
    rng, vertices = made(seed, records, 3)
    c, d = np.sort(rng.lognormal(3, 0.7, 2))
    sets = ValueSet(np.array([c, d])), ValueSet(np.array([-INF, c, d, INF]))
    values = vertices @ corners_of_lines(vertices, [c, d]).T
    near = 1e-9
    most = ((values >= c - near) & (values <= d + near)).sum(axis=0).max()
    fewest = ((values > c + near) & (values < d - near)).sum(axis=0).min()
    assert within(vertices, sets, 1e-9) == (fewest, most)


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 8), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_quantiles_are_those_of_the_whole_arrangement_of_lines(seed, records, fraction) -> None:
    """Between lines on which two records are equal, a quantile is linear: its ends are corners."""
    _, vertices = made(seed, records, 3)
    lines = np.array([one - other for one, other in combinations(vertices, 2)]).reshape(-1, 3)
    points = corners_of_lines(lines, [0.0])
    values = np.quantile(vertices @ points.T, fraction, axis=0)
    width = np.ptp(np.quantile(np.sort(vertices, axis=1)[:, [0, -1]], fraction, axis=0))
    lower, upper = quantile(vertices, fraction, 0.0, work=1e9)  # until it comes to its end
    assert values.min() - 1e-3 * width - 1e-9 <= lower <= values.min() + 1e-9
    assert values.max() - 1e-9 <= upper <= values.max() + 1e-3 * width + 1e-9


def test_search_without_work_gives_the_outer_bound() -> None:
    _, vertices = made(1, 50, 3)
    above = ValueSet(np.array([20.0, INF]))
    assert least(Within(above), vertices, 0) == (vertices.min(axis=1) > 20).sum()
    bound = least(Quantile(10, 0.0, 0.0), vertices, 0)
    assert bound == np.sort(vertices.min(axis=1))[10]
    assert highest_minimum(vertices, 0) == vertices.max(axis=1).min()


def test_exact_counts_shrink_where_outer_ones_do_not() -> None:
    rng, _ = made(5, 1, 1)
    vertices = rng.lognormal(10, 0.5, (1000, 1)) * rng.uniform(0.8, 1.2, (1000, 3))
    sets = ValueSet(np.array([25_000.0, INF])), ValueSet(np.array([-INF, 25_000.0]))
    lower, upper = within(vertices, sets, 0.5)
    outer = (vertices.min(axis=1) > 25_000).sum(), (vertices.max(axis=1) > 25_000).sum()
    assert upper - lower < (outer[1] - outer[0]) / 3


def test_records_taken_together_widen_an_interval_a_little(monkeypatch) -> None:
    rng, _ = made(6, 1, 1)
    vertices = rng.lognormal(10, 0.5, (3000, 1)) * rng.uniform(0.8, 1.2, (3000, 3))
    sets = ValueSet(np.array([25_000.0, INF])), ValueSet(np.array([-INF, 25_000.0]))
    finest = within(vertices, sets, 0.5), quantile(vertices, 0.4, 0.5)
    monkeypatch.setattr(searching, "MANY", 100)
    coarse = within(vertices, sets, 0.5), quantile(vertices, 0.4, 0.5)
    for (lower, upper), (least_told, most_told) in zip(finest, coarse, strict=True):
        assert least_told < lower
        assert upper < most_told
        assert most_told - least_told < 2 * (upper - lower)
    value = np.quantile(vertices @ rng.dirichlet(np.ones(3)), 0.4)
    assert coarse[1][0] < value < coarse[1][1]


@given(st.floats(-1e12, 1e12), st.floats(0, 1e12))
def test_rounding_goes_outward_and_not_far(lower, width) -> None:
    rounded = outward((lower, lower + width))
    size = max(abs(lower), abs(lower + width))
    assert lower - 2e-9 * size <= rounded[0] <= lower
    assert lower + width <= rounded[1] <= lower + width + 2e-9 * size
