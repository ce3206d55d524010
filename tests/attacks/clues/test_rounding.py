"""Rounded attributes: the lattice is found exactly, and digits that are uniform show none."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import gcd

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.clues.rounding import lattice, look


def guesses(values: list[float]) -> list[tuple[dict[str, float], float]]:
    data = ta.read(pa.table({"x": values}), kinds={"x": "continuous"})
    return [(dict(guess.parameters), guess.chance) for guess in look(data)]


def test_a_hand_made_lattice() -> None:
    # Six values between the ends are multiples of 50: 2 x 50^-5 by chance.
    found = guesses([3, 50, 100, 250, 300, 450, 600, 999])
    assert found == [({"base": 50}, pytest.approx(2 * 50.0**-5))]


def test_decimals_and_offsets() -> None:
    values = [i * 0.25 for i in (1, 2, 3, 5, 6, 7, 9, 10, 13, 17, 18, 22, 23, 31, 55)]
    assert guesses(values)[0][0] == {"base": 0.25}
    middles = [100 * i + 50 for i in (1, 2, 3, 5, 6, 7, 9, 10)]
    assert guesses(middles)[0][0] == {"base": 100, "offset": 50}


def test_recorded_digits_are_no_rounding() -> None:
    assert guesses(list(range(100))) == []
    assert guesses([i / 10 for i in range(100)]) == []
    assert guesses([1.0, 2.0]) == guesses([5.0] * 20) == guesses([]) == []


def test_few_finer_values_among_coarse_ones_make_no_lattice() -> None:
    values = [float(i) for i in range(300)] + [7.002, 9.008]
    assert guesses(values) == []


@given(
    base=st.integers(2, 10_000),
    multiples=st.sets(st.integers(-500, 500), min_size=12, max_size=60),
    decimals=st.integers(0, 3),
)
def test_the_base_is_a_common_divisor(base: int, multiples: set[int], decimals: int) -> None:
    values = np.array(sorted(float(Fraction(i * base, 10**decimals)) for i in multiples))
    found = lattice(values)
    assert found is not None
    inner = sorted(multiples)[1:-1]
    step = gcd(*(b - a for a, b in pairwise(inner)))
    assert Fraction(found.step, 10**found.decimals) == Fraction(step * base, 10**decimals)


@given(st.integers(0, 2**32 - 1))
def test_a_chance_is_one(seed: int) -> None:
    """Uniform digits are hardly ever guessed to be rounded: all but two alike by 2^-57."""
    drawn = np.random.default_rng(seed).integers(0, 10**6, 60).tolist()
    assert guesses(drawn) == []
