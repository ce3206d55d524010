from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError

N = 40_000
TWO_PIECE = {"distribution": "two_piece", "least": 0.1, "most": 0.3}


def mask(column, seed=0, **options):
    data = ta.read(pa.table({"x": column}), kinds={"x": "continuous"})
    return ta.MultiplyNoise("x", **options).mask(data, np.random.default_rng(seed)).numbers("x")


@pytest.mark.parametrize(
    ("options", "variance"),
    # By hand: 0.1^2 + 2 * 0.1 * 0.2 / 3 + 0.2^2 / 6.
    [({"deviation": 0.2}, 0.04), (TWO_PIECE, 0.03)],
)
def test_factors_have_mean_one_and_the_variance_that_is_told(options, variance):
    factors = mask(np.ones(N), **options)
    squares = (factors - 1) ** 2
    assert abs(factors.mean() - 1) < 3 * factors.std() / np.sqrt(N)
    assert abs(squares.mean() - variance) < 3 * squares.std() / np.sqrt(N)
    assert ta.MultiplyNoise("x", **options).variance() == pytest.approx(variance)


@pytest.mark.parametrize("options", [{"deviation": 0.2}, TWO_PIECE])
def test_means_stay_and_squares_grow_by_one_plus_the_variance(options):
    x = np.random.default_rng(1).lognormal(3, 1, N)
    z = mask(x, **options)
    assert abs((z - x).mean()) < 3 * (z - x).std() / np.sqrt(N)
    grown = z**2 - (1 + ta.MultiplyNoise("x", **options).variance()) * x**2
    assert abs(grown.mean()) < 3 * grown.std() / np.sqrt(N)


def test_lognormal_factors_are_lognormal():
    logs = np.log(mask(np.full(N, 7.0), deviation=0.5) / 7)
    spread = np.log(1.25)
    assert abs(logs.mean() + spread / 2) < 3 * np.sqrt(spread / N)
    assert abs(logs.var() / spread - 1) < 3 * np.sqrt(2 / N)
    assert ((logs - logs.mean()) ** 3).mean() / spread**1.5 == pytest.approx(0, abs=0.05)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.floats(0, 0.4), st.floats(0.01, 0.5))
def test_two_piece_factors_move_every_value_within_the_two_shares(seed, least, width):
    x = np.array([-5.0, 0.5, 1e9, 0.0, 3.0] * 20)
    z = mask(x, seed, distribution="two_piece", least=least, most=least + width)
    moved = np.abs(z - x)
    assert np.all(moved >= (least - 1e-9) * np.abs(x))
    assert np.all(moved <= (least + width + 1e-9) * np.abs(x))
    assert np.array_equal(np.sign(z), np.sign(x))


def test_the_pieces_are_ramps_and_equally_likely():
    factors = mask(np.ones(N), seed=1, **TWO_PIECE)
    above = factors > 1
    assert abs(above.mean() - 0.5) < 3 * 0.5 / np.sqrt(N)
    for piece in (factors[above] - 1, 1 - factors[~above]):
        # P(d <= 0.2) = 1 - (1/2)^2 in the middle of the piece.
        share = (piece <= 0.2).mean()
        assert abs(share - 0.75) < 3 * np.sqrt(0.75 * 0.25 / len(piece))


def test_attributes_get_factors_of_their_own_and_blanks_stay():
    data = ta.read(pa.table({"x": [1.0, None, 3.0], "y": [1.0, 2.0, 3.0]}))
    masked = data.apply(ta.MultiplyNoise(["x", "y"], deviation=0.1), seed=0)
    assert masked.column("x").is_null().to_pylist() == [False, True, False]
    assert masked.column("x")[0] != masked.column("y")[0]
    assert masked.column("x")[0].as_py() != 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "lognormal needs `deviation` and no other amount"),
        ({"deviation": 0.1, "least": 0.1}, "no other amount"),
        ({"distribution": "two_piece", "least": 0.1}, "needs `least` and `most`"),
        ({**TWO_PIECE, "most": 0.1}, "`least` of `multiply_noise` must be below `most`"),
    ],
)
def test_what_cannot_be_is_said(options, message):
    with pytest.raises(ParameterError, match=message):
        ta.MultiplyNoise("x", **options)


def test_products_that_have_no_double_are_refused():
    with pytest.raises(InputError, match="`x` larger than a double can be"):
        mask([1.7e308, 1.0, None] * 20, deviation=1)
