"""Hill climbing on means of products: nothing computed on the way differs from what is there."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels.climbing import (
    Cells,
    Points,
    Room,
    inside,
    means_of,
    products_of,
    sweep,
)

pytestmark = pytest.mark.numeric


def ground(rng, n, d, *, whole=False, radii=(), shared=2):
    """Draw points, of which every value belongs to `shared` points at most."""
    labels = np.column_stack([rng.permutation(np.arange(n) // shared) for _ in range(d)])
    labels += np.arange(d) * (labels.max() + 1)
    levels = np.round(rng.normal(0, 3, labels.max() + 1), 2)
    if whole:
        levels = np.rint(levels)
    order = np.argsort(labels, axis=None, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels.reshape(-1)))])
    members, coordinates = np.divmod(order, d)
    values = levels[labels]
    centres, units = rng.normal(size=d), rng.uniform(0.5, 2, d)
    points = Points(values, scale(values, centres, units), rng.normal(0, 3, (n, d)))
    room = Room(
        centres,
        units,
        np.full(d, -np.inf),
        np.full(d, np.inf),
        np.full(d, whole),
        np.tile(np.array(radii, float), (d, 1)),
    )
    cells = Cells(coordinates[starts[:-1]], starts, members, np.zeros(len(starts) - 1, np.int64))
    return points, cells._replace(most=inside(points, cells, room)), room, labels


def scale(values, centres, units):
    return np.column_stack([(values - centres) / units, np.ones(len(values))])


def plain_means(values, order):
    columns = range(values.shape[1])
    return {
        factors: np.mean([np.prod(row[list(factors)]) for row in values])
        for length in range(1, order + 1)
        for factors in combinations_with_replacement(columns, length)
    }


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("columns", [1, 2, 4])
def test_all_products_up_to_an_order_are_listed_once(columns, order):
    products = products_of(columns, order)
    assert len(products.factors) == comb(columns + order, order) - 1
    named = {tuple(f for f in row if f < columns) for row in products.factors.tolist()}
    assert named == set(plain_means(np.zeros((1, columns)), order))
    for column in range(columns):
        lines = slice(products.starts[column], products.starts[column + 1])
        for product, power, rest in zip(
            products.lines[lines], products.powers[lines], products.rests[lines], strict=True
        ):
            whole = sorted([column] * power + [f for f in rest if f < columns])
            assert whole == [f for f in products.factors[product] if f < columns]


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_means_are_those_of_the_plain_products(seed, columns, order):
    values = np.random.default_rng(seed).normal(size=(7, columns))
    products = products_of(columns, order)
    plain = plain_means(values, order)
    means = means_of(scale(values, 0.0, 1.0), products)
    for row, mean in zip(products.factors.tolist(), means, strict=True):
        assert mean == pytest.approx(plain[tuple(f for f in row if f < columns)], abs=1e-12)


@given(
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.integers(2, 4),
    st.booleans(),
    st.sampled_from([1, 2, 5]),
)
@settings(max_examples=60, deadline=None)
def test_a_sweep_keeps_what_it_knows_true_and_lowers_the_sum(seed, columns, order, whole, shared):
    rng = np.random.default_rng(seed)
    points, cells, room, labels = ground(
        rng, 12, columns, whole=whole, radii=(0.5, 1.5), shared=shared
    )
    products = products_of(columns, order)
    wanted = means_of(scale(rng.normal(size=(30, columns)), 0.0, 1.0), products)
    weights = rng.uniform(0.1, 3, len(wanted))
    before = points.values.copy()
    gaps = means_of(points.scaled, products) - wanted
    first, told = weights @ gaps**2, gaps.copy()
    turns = rng.permutation(len(cells.coordinates))
    taken = sweep(points, cells, room, products, told, weights, turns, rng.normal(size=len(turns)))
    assert points.scaled == pytest.approx(scale(points.values, room.centres, room.units))
    anew = means_of(points.scaled, products) - wanted
    assert told == pytest.approx(anew, rel=1e-9, abs=1e-9 * (1 + np.abs(gaps).max()))
    assert taken == len(np.unique(labels[points.values != before]))
    assert weights @ anew**2 <= first * (1 + 1e-12)
    assert (weights @ anew**2 < first) == (taken > 0)
    assert (inside(points, cells, room) <= cells.most).all()
    for label in range(labels.max() + 1):
        assert len(np.unique(points.values[labels == label])) == 1
    if whole:
        assert (points.values == np.rint(points.values)).all()


def one_point(value, *, fixed=0.0, radii=(), lowest=-np.inf, highest=np.inf, whole=False):
    points = Points(np.array([[value]]), np.array([[value, 1.0]]), np.array([[fixed]]))
    none = np.zeros(1, np.int64)
    room = Room(
        np.zeros(1),
        np.ones(1),
        np.array([lowest]),
        np.array([highest]),
        np.array([whole]),
        np.array([radii], float).reshape(1, -1),
    )
    cells = Cells(none, np.array([0, 1]), none, none)
    return points, cells._replace(most=inside(points, cells, room)), room


def after(step, wanted, value, **room):
    points, cells, room = one_point(value, **room)
    products = products_of(1, 1)
    gaps = means_of(points.scaled, products) - wanted
    taken = sweep(
        points, cells, room, products, gaps, np.ones(1), np.zeros(1, np.int64), np.array([step])
    )
    return taken, points.values[0, 0]


def test_a_step_that_comes_nearer_is_taken_and_no_other():
    assert after(1.0, 5.0, 3.0) == (1, 4.0)
    assert after(-1.0, 5.0, 3.0) == (0, 3.0)
    assert after(4.0, 5.0, 3.0) == (0, 3.0)  # as far on the other side
    assert after(3.875, 5.0, 3.0) == (1, 6.875)
    assert after(4.125, 5.0, 3.0) == (0, 3.0)


def test_a_step_into_a_radius_is_not_taken_and_one_out_of_it_is():
    held = {"fixed": 0.0, "radii": (1.0,)}
    assert after(-2.0, 0.0, 3.0, **held) == (0, 3.0)  # onto the border, which is inside
    assert after(-1.5, 0.0, 3.0, **held) == (1, 1.5)
    assert after(1.0, 5.0, 0.5, **held) == (1, 1.5)
    assert after(-0.25, 0.0, 0.5, **held) == (1, 0.25)  # it was inside and stays so


def test_the_border_of_a_radius_is_inside():
    for value, count in ((1.0, 1), (np.nextafter(1.0, 2.0), 0), (-1.0, 1), (0.0, 1)):
        points, cells, room = one_point(value, fixed=0.0, radii=(1.0,))
        assert inside(points, cells, room).tolist() == [count]


def test_values_stay_whole_and_within_their_ends():
    assert after(1.4, 5.0, 3.0, whole=True) == (1, 4.0)
    assert after(0.4, 5.0, 3.0, whole=True) == (0, 3.0)
    assert after(-9.0, -5.0, 3.0, lowest=0.0) == (1, 0.0)
    assert after(9.0, 5.0, 3.0, highest=4.0) == (1, 4.0)
