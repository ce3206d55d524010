"""The functions against decimal arithmetic of many digits."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels import elementary
from tacita.kernels.elementary import angles, of_each, powers

EXACT = {  # by name: the function in decimal numbers, where it is tried, and its error in units
    "EXP": (lambda x: x.exp(), st.floats(-700, 709), 0.51),
    "EXPM1": (lambda x: x.exp() - 1, st.floats(-30, 700), 2.0),
    "LOG": (lambda x: x.ln(), st.floats(1e-300, 1e300), 0.51),
    "LOG2": (lambda x: x.ln() / Decimal(2).ln(), st.floats(1e-300, 1e300), 1.5),
    "LOG1P": (lambda x: (1 + x).ln(), st.floats(-0.999, 1e15), 0.75),
}
NEAR = st.floats(-0.1, 0.1).map(lambda x: round(x, 6))
TINY = 1e-12  # below, the decimal numbers here have too few digits
LIBRARY = {"SIN": math.sin, "COS": math.cos, "ARCTAN": math.atan}


def value(name: str, x: float) -> float:
    return float(of_each(getattr(elementary, name), x))


@pytest.mark.parametrize("name", EXACT)
@given(st.data())
def test_it_is_right_to_the_last_digit(name: str, data: st.DataObject) -> None:
    exact, where, units = EXACT[name]
    x = data.draw(st.one_of(where, NEAR.map(lambda x: x + name.startswith("LOG") * (x > -1))))
    if abs(x) < TINY or (name in ("LOG", "LOG2") and x <= 0):
        return
    with localcontext(prec=60):
        expected = exact(Decimal(x))
        off = abs(Decimal(value(name, x)) - expected)
    assert off <= Decimal(units) * Decimal(math.ulp(float(expected)))


@pytest.mark.parametrize("name", LIBRARY)
@given(x=st.floats(-1000, 1000))
def test_angles_are_those_of_the_library(name: str, x: float) -> None:
    expected = LIBRARY[name](x)
    assert abs(value(name, x) - expected) <= 5 * math.ulp(max(abs(expected), 1e-3))


def test_edges_are_those_of_numpy() -> None:
    edges = np.array([0.0, -0.0, 1.0, -1.0, -2.0, np.inf, -np.inf, np.nan, 710.0, -750.0, 5e-324])
    for name in ("EXP", "EXPM1", "LOG", "LOG2", "LOG1P"):
        with np.errstate(all="ignore"):
            expected = getattr(np, name.lower())(edges)
        assert np.array_equal(of_each(getattr(elementary, name), edges), expected, equal_nan=True)


def test_shapes_stay() -> None:
    assert of_each(elementary.EXP, np.zeros((2, 0, 3))).shape == (2, 0, 3)
    assert of_each(elementary.EXP, 0).shape == ()
    assert powers(np.ones((3, 1)), [1, 2]).shape == (3, 2)


@given(st.floats(-50, 50), st.integers(-5, 5))
def test_whole_powers_are_products(x: float, y: int) -> None:
    if abs(x) > TINY or y >= 0:
        assert float(powers(x, y)) == pytest.approx(x**y, rel=1e-14)


def test_broken_powers_and_those_of_nothing() -> None:
    found = powers([2.0, 9.0, 0.0, 0.0, 5.0], [0.5, -0.5, 2.5, 0.0, 100.0])
    assert found.tolist() == pytest.approx([2**0.5, 1 / 3, 0.0, 1.0, 5.0**100], rel=1e-13)


@given(st.floats(-100, 100), st.floats(-100, 100))
def test_the_angles_of_points(up: float, right: float) -> None:
    found = float(angles(np.array([up]), np.array([right]))[0])
    if (up, right) == (0, 0):
        assert found == 0
    elif math.copysign(1, right) > 0 or right < 0:
        assert abs(found - math.atan2(up, right)) < 1e-15 * 4
