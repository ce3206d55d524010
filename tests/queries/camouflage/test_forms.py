"""Ratios of linear statistics over a protection set, against every corner of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.queries.camouflage.forms import Affine, Linear, Ratio

pytestmark = pytest.mark.numeric

SEEDS = st.integers(0, 2**32 - 1)


def linear(coefficients: np.ndarray, vertices: np.ndarray, slack: float) -> Linear:
    norm = float(np.abs(coefficients).sum())
    return Linear("x", coefficients @ vertices, slack, norm, lambda: coefficients)


def corners(vertices: np.ndarray, slack: float) -> np.ndarray:
    """Return all corners of the set, one column each: a vertex and every value off by its slack."""
    signs = np.array(list(product((-slack, slack), repeat=len(vertices)))).T
    return np.hstack([vertex[:, None] + signs for vertex in vertices.T])


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 6), st.integers(2, 5), st.sampled_from([0.0, 0.1, 2.0]))
def test_a_ratio_has_its_extremes_at_corners(seed, records, many, slack) -> None:
    rng = np.random.default_rng(seed)
    vertices = rng.uniform(10, 30, (records, many))
    above, below = rng.normal(size=records), rng.uniform(0.2, 1, records) * rng.choice([-1, 1])
    constant, factor = rng.normal(0, 5, 2)
    ratio = Ratio(
        Affine(constant, ((factor, linear(above, vertices, slack)),)),
        Affine(0.0, ((1.0, linear(below, vertices, slack)),)),
    )
    at = corners(vertices, slack)
    values = (constant + factor * (above @ at)) / (below @ at)
    assert ratio.bounds() == pytest.approx((values.min(), values.max()))


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.sampled_from([0.0, 0.5]))
def test_sums_and_multiples_of_forms_are_what_they_say(seed, slack) -> None:
    """The forms of the language: a + b c, a / b + 3, 2 a / b, each at every corner."""
    rng = np.random.default_rng(seed)
    vertices = rng.uniform(10, 30, (4, 3))
    c, d = rng.normal(size=4), rng.uniform(0.2, 1, 4)
    one, other = (Ratio(Affine(0.0, ((1.0, linear(x, vertices, slack)),))) for x in (c, d))
    at = corners(vertices, slack)
    a, b = c @ at, d @ at
    three = Ratio(Affine(3.0))
    for form, values in (
        (one.plus(other.scaled(-2.0)), a - 2 * b),
        (one.over(other).plus(three), a / b + 3),
        (three.plus(one.over(other)), a / b + 3),
        (one.over(other).scaled(2.0), 2 * a / b),
        (one.over(three), a / 3),
        (three.over(other), 3 / b),
        (one.plus(other).over(other), (a + b) / b),
        (other.over(other), b / b),
    ):
        assert form.bounds() == pytest.approx((values.min(), values.max()))


def test_what_is_no_ratio_is_said_to_be_none() -> None:
    vertices = np.array([[1.0, 3.0], [-4.0, 2.0]])
    one = Ratio(Affine(0.0, ((1.0, linear(np.ones(2), vertices, 0.0)),)))
    assert one.over(one).plus(one) is None
    assert one.over(one).over(one) is None
    assert one.over(Ratio(Affine(0.0))) is None
    assert one.over(one).bounds() is None  # the sum is -3 in one data set and 5 in the other
    assert one.of == "x"
    assert Ratio(Affine(2.0)).of is None
